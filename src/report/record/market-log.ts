// The markets of a run: position and value at both ends, and the last mid before each closed. Keyed by ticker: a
// market's number can be reused once the market is dropped.
import type { MarketIndex, Ticker } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { UNKNOWN_MARK, knownMarkOf, markOf } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';
import type { MarketNote } from './run-record.ts';

interface Entry {
  readonly ticker: Ticker;
  readonly index: MarketIndex;
  market: Market | null;
  seriesTicker: string | null;
  openingHeld: number;
  /** `null` until a price is known. */
  openingMark: number | null;
  lastMid2: number | null;
  closeMid2: number | null;
  isClosed: boolean;
  isGone: boolean;
}

/** Bid plus ask of a market; `null` when one side is empty or the book is not live. */
export function mid2Of(state: State, market: MarketIndex): number | null {
  if (!state.books.isOpen(market) || !state.books.isLive(market)) return null;
  const bid = state.books.bestBid(market);
  const ask = state.books.bestAsk(market);
  return bid === null || ask === null ? null : bid + ask;
}

/** The markets of the run. */
export class MarketLog {
  readonly #state: State;
  readonly #entries = new Map<Ticker, Entry>();
  /** Opening positions without a price so far. */
  readonly #unvalued = new Set<Ticker>();
  #closesAt = Number.POSITIVE_INFINITY;

  constructor(state: State) {
    this.#state = state;
  }

  /** Time at which the next market closes by the clock, or infinity. */
  get dueAt(): number {
    return this.#closesAt;
  }

  /** Adds a market unless it is tracked already. Returns the ticker. */
  addMarket(index: MarketIndex): Ticker {
    const ticker = this.#state.tickers.tickerOf(index);
    const known = this.#entries.get(ticker);
    if (known && !known.isGone) return ticker;
    const entry: Entry = {
      ticker,
      index,
      market: null,
      seriesTicker: null,
      openingHeld: known?.openingHeld ?? 0,
      openingMark: known?.openingMark ?? null,
      lastMid2: null,
      closeMid2: null,
      isClosed: false,
      isGone: false,
    };
    this.#entries.set(ticker, entry);
    this.#refresh(entry);
    if (!entry.isClosed) this.#closesAt = Math.min(this.#closesAt, entry.market?.closeAt ?? Number.POSITIVE_INFINITY);
    return ticker;
  }

  /** Records the positions when the run begins. Without a price, the value is recorded later. */
  recordOpening(): void {
    for (const [index, { qty }] of this.#state.portfolio.positions()) {
      if (qty === 0) continue;
      const entry = this.#entries.get(this.addMarket(index));
      if (!entry) continue;
      entry.openingHeld = qty;
      entry.openingMark = knownMarkOf(this.#state, index);
      if (entry.openingMark === null) this.#unvalued.add(entry.ticker);
    }
  }

  /**
   * Values the opening positions that have had no price so far. Returns what they are worth more than at the mark of an
   * unknown price, at which equity has counted them.
   */
  valueOpenings(): number {
    let gained = 0;
    for (const ticker of this.#unvalued) gained += this.#valueOpening(ticker);
    return gained;
  }

  #valueOpening(ticker: Ticker): number {
    const entry = this.#entries.get(ticker);
    const mark = entry === undefined || entry.isGone ? null : knownMarkOf(this.#state, entry.index);
    if (entry === undefined || mark === null) return 0;
    entry.openingMark = mark;
    this.#unvalued.delete(ticker);
    return entry.openingHeld * (mark - UNKNOWN_MARK);
  }

  onMarketChange(market: Market): void {
    const entry = this.#entryOf(market.index);
    if (!entry) return;
    this.#refresh(entry);
    if (isTrading(market)) {
      // The close was moved: the mid at the earlier close was not the last.
      if (entry.isClosed) entry.closeMid2 = null;
      entry.isClosed = false;
    } else this.#close(entry);
    this.#schedule();
  }

  onMarketDropped(market: Market): void {
    const entry = this.#entries.get(market.ticker);
    if (!entry) return;
    entry.market = market;
    this.#close(entry);
    entry.isGone = true;
    this.#schedule();
  }

  closeDue(now: number): void {
    if (now < this.#closesAt) return;
    for (const entry of this.#entries.values())
      if (!entry.isClosed && entry.market !== null && entry.market.closeAt <= now) this.#close(entry);
    this.#schedule();
  }

  /** Reads the mid of each open market, for a market whose book is dropped before it closes. */
  sampleMids(): void {
    for (const entry of this.#entries.values())
      if (!entry.isClosed && !entry.isGone)
        entry.lastMid2 = this.#state.books.lastTwiceMid(entry.index) ?? entry.lastMid2;
  }

  /** Returns the markets, without what each has locked. */
  notes(): Omit<MarketNote, 'lockedDollarDays'>[] {
    return [...this.#entries.values()].map((entry) => this.#noteOf(entry));
  }

  #noteOf(entry: Entry): Omit<MarketNote, 'lockedDollarDays'> {
    this.#refresh(entry);
    const { market, ticker } = entry;
    const mark = this.#markOf(entry);
    return {
      ticker,
      title: market?.title ?? '',
      eventTicker: market?.eventTicker ?? ticker,
      seriesTicker: entry.seriesTicker,
      status: market?.status ?? 'finalized',
      closeAt: market?.closeAt ?? 0,
      result: market?.result ?? null,
      settlementValue: market?.settlementValue ?? null,
      closeMid2: entry.closeMid2,
      openingHeld: entry.openingHeld,
      openingMark: entry.openingMark ?? mark,
      held: entry.isGone ? 0 : this.#state.portfolio.position(entry.index).qty,
      mark,
    };
  }

  #markOf({ market, index, isGone }: Entry): number {
    if (market && market.settlementValue !== null) return market.settlementValue;
    return isGone ? UNKNOWN_MARK : markOf(this.#state, index);
  }

  #close(entry: Entry): void {
    if (entry.isClosed) return;
    entry.isClosed = true;
    entry.closeMid2 = this.#state.books.lastTwiceMid(entry.index) ?? entry.lastMid2;
  }

  #refresh(entry: Entry): void {
    if (entry.isGone) return;
    const market = this.#state.markets.get(entry.index);
    if (!market) return;
    entry.market = market;
    entry.seriesTicker = this.#state.markets.group(market.eventTicker)?.seriesTicker ?? entry.seriesTicker;
  }

  #schedule(): void {
    this.#closesAt = Number.POSITIVE_INFINITY;
    for (const { isClosed, market } of this.#entries.values())
      if (!isClosed && market !== null) this.#closesAt = Math.min(this.#closesAt, market.closeAt);
  }

  #entryOf(index: MarketIndex): Entry | undefined {
    const name = this.#state.tickers.tickersByIndex()[index];
    const entry = name === undefined ? undefined : this.#entries.get(name);
    return entry?.isGone === true ? undefined : entry;
  }
}

const isTrading = ({ status }: Market): boolean =>
  status === 'initialized' || status === 'active' || status === 'inactive';
