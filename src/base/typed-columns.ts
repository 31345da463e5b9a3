// Growing columns of numbers: one typed array holds one figure for all markets. Must never lose the values of a column.

/** Most markets with preallocated room. A config may name more markets, but few of them are open at once. */
const ROOM_MAX = 16_384;

/**
 * Base class for columns by market. It sets the capacity before the fields are made, so columns rarely grow. Compiled
 * code treats a column that is never replaced as a constant.
 */
export abstract class PresizedColumns {
  /** Number of markets with preallocated room. */
  protected readonly capacity: number;

  /** @param room number of expected markets. */
  constructor(room = 0) {
    this.capacity = Math.min(room, ROOM_MAX);
  }
}

/** Copies a shorter column into the beginning of a longer column, and returns the longer column. */
export function grownCopy<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
