// Names of things as branded strings and numbers, so that one is never passed for another.
import { assert } from './assert.ts';

export declare const id: unique symbol;

/** A market's name at the venue, as paths use it. */
export type Ticker = string & { readonly [id]: 'ticker' };
/** The name of an event group: the markets of one happening. */
export type EventTicker = string & { readonly [id]: 'event-ticker' };
/** The name of a recurring family of event groups. */
export type SeriesTicker = string & { readonly [id]: 'series-ticker' };
/** Our name for an order, decided before its first byte leaves; never used twice. */
export type ClientOrderId = string & { readonly [id]: 'client-order-id' };
/** The venue's name for an order. */
export type VenueOrderId = string & { readonly [id]: 'venue-order-id' };
/** The venue's name for a trade; with the order it names a fill. */
export type TradeId = string & { readonly [id]: 'trade-id' };
/** The name a running strategy has in the config. */
export type StrategyName = string & { readonly [id]: 'strategy-name' };
/**
 * A market's dense number within one session: the index of every hot array. Another market's once this one is settled
 * and forgotten: whoever keeps something by it lets go of it then.
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
 * Released numbers rest before they are given out again, until so many others have been released after them: a mistake
 * that still holds one is then far more likely to meet nobody than somebody else.
 */
const RESTING_MIN = 64;

/**
 * Numbers markets. The normalizer and the state share one. The number of a market that everybody has forgotten is
 * released, and given to another one later: so the numbers, and all that is indexed by them, stay as few as the markets
 * that are followed at a time.
 */
export class TickerTable {
  readonly #indexByTicker = new Map<string, MarketIndex>();
  readonly #tickers: (Ticker | undefined)[] = [];
  readonly #resting: MarketIndex[] = [];
  #version = 0;

  /** The market's number, given out now if it is new. */
  intern(name: Ticker): MarketIndex {
    const known = this.#indexByTicker.get(name);
    if (known !== undefined) return known;
    const index = this.#next();
    this.#tickers[index] = name;
    this.#indexByTicker.set(name, index);
    return index;
  }

  #next(): MarketIndex {
    const rested = this.#resting.length > RESTING_MIN ? this.#resting.shift() : undefined;
    if (rested === undefined) return (this.#tickers.push(undefined) - 1) as MarketIndex;
    this.#version += 1;
    return rested;
  }

  /**
   * Takes a market's number back. Nothing may refer to it any more; its ticker, heard again, is a new market's.
   * @throws {AssertionFault} when nobody has the number.
   */
  release(index: MarketIndex): void {
    this.#indexByTicker.delete(this.tickerOf(index));
    this.#tickers[index] = undefined;
    this.#resting.push(index);
    this.#version += 1;
  }

  /** The market's number, or `undefined` when nobody has it. */
  indexOf(name: string): MarketIndex | undefined {
    return this.#indexByTicker.get(name);
  }

  /**
   * The market's name.
   * @throws {AssertionFault} when nobody has the number.
   */
  tickerOf(index: MarketIndex): Ticker {
    const name = this.#tickers[index];
    assert(name !== undefined, `no market has number ${index}`);
    return name;
  }

  /** Each number's market, from 0; `undefined` where nobody has the number. Borrowed: it changes with the table. */
  names(): readonly (Ticker | undefined)[] {
    return this.#tickers;
  }

  /** How many markets have a number now. */
  get count(): number {
    return this.#indexByTicker.size;
  }

  /** How many numbers there are, resting ones included: one more than the greatest. */
  get size(): number {
    return this.#tickers.length;
  }

  /** Changes whenever a number changes hands: then what was learned from the table must be learned anew. */
  get version(): number {
    return this.#version;
  }
}
