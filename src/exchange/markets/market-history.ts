// A market's recent past, for display: a bounded list of prints, and one-minute bars of touch, price and volume. Must
// never be read by matching or the ledger.
import { EPOCH, type Micros, NO_QTY, type Price, type Qty, addQty, qty } from '../../domain/units.ts';
import type { PrintView } from '../machine/exchange-output.ts';

/** Open, high, low and close of a price within a minute. */
export interface PriceBar {
  open: Price;
  high: Price;
  low: Price;
  close: Price;
}

/** One minute of a market. A side without a recorded price is `null`. */
export interface Bar {
  /** End of the minute. A print at exactly this time belongs to the next bar. */
  endAt: Micros;
  bid: PriceBar | null;
  ask: PriceBar | null;
  price: PriceBar | null;
  /** Σ price × qty of the prints. Divided by the volume it is the mean price. */
  notional: number;
  volume: Qty;
  openInterest: Qty;
}

const MINUTE_US = 60_000_000;
const DAY_MINUTES = 1440;
const BARS_MAX = 2 * DAY_MINUTES;
const PRINTS_MAX = 2000;

/** A market's history as plain data. */
export interface HistoryImage {
  readonly prints: readonly PrintView[];
  readonly bars: readonly Bar[];
  readonly dayMinute: number;
  readonly dayVolume: Qty;
}

const NO_PAST: HistoryImage = { prints: [], bars: [], dayMinute: -1, dayVolume: NO_QTY };

/** The history of one market: prints, one-minute bars, and the volume of the last day. */
export class MarketHistory {
  readonly #prints: PrintView[];
  readonly #bars: Bar[];
  #dayMinute: number;
  #dayVolume: Qty;

  constructor({ prints, bars, dayMinute, dayVolume }: HistoryImage = NO_PAST) {
    this.#prints = [...prints];
    this.#bars = copyOf(bars);
    this.#dayMinute = dayMinute;
    this.#dayVolume = dayVolume;
  }

  image(): HistoryImage {
    const [prints, bars] = [[...this.#prints], copyOf(this.#bars)];
    return { prints, bars, dayMinute: this.#dayMinute, dayVolume: this.#dayVolume };
  }

  get prints(): readonly PrintView[] {
    return this.#prints.slice(-PRINTS_MAX);
  }

  get bars(): readonly Bar[] {
    return copyOf(this.#bars);
  }

  addPrint(print: PrintView, openInterest: Qty): void {
    // Old prints are dropped in bulk: dropping one at a time would move the whole list at every print.
    if (this.#prints.push(print) > 2 * PRINTS_MAX) this.#prints.splice(0, PRINTS_MAX);
    const bar = this.#barAt(print.at);
    bar.price = widen(bar.price, print.price);
    bar.notional += print.price * print.qty;
    bar.volume = addQty(bar.volume, print.qty);
    this.#dayVolume = addQty(this.#dayVolume, print.qty);
    bar.openInterest = openInterest;
  }

  /** Records the touch after a change of the book or a trade; `null` for an empty side. */
  recordTouch(at: Micros, bid: Price | null, ask: Price | null): void {
    const bar = this.#barAt(at);
    if (bid !== null) bar.bid = widen(bar.bid, bid);
    if (ask !== null) bar.ask = widen(bar.ask, ask);
  }

  volume24h(at: Micros): Qty {
    const minute = Math.floor(at / MINUTE_US);
    if (minute !== this.#dayMinute) {
      // The sum is computed once a minute; prints add to it as they come.
      this.#dayMinute = minute;
      this.#dayVolume = this.#volumeSince((at - DAY_MINUTES * MINUTE_US) as Micros);
    }
    return this.#dayVolume;
  }

  #volumeSince(since: Micros): Qty {
    let volume = 0;
    for (let i = this.#bars.length - 1; i >= 0; i--) {
      const bar = this.#bars[i];
      if (bar === undefined || bar.endAt <= since) break;
      volume += bar.volume;
    }
    return qty(volume);
  }

  #barAt(at: Micros): Bar {
    const endAt = (Math.floor(at / MINUTE_US) * MINUTE_US + MINUTE_US) as Micros;
    const last = this.#bars.at(-1);
    if (last?.endAt === endAt) return last;
    const bar: Bar = {
      endAt: endAt > EPOCH ? endAt : EPOCH,
      bid: null,
      ask: null,
      price: null,
      notional: 0,
      volume: NO_QTY,
      openInterest: last?.openInterest ?? NO_QTY,
    };
    if (this.#bars.push(bar) > BARS_MAX) this.#bars.shift();
    return bar;
  }
}

const copyOf = (bars: readonly Bar[]): Bar[] =>
  bars.map((bar) => ({
    ...bar,
    bid: bar.bid && { ...bar.bid },
    ask: bar.ask && { ...bar.ask },
    price: bar.price && { ...bar.price },
  }));

function widen(bar: PriceBar | null, price: Price): PriceBar {
  if (bar === null) return { open: price, high: price, low: price, close: price };
  if (price > bar.high) bar.high = price;
  if (price < bar.low) bar.low = price;
  bar.close = price;
  return bar;
}
