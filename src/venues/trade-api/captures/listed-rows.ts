// Finds trades and books in captured answers of a `trade-api` exchange, within up to `DEPTH_MAX` levels of nesting.
// Must never let an unreadable record spoil the others, nor take a record without sides for an empty book.
import { type Ticker, ticker } from '../../../domain/ids.ts';
import type { JsonObject, ListedBook, ListedTrade, NoteListener } from '../../../tape/import/import-wire.ts';
import * as spelled from '../profiles/dollars-market.ts';
import { codecOf, tryDecode } from '../wire/codec.ts';
import { WireFault } from '../wire/wire-fault.ts';
import { isRecord, parseBody } from '../wire/json-record.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';

/** Bound on levels of nesting, the outermost value included. */
const DEPTH_MAX = 6;

interface FoundRecord {
  readonly record: JsonObject;
  readonly ticker: string | null;
}

/** The market named above a nested value, and the number of levels that may still be visited. */
interface VisitContext {
  readonly ticker: string | null;
  readonly depth: number;
}

/**
 * Visits the records of a JSON value, outermost first, within lists and JSON text too. Accepted records are not
 * searched.
 */
function visit(
  json: unknown,
  accept: (place: FoundRecord) => boolean,
  { ticker: outerTicker, depth }: VisitContext = { ticker: null, depth: DEPTH_MAX },
): void {
  if (depth === 0) return;
  const visitAll = (values: readonly unknown[], name: string | null): void => {
    for (const each of values) visit(each, accept, { ticker: name, depth: depth - 1 });
  };
  if (Array.isArray(json)) return visitAll(json, outerTicker);
  if (typeof json === 'string') return /^\s*[{[]/.test(json) ? visitAll([parseBody(json)], outerTicker) : undefined;
  if (!isRecord(json)) return;
  const name = nameIn(json) ?? outerTicker;
  if (!accept({ record: json, ticker: name })) visitAll(Object.values(json), name);
}

const REQUESTS = ['_metadata', 'metadata', 'meta', 'request', 'params', 'query'];
const ADDRESS = /\/markets\/([^/?]+)\/orderbook/;

/** The market that a record names: in a member, in the requested address, or in the stored request. */
function nameIn(record: JsonObject): string | null {
  for (const name of ['ticker', 'market_ticker', 'market'])
    if (typeof record[name] === 'string' && record[name] !== '') return record[name];
  for (const name of ['url', 'path', 'endpoint']) {
    const requested = record[name];
    const match = typeof requested === 'string' ? ADDRESS.exec(requested)?.[1] : undefined;
    if (match !== undefined) return unescaped(match);
  }
  const [request] = REQUESTS.map((name) => record[name]).filter(isRecord);
  return request === undefined ? null : nameIn(request);
}

/** Decodes a part of an address; a part with invalid escapes stays as it is. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function decodeOrReport<T>(spec: RecordSpec<T>, json: JsonObject, report: NoteListener): T | null {
  const value = tryDecode(codecOf(spec), json, report);
  if (!(value instanceof WireFault)) return value;
  report(`record ${value.record}.${value.field}`, value.message);
  return null;
}

/** All public trades in an answer: a page, a bare trade, or lists of them. */
export function listedTrades(json: unknown, report: NoteListener): readonly ListedTrade[] {
  const trades: ListedTrade[] = [];
  let hasPage = false;
  visit(json, ({ record, ticker: name }) => {
    hasPage ||= Array.isArray(record['trades']);
    if (!Object.hasOwn(record, 'trade_id')) return false;
    const { market_ticker: _name, ...members } = record;
    const trade = decodeOrReport(spelled.trade, { ...members, ticker: name }, report);
    if (trade !== null) trades.push({ ...trade, isOffBook: trade.isOffBook === true });
    hasPage = true;
    return true;
  });
  if (!hasPage) report('trades', 'expected an answer with trades');
  return trades;
}

/** All books in an answer, each with the market that its record or a wrapper names. */
export function listedBooks(json: unknown, report: NoteListener): readonly ListedBook[] {
  const books: ListedBook[] = [];
  let hasBook = false;
  visit(json, ({ record, ticker: name }) => {
    if (spellingOf(record) === null) return false;
    hasBook = true;
    const book = bookOf(record, report);
    if (book !== null) books.push({ ticker: tickerOf(name), ...book });
    return true;
  });
  if (!hasBook) report('books', 'expected an answer with an order book');
  return books;
}

const tickerOf = (name: string | null): Ticker | null => (name === null ? null : ticker(name));

type Spelling = keyof typeof spelled.books;
const SIDES: readonly (readonly [Spelling, string, string])[] = [
  ['dollars', 'yes_dollars', 'no_dollars'],
  ['feed', 'yes_dollars_fp', 'no_dollars_fp'],
  ['cents', 'yes', 'no'],
];

/** The spelling of a book's sides; `null` when the record has no side. */
function spellingOf(record: JsonObject): (typeof SIDES)[number] | null {
  const has = (name: string): boolean => Array.isArray(record[name]);
  const may = (name: string): boolean => has(name) || record[name] === null;
  return SIDES.find(([, yes, no]) => has(yes) || has(no) || (may(yes) && may(no))) ?? null;
}

function bookOf(record: JsonObject, report: NoteListener): Wire.BookRecord | null {
  const [spelling = 'dollars', yes = '', no = ''] = spellingOf(record) ?? [];
  const side = (name: string): unknown => levelsIn(record[name], spelling);
  return decodeOrReport(spelled.books[spelling], { [yes]: side(yes), [no]: side(no) }, report);
}

/** A side's levels. An empty side may be `null` or absent; decimals may have lost their quotes in the capture. */
function levelsIn(side: unknown, spelling: Spelling): unknown {
  if (side === null || side === undefined) return [];
  if (spelling === 'cents' || !Array.isArray(side)) return side;
  return side.map((level: unknown) => (Array.isArray(level) ? level.map(textOf) : level));
}

const textOf = (figure: unknown): unknown => (typeof figure === 'number' ? String(figure) : figure);
