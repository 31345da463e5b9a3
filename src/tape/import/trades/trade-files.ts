// Imports public trades from CSV and Parquet as prints. Must never read a column about a market's end, such as
// `side_of_close`: it was not known at the time.
import { countedNote } from '../../baked/counted-notes.ts';
import { type Ticker, ticker } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
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

/** The price in dollars, or in cents. */
const PRICES: readonly TextColumn[] = [optionalColumn('price', 'yes_price_dollars'), optionalColumn('yes_price')];

/** The columns of a trade file, in the sequence of `readTrade`. */
const COLUMNS: readonly TextColumn[] = [
  requiredColumn('ticker', 'market_ticker'),
  timeColumn('ts', 'created_time', 'timestamp', 'time'),
  ...PRICES,
  requiredColumn('quantity', 'count_fp', 'count', 'size'),
  requiredColumn('direction', 'taker_outcome_side', 'taker_side'),
  optionalColumn('liquidity_event', 'taker_book_side'),
  optionalColumn('trade_id'),
  optionalColumn('is_block_trade'),
];
/** Columns of known files that are not read. */
const IGNORED = ['date', 'side_of_close', 'no_price', 'no_price_dollars'];

/** Words for the taker's action, with its side on the YES scale. */
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

/** Marks of a trade agreed off the book, as programs write flags. An empty cell is no mark. */
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  '1': true,
  false: false,
  f: false,
  no: false,
  n: false,
  '0': false,
  '': false,
};

/** A public trade in a file. */
export interface Trade {
  readonly at: Micros;
  readonly place: ImportPlace;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** Empty when the file has no ids. */
  readonly tradeId: string;
  readonly isOffBook: boolean;
}

/** Reads the trade of a row. An invalid row is a finding, and gives `null`. */
function readTrade({ cells, place }: TextRow, moments: MomentReader, findings: Findings): Trade | null {
  const [name, time, dollars, cents, count, taker, passive, tradeId = '', block] = cells;
  const bad = (what: string): null => {
    findings.addFinding('bad-row', place, what);
    return null;
  };
  if (name === undefined || name === '') return bad('expected the name of a market, found nothing');
  // A file with both columns may fill one of them in each row.
  const isInCents = dollars === undefined || (dollars === '' && cents !== undefined);
  const price = isInCents ? centsOf(cents) : parseScaled(dollars, PRICE_DECIMALS);
  if (price === null || price <= 0 || price >= PAYOUT)
    return bad(`expected a price between 0 and 1 dollar, found ${foundText(isInCents ? cents : dollars)}`);
  const qty = parseScaled(count ?? '', QTY_DECIMALS);
  if (qty === null || qty <= 0) return bad(`expected a number of contracts of two decimals, found ${foundText(count)}`);
  const side = sideOf(taker);
  if (side === undefined) return bad(`expected the taker's action, such as yes or no, found ${foundText(taker)}`);
  if (passive !== undefined && passive !== '' && sideOf(passive) !== side)
    return bad(`expected a side that agrees with ${foundText(taker)}, found ${foundText(passive)}`);
  const isOffBook = flagOf(block);
  if (isOffBook === undefined) return bad(`expected true or false for a block trade, found ${foundText(block)}`);
  const at = moments.readTime(time ?? '', place);
  if (at === null) return null;
  return { at, place, ticker: ticker(name), side, price: priceOf(price), qty: qtyOf(qty), tradeId, isOffBook };
}

const sideOf = (word: string | undefined): Side | undefined =>
  word !== undefined && Object.hasOwn(SIDES, word) ? SIDES[word] : undefined;

function flagOf(word = ''): boolean | undefined {
  const flag = word.toLowerCase();
  return Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
}

function centsOf(text: string | undefined): number | null {
  const value = parseScaled(text ?? '', 0);
  return value === null ? null : value * PRICE_PER_CENT;
}

