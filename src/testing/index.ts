// `presage-trading/testing`: tools for a strategy's author to test it, in any test runner. Public, as `src/index.ts`
// is.
export { type GivenDenial, type GivenIntent, Stage, stage } from './stage.ts';
export type { BookLevels, FillSpec, MarketSpec, PrintSpec, StageOptions } from './stage-units.ts';
