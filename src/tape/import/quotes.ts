// Top of book as rows of CSV: every row replaces the market's book by one level a side. What lies behind is not known.
// Must never believe a row whose sides meet, nor say how much a quote stands for without saying that it is made up.
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
  type Qty,
  contracts,
  parseScaled,
} from '../../domain/units.ts';
import type { ImportPlace } from './fault.ts';
import { type Findings, found } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { mergeByTime } from './merge.ts';
import { MomentReader } from './moment-reader.ts';
import { type Column, type TextRow, csvRows } from './text-rows.ts';

const required = (...names: string[]): Column => ({ names, isRequired: true });
const optional = (...names: string[]): Column => ({ names, isRequired: false });

/** In the order in which `readQuote` takes them. Whole cents, or dollars where the name says so. */
const COLUMNS: readonly Column[] = [
  required('market_ticker', 'ticker'),
  required('timestamp', 'ts', 'time'),
  optional('best_yes_bid', 'yes_bid'),
  optional('best_no_bid', 'no_bid'),
  optional('implied_yes_ask', 'yes_ask'),
  optional('implied_no_ask', 'no_ask'),
  optional('yes_bid_dollars'),
  optional('yes_ask_dollars'),
];

/** The least that a quote can stand for in whole contracts. */
const QUOTE_QTY = contracts(1);

export interface Quote {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
  /** `null` where a side is empty. */
  readonly bid: Price | null;
  readonly ask: Price | null;
}

/** A row's quote; `null` when it tells none, which is told. */
function readQuote({ cells, place }: TextRow, moments: MomentReader, findings: Findings): Quote | null {
  const [name, time, yesBid, noBid, yesAsk, noAsk, bidDollars, askDollars] = cells;
  const bad = (what: string): null => {
    findings.add('bad-row', place, what);
    return null;
  };
  if (name === undefined || name === '') return bad('expected the name of a market, found nothing');
  const bids = [centsOf(yesBid), turned(centsOf(noAsk)), dollarsOf(bidDollars)];
  const asks = [turned(centsOf(noBid)), centsOf(yesAsk), dollarsOf(askDollars)];
  const bid = agreed(bids);
  const ask = agreed(asks);
  if (bid === null) return bad(`expected one bid of YES, found ${found([yesBid, noAsk, bidDollars])}`);
  if (ask === null) return bad(`expected one ask of YES, found ${found([noBid, yesAsk, askDollars])}`);
  const at = moments.read(time ?? '', place);
  if (at === null) return null;
  // A side that is empty is told as nothing bid, or as a whole dollar asked.
  return { at, place, ticker: ticker(name), bid: bid <= 0 ? null : bid, ask: ask >= PAYOUT ? null : ask };
}

/** A price as said; `undefined` where there is no such column, `null` where it cannot be read. */
type Said = Price | null | undefined;

const centsOf = (text: string | undefined): Said =>
  text === undefined ? undefined : inRange((parseScaled(text, 0) ?? -1) * PRICE_PER_CENT);
const dollarsOf = (text: string | undefined): Said =>
  text === undefined ? undefined : inRange(parseScaled(text, PRICE_DECIMALS) ?? -1);
const inRange = (value: number): Price | null => (value < 0 || value > PAYOUT ? null : (value as Price));
const turned = (said: Said): Said => (said === undefined || said === null ? said : openingPrice('sell', said));

/** The price that all columns of a side agree on; `null` when there is none. */
function agreed(said: readonly Said[]): Price | null {
  const told = said.filter((price) => price !== undefined);
  const [first = null] = told;
  return told.every((price) => price === first) ? first : null;
}

async function* quotesOf(file: string, telling: Telling): AsyncGenerator<readonly Quote[]> {
  const { findings, options, progress } = telling;
  const moments = new MomentReader(findings, options.timeZone);
  for await (const chunk of csvRows({ file, columns: COLUMNS, ignored: [], findings, onBytes: progress })) {
    const quotes: Quote[] = [];
    for (const row of chunk) {
      telling.count();
      const quote = readQuote(row, moments, findings);
      if (quote !== null) quotes.push(quote);
    }
    yield quotes;
  }
}

/** What stands of a market; `null` while it is not known. */
type Standing = Pick<Quote, 'bid' | 'ask'> | null;

/** Tells quotes as books of one level a side. */
export class QuoteTeller {
  readonly #telling: Telling;
  readonly #qty: Qty;
  readonly #tellsChanges: boolean;
  readonly #standing = new Map<MarketIndex, Standing>();

  /** @param tellsChanges whether a row is there because something changed */
  constructor(telling: Telling, tellsChanges: boolean) {
    this.#telling = telling;
    this.#tellsChanges = tellsChanges;
    this.#qty = telling.options.quoteQty ?? QUOTE_QTY;
    telling.assume(
      `Quotes tell no size: each is taken to stand for ${contractsText(this.#qty)} contracts, alone on its side.`,
    );
  }

  tell({ at: saidAt, place, ticker, bid, ask }: Quote): void {
    const { tickers, clock, findings, emit } = this.#telling;
    const market = tickers.intern(ticker);
    const before = this.#standing.get(market);
    const at = clock.date(saidAt, place);
    if (bid !== null && ask !== null && bid >= ask) {
      findings.add(bid > ask ? 'crossed-quote' : 'locked-quote', place, `${ticker}: bid ${bid}, ask ${ask}`);
      if (before !== null) emit({ kind: 'feed-gap', at, markets: [market], reason: 'both sides of a quote meet' });
      this.#standing.set(market, null);
      return;
    }
    if (this.#tellsChanges && before?.bid === bid && before.ask === ask)
      findings.add('unchanged-quote', place, `${ticker}: bid ${bid}, ask ${ask}`);
    this.#standing.set(market, { bid, ask });
    const levels = (price: Price | null): Levels => (price === null ? [] : [[price, this.#qty]]);
    emit({ kind: 'book-snapshot', at, exchangeAt: null, market, bids: levels(bid), asks: levels(ask) });
  }
}

async function tellQuotes(telling: Telling): Promise<void> {
  const teller = new QuoteTeller(telling, true);
  telling.assume('Times are when the recorder learned of a quote; when the venue had it is not told.');
  if (telling.options.timeZone !== undefined)
    telling.assume(`Times without an offset are those of a clock in ${telling.options.timeZone}.`);
  for await (const chunk of mergeByTime(telling.options.files.map((file) => quotesOf(file, telling))))
    for (const quote of chunk) teller.tell(quote);
}

export const quotesCsv: Format = {
  name: 'quotes-csv',
  description: 'best prices of both sides, one change a row, as CSV',
  accepts: ['.csv', '.csv.gz'],
  tell: tellQuotes,
};
