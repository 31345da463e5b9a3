// What of a tape's time was not recorded: when the feed was down, between two sessions, and, for single books, from a lost
// message to the next snapshot. Writes the rows that void the books when it begins, and lists it when it has ended.
// Must never let a gap pass without a row: a replay believes its books until it is told otherwise.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { RowWriter } from './writer.ts';

/** Books that are not to be believed until each has had its snapshot. */
interface Doubt {
  readonly from: Micros;
  readonly reason: string;
  readonly markets: readonly MarketIndex[];
  readonly waiting: Set<MarketIndex>;
}

/** Follows what is covered. */
export class Coverage {
  readonly #rows: RowWriter;
  /** Markets whose book is known. */
  readonly #known = new Set<MarketIndex>();
  #doubts: Doubt[] = [];
  #lost: { readonly from: Micros; readonly reason: string } | null = null;

  constructor(rows: RowWriter) {
    this.#rows = rows;
  }

  /** Nothing more is recorded for now. */
  lose(at: Micros, reason: string): void {
    if (this.#lost !== null) return;
    this.#rows.other({ kind: 'feed-gap', at, markets: [], reason });
    this.#settle(at);
    this.#known.clear();
    this.#lost = { from: at, reason };
  }

  /** It is recorded again. */
  resume(at: Micros): void {
    if (this.#lost !== null) this.#rows.listGap({ ...this.#lost, to: laterOf(at, this.#lost.from), tickers: [] });
    this.#lost = null;
  }

  /** Some books may be wrong; none named means all. */
  doubt(at: Micros, markets: readonly MarketIndex[], reason: string): void {
    this.#rows.other({ kind: 'feed-gap', at, markets, reason });
    if (this.#lost !== null) return;
    const concerned = markets.length === 0 ? [...this.#known] : markets;
    for (const market of concerned) this.#known.delete(market);
    this.#doubts.push({ from: at, reason, markets, waiting: new Set(concerned) });
  }

  /** A book was told whole. */
  know(market: MarketIndex, at: Micros): void {
    this.#known.add(market);
    if (this.#doubts.length === 0) return;
    for (const { waiting } of this.#doubts) waiting.delete(market);
    const over = this.#doubts.filter(({ waiting }) => waiting.size === 0);
    this.#doubts = this.#doubts.filter(({ waiting }) => waiting.size > 0);
    for (const doubt of over) this.#list(doubt, at);
  }

  /** The tape is over. */
  end(at: Micros): void {
    this.#settle(at);
    this.resume(at);
  }

  #settle(at: Micros): void {
    for (const doubt of this.#doubts) this.#list(doubt, at);
    this.#doubts = [];
  }

  #list({ from, reason, markets }: Doubt, at: Micros): void {
    const tickers = markets.map((market) => this.#rows.tickers.tickerOf(market));
    this.#rows.listGap({ from, to: laterOf(at, from), reason, tickers });
  }
}

const laterOf = (a: Micros, b: Micros): Micros => (a > b ? a : b);
