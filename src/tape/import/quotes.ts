// Imports top-of-book rows of CSV or Parquet: every row replaces the market's book by one level a side. Deeper levels
// are unknown. Must never use a row whose sides meet, nor invent a quantity without an assumption.
import { contractsText } from '../../domain/amounts.ts';
import { type MarketIndex, type Ticker, ticker } from '../../domain/ids.ts';
import type { Levels } from '../../domain/event.ts';
import { openingPrice } from '../../domain/position.ts';
import {
  type Micros,
  PAYOUT,
  PRICE_DECIMALS,
  PRICE_PER_CENT,
  type Price,
  QTY_DECIMALS,
  type Qty,
  contracts,
  parseScaled,
  qty as qtyOf,
} from '../../domain/units.ts';
import type { ImportPlace } from './fault.ts';
import { type Findings, found } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { mergeByTime } from './merge.ts';
import { MomentReader } from './moment-reader.ts';
import { parquetRows } from './parquet-rows.ts';
import { type Column, type Rows, type TextRow, csvRows, optional, required, timeColumn } from './text-rows.ts';

/** In the order in which `readQuote` takes them. Whole cents, or dollars where the name says so. */
const COLUMNS: readonly Column[] = [
  required('market_ticker', 'ticker'),
  timeColumn('timestamp', 'ts', 'time'),
  optional('best_yes_bid', 'yes_bid'),
  optional('best_no_bid', 'no_bid'),
  optional('implied_yes_ask', 'yes_ask'),
  optional('implied_no_ask', 'no_ask'),
  optional('yes_bid_dollars'),
  optional('yes_ask_dollars'),
  optional('yes_bid_size', 'yes_bid_size_fp', 'best_yes_bid_size', 'bid_size', 'yes_bid_qty', 'bid_qty'),
  // A bid for NO is an ask for YES.
  optional(
    'yes_ask_size',
    'yes_ask_size_fp',
    'best_yes_ask_size',
    'ask_size',
    'yes_ask_qty',
    'ask_qty',
    'no_bid_size',
    'no_bid_size_fp',
    'best_no_bid_size',
  ),
];

/** The smallest quantity of a quote in whole contracts. */
const QUOTE_QTY = contracts(1);

export interface Quote {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
  /** `null` where a side is empty. */
  readonly bid: Price | null;
  readonly ask: Price | null;
  /** Quoted quantity; `null` where no size is given. */
  readonly bidQty?: Qty | null;
  readonly askQty?: Qty | null;
}

/** The quote of a row; `null` when the row is invalid, which is a finding. */
function readQuote({ cells, place }: TextRow, moments: MomentReader, findings: Findings): Quote | null {
  const [name, time, yesBid, noBid, yesAsk, noAsk, bidDollars, askDollars, bidSize, askSize] = cells;
  const bad = (what: string): null => {
    findings.add('bad-row', place, what);
    return null;
  };
  if (name === undefined || name === '') return bad('expected the name of a market, found nothing');
  const bids = [centsOf(yesBid), complement(centsOf(noAsk)), dollarsOf(bidDollars)];
  const asks = [complement(centsOf(noBid)), centsOf(yesAsk), dollarsOf(askDollars)];
  const bid = agreedPrice(bids);
  const ask = agreedPrice(asks);
  if (bid === null) return bad(`expected one bid of YES, found ${found([yesBid, noAsk, bidDollars])}`);
  if (ask === null) return bad(`expected one ask of YES, found ${found([noBid, yesAsk, askDollars])}`);
  const [bidQty, askQty] = [sizeOf(bidSize), sizeOf(askSize)];
  if (bidQty === undefined || askQty === undefined)
    return bad(`expected sizes of two decimals, found ${found([bidSize, askSize])}`);
  const at = moments.read(time ?? '', place);
  if (at === null) return null;
  // An empty side shows as a bid of zero, an ask of a whole dollar, or a size of zero.
  const isBid = bid > 0 && bidQty !== 0;
  const isAsk = ask < PAYOUT && askQty !== 0;
  return { at, place, ticker: ticker(name), bid: isBid ? bid : null, ask: isAsk ? ask : null, bidQty, askQty };
}

/** A size; `null` where there is none, `undefined` where it is invalid. */
function sizeOf(text: string | undefined): Qty | null | undefined {
  if (text === undefined || text === '') return null;
  const value = parseScaled(text, QTY_DECIMALS);
  return value === null || value < 0 ? undefined : qtyOf(value);
}

/** A price; `undefined` where there is no such column, `null` where it is invalid. */
type ParsedPrice = Price | null | undefined;

const centsOf = (text: string | undefined): ParsedPrice =>
  text === undefined ? undefined : inRange((parseScaled(text, 0) ?? -1) * PRICE_PER_CENT);
const dollarsOf = (text: string | undefined): ParsedPrice =>
  text === undefined ? undefined : inRange(parseScaled(text, PRICE_DECIMALS) ?? -1);
