// Makes a stream that shows a fault as small as it can: first what came after the fault goes, then whole markets, then
// happenings, by halves, quarters and so on (delta debugging, after Zeller and Hildebrandt 2002).
// Must never give back a stream that does not show the fault.
import type { Effort, Finding } from './finding.ts';
import { type Happening, type Stream, type StreamMarket, onlyMarkets, upTo } from './stream.ts';

/** Whether a stream shows the fault, and when. */
export type Shows = (stream: Stream) => Finding | null;

/** A fault: what was found, and how it is found again. */
export interface Fault {
  readonly finding: Finding;
  readonly shows: Shows;
}

export interface Shrunk {
  readonly stream: Stream;
  readonly finding: Finding;
  readonly runs: number;
}

/** How much may be spent. */
export interface ShrinkBudget {
  readonly runsMax: number;
  /** Whether there is no more time. */
  readonly isOver: () => boolean;
}

/** The smallest stream that was found. */
export function shrink(stream: Stream, { finding, shows }: Fault, budget: ShrinkBudget): Shrunk {
  return new Shrinking(stream, { finding, shows }, budget).toEnd();
}

/** The same within what an effort allows. */
export function shrinkFor(stream: Stream, fault: Fault, { effort, clock }: Allowance): Shrunk {
  const endMs = clock() + effort.shrinkMs;
  return shrink(stream, fault, { runsMax: effort.shrinkRuns, isOver: () => clock() > endMs });
}

/** An effort, and the clock that it is measured by. */
export interface Allowance {
  readonly effort: Effort;
  readonly clock: () => number;
}

class Shrinking {
  #stream: Stream;
  #finding: Finding;
  #runs = 0;
  readonly #shows: Shows;
  readonly #budget: ShrinkBudget;

  constructor(stream: Stream, { finding, shows }: Fault, budget: ShrinkBudget) {
    this.#stream = stream;
    this.#finding = finding;
    this.#shows = shows;
    this.#budget = budget;
  }

  toEnd(): Shrunk {
    this.#cut();
    this.#reduce(this.#stream.markets, (kept: readonly StreamMarket[]) => onlyMarkets(this.#stream, kept));
    this.#reduce(this.#stream.happenings, (happenings: readonly Happening[]) => ({ ...this.#stream, happenings }));
    this.#cut();
    return { stream: this.#stream, finding: this.#finding, runs: this.#runs };
  }

  /** What came later was no part of it. */
  #cut(): void {
    this.#try(upTo(this.#stream, this.#finding.atMs));
  }

  /** Leaves out as much of a list as can be. */
  #reduce<Item>(items: readonly Item[], made: (kept: readonly Item[]) => Stream): void {
    let kept = items;
    for (
      let size = Math.ceil(kept.length / 2);
      size >= 1 && !this.#isSpent;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      kept = this.#withoutParts(kept, size, made);
  }

  #withoutParts<Item>(items: readonly Item[], size: number, made: (kept: readonly Item[]) => Stream): readonly Item[] {
    let kept = items;
    // From the end: what came last needs most of what came before.
    for (let from = Math.max(0, kept.length - size); !this.#isSpent; from = Math.max(0, from - size)) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (without.length < kept.length && this.#try(made(without))) kept = without;
      if (from === 0) break;
    }
    return kept;
  }

  get #isSpent(): boolean {
    return this.#runs >= this.#budget.runsMax || this.#budget.isOver();
  }

  #try(stream: Stream): boolean {
    if (this.#isSpent) return false;
    this.#runs += 1;
    const finding = this.#shows(stream);
    if (finding === null) return false;
    this.#stream = stream;
    this.#finding = finding;
    return true;
  }
}
