// Columns of numbers that grow: what a thousand markets have of one kind stands side by side in one typed array.
// Must never lose what a column holds.

/** Of more markets that are named few are open at once. */
const ROOM_MAX = 16_384;

/**
 * What keeps columns of markets. How much room there should be is known before its fields are made: a column that is large
 * enough from the beginning, and is never replaced by a longer one, is a constant to compiled code.
 */
export abstract class ByMarket {
  /** There is room for so many markets from the beginning. */
  protected readonly room: number;

  /** `room`: so many markets are expected. */
  constructor(room = 0) {
    this.room = Math.min(room, ROOM_MAX);
  }
}

/** A longer column with what a shorter one holds at its beginning; behind that it stays as it was made. */
export function grownCopy<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
