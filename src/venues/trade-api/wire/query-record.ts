// The parameters of reads, as typed values in our units. A member is `null` when the parameter is absent. Must never
// know how a member is spelled nor which endpoint takes it: the profile defines both.
import type { EventTicker, SeriesTicker, Ticker, VenueOrderId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import type { OrderStatus } from './wire-account-records.ts';

/** A market's life stage, as a filter. */
export type MarketStage = 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
/** Filter on combinations of markets: only combinations, or everything else. */
export type Combos = 'only' | 'exclude';
/** Filter on positions: the count that must not be zero. */
export type PositionCount = 'position' | 'total_traded';

/** The parameters of a read. Each endpoint takes a few of these. Time ranges include both ends. */
export interface QueryRecord {
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  readonly eventTicker: EventTicker | null;
  readonly eventTickers: readonly EventTicker[] | null;
  readonly seriesTicker: SeriesTicker | null;
  readonly orderId: VenueOrderId | null;
  /** Ids of objects other than markets, event groups and orders. */
  readonly ids: readonly string[] | null;
  readonly orderStatus: OrderStatus | null;
  readonly marketStatus: MarketStage | null;
  readonly combos: Combos | null;
  readonly counts: readonly PositionCount[] | null;
  readonly isOffBook: boolean | null;
  readonly category: string | null;
  /** A series with any of these tags is listed. */
  readonly tags: readonly string[] | null;

  /** Range of a row's creation time; for candles, of their end. */
  readonly minAt: Micros | null;
  readonly maxAt: Micros | null;
  /**
   * Ranges of a market's listing, close and settlement, and the minimum time of its last change other than by trading.
   */
  readonly minCreatedAt: Micros | null;
  readonly maxCreatedAt: Micros | null;
  readonly minCloseAt: Micros | null;
  readonly maxCloseAt: Micros | null;
  readonly minSettledAt: Micros | null;
  readonly maxSettledAt: Micros | null;
  readonly minUpdatedAt: Micros | null;
  readonly periodMinutes: number | null;

  readonly limit: number | null;
  readonly cursor: string | null;
  readonly depth: number | null;

  readonly withMarkets: boolean | null;
  readonly withMilestones: boolean | null;
  readonly withVolume: boolean | null;
  /** Include past changes. */
  readonly withPast: boolean | null;
  /** Prepend the last candle before the range. */
  readonly withCandleBefore: boolean | null;

  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** A query without parameters. */
export const NO_QUERY: QueryRecord = {
  ticker: null,
  tickers: null,
  eventTicker: null,
  eventTickers: null,
  seriesTicker: null,
  orderId: null,
  ids: null,
  orderStatus: null,
  marketStatus: null,
  combos: null,
  counts: null,
  isOffBook: null,
  category: null,
  tags: null,
  minAt: null,
  maxAt: null,
  minCreatedAt: null,
  maxCreatedAt: null,
  minCloseAt: null,
  maxCloseAt: null,
  minSettledAt: null,
  maxSettledAt: null,
  minUpdatedAt: null,
  periodMinutes: null,
  limit: null,
  cursor: null,
  depth: null,
  withMarkets: null,
  withMilestones: null,
  withVolume: null,
  withPast: null,
  withCandleBefore: null,
  subaccount: null,
  shard: null,
};
