// Which tape is believed of which market, as tapes are merged: the one that told it before, until it does not know the book
// and another does. Must never let a book go on after nobody told of it.
import type { FeedGap } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { OtherEvent, TapeGap } from './baked/rows.ts';
import { eventText } from './baked/event-text.ts';
import type { RowWriter } from './baked/writer.ts';
import type { MergingTape } from './merging-tape.ts';
import type { RowFact } from './row-facts.ts';

/** A stretch of a market, told by one tape. */
export interface Stretch {
  readonly ticker: string;
  /** The tape's name. */
  readonly tape: string;
  readonly from: Micros;
  /** Until another was believed, or none. */
  readonly to: Micros;
}

/** One market of the merged tape. */
interface Merged {
  readonly ticker: string;
  readonly number: MarketIndex;
  /** Who tells of it now; `null` when nobody does. */
  teller: MergingTape | null;
  /** Since when. */
  from: Micros;
  /** Since when nobody tells of it, and why; `null` while somebody does. */
  gap: { readonly from: Micros; readonly reason: string } | null;
  /** How it was last described, as text. */
  described: string;
  /** When trades were told last, by their ids. */
  readonly prints: Map<string, Micros>;
  /** Trades that only a tape told which was not believed, by their ids: the teller may have missed them. */
  readonly untold: Map<string, { readonly tape: MergingTape; readonly fact: PrintFact }>;
}

type PrintFact = Extract<RowFact, { kind: 'print' }>;

/** So many trades of a market are remembered, and any for so long: two recorders hear the same one within seconds. */
const PRINTS_REMEMBERED = 256;
const PRINT_AGE_MAX = 10_000_000;

/** Forgets those that came first, of which enough came since, and which came long enough ago. */
function forgetOldest<T>(prints: Map<string, T>, now: Micros, toldAt: (print: T) => Micros): void {
  for (const [id, print] of prints) {
    if (prints.size <= PRINTS_REMEMBERED || now - toldAt(print) <= PRINT_AGE_MAX) return;
    prints.delete(id);
  }
}

