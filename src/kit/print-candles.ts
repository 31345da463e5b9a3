// Gathers prints into candles: the trades of each time interval and their prices. Must never invent a candle: an
// interval without a print has none.
import { z } from 'zod';
import { assert } from '../base/assert.ts';
import type { Print } from '../domain/event.ts';
import { type Micros, PAYOUT, type Price, type Qty, addQty, fromMillis, micros, price, qty } from '../domain/units.ts';

/** Options of `Candles`: the length of a candle, and how many are kept. */
export interface CandleOptions {
  /** Length of a candle in milliseconds, above 0. Intervals start at whole multiples since the epoch. */
  readonly intervalMs: number;
  /** Number of closed candles to keep, a positive whole number. The oldest makes room for a new one. */
  readonly capacity: number;
}

/** The prices and quantity of the trades of one interval. */
export interface Candle {
  /** Start of the interval. */
  readonly at: Micros;
  /** Price of the first trade. */
  readonly open: Price;
  /** Highest price of a trade. */
  readonly high: Price;
  /** Lowest price of a trade. */
  readonly low: Price;
  /** Price of the last trade. */
  readonly close: Price;
  /** Quantity traded, in hundredths of a contract. */
  readonly qty: Qty;
  /** Number of prints in the interval. */
  readonly count: number;
  /** Mean price weighted by quantity, in ten-thousandths of a dollar. A ratio, not a price. */
  readonly vwap: number;
}

/** The part of a print that a candle uses. */
export type Traded = Pick<Print, 'at' | 'price' | 'qty'>;

const priceState = z.int().min(0).max(PAYOUT).transform(price);
const candleState = z.strictObject({
  at: z.int().transform(micros),
  open: priceState,
  high: priceState,
  low: priceState,
  close: priceState,
  qty: z.int().min(0).transform(qty),
  count: z.int().positive(),
  vwap: z.number(),
});

/** Schema of the saved state of `Candles`. */
export const candlesState = z.strictObject({ closed: z.array(candleState), current: candleState.nullable() });
/** Saved state of `Candles`, as `candlesState` parses it. */
export type CandlesState = z.output<typeof candlesState>;

/**
 * The candles of one market, made of its prints.
 * @example
 * import { Candles, cents, contracts, fromSeconds, later, micros } from 'presage-trading';
 *
 * const start = micros(0);
 * const candles = new Candles({ intervalMs: 60_000, capacity: 100 });
 * candles.add({ at: start, price: cents(40), qty: contracts(1) });
 * candles.add({ at: later(start, fromSeconds(30)), price: cents(44), qty: contracts(3) });
 * candles.current?.vwap; // 4300
 * const closed = candles.add({ at: later(start, fromSeconds(60)), price: cents(45), qty: contracts(1) });
 * closed?.close; // 4400
 */
export class Candles {
  readonly #interval: Micros;
  readonly #capacity: number;
  readonly #closed: Candle[];
  #current: Candle | null;

  /**
   * Starts empty, or from a saved state.
   * @throws {AssertionFault} unless the interval is positive and the capacity a positive whole number.
   */
  constructor({ intervalMs, capacity }: CandleOptions, restored: CandlesState = { closed: [], current: null }) {
    this.#interval = fromMillis(intervalMs);
    assert(this.#interval > 0, `a candle interval of ${intervalMs} ms is not positive`);
    assert(Number.isSafeInteger(capacity) && capacity > 0, `${capacity} is not a number of candles to keep`);
    this.#capacity = capacity;
    this.#closed = restored.closed.slice(-capacity);
    this.#current = restored.current;
  }

  /** The whole state, for `save`. New `Candles` made from it continue unchanged. */
  get state(): CandlesState {
    return { closed: [...this.#closed], current: this.#current };
  }

  /**
   * Adds a print. Returns the candle that the print closed, or `null`.
   * @throws {AssertionFault} when the print is earlier than the start of the current candle.
   */
  add({ at, price, qty }: Traded): Candle | null {
    const closed = this.closeBy(at);
    const candle = this.#current;
    if (candle === null) {
      const startAt = (Math.floor(at / this.#interval) * this.#interval) as Micros;
      this.#current = { at: startAt, open: price, high: price, low: price, close: price, qty, count: 1, vwap: price };
      return closed;
    }
    assert(at >= candle.at, `a print at ${at} is before the candle of ${candle.at}`);
    const total = addQty(candle.qty, qty);
    this.#current = {
      ...candle,
      high: price > candle.high ? price : candle.high,
      low: price < candle.low ? price : candle.low,
      close: price,
      qty: total,
      count: candle.count + 1,
      vwap: candle.vwap + ((price - candle.vwap) * qty) / Math.max(1, total),
    };
    return closed;
  }

  /**
   * Closes the current candle if its interval is over at `now`, and returns it. Returns `null` when nothing is closed.
   */
  closeBy(now: Micros): Candle | null {
    const candle = this.#current;
    if (candle === null || now < candle.at + this.#interval) return null;
    this.#current = null;
    this.#closed.push(candle);
    if (this.#closed.length > this.#capacity) this.#closed.shift();
    return candle;
  }

  /** The closed candles, oldest first, at most `capacity`. */
  get closed(): readonly Candle[] {
    return this.#closed;
  }

  /** The candle of the current interval; `null` while it has no print. */
  get current(): Candle | null {
    return this.#current;
  }
}
