// Runs a strategy over mixed streams with all judges at once, so that every judge's verdict comes from the same runs.
// Must never run a stream a second time except to shrink it.
import type { Effort, Finding, Verdict } from './finding.ts';
import { mixedStream } from './generate.ts';
import type { Names } from './generate-markets.ts';
import { JUDGES, JUDGE_NAMES, type Judge, type JudgeName } from './judges.ts';
import { shrinkFor } from './shrink.ts';
import type { Stream } from './stream.ts';
import { judgedTrial } from './judged-trial.ts';
import type { Subject } from './trial.ts';

export interface SurveyOptions {
  readonly subject: Subject;
  readonly names: Names;
  readonly seed: number;
  readonly effort: Effort;
  readonly clock: () => number;
}

/** Totals over all runs. */
export interface Seen {
  streams: number;
  events: number;
  calls: number;
  intents: number;
  denied: number;
  approved: number;
}

/** The runs. */
export class Survey {
  readonly #options: SurveyOptions;
  readonly #failed = new Map<JudgeName, { readonly stream: Stream; readonly finding: Finding }>();
  readonly #seen: Seen = { streams: 0, events: 0, calls: 0, intents: 0, denied: 0, approved: 0 };

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  get isBegun(): boolean {
    return this.#seen.streams > 0;
  }

  /** The totals; runs the streams that have not run yet. */
  get seen(): Readonly<Seen> {
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
      calling: () => void (seen.calls += 1),
      answered: (intents) => void (seen.intents += Array.isArray(intents) ? intents.length : 0),
      noticed({ type }) {
        if (type === 'denied') seen.denied += 1;
        if (type === 'approved') seen.approved += 1;
      },
    };
    seen.events += judgedTrial(this.#options.subject, stream, { judges: [...allJudges, counting] });
    for (const { name, judge } of judges)
      if (judge.finding !== null && !this.#failed.has(name)) this.#failed.set(name, { stream, finding: judge.finding });
  }

  /** The finding of a judge, with the smallest stream that shows it; `null` when there is none. */
  found(name: JudgeName): Pick<Verdict, 'words' | 'stream'> | null {
    if (this.seen.streams === 0) return null;
    const failed = this.#failed.get(name);
    if (failed === undefined) return null;
    const { subject } = this.#options;
    const shows = (stream: Stream): Finding | null => {
      const judge = JUDGES[name]();
      judgedTrial(subject, stream, { judges: [judge] });
      return judge.finding;
    };
    const { stream, finding } = shrinkFor(failed.stream, { finding: failed.finding, shows }, this.#options);
    return { words: finding.words, stream };
  }
}
