// One of the tapes being merged: its next fact, its state, and the markets whose state a gap has made unknown.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { RowSource } from '../baked/tape-rows.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import { type RowFact, renumberedFact, rowFacts, writeFact } from './row-facts.ts';
import { TapeState } from './tape-state.ts';

/** A tape being read next to others. Market numbers are its own. */
export class MergingTape {
  readonly source: RowSource;
  readonly name: string;
  readonly state = new TapeState();
  /**
   * Counts of facts: all that were read, those left out because their content was already written, and those left out
   * for another reason.
   */
  factsRead = 0;
  repeated = 0;
  leftOut = 0;
  /** The next fact; `null` at the end. */
  fact: RowFact | null = null;
  readonly #writer: RowWriter;
  readonly #facts: Iterator<RowFact>;
  /**
   * Markets whose state is unknown after a gap. Added at a gap; removed at the next snapshot, or at the next fact of a
   * market that never had a book.
   */
  readonly #lost = new Set<MarketIndex>();
  /** Markets that had a fact, and markets that ever had a book. Never removed. */
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

  /** Applies a fact of a market to the tape's state. */
  applyFact(market: MarketIndex, fact: RowFact): void {
    this.state.applyFact(fact);
    this.#seen.add(market);
    if (fact.kind === 'snapshot') this.#hasBooks.add(market);
    if (fact.kind === 'snapshot' || !this.#hasBooks.has(market)) this.#lost.delete(market);
  }

  /** Marks these markets as lost; an empty list means all. */
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

  /**
   * True when the tape begins at or after the end of another tape whose facts are all read, like the second part of a
   * split tape.
   */
  continuesAfter({ fact, source: { facts: before } }: MergingTape): boolean {
    const { from } = this.source.facts;
    return fact === null && from >= before.to && from > before.from;
  }

  /** Knowledge of a market: 0 none, 1 some facts, 2 its book. */
  knowledgeOf(market: MarketIndex): 0 | 1 | 2 {
    if (this.#isOver || this.#lost.has(market) || !this.#seen.has(market)) return 0;
    return this.state.hasBook(market) ? 2 : 1;
  }

  /** Writes one of its facts, with the merged tape's market numbers. */
  writeFact(fact: RowFact): void {
    const translated = renumberedFact(fact, (market) =>
      this.#writer.marketNumber(this.source.tickers.tickerOf(market)),
    );
    if (translated !== null) writeFact(this.#writer, translated);
  }

  /** Counts a fact that is left out, such as one of a stretch whose source is another tape. */
  countLeftOut(): void {
    this.leftOut += 1;
  }

  /** Counts a fact that is left out because its content was already written. */
  countRepeated(): void {
    this.repeated += 1;
  }

  /** True when the tape ever had a book of the market. */
  hadBook(market: MarketIndex): boolean {
    return this.#hasBooks.has(market);
  }
}
