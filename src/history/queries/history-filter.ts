// Filters and pages of questions to the history. Every value is bound, never part of the SQL.
import { DAY_US } from '../account/daily-fold.ts';
import { HistoryFault, type HistoryStore, type StoreValue } from '../store/history-store.ts';

/** Which rows a question is about. */
export interface HistoryFilter {
  /** Rows from this time on, in microseconds. */
  readonly fromUs?: number;
  /** Rows before this time. */
  readonly toUs?: number;
  readonly strategy?: string;
  /** A market's ticker. */
  readonly market?: string;
  readonly session?: string;
}

/** Which part of the rows, the newest first. */
export interface PageRequest {
  /** Default: all rows. */
  readonly limit?: number;
  /** `next` of the page before. Default: the newest rows. */
  readonly cursor?: string;
}

/** A part of the rows. */
export interface HistoryPage<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; `null` on the last. */
  readonly next: string | null;
}

/** Columns that the filter applies to, in the SQL of one question. A column that is absent cannot be filtered by. */
export interface FilterColumns {
  readonly at: string;
  readonly strategy?: string;
  readonly market?: string;
  readonly session?: string;
}

/** Conditions of a question, and the values that they bind. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly StoreValue[];
}

/** Returns the conditions of a filter. */
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

/** The first day that is wholly or partly at or after a time. */
export const firstDayOf = (atUs: number): number => Math.floor(atUs / DAY_US);
/** The first day that begins at or after a time. */
export const endDayOf = (atUs: number): number => Math.ceil(atUs / DAY_US);

/** A question whose rows are read a page at a time. */
export interface PagedQuestion {
  /** SQL up to the conditions, which begin with `WHERE 1`. */
  readonly select: string;
  readonly conditions: Conditions;
  /** Column of a number by which rows are sorted, the greatest first. It is unique. */
  readonly key: string;
}

/**
 * Reads a page. The rows have a column `key`, which is the cursor, and is removed.
 * @throws {HistoryFault} when the cursor is none of ours.
 */
export function readPage<Row extends object>(
  store: HistoryStore,
  { select, conditions, key }: PagedQuestion,
  { limit = Number.MAX_SAFE_INTEGER, cursor }: PageRequest,
): HistoryPage<Row> {
  const after = cursor === undefined ? '' : ` AND ${key} < ?`;
  const values = [...conditions.values, ...(cursor === undefined ? [] : [keyOf(cursor)])];
  const more = limit === Number.MAX_SAFE_INTEGER ? limit : limit + 1;
  const sql = `${select} WHERE 1${conditions.sql}${after} ORDER BY ${key} DESC LIMIT ?`;
  const found = store.all<Row & { readonly key: number }>(sql, [...values, more]);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows: rows.map(withoutKey), next: found.length > limit && last ? String(last.key) : null };
}

function withoutKey<Row extends object>({ key: _key, ...row }: Row & { readonly key: number }): Row {
  // tidy: as (everything but the key is the row)
  return row as unknown as Row;
}

function keyOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new HistoryFault(`cursor: expected that of a page, found ${JSON.stringify(cursor)}`);
}
