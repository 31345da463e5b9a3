// What we believe, moved only by events: books, markets, orders, portfolio, and the feed's health.
// Must never read a clock or decide anything: it takes facts, and tells what they changed.
import type {
  BookDelta,
  BookPoll,
  BookSnapshot,
  EngineEvent,
  FeedGap,
  MarketChanged,
  MarketDefined,
} from '../domain/event.ts';
import { type MarketIndex, TickerTable } from '../domain/ids.ts';
import { type Market, isSettled, statusByClock } from '../domain/market.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import { auditBook } from './audit.ts';
import { BookChange, Books } from './books.ts';
import type { StateChange } from './change.ts';
import { Markets } from './markets.ts';
import { applyOrderEvent, isOrderEvent } from './order-events.ts';
import { Orders } from './orders.ts';
import { Orphans } from './orphans.ts';
import { Portfolio } from './portfolio.ts';

/** How the feed is doing. */
export interface FeedHealth {
  isUp: boolean;
  /** When anything was last heard. */
  heardAt: Micros;
  /** How many connections there have been. */
  connections: number;
}

/** Everything the engine knows. */
export class State {
  readonly tickers: TickerTable;
  readonly books = new Books();
  readonly markets: Markets;
  readonly orders = new Orders();
  readonly portfolio = new Portfolio();
  readonly orphans = new Orphans();
  readonly feed: FeedHealth = { isUp: false, heardAt: EPOCH, connections: 0 };
  readonly exchange = { isActive: true, isTrading: true };
  /** Surprises by kind: what we could not read, or did not expect. */
  readonly surprises = new Map<string, number>();
  /** Books that differed from REST once; twice in a row is a fault. */
  readonly #doubted = new Set<MarketIndex>();
  /** The time of the event being handled. */
  now: Micros = EPOCH;

  constructor(tickers: TickerTable = new TickerTable()) {
    this.tickers = tickers;
    this.markets = new Markets(tickers);
  }

  /**
   * Takes one event. What it changed goes to `changes`, but for book levels, which are told by the return value alone
   * because they are too many to allocate for.
   */
  apply(event: EngineEvent, changes: StateChange[]): BookChange {
    this.now = event.at;
    if (event.kind === 'book-delta') return this.#applyDelta(event, changes);
    if (event.kind === 'book-snapshot') return this.#applySnapshot(event, changes);
    this.#applyOther(event, changes);
    return BookChange.ignored;
  }

