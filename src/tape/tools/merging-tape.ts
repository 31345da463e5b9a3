// One of the tapes that are being merged: its next fact, its state, and the markets that a gap has made unknown.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { RowSource } from '../baked/tape-rows.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import { type RowFact, renumberedFact, rowFacts, writeFact } from './row-facts.ts';
import { TapeState } from './tape-state.ts';

/** A tape that is read next to others. Market numbers are its own. */
export class MergingTape {
  readonly source: RowSource;
  readonly name: string;
  readonly state = new TapeState();
  /** Facts read. `repeated` counts facts with known content; `leftOut` counts all other facts left out. */
  factsRead = 0;
  repeated = 0;
  leftOut = 0;
  /** The next fact; `null` at the end. */
  fact: RowFact | null = null;
  readonly #writer: RowWriter;
  readonly #facts: Iterator<RowFact>;
  /**
   * Markets whose state is unknown after a gap. Added at a gap. Removed at the next snapshot; a market that never had a
   * book is removed at its next fact.
   */
  readonly #lost = new Set<MarketIndex>();
  /** Markets that had a fact. `#hasBooks` holds those that ever had a book. Never removed. */
  readonly #seen = new Set<MarketIndex>();
  readonly #hasBooks = new Set<MarketIndex>();
  #isOver = false;

  constructor(source: RowSource, name: string, writer: RowWriter) {
    this.source = source;
    this.name = name;
    this.#writer = writer;
    this.#facts = rowFacts(source)[Symbol.iterator]();
    this.readNextFact();
  }

  /** Time of the next fact, or of the tape's end; `null` after `markEnded`. */
  get dueAt(): Micros | null {
    if (this.fact !== null) return this.fact.row.at;
    return this.#isOver ? null : this.source.facts.to;
  }

  readNextFact(): void {
    const next = this.#facts.next();
    this.fact = next.done === true ? null : next.value;
  }

  /** Marks the tape as ended: its last time has passed. */
  markEnded(): void {
    this.#isOver = true;
  }

  applyFact(market: MarketIndex, fact: RowFact): void {
    this.state.applyFact(fact);
    this.#seen.add(market);
    if (fact.kind === 'snapshot') this.#hasBooks.add(market);
    if (fact.kind === 'snapshot' || !this.#hasBooks.has(market)) this.#lost.delete(market);
  }

  /** Marks these markets as lost. An empty list means all markets. */
  loseMarkets(markets: readonly MarketIndex[]): void {
    this.state.loseBooks(markets);
    const all = this.source.tickers.tickersByIndex().length;
    const which = markets.length > 0 ? markets : Array.from({ length: all }, (_, index) => index as MarketIndex);
    for (const market of which) this.#lost.add(market);
  }

  /** True when the tape has unread facts, or covers time after `at`. */
  hasMoreAfter(at: Micros): boolean {
    return this.fact !== null || (!this.#isOver && this.source.facts.to > at);
  }

  /** True when the tape begins at the end of a finished tape, or later. */
  continuesAfter({ fact, source: { facts: before } }: MergingTape): boolean {
    const { from } = this.source.facts;
    return fact === null && from >= before.to && from > before.from;
  }

  /** Knowledge of a market: 0 none, 1 some facts, 2 its book. */
  knowledgeOf(market: MarketIndex): 0 | 1 | 2 {
    if (this.#isOver || this.#lost.has(market) || !this.#seen.has(market)) return 0;
    return this.state.hasBook(market) ? 2 : 1;
  }

  writeFact(fact: RowFact): void {
    const translated = renumberedFact(fact, (market) =>
      this.#writer.marketNumber(this.source.tickers.tickerOf(market)),
    );
    if (translated !== null) writeFact(this.#writer, translated);
  }

  /** Counts a fact that is left out, for example in a stretch with another source. */
  countLeftOut(): void {
    this.leftOut += 1;
  }

  /** Counts a fact that is left out because its content was already written. */
  countRepeated(): void {
    this.repeated += 1;
  }

  hadBook(market: MarketIndex): boolean {
    return this.#hasBooks.has(market);
  }
}
