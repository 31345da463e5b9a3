// `presage-trading/testing`: what the author of a strategy tries it with, in any test runner. Public, as `src/index.ts` is.
export { type GivenDenial, type GivenIntent, Stage, stage } from './stage.ts';
export type { BookLevels, FillWords, MarketSpec, PrintWords, StageOptions } from './words.ts';
