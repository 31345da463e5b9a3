// Prints gathered into candles: what was traded in each interval of time, at which prices.
// Must never make up a candle: an interval in which nobody traded has none.
import { z } from 'zod';
import { assert } from '../domain/assert.ts';
import type { Print } from '../domain/event.ts';
import { type Micros, PAYOUT, type Price, type Qty, addQty, fromMillis, micros, price, qty } from '../domain/units.ts';

/** How long a candle is, and how many closed ones are kept. */
export interface CandleOptions {
  readonly intervalMs: number;
  readonly capacity: number;
}

/** What was traded in one interval. */
export interface Candle {
  /** When the interval begins: a whole number of them since the epoch. */
  readonly at: Micros;
  readonly open: Price;
  readonly high: Price;
  readonly low: Price;
  readonly close: Price;
  readonly qty: Qty;
  /** How many prints. */
  readonly count: number;
  /** The mean price by quantity, in ten-thousandths of a dollar. A ratio, not a price. */
  readonly vwap: number;
}

/** What a candle takes of a print. */
/** What a candle is made of. */
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

/** What a strategy keeps of `Candles` over a restart. */
export const candlesState = z.strictObject({ closed: z.array(candleState), current: candleState.nullable() });
export type CandlesState = z.output<typeof candlesState>;

/** A market's candles. */
export class Candles {
  readonly #interval: Micros;
  readonly #capacity: number;
  readonly #closed: Candle[];
  #current: Candle | null;

  /**
   * Begins without a print, or where others were left.
   * @throws {AssertionFault} unless the interval is positive and the capacity a positive whole number.
   */
  constructor({ intervalMs, capacity }: CandleOptions, left: CandlesState = { closed: [], current: null }) {
    this.#interval = fromMillis(intervalMs);
    assert(this.#interval > 0, `a candle of ${intervalMs} ms is none`);
    assert(Number.isSafeInteger(capacity) && capacity > 0, `${capacity} candles cannot be kept`);
    this.#capacity = capacity;
    this.#closed = left.closed.slice(-capacity);
    this.#current = left.current;
  }

  /** All there is to them: others that begin with this go on the same. */
  get state(): CandlesState {
    return { closed: [...this.#closed], current: this.#current };
  }

  /**
   * Takes a print. Returns the candle that it closed, which is the one before; `null` where it closed none.
   * @throws {AssertionFault} when its time is before the candle it would belong to.
   */
  add({ at, price, qty }: Traded): Candle | null {
    const closed = this.closeBy(at);
    const was = this.#current;
    if (was === null) {
      const begin = (Math.floor(at / this.#interval) * this.#interval) as Micros;
      this.#current = { at: begin, open: price, high: price, low: price, close: price, qty, count: 1, vwap: price };
      return closed;
    }
    assert(at >= was.at, `a print of ${at} belongs before the candle of ${was.at}`);
    const all = addQty(was.qty, qty);
    this.#current = {
      ...was,
      high: price > was.high ? price : was.high,
      low: price < was.low ? price : was.low,
      close: price,
      qty: all,
      count: was.count + 1,
      vwap: was.vwap + ((price - was.vwap) * qty) / Math.max(1, all),
    };
    return closed;
  }

  /** Closes the candle whose interval is over at a time, and returns it; `null` where none is. */
  closeBy(now: Micros): Candle | null {
    const candle = this.#current;
    if (candle === null || now < candle.at + this.#interval) return null;
    this.#current = null;
    this.#closed.push(candle);
    if (this.#closed.length > this.#capacity) this.#closed.shift();
    return candle;
  }

  /** The closed candles, oldest first: no more than the capacity. */
  get closed(): readonly Candle[] {
    return this.#closed;
  }

  /** The candle of the interval that is not over; `null` while nobody has traded in it. */
  get current(): Candle | null {
    return this.#current;
  }
}
