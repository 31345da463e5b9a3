// The runs of `presage backtest` as functions: a run with its report, the explanation of an order, the check for
// look-ahead. Must never print.
import { existsSync } from 'node:fs';
import { type BacktestRun, sessionName } from '../../../backtest/backtest-run.ts';
import { type ExplanationSentence, OrderExplanation } from '../../../backtest/order-explanation.ts';
import { type FlipCheck, checkOutcomeFlip } from '../../../backtest/outcome-flip-check.ts';
import { type BacktestConfig, readBacktestConfig } from '../../config/backtest-config.ts';
import { configErrorOf, faultWithLines, withConfigLines } from '../../config/yaml.ts';
import type { RunRecord } from '../../report/record/run-record.ts';
import type { Report } from '../../report/statement/report.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { checkPage, writePage } from '../report-page.ts';
import { TAPE_ARGUMENT, openTapeAt } from '../tape-place.ts';
import { type OnUnwritten, UsageError, writeResult } from '../usage-error.ts';
import { type ChosenMarkets, chooseMarkets } from './backtest-markets.ts';
import { type BacktestOverrides, applyOverrides, paramsSources } from './backtest-overrides.ts';
import { type BacktestHooks, backtestRecord, runBacktestOnce } from './backtest-session.ts';

/** Options to open a backtest. */
export interface OpenBacktestOptions {
  readonly file: string;
  readonly overrides?: BacktestOverrides;
  /** Markets or event groups in place of the config's. A text may hold several, separated by commas. */
  readonly markets?: readonly string[];
  /** @default `openTapeAt`. */
  readonly openTape?: (place: string) => RowSource;
}

/** A backtest that is ready to run. */
export interface OpenedBacktest extends ChosenMarkets {
  /** The config's file. */
  readonly file: string;
  readonly source: RowSource;
  readonly paramsFrom: NonNullable<BacktestHooks['paramsFrom']>;
  close(): void;
}

/**
 * Reads a config, opens its tape and chooses the markets.
 * @throws {ConfigError} when the config cannot be used, its tape does not exist, or the tape has none of its markets.
 * @throws {OptionFault} when the overrides do not fit, or the tape does not have one of the given markets.
 * @throws {UsageError} when there is no tape.
 */
export function openBacktest({
  file,
  overrides = {},
  markets,
  openTape = openTapeAt,
}: OpenBacktestOptions): OpenedBacktest {
  const config = applyOverrides(readBacktestConfig(file), overrides);
  const source = openTape(tapePlaceOf(config, { file, overrides }));
  try {
    const chosen = chooseMarkets(config, markets, source);
    return { ...chosen, file, source, paramsFrom: paramsSources(file, overrides), close: () => source.close() };
  } catch (fault) {
    source.close();
    throw faultWithLines(file, fault);
  }
}

function tapePlaceOf(
  { tape }: BacktestConfig,
  { file, overrides }: Required<Pick<OpenBacktestOptions, 'file' | 'overrides'>>,
): string {
  if (overrides.tape !== undefined || existsSync(tape)) return tape;
  const message = `${TAPE_ARGUMENT} (${tape}: nothing is there)`;
  throw configErrorOf(file, [{ code: 'custom', path: ['tape'], message, input: tape }]);
}

/** Callbacks and the stop signal of a run. */
export type RunHooks = Omit<BacktestHooks, 'paramsFrom'>;

/**
 * Runs an open backtest once.
 * @param source Rows in place of the tape's.
 * @throws {ConfigError} when a value of the config cannot be used.
 * @throws {UsageError} for the other reasons of `runBacktestOnce`.
 */
export const runOnce = (
  { file, config, source: ownSource, paramsFrom }: OpenedBacktest,
  hooks: RunHooks,
  source = ownSource,
): Promise<BacktestRun> => withConfigLines(file, () => runBacktestOnce(config, source, { ...hooks, paramsFrom }));

/** Hooks of a run that is reported. */
export interface ReportHooks extends RunHooks {
  /** @default the error is thrown, and the result is lost. */
  readonly onUnwritten?: OnUnwritten;
}

/** The report of a run. */
export interface ReportedRun {
  readonly run: BacktestRun;
  readonly record: RunRecord;
  readonly report: Report;
  /** Reasons why the run failed. */
  readonly failure: readonly string[];
  /** The run reached its end, its figures balance, and nothing failed. */
  readonly isSound: boolean;
}

/**
 * Runs a backtest once and reports it. Writes the HTML page that the config names.
 * @throws {UsageError} when the page cannot be written, and for the reasons of `runBacktestOnce`.
 */
export async function reportBacktest(
  backtest: OpenedBacktest,
  { onUnwritten, ...hooks }: ReportHooks = {},
): Promise<ReportedRun> {
  const { html } = backtest.config.report;
  if (html !== undefined) checkPage(html);
  const reported = reportedRun(await runOnce(backtest, hooks), backtest);
  if (html !== undefined) writeResult(() => writePage(html, reported.report), onUnwritten);
  return reported;
}

function reportedRun(run: BacktestRun, { config, source }: OpenedBacktest): ReportedRun {
  const record = backtestRecord(run, config, source);
  const report = reportOfRun(record);
  const failure = report.neverReady !== null || report.faults.length > 0 ? [report.headline] : [];
  return { run, record, report, failure, isSound: run.isWhole && run.imbalances.length === 0 && failure.length === 0 };
}

/** The explanation of one order of a run. */
export interface ExplainedOrder extends ReportedRun {
  /** Empty when the run was stopped before the order. */
  readonly sentences: readonly ExplanationSentence[];
}

/**
 * Runs a backtest once and explains one of its orders.
 * @throws {UsageError} when the run has no order with that id.
 */
export async function explainOrder(
  backtest: OpenedBacktest,
  order: string,
  hooks: RunHooks = {},
): Promise<ExplainedOrder> {
  const { config } = backtest;
  const explanation = new OrderExplanation(order);
  const run = await runOnce(backtest, { ...hooks, ...explanation.observerOptions });
  const sentences = explanation.sentences();
  if (sentences === null && run.isWhole) {
    const shape = `${sessionName(config.seed)}-<strategy, from 0>-<number in base 36>`;
    throw new UsageError(
      `--explain: expected an order of the run, ${shape}, found ${JSON.stringify(order)}; --json lists the orders with their ids, and an order denied by risk has no id`,
    );
  }
  return { ...reportedRun(run, backtest), sentences: sentences ?? [] };
}

/** The result of the check for look-ahead. */
export interface CheckedBacktest extends ReportedRun {
  readonly check: FlipCheck;
}

/**
 * Runs a backtest, then repeats it with flipped outcomes. A strategy that then decides differently too early has looked
 * ahead.
 * @returns `null` when the signal stopped the check.
 */
export async function checkBacktest(backtest: OpenedBacktest, hooks: RunHooks = {}): Promise<CheckedBacktest | null> {
  const check = await checkOutcomeFlip(backtest.source, (flipped, options) =>
    runOnce(backtest, { ...hooks, ...options, signal: anySignal(hooks.signal, options.signal) }, flipped),
  );
  return hooks.signal?.aborted === true ? null : { ...reportedRun(check.run, backtest), check };
}

const anySignal = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));
