// What a list may be asked by, as typed values in our units. A member that is `null` was not asked by.
// Nothing here knows how any of it is spelled, nor which endpoint takes which member: the profile says both.
import type { EventTicker, SeriesTicker, Ticker, VenueOrderId } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import type { OrderStatus } from './account-records.ts';

/** Where a market is in its life, as lists of markets are asked by it. */
export type MarketStage = 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
/** Whether markets over several events are wanted: only those, or all but those. */
export type Combos = 'only' | 'exclude';
/** A count of a position that must not be zero. */
export type PositionCount = 'position' | 'total_traded';

/** What a list may be asked by. Every dialect takes a few of these at each endpoint. Both ends of a time range belong to it. */
export interface QueryRecord {
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  readonly eventTicker: EventTicker | null;
  readonly eventTickers: readonly EventTicker[] | null;
  readonly seriesTicker: SeriesTicker | null;
  readonly orderId: VenueOrderId | null;
  /** Of what has neither a ticker nor an order's id. */
  readonly ids: readonly string[] | null;
  readonly orderStatus: OrderStatus | null;
  readonly marketStatus: MarketStage | null;
  readonly combos: Combos | null;
  readonly counts: readonly PositionCount[] | null;
  readonly isOffBook: boolean | null;
  readonly category: string | null;
  /** One of them is enough. */
  readonly tags: readonly string[] | null;

  /** When a row came about; of candles, when they end. */
  readonly minAt: Micros | null;
  readonly maxAt: Micros | null;
  /** When a market was listed, closes, was paid out, was last changed other than by trading. */
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
  /** Changes of the past beside those to come. */
  readonly withPast: boolean | null;
  /** The last candle before the range, carried forward into it. */
  readonly withCandleBefore: boolean | null;

  readonly subaccount: number | null;
  readonly shard: number | null;
}

/** A query that asks nothing. */
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
