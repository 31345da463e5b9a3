// A backtest as one call: open, run, report, close. `presage backtest` and scripts use the same. Must never print.
import {
  type OpenedBacktest,
  type ReportedRun,
  type ReportHooks,
  openBacktest,
  reportBacktest,
} from '../../app/backtest/backtest-runs.ts';
import { writeResult } from '../../app/usage-error.ts';
import type { UnsettledPosition } from '../../venues/simulated/simulator.ts';
import type { Report } from '../../report/statement/report.ts';
import { reserveRunTables, writeRunTables } from '../export/run-tables.ts';
import { groupResults } from '../trial/group-results.ts';
import { type BacktestCallOptions, checkedOptions } from './backtest-options.ts';
import { type GroupSpan, groupSpans } from './group-spans.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** The results of a backtest. */
export interface BacktestResult {
  readonly report: Report;
  /** Results by event group. Their profits add up to the report's. */
  readonly groups: readonly GroupResult[];
  /** True when the run reached its end. */
  readonly isWhole: boolean;
  /** True when the run reached its end, its figures balance, and no strategy failed. */
  readonly isSound: boolean;
  /** Reasons why the run failed, in words; empty when it did not fail. */
  readonly failure: readonly string[];
  /** Faults of the accounts, in words: there should never be any. */
  readonly imbalances: readonly string[];
  /** Positions in markets that the tape does not settle. */
  readonly unsettled: readonly UnsettledPosition[];
  /** Number of commands. */
  readonly decisions: number;
  /** SHA-256 of all commands in sequence: equal decisions give equal hashes. */
  readonly decisionHash: string;
  /** Markets and groups of the config that are not on the tape. */
  readonly missing: readonly string[];
}

/**
 * Runs a backtest, as `presage backtest` does.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when an option is unknown or does not fit, or the tape does not have the markets.
 * @throws {StrategyFileError} when a strategy cannot be used.
 * @example
 * import { backtest } from 'presage-trading/research';
 *
 * const { report } = await backtest({ config: 'config/backtest.yaml', seed: 7 });
 */
export async function backtest(options: BacktestCallOptions): Promise<BacktestResult> {
  const { opening, hooks } = checkedOptions(options);
  const opened = openBacktest(opening);
  try {
    const { reported, groups } = await runOpened(opened, hooks);
    const { run, report, isSound, failure } = reported;
    const { isWhole, imbalances, unsettled, decisions, decisionHash } = run;
    const { missing } = opened;
    return { report, groups, isWhole, isSound, failure, imbalances, unsettled, decisions, decisionHash, missing };
  } finally {
    opened.close();
  }
}

/** Maximum number of rows of a table: more than any run has. */
export const ROWS_MAX = 1e9;

/** A run of an open backtest, with its results by event group. */
export interface GroupedRun {
  readonly reported: ReportedRun;
  readonly groups: readonly GroupResult[];
}

/** Hooks of a run, and the folder of its tables. */
export interface GroupedRunHooks extends ReportHooks {
  readonly exportTo?: string;
  /** Groups of the tape, when they are known already. @default they are read from the tape. */
  readonly spans?: readonly GroupSpan[];
}

/**
 * Runs an open backtest, writes its tables if a folder is given, and returns its results by event group.
 * @throws {UsageError} when a file cannot be written, and for the reasons of `backtest`.
 */
export async function runOpened(
  opened: OpenedBacktest,
  { exportTo, spans, ...hooks }: GroupedRunHooks = {},
): Promise<GroupedRun> {
  if (exportTo === undefined) {
    const reported = await reportBacktest(opened, hooks);
    return { reported, groups: groupsOf(opened, reported, spans) };
  }
  reserveRunTables(exportTo);
  const reported = await reportBacktest(opened, { ...hooks, rowsMax: ROWS_MAX });
  const groups = groupsOf(opened, reported, spans);
  const { record, run } = reported;
  const denied = run.scores.deniedIntents;
  writeResult(() => writeRunTables(exportTo, { record, groups, denied }), hooks.onUnwritten);
  return { reported, groups };
}

const groupsOf = (
  { source, config }: OpenedBacktest,
  { record }: ReportedRun,
  spans: readonly GroupSpan[] = groupSpans(source, config.markets),
): GroupResult[] => groupResults(record, spans);
