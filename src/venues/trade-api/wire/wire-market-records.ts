// Wire records of markets and all public data, as typed values in our units on the YES scale. A member is `null` when
// the wire does not carry it. Must never know how any member is spelled on the wire.
import type { EventTicker, SeriesTicker, Ticker, TradeId } from '../../../domain/ids.ts';
import type { Levels } from '../../../domain/event.ts';
import type { MarketResult, MarketStatus } from '../../../domain/market.ts';
import type { Side } from '../../../domain/orders/order.ts';
import type { Micros, Money, Price, Qty } from '../../../domain/units.ts';

/** A range of a market's price grid. The step is a difference of prices. */
export interface RangeRecord {
  readonly start: Price;
  readonly end: Price;
  readonly step: Price;
}

/** A market. The best price of an empty side may come as zero or as one dollar. */
export interface MarketRecord {
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  readonly title: string | null;
  readonly subtitle: string | null;
  readonly yesSubtitle: string | null;
  readonly noSubtitle: string | null;
  readonly status: MarketStatus;
  readonly createdAt: Micros | null;
  readonly openAt: Micros;
  readonly closeAt: Micros;
  readonly expirationAt: Micros | null;
  /** Minimum time from determination to payout, in microseconds. */
  readonly settlementDelay: Micros | null;
  readonly bestBid: Price | null;
  readonly bestBidQty: Qty | null;
  readonly bestAsk: Price | null;
  readonly bestAskQty: Qty | null;
  readonly lastPrice: Price | null;
  readonly previousPrice: Price | null;
  readonly previousBid: Price | null;
  readonly previousAsk: Price | null;
  readonly volume: Qty | null;
  readonly volume24h: Qty | null;
  readonly openInterest: Qty | null;
  readonly liquidity: Money | null;
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
  readonly settledAt: Micros | null;
  readonly canCloseEarly: boolean | null;
  readonly rules: string | null;
  readonly gridName: string | null;
  readonly ranges: readonly RangeRecord[] | null;
  /** Kind of strike. Unknown words are passed through unchanged. */
  readonly strikeType: string | null;
  readonly floorStrike: number | null;
  readonly capStrike: number | null;
  /** True when something other than a single number decides the market. */
  readonly isStrikeCustom: boolean | null;
  readonly updatedAt: Micros | null;
  /** Trades before this time cost no fee. */
  readonly feesWaivedUntil: Micros | null;
  readonly shard: number | null;
}

/** An event group; `markets` is set only when the request asked for the markets, too. */
export interface EventRecord {
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly title: string;
  readonly subtitle: string | null;
  readonly category: string | null;
  readonly isExclusive: boolean;
  /** Overrides of the series' fees. */
  readonly feeType: string | null;
  readonly feeMultiplierPercent: number | null;
  readonly markets: readonly MarketRecord[] | null;
  readonly shard: number | null;
}

export interface SeriesRecord {
  readonly ticker: SeriesTicker;
  readonly title: string;
  readonly category: string | null;
  readonly frequency: string | null;
  readonly feeType: string;
  /** The multiplier of the fee formula, in hundredths: 100 is 1. */
  readonly feeMultiplierPercent: number;
  readonly tags: readonly string[] | null;
  /** Contracts traded in all its markets, if requested. */
  readonly volume: Qty | null;
  readonly shard: number | null;
}

/** A book on the YES scale; the asks are the bids to buy NO. */
export interface BookRecord {
  readonly bids: Levels;
  readonly asks: Levels;
}

/** A public trade; `side` is the taker's. */
export interface PrintRecord {
  readonly tradeId: TradeId;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly at: Micros | null;
  /** True when the trade was negotiated outside the book. */
  readonly isOffBook: boolean | null;
}

/** Prices over a period. A member is `null` when the period has no such price. */
export interface PriceSpanRecord {
  readonly open: Price | null;
  readonly low: Price | null;
  readonly high: Price | null;
  readonly close: Price | null;
}

/** Prices of trades over a period; `previous` is the last price before the period. */
export interface TradedSpanRecord extends PriceSpanRecord {
  readonly mean: Price | null;
  readonly previous: Price | null;
}

export interface CandleRecord {
  /** End of the period, included. */
  readonly endAt: Micros;
  readonly bid: PriceSpanRecord;
  readonly ask: PriceSpanRecord;
  readonly price: TradedSpanRecord;
  readonly volume: Qty;
  readonly openInterest: Qty;
}

/** The exchange's status; with shards, the status of the first. */
export interface StatusRecord {
  readonly isActive: boolean;
  readonly isTrading: boolean;
  readonly canTransfer: boolean | null;
  readonly resumeAt: Micros | null;
  readonly shards: readonly ShardStatusRecord[] | null;
}

export interface ShardStatusRecord {
  readonly shard: number;
  readonly description: string | null;
  readonly isActive: boolean;
  readonly isTrading: boolean;
  readonly canTransfer: boolean | null;
}

export interface MarketAnswer {
  readonly market: MarketRecord;
}
export interface EventAnswer {
  readonly event: EventRecord;
  readonly markets: readonly MarketRecord[] | null;
}
export interface SeriesAnswer {
  readonly series: SeriesRecord;
}
export interface SeriesList {
  readonly series: readonly SeriesRecord[];
}
export interface BookAnswer {
  readonly book: BookRecord;
}
export interface CandlesAnswer {
  readonly ticker: Ticker | null;
  readonly candles: readonly CandleRecord[];
}
/** A page of a list. The last page has no cursor. */
export interface PageRecord<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}
