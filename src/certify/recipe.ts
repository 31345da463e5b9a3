// What kind of stream is to be made, and where its chances come from. No value here does anything.

/** A whole number between two, both included. */
export type Draw = (from: number, to: number) => number;

/** What kind of stream is made. */
export interface Recipe {
  readonly name: string;
  readonly seconds: number;
  /** Event groups at a time. */
  readonly groups: number;
  /** Happenings a second, in all markets together. */
  readonly perSecond: number;
  /** Every so many seconds something is lost; never at 0. */
  readonly lostEverySeconds: number;
  /** Whether markets close and settle on the way, and others come in their place. */
  readonly isSettling: boolean;
  /** Whether outcomes stand in the markets' descriptions before anybody should know. */
  readonly isToldEarly?: boolean;
}
