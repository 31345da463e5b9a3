// Imports quotes from CSV or Parquet: every row replaces the market's book by one level a side. Deeper levels are
// unknown. Must never use a row whose sides meet, nor invent a quantity without an assumption.
import { centsText, contractsText } from '../../../domain/amounts.ts';
import { type MarketIndex, type Ticker, ticker } from '../../../domain/ids.ts';
import type { Levels } from '../../../domain/event.ts';
import { openingPrice } from '../../../domain/position.ts';
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
} from '../../../domain/units.ts';
import type { ImportPlace } from '../import-fault.ts';
import { type Findings, foundText } from '../import-findings.ts';
import type { ImportFormat, ImportContext } from '../import-format.ts';
import { mergeByTime } from '../rows/merge-by-time.ts';
import { MomentReader } from '../times/moment-reader.ts';
import { parquetRows } from '../rows/parquet-rows.ts';
import {
  type TextColumn,
  type RowReader,
  type TextRow,
  csvRows,
  optionalColumn,
  requiredColumn,
  timeColumn,
} from '../rows/text-rows.ts';

const YES_BID = optionalColumn('best_yes_bid', 'yes_bid');
const NO_BID = optionalColumn('best_no_bid', 'no_bid');
const YES_ASK = optionalColumn('implied_yes_ask', 'yes_ask');
const NO_ASK = optionalColumn('implied_no_ask', 'no_ask');
const YES_BID_DOLLARS = optionalColumn('yes_bid_dollars');
const YES_ASK_DOLLARS = optionalColumn('yes_ask_dollars');

/**
 * The columns of a quote file, in the sequence of `readQuote`. Prices are whole cents, or dollars if the name says so.
 */
