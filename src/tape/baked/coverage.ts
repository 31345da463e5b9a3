// Tracks the parts of a tape's time that were not recorded: the feed was down, between two sessions, or, for single
// books, from a lost message to the next snapshot. Writes a row that makes the books suspect when a gap begins, and
// lists the gap when it ends. Must never miss the row: a replay trusts its books until a gap is written.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { RowWriter } from './writer.ts';

/** Suspect books, until each has had its snapshot. */
interface Doubt {
  readonly from: Micros;
  readonly reason: string;
  readonly markets: readonly MarketIndex[];
  readonly waiting: Set<MarketIndex>;
}

/** Tracks gaps. */
export class Coverage {
  readonly #rows: RowWriter;
  /** Markets whose book is known. Added at a snapshot; removed at a gap. */
  readonly #known = new Set<MarketIndex>();
  #doubts: Doubt[] = [];
  #lost: { readonly from: Micros; readonly reason: string } | null = null;

  constructor(rows: RowWriter) {
    this.#rows = rows;
  }

  /** Begins a gap in the whole recording. */
  lose(at: Micros, reason: string): void {
    if (this.#lost !== null) return;
    this.#rows.other({ kind: 'feed-gap', at, markets: [], reason });
    this.#settle(at);
    this.#known.clear();
    this.#lost = { from: at, reason };
  }

  /** Ends a gap in the whole recording. */
  resume(at: Micros): void {
    if (this.#lost !== null) this.#rows.listGap({ ...this.#lost, to: laterOf(at, this.#lost.from), tickers: [] });
    this.#lost = null;
  }

  /** Marks some books as suspect; an empty list means all. */
  doubt(at: Micros, markets: readonly MarketIndex[], reason: string): void {
    this.#rows.other({ kind: 'feed-gap', at, markets, reason });
    if (this.#lost !== null) return;
    const concerned = markets.length === 0 ? [...this.#known] : markets;
    for (const market of concerned) this.#known.delete(market);
    this.#doubts.push({ from: at, reason, markets, waiting: new Set(concerned) });
  }

  /** Handles a snapshot of a book. */
  know(market: MarketIndex, at: Micros): void {
    this.#known.add(market);
    if (this.#doubts.length === 0) return;
    for (const { waiting } of this.#doubts) waiting.delete(market);
    const over = this.#doubts.filter(({ waiting }) => waiting.size === 0);
    this.#doubts = this.#doubts.filter(({ waiting }) => waiting.size > 0);
    for (const doubt of over) this.#list(doubt, at);
  }

  /** Ends all open gaps at the end of the tape. */
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
