// Pages of lists. A cursor names the last row of a page, so rows that are added between two requests neither repeat nor
// hide another row. Must never fail on a cursor: an unknown cursor gives an empty page.

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** The start and the length of a page. */
export interface PageRequest<Row> {
  readonly cursor: string | null;
  readonly size: number;
  readonly keyOf: (row: Row) => string;
  /** False for a row that is passed over. Default: every row is listed. */
  readonly isListed?: (row: Row) => boolean;
}

/** Returns the page that a cursor asks for. Reads a row beyond the page to find out if more rows follow. */
export function pageOf<Row>(rows: Iterable<Row>, { cursor, size, keyOf, isListed }: PageRequest<Row>): ListPage<Row> {
  const page: Row[] = [];
  let isReached = cursor === null;
  for (const row of rows) {
    if (!isReached) {
      isReached = keyOf(row) === cursor;
      continue;
    }
    if (isListed?.(row) === false) continue;
    const last = page.at(-1);
    if (page.length === size && last !== undefined) return { rows: page, cursor: keyOf(last) };
    page.push(row);
  }
  return { rows: page, cursor: null };
}
