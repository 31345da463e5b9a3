// Filters and pages of questions to the history. Must never put a value into the SQL: values are bound.
import { DAY_US } from '../account/daily-fold.ts';
import { CursorFault, type HistoryStore, type StoreValue } from '../store/history-store.ts';

/** Filter of a question's rows. */
export interface HistoryFilter {
  /** Microseconds; included. */
  readonly fromUs?: number;
  /** Microseconds; not included. */
  readonly toUs?: number;
  readonly strategy?: string;
  /** A market's ticker. */
  readonly market?: string;
  readonly session?: string;
}

/** Part of the rows, the newest first. */
export interface PageRequest {
  /** Default: all rows. */
  readonly limit?: number;
  /** The last page's `next`. Default: the newest rows. */
  readonly cursor?: string;
}

/** A part of the rows. */
export interface HistoryPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; `null` on the last page. */
  readonly next: string | null;
}

/** Columns to which a filter applies. Without a column, its filter cannot be used. */
export interface FilterColumns {
  readonly at: string;
  readonly strategy?: string;
  readonly market?: string;
  readonly session?: string;
}

/** SQL conditions, and the values bound in them. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly StoreValue[];
}

/** Returns the SQL conditions of a filter. */
export function conditionsOf(filter: HistoryFilter, columns: FilterColumns): Conditions {
  const { fromUs, toUs, strategy, market, session } = filter;
  const parts: [sql: string, value: StoreValue][] = [];
  if (fromUs !== undefined) parts.push([`${columns.at} >= ?`, fromUs]);
  if (toUs !== undefined) parts.push([`${columns.at} < ?`, toUs]);
  if (strategy !== undefined && columns.strategy) parts.push([`${columns.strategy} = ?`, strategy]);
  if (market !== undefined && columns.market) parts.push([`${columns.market} = ?`, market]);
  if (session !== undefined && columns.session) parts.push([`${columns.session} = ?`, session]);
  return { sql: parts.map(([sql]) => ` AND ${sql}`).join(''), values: parts.map(([, value]) => value) };
}

/** The day of a time, as a number. */
export const firstDayOf = (atUs: number): number => Math.floor(atUs / DAY_US);
/** The first day that begins at or after a time. */
export const endDayOf = (atUs: number): number => Math.ceil(atUs / DAY_US);

/** A question whose rows are read a page at a time. */
export interface PagedQuestion {
  /** SQL before `WHERE`. */
  readonly select: string;
  readonly conditions: Conditions;
  /** Unique numeric column by which rows are sorted, the greatest first. */
  readonly key: string;
  /** Sorts rows by a time first: its column, and SQL for the time of a bound key. */
  readonly time?: { readonly column: string; readonly ofKey: string };
}

/**
 * Reads a page. The column `key` is the cursor and is removed from the rows.
 * @throws {CursorFault} for an unknown cursor.
 */
export function readPage<Row extends object>(
  store: HistoryStore,
  { select, conditions, key, time }: PagedQuestion,
  { limit = Number.MAX_SAFE_INTEGER, cursor }: PageRequest,
): HistoryPage<Row> {
  const after = time ? ` AND (${time.column}, ${key}) < (${time.ofKey}, ?)` : ` AND ${key} < ?`;
  const last = cursor === undefined ? [] : [keyOf(cursor)];
  const values = [...conditions.values, ...(time ? last : []), ...last];
  const more = limit === Number.MAX_SAFE_INTEGER ? limit : limit + 1;
  const order = time ? `${time.column} DESC, ${key} DESC` : `${key} DESC`;
  const sql = `${select} WHERE 1${conditions.sql}${last.length === 0 ? '' : after} ORDER BY ${order} LIMIT ?`;
  const found = store.all<Row & { readonly key: number }>(sql, [...values, more]);
  const rows = found.slice(0, limit);
  const end = rows.at(-1);
  return { rows: rows.map(withoutKey), next: found.length > limit && end ? String(end.key) : null };
}

function withoutKey<Row extends object>({ key: _key, ...row }: Row & { readonly key: number }): Row {
  // tidy: as (everything but the key is the row)
  return row as unknown as Row;
}

function keyOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new CursorFault(cursor);
}