const COLUMNS: readonly TextColumn[] = [
  requiredColumn('market_ticker', 'ticker'),
  timeColumn('timestamp', 'ts', 'time'),
  YES_BID,
  NO_BID,
  YES_ASK,
  NO_ASK,
  YES_BID_DOLLARS,
  YES_ASK_DOLLARS,
  optionalColumn('yes_bid_size', 'yes_bid_size_fp', 'best_yes_bid_size', 'bid_size', 'yes_bid_qty', 'bid_qty'),
  // A bid for NO is an ask for YES.
  optionalColumn(
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

/** At least one column of the bid, and one of the ask. A bid for NO is an ask for YES. */
const SIDES = [
  [YES_BID, NO_ASK, YES_BID_DOLLARS],
  [NO_BID, YES_ASK, YES_ASK_DOLLARS],
];

/** Quantity of a quote without a size: one contract. */
const QUOTE_QTY = contracts(1);

export interface Quote {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
  /** `null` for an empty side. */
  readonly bid: Price | null;
  readonly ask: Price | null;
  /** Quoted quantity; `null` without a size. */
  readonly bidQty?: Qty | null;
  readonly askQty?: Qty | null;
}

/** Reads the quote of a row. An invalid row is a finding, and gives `null`. */
function readQuote({ cells, place }: TextRow, moments: MomentReader, findings: Findings): Quote | null {
  const [name, time, yesBid, noBid, yesAsk, noAsk, bidDollars, askDollars, bidSize, askSize] = cells;
  const bad = (what: string): null => {
    findings.addFinding('bad-row', place, what);
    return null;
  };
  if (name === undefined || name === '') return bad('expected the name of a market, found nothing');
  const bids = [centsOf(yesBid), complement(centsOf(noAsk)), dollarsOf(bidDollars)];
  const asks = [complement(centsOf(noBid)), centsOf(yesAsk), dollarsOf(askDollars)];
  const bid = agreedPrice(bids);
  const ask = agreedPrice(asks);
  if (bid === null) return bad(`expected one bid of YES, found ${foundText([yesBid, noAsk, bidDollars])}`);
  if (ask === null) return bad(`expected one ask of YES, found ${foundText([noBid, yesAsk, askDollars])}`);
  const [bidQty, askQty] = [sizeOf(bidSize), sizeOf(askSize)];
  if (bidQty === undefined || askQty === undefined)
    return bad(`expected sizes of two decimals, found ${foundText([bidSize, askSize])}`);
  const at = moments.readTime(time ?? '', place);
  if (at === null) return null;
  // An empty side shows as a bid of zero, an ask of a whole dollar, or a zero size.
  const isBid = bid > 0 && bidQty !== 0;
  const isAsk = ask < PAYOUT && askQty !== 0;
  return { at, place, ticker: ticker(name), bid: isBid ? bid : null, ask: isAsk ? ask : null, bidQty, askQty };
}

/** Returns a size; `null` for an empty text, `undefined` for an invalid text. */
function sizeOf(text: string | undefined): Qty | null | undefined {
  if (text === undefined || text === '') return null;
  const value = parseScaled(text, QTY_DECIMALS);
  return value === null || value < 0 ? undefined : qtyOf(value);
}

/** A price; `undefined` without such a column, `null` for an invalid text. */
type ParsedPrice = Price | null | undefined;

const centsOf = (text: string | undefined): ParsedPrice =>
  text === undefined ? undefined : inRange((parseScaled(text, 0) ?? -1) * PRICE_PER_CENT);
const dollarsOf = (text: string | undefined): ParsedPrice =>
  text === undefined ? undefined : inRange(parseScaled(text, PRICE_DECIMALS) ?? -1);
const inRange = (value: number): Price | null => (value < 0 || value > PAYOUT ? null : (value as Price));
const complement = (parsed: ParsedPrice): ParsedPrice =>
  parsed === undefined || parsed === null ? parsed : openingPrice('sell', parsed);

/** Returns the price on which all columns of a side agree, or `null`. */
function agreedPrice(parsed: readonly ParsedPrice[]): Price | null {
  const given = parsed.filter((price) => price !== undefined);
  const [first = null] = given;
  return given.every((price) => price === first) ? first : null;
}

async function* quotesOf(file: string, rows: RowReader, context: ImportContext): AsyncGenerator<readonly Quote[]> {
  const { findings, options, addBytes, countRow } = context;
  const moments = new MomentReader(findings, options.timeZone);
  const asked = { columns: COLUMNS, oneOf: SIDES, ignored: [], given: options.columns };
  for await (const chunk of rows({ file, ...asked, findings, onBytes: addBytes, countRow })) {
    const quotes: Quote[] = [];
    for (const row of chunk) {
      const quote = readQuote(row, moments, findings);
      if (quote !== null) quotes.push(quote);
    }
    yield quotes;
  }
}

/** The last quote of a market; `null` while its book is not known. */
type LastQuote = Pick<Quote, 'bid' | 'ask' | 'bidQty' | 'askQty'> | null;

/** Writes quotes as books of one level a side. */
export class QuoteDecoder {
  readonly #context: ImportContext;
  readonly #qty: Qty;
  readonly #isEveryRowChange: boolean;
  readonly #lastQuotes = new Map<MarketIndex, LastQuote>();
  #isUnsized = false;

  /** @param isEveryRowChange True: every row means a change. */
  constructor(context: ImportContext, isEveryRowChange: boolean) {
    this.#context = context;
    this.#isEveryRowChange = isEveryRowChange;
    this.#qty = context.options.quoteQty ?? QUOTE_QTY;
  }

  emitQuote({ at: quotedAt, place, ticker, bid, ask, bidQty = null, askQty = null }: Quote): void {
    const { tickers, clock, findings, emitEvent } = this.#context;
    const market = tickers.internTicker(ticker);
    const before = this.#lastQuotes.get(market);
    const at = clock.dateRow(quotedAt, place);
    if (bid !== null && ask !== null && bid >= ask) {
      findings.addFinding(bid > ask ? 'crossed-quote' : 'locked-quote', place, quoteText(ticker, bid, ask));
      if (before !== null) emitEvent({ kind: 'feed-gap', at, markets: [market], reason: 'both sides of a quote meet' });
      this.#lastQuotes.set(market, null);
      return;
    }
    const quote = { bid, ask, bidQty, askQty };
    if (this.#isEveryRowChange && isSame(quote, before))
      findings.addFinding('unchanged-quote', place, quoteText(ticker, bid, ask));
    this.#lastQuotes.set(market, quote);
    emitEvent({
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

  finish(): void {
    if (this.#isUnsized)
      this.#context.addAssumption(
        `A quote without a size is taken to be for ${contractsText(this.#qty)} ${this.#qty === contracts(1) ? 'contract' : 'contracts'}, alone on its side.`,
      );
  }
}

const sideText = (price: Price | null): string => (price === null ? 'none' : centsText(price));

const quoteText = (ticker: string, bid: Price | null, ask: Price | null): string =>
  `${ticker}: bid ${sideText(bid)}, ask ${sideText(ask)}`;

const isSame = (quote: NonNullable<LastQuote>, before: LastQuote | undefined): boolean =>
  before?.bid === quote.bid &&
  before.ask === quote.ask &&
  before.bidQty === quote.bidQty &&
  before.askQty === quote.askQty;

async function importQuotes(rows: RowReader, context: ImportContext): Promise<void> {
  const emitter = new QuoteDecoder(context, true);
  context.addAssumption("Times are those of receipt by the recorder; the venue's own times are not given.");
  if (context.options.timeZone !== undefined)
    context.addAssumption(`Times without an offset are those of a clock in ${context.options.timeZone}.`);
  for await (const chunk of mergeByTime(context.options.files.map((file) => quotesOf(file, rows, context))))
    for (const quote of chunk) emitter.emitQuote(quote);
  emitter.finish();
}

export const quotesCsv: ImportFormat = {
  name: 'quotes-csv',
  description: 'best prices of both sides, one change a row, as CSV',
  options: ['timeZone', 'quoteQty', 'columns'],
  accepts: ['.csv', '.csv.gz'],
  columns: COLUMNS,
  importFiles: (context) => importQuotes(csvRows, context),
};

export const quotesParquet: ImportFormat = {
  name: 'quotes-parquet',
  description: 'best prices of both sides, one change a row, as Parquet',
  options: ['timeZone', 'quoteQty', 'columns'],
  accepts: ['.parquet'],
  columns: COLUMNS,
  importFiles: (context) => importQuotes(parquetRows, context),
};
