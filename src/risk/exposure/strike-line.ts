// The number line of an event group, cut at every strike. Index 2j is the range before cut j, and index 2j + 1 is cut j
// itself.
import { must } from '../../base/assert.ts';
import type { Strike } from '../../domain/market.ts';

/** The indexes where a market is certainly YES. At an edge, the venue's rules decide. */
interface YesRange {
  readonly from: number;
  readonly to: number;
  /** -1 without an edge. */
  readonly firstEdge: number;
  readonly lastEdge: number;
}

/** The line of one event group. */
export class StrikeLine {
  #cuts: number[] = [];
  readonly #ranges = new Map<Strike, YesRange | null>();
  /** Change of the sum at each index. */
  #steps = new Float64Array(2);

  addStrike(strike: Strike): void {
    if (this.#ranges.has(strike)) return;
    const ends = [strike.floor, strike.cap].filter((end) => end !== null);
    this.#cuts = [...new Set([...this.#cuts, ...ends])].sort((a, b) => a - b);
    this.#steps = new Float64Array(2 * this.#cuts.length + 2);
    this.#ranges.set(strike, null);
    for (const each of this.#ranges.keys()) this.#ranges.set(each, this.#rangeOf(each));
  }

  #rangeOf({ type, floor, cap }: Strike): YesRange {
    const last = 2 * this.#cuts.length;
    const indexOf = (end: number | null): number => 2 * this.#cuts.indexOf(end ?? Number.NaN) + 1;
    const certain = (from: number, to: number): YesRange => ({ from, to, firstEdge: -1, lastEdge: -1 });
    switch (type) {
      case 'greater':
        return certain(indexOf(floor) + 1, last);
      case 'greater_or_equal':
        return certain(indexOf(floor), last);
      case 'less':
        return certain(0, indexOf(cap) - 1);
      case 'less_or_equal':
        return certain(0, indexOf(cap));
      case 'between':
        // The venue does not say if an end belongs to the range: either may apply.
        return {
          from: indexOf(floor) + 1,
          to: indexOf(cap) - 1,
          firstEdge: indexOf(floor),
          lastEdge: floor === cap ? -1 : indexOf(cap),
        };
    }
  }

  startSum(): void {
    this.#steps.fill(0);
  }

  /**
   * Adds `amount`, the loss of a market at YES less its loss at NO, wherever its strike says YES. At an edge, only a
   * positive amount is added.
   */
  addSwing(strike: Strike, amount: number): void {
    const { from, to, firstEdge, lastEdge } = must(this.#ranges.get(strike), 'a strike of the line');
    if (from <= to) this.#addToRange(from, to, amount);
    if (amount <= 0) return;
    if (firstEdge >= 0) this.#addToRange(firstEdge, firstEdge, amount);
    if (lastEdge >= 0) this.#addToRange(lastEdge, lastEdge, amount);
  }

  #addToRange(from: number, to: number, amount: number): void {
    this.#steps[from] = (this.#steps[from] ?? 0) + amount;
    this.#steps[to + 1] = (this.#steps[to + 1] ?? 0) - amount;
  }

  /** The sum of each part of the line, from left to right, named by its range. */
  sumsByPart(): { readonly part: string; readonly sum: number }[] {
    let sum = 0;
    return [...this.#steps.subarray(0, -1)].map((step, index) => {
      sum += step;
      return { part: this.#partName(index), sum };
    });
  }

  #partName(index: number): string {
    const [before, after] = [this.#cuts[Math.ceil(index / 2) - 1], this.#cuts[Math.floor(index / 2)]];
    if (index % 2 === 1) return `exactly ${after}`;
    if (before === undefined) return after === undefined ? 'any number' : `below ${after}`;
    return after === undefined ? `above ${before}` : `between ${before} and ${after}`;
  }

  highestSum(): number {
    let highest = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let index = 0; index < this.#steps.length - 1; index++) {
      sum += this.#steps[index] ?? 0;
      if (sum > highest) highest = sum;
    }
    return highest;
  }
}
