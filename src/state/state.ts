// What we believe, moved only by events: books, markets, orders, portfolio, and the feed's health.
// Must never read a clock or decide anything: it takes facts, and tells what they changed.
import type {
  Answered,
  BookDelta,
  BookPoll,
  BookSnapshot,
  EngineEvent,
  FeedChannelChanged,
  FeedGap,
  MarketChanged,
  MarketDefined,
  SettlementReport,
} from '../domain/event.ts';
import { type MarketIndex, TickerTable } from '../domain/ids.ts';
import { type Market, isSameMarket, isSettled, statusByClock } from '../domain/market.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import { type AuditResult, Audits } from './audit.ts';
import { BookChange, Books } from './books.ts';
import type { StateChange } from './change.ts';
import { ClockOffset } from './clock-offset.ts';
import { Confirmations } from './confirmations.ts';
import { type DeltaApplier, deltaApplier } from './apply-delta.ts';
import { evict, isHeld } from './eviction.ts';
import { FeedHealth } from './feed-health.ts';
import { Markets } from './markets.ts';
import { applyOrderEvent } from './order-events.ts';
import { Orders } from './orders.ts';
import { Orphans } from './orphans.ts';
import { Portfolio } from './portfolio.ts';
import { QueuePlaces } from './queue-places.ts';
import { TickerBoard } from './ticker-facts.ts';
import { StrategyBooks } from './strategy-books.ts';
import { Succession } from './succession.ts';

/** Of this file: what is imported is looked up at every use, which the hot path feels. */
const { ignored: IGNORED, fault: FAULT } = BookChange;

/** Kinds of surprise that are counted apart: some are named after words of the venue's, of which there is no end. */
const SURPRISE_KINDS_MAX = 500;

/** Everything the engine knows. */
export class State {
  readonly tickers: TickerTable;
  readonly books: Books;
  readonly markets: Markets;
  readonly orders = new Orders();
  readonly portfolio = new Portfolio();
  readonly strategyBooks = new StrategyBooks();
  /** How the books come from the session before, and go to the next. */
  readonly succession: Succession;
  readonly orphans = new Orphans();
  readonly feed = new FeedHealth();
  readonly tickerBoard = new TickerBoard();
  /** Our clock against the venue's, as its answers tell. */
  readonly clock = new ClockOffset();
  readonly exchange = { isActive: true, isTrading: true };
  /** What stands before our resting orders. */
  readonly queue = new QueuePlaces(this);
  /** Surprises by kind: what we could not read, or did not expect. */
  readonly surprises = new Map<string, number>();
  /** Books read over REST, held against the streamed ones. */
  readonly audits: Audits;
  readonly #confirmations: Confirmations;
  /** Books that differed from REST once; twice in a row is a fault. */
  readonly #doubted = new Set<MarketIndex>();
  /** The time of the latest event. */
  now: Micros = EPOCH;

  constructor(tickers: TickerTable = new TickerTable()) {
    this.tickers = tickers;
    this.markets = new Markets(tickers);
    // A tape names all its markets beforehand: room is made once.
    this.books = new Books(tickers.size);
    this.#confirmations = new Confirmations(tickers.size);
    this.audits = new Audits(this.books, (market) => this.#confirmations.toldAt(market));
    this.applyDelta = deltaApplier({
      state: this,
      books: this.books,
      feed: this.feed,
      audits: this.audits,
      confirmations: this.#confirmations,
      lookAt: (event, done, changes) => this.#lookAt(event, done, changes),
    });
    this.succession = new Succession(this);
  }

  /**
   * Takes one event. What it changed goes to `changes`, but for book levels, which are told by the return value alone
   * because they are too many to allocate for.
   */
  apply(event: EngineEvent, changes: StateChange[]): BookChange {
    if (event.kind === 'book-delta') return this.applyDelta(event, changes);
    this.#pass(event.at);
    if (event.kind === 'book-snapshot') return this.#applySnapshot(event, changes);
    this.#applyOther(event, changes);
    return IGNORED;
  }

  /** An answer may be told after a frame that came later. Time never goes back for what is asked between two steps. */
  #pass(at: Micros): void {
    if (at > this.now) this.now = at;
  }

  /** The same for a change of a book: most events are one. */
  readonly applyDelta: DeltaApplier;

