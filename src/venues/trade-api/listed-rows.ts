// Trades and books in answers of a `trade-api` exchange, in whatever they are wrapped.
// Must never let one that cannot be read spoil the others, nor take a record without sides for an empty book.
import { type Ticker, ticker } from '../../domain/ids.ts';
import type { JsonRecord, ListedBook, ListedTrade, Note } from '../../tape/import/wire.ts';
import * as spelled from './profiles/dollars-market.ts';
import { codecOf, tryDecode } from './wire/codec.ts';
import { WireFault } from './wire/fault.ts';
import { isRecord, parseBody } from './wire/json.ts';
import type * as Wire from './wire/records.ts';
import type { RecordSpec } from './wire/spec.ts';

/** How deep answers are looked for within wrappers. */
const DEPTH_MAX = 6;

/** A record, and the market that it or what is around it names. */
interface Place {
  readonly record: JsonRecord;
  readonly ticker: string | null;
}

/** What is around a value. */
interface Around {
  readonly ticker: string | null;
  /** How many more wrappers may be within. */
  readonly depth: number;
}

/** Visits the records of a JSON value, outermost first, in lists and in text too; not those within one that is taken. */
function visit(
  json: unknown,
  take: (place: Place) => boolean,
  { ticker: around, depth }: Around = { ticker: null, depth: DEPTH_MAX },
): void {
  if (depth === 0) return;
  const visitAll = (values: readonly unknown[], name: string | null): void => {
    for (const each of values) visit(each, take, { ticker: name, depth: depth - 1 });
  };
  if (Array.isArray(json)) return visitAll(json, around);
  if (typeof json === 'string') return /^\s*[{[]/.test(json) ? visitAll([parseBody(json)], around) : undefined;
  if (!isRecord(json)) return;
  const name = nameIn(json) ?? around;
  if (!take({ record: json, ticker: name })) visitAll(Object.values(json), name);
}

/** Where recorders note what they asked for. */
const REQUESTS = ['_metadata', 'metadata', 'meta', 'request', 'params', 'query'];
const ADDRESS = /\/markets\/([^/?]+)\/orderbook/;

/** The market that a record names: in a member, in the address that was asked, or in what else was noted of the request. */
function nameIn(record: JsonRecord): string | null {
  for (const name of ['ticker', 'market_ticker', 'market'])
    if (typeof record[name] === 'string' && record[name] !== '') return record[name];
  for (const name of ['url', 'path', 'endpoint']) {
    const asked = record[name];
    const named = typeof asked === 'string' ? ADDRESS.exec(asked)?.[1] : undefined;
    if (named !== undefined) return decodeURIComponent(named);
  }
  const [noted] = REQUESTS.map((name) => record[name]).filter(isRecord);
  return noted === undefined ? null : nameIn(noted);
}

function decoded<T>(spec: RecordSpec<T>, json: JsonRecord, note: Note): T | null {
  const value = tryDecode(codecOf(spec), json, note);
  if (!(value instanceof WireFault)) return value;
  note(`record ${value.record}.${value.field}`, value.message);
  return null;
}

/** All public trades in an answer: a page, a bare trade, or lists of them. */
export function listedTrades(json: unknown, note: Note): readonly ListedTrade[] {
  const trades: ListedTrade[] = [];
  let hasPage = false;
  visit(json, ({ record, ticker: name }) => {
    hasPage ||= Array.isArray(record['trades']);
    if (!Object.hasOwn(record, 'trade_id')) return false;
    const { market_ticker: _name, ...members } = record;
    const trade = decoded(spelled.trade, { ...members, ticker: name }, note);
    if (trade !== null) trades.push({ ...trade, isOffBook: trade.isOffBook === true });
    hasPage = true;
    return true;
  });
  if (!hasPage) note('trades', 'expected an answer with trades');
  return trades;
}

/** All books in an answer, each of the market that is named beside it, around it, or in the address that was asked. */
export function listedBooks(json: unknown, note: Note): readonly ListedBook[] {
  const books: ListedBook[] = [];
  let hasBook = false;
  visit(json, ({ record, ticker: name }) => {
    if (spellingOf(record) === null) return false;
    hasBook = true;
    const book = bookOf(record, note);
    if (book !== null) books.push({ ticker: tickerOf(name), ...book });
    return true;
  });
  if (!hasBook) note('books', 'expected an answer with an order book');
  return books;
}

const tickerOf = (name: string | null): Ticker | null => (name === null ? null : ticker(name));

type Spelling = keyof typeof spelled.books;
const SIDES: readonly (readonly [Spelling, string, string])[] = [
  ['dollars', 'yes_dollars', 'no_dollars'],
  ['feed', 'yes_dollars_fp', 'no_dollars_fp'],
  ['cents', 'yes', 'no'],
];

/** How a record spells the sides of a book, the first way that it has; `null` where it has none. */
function spellingOf(record: JsonRecord): (typeof SIDES)[number] | null {
  const has = (name: string): boolean => Array.isArray(record[name]);
  const may = (name: string): boolean => has(name) || record[name] === null;
  return SIDES.find(([, yes, no]) => has(yes) || has(no) || (may(yes) && may(no))) ?? null;
}

function bookOf(record: JsonRecord, note: Note): Wire.BookRecord | null {
  const [spelling = 'dollars', yes = '', no = ''] = spellingOf(record) ?? [];
  const side = (name: string): unknown => levelsIn(record[name], spelling);
  return decoded(spelled.books[spelling], { [yes]: side(yes), [no]: side(no) }, note);
}

/** A side without levels may be `null`; decimals may have lost their quotes on the way. */
function levelsIn(side: unknown, spelling: Spelling): unknown {
  if (side === null || side === undefined) return [];
  if (spelling === 'cents' || !Array.isArray(side)) return side;
  return side.map((level: unknown) => (Array.isArray(level) ? level.map(textOf) : level));
}

const textOf = (figure: unknown): unknown => (typeof figure === 'number' ? String(figure) : figure);
