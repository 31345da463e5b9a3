// Records each market's last trade, and the jumps of its touch that no trade explains. Must never doubt a market
// forever: a doubt ends with its time, or with a trade that explains the jump.
import { PresizedColumns, grownCopy } from '../base/typed-columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, type Price, fromSeconds } from '../domain/units.ts';
import type { OrderBooks } from '../state/books/order-books.ts';

/**
 * A move above `touchJumpMax` within this time is a jump. A trade at most this long before or after explains the jump.
 * Microseconds.
 */
const WINDOW = fromSeconds(1);
/** Time for which the last trade counts as a market's price. Microseconds. */
const TRADE_FRESHNESS = fromSeconds(60);

export interface CurrentBooks {
  readonly now: Micros;
  readonly books: Pick<OrderBooks, 'twiceMid'>;
}

/** The limits that define a jump. */
export interface JumpLimits {
  /** Ten-thousandths of a dollar. `null`: no jump is doubted. */
  readonly touchJumpMax: number | null;
  readonly jumpPauseMs: number | null;
}

/** Default of `jumpPauseMs`. */
const PAUSE_MS = 1000;

// Indices of the fields of a market's record. They are adjacent, because every change of a touch reads several.
const STRIDE = 4;
/** The anchor is the mid that jumps are measured from. Until this time it stays valid. */
const VALID_UNTIL = 0;
/** `ANCHOR` and `LAST` are twice the mid. */
const ANCHOR = 1;
const ANCHORED_AT = 2;
const LAST = 3;

const NO_MID = -1;
const NEVER = Number.NEGATIVE_INFINITY;
const NEW_RECORD = [NEVER, NO_MID, NEVER, NO_MID];
const GROWTH = 1.5;

const recordsOf = (markets: number): Float64Array => {
  const records = new Float64Array(markets * STRIDE);
  for (let record = 0; record < records.length; record += STRIDE) records.set(NEW_RECORD, record);
  return records;
};

/** Watches every market for jumps. */
export class MarketWatch extends PresizedColumns {
  #records = recordsOf(this.capacity);
  #tradedAt = new Float64Array(this.capacity).fill(NEVER);
  readonly #tradePrice: Price[] = [];
  /** Jumps in ten-thousandths of a dollar. Added when the touch jumps; removed with the market. */
  readonly #jumps = new Map<MarketIndex, { readonly jump: number; readonly at: Micros; until: number }>();

  /** Checks a changed touch. Returns the size of a new jump, or 0. */
  onTouchChange(market: MarketIndex, state: CurrentBooks, { touchJumpMax, jumpPauseMs }: JumpLimits): number {
    if (touchJumpMax === null) return 0;
    // Twice the mid avoids a division. A time passed as an argument would be allocated.
    const twiceMid = state.books.twiceMid(market);
    if (twiceMid === 0) return 0;
    const record = market * STRIDE;
    if (state.now >= (this.#records[record + VALID_UNTIL] ?? NEVER)) this.#moveAnchor(market, twiceMid, state.now);
    const records = this.#records;
    records[record + LAST] = twiceMid;
    const jump = Math.abs(twiceMid - (records[record + ANCHOR] ?? twiceMid)) / 2;
    return jump <= touchJumpMax ? 0 : this.#startDoubt(market, state, { jump, pauseMs: jumpPauseMs ?? PAUSE_MS });
  }

  /** Moves the anchor after a trade, or at the end of the window. */
  #moveAnchor(market: MarketIndex, twiceMid: number, at: Micros): void {
    this.#reserveRoom(market);
    const records = this.#records;
    const record = market * STRIDE;
    const isTraded = at - (this.#tradedAt[market] ?? NEVER) < WINDOW;
    const isExplained = isTraded || records[record + ANCHOR] === NO_MID;
    if (isExplained || at - (records[record + ANCHORED_AT] ?? NEVER) >= WINDOW) {
      records[record + ANCHOR] = isExplained ? twiceMid : (records[record + LAST] ?? twiceMid);
      records[record + ANCHORED_AT] = at;
    }
    records[record + VALID_UNTIL] = isTraded ? at : (records[record + ANCHORED_AT] ?? at) + WINDOW;
  }

  #startDoubt(
    market: MarketIndex,
    { books, now: at }: CurrentBooks,
    { jump, pauseMs }: { readonly jump: number; readonly pauseMs: number },
  ): number {
    const isNew = at >= (this.#jumps.get(market)?.until ?? NEVER);
    this.#records[market * STRIDE + ANCHOR] = books.twiceMid(market);
    this.#jumps.set(market, { jump, at, until: at + pauseMs * 1000 });
    return isNew ? jump : 0;
  }

  /** A replaced book is no jump. */
  onBookReplaced(market: MarketIndex): void {
    this.#reserveRoom(market);
    this.#records[market * STRIDE + ANCHOR] = NO_MID;
    this.#records[market * STRIDE + VALID_UNTIL] = NEVER;
  }

  /** A print explains a jump of the touch just before. */
  onPrint(market: MarketIndex, price: Price, at: Micros): void {
    this.#reserveRoom(market);
    this.#tradedAt[market] = at;
    this.#records[market * STRIDE + VALID_UNTIL] = NEVER;
    this.#tradePrice[market] = price;
    const jump = this.#jumps.get(market);
    if (jump !== undefined && at - jump.at < WINDOW) jump.until = NEVER;
  }

  doubtOf(market: MarketIndex, now: Micros): { readonly jump: number; readonly forMs: number } | null {
    const jump = this.#jumps.get(market);
    if (jump === undefined || now >= jump.until) return null;
    return { jump: jump.jump, forMs: Math.ceil((jump.until - now) / 1000) };
  }

  /** The jump is in ten-thousandths of a dollar. */
  largestDoubt(now: Micros): { readonly jump: number; readonly market: MarketIndex } | null {
    let largest: { readonly jump: number; readonly market: MarketIndex } | null = null;
    for (const [market, { jump, until }] of this.#jumps)
      if (now < until && jump > (largest?.jump ?? 0)) largest = { jump, market };
    return largest;
  }

  /** `null` when the last print is old. */
  lastPrintPrice(market: MarketIndex, now: Micros): Price | null {
    const isFresh = now - (this.#tradedAt[market] ?? NEVER) < TRADE_FRESHNESS;
    return isFresh ? (this.#tradePrice[market] ?? null) : null;
  }

  dropMarket(market: MarketIndex): void {
    this.#jumps.delete(market);
    this.onBookReplaced(market);
    this.#tradedAt[market] = NEVER;
  }

  #reserveRoom(market: MarketIndex): void {
    if (market < this.#tradedAt.length) return;
    const length = Math.max(market + 1, Math.ceil(this.#tradedAt.length * GROWTH));
    this.#records = grownCopy(this.#records, recordsOf(length));
    this.#tradedAt = grownCopy(this.#tradedAt, new Float64Array(length).fill(NEVER));
  }
}
