// Chooses the source tape of each market while tapes are merged. The source stays until it ends or another tape knows
// more of the market. Must never let a book continue where no tape covers it.
import type { FeedGap } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { OtherEvent, TapeGap } from '../baked/tape-rows.ts';
import { eventText } from '../baked/event-text.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import type { MergingTape } from './merging-tape.ts';
import type { Stretch } from './covered-time.ts';
import type { RowFact } from './row-facts.ts';

/** A stretch of time in which one tape is the source of a market. */
export interface SourceStretch {
  readonly ticker: string;
  readonly tape: string;
  readonly from: Micros;
  /** End of the stretch, or of the merge. */
  readonly to: Micros;
}

interface Merged {
  readonly ticker: string;
  readonly number: MarketIndex;
  /** The current source tape; `null` when no tape covers the market. */
  source: MergingTape | null;
  from: Micros;
  /** The current gap in the coverage, or `null`. */
  gap: { readonly from: Micros; readonly reason: string } | null;
  /** Text of the last definition written; empty when the definition is out of date. */
  definitionText: string;
  /**
   * Times of the latest prints written, by trade id. Added when a print is written; the oldest are removed by
   * `removeOldest`.
   */
  readonly prints: Map<string, Micros>;
  /**
   * Prints that only another tape had, by trade id: the source may have missed them. Added when such a print is left
   * out. Removed when the source has it, too, at a change of source, and by `removeOldest`.
   */
  readonly missedPrints: Map<string, { readonly tape: MergingTape; readonly fact: PrintFact }>;
}

type PrintFact = Extract<RowFact, { kind: 'print' }>;

/**
 * This many prints of each market are remembered, and all younger than `PRINT_AGE_MAX` microseconds. Two recorders
 * receive the same print within seconds.
 */
const PRINTS_REMEMBERED = 256;
const PRINT_AGE_MAX = 10_000_000;

/** Removes the oldest prints that are beyond both `PRINTS_REMEMBERED` and `PRINT_AGE_MAX`. */
function removeOldest<T>(prints: Map<string, T>, now: Micros, timeOf: (print: T) => Micros): void {
  for (const [id, print] of prints) {
    if (prints.size <= PRINTS_REMEMBERED || now - timeOf(print) <= PRINT_AGE_MAX) return;
    prints.delete(id);
  }
}

/** True for events that neither a market's definition nor its book contains. */
const IS_TRANSIENT: Readonly<Record<OtherEvent['kind'], boolean>> = {
  ticker: true,
  'book-poll': true,
  market: false,
  'market-changed': false,
  'event-group': false,
  series: false,
  'fees-changed': false,
  'fees-scheduled': false,
  'markets-appeared': false,
  'exchange-status': false,
  'feed-gap': false,
};

function knowledgeOf(tape: MergingTape, ticker: string): 0 | 1 | 2 {
  const index = tape.source.tickers.indexOf(ticker);
  return index === undefined ? 0 : tape.knowledgeOf(index);
}

function hadBook(tape: MergingTape, ticker: string): boolean {
  const index = tape.source.tickers.indexOf(ticker);
  return index !== undefined && tape.hadBook(index);
}

/** Compares a definition with the last one, and remembers it. */
function isNewDefinition(merged: Merged, market: Market): boolean {
  const text = eventText({ kind: 'market', at: EPOCH, market: { ...market, index: merged.number } });
  const isSame = merged.definitionText === text;
  merged.definitionText = text;
  return !isSame;
}

/** The markets of the merged tape. */
export class MergedMarkets {
  readonly #tapes: readonly MergingTape[];
  readonly #writer: RowWriter;
  readonly #byTicker = new Map<string, Merged>();
  readonly #stretches: SourceStretch[] = [];
  readonly #gaps: (Omit<TapeGap, 'tickers'> & { readonly ticker: string })[] = [];
  /** Markets on more than one tape. */
  readonly #shared = new Set<string>();
  #lastAt = 0 as Micros;
  doubledPrints = 0;

  constructor(tapes: readonly MergingTape[], writer: RowWriter) {
    this.#tapes = tapes;
    this.#writer = writer;
  }

