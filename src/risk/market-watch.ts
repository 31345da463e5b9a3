// Whether what a market tells can be believed: its last trade, and jumps of its touch that no trade explains.
// Must never doubt a market for ever: a doubt passes with its time, or with the trade that explains it.
import { grownCopy } from '../domain/columns.ts';
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

// What every change of a touch reads is three columns, so that a thousand markets fit the nearest cache. Sums of bid and ask
// stand for twice the mid, so that nothing is halved.
const NO_MID = -1;
const NEVER = Number.NEGATIVE_INFINITY;
const GROWTH = 1.5;

/** Watches every market. */
export class MarketWatch {
  /** The mid that jumps are measured from, and the one that the last change left. */
  #anchor = new Int32Array(0);
  #last = new Int32Array(0);
  /** Until when nothing but the mid says whether it has jumped. */
  #calmUntil = new Float64Array(0);
  /** As of when it is measured from there, and when somebody last traded. */
  #anchoredAt = new Float64Array(0);
  #tradedAt = new Float64Array(0);
  readonly #tradePrice: Price[] = [];
  /** The jump that each market is doubted for, or was. Ten-thousandths of a dollar. */
  readonly #jumps = new Map<MarketIndex, { readonly jump: number; readonly at: Micros; until: number }>();

  /** Takes a change of a touch. Returns how far it jumped when that must be told; 0 otherwise. */
  touched({ market, bid, ask, at }: Touch, { touchJumpMax, jumpPauseMs }: JumpLimits): number {
    if (touchJumpMax === null) return 0;
    if (market >= this.#last.length) this.#grow(market + 1);
    const mid = bid + ask;
    if (at >= (this.#calmUntil[market] ?? NEVER)) this.#look(market, mid, at);
    this.#last[market] = mid;
    const jump = Math.abs(mid - (this.#anchor[market] ?? mid)) / 2;
    return jump <= touchJumpMax ? 0 : this.#jumped({ market, mid, jump, at }, jumpPauseMs ?? PAUSE_MS);
  }

  /** Looks whether what was is still what a mid is measured from. */
  #look(market: MarketIndex, mid: number, at: Micros): void {
    const isTraded = at - (this.#tradedAt[market] ?? NEVER) < WINDOW;
    const isExplained = isTraded || this.#anchor[market] === NO_MID;
    if (isExplained || at - (this.#anchoredAt[market] ?? NEVER) >= WINDOW) {
      this.#anchor[market] = isExplained ? mid : (this.#last[market] ?? mid);
      this.#anchoredAt[market] = at;
    }
    this.#calmUntil[market] = isTraded ? at : (this.#anchoredAt[market] ?? at) + WINDOW;
  }

  #jumped(
    { market, mid, jump, at }: Pick<Touch, 'market' | 'at'> & { readonly mid: number; readonly jump: number },
    pauseMs: number,
  ): number {
    const isNew = at >= (this.#jumps.get(market)?.until ?? NEVER);
    this.#anchor[market] = mid;
    this.#jumps.set(market, { jump, at, until: at + pauseMs * 1000 });
    return isNew ? jump : 0;
  }

  /** A market's book was begun anew: it has not jumped. */
  begun(market: MarketIndex): void {
    if (market >= this.#last.length) return;
    this.#anchor[market] = NO_MID;
    this.#calmUntil[market] = NEVER;
  }

  /** Somebody traded: what the touch did just before is explained. */
  traded(market: MarketIndex, price: Price, at: Micros): void {
    if (market >= this.#last.length) this.#grow(market + 1);
    this.#tradedAt[market] = at;
    this.#calmUntil[market] = NEVER;
    this.#tradePrice[market] = price;
    const jump = this.#jumps.get(market);
    if (jump !== undefined && at - jump.at < WINDOW) jump.until = NEVER;
  }

  /** How far a market has jumped, and how much longer it is doubted; `null` when it is not. */
  doubt(market: MarketIndex, now: Micros): { readonly jump: number; readonly forMs: number } | null {
    const jump = this.#jumps.get(market);
    if (jump === undefined || now >= jump.until) return null;
    return { jump: jump.jump, forMs: Math.ceil((jump.until - now) / 1000) };
  }

  /** The price of the last trade, while it is fresh. */
  lastTrade(market: MarketIndex, now: Micros): Price | null {
    const isFresh = now - (this.#tradedAt[market] ?? NEVER) < TRADE_IS_FRESH;
    return isFresh ? (this.#tradePrice[market] ?? null) : null;
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#jumps.delete(market);
    this.begun(market);
    if (market < this.#tradedAt.length) this.#tradedAt[market] = NEVER;
  }

  #grow(needed: number): void {
    const length = Math.max(needed, Math.ceil(this.#last.length * GROWTH));
    this.#anchor = grownCopy(this.#anchor, new Int32Array(length).fill(NO_MID));
    this.#last = grownCopy(this.#last, new Int32Array(length));
    this.#calmUntil = grownCopy(this.#calmUntil, new Float64Array(length).fill(NEVER));
    this.#anchoredAt = grownCopy(this.#anchoredAt, new Float64Array(length).fill(NEVER));
    this.#tradedAt = grownCopy(this.#tradedAt, new Float64Array(length).fill(NEVER));
  }
}
