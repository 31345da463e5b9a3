// Runs one trial over the tapes of a study, and computes its figures. Tapes stay open and rows come from the page cache;
// the strategy is loaded again for each run, without compiling. Must never depend on an earlier trial.
import { backtestRecord, runBacktestOnce } from '../../app/backtest/backtest-session.ts';
import { openTapeAt } from '../../app/tape-place.ts';
import { isUserError } from '../../app/usage-error.ts';
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { reportOfRun } from '../../report/statement/statement.ts';
import { loadBundled } from '../../runtime/plugins/strategy-loader.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { type TrialSetup, type StudyTape, paramsFolder } from '../study/study-plan.ts';
import { groupResults } from '../trial/group-results.ts';
import type { GroupResult, IntermediateValue, TrialParams } from '../trial/study-trial.ts';
import { FIGURE_NAMES, type TrialRun, figureOf, objectiveValues, violations } from '../trial/trial-figures.ts';

/** A trial to run. */
export interface TrialTask {
  readonly n: number;
  readonly hash: string;
  readonly params: TrialParams;
}

/** The result of a trial: plain data. */
export type TrialResult =
  | {
      readonly end: 'finished';
      readonly values: number[];
      readonly violations: number[];
      readonly intermediate: IntermediateValue[];
      readonly figures: Record<string, number | null>;
      /** Decision hash of each tape's run. */
      readonly decisions: string[];
      readonly groups: readonly GroupResult[];
    }
  | { readonly end: 'failed'; readonly reason: 'strategy' | 'no-value'; readonly error: string };

/** Runs trials of one study, one at a time. */
export class TrialRunner {
  readonly #setup: TrialSetup;
  readonly #sources = new Map<string, RowSource>();
  #loads = 0;

  constructor(setup: TrialSetup) {
    this.#setup = setup;
  }

  /** Runs a trial. A fault of the strategy is a result; a fault of the program is thrown. */
  async runTrial({ params }: TrialTask): Promise<TrialResult> {
    const runs: TrialRun[] = [];
    const decisions: string[] = [];
    for (const tape of this.#setup.tapes) {
      const ran = await this.#runTape(tape, params);
      if (ran.failure !== null) return { end: 'failed', reason: 'strategy', error: ran.failure };
      runs.push(ran.run);
      decisions.push(ran.decisionHash);
    }
    return this.#resultOf(runs, decisions);
  }

  #resultOf(runs: readonly TrialRun[], decisions: string[]): TrialResult {
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
      groups: runs.flatMap(({ groups }) => groups),
    };
  }

  async #runTape(tape: StudyTape, params: TrialParams): Promise<TapeRun> {
    const config = this.#configOf(params);
    const source = this.#sourceOf(tape);
    const { bundle, code, study } = this.#setup;
    try {
      const run = await runBacktestOnce(config, source, {
        paramsFrom: () => ({ folder: paramsFolder(study), lines: null }),
        loadStrategy: () => loadBundled(bundle, code, this.#loads++),
      });
      const record = backtestRecord(run, config, source);
      const report = reportOfRun(record);
      const isFailed = report.neverReady !== null || report.faults.length > 0 || run.imbalances.length > 0;
      const failure = isFailed ? [report.headline, ...run.imbalances].join('; ') : null;
      const groups = groupResults(record, tape.spans);
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

type TapeRun =
  | { readonly failure: null; readonly run: TrialRun; readonly decisionHash: string }
  | { readonly failure: string; readonly run?: TrialRun; readonly decisionHash?: string };
