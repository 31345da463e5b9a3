// Runs a strategy over streams (generated markets with their events) with all judges at once. Each judge is an observer
// that looks for one kind of fault. Must never run a stream a second time except to shrink it.
import type { Effort, Finding, CheckVerdict } from '../check-verdict.ts';
import { mixedStream } from '../streams/stream-generator.ts';
import type { RequestedNames } from '../streams/generated-markets.ts';
import { JUDGES, JUDGE_NAMES, type Judge, type JudgeName } from './judges.ts';
import { shrinkFor } from '../streams/stream-shrinker.ts';
import type { Stream } from '../streams/stream.ts';
import { runJudgedTrial } from './judged-trial.ts';
import type { Subject } from './trial.ts';

export interface JudgedRunsOptions {
  readonly subject: Subject;
  readonly names: RequestedNames;
  readonly seed: number;
  readonly effort: Effort;
  readonly clock: () => number;
}

/** Totals over all runs. */
export interface RunTotals {
  streams: number;
  events: number;
  calls: number;
  intents: number;
  denied: number;
  approved: number;
}

/** Runs of a strategy, with their totals and the findings of the judges. */
export class JudgedRuns {
  readonly #options: JudgedRunsOptions;
  readonly #failed = new Map<JudgeName, { readonly stream: Stream; readonly finding: Finding }>();
  readonly #seen: RunTotals = { streams: 0, events: 0, calls: 0, intents: 0, denied: 0, approved: 0 };

  constructor(options: JudgedRunsOptions) {
    this.#options = options;
  }

  get hasRun(): boolean {
    return this.#seen.streams > 0;
  }

  /** Runs the streams that have not run yet. */
  get totals(): Readonly<RunTotals> {
    const { seed, effort, names } = this.#options;
    while (this.#seen.streams < effort.streams) {
      const stream = mixedStream(effort, seed + this.#seen.streams, names);
      this.#seen.streams += 1;
      this.#run(stream);
    }
    return this.#seen;
  }

  #run(stream: Stream): void {
    const judges = JUDGE_NAMES.map((name) => ({ name, judge: JUDGES[name]() }));
    const allJudges = judges.map(({ judge }) => judge);
    const seen = this.#seen;
    const counting: Judge = {
      finding: null,
      onCall: () => void (seen.calls += 1),
      onAnswer: (intents) => void (seen.intents += Array.isArray(intents) ? intents.length : 0),
      onNotice({ type }) {
        if (type === 'denied') seen.denied += 1;
        if (type === 'approved') seen.approved += 1;
      },
    };
    seen.events += runJudgedTrial(this.#options.subject, stream, { judges: [...allJudges, counting] });
    for (const { name, judge } of judges)
      if (judge.finding !== null && !this.#failed.has(name)) this.#failed.set(name, { stream, finding: judge.finding });
  }

  /** Returns a judge's finding with the smallest stream that shows it, or `null`. */
  findingOf(name: JudgeName): Pick<CheckVerdict, 'words' | 'stream' | 'remedy'> | null {
    if (this.totals.streams === 0) return null;
    const failed = this.#failed.get(name);
    if (failed === undefined) return null;
    const { subject } = this.#options;
    const shows = (stream: Stream): Finding | null => {
      const judge = JUDGES[name]();
      runJudgedTrial(subject, stream, { judges: [judge] });
      return judge.finding;
    };
    const { stream, finding } = shrinkFor(failed.stream, { finding: failed.finding, findFault: shows }, this.#options);
    return { words: finding.words, stream, remedy: finding.remedy ?? null };
  }
}