async function* tradesOf(file: string, rows: RowReader, context: ImportContext): AsyncGenerator<readonly Trade[]> {
  const { findings, options, addBytes, countRow } = context;
  const moments = new MomentReader(findings, options.timeZone);
  const asked = { columns: COLUMNS, oneOf: [PRICES], ignored: IGNORED, given: options.columns };
  for await (const chunk of rows({ file, ...asked, findings, onBytes: addBytes, countRow })) {
    const trades: Trade[] = [];
    for (const row of chunk) {
      const trade = readTrade(row, moments, findings);
      if (trade !== null) trades.push(trade);
    }
    yield trades;
  }
}

/** Keys in each of the two sets: many times the trades of any market's busiest moment. */
const RECENT_MAX = 20_000;

/** The latest keys, to detect a repeated trade. The number of keys is bounded. */
class RecentKeys {
  #now = new Set<string>();
  #before = new Set<string>();

  /** Returns true when a key is remembered; otherwise remembers it. The latest 20 000 keys are always remembered. */
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

/**
 * Writes trades as prints. A trade with a repeated id is left out. For repeated trades without an id, the option
 * `duplicates` decides.
 */
export class TradeDecoder {
  readonly #context: ImportContext;
  readonly #rows = new RecentKeys();
  readonly #ids = new RecentKeys();

  constructor(context: ImportContext) {
    this.#context = context;
    context.addAssumption('Only trades were recorded: no book is known.');
    context.addAssumption(
      'A trade is taken to have been known the moment it happened: its time of receipt was not recorded.',
    );
    context.addAssumption('Prices are those of YES.');
    if (context.options.duplicates === 'drop') context.findings.setResolution('duplicate', 'left out, as requested');
  }

  emitTrade(trade: Trade): void {
    const { findings, tickers, clock } = this.#context;
    const { place, side, price, qty, tradeId } = trade;
    if (trade.isOffBook) return findings.addFinding('off-book-trade', place, `a block of ${trade.ticker}`);
    if (this.#isDoubled(trade)) return;
    const at = clock.dateRow(trade.at, place);
    const market = tickers.internTicker(trade.ticker);
    this.#context.emitPrint({ at, exchangeAt: trade.at, market, side, price, qty, tradeId });
  }

  #isDoubled({ place, at, ticker, side, price, qty, tradeId }: Trade): boolean {
    const { findings, options } = this.#context;
    if (tradeId !== '') {
      const isDoubled = this.#ids.has(tradeId);
      if (isDoubled) findings.addFinding('doubled-trade-id', place, foundText(tradeId));
      return isDoubled;
    }
    if (!this.#rows.has(`${ticker} ${at} ${price} ${qty} ${side}`)) return false;
    findings.addFinding('duplicate', place, `${ticker} again`);
    return options.duplicates === 'drop';
  }
}

async function importTrades(rows: RowReader, context: ImportContext): Promise<void> {
  const emitter = new TradeDecoder(context);
  for await (const chunk of mergeByTime(context.options.files.map((file) => tradesOf(file, rows, context))))
    for (const trade of chunk) emitter.emitTrade(trade);
  const doubled = context.findings.countOf('duplicate');
  if (doubled === 0) return;
  const note = context.options.duplicates === 'drop' ? 'droppedTrades' : 'equalTrades';
  context.addAssumption(countedNote(note, { counts: [doubled] }));
}

export const tradesCsv: ImportFormat = {
  name: 'trades-csv',
  description: 'public trades, one a row, as CSV',
  options: ['timeZone', 'duplicates', 'columns'],
  accepts: ['.csv', '.csv.gz'],
  columns: COLUMNS,
  importFiles: (context) => importTrades(csvRows, context),
};

export const tradesParquet: ImportFormat = {
  name: 'trades-parquet',
  description: 'public trades, one a row, as Parquet',
  options: ['timeZone', 'duplicates', 'columns'],
  accepts: ['.parquet'],
  columns: COLUMNS,
  importFiles: (context) => importTrades(parquetRows, context),
};
