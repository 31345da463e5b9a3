// Generates the events of one market: moves of the price, levels, trades, and a settlement. Must never draw from
// anything but the seed.
import type { BookSide } from '../../domain/event.ts';
import type { Draw } from './stream-recipe.ts';
import type { Happening, StreamMarket } from './stream.ts';

const CENT = 100;
const LEVELS = 5;
/** Share of a market's life after which its outcome starts to show. */
const OUTCOME_SHOWS_FROM = 0.8;
/** Time from the end of trading to the result. `FINAL_MS`: from the result to the final status. Milliseconds. */
const RESULT_MS = 700;
const FINAL_MS = 900;

type Book = Map<number, number>;

/** Generates the events of one market. */
export class MarketFlow {
  readonly #market: StreamMarket;
  readonly #draw: Draw;
  readonly #book: Readonly<Record<BookSide, Book>> = { bid: new Map(), ask: new Map() };
  readonly #isSettling: boolean;
  /** End of trading. May be earlier than the scheduled close. */
  readonly #endsMs: number;
  readonly #isTrending: boolean;
  #fair: number;
  #trend = 1;

  constructor(market: StreamMarket, draw: Draw, isSettling: boolean) {
    this.#market = market;
    this.#draw = draw;
    this.#isSettling = isSettling;
    this.#fair = (market.isExclusive ? draw(22, 42) : draw(15, 85)) * CENT;
    this.#isTrending = draw(0, 2) === 0;
    const isEarly = isSettling && draw(0, 3) === 0;
    this.#endsMs = isEarly ? market.closesMs - draw(1000, 15_000) : market.closesMs;
  }

  openingEvents(): Happening[] {
    const atMs = this.#market.bornMs + 1;
    const happenings: Happening[] = [];
    for (let away = 1; away <= LEVELS; away++)
      for (const side of ['bid', 'ask'] as const) happenings.push(...this.#level(atMs, side, away));
    return happenings;
  }

  isTrading(atMs: number): boolean {
    return atMs > this.#market.bornMs + 1 && atMs < this.#endsMs;
  }

  /** Generates the next change of the market, as one event or several. */
  nextEvents(atMs: number): Happening[] {
    this.#movePrice(atMs);
    const choice = this.#draw(0, 9);
    if (choice < 3) return this.#trade(atMs);
    const side = this.#draw(0, 1) === 0 ? 'bid' : 'ask';
    if (choice < 6) return this.#removeLevel(atMs, side);
    return this.#level(atMs, side, this.#draw(1, LEVELS));
  }

  #movePrice(atMs: number): void {
    const { bornMs, closesMs, result } = this.#market;
    if (this.#draw(0, 49) === 0) this.#trend = -this.#trend;
    const trend = this.#isTrending ? this.#trend * this.#draw(0, 40) : 0;
    let fair = this.#fair + trend + this.#draw(-60, 60);
    if (this.#isSettling && atMs > bornMs + (closesMs - bornMs) * OUTCOME_SHOWS_FROM)
      fair += result === 'yes' ? 250 : result === 'no' ? -250 : 0;
    this.#fair = Math.min(9700, Math.max(300, fair));
  }

  #level(atMs: number, side: BookSide, away: number): Happening[] {
    const cent = Math.round(this.#fair / CENT) + (side === 'bid' ? -away : away);
    const subCent = this.#market.grid === 'cent' ? 0 : this.#draw(0, 9) * 10;
    const price = Math.min(9900, Math.max(100, cent * CENT + subCent));
    const qty = this.#draw(1, 30) * 100 * (this.#draw(0, 9) === 0 ? 10 : 1);
    const happenings = this.#uncross(atMs, side, price);
    this.#book[side].set(price, qty);
    return [...happenings, { type: 'level', atMs, market: this.#market.ticker, side, price, qty }];
  }

  #uncross(atMs: number, side: BookSide, price: number): Happening[] {
    const other = side === 'bid' ? 'ask' : 'bid';
    const stale = [...this.#book[other].keys()].filter((level) => (side === 'bid' ? level <= price : level >= price));
    return stale.map((level) => {
      this.#book[other].delete(level);
      return { type: 'level', atMs, market: this.#market.ticker, side: other, price: level, qty: 0 };
    });
  }

  #removeLevel(atMs: number, side: BookSide): Happening[] {
    const levels = [...this.#book[side].keys()].sort((a, b) => (side === 'bid' ? a - b : b - a));
    if (levels.length <= 2) return this.#level(atMs, side, this.#draw(1, LEVELS));
    const price = levels[this.#draw(0, levels.length - 1)] ?? 0;
    this.#book[side].delete(price);
    return [{ type: 'level', atMs, market: this.#market.ticker, side, price, qty: 0 }];
  }

  #trade(atMs: number): Happening[] {
    const isUp = this.#isTrending && this.#draw(0, 2) > 0 ? this.#trend > 0 : this.#draw(0, 1) === 0;
    const against = isUp ? 'ask' : 'bid';
    const levels = [...this.#book[against].keys()];
    const best = isUp ? Math.min(...levels) : Math.max(...levels);
    const resting = this.#book[against].get(best);
    if (resting === undefined) return this.#level(atMs, against, 1);
    const qty = Math.min(resting, this.#draw(1, 12) * 100);
    if (qty === resting) this.#book[against].delete(best);
    else this.#book[against].set(best, resting - qty);
    return [{ type: 'trade', atMs, market: this.#market.ticker, side: isUp ? 'buy' : 'sell', qty }];
  }

  /**
   * Returns the events that close and settle the market, sometimes with a dispute. Empty when the markets do not
   * settle.
   */
  closingEvents(): Happening[] {
    if (!this.#isSettling) return [];
    const { ticker: market, result } = this.#market;
    const outcome = { result, ...(result === 'scalar' && { value: this.#draw(1, 99) * CENT }) };
    const determinedMs = this.#endsMs + RESULT_MS;
    const isDisputed = this.#draw(0, 4) === 0;
    const finalMs = determinedMs + FINAL_MS;
    return [
      { type: 'life', atMs: this.#endsMs, market, status: 'closed' },
      ...this.#clearBook(),
      { type: 'life', atMs: determinedMs, market, status: 'determined', ...outcome },
      ...(isDisputed ? [{ type: 'life', atMs: determinedMs + 300, market, status: 'disputed' } as const] : []),
      { type: 'life', atMs: finalMs, market, status: 'finalized', ...outcome },
    ];
  }

  /** The venue, too, removes every resting level after the close. */
  #clearBook(): Happening[] {
    return (['bid', 'ask'] as const).flatMap((side) =>
      [...this.#book[side].keys()].map((price): Happening => ({
        type: 'level',
        atMs: this.#endsMs + 200,
        market: this.#market.ticker,
        side,
        price,
        qty: 0,
      })),
    );
  }
}
