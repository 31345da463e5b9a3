// Order books polled over REST: each answer is a snapshot. Changes between two polls are unknown. Must never take the
// time of one poll for that of another.
import { type Moment } from '../../domain/moment.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import { type Answer, answersIn } from './answers.ts';
import { BookAudit } from './book-audit.ts';
import type { ImportPlace } from './fault.ts';
import { type Findings, found, noteAt } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { isRecord, parsed } from './json.ts';
import { mergeByTime } from './merge.ts';
import { MomentReader } from './moment-reader.ts';
import { timeAmong } from './time-names.ts';
import type { ListedBook } from './wire.ts';

/** Depth of wrappers searched for a time. */
const DEPTH_MAX = 4;

/** A book from one answer. */
interface PolledBook extends ListedBook {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
}

/** The time of an answer, from the outermost record that has one; `null` where there is none. */
function timeIn(json: unknown, depth = DEPTH_MAX): Moment | null {
  const record = typeof json === 'string' && json.startsWith('{') ? parsed(json) : json;
  if (!isRecord(record) || depth === 0) return null;
  const own = timeAmong(record);
  if (own !== null) return own;
  for (const held of Object.values(record)) {
    const moment = timeIn(held, depth - 1);
    if (moment !== null) return moment;
  }
  return null;
}

/** Reads the answers of one file. */
class PollReader {
  readonly #context: Telling;
  readonly #moments: MomentReader;

  constructor(context: Telling) {
    this.#context = context;
    this.#moments = new MomentReader(context.findings, context.options.timeZone);
  }

  /** The books of an answer. */
  booksIn({ json, place }: Answer): readonly PolledBook[] {
    const { options, findings, count } = this.#context;
    const books = options.wire.books(json, noteAt(place, findings));
    if (books.length === 0) return [];
    const moment = timeIn(json);
    if (moment === null)
      return addBadRow(findings, place, 'expected the time of the poll next to the book, found none');
    const at = this.#moments.resolve(moment, place);
    if (at === null) return [];
    return books.flatMap((book) => {
      count();
      const ticker = book.ticker ?? options.ticker;
      if (ticker !== undefined) return [{ ...book, at, place, ticker }];
      return addBadRow(findings, place, `expected the market next to the book or as an option, found ${found(json)}`);
    });
  }
}

function addBadRow(findings: Findings, place: ImportPlace, what: string): readonly [] {
  findings.add('bad-row', place, what);
  return [];
}

async function* booksOf(file: string, context: Telling): AsyncGenerator<readonly PolledBook[]> {
  const reader = new PollReader(context);
  for await (const answers of answersIn(file, context)) yield answers.flatMap((answer) => reader.booksIn(answer));
}

async function importBooks(context: Telling): Promise<void> {
  const { options, tickers, clock, findings, emit, assume } = context;
  assume('Books were polled: each is taken to hold until the next poll, and changes in between are unknown.');
  assume('Only books were recorded: no trades.');
  const audit = new BookAudit();
  for await (const chunk of mergeByTime(options.files.map((file) => booksOf(file, context))))
    for (const { at: polledAt, place, ticker, bids, asks } of chunk) {
      const market = tickers.intern(ticker);
      const at = clock.date(polledAt, place);
      const fault = audit.snapshot(market, bids, asks);
      if (fault !== null) findings.add(fault, place, ticker);
      emit({ kind: 'book-snapshot', at, exchangeAt: null, market, bids, asks });
    }
}

export const booksJson: Format = {
  name: 'books-json',
  description: 'order books polled over REST, one answer a line',
  accepts: ['.json', '.jsonl', '.ndjson', '.json.gz', '.jsonl.gz', '.ndjson.gz'],
  tell: importBooks,
};
