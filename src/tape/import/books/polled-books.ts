// Imports order books polled over REST: each answer is a snapshot. Changes between two polls are unknown. Must never
// take the time of one poll for that of another.
import type { ParsedTime } from '../../../domain/parsed-time.ts';
import type { Ticker } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import { type FileAnswer, answersIn } from '../rows/venue-answers.ts';
import { BookAudit } from './book-audit.ts';
import type { ImportPlace } from '../import-fault.ts';
import { type Findings, foundText, noteListenerAt } from '../import-findings.ts';
import type { ImportFormat, ImportContext } from '../import-format.ts';
import { isJsonRecord, parseJsonOrUndefined } from '../rows/json-records.ts';
import { mergeByTime } from '../rows/merge-by-time.ts';
import { MomentReader } from '../times/moment-reader.ts';
import { timeInRecord } from '../times/time-names.ts';
import type { ListedBook } from '../import-wire.ts';

/** Most levels of nested records that are searched for a time. */
const DEPTH_MAX = 4;

interface PolledBook extends ListedBook {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
}

/** Returns the time of an answer, or else the first time in a record within it. Returns `null` without any time. */
function timeIn(json: unknown, depth = DEPTH_MAX): ParsedTime | null {
  const record = typeof json === 'string' && json.startsWith('{') ? parseJsonOrUndefined(json) : json;
  if (!isJsonRecord(record) || depth === 0) return null;
  const own = timeInRecord(record);
  if (own !== null) return own;
  for (const held of Object.values(record)) {
    const moment = timeIn(held, depth - 1);
    if (moment !== null) return moment;
  }
  return null;
}

class PollReader {
  readonly #context: ImportContext;
  readonly #moments: MomentReader;

  constructor(context: ImportContext) {
    this.#context = context;
    this.#moments = new MomentReader(context.findings, context.options.timeZone);
  }

  booksIn({ json, place }: FileAnswer): readonly PolledBook[] {
    const { options, findings, countRow } = this.#context;
    const books = options.wire.readBooks(json, noteListenerAt(place, this.#context));
    if (books.length === 0) return [];
    const moment = timeIn(json);
    const at = moment === null ? null : this.#moments.instantOf(moment, place);
    if (at === null) countRow();
    if (moment === null)
      return addBadRow(findings, place, 'expected the time of the poll next to the book, found none');
    if (at === null) return [];
    return books.flatMap((book) => {
      countRow();
      const ticker = book.ticker ?? options.ticker;
      if (ticker !== undefined) return [{ ...book, at, place, ticker }];
      return addBadRow(
        findings,
        place,
        `expected the market next to the book or as an option, found ${foundText(json)}`,
      );
    });
  }
}

function addBadRow(findings: Findings, place: ImportPlace, what: string): readonly [] {
  findings.addFinding('bad-row', place, what);
  return [];
}

async function* booksOf(file: string, context: ImportContext): AsyncGenerator<readonly PolledBook[]> {
  const reader = new PollReader(context);
  for await (const answers of answersIn(file, context)) yield answers.flatMap((answer) => reader.booksIn(answer));
}

async function importBooks(context: ImportContext): Promise<void> {
  const { options, tickers, clock, findings, emitEvent, addAssumption } = context;
  addAssumption('Books were polled: each is taken to hold until the next poll, and changes in between are unknown.');
  addAssumption('Only books were recorded: no trades.');
  const audit = new BookAudit();
  for await (const chunk of mergeByTime(options.files.map((file) => booksOf(file, context))))
    for (const { at: polledAt, place, ticker, bids, asks } of chunk) {
      const market = tickers.internTicker(ticker);
      const at = clock.dateRow(polledAt, place);
      const fault = audit.applySnapshot(market, bids, asks);
      if (fault !== null) findings.addFinding(fault, place, ticker);
      emitEvent({ kind: 'book-snapshot', at, exchangeAt: null, market, bids, asks });
    }
}

export const booksJson: ImportFormat = {
  name: 'books-json',
  description: 'order books polled over REST, one answer a line',
  options: ['timeZone', 'ticker'],
  accepts: ['.json', '.jsonl', '.ndjson', '.json.gz', '.jsonl.gz', '.ndjson.gz'],
  importFiles: importBooks,
};
