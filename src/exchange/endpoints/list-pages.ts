// Pages of lists. A cursor names the last row returned, so new rows cause no repeats or omissions. Must never fail on a
// cursor: an unreadable cursor means the first page.
import type { PageRecord, QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';

const PREFIX = 'after:';

/** The page that a query requests, and the key of a row. */
export interface PageRequest<Row> {
  readonly query: Pick<QueryRecord, 'limit' | 'cursor'>;
  /** Key of a row, unique in its list. */
  readonly keyOf: (row: Row) => string;
}

/** The page of a list that a query asks for. */
export function pageOf<Row>(rows: readonly Row[], { query, keyOf }: PageRequest<Row>): PageRecord<Row> {
  const after = query.cursor === null ? null : readCursor(query.cursor);
  const rest =
    after === null
      ? rows
      : rowsAfter(
          rows,
          rows.findIndex((row) => keyOf(row) === after),
        );
  const page = rest.slice(0, query.limit ?? rows.length);
  const last = page.at(-1);
  return { rows: page, cursor: last === undefined || page.length === rest.length ? null : writeCursor(keyOf(last)) };
}

/**
 * The rows after the cursor's row. If that row is gone, the list ends: the oldest rows come last, and are dropped
 * first.
 */
const rowsAfter = <Row>(rows: readonly Row[], index: number): readonly Row[] =>
  index < 0 ? [] : rows.slice(index + 1);

const writeCursor = (key: string): string => Buffer.from(PREFIX + key).toString('base64url');

function readCursor(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString();
  return text.startsWith(PREFIX) && writeCursor(text.slice(PREFIX.length)) === cursor
    ? text.slice(PREFIX.length)
    : null;
}
