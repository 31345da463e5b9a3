// Pages of lists. A cursor names its list and the last row returned, so new rows cause no repeats or omissions. Must never
// fail on a cursor: an unreadable cursor, or one of another list, means the first page.
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
  /** True for a list that is sorted by its keys. Other lists begin with the newest row, and get new rows only there. */
  readonly isSorted?: boolean;
}

/** The place of a page's last row. */
interface Place {
  readonly list: EndpointName;
  readonly key: string;
  /** Number of rows after it when the page was made. */
  readonly left: number;
}

/** The page of a list that a query asks for. */
export function pageOf<Row>(rows: readonly Row[], { query, list, keyOf, isSorted }: PageRequest<Row>): PageRecord<Row> {
  const after = query.cursor === null ? null : readCursor(query.cursor, list);
  const start =
    after === null ? 0 : isSorted ? startInSorted(rows.map(keyOf), after.key) : startAfter(rows.map(keyOf), after);
  const page = rows.slice(start, query.limit === null ? rows.length : start + query.limit);
  const last = page.at(-1);
  const left = rows.length - start - page.length;
  return {
    rows: page,
    cursor: last === undefined || left === 0 ? null : writeCursor({ list, key: keyOf(last), left }),
  };
}

/** Where the next page begins: at the first row with a later key. */
function startInSorted(keys: readonly string[], after: string): number {
  const index = keys.findIndex((key) => key > after);
  return index < 0 ? keys.length : index;
}

/**
 * The rows after the cursor's row. If that row is gone, the list ends: the oldest rows come last, and are dropped
 * first.
 */
function startAfter(keys: readonly string[], { key, left }: Place): number {
  const index = keys.indexOf(key);
  return index < 0 ? Math.max(0, keys.length - left) : index + 1;
}

const writeCursor = ({ list, key, left }: Place): string =>
  Buffer.from(`${PREFIX}${list}:${left}:${key}`).toString('base64url');

function readCursor(cursor: string, list: EndpointName): Place | null {
  const [, named, left, key] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (named !== list || left === undefined || key === undefined) return null;
  const place = { list, key, left: Number(left) };
  return writeCursor(place) === cursor ? place : null;
}
