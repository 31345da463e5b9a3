// Growing columns of numbers: one typed array holds one figure for all markets. Must never lose the values of a column.

/** Bound on markets with preallocated room. A config may name more markets, but few of them are open at once. */
const ROOM_MAX = 16_384;

/**
 * Base class for columns by market. The capacity is known before the fields are made, so a column for the expected
 * markets is large enough from the start. Compiled code treats such a column as a constant, because it is never
 * replaced by a longer one.
 */
export abstract class PresizedColumns {
  /** Number of markets with preallocated room. */
  protected readonly capacity: number;

  /** @param room the number of markets that are expected. */
  constructor(room = 0) {
    this.capacity = Math.min(room, ROOM_MAX);
  }
}

/** A longer column that begins with the values of a shorter one; the rest keeps its initial values. */
export function grownCopy<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
