// Pages of lists. A cursor names the last row of a page, so rows added in between neither repeat a row nor hide one.
// Must never fail on a cursor: an unknown cursor gives an empty page.

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** The start and the length of a page. */
export interface PageRequest<Row> {
  readonly cursor: string | null;
  readonly size: number;
  readonly keyOf: (row: Row) => string;
}

/** Returns the page that a cursor asks for. */
export function pageOf<Row>(rows: Iterable<Row>, { cursor, size, keyOf }: PageRequest<Row>): ListPage<Row> {
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