  /** A change that cannot be right, or of a book that may be being audited. */
  #lookAt(event: BookDelta, done: BookChange, changes: StateChange[]): void {
    if (done === FAULT) this.#tellWrong(event.market, 'a level or the touch cannot be right', changes);
    else if (this.audits.changed(event.market, event.side, event)) this.#audited(event.market, 'equal', changes);
  }

  #applySnapshot(event: BookSnapshot, changes: StateChange[]): BookChange {
    const { market } = event;
    this.feed.messageAt = event.at;
    this.audits.drop(market);
    const done = this.books.applySnapshot(event);
    if (done !== IGNORED) this.#confirmations.told(event);
    if (done === FAULT) this.#tellWrong(market, 'the snapshot cannot be right', changes);
    if (done === BookChange.touch) changes.push({ type: 'trust', market, trust: 'live', reason: 'snapshot' });
    this.#doubted.delete(market);
    return done;
  }

  #applyOther(event: Exclude<EngineEvent, BookDelta | BookSnapshot>, changes: StateChange[]): void {
    switch (event.kind) {
      case 'market':
        return this.#defineMarket(event, changes);
      case 'market-changed':
        return this.#changeMarket(event, changes);
      case 'event-group':
        return this.markets.defineGroup(event.group);
      case 'fees-changed':
        return this.markets.changeFees(event.eventTicker, event.fees);
      case 'fees-scheduled':
        return this.markets.scheduleFees(event.seriesTicker, event.changes);
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
      case 'answered':
        return this.#observeClock(event);
      case 'clock-stepped':
        this.clock.restart();
        return this.feed.lag.restart();
      case 'unrecognized':
        return this.surprise(event.what, event.detail, changes);
      case 'feed-up':
      case 'feed-down':
      case 'feed-gap':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
      case 'markets-appeared':
      case 'print':
      case 'ticker':
        return this.#applyFeedEvent(event, changes);
      case 'queue-positions':
        return this.queue.told(event);
      case 'settlements':
        for (const row of event.rows) this.#takeSettlement(row, event.at, changes);
        return;
      // What becomes of requests is the session's business, and so are pages of figures, which it puts together.
      case 'start':
      case 'stop':
      case 'operator':
      case 'clock-leapt':
      case 'rate-limited':
      case 'read-failed':
      case 'markets-listed':
      case 'balance':
      case 'positions':
      case 'position-updated':
        return;
      default:
        return this.#applyOrderEvent(event, changes);
    }
  }

  /** A list of what was paid out may be the first to tell that a market of ours was settled: nothing is paid out twice. */
  #takeSettlement({ market, result, settlementValue }: SettlementReport, at: Micros, changes: StateChange[]): void {
    // Before the opening a fill may yet be told of what was held there.
    if (this.portfolio.isOpen && !isHeld(this, market)) return;
    if (!this.markets.get(market)) return void this.succession.settle(market, settlementValue);
    const paidOut = { status: 'finalized', result, settlementValue } as const;
    this.#changeMarket({ kind: 'market-changed', at, exchangeAt: null, market, ...paidOut }, changes);
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

  #observeClock({ at, askedAt, clockOffset }: Answered): void {
    if (askedAt === undefined || clockOffset === null) return;
    this.clock.observe({ sentAt: askedAt, receivedAt: at, venueAt: (at - clockOffset) as Micros });
  }

  #applyFeedEvent(event: EngineEvent, changes: StateChange[]): void {
    switch (event.kind) {
      case 'feed-down':
        return this.#loseFeed(event.reason, changes);
      case 'feed-gap':
        return this.#loseContinuity(event, changes);
      case 'feed-up':
        this.#confirmations.restart();
        return this.feed.connected(event.at, event.connection);
      case 'feed-heard':
        return this.feed.alive(event.at);
      case 'feed-channel':
        return this.#changeChannel(event, changes);
      default:
        if (event.kind === 'ticker') this.tickerBoard.take(event);
        if (event.kind === 'print') this.queue.print(event);
        if (event.kind === 'print' && event.exchangeAt !== null) this.feed.lag.observe(event.at, event.exchangeAt);
        this.feed.messageAt = event.at;
    }
  }

  #changeChannel(event: FeedChannelChanged, changes: StateChange[]): void {
    const wasUp = this.feed.isPrivateUp;
    this.feed.alive(event.at);
    this.feed.channel(event);
    if (this.feed.isPrivateUp !== wasUp) this.#tellPrivate(changes);
  }

  #tellPrivate(changes: StateChange[]): void {
    const { isPrivateUp: isUp, privateFault } = this.feed;
    changes.push({ type: 'private-feed', isUp, reason: privateFault ?? 'fills, orders and positions are told' });
  }

  /** The private channels said nothing where they should have: they are not believed until they are granted anew. */
  doubtPrivate(reason: string, changes: StateChange[]): void {
    if (!this.feed.isPrivateUp) return;
    this.feed.doubtPrivate(reason);
    this.#tellPrivate(changes);
  }

  /**
   * As of when a market's book is known to be right: by the stream, less how late it is, or by an equal book read over
   * REST. Whether the book is believed at all is its trust. Who asks of many books at once reckons the lag once.
   */
  confirmedAt(market: MarketIndex, lag = this.feedLag()): Micros {
    const streamedAt = this.#confirmations.streamedAt(market) - lag;
    return Math.max(0, streamedAt, this.#confirmations.readAt(market)) as Micros;
  }

  /** When the stream last told of a market's book. */
  toldAt(market: MarketIndex): Micros {
    return this.#confirmations.toldAt(market);
  }

  /** When a book equal to ours was last asked for over REST. */
  readAt(market: MarketIndex): Micros {
    return this.#confirmations.readAt(market);
  }

  /** How many snapshots and changes of a market's book have come. */
  bookMessages(market: MarketIndex): number {
    return this.#confirmations.countOf(market);
  }

  /** How late the feed's latest messages came, at least, in microseconds. */
  feedLag(): number {
    return this.feed.lag.proven(this.now, this.clock.estimate(this.now));
  }

  #loseFeed(reason: string, changes: StateChange[]): void {
    const wasUp = this.feed.isPrivateUp;
    this.feed.disconnected();
    for (const market of this.markets.all()) this.#distrust(market.index, `feed down: ${reason}`, changes);
    if (wasUp) this.#tellPrivate(changes);
  }

  #loseContinuity(event: FeedGap, changes: StateChange[]): void {
    const markets = event.markets.length > 0 ? event.markets : this.markets.all().map((market) => market.index);
    for (const market of markets) this.#distrust(market, event.reason, changes);
    this.surprise('feed-gap', event.reason, changes);
  }

  #distrust(market: MarketIndex, reason: string, changes: StateChange[]): void {
    this.audits.drop(market);
    if (this.books.distrust(market)) changes.push({ type: 'trust', market, trust: 'suspect', reason });
  }

  #tellWrong(market: MarketIndex, reason: string, changes: StateChange[]): void {
    changes.push({ type: 'trust', market, trust: 'suspect', reason, isWrong: true });
  }

  #audit(poll: BookPoll, changes: StateChange[]): void {
    const result = this.audits.answered(poll);
    if (result === 'equal') this.#confirmations.read(poll.market, poll.askedAt);
    if (result !== null) this.#audited(poll.market, result, changes);
  }

  #audited(market: MarketIndex, result: AuditResult, changes: StateChange[]): void {
    if (result === 'equal') this.#doubted.delete(market);
    if (result !== 'different') return;
    if (!this.#doubted.has(market)) {
      this.#doubted.add(market);
      return;
    }
    this.#doubted.delete(market);
    this.audits.drop(market);
    if (this.books.distrust(market))
      this.#tellWrong(market, 'differs from the book read over REST, twice in a row', changes);
    this.surprise('book-audit', `book of ${this.tickers.tickerOf(market)} differs from REST`, changes);
  }

  /** The books of which the last audit found a difference that the next one must confirm or clear. Borrowed. */
  get doubted(): ReadonlySet<MarketIndex> {
    return this.#doubted;
  }

  #defineMarket({ market, at, askedAt = at }: MarketDefined, changes: StateChange[]): void {
    const before = this.markets.get(market.index);
    // Lists tell the same of most markets again and again.
    if (before && !isSettled(market.status) && this.books.isOpen(market.index) && isSameMarket(before, market)) return;
    if (this.markets.isOutdated(market, askedAt)) return;
    // One that is over before we ever hear of it, or was forgotten, is of no interest unless something of ours is in it.
    if (!before && isSettled(market.status) && !this.#hasOurs(market.index)) return;
    this.markets.define(market);
    this.#afterMarket(market, before, changes);
  }

  #hasOurs(market: MarketIndex): boolean {
    return this.portfolio.positions().has(market) || isHeld(this, market) || this.orders.openIn(market).length > 0;
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
    if (!isSettled(market.status)) this.#open(market);
    if (before === undefined || before.status !== market.status || before.closeAt !== market.closeAt)
      changes.push({ type: 'market', market, before: before?.status ?? null });
  }

  #open({ index, grid }: Market): void {
    this.books.open(index, grid);
    this.#confirmations.open(index);
  }

  /** Markets open and close by the clock: the venue sends no word of it. */
  #passTime(now: Micros, changes: StateChange[]): void {
    for (const { market, result } of this.audits.due(now)) this.#audited(market, result, changes);
    if (now < this.markets.movesAt()) return;
    for (const market of this.markets.all()) {
      const status = statusByClock(market, now);
      if (status === market.status) continue;
      const change = { kind: 'market-changed', at: now, exchangeAt: null, market: market.index, status } as const;
      this.#changeMarket(change, changes);
    }
  }

  #settle(market: Market, changes: StateChange[]): void {
    this.markets.noteSettled(market.index, this.now);
    this.books.close(market.index);
    this.audits.drop(market.index);
    this.#doubted.delete(market.index);
    this.#confirmations.forget(market.index);
    if (market.settlementValue === null) return;
    const held = this.portfolio.position(market.index).qty;
    const paid = this.succession.settle(market.index, market.settlementValue);
    if (held !== 0 && this.portfolio.isOpen) changes.push({ type: 'settled', market, held, paid });
  }

  /** Forgets settled markets in which nothing is held and no order is open. */
  evict(markets: readonly Market[], changes: StateChange[]): void {
    evict(this, markets, changes);
  }

  /** Counts something that could not be read or was not expected. */
  surprise(what: string, detail: string, changes: StateChange[]): void {
    const counted = this.surprises.has(what) || this.surprises.size < SURPRISE_KINDS_MAX ? what : 'other';
    this.surprises.set(counted, (this.surprises.get(counted) ?? 0) + 1);
    changes.push({ type: 'surprise', what: counted, detail });
  }
}
