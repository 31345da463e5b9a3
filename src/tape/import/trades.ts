// Imports public trades from CSV and Parquet as prints, and nothing else. Must never read a column about a market's
// end, such as the closing side: it was not known at the time.
import { type Ticker, ticker } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import {
  type Micros,
  PAYOUT,
  PRICE_DECIMALS,
  PRICE_PER_CENT,
  type Price,
  QTY_DECIMALS,
  type Qty,
  parseScaled,
  price as priceOf,
  qty as qtyOf,
} from '../../domain/units.ts';
import type { ImportPlace } from './fault.ts';
import { type Findings, found } from './findings.ts';
import type { Format, Telling } from './importer.ts';
import { mergeByTime } from './merge.ts';
import { MomentReader } from './moment-reader.ts';
import { parquetRows } from './parquet-rows.ts';
import { type Column, type Rows, type TextRow, csvRows, optional, required, timeColumn } from './text-rows.ts';

/** In the order in which `readTrade` takes them. */
const COLUMNS: readonly Column[] = [
  required('ticker', 'market_ticker'),
  timeColumn('ts', 'created_time', 'timestamp', 'time'),
  optional('price', 'yes_price_dollars'),
  optional('yes_price'),
  required('quantity', 'count_fp', 'count', 'size'),
  required('direction', 'taker_outcome_side', 'taker_side'),
  optional('liquidity_event', 'taker_book_side'),
  optional('trade_id'),
  optional('is_block_trade'),
];
/** The closing side is in the files and is ignored. */
const IGNORED = ['date', 'side_of_close', 'no_price', 'no_price_dollars'];

/** Words for the taker's action, on the YES book. */
const SIDES: Readonly<Record<string, Side>> = {
  yes: 'buy',
  no: 'sell',
  yes_taker: 'buy',
  no_taker: 'sell',
  lift_offer: 'buy',
  hit_bid: 'sell',
  bid: 'buy',
  ask: 'sell',
};

/** A public trade in a file. */
export interface Trade {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** Empty where the file has none. */
  readonly tradeId: string;
  readonly isOffBook: boolean;
}

/** The trade of a row; `null` when the row is invalid, which is a finding. */
function readTrade({ cells, place }: TextRow, moments: MomentReader, findings: Findings): Trade | null {
  const [name, time, dollars, cents, count, taker, passive, tradeId = '', block] = cells;
  const bad = (what: string): null => {
    findings.add('bad-row', place, what);
    return null;
  };
  if (name === undefined || name === '') return bad('expected the name of a market, found nothing');
  const price = dollars === undefined ? centsOf(cents) : parseScaled(dollars, PRICE_DECIMALS);
  if (price === null || price <= 0 || price >= PAYOUT)
    return bad(`expected a price between 0 and 1 dollar, found ${found(dollars ?? cents)}`);
  const qty = parseScaled(count ?? '', QTY_DECIMALS);
  if (qty === null || qty <= 0) return bad(`expected a number of contracts of two decimals, found ${found(count)}`);
  const side = sideOf(taker);
  if (side === undefined) return bad(`expected the taker's action, such as yes or no, found ${found(taker)}`);
  if (passive !== undefined && passive !== '' && sideOf(passive) !== side)
    return bad(`expected a side that agrees with ${found(taker)}, found ${found(passive)}`);
  const at = moments.read(time ?? '', place);
  if (at === null) return null;
  const isOffBook = block?.toLowerCase() === 'true';
  return { at, place, ticker: ticker(name), side, price: priceOf(price), qty: qtyOf(qty), tradeId, isOffBook };
}

const sideOf = (word: string | undefined): Side | undefined =>
  word !== undefined && Object.hasOwn(SIDES, word) ? SIDES[word] : undefined;

function centsOf(text: string | undefined): number | null {
  const value = parseScaled(text ?? '', 0);
  return value === null ? null : value * PRICE_PER_CENT;
}

