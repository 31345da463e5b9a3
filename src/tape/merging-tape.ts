// One of the tapes that are being merged: its next fact, how things stand on it, and which of its markets it has lost.
import type { MarketIndex } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { RowSource } from './baked/rows.ts';
import type { RowWriter } from './baked/writer.ts';
import { type RowFact, renumbered, rowFacts, writeFact } from './row-facts.ts';
import { TapeState } from './tape-state.ts';

/** A tape being read beside others. Market numbers are its own. */
export class MergingTape {
  readonly source: RowSource;
  readonly name: string;
  readonly state = new TapeState();
  /** Facts that were read; those of them that said nothing new; and those that another tape was believed in place of. */
  rows = 0;
  repeated = 0;
  leftOut = 0;
  /** The next fact; `null` when there is no more. */
  fact: RowFact | null = null;
  readonly #writer: RowWriter;
  readonly #facts: Iterator<RowFact>;
  /** Markets of which it tells nothing sure now. */
  readonly #lost = new Set<MarketIndex>();
  /** Markets that it has told of, and of these the ones that ever had a book. */
  readonly #seen = new Set<MarketIndex>();
  readonly #hasBooks = new Set<MarketIndex>();
  #isOver = false;

  constructor(source: RowSource, name: string, writer: RowWriter) {
    this.source = source;
    this.name = name;
    this.#writer = writer;
    this.#facts = rowFacts(source)[Symbol.iterator]();
    this.advance();
  }

  /** When its next fact is due, or its end; `null` when that is over too. */
  get dueAt(): Micros | null {
    if (this.fact !== null) return this.fact.row.at;
    return this.#isOver ? null : this.source.facts.to;
  }

  advance(): void {
    const next = this.#facts.next();
    this.fact = next.done === true ? null : next.value;
  }

  /** It tells nothing more. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes a fact of a market into account. */
  take(market: MarketIndex, fact: RowFact): void {
    this.state.take(fact);
    this.#seen.add(market);
    if (fact.kind === 'snapshot') this.#hasBooks.add(market);
    // Where there are no books, whatever is told again is sure again.
    if (fact.kind === 'snapshot' || !this.#hasBooks.has(market)) this.#lost.delete(market);
  }

  /** It lost these markets; empty means all. */
  lose(markets: readonly MarketIndex[]): void {
    this.state.lose(markets);
    const all = this.source.tickers.names().length;
    const which = markets.length > 0 ? markets : Array.from({ length: all }, (_, index) => index as MarketIndex);
    for (const market of which) this.#lost.add(market);
  }

  /** Whether it still tells anything, or at least covers more, after a time. */
  goesOnAfter(at: Micros): boolean {
    return this.fact !== null || (!this.#isOver && this.source.facts.to > at);
  }

  /** Whether it begins where another ended, as the second piece of a tape does: that one told all up to then, and no more. */
  follows({ fact, source: { facts: before } }: MergingTape): boolean {
    const { from } = this.source.facts;
    return fact === null && from >= before.to && from > before.from;
  }

  /** How well it knows a market now: not at all, something, its book. */
  knows(market: MarketIndex): 0 | 1 | 2 {
    if (this.#isOver || this.#lost.has(market) || !this.#seen.has(market)) return 0;
    return this.state.isKnown(market) ? 2 : 1;
  }

  /** Writes a fact of its, with the merged tape's numbers. */
  write(fact: RowFact): void {
    const own = renumbered(fact, (market) => this.#writer.market(this.source.tickers.tickerOf(market)));
    if (own !== null) writeFact(this.#writer, own);
  }

  /** Leaves a fact out: another tape tells that. */
  leave(): void {
    this.leftOut += 1;
  }

  /** Leaves a fact out: it was said already. */
  repeat(): void {
    this.repeated += 1;
  }

  /** Whether it ever had a book of a market. */
  hasBooks(market: MarketIndex): boolean {
    return this.#hasBooks.has(market);
  }
}
