// The rows of a tape as a table for other programs: one line for each level, delta, print or other event. Must never
// put a price or a quantity through floating point: values leave as exact text or as scaled integers.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { OtherEvent, RowSource } from '../baked/tape-rows.ts';
import { type RowFact, type TimeRange, marketOfFact, rowFacts } from './row-facts.ts';

/** One line of the table. */
export interface ExportRow {
  /** Time of receipt. `venueAt` is the venue's own time of the event. Both in microseconds since the epoch. */
  readonly at: Micros;
  readonly venueAt: Micros | null;
  /** `delta`, `print`, `snapshot`, `level`, or the kind of any other event. */
  readonly kind: string;
  readonly ticker: string | null;
  /** `bid` or `ask` of a level or a delta. The taker's side, `buy` or `sell`, of a print. */
  readonly side: string | null;
  /** Ten-thousandths of a dollar, on the YES scale. */
  readonly price: number | null;
  /** Hundredths of a contract, signed for a delta. For a snapshot, the number of its levels times a hundred. */
  readonly qty: number | null;
  /** A print's id, or any other event as JSON. */
  readonly text: string | null;
}

/** The names of the columns, in the table's sequence. SQL reserves none of them, so none needs quotes there. */
export const EXPORT_COLUMNS = ['received_at', 'venue_at', 'kind', 'ticker', 'side', 'price', 'qty', 'text'] as const;

/** Returns the tape's table, line by line. */
export function* exportRows(source: RowSource, range: TimeRange = {}): Generator<ExportRow> {
  const tickerOf = (market: MarketIndex): string => source.tickers.tickerOf(market);
  for (const fact of rowFacts(source, range)) {
    if (fact.kind === 'snapshot') yield* snapshotRows(fact.row, tickerOf(fact.row.market));
    else yield rowOf(fact, tickerOf);
  }
}

type Fact<Kind extends RowFact['kind']> = Extract<RowFact, { kind: Kind }>;

/** The snapshot itself is a line, too, so that an empty book is visible. */
function* snapshotRows({ at, exchangeAt, bids, asks }: Fact<'snapshot'>['row'], ticker: string): Generator<ExportRow> {
  const base = { at, venueAt: exchangeAt, ticker, text: null };
  yield { ...base, kind: 'snapshot', side: null, price: null, qty: (bids.length + asks.length) * 100 };
  for (const [price, qty] of bids) yield { ...base, kind: 'level', side: 'bid', price, qty };
  for (const [price, qty] of asks) yield { ...base, kind: 'level', side: 'ask', price, qty };
}

function rowOf(
  fact: Fact<'delta'> | Fact<'print'> | Fact<'other'>,
  tickerOf: (market: MarketIndex) => string,
): ExportRow {
  switch (fact.kind) {
    case 'delta': {
      const { at, exchangeAt, market, side, price, change } = fact.row;
      return { at, venueAt: exchangeAt, kind: 'delta', ticker: tickerOf(market), side, price, qty: change, text: null };
    }
    case 'print': {
      const { at, exchangeAt, market, side, price, qty, tradeId } = fact.row;
      const text = tradeId === '' ? null : tradeId;
      return { at, venueAt: exchangeAt, kind: 'print', ticker: tickerOf(market), side, price, qty, text };
    }
    case 'other': {
      const market = marketOfFact(fact);
      const ticker = market === null ? null : tickerOf(market);
      const { at, kind } = fact.row;
      const text = JSON.stringify(withTickers(fact.row, tickerOf));
      return { at, venueAt: venueTimeOf(fact.row), kind, ticker, side: null, price: null, qty: null, text };
    }
  }
}

const venueTimeOf = (event: OtherEvent): Micros | null => ('exchangeAt' in event ? event.exchangeAt : null);

/**
 * Removes market numbers from an event, because they mean nothing outside the tape. A gap gets the tickers of its
 * markets; for other events the table has the ticker in a column.
 */
function withTickers(event: OtherEvent, tickerOf: (market: MarketIndex) => string): object {
  if (event.kind === 'feed-gap') return { ...event, markets: event.markets.map(tickerOf) };
  if (event.kind === 'market') {
    const { index: _number, ...market } = event.market;
    return { ...event, market: { ...market, grid: market.grid.ranges } };
  }
  if (!('market' in event)) return event;
  const { market: _number, ...rest } = event;
  return 'grid' in rest && rest.grid !== undefined ? { ...rest, grid: rest.grid.ranges } : rest;
}
