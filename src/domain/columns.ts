// Columns of numbers that grow: what a thousand markets have of one kind stands side by side in one typed array.
// Must never lose what a column holds.

/** A longer column with what a shorter one holds at its beginning; behind that it stays as it was made. */
export function grownCopy<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
