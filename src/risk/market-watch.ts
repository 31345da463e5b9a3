// Whether what a market tells can be believed: its last trade, and jumps of its touch that no trade explains.
// Must never doubt a market for ever: a doubt passes with its time, or with the trade that explains it.
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, type Price, fromSeconds } from '../domain/units.ts';

/** Within how long a jump counts as one, and a trade before or after explains it. Microseconds. */
const WINDOW = fromSeconds(1);
/** How long a trade says what a market is worth. Microseconds. */
const TRADE_IS_FRESH = fromSeconds(60);

/** A touch as it is now, of a book that has both sides: another has no middle. */
export interface Touch {
  readonly market: MarketIndex;
  readonly bid: Price;
  readonly ask: Price;
  /** How many times the book was begun anew: a new book has not jumped. */
  readonly epoch: number;
  readonly at: Micros;
}

/** What jumps are measured with. */
export interface JumpLimits {
  /** Ten-thousandths of a dollar; `null` where nothing is doubted. */
  readonly touchJumpMax: number | null;
  readonly jumpPauseMs: number | null;
}

/** How long a jump is doubted where the limits do not say. Milliseconds. */
const PAUSE_MS = 1000;

// A market's doubt is one row of numbers, so that what every change of a touch reads shares a cache line. Sums of bid and
// ask stand for twice the mid, so that nothing is halved.
const EPOCH = 0;
/** The mid as it stood when the window began, and as the last change left it. */
const ANCHOR = 1;
const ANCHORED_AT = 2;
const LAST = 3;
const TRADED_AT = 4;
const PAUSED_UNTIL = 5;
const JUMPED_AT = 6;
/** How far it jumped. Ten-thousandths of a dollar. */
const JUMP = 7;
const ROW_LENGTH = 8;
const NOTHING_SEEN: readonly number[] = [-1, 0, -Infinity, 0, -Infinity, 0, -Infinity, 0];
const GROWTH = 1.5;

/** Watches every market. */
export class MarketWatch {
  #rows = new Float64Array(0);
  readonly #tradePrice: Price[] = [];

  /** Takes a change of a touch. Returns how far it jumped when that must be told; 0 otherwise. */
  touched({ market, bid, ask, epoch, at }: Touch, { touchJumpMax, jumpPauseMs }: JumpLimits): number {
    if (touchJumpMax === null) return 0;
    const row = this.#rowOf(market);
    const rows = this.#rows;
    const mid = bid + ask;
    const isExplained = rows[row + EPOCH] !== epoch || at - (rows[row + TRADED_AT] ?? 0) < WINDOW;
    if (isExplained || at - (rows[row + ANCHORED_AT] ?? 0) >= WINDOW) {
      rows[row + ANCHOR] = isExplained ? mid : (rows[row + LAST] ?? 0);
      rows[row + ANCHORED_AT] = at;
    }
    rows[row + EPOCH] = epoch;
    rows[row + LAST] = mid;
    const jump = Math.abs(mid - (rows[row + ANCHOR] ?? 0)) / 2;
    if (jump <= touchJumpMax) return 0;
    const isNew = at >= (rows[row + PAUSED_UNTIL] ?? 0);
    rows[row + ANCHOR] = mid;
    rows[row + JUMP] = jump;
    rows[row + JUMPED_AT] = at;
    rows[row + PAUSED_UNTIL] = at + (jumpPauseMs ?? PAUSE_MS) * 1000;
    return isNew ? jump : 0;
  }

  /** Somebody traded: what the touch did just before is explained. */
  traded(market: MarketIndex, price: Price, at: Micros): void {
    const row = this.#rowOf(market);
    const rows = this.#rows;
    rows[row + TRADED_AT] = at;
    this.#tradePrice[market] = price;
    if (at - (rows[row + JUMPED_AT] ?? 0) < WINDOW) rows[row + PAUSED_UNTIL] = 0;
  }

  /** How far a market has jumped, and how much longer it is doubted; `null` when it is not. */
  doubt(market: MarketIndex, now: Micros): { readonly jump: number; readonly forMs: number } | null {
    const row = this.#rowOf(market);
    const pausedUntil = this.#rows[row + PAUSED_UNTIL] ?? 0;
    if (now >= pausedUntil) return null;
    return { jump: this.#rows[row + JUMP] ?? 0, forMs: Math.ceil((pausedUntil - now) / 1000) };
  }

  /** The price of the last trade, while it is fresh. */
  lastTrade(market: MarketIndex, now: Micros): Price | null {
    const row = this.#rowOf(market);
    const isFresh = now - (this.#rows[row + TRADED_AT] ?? 0) < TRADE_IS_FRESH;
    return isFresh ? (this.#tradePrice[market] ?? null) : null;
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    const row = this.#rowOf(market);
    this.#rows.set(NOTHING_SEEN, row);
  }

  /** Where a market's row begins; there is one afterwards, perhaps in an array that has grown. */
  #rowOf(market: MarketIndex): number {
    const row = market * ROW_LENGTH;
    if (row >= this.#rows.length) this.#grow(row + ROW_LENGTH);
    return row;
  }

  #grow(needed: number): void {
    const seen = this.#rows.length;
    const length = Math.max(needed, Math.ceil((seen * GROWTH) / ROW_LENGTH) * ROW_LENGTH);
    const grown = new Float64Array(length);
    grown.set(this.#rows);
    for (let row = seen; row < length; row += ROW_LENGTH) grown.set(NOTHING_SEEN, row);
    this.#rows = grown;
  }
}