  #applyDelta(event: BookDelta, changes: StateChange[]): BookChange {
    this.feed.heardAt = event.at;
    const done = this.books.applyDelta(event);
    if (done === BookChange.fault) this.#tellDistrust(event.market, 'a level or the touch cannot be right', changes);
    return done;
  }

  #applySnapshot(event: BookSnapshot, changes: StateChange[]): BookChange {
    this.feed.heardAt = event.at;
    const done = this.books.applySnapshot(event);
    if (done === BookChange.fault) this.#tellDistrust(event.market, 'the snapshot cannot be right', changes);
    if (done === BookChange.touch)
      changes.push({ type: 'trust', market: event.market, trust: 'live', reason: 'snapshot' });
    this.#doubted.delete(event.market);
    return done;
  }

  #applyOther(event: EngineEvent, changes: StateChange[]): void {
    switch (event.kind) {
      case 'market':
        return this.#defineMarket(event, changes);
      case 'market-changed':
        return this.#changeMarket(event, changes);
      case 'event-group':
        return this.markets.defineGroup(event.group);
      case 'series':
        return this.markets.defineSeries(event.series);
      case 'book-poll':
        return this.#audit(event, changes);
      case 'exchange-status':
        this.exchange.isActive = event.isActive;
        this.exchange.isTrading = event.isTrading;
        return;
      case 'timer':
        return this.#passTime(event.at, changes);
      case 'unrecognized':
        return this.#surprise(event.what, event.detail, changes);
      case 'feed-up':
      case 'feed-down':
      case 'feed-gap':
      case 'feed-heard':
      case 'print':
      case 'ticker':
        return this.#applyFeedEvent(event, changes);
      default:
        if (isOrderEvent(event)) this.#applyOrderEvent(event, changes);
    }
  }

  #applyOrderEvent(event: Parameters<typeof applyOrderEvent>[1], changes: StateChange[]): void {
    const first = changes.length;
    applyOrderEvent(this, event, changes);
    for (const change of changes.slice(first))
      if (change.type === 'fill') this.#settleLate(change.fill.market, changes);
  }

  /** A fill may be told after its market was paid out: it was paid out with the rest. */
  #settleLate(index: MarketIndex, changes: StateChange[]): void {
    const market = this.markets.get(index);
    if (market && isSettled(market.status)) this.#settle(market, changes);
  }

  #applyFeedEvent(event: EngineEvent, changes: StateChange[]): void {
    if (event.kind === 'feed-down') return this.#loseFeed(event.reason, changes);
    if (event.kind === 'feed-gap') return this.#loseContinuity(event, changes);
    if (event.kind === 'feed-up') {
      this.feed.isUp = true;
      this.feed.connections = event.connection;
    }
    this.feed.heardAt = event.at;
  }

  #loseFeed(reason: string, changes: StateChange[]): void {
    this.feed.isUp = false;
    for (const market of this.markets.all()) this.#distrust(market.index, `feed down: ${reason}`, changes);
  }

  #loseContinuity(event: FeedGap, changes: StateChange[]): void {
    const markets = event.markets.length > 0 ? event.markets : this.markets.all().map((market) => market.index);
    for (const market of markets) this.#distrust(market, event.reason, changes);
    this.#surprise('feed-gap', event.reason, changes);
  }

  #distrust(market: MarketIndex, reason: string, changes: StateChange[]): void {
    if (this.books.distrust(market)) this.#tellDistrust(market, reason, changes);
  }

  #tellDistrust(market: MarketIndex, reason: string, changes: StateChange[]): void {
    changes.push({ type: 'trust', market, trust: 'suspect', reason });
  }

  #audit(poll: BookPoll, changes: StateChange[]): void {
    const result = auditBook(this.books, poll);
    if (result === 'equal') this.#doubted.delete(poll.market);
    if (result !== 'different') return;
    if (!this.#doubted.has(poll.market)) {
      this.#doubted.add(poll.market);
      return;
    }
    this.#doubted.delete(poll.market);
    this.#distrust(poll.market, 'differs from the book read over REST, twice in a row', changes);
    this.#surprise('book-audit', `book of ${this.tickers.tickerOf(poll.market)} differs from REST`, changes);
  }

  /** Whether the last audit of a book found a difference that the next one must confirm or clear. */
  isDoubted(market: MarketIndex): boolean {
    return this.#doubted.has(market);
  }

  #defineMarket({ market }: MarketDefined, changes: StateChange[]): void {
    const before = this.markets.get(market.index);
    // Paid out is for ever: a list that says otherwise was asked for before.
    if (before && isSettled(before.status) && !isSettled(market.status)) return;
    this.markets.define(market);
    this.#afterMarket(market, before, changes);
  }

  #changeMarket(event: MarketChanged, changes: StateChange[]): void {
    const before = this.markets.get(event.market);
    const market = this.markets.change(event);
    if (market) this.#afterMarket(market, before, changes);
  }

  #afterMarket(market: Market, before: Market | undefined, changes: StateChange[]): void {
    if (isSettled(market.status)) this.#settle(market, changes);
    else if (this.books.isOpen(market.index) && this.books.grid(market.index) !== market.grid)
      this.#distrust(market.index, 'the price grid changed', changes);
    if (!isSettled(market.status)) this.books.open(market.index, market.grid);
    if (before === undefined || before.status !== market.status || before.closeAt !== market.closeAt)
      changes.push({ type: 'market', market, before: before?.status ?? null });
  }

  /** Markets open and close by the clock: the venue sends no word of it. */
  #passTime(now: Micros, changes: StateChange[]): void {
    for (const market of this.markets.all()) {
      const status = statusByClock(market, now);
      if (status === market.status) continue;
      const change = { kind: 'market-changed', at: now, exchangeAt: null, market: market.index, status } as const;
      this.#changeMarket(change, changes);
    }
  }

  #settle(market: Market, changes: StateChange[]): void {
    this.books.close(market.index);
    if (market.settlementValue === null) return;
    const held = this.portfolio.position(market.index).qty;
    const paid = this.portfolio.settle(market.index, market.settlementValue);
    if (held !== 0 && this.portfolio.isOpen) changes.push({ type: 'settled', market, held, paid });
  }

  #surprise(what: string, detail: string, changes: StateChange[]): void {
    this.surprises.set(what, (this.surprises.get(what) ?? 0) + 1);
    changes.push({ type: 'surprise', what, detail });
  }

  /** Counts something that could not be read or was not expected. */
  surprise(what: string, detail: string, changes: StateChange[]): void {
    this.#surprise(what, detail, changes);
  }
}
