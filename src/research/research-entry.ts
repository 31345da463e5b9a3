// `presage-trading/research`: backtests as calls, for scripts and notebooks. Public, as `src/index.ts` is.
export { type BacktestResult, backtest } from './runs/backtest-call.ts';
export type { BacktestCallOptions } from './runs/backtest-options.ts';
export { readReport } from './runs/saved-report.ts';
export type { GroupResult } from './trial/study-trial.ts';
export type { Report } from '../report/statement/report.ts';
export type { BacktestProgress } from '../../backtest/backtest-run.ts';
