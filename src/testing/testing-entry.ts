// `presage-trading/testing`: tools for the tests of a strategy, in any test runner. Public, as `src/index.ts` is.
export { type GivenDenial, type GivenIntent, Stage, stage } from './stage.ts';
export type { BookLevels, FillSpec, MarketSpec, PrintSpec, StageOptions } from './stage-units.ts';
