// Wire records of the feed: messages, commands and replies, as typed values in our units on the YES scale. A member is
// `null` when the wire does not carry it. Must never know how any member is spelled on the wire.
import type { EventTicker, SeriesTicker, Ticker } from '../../../domain/ids.ts';
import type { MarketResult } from '../../../domain/market.ts';
import type { Micros, Price, Qty } from '../../../domain/units.ts';
import type { BookRecord, RangeRecord } from './wire-market-records.ts';

/** The kind of messages that a subscription receives. */
export type Channel = 'book' | 'ticker' | 'prints' | 'fills' | 'orders' | 'positions' | 'lifecycle' | 'groups';

export interface SnapshotRecord extends BookRecord {
  readonly ticker: Ticker;
}

export interface DeltaRecord {
  readonly ticker: Ticker;
  readonly side: 'bid' | 'ask';
  readonly price: Price;
  readonly change: Qty;
  /** Our order's id, when one of our orders caused the change. */
  readonly clientOrderId: string | null;
  readonly at: Micros | null;
}

export interface TickerRecord {
  readonly ticker: Ticker;
  readonly lastPrice: Price | null;
  readonly bestBid: Price | null;
  readonly bestBidQty: Qty | null;
  readonly bestAsk: Price | null;
  readonly bestAskQty: Qty | null;
  readonly lastQty: Qty | null;
  readonly volume: Qty;
  readonly openInterest: Qty;
  /** Volume and open interest in whole dollars, as the venue computes them. */
  readonly dollarVolume: number | null;
  readonly dollarOpenInterest: number | null;
  readonly at: Micros | null;
}

/** The kinds of change in a market's life. */
export type LifeChange =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close-moved'
  | 'determined'
  | 'settled'
  | 'grid-changed'
  | 'described';

/** A market's description, as its listing gives it. */
export interface MarketDescriptionRecord {
  readonly eventTicker: EventTicker | null;
  readonly title: string | null;
  readonly yesSubtitle: string | null;
  readonly noSubtitle: string | null;
  readonly rules: string | null;
  readonly canCloseEarly: boolean | null;
  readonly expirationAt: Micros | null;
  readonly strikeType: string | null;
  readonly floorStrike: number | null;
  readonly capStrike: number | null;
}

export interface MarketLifeRecord {
  readonly ticker: Ticker;
  readonly change: LifeChange;
  readonly openAt: Micros | null;
  readonly closeAt: Micros | null;
  readonly result: MarketResult | null;
  readonly determinedAt: Micros | null;
  readonly settlementValue: Price | null;
  readonly settledAt: Micros | null;
  readonly gridName: string | null;
  readonly ranges: readonly RangeRecord[] | null;
  /** True when trading in the market has been halted; false when trading resumes. */
  readonly isHalted: boolean | null;
  readonly shard: number | null;
  readonly described: MarketDescriptionRecord | null;
}

export interface EventLifeRecord {
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker | null;
  readonly title: string | null;
  readonly subtitle: string | null;
}

/** A fee override of an event group, in force from now on; all `null` when the series' fees apply again. */
export interface FeeChangeRecord {
  readonly eventTicker: EventTicker;
  readonly feeType: string | null;
  readonly feeMultiplierPercent: number | null;
}

export interface SubscribeRecord {
  readonly channels: readonly Channel[];
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  /** True when prices of NO bids shall come on the YES scale. */
  readonly onYesScale: boolean | null;
  /** True when a message with the present prices of each market (a ticker message) shall come first. */
  readonly withSnapshot: boolean | null;
  /** True when acknowledgments shall omit the list of markets. */
  readonly skipsList: boolean | null;
  /** Number of parts among which connections divide the messages, and this connection's part, from 0. */
  readonly parts: number | null;
  readonly part: number | null;
}
export interface UnsubscribeRecord {
  readonly sids: readonly number[];
}
export interface UpdateSubscriptionRecord {
  readonly sid: number | null;
  readonly sids: readonly number[] | null;
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  /** Names that are not markets, for `follow` and `unfollow`. */
  readonly names: readonly string[] | null;
  /** True when a ticker message of each added market shall come first. */
  readonly withSnapshot: boolean | null;
  readonly action: 'add' | 'delete' | 'snapshot' | 'follow' | 'unfollow';
}
export interface SubscribedRecord {
  readonly channel: Channel;
  readonly sid: number;
}
/** The markets of the subscription after a change. */
export interface UpdatedRecord {
  readonly tickers: readonly Ticker[] | null;
}
export interface FeedErrorRecord {
  readonly code: number;
  readonly message: string | null;
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
}