  /** Handles a fact of a market: writes it, or counts it as left out or repeated. */
  addFact(tape: MergingTape, index: MarketIndex, fact: RowFact): void {
    const { at } = fact.row;
    this.#lastAt = at;
    const market = this.#marketOf(tape.source.tickers.tickerOf(index), at);
    const current = market.source;
    tape.applyFact(index, fact);
    if (current === tape) return this.#write(market, tape, fact);
    // A delta of an unknown book means nothing. Any other fact is valid without the book.
    if (current === null && tape.knowledgeOf(index) === 0)
      return fact.kind === 'delta' ? tape.countLeftOut() : this.#write(market, tape, fact);
    if (current !== null) {
      this.#shared.add(market.ticker);
      const advantage = tape.knowledgeOf(index) - knowledgeOf(current, market.ticker);
      if (advantage < 0 || (advantage === 0 && !tape.continuesAfter(current)))
        return this.#leaveOut(market, tape, fact);
      this.#closeStretch(market, at);
    }
    const written = this.#beginStretch(market, tape, at);
    // The rows at the start of a stretch already contain this fact, unless it is a print or a transient event.
    if (fact.kind === 'print' || (fact.kind === 'other' && IS_TRANSIENT[fact.row.kind]))
      return this.#write(market, tape, fact);
    if (fact.kind === 'other' ? written.isDescribed : written.hasBook) return;
    if (fact.kind === 'delta') tape.countLeftOut();
    else tape.countRepeated();
  }