async function* tradesOf(file: string, rows: Rows, context: Telling): AsyncGenerator<readonly Trade[]> {
  const { findings, options, progress } = context;
  const moments = new MomentReader(findings, options.timeZone);
  const given = options.columns;
  for await (const chunk of rows({ file, columns: COLUMNS, ignored: IGNORED, findings, given, onBytes: progress })) {
    const trades: Trade[] = [];
    for (const row of chunk) {
      context.count();
      const trade = readTrade(row, moments, findings);
      if (trade !== null) trades.push(trade);
    }
    yield trades;
  }
}

/** Many times the trades of any market's busiest moment. */
const RECENT_MAX = 20_000;

/** The latest keys, to detect a repeated trade. Bounded, so that it does not grow with the file. */
class RecentKeys {
  #now = new Set<string>();
  #before = new Set<string>();

  /** True when a key is among the latest 20 000 at least. Remembers the key. */
  has(key: string): boolean {
    if (this.#now.has(key) || this.#before.has(key)) return true;
    if (this.#now.size >= RECENT_MAX) {
      this.#before = this.#now;
      this.#now = new Set();
    }
    this.#now.add(key);
    return false;
  }
}

/** Writes trades as prints; repeated ones according to the options. */
export class TradeTeller {
  readonly #context: Telling;
  readonly #rows = new RecentKeys();
  readonly #ids = new RecentKeys();

  constructor(context: Telling) {
    this.#context = context;
    context.assume('Only trades were recorded: no book is known.');
    context.assume('A trade is taken to have been known the moment it happened: its time of receipt was not recorded.');
    context.assume('Prices are those of YES.');
    if (context.options.duplicates === 'drop') context.findings.resolve('duplicate', 'left out, as requested');
  }

  tell(trade: Trade): void {
    const { findings, tickers, clock } = this.#context;
    const { place, side, price, qty, tradeId } = trade;
    if (trade.isOffBook) return findings.add('off-book-trade', place, `a block of ${trade.ticker}`);
    if (this.#isDoubled(trade)) return;
    const at = clock.date(trade.at, place);
    const market = tickers.intern(trade.ticker);
    this.#context.print({ at, exchangeAt: trade.at, market, side, price, qty, tradeId });
  }

  #isDoubled({ place, at, ticker, side, price, qty, tradeId }: Trade): boolean {
    const { findings, options } = this.#context;
    if (tradeId !== '') {
      const isDoubled = this.#ids.has(tradeId);
      if (isDoubled) findings.add('doubled-trade-id', place, found(tradeId));
      return isDoubled;
    }
    if (!this.#rows.has(`${ticker} ${at} ${price} ${qty} ${side}`)) return false;
    findings.add('duplicate', place, `${ticker} again`);
    return options.duplicates === 'drop';
  }
}

async function importTrades(rows: Rows, context: Telling): Promise<void> {
  const emitter = new TradeTeller(context);
  for await (const chunk of mergeByTime(context.options.files.map((file) => tradesOf(file, rows, context))))
    for (const trade of chunk) emitter.tell(trade);
  const doubled = context.findings.count('duplicate');
  if (doubled === 0) return;
  context.assume(
    context.options.duplicates === 'drop'
      ? `${doubled} trades that equal an earlier one in everything were left out as repeated.`
      : `${doubled} trades that equal an earlier one in everything are taken for trades of their own: ` +
          'one order that meets several of the same size makes them, and the file names no trade.',
  );
}

export const tradesCsv: Format = {
  name: 'trades-csv',
  description: 'public trades, one a row, as CSV',
  accepts: ['.csv', '.csv.gz'],
  columns: COLUMNS,
  tell: (context) => importTrades(csvRows, context),
};

export const tradesParquet: Format = {
  name: 'trades-parquet',
  description: 'public trades, one a row, as Parquet',
  accepts: ['.parquet'],
  columns: COLUMNS,
  tell: (context) => importTrades(parquetRows, context),
};
