// Runs one trial over the tapes of a study, and computes its figures. Tapes stay open and rows come from the page cache;
// the strategy is loaded again for each run, without compiling. Must never depend on an earlier trial.
import { backtestRecord, runBacktestOnce } from '../../app/backtest/backtest-session.ts';
import { openTapeAt } from '../../app/tape-place.ts';
import { UsageError, isUserError } from '../../app/usage-error.ts';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import type { Report } from '../../report/statement/report.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { loadBundled } from '../../runtime/plugins/strategy-loader.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { type StudyTape, type TapePart, type TrialSetup, paramsFolder } from '../study/study-plan.ts';
import type { GroupSpan, GroupUniverse } from '../runs/group-spans.ts';
import { type PruneLimits, PruneWatch } from './prune-watch.ts';
import { groupResults } from '../trial/group-results.ts';
import type { GroupResult, IntermediateValue, TrialParams } from '../trial/study-trial.ts';
import { FIGURE_NAMES, type TrialRun, figureOf, objectiveValues, violations } from '../trial/trial-figures.ts';

/** A trial to run. */
export interface TrialTask {
  readonly n: number;
  readonly hash: string;
  readonly params: TrialParams;
  /** Limits of the study's pruner for this trial; absent without a pruner. */
  readonly limits?: PruneLimits;
}

/** The result of a trial: plain data. */
export type TrialResult =
  | {
      readonly end: 'finished';
      readonly values: number[];
      readonly violations: number[];
      readonly intermediate: IntermediateValue[];
      readonly figures: Record<string, number | null>;
      /** Decision hash of each run: one for each tape and each part of it. */
      readonly decisions: string[];
      readonly groups: readonly GroupResult[];
    }
  | { readonly end: 'pruned'; readonly at: number; readonly intermediate: IntermediateValue[] }
  | { readonly end: 'failed'; readonly reason: 'strategy' | 'no-value'; readonly error: string };

/** An end of the whole study: a tape is damaged. No trial is to blame. */
export interface UnusableStudy {
  readonly end: 'unusable';
  readonly error: string;
}

/** Runs trials of one study, one at a time. */
export class TrialRunner {
  readonly #setup: TrialSetup;
  readonly #sources = new Map<string, RowSource>();
  #loads = 0;

  constructor(setup: TrialSetup) {
    this.#setup = setup;
  }

  /** Runs a trial. A fault of the strategy is a result; a fault of the program is thrown. */
  async runTrial({ params, limits }: TrialTask): Promise<TrialResult> {
    const [objective] = this.#setup.study.objectives;
    const watch = limits === undefined || objective === undefined ? null : new PruneWatch(objective, limits);
    const runs: Record<TapePart['role'], TrialRun[]> = { search: [], held: [] };
    const decisions: string[] = [];
    for (const part of this.#setup.parts) {
      const ran = await this.#runPart(part, params, watch);
      if (watch !== null && watch.prunedAt !== null)
        return { end: 'pruned', at: watch.prunedAt, intermediate: watch.intermediate };
      if (ran.failure !== null) return { end: 'failed', reason: 'strategy', error: ran.failure };
      runs[part.role].push(ran.run);
      decisions.push(ran.decisionHash);
    }
    const result = this.#resultOf(runs, decisions);
    return result.end === 'finished' && watch !== null ? { ...result, intermediate: watch.intermediate } : result;
  }

  /**
   * Runs the parts of a trial that objectives see, and returns the report of each.
   * @throws {UsageError} when the strategy fails.
   */
  async reportsOf(params: TrialParams): Promise<Report[]> {
    const reports: Report[] = [];
    for (const part of this.#setup.parts.filter(({ role }) => role === 'search')) {
      const ran = await this.#runPart(part, params, null);
      if (ran.failure !== null) throw new UsageError(ran.failure);
      reports.push(ran.run.report);
    }
    return reports;
  }

  #resultOf({ search: runs, held }: Record<TapePart['role'], readonly TrialRun[]>, decisions: string[]): TrialResult {
    const { objectives, constraints } = this.#setup.study;
    const values = objectiveValues(objectives, runs);
    if (values === null) {
      const names = objectives.map(({ figure }) => figure).filter((figure) => figureOf(figure, runs) === null);
      return { end: 'failed', reason: 'no-value', error: `${names.join(', ')}: nothing to compute it from` };
    }
    return {
      end: 'finished',
      values,
      violations: violations(constraints, runs),
      intermediate: [],
      figures: Object.fromEntries(FIGURE_NAMES.map((name) => [name, figureOf(name, runs)])),
      decisions,
      groups: [...runs, ...held].flatMap(({ groups }) => groups),
    };
  }

  async #runPart(
    { tape, spans, isWhole, role }: TapePart,
    params: TrialParams,
    watch: PruneWatch | null,
  ): Promise<TapeRun> {
    const follow = role === 'search' ? watch?.followPart(spans) : undefined;
    const abort = new AbortController();
    const whole = this.#configOf(params);
    const config = isWhole ? whole : { ...whole, markets: { ...whole.markets, ...marketsOf(spans, whole.markets) } };
    const source = this.#sourceOf(tape);
    const { bundle, code, study } = this.#setup;
    try {
      const run = await runBacktestOnce(config, source, {
        paramsFrom: () => ({ folder: paramsFolder(study), lines: null }),
        loadStrategy: () => loadBundled(bundle, code, this.#loads++),
        signal: abort.signal,
        onProgress: ({ now }, recorder) => {
          follow?.(now, () => recorder.marketSums());
          if (watch !== null && watch.prunedAt !== null) abort.abort();
        },
      });
      const record = backtestRecord(run, config, source);
      const report = reportOfRun(record);
      const isFailed = report.neverReady !== null || report.faults.length > 0 || run.imbalances.length > 0;
      const failure = isFailed ? [report.headline, ...run.imbalances].join('; ') : null;
      const groups = groupResults(record, spans);
      return { failure, run: { report, groups }, decisionHash: run.decisionHash };
    } catch (fault) {
      if (!isUserError(fault)) throw fault;
      return { failure: fault.message };
    }
  }

  #configOf(params: TrialParams): BacktestConfig {
    const { config } = this.#setup;
    const strategies = config.strategies.map((use) => ({ ...use, params: { ...use.params, ...params } }));
    return { ...config, strategies };
  }

  #sourceOf({ place }: StudyTape): RowSource {
    const known = this.#sources.get(place);
    if (known) return known;
    const source = openTapeAt(place);
    this.#sources.set(place, source);
    return source;
  }

  /** Closes the tapes. */
  close(): void {
    for (const source of this.#sources.values()) source.close();
    this.#sources.clear();
  }
}

/** Narrows a config's selection to some event groups. */
function marketsOf(spans: readonly GroupSpan[], { events, series, tickers }: GroupUniverse): GroupUniverse {
  const isWhole = ({ group, seriesTicker }: GroupSpan): boolean =>
    events.includes(group) || series.includes(seriesTicker);
  const listed = new Set(spans.flatMap(({ markets }) => markets));
  return {
    events: spans.filter(isWhole).map(({ group }) => group),
    series: [],
    tickers: tickers.filter((ticker) => listed.has(ticker)),
  };
}

type TapeRun =
  | { readonly failure: null; readonly run: TrialRun; readonly decisionHash: string }
  | { readonly failure: string; readonly run?: TrialRun; readonly decisionHash?: string };
