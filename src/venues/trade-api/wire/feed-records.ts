// What the wire can say of the feed: its messages, commands and replies, as typed values in our units on the YES scale.
// A member that is `null` was not said. Nothing here knows how any of it is spelled.
import type { EventTicker, SeriesTicker, Ticker } from '../../../domain/ids.ts';
import type { MarketResult } from '../../../domain/market.ts';
import type { Micros, Price, Qty } from '../../../domain/units.ts';
import type { BookRecord, RangeRecord } from './market-records.ts';

/** Which list a subscription follows. */
export type Channel = 'book' | 'ticker' | 'prints' | 'fills' | 'orders' | 'positions' | 'lifecycle' | 'groups';

export interface SnapshotRecord extends BookRecord {
  readonly ticker: Ticker;
}

export interface DeltaRecord {
  readonly ticker: Ticker;
  readonly side: 'bid' | 'ask';
  readonly price: Price;
  /** Signed change of the level. */
  readonly change: Qty;
  /** Ours, where the change was. */
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
  /** The same two in whole dollars, as the venue reckons them. */
  readonly dollarVolume: number | null;
  readonly dollarOpenInterest: number | null;
  readonly at: Micros | null;
}

/** What befell a market, in its life's own words. */
export type LifeChange =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close-moved'
  | 'determined'
  | 'settled'
  | 'grid-changed'
  | 'described';

/** What a market is, as its listing tells it. */
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
  /** Whether trading has stopped in it, or goes on. */
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

/** An event group's fees differ from its series' from now on; `null` when they do no more. */
export interface FeeChangeRecord {
  readonly eventTicker: EventTicker;
  readonly feeType: string | null;
  readonly feeMultiplierPercent: number | null;
}

export interface SubscribeRecord {
  readonly channels: readonly Channel[];
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
  /** Whether prices of NO bids come on the YES scale. */
  readonly onYesScale: boolean | null;
  /** Whether the current ticker comes first. */
  readonly withSnapshot: boolean | null;
  /** Whether acknowledgments leave out the list of markets. */
  readonly skipsList: boolean | null;
  /** In how many parts the messages are divided among connections, and which part, from 0, is this one's. */
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
  /** What is followed, or is no longer, that is not a market. */
  readonly names: readonly string[] | null;
  /** Whether the current ticker of what is added comes first. */
  readonly withSnapshot: boolean | null;
  readonly action: 'add' | 'delete' | 'snapshot' | 'follow' | 'unfollow';
}
export interface SubscribedRecord {
  readonly channel: Channel;
  readonly sid: number;
}
/** Every market of the subscription, after the change. */
export interface UpdatedRecord {
  readonly tickers: readonly Ticker[] | null;
}
export interface FeedErrorRecord {
  readonly code: number;
  readonly message: string | null;
  readonly ticker: Ticker | null;
  readonly tickers: readonly Ticker[] | null;
}