  #marketOf(ticker: string, at: Micros): Merged {
    const known = this.#byTicker.get(ticker);
    if (known !== undefined) return known;
    const number = this.#writer.marketNumber(ticker);
    const fresh: Merged = {
      ticker,
      number,
      source: null,
      from: at,
      gap: null,
      definitionText: '',
      prints: new Map(),
      missedPrints: new Map(),
    };
    this.#byTicker.set(ticker, fresh);
    return fresh;
  }

  /** Counts a fact as left out. A print is kept for a while, in case the source tape missed it. */
  #leaveOut({ prints, missedPrints }: Merged, tape: MergingTape, fact: RowFact): void {
    tape.countLeftOut();
    if (fact.kind !== 'print') return;
    const id = fact.row.tradeId;
    if (prints.has(id)) this.doubledPrints += 1;
    if (id === '' || prints.has(id)) return;
    missedPrints.set(id, { tape, fact });
    removeOldest(missedPrints, fact.row.at, (print) => print.fact.row.at);
  }

  #closeStretch(market: Merged, at: Micros): void {
    if (market.source !== null)
      this.#stretches.push({ ticker: market.ticker, tape: market.source.name, from: market.from, to: at });
    market.source = null;
  }

  /**
   * Makes a tape the source of a market, and writes the tape's definition and book of it. Returns which of the two were
   * written.
   */
  #beginStretch(
    market: Merged,
    tape: MergingTape,
    at: Micros,
  ): { readonly isDescribed: boolean; readonly hasBook: boolean } {
    market.source = tape;
    market.from = at;
    if (market.gap !== null) {
      const { from, reason } = market.gap;
      this.#gaps.push({ from, to: at, reason, ticker: market.ticker });
      market.gap = null;
    }
    const index = tape.source.tickers.indexOf(market.ticker);
    if (index === undefined) return { isDescribed: false, hasBook: false };
    const description = tape.state.definitionOf(index);
    const isDescribed = description !== null && isNewDefinition(market, description);
    if (isDescribed) tape.writeFact({ kind: 'other', row: { kind: 'market', at, market: description } });
    const book = tape.state.bookOf(index);
    if (book !== null) tape.writeFact({ kind: 'snapshot', row: { at, exchangeAt: null, market: index, ...book } });
    this.#writeMissedPrints(market, at);
    return { isDescribed, hasBook: book !== null };
  }

  /** Writes the prints that the previous source missed. Prints older than `PRINT_AGE_MAX` are left out. */
  #writeMissedPrints(market: Merged, at: Micros): void {
    const missedPrints = [...market.missedPrints.values()];
    market.missedPrints.clear();
    for (const { tape, fact } of missedPrints) {
      if (at - fact.row.at > PRINT_AGE_MAX) continue;
      tape.leftOut -= 1;
      this.#write(market, tape, { kind: 'print', row: { ...fact.row, at } });
    }
  }

  #write(market: Merged, tape: MergingTape, fact: RowFact): void {
    if (fact.kind === 'print' && this.#isDoubled(market, fact.row)) return tape.countLeftOut();
    if (fact.kind === 'other' && fact.row.kind === 'market' && !isNewDefinition(market, fact.row.market))
      return tape.countRepeated();
    // A change of the market puts its last definition out of date.
    if (fact.kind === 'other' && fact.row.kind === 'market-changed') market.definitionText = '';
    tape.writeFact(fact);
  }

  #isDoubled({ prints, missedPrints }: Merged, { tradeId: id, at }: PrintFact['row']): boolean {
    if (id === '') return false;
    if (missedPrints.delete(id)) this.doubledPrints += 1;
    if (prints.has(id)) {
      this.doubledPrints += 1;
      return true;
    }
    prints.set(id, at);
    removeOldest(prints, at, (writtenAt) => writtenAt);
    return false;
  }

  onGap(tape: MergingTape, { at, markets, reason }: Pick<FeedGap, 'at' | 'markets' | 'reason'>): void {
    tape.loseMarkets(markets);
    const names = new Set(markets.map((market): string => tape.source.tickers.tickerOf(market)));
    this.#endStretches(tape, { at, reason, isAffected: (ticker) => names.size === 0 || names.has(ticker) });
  }

  onTapeEnd(tape: MergingTape, at: Micros): void {
    const isLast = !this.#tapes.some((other) => other.hasMoreAfter(at));
    if (!isLast) return this.#endStretches(tape, { at, reason: `${tape.name} ends`, isAffected: () => true });
    // After the last tape, no book needs to be declared unknown.
    for (const market of this.#byTicker.values()) if (market.source === tape) this.#writeMissedPrints(market, at);
  }

  /** Ends a tape's stretches: another tape becomes the source, or a gap begins. */
  #endStretches(
    tape: MergingTape,
    { at, reason, isAffected }: { at: Micros; reason: string; isAffected: (ticker: string) => boolean },
  ): void {
    this.#lastAt = at;
    const unknown: MarketIndex[] = [];
    for (const market of this.#byTicker.values()) {
      if (market.source !== tape || !isAffected(market.ticker)) continue;
      const other = this.#bestOf(market.ticker, { except: tape, at });
      this.#closeStretch(market, at);
      if (other === null) {
        market.gap = { from: at, reason };
        this.#writeMissedPrints(market, at);
      } else this.#beginStretch(market, other, at);
      if (other === null || (hadBook(tape, market.ticker) && knowledgeOf(other, market.ticker) < 2))
        unknown.push(market.number);
    }
    if (unknown.length > 0) this.#writer.writeOther({ kind: 'feed-gap', at, markets: unknown, reason });
  }

  /** Returns the tape that continues and knows most of a market, or `null`. Knowing the book counts most. */
  #bestOf(ticker: string, { except, at }: { except: MergingTape; at: Micros }): MergingTape | null {
    let best: MergingTape | null = null;
    for (const tape of this.#tapes) {
      const known = tape === except || !tape.hasMoreAfter(at) ? 0 : knowledgeOf(tape, ticker);
      if (known > (best === null ? 0 : knowledgeOf(best, ticker))) best = tape;
    }
    return best;
  }

  /** Lists the gaps until the end of the merge. In the uncovered stretches, all markets have one. */
  finish(uncovered: readonly Stretch[], end: Micros): void {
    for (const market of this.#byTicker.values()) {
      this.#closeStretch(market, this.#lastAt);
      if (market.gap !== null) this.#gaps.push({ ...market.gap, to: end, ticker: market.ticker });
    }
    for (const stretch of uncovered)
      this.#writer.listGap({ ...stretch, reason: this.#reasonAt(stretch.from), tickers: [] });
    const isListed = ({ from, to }: Stretch): boolean =>
      from >= to || uncovered.some((stretch) => stretch.from <= from && to <= stretch.to);
    for (const gap of groupedGaps(this.#gaps)) if (!isListed(gap)) this.#writer.listGap(gap);
  }

  #reasonAt(at: Micros): string {
    const gaps = this.#gaps.filter(({ from }) => from === at);
    return gaps[0]?.reason ?? 'no tape covers this time';
  }

  /** The source of each stretch, for markets on more than one tape. */
  stretches(): readonly SourceStretch[] {
    return this.#stretches
      .filter(({ ticker }) => this.#shared.has(ticker))
      .sort((a, b) => (a.ticker === b.ticker ? a.from - b.from : a.ticker < b.ticker ? -1 : 1));
  }
}

/** Joins gaps with the same start and reason. The joined gap ends when the last of its markets is covered again. */
function groupedGaps(gaps: readonly (Omit<TapeGap, 'tickers'> & { readonly ticker: string })[]): readonly TapeGap[] {
  const groups = new Map<string, { from: Micros; to: Micros; reason: string; tickers: string[] }>();
  for (const { from, to, reason, ticker } of gaps) {
    const key = `${from} ${reason}`;
    const group = groups.get(key) ?? { from, to, reason, tickers: [] };
    group.tickers.push(ticker);
    if (to > group.to) group.to = to;
    groups.set(key, group);
  }
  return [...groups.values()];
}
