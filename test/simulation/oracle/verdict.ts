// The verdict on a simulation: the first invariant that broke. Must never be revoked.

/** The invariants, by their numbers in the documents. */
export const INVARIANTS = {
  I1: 'cash, positions and fees equal the exchange’s ledger once nothing is in flight',
  I2: 'one order for one intent, and none that was not journaled before it left',
  I3: 'no money appears or disappears, fees and settlements included',
  I4: 'exposure is within the limits at every moment of the exchange',
  I5: 'no order is priced off a book that is not live or whose continuity was broken, nor placed without the private feed',
  I6: 'after a halt nothing rests, and nothing is placed until it is lifted',
  I7: 'the exchange never has to refuse for rate, and cancels never wait behind new orders',
  I8: 'every order ends, or is unknown with an alarm, within its deadline',
  I9: 'after a death anywhere the next session reaches the same truth',
  I10: 'a replay of the journal gives the same commands',
  LIVE: 'once trouble ends the bot is back at work',
  BOOKS: 'books equal the exchange’s once nothing is in flight',
  SOUND: 'no invariant of the project breaks',
  SAME: 'a seed decides everything that happens',
} as const;
export type Invariant = keyof typeof INVARIANTS;

/** The first invariant that broke. */
export interface Violation {
  readonly invariant: Invariant;
  readonly text: string;
  readonly atMs: number;
}

/** Records violations; the first one counts. */
export class Verdict {
  readonly #now: () => number;
  #violation: Violation | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  get violation(): Violation | null {
    return this.#violation;
  }

  get isOver(): boolean {
    return this.#violation !== null;
  }

  readonly fail = (invariant: Invariant, text: string): void => {
    this.#violation ??= { invariant, text, atMs: this.#now() };
  };

  /** Fails unless a claim is true. The text is built only then. */
  require(claim: boolean, invariant: Invariant, text: () => string): void {
    if (!claim) this.fail(invariant, text());
  }
}
