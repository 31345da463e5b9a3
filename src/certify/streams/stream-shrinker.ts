// Shrinks a stream (generated markets with their events) that shows a fault. Leaves out later events, then markets,
// then events, by halves, quarters and so on (delta debugging, after Zeller and Hildebrandt 2002). Must never return a
// stream that does not show the fault.
import type { Effort, Finding } from '../check-verdict.ts';
import { type Happening, type Stream, type StreamMarket, keepMarkets, streamUpTo } from './stream.ts';

/** Returns the fault that a stream shows, or `null`. */
export type FaultFinder = (stream: Stream) => Finding | null;

/** A fault: its finding, and the way to find it again. */
export interface StreamFault {
  readonly finding: Finding;
  readonly findFault: FaultFinder;
}

export interface ShrunkStream {
  readonly stream: Stream;
  readonly finding: Finding;
  readonly runs: number;
}

/** Bounds of the search. */
export interface ShrinkBudget {
  readonly runsMax: number;
  readonly isOver: () => boolean;
}

/** Returns the smallest stream found that shows the fault. */
export function shrink(stream: Stream, { finding, findFault }: StreamFault, budget: ShrinkBudget): ShrunkStream {
  return new Shrinker(stream, { finding, findFault }, budget).toEnd();
}

/** Shrinks within the bounds of an effort. */
export function shrinkFor(stream: Stream, fault: StreamFault, { effort, clock }: ShrinkAllowance): ShrunkStream {
  const endMs = clock() + effort.shrinkMs;
  return shrink(stream, fault, { runsMax: effort.shrinkRuns, isOver: () => clock() > endMs });
}

/** An effort, and the clock that measures it. */
export interface ShrinkAllowance {
  readonly effort: Effort;
  readonly clock: () => number;
}

class Shrinker {
  #stream: Stream;
  #finding: Finding;
  #runs = 0;
  readonly #shows: FaultFinder;
  readonly #budget: ShrinkBudget;

  constructor(stream: Stream, { finding, findFault }: StreamFault, budget: ShrinkBudget) {
    this.#stream = stream;
    this.#finding = finding;
    this.#shows = findFault;
    this.#budget = budget;
  }

  toEnd(): ShrunkStream {
    this.#dropLater();
    this.#reduce(this.#stream.markets, (remaining: readonly StreamMarket[]) => keepMarkets(this.#stream, remaining));
    this.#reduce(this.#stream.happenings, (happenings: readonly Happening[]) => ({ ...this.#stream, happenings }));
    this.#dropLater();
    return { stream: this.#stream, finding: this.#finding, runs: this.#runs };
  }

  #dropLater(): void {
    this.#keepIfShown(streamUpTo(this.#stream, this.#finding.atMs));
  }

  #reduce<Item>(items: readonly Item[], streamOf: (remaining: readonly Item[]) => Stream): void {
    let remaining = items;
    for (
      let size = Math.ceil(remaining.length / 2);
      size >= 1 && !this.#isSpent;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      remaining = this.#withoutParts(remaining, size, streamOf);
  }

  #withoutParts<Item>(
    items: readonly Item[],
    size: number,
    streamOf: (remaining: readonly Item[]) => Stream,
  ): readonly Item[] {
    let remaining = items;
    // Starts at the end: later items depend on earlier ones.
    for (let from = Math.max(0, remaining.length - size); !this.#isSpent; from = Math.max(0, from - size)) {
      const without = [...remaining.slice(0, from), ...remaining.slice(from + size)];
      if (without.length < remaining.length && this.#keepIfShown(streamOf(without))) remaining = without;
      if (from === 0) break;
    }
    return remaining;
  }

  get #isSpent(): boolean {
    return this.#runs >= this.#budget.runsMax || this.#budget.isOver();
  }

  #keepIfShown(stream: Stream): boolean {
    if (this.#isSpent) return false;
    this.#runs += 1;
    const finding = this.#shows(stream);
    if (finding === null) return false;
    this.#stream = stream;
    this.#finding = finding;
    return true;
  }
}
