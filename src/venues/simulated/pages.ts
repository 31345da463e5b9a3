// Pages of lists. A cursor names the last row that was told, so that rows which come meanwhile neither repeat nor hide any.
// Must never fail on a cursor: one that names no row means that what it named was among the last.

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; `null` when this is the last. */
  readonly cursor: string | null;
}

/** How a list is cut. */
export interface Cut<Row> {
  readonly cursor: string | null;
  readonly size: number;
  /** Names a row within its list. */
  readonly keyOf: (row: Row) => string;
}

/** The page that a cursor asks for. Takes no more rows than it tells, and one to see whether there are more. */
export function pageOf<Row>(rows: Iterable<Row>, { cursor, size, keyOf }: Cut<Row>): Page<Row> {
  const page: Row[] = [];
  let isReached = cursor === null;
  for (const row of rows) {
    const last = page.at(-1);
    if (page.length === size && last !== undefined) return { rows: page, cursor: keyOf(last) };
    if (isReached) page.push(row);
    else if (keyOf(row) === cursor) isReached = true;
  }
  return { rows: page, cursor: null };
}
