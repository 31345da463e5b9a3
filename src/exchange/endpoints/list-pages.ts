// Pages of lists. A cursor names its list and the last row returned, so rows that are new, or shown or hidden since, cause no
// repeats or omissions. Must never fail on a cursor: an unreadable cursor, or one of another list, means the first page.
import type { EndpointName } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { PageRecord, QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';

const PREFIX = 'after:';
const CURSOR = /^after:(\w+):(\d{1,15}):(.*)$/s;

/** The page that a query requests, and the key of a row. */
export interface PageRequest<Row> {
  readonly query: Pick<QueryRecord, 'limit' | 'cursor'>;
  /** The endpoint that lists the rows: only its own cursors count. */
  readonly list: EndpointName;
  /** Key of a row, unique in its list. */
  readonly keyOf: (row: Row) => string;
  /**
   * True when a row is shown. A row that may come to be shown, or be hidden, from one page to the next must be among the
   * rows all the time. Default: all rows are shown.
   */
  readonly isListed?: (row: Row) => boolean;
  /** True for a list that is sorted by its keys. Other lists begin with the newest row, and get new rows only there. */
  readonly isSorted?: boolean;
}

/** The place of a page's last row. */
interface Place {
  readonly list: EndpointName;
  readonly key: string;
  /** Number of rows shown behind it when the page was made. */
  readonly left: number;
}

/** The page of a list that a query asks for. */
export function pageOf<Row>(rows: readonly Row[], request: PageRequest<Row>): PageRecord<Row> {
  const { query, list, keyOf, isListed = () => true } = request;
  const behind = rowsBehind(rows, request).filter(isListed);
  const page = query.limit === null ? behind : behind.slice(0, query.limit);
  const last = page.at(-1);
  const left = behind.length - page.length;
  return {
    rows: page,
    cursor: last === undefined || left === 0 ? null : writeCursor({ list, key: keyOf(last), left }),
  };
}

/** The rows behind the cursor, whether they are shown or not; all rows when there is no cursor. */
function rowsBehind<Row>(
  rows: readonly Row[],
  { query, list, keyOf, isListed = () => true, isSorted }: PageRequest<Row>,
): readonly Row[] {
  const after = query.cursor === null ? null : readCursor(query.cursor, list);
  if (after === null) return rows;
  if (isSorted === true) return rows.filter((row) => keyOf(row) > after.key);
  const index = rows.findIndex((row) => keyOf(row) === after.key);
  if (index >= 0) return rows.slice(index + 1);
  // The row itself is gone: as many rows as were left then may be shown again, but none is left out.
  const listed = rows.filter(isListed);
  return listed.slice(Math.max(0, listed.length - after.left));
}

const writeCursor = ({ list, key, left }: Place): string =>
  Buffer.from(`${PREFIX}${list}:${left}:${key}`).toString('base64url');

function readCursor(cursor: string, list: EndpointName): Place | null {
  const [, named, left, key] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (named !== list || left === undefined || key === undefined) return null;
  const place = { list, key, left: Number(left) };
  return writeCursor(place) === cursor ? place : null;
}
