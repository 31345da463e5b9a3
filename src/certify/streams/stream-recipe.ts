// The kind of a generated stream (markets with their events), and its source of random numbers.

/** Draws a whole number between two numbers, both included. */
export type Draw = (from: number, to: number) => number;

/** The kind of a generated stream. */
export interface Recipe {
  readonly name: string;
  readonly seconds: number;
  /** Event groups at a time. */
  readonly groups: number;
  /** Events a second, in all markets together. */
  readonly perSecond: number;
  /** Least time between data losses; the longest is twice as long. 0 for none. Seconds. */
  readonly lostEverySeconds: number;
  /** True when markets close and settle during the stream, and new markets replace them. */
  readonly isSettling: boolean;
  /** True when the markets' descriptions hold the outcome before it can be known. */
  readonly isToldEarly?: boolean;
}