const inRange = (value: number): Price | null => (value < 0 || value > PAYOUT ? null : (value as Price));
const complement = (parsed: ParsedPrice): ParsedPrice =>
  parsed === undefined || parsed === null ? parsed : openingPrice('sell', parsed);

/** The price that all columns of a side agree on; `null` when they disagree. */
function agreedPrice(parsed: readonly ParsedPrice[]): Price | null {
  const given = parsed.filter((price) => price !== undefined);
  const [first = null] = given;
  return given.every((price) => price === first) ? first : null;
}

async function* quotesOf(file: string, rows: Rows, context: Telling): AsyncGenerator<readonly Quote[]> {
  const { findings, options, progress } = context;
  const moments = new MomentReader(findings, options.timeZone);
  const given = options.columns;
  for await (const chunk of rows({ file, columns: COLUMNS, ignored: [], findings, given, onBytes: progress })) {
    const quotes: Quote[] = [];
    for (const row of chunk) {
      context.count();
      const quote = readQuote(row, moments, findings);
      if (quote !== null) quotes.push(quote);
    }
    yield quotes;
  }
}

/** The last quote of a market; `null` while its book is not known. */
type LastQuote = Pick<Quote, 'bid' | 'ask' | 'bidQty' | 'askQty'> | null;

/** Writes quotes as books of one level a side. */
export class QuoteTeller {
  readonly #context: Telling;
  readonly #qty: Qty;
  readonly #isEveryRowChange: boolean;
  readonly #lastQuotes = new Map<MarketIndex, LastQuote>();
  /** True when a quote came without a size. */
  #isUnsized = false;

  /** @param isEveryRowChange True when every row means a change. */
  constructor(context: Telling, isEveryRowChange: boolean) {
    this.#context = context;
    this.#isEveryRowChange = isEveryRowChange;
    this.#qty = context.options.quoteQty ?? QUOTE_QTY;
  }

  tell({ at: quotedAt, place, ticker, bid, ask, bidQty = null, askQty = null }: Quote): void {
    const { tickers, clock, findings, emit } = this.#context;
    const market = tickers.intern(ticker);
    const before = this.#lastQuotes.get(market);
    const at = clock.date(quotedAt, place);
    if (bid !== null && ask !== null && bid >= ask) {
      findings.add(bid > ask ? 'crossed-quote' : 'locked-quote', place, `${ticker}: bid ${bid}, ask ${ask}`);
      if (before !== null) emit({ kind: 'feed-gap', at, markets: [market], reason: 'both sides of a quote meet' });
      this.#lastQuotes.set(market, null);
      return;
    }
    const quote = { bid, ask, bidQty, askQty };
    if (this.#isEveryRowChange && isSame(quote, before))
      findings.add('unchanged-quote', place, `${ticker}: bid ${bid}, ask ${ask}`);
    this.#lastQuotes.set(market, quote);
    emit({
      kind: 'book-snapshot',
      at,
      exchangeAt: null,
      market,
      bids: this.#levels(bid, bidQty),
      asks: this.#levels(ask, askQty),
    });
  }

  #levels(price: Price | null, size: Qty | null): Levels {
    if (price === null) return [];
    this.#isUnsized ||= size === null;
    return [[price, size ?? this.#qty]];
  }

  /** Adds the assumptions, after the last quote. */
  end(): void {
    if (this.#isUnsized)
      this.#context.assume(
        `A quote without a size is taken to be for ${contractsText(this.#qty)} contracts, alone on its side.`,
      );
  }
}

const isSame = (quote: NonNullable<LastQuote>, before: LastQuote | undefined): boolean =>
  before?.bid === quote.bid &&
  before.ask === quote.ask &&
  before.bidQty === quote.bidQty &&
  before.askQty === quote.askQty;

async function importQuotes(rows: Rows, context: Telling): Promise<void> {
  const emitter = new QuoteTeller(context, true);
  context.assume("Times are those of receipt by the recorder; the venue's own times are not given.");
  if (context.options.timeZone !== undefined)
    context.assume(`Times without an offset are those of a clock in ${context.options.timeZone}.`);
  for await (const chunk of mergeByTime(context.options.files.map((file) => quotesOf(file, rows, context))))
    for (const quote of chunk) emitter.tell(quote);
  emitter.end();
}

export const quotesCsv: Format = {
  name: 'quotes-csv',
  description: 'best prices of both sides, one change a row, as CSV',
  accepts: ['.csv', '.csv.gz'],
  columns: COLUMNS,
  tell: (context) => importQuotes(csvRows, context),
};

export const quotesParquet: Format = {
  name: 'quotes-parquet',
  description: 'best prices of both sides, one change a row, as Parquet',
  accepts: ['.parquet'],
  columns: COLUMNS,
  tell: (context) => importQuotes(parquetRows, context),
};
