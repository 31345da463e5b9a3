// Whether what a market tells can be believed: its last trade, and jumps of its touch that no trade explains.
// Must never doubt a market for ever: a doubt passes with its time, or with the trade that explains it.
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, type Price, fromSeconds } from '../domain/units.ts';

/** Within how long a jump counts as one, and a trade before or after explains it. Microseconds. */
const WINDOW = fromSeconds(1);
/** How long a trade says what a market is worth. Microseconds. */
const TRADE_IS_FRESH = fromSeconds(60);

/** A touch as it is now. */
export interface Touch {
  readonly market: MarketIndex;
  readonly bid: Price | null;
  readonly ask: Price | null;
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

/** A market's doubt. Sums of bid and ask stand for twice the mid, so that nothing is halved. */
interface Watched {
  epoch: number;
  /** The mid as it stood when the window began, and as the last change left it. */
  anchor: number;
  anchoredAt: number;
  last: number;
  tradedAt: number;
  tradePrice: Price | null;
  jumpedAt: number;
  pausedUntil: number;
  /** How far it jumped. Ten-thousandths of a dollar. */
  jump: number;
}

/** Watches every market. */
export class MarketWatch {
  readonly #watched: (Watched | undefined)[] = [];

  /** Takes a change of a touch. Returns how far it jumped when that must be told; 0 otherwise. */
  touched({ market, bid, ask, epoch, at }: Touch, { touchJumpMax, jumpPauseMs }: JumpLimits): number {
    if (touchJumpMax === null || bid === null || ask === null) return 0;
    const one = this.#of(market);
    const mid = bid + ask;
    const isExplained = one.epoch !== epoch || at - one.tradedAt < WINDOW;
    if (isExplained || at - one.anchoredAt >= WINDOW) {
      one.anchor = isExplained ? mid : one.last;
      one.anchoredAt = at;
    }
    one.epoch = epoch;
    one.last = mid;
    const jump = Math.abs(mid - one.anchor) / 2;
    if (jump <= touchJumpMax) return 0;
    const isNew = at >= one.pausedUntil;
    one.anchor = mid;
    one.jump = jump;
    one.jumpedAt = at;
    one.pausedUntil = at + (jumpPauseMs ?? PAUSE_MS) * 1000;
    return isNew ? jump : 0;
  }

  /** Somebody traded: what the touch did just before is explained. */
  traded(market: MarketIndex, price: Price, at: Micros): void {
    const one = this.#of(market);
    one.tradedAt = at;
    one.tradePrice = price;
    if (at - one.jumpedAt < WINDOW) one.pausedUntil = 0;
  }

  /** How far a market has jumped, and how much longer it is doubted; `null` when it is not. */
  doubt(market: MarketIndex, now: Micros): { readonly jump: number; readonly forMs: number } | null {
    const one = this.#watched[market];
    if (!one || now >= one.pausedUntil) return null;
    return { jump: one.jump, forMs: Math.ceil((one.pausedUntil - now) / 1000) };
  }

  /** The price of the last trade, while it is fresh. */
  lastTrade(market: MarketIndex, now: Micros): Price | null {
    const one = this.#watched[market];
    return one && now - one.tradedAt < TRADE_IS_FRESH ? one.tradePrice : null;
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#watched[market] = undefined;
  }

  #of(market: MarketIndex): Watched {
    return (this.#watched[market] ??= {
      epoch: -1,
      anchor: 0,
      anchoredAt: Number.NEGATIVE_INFINITY,
      last: 0,
      tradedAt: Number.NEGATIVE_INFINITY,
      tradePrice: null,
      jumpedAt: Number.NEGATIVE_INFINITY,
      pausedUntil: 0,
      jump: 0,
    });
  }
}
