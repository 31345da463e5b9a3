// Follows a running trial from event group to event group, and says when it is to end. A group counts once its results are final,
// so it does not matter when the trial is looked at. Must never skip a group, nor judge one before its result is final.
import type { MarketSums } from '../../report/record/run-recorder.ts';
import type { GroupSpan } from '../runs/group-spans.ts';
import { isPruned } from '../search/sampler.ts';
import { groupResults } from '../trial/group-results.ts';
import type { GroupResult, IntermediateValue } from '../trial/study-trial.ts';
import { type Objective, groupFigureOf } from '../trial/trial-figures.ts';

/** Highest values with which a trial goes on, by the number of settled event groups less 1; `null` where none is judged. */
export type PruneLimits = readonly (number | null)[];

/** The intermediate values of one trial. */
export class PruneWatch {
  readonly #objective: Objective;
  readonly #limits: PruneLimits;
  readonly #settled: GroupResult[] = [];
  readonly intermediate: IntermediateValue[] = [];
  #isOver = false;

  constructor(objective: Objective, limits: PruneLimits) {
    this.#objective = objective;
    this.#limits = limits;
  }

  /** Number of event groups after which the trial ends; `null` while it goes on. */
  get prunedAt(): number | null {
    return this.#isOver ? this.#settled.length : null;
  }

  /**
   * Begins a part of the trial's tapes.
   * @param spans Its event groups, in the sequence in which their results are known.
   * @returns a function that follows the part. Call it at any times, and at the end.
   */
  followPart(spans: readonly GroupSpan[]): (now: number, sums: () => MarketSums) => void {
    let at = 0;
    return (now, read) => {
      const next = spans[at];
      if (this.#isOver || next === undefined || next.known === null || now < next.known) return;
      const sums = read();
      const results = groupResults(sums, spans);
      for (; at < spans.length && !this.#isOver; at += 1) {
        const [span, result] = [spans[at], results[at]];
        if (span === undefined || result === undefined || !isFinal(span, sums)) return;
        this.#addGroup(result);
      }
    };
  }

  #addGroup(result: GroupResult): void {
    this.#settled.push(result);
    const groups = this.#settled.length;
    const { figure, isMaximized } = this.#objective;
    const found = groupFigureOf(figure, this.#settled);
    const value = found === null ? Number.NaN : isMaximized ? 0 - found : found;
    if (!Number.isNaN(value)) this.intermediate.push({ groups, value });
    this.#isOver = isPruned(value, this.#limits[groups - 1] ?? null);
  }
}

/** True when nothing of an event group can change any more. */
function isFinal({ markets, known }: GroupSpan, { final, markets: notes }: MarketSums): boolean {
  const tracked = new Set(notes.map(({ ticker }) => ticker));
  return known !== null && markets.every((ticker) => final.has(ticker) || !tracked.has(ticker));
}
