// Names as branded strings and numbers, so that one is never passed for another.
import { assert } from '../base/assert.ts';

export declare const id: unique symbol;

/** A market's name at the venue. */
export type Ticker = string & { readonly [id]: 'ticker' };
/** The name of an event group: the markets of one happening. */
export type EventTicker = string & { readonly [id]: 'event-ticker' };
/** The name of a recurring family of event groups. */
export type SeriesTicker = string & { readonly [id]: 'series-ticker' };
/** Our name of an order, minted before the order is sent; never used twice. */
export type ClientOrderId = string & { readonly [id]: 'client-order-id' };
/** The venue's own id of an order, given when it accepts the order. */
export type VenueOrderId = string & { readonly [id]: 'venue-order-id' };
/** The venue's name for a trade. The trade id and the order's id together name a fill. */
export type TradeId = string & { readonly [id]: 'trade-id' };
/** The name a running strategy has in the config. */
export type StrategyName = string & { readonly [id]: 'strategy-name' };
/**
 * A market's number within one session, used as an index of arrays. Some time after the settlement, the number may be
 * given to another market. Anything stored under the number must be dropped then.
 * @example
 * import { type MarketIndex, type StrategyView } from 'presage-trading';
 *
 * export const spreadOf = (view: StrategyView, market: MarketIndex): number | null => view.book(market).spread;
 */
export type MarketIndex = number & { readonly [id]: 'market-index' };

export const ticker = (text: string): Ticker => named(text, 'ticker') as Ticker;
export const eventTicker = (text: string): EventTicker => named(text, 'event ticker') as EventTicker;
export const seriesTicker = (text: string): SeriesTicker => named(text, 'series ticker') as SeriesTicker;
export const clientOrderId = (text: string): ClientOrderId => named(text, 'client order id') as ClientOrderId;
export const venueOrderId = (text: string): VenueOrderId => named(text, 'venue order id') as VenueOrderId;
export const tradeId = (text: string): TradeId => named(text, 'trade id') as TradeId;
export const strategyName = (text: string): StrategyName => named(text, 'strategy name') as StrategyName;

function named(text: string, what: string): string {
  assert(text.length > 0, `${what} is empty`);
  return text;
}

/**
 * A released number is reused only after this many later releases. Until then a stale reference finds no market, rather
 * than a wrong one.
 */
const RELEASED_MIN = 64;

/**
 * Numbers markets, for the normalizer and the state alike. The number of a removed market is reused, so arrays by
 * number stay short.
 */
export class TickerTable {
  /** Number of each market. Added by `internTicker`; removed by `releaseIndex`. */
  readonly #indexByTicker = new Map<string, MarketIndex>();
  readonly #tickers: (Ticker | undefined)[] = [];
  /** Released numbers, oldest first. Added by `releaseIndex`; removed when reused. */
  readonly #released: MarketIndex[] = [];
  #version = 0;

  /** The number of a market; a new market gets one now. */
  internTicker(name: Ticker): MarketIndex {
    const known = this.#indexByTicker.get(name);
    if (known !== undefined) return known;
    const index = this.#next();
    this.#tickers[index] = name;
    this.#indexByTicker.set(name, index);
    return index;
  }

  #next(): MarketIndex {
    const reused = this.#released.length > RELEASED_MIN ? this.#released.shift() : undefined;
    if (reused === undefined) return (this.#tickers.push(undefined) - 1) as MarketIndex;
    this.#version += 1;
    return reused;
  }

  /**
   * Releases a market's number. Nothing may refer to the number any longer.
   * @throws {AssertionFault} when no market has the number.
   */
  releaseIndex(index: MarketIndex): void {
    this.#indexByTicker.delete(this.tickerOf(index));
    this.#tickers[index] = undefined;
    this.#released.push(index);
    this.#version += 1;
  }

  indexOf(name: string): MarketIndex | undefined {
    return this.#indexByTicker.get(name);
  }

  /**
   * The market's name.
   * @throws {AssertionFault} when no market has the number.
   */
  tickerOf(index: MarketIndex): Ticker {
    const name = this.#tickers[index];
    assert(name !== undefined, `no market has number ${index}`);
    return name;
  }

  /** The market of each number, from 0; `undefined` for a released number. The array changes with the table. */
  tickersByIndex(): readonly (Ticker | undefined)[] {
    return this.#tickers;
  }

  get count(): number {
    return this.#indexByTicker.size;
  }

  /** One more than the greatest number given so far. */
  get size(): number {
    return this.#tickers.length;
  }

  /** Changes whenever a number is released or reused: anything derived from the table must then be derived again. */
  get version(): number {
    return this.#version;
  }
}