/** Facts that are not of how things stand afterwards. */
const PASSING: Readonly<Record<OtherEvent['kind'], boolean>> = {
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

function knownBy(tape: MergingTape, ticker: string): 0 | 1 | 2 {
  const index = tape.source.tickers.indexOf(ticker);
  return index === undefined ? 0 : tape.knows(index);
}

function hadBook(tape: MergingTape, ticker: string): boolean {
  const index = tape.source.tickers.indexOf(ticker);
  return index !== undefined && tape.hasBooks(index);
}

/** Whether a description says anything else than the last one did. */
function isNews(merged: Merged, market: Market): boolean {
  const text = eventText({ kind: 'market', at: EPOCH, market: { ...market, index: merged.number } });
  const isSame = merged.described === text;
  merged.described = text;
  return !isSame;
}

/** The markets of the merged tape. */
export class MergedMarkets {
  readonly #tapes: readonly MergingTape[];
  readonly #writer: RowWriter;
  readonly #byTicker = new Map<string, Merged>();
  readonly #stretches: Stretch[] = [];
  readonly #gaps: (Omit<TapeGap, 'tickers'> & { readonly ticker: string })[] = [];
  /** Markets that more than one tape tells of. */
  readonly #shared = new Set<string>();
  #lastAt = 0 as Micros;
  doubledPrints = 0;

  constructor(tapes: readonly MergingTape[], writer: RowWriter) {
    this.#tapes = tapes;
    this.#writer = writer;
  }

  /** Takes a fact of a market from a tape. */
  take(tape: MergingTape, index: MarketIndex, fact: RowFact): void {
    const { at } = fact.row;
    this.#lastAt = at;
    const market = this.#marketOf(tape.source.tickers.tickerOf(index), at);
    const before = market.teller;
    tape.take(index, fact);
    if (before === tape) return this.#write(market, tape, fact);
    // Changes of a book that is not known say nothing; anything else is as true as ever.
    if (before === null && tape.knows(index) === 0)
      return fact.kind === 'delta' ? tape.leave() : this.#write(market, tape, fact);
    if (before !== null) {
      this.#shared.add(market.ticker);
      const more = tape.knows(index) - knownBy(before, market.ticker);
      if (more < 0 || (more === 0 && !tape.follows(before))) return this.#leaveOut(market, tape, fact);
      this.#closeStretch(market, at);
    }
    const begun = this.#begin(market, tape, at);
    // What it begins with says all that the fact does, but for what passes.
    if (fact.kind === 'print' || (fact.kind === 'other' && PASSING[fact.row.kind]))
      return this.#write(market, tape, fact);
    if (fact.kind === 'other' ? begun.isDescribed : begun.hasBook) return;
    if (fact.kind === 'delta') tape.leave();
    else tape.repeat();
  }

  #marketOf(ticker: string, at: Micros): Merged {
    const known = this.#byTicker.get(ticker);
    if (known !== undefined) return known;
    const number = this.#writer.market(ticker);
    const fresh: Merged = {
      ticker,
      number,
      teller: null,
      from: at,
      gap: null,
      described: '',
      prints: new Map(),
      untold: new Map(),
    };
    this.#byTicker.set(ticker, fresh);
    return fresh;
  }

  /** Another tape tells this; but a trade is kept for a while, should that one have missed it. */
  #leaveOut({ prints, untold }: Merged, tape: MergingTape, fact: RowFact): void {
    tape.leave();
    if (fact.kind !== 'print') return;
    const id = fact.row.tradeId;
    if (prints.has(id)) this.doubledPrints += 1;
    if (id === '' || prints.has(id)) return;
    untold.set(id, { tape, fact });
    forgetOldest(untold, fact.row.at, (print) => print.fact.row.at);
  }

  #closeStretch(market: Merged, at: Micros): void {
    if (market.teller !== null)
      this.#stretches.push({ ticker: market.ticker, tape: market.teller.name, from: market.from, to: at });
    market.teller = null;
  }

  /** A tape begins to tell of a market: all that it knows of it. What of that had to be said. */
  #begin(market: Merged, tape: MergingTape, at: Micros): { readonly isDescribed: boolean; readonly hasBook: boolean } {
    market.teller = tape;
    market.from = at;
    if (market.gap !== null) {
      const { from, reason } = market.gap;
      this.#gaps.push({ from, to: at, reason, ticker: market.ticker });
      market.gap = null;
    }
    const index = tape.source.tickers.indexOf(market.ticker);
    if (index === undefined) return { isDescribed: false, hasBook: false };
    const description = tape.state.market(index);
    const isDescribed = description !== null && isNews(market, description);
    if (isDescribed) tape.write({ kind: 'other', row: { kind: 'market', at, market: description } });
    const book = tape.state.book(index);
    if (book !== null) tape.write({ kind: 'snapshot', row: { at, exchangeAt: null, market: index, ...book } });
    this.#tellUntold(market, at);
    return { isDescribed, hasBook: book !== null };
  }

  /** What the teller before did not come to tell. */
  #tellUntold(market: Merged, at: Micros): void {
    const untold = [...market.untold.values()];
    market.untold.clear();
    for (const { tape, fact } of untold) {
      if (at - fact.row.at > PRINT_AGE_MAX) continue;
      tape.leftOut -= 1;
      this.#write(market, tape, { kind: 'print', row: { ...fact.row, at } });
    }
  }

  #write(market: Merged, tape: MergingTape, fact: RowFact): void {
    if (fact.kind === 'print' && this.#isDoubled(market, fact.row)) return tape.leave();
    if (fact.kind === 'other' && fact.row.kind === 'market' && !isNews(market, fact.row.market)) return tape.repeat();
    // What changed in a market makes its last description old.
    if (fact.kind === 'other' && fact.row.kind === 'market-changed') market.described = '';
    tape.write(fact);
  }

  #isDoubled({ prints, untold }: Merged, { tradeId: id, at }: PrintFact['row']): boolean {
    if (id === '') return false;
    if (untold.delete(id)) this.doubledPrints += 1;
    if (prints.has(id)) {
      this.doubledPrints += 1;
      return true;
    }
    prints.set(id, at);
    forgetOldest(prints, at, (toldAt) => toldAt);
    return false;
  }

  /** A tape lost continuity. */
  lost(tape: MergingTape, { at, markets, reason }: Pick<FeedGap, 'at' | 'markets' | 'reason'>): void {
    tape.lose(markets);
    const names = new Set(markets.map((market): string => tape.source.tickers.tickerOf(market)));
    this.#leave(tape, { at, reason, isLeft: (ticker) => names.size === 0 || names.has(ticker) });
  }

  /** A tape is over. */
  ended(tape: MergingTape, at: Micros): void {
    const isLast = !this.#tapes.some((other) => other.goesOnAfter(at));
    if (!isLast) return this.#leave(tape, { at, reason: `${tape.name} ends`, isLeft: () => true });
    // After the last there is nothing that could be taken for known.
    for (const market of this.#byTicker.values()) if (market.teller === tape) this.#tellUntold(market, at);
  }

  /** A tape tells nothing sure of some markets any more: others do, or nobody. */
  #leave(
    tape: MergingTape,
    { at, reason, isLeft }: { at: Micros; reason: string; isLeft: (ticker: string) => boolean },
  ): void {
    this.#lastAt = at;
    /** Markets whose books are known to nobody now. */
    const unknown: MarketIndex[] = [];
    for (const market of this.#byTicker.values()) {
      if (market.teller !== tape || !isLeft(market.ticker)) continue;
      const other = this.#bestOf(market.ticker, { but: tape, at });
      this.#closeStretch(market, at);
      if (other === null) {
        market.gap = { from: at, reason };
        this.#tellUntold(market, at);
      } else this.#begin(market, other, at);
      if (other === null || (hadBook(tape, market.ticker) && knownBy(other, market.ticker) < 2))
        unknown.push(market.number);
    }
    if (unknown.length > 0) this.#writer.other({ kind: 'feed-gap', at, markets: unknown, reason });
  }

  /** The tape that goes on and knows most of a market, its book if any does; `null` when none knows anything. */
  #bestOf(ticker: string, { but, at }: { but: MergingTape; at: Micros }): MergingTape | null {
    let best: MergingTape | null = null;
    for (const tape of this.#tapes) {
      const known = tape === but || !tape.goesOnAfter(at) ? 0 : knownBy(tape, ticker);
      if (known > (best === null ? 0 : knownBy(best, ticker))) best = tape;
    }
    return best;
  }

  /** Says what is left to be said: nothing more comes. */
  finish(): void {
    for (const market of this.#byTicker.values()) {
      this.#closeStretch(market, this.#lastAt);
      if (market.gap !== null) this.#gaps.push({ ...market.gap, to: this.#lastAt, ticker: market.ticker });
    }
    for (const gap of groupedGaps(this.#gaps)) if (gap.from < gap.to) this.#writer.listGap(gap);
  }

  /** Which tape told of which market, of those that more than one tells of. */
  stretches(): readonly Stretch[] {
    return this.#stretches
      .filter(({ ticker }) => this.#shared.has(ticker))
      .sort((a, b) => (a.ticker === b.ticker ? a.from - b.from : a.ticker < b.ticker ? -1 : 1));
  }
}

/** Gaps that began together are one, until the last of their markets was told of again. */
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
