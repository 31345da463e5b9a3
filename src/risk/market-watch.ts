// Whether what a market tells can be believed: its last trade, and jumps of its touch that no trade explains.
// Must never doubt a market for ever: a doubt passes with its time, or with the trade that explains it.
import { ByMarket, grownCopy } from '../domain/columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, type Price, fromSeconds } from '../domain/units.ts';
import type { Books } from '../state/books.ts';

/** Within how long a jump counts as one, and a trade before or after explains it. Microseconds. */
const WINDOW = fromSeconds(1);
/** How long a trade says what a market is worth. Microseconds. */
const TRADE_IS_FRESH = fromSeconds(60);

/** The books as they are now. */
export interface BooksNow {
  readonly now: Micros;
  readonly books: Pick<Books, 'twiceMid'>;
}

/** What jumps are measured with. */
export interface JumpLimits {
  /** Ten-thousandths of a dollar; `null` where nothing is doubted. */
  readonly touchJumpMax: number | null;
  readonly jumpPauseMs: number | null;
}

/** How long a jump is doubted where the limits do not say. Milliseconds. */
const PAUSE_MS = 1000;

// What every change of a touch reads of a market stands side by side.
const STRIDE = 4;
/** Until when nothing but the mid says whether it has jumped. */
const CALM_UNTIL = 0;
/** Twice the mid that jumps are measured from, as of when it is, and twice the one that the last change left. */
const ANCHOR = 1;
const ANCHORED_AT = 2;
const LAST = 3;

const NO_MID = -1;
const NEVER = Number.NEGATIVE_INFINITY;
const NOTHING = [NEVER, NO_MID, NEVER, NO_MID];
const GROWTH = 1.5;

const recordsOf = (markets: number): Float64Array => {
  const records = new Float64Array(markets * STRIDE);
  for (let record = 0; record < records.length; record += STRIDE) records.set(NOTHING, record);
  return records;
};

/** Watches every market. */
export class MarketWatch extends ByMarket {
  #records = recordsOf(this.room);
  /** When somebody last traded. */
  #tradedAt = new Float64Array(this.room).fill(NEVER);
  readonly #tradePrice: Price[] = [];
  /** The jump that each market is doubted for, or was. Ten-thousandths of a dollar. */
  readonly #jumps = new Map<MarketIndex, { readonly jump: number; readonly at: Micros; until: number }>();

  /** A market's touch changed. Returns how far it jumped when that must be told; 0 otherwise. */
  touched(market: MarketIndex, state: BooksNow, { touchJumpMax, jumpPauseMs }: JumpLimits): number {
    if (touchJumpMax === null) return 0;
    // In one sum, so that nothing is halved. Taken from where they are: a time that is handed on is allocated.
    const twiceMid = state.books.twiceMid(market);
    if (twiceMid === 0) return 0;
    const record = market * STRIDE;
    if (state.now >= (this.#records[record + CALM_UNTIL] ?? NEVER)) this.#look(market, twiceMid, state.now);
    const records = this.#records;
    records[record + LAST] = twiceMid;
    const jump = Math.abs(twiceMid - (records[record + ANCHOR] ?? twiceMid)) / 2;
    return jump <= touchJumpMax ? 0 : this.#jumped(market, state, { jump, pauseMs: jumpPauseMs ?? PAUSE_MS });
  }

  /** Looks whether what was is still what a mid is measured from. */
  #look(market: MarketIndex, twiceMid: number, at: Micros): void {
    this.#open(market);
    const records = this.#records;
    const record = market * STRIDE;
    const isTraded = at - (this.#tradedAt[market] ?? NEVER) < WINDOW;
    const isExplained = isTraded || records[record + ANCHOR] === NO_MID;
    if (isExplained || at - (records[record + ANCHORED_AT] ?? NEVER) >= WINDOW) {
      records[record + ANCHOR] = isExplained ? twiceMid : (records[record + LAST] ?? twiceMid);
      records[record + ANCHORED_AT] = at;
    }
    records[record + CALM_UNTIL] = isTraded ? at : (records[record + ANCHORED_AT] ?? at) + WINDOW;
  }

  #jumped(
    market: MarketIndex,
    { books, now: at }: BooksNow,
    { jump, pauseMs }: { readonly jump: number; readonly pauseMs: number },
  ): number {
    const isNew = at >= (this.#jumps.get(market)?.until ?? NEVER);
    this.#records[market * STRIDE + ANCHOR] = books.twiceMid(market);
    this.#jumps.set(market, { jump, at, until: at + pauseMs * 1000 });
    return isNew ? jump : 0;
  }

  /** A market's book was begun anew: it has not jumped. */
  begun(market: MarketIndex): void {
    this.#open(market);
    this.#records[market * STRIDE + ANCHOR] = NO_MID;
    this.#records[market * STRIDE + CALM_UNTIL] = NEVER;
  }

  /** Somebody traded: what the touch did just before is explained. */
  traded(market: MarketIndex, price: Price, at: Micros): void {
    this.#open(market);
    this.#tradedAt[market] = at;
    this.#records[market * STRIDE + CALM_UNTIL] = NEVER;
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
    this.#tradedAt[market] = NEVER;
  }

  /** Makes room for a market. */
  #open(market: MarketIndex): void {
    if (market < this.#tradedAt.length) return;
    const length = Math.max(market + 1, Math.ceil(this.#tradedAt.length * GROWTH));
    this.#records = grownCopy(this.#records, recordsOf(length));
    this.#tradedAt = grownCopy(this.#tradedAt, new Float64Array(length).fill(NEVER));
  }
}
