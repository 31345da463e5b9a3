// The line of one number, cut at every strike: place 2j is between two cuts, place 2j + 1 is the cut number j itself.
// What is gained or lost on each part of it adds up along the line. Pure arithmetic, nothing allocated once it is cut.
import { must } from '../domain/assert.ts';
import type { Strike } from '../domain/market.ts';

/** Where a market is YES for certain, and the places at whose edge the venue's rules decide. */
interface Part {
  readonly from: number;
  readonly to: number;
  /** -1 where there is none. */
  readonly firstEdge: number;
  readonly lastEdge: number;
}

/** One event group's line. */
export class StrikeLine {
  #cuts: number[] = [];
  readonly #parts = new Map<Strike, Part | null>();
  /** By how much the sum changes at each place. */
  #steps = new Float64Array(2);

  /** Makes sure that a strike is on the line. */
  cut(strike: Strike): void {
    if (this.#parts.has(strike)) return;
    const ends = [strike.floor, strike.cap].filter((end) => end !== null);
    this.#cuts = [...new Set([...this.#cuts, ...ends])].sort((a, b) => a - b);
    this.#steps = new Float64Array(2 * this.#cuts.length + 2);
    this.#parts.set(strike, null);
    for (const one of this.#parts.keys()) this.#parts.set(one, this.#partOf(one));
  }

  #partOf({ type, floor, cap }: Strike): Part {
    const last = 2 * this.#cuts.length;
    const at = (end: number | null): number => 2 * this.#cuts.indexOf(end ?? Number.NaN) + 1;
    const sure = (from: number, to: number): Part => ({ from, to, firstEdge: -1, lastEdge: -1 });
    switch (type) {
      case 'greater':
        return sure(at(floor) + 1, last);
      case 'greater_or_equal':
        return sure(at(floor), last);
      case 'less':
        return sure(0, at(cap) - 1);
      case 'less_or_equal':
        return sure(0, at(cap));
      case 'between':
        // Whether an end belongs to the part, the wire does not say: there, either may hold.
        return {
          from: at(floor) + 1,
          to: at(cap) - 1,
          firstEdge: at(floor),
          lastEdge: floor === cap ? -1 : at(cap),
        };
    }
  }

  /** Begins a new sum. */
  begin(): void {
    this.#steps.fill(0);
  }

  /** Adds what a market that resolves YES costs more than one that resolves NO. */
  swing(strike: Strike, amount: number): void {
    const { from, to, firstEdge, lastEdge } = must(this.#parts.get(strike), 'a strike of the line');
    if (from <= to) this.#add(from, to, amount);
    if (amount <= 0) return;
    if (firstEdge >= 0) this.#add(firstEdge, firstEdge, amount);
    if (lastEdge >= 0) this.#add(lastEdge, lastEdge, amount);
  }

  #add(from: number, to: number, amount: number): void {
    this.#steps[from] = (this.#steps[from] ?? 0) + amount;
    this.#steps[to + 1] = (this.#steps[to + 1] ?? 0) - amount;
  }

  /** The highest sum anywhere on the line. */
  highest(): number {
    let highest = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let place = 0; place < this.#steps.length - 1; place++) {
      sum += this.#steps[place] ?? 0;
      if (sum > highest) highest = sum;
    }
    return highest;
  }
}
