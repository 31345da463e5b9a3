// A backtest as one call: open, run, report, close. `presage backtest` and scripts use the same. Must never print.
import {
  type OpenBacktestOptions,
  type OpenedBacktest,
  type ReportedRun,
  type RunHooks,
  openBacktest,
  reportBacktest,
} from '../../app/backtest/backtest-runs.ts';
import type { BacktestOverrides } from '../../app/backtest/backtest-overrides.ts';
import { UsageError } from '../../app/usage-error.ts';
import { SEED_MAX } from '../../config/backtest-config.ts';
import { momentField, moneyField } from '../../config/fields.ts';
import type { BacktestProgress } from '../../../backtest/backtest-run.ts';
import type { UnsettledPosition } from '../../venues/simulated/simulator.ts';
import type { Report } from '../../report/statement/report.ts';
import { reserveRunTables, writeRunTables } from '../export/run-tables.ts';
import { groupResults } from '../trial/group-results.ts';
import { type GroupSpan, groupSpans } from './group-spans.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** Options of a backtest. Each member besides `config` replaces a value of the config. */
export interface BacktestCallOptions {
  /** The config's file. */
  readonly config: string;
  /**
   * A recording's or journal's folder, or a baked file.
   * @default the config's
   */
  readonly tape?: string;
  /**
   * Trade from this moment on, such as `2026-11-21T07:45:00Z`; earlier rows only build the books.
   * @default the config's
   */
  readonly from?: string;
  /**
   * Stop at this moment.
   * @default the config's
   */
  readonly to?: string;
  /**
   * Seed of everything random in the run: a whole number of 32 bits.
   * @default the config's
   */
  readonly seed?: number;
  /**
   * Opening cash of the account, in dollars: `1000` or `'0.25'`.
   * @default the config's
   */
  readonly cash?: number | string;
  /**
   * Only these markets or event groups.
   * @default the config's
   */
  readonly markets?: readonly string[];
  /**
   * A strategy's file, or an installed package, in place of the config's strategies.
   * @default the config's
   */
  readonly strategy?: string;
  /**
   * Parameters of the only strategy.
   * @default the config's
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * File of the HTML report.
   * @default the config's
   */
  readonly html?: string;
  /**
   * Folder for the run's tables, as Parquet and CSV.
   * @default none: no tables are written
   */
  readonly exportTo?: string;
  /**
   * Stops the run: the results until then are returned, as partial.
   * @default none
   */
  readonly signal?: AbortSignal;
  /**
   * Called about twenty times a second.
   * @default none
   */
  readonly onProgress?: (progress: BacktestProgress) => void;
}

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
 * @throws {UsageError} when an option does not fit, or the tape does not have the markets.
 * @throws {StrategyFileError} when a strategy cannot be used.
 * @example
 * import { backtest } from 'presage-trading/research';
 *
 * const { report } = await backtest({ config: 'config/backtest.yaml', seed: 7 });
 */
export async function backtest(options: BacktestCallOptions): Promise<BacktestResult> {
  const opened = openBacktest(openingOf(options));
  try {
    const { signal, onProgress, exportTo } = options;
    const hooks: RunHooks = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const { reported, groups } = await runOpened(opened, { ...hooks, ...(exportTo !== undefined && { exportTo }) });
    const { run, report, isSound, failure } = reported;
    const { isWhole, imbalances, unsettled, decisions, decisionHash } = run;
    const { missing } = opened;
    return { report, groups, isWhole, isSound, failure, imbalances, unsettled, decisions, decisionHash, missing };
  } finally {
    opened.close();
  }
}

function openingOf({ config, markets, ...options }: BacktestCallOptions): OpenBacktestOptions {
  const { tape, from, to, seed, cash, strategy, params, html } = options;
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed <= SEED_MAX))
    throw new UsageError(`seed: expected a whole number from 0 to ${SEED_MAX}, found ${seed}`);
  const overrides: BacktestOverrides = {
    ...(tape !== undefined && { tape }),
    ...(from !== undefined && { from: parsed('from', momentField, from) }),
    ...(to !== undefined && { to: parsed('to', momentField, to) }),
    ...(seed !== undefined && { seed }),
    ...(cash !== undefined && { cash: parsed('cash', moneyField, cash) }),
    ...(strategy !== undefined && { strategy }),
    ...(params !== undefined && { params }),
    ...(html !== undefined && { html }),
  };
  return { file: config, overrides, ...(markets !== undefined && { markets }) };
}

type Field<Value> = {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };
};

/** @throws {UsageError} when the value is not of the field's kind. */
function parsed<Value>(name: string, field: Field<Value>, value: unknown): Value {
  const result = field.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${name}: expected ${result.error.issues[0]?.message ?? ''}, found ${JSON.stringify(value)}`);
}

/** Maximum number of rows of a table: more than any run has. */
export const ROWS_MAX = 1e9;

/** A run of an open backtest, with its results by event group. */
export interface GroupedRun {
  readonly reported: ReportedRun;
  readonly groups: readonly GroupResult[];
}

/** Hooks of a run, and the folder of its tables. */
export interface GroupedRunHooks extends RunHooks {
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
  writeRunTables(exportTo, { record: reported.record, groups, denied: reported.run.scores.deniedIntents });
  return { reported, groups };
}

const groupsOf = (
  { source, config }: OpenedBacktest,
  { record }: ReportedRun,
  spans: readonly GroupSpan[] = groupSpans(source, config.markets),
): GroupResult[] => groupResults(record, spans);
