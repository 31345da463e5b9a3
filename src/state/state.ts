// The engine's state, changed only by events: books, markets, orders, portfolio, and the feed's health. Must never read
// a clock or decide anything.
import type {
  RequestAnswered,
  BookDelta,
  BookPoll,
  BookSnapshot,
  EngineEvent,
  FeedChannelChanged,
  FeedGap,
  MarketChanged,
  MarketDefined,
  MarketsAppeared,
  Print,
  SettlementReport,
  TickerUpdate,
} from '../domain/event.ts';
import { type EventOf, isOfNature } from '../domain/event-kinds.ts';
import { type MarketIndex, TickerTable } from '../domain/ids.ts';
import { type Market, isSameMarket, isSettled, statusByClock } from '../domain/market.ts';
import { EPOCH, type Micros, PRICE_PER_CENT, type Price } from '../domain/units.ts';
import { type AuditResult, StreamAudits } from './books/stream-audits.ts';
import { BookChange, OrderBooks } from './books/order-books.ts';
import type { ChangeSink, StateChange } from './state-change.ts';
import { ClockOffset } from './feed/clock-offset.ts';
import { BookConfirmations } from './books/book-confirmations.ts';
import { type DeltaApplier, deltaApplier } from './books/delta-applier.ts';
import { evictMarkets, isHeld } from './eviction.ts';
import { FeedHealth } from './feed/feed-health.ts';
import { Markets } from './market-catalog.ts';
import { applyOrderEvent } from './account/order-events.ts';
import { Orders } from './account/orders.ts';
import { OrphanFills } from './account/orphan-fills.ts';
import { Portfolio } from './account/portfolio.ts';
import { QueueEstimates } from './account/queue-estimates.ts';
import { TickerBoard } from './books/ticker-facts.ts';
import { StrategyLedgers } from './strategies/strategy-ledgers.ts';
import { LedgerHandover } from './strategies/ledger-handover.ts';

/** Local copy: V8 does not constant-fold imported bindings. */
const { ignored: IGNORED, fault: FAULT } = BookChange;

/** Bound on kinds of surprise. Some kinds carry names from the venue, which are unbounded. */
const SURPRISE_KINDS_MAX = 500;

/** Everything the engine knows. */
export class State {
  readonly tickers: TickerTable;
  readonly books: OrderBooks;
  readonly markets: Markets;
  readonly orders = new Orders();
  readonly portfolio = new Portfolio();
  readonly strategyLedgers = new StrategyLedgers();
  /** Passes the strategy ledgers from session to session. */
  readonly ledgerHandover: LedgerHandover;
  readonly orphanFills = new OrphanFills();
  readonly feed: FeedHealth;
  readonly tickerBoard = new TickerBoard();
  readonly clock = new ClockOffset();
  readonly exchange = { isActive: true, isTrading: true };
  readonly queueEstimates = new QueueEstimates(this);
  /** Unreadable and unexpected events, counted by kind. Added at the first of a kind; never removed. */
  readonly surprises = new Map<string, number>();
  readonly audits: StreamAudits;
  /** Times and counts of the messages about each book, and of the reads that found it equal. */
  readonly confirmations: BookConfirmations;
  /**
   * Books that differed from REST once. Added by an audit; removed by a conclusive audit, a snapshot, or settlement.
   */
  readonly #doubted = new Set<MarketIndex>();
  /** The time of the latest event. */
  now: Micros = EPOCH;
  /** Sum of the leaps of the machine's clock that the session's clock has followed, as after a sleep. Microseconds. */
  steppedBy = 0;

  /** @param isFeedLossless See `EngineOptions.isFeedLossless`. */
  constructor(tickers: TickerTable = new TickerTable(), isFeedLossless = false) {
    this.tickers = tickers;
    this.feed = new FeedHealth(isFeedLossless);
    this.markets = new Markets(tickers);
    // A tape names all its markets in advance, so the room is allocated once.
    this.books = new OrderBooks(tickers.size);
    this.confirmations = new BookConfirmations(tickers.size);
    this.audits = new StreamAudits(this.books, (market) => this.confirmations.messageAt(market));
    this.applyDelta = deltaApplier({
      state: this,
      books: this.books,
      feed: this.feed,
      audits: this.audits,
      confirmations: this.confirmations,
      inspectChange: (event, bookChange, changes) => this.#inspectChange(event, bookChange, changes),
    });
    this.ledgerHandover = new LedgerHandover(this);
  }

  /** Applies one event. Appends its effects to `changes`, except level changes, which only the return value reports. */
  applyEvent(event: EngineEvent, changes: ChangeSink): BookChange {
    if (event.kind === 'book-delta') return this.applyDelta(event, changes);
    // An answer may be processed after a later frame, and the time never goes back.
    if (event.at > this.now) this.now = event.at;
    if (event.kind === 'book-snapshot') return this.#applySnapshot(event, changes);
    if (event.kind === 'print') this.#applyPrint(event);
    else if (isOfNature(event, 'account')) this.#applyOrderEvent(event, changes);
    else this.#applyOther(event, changes);
    return IGNORED;
  }

  /** Applies a level change. */
  readonly applyDelta: DeltaApplier;

  #inspectChange(event: BookDelta, bookChange: BookChange, changes: ChangeSink): void {
    if (bookChange === FAULT) this.#reportWrongBook(event.market, 'a level or the touch cannot be right', changes);
    else if (this.audits.applyChange(event.market, event.side, event))
      this.#onAuditResult(event.market, 'equal', changes);
  }

  #applySnapshot(event: BookSnapshot, changes: ChangeSink): BookChange {
    const { market } = event;
    this.feed.contentAt = event.at;
    this.audits.dropAudit(market);
    const bookChange = this.books.applySnapshot(event);
    if (bookChange !== IGNORED) this.confirmations.followStream(event);
    if (bookChange === FAULT) this.#reportWrongBook(market, 'the snapshot cannot be right', changes);
    if (bookChange === BookChange.touch) changes.push({ type: 'trust', market, trust: 'live', reason: 'snapshot' });
    this.#doubted.delete(market);
    return bookChange;
  }

  #applyPrint(event: Print): void {
    this.queueEstimates.onPrint(event);
    this.feed.onPrint(event);
  }

  #applyOther(event: Exclude<EngineEvent, EventOf<'book' | 'account'>>, changes: ChangeSink): void {
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
        return this.#onBookPoll(event, changes);
      case 'exchange-status':
        this.exchange.isActive = event.isActive;
        this.exchange.isTrading = event.isTrading;
        return;
      case 'timer':
        return this.#onTimer(event.at, changes);
      case 'answered':
        return this.#observeClock(event);
      case 'clock-stepped':
        this.steppedBy += event.by;
        this.clock.discardEstimate();
        return this.feed.lag.discardSpans();
      case 'unrecognized':
        return this.countSurprise(event.what, event.detail, changes);
      case 'feed-up':
      case 'feed-down':
      case 'feed-gap':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
      case 'markets-appeared':
      case 'ticker':
        return this.#applyFeedEvent(event, changes);
      case 'order-found':
      case 'orders':
      case 'fills':
        return this.#applyOrderEvent(event, changes);
      case 'queue-positions':
        return this.queueEstimates.onVenuePositions(event);
      case 'settlements':
        for (const row of event.rows) this.#applySettlement(row, event.at, changes);
        return;
      // Other parts of the engine handle these events.
      case 'start':
      case 'stop':
      case 'operator':
      case 'clock-leapt':
      case 'rate-limited':
      case 'read-failed':
      case 'markets-listed':
      case 'balance':
      case 'positions':
        return;
    }
  }

  /** A list of settlements may be the first message of a market's settlement. */
  #applySettlement({ market, result, settlementValue }: SettlementReport, at: Micros, changes: ChangeSink): void {
    // Until the account is open, a fill may still make a position in the market.
    if (this.portfolio.isOpen && !isHeld(this, market)) return;
    const known = this.markets.get(market);
    if (!known) return void this.ledgerHandover.settleMarket(market, settlementValue);
    // A list may round the payout to whole cents.
    const isRounded = result === known.result && isInCents(known.settlementValue, settlementValue);
    const paidOut = { status: 'finalized', result, ...(!isRounded && { settlementValue }) } as const;
    this.#changeMarket({ kind: 'market-changed', at, exchangeAt: null, market, ...paidOut }, changes);
  }

  #applyOrderEvent(event: Parameters<typeof applyOrderEvent>[1], changes: ChangeSink): void {
    const made: StateChange[] = [];
    applyOrderEvent(this, event, made);
    for (const change of made) changes.push(change);
    for (const change of made) if (change.type === 'fill') this.#settleLateFill(change.fill.market, changes);
  }

  /** A fill may arrive after its market was paid out. The new position is then paid out, too. */
  #settleLateFill(index: MarketIndex, changes: ChangeSink): void {
    const market = this.markets.get(index);
    if (market && isSettled(market.status)) this.#settleMarket(market, changes);
  }

  #observeClock({ at, askedAt, clockOffset }: RequestAnswered): void {
    if (askedAt === undefined || clockOffset === null) return;
    this.clock.observeAnswer({ sentAt: askedAt, receivedAt: at, venueAt: (at - clockOffset) as Micros });
  }

  #applyFeedEvent(event: EventOf<'feed'> | FeedGap | MarketsAppeared | TickerUpdate, changes: ChangeSink): void {
    switch (event.kind) {
      case 'feed-down':
        return this.#onFeedDown(event.reason, changes);
      case 'feed-gap':
        return this.#onFeedGap(event, changes);
      case 'feed-up':
        this.confirmations.forgetStreams();
        return this.feed.onConnected(event.at, event.connection);
      case 'feed-heard':
        return this.feed.onHeartbeat(event.at);
      case 'feed-channel':
        return this.#changeChannel(event, changes);
      case 'feed-untold':
      case 'markets-appeared':
      case 'ticker':
        if (event.kind === 'ticker') this.tickerBoard.applyTicker(event);
        this.feed.contentAt = event.at;
    }
  }

  #changeChannel(event: FeedChannelChanged, changes: ChangeSink): void {
    const wasUp = this.feed.isPrivateUp;
    this.feed.onHeartbeat(event.at);
    this.feed.onChannelChange(event);
    if (this.feed.isPrivateUp !== wasUp) this.#reportPrivateFeed(changes);
  }

  #reportPrivateFeed(changes: ChangeSink): void {
    const { isPrivateUp: isUp, privateFault } = this.feed;
    changes.push({ type: 'private-feed', isUp, reason: privateFault ?? 'fills, orders and positions are delivered' });
  }

  /** Distrusts the private channels until each of them is granted again. */
  distrustPrivate(reason: string, changes: ChangeSink): void {
    if (!this.feed.isPrivateUp) return;
    this.feed.distrustPrivate(reason);
    this.#reportPrivateFeed(changes);
  }

  /** Time as of which a book is known to be right. The stream (less its lag) or an equal REST read proves it. */
  confirmedAt(market: MarketIndex, lag = this.feedLag()): Micros {
    const streamedAt = (this.feed.isSilenceProof ? this.now : this.confirmations.streamedAt(market)) - lag;
    return Math.max(0, streamedAt, this.confirmations.readAt(market)) as Micros;
  }

  /** Proven lag of the feed's latest messages, in microseconds. */
  feedLag(): number {
    return this.feed.lag.provenLag(this.now, this.clock.estimate(this.now));
  }

  #onFeedDown(reason: string, changes: ChangeSink): void {
    const wasUp = this.feed.isPrivateUp;
    this.feed.onDisconnected();
    for (const market of this.markets.allMarkets()) this.#distrust(market.index, `feed down: ${reason}`, changes);
    if (wasUp) this.#reportPrivateFeed(changes);
  }

  #onFeedGap(event: FeedGap, changes: ChangeSink): void {
    const markets = event.markets.length > 0 ? event.markets : this.markets.allMarkets().map((market) => market.index);
    for (const market of markets) this.#distrust(market, event.reason, changes);
    this.countSurprise('feed-gap', event.reason, changes);
  }

  #distrust(market: MarketIndex, reason: string, changes: ChangeSink): void {
    this.audits.dropAudit(market);
    if (this.books.distrust(market)) changes.push({ type: 'trust', market, trust: 'suspect', reason });
  }

  #reportWrongBook(market: MarketIndex, reason: string, changes: ChangeSink): void {
    changes.push({ type: 'trust', market, trust: 'suspect', reason, isWrong: true });
  }

  #onBookPoll(poll: BookPoll, changes: ChangeSink): void {
    const result = this.audits.compareRead(poll);
    if (result === 'equal') this.confirmations.recordEqualRead(poll.market, poll.askedAt);
    if (result !== null) this.#onAuditResult(poll.market, result, changes);
  }

  #onAuditResult(market: MarketIndex, result: AuditResult, changes: ChangeSink): void {
    if (result === 'equal') this.#doubted.delete(market);
    if (result !== 'different') return;
    if (!this.#doubted.has(market)) return void this.#doubted.add(market);
    this.#doubted.delete(market);
    this.audits.dropAudit(market);
    if (this.books.distrust(market))
      this.#reportWrongBook(market, 'differs from the book read over REST, twice in a row', changes);
    this.countSurprise('book-audit', `book of ${this.tickers.tickerOf(market)} differs from REST`, changes);
  }

  /** Books that differed from REST once. The next audit confirms or clears the difference. Borrowed. */
  get doubtedBooks(): ReadonlySet<MarketIndex> {
    return this.#doubted;
  }

  #defineMarket({ market, at, askedAt = at }: MarketDefined, changes: ChangeSink): void {
    const before = this.markets.get(market.index);
    // Lists repeat most markets unchanged.
    if (before && !isSettled(market.status) && this.books.isOpen(market.index) && isSameMarket(before, market)) return;
    if (this.markets.isOutdated(market, askedAt)) return;
    // A settled market that is new or was evicted matters only with a position or an order of ours.
    if (!before && isSettled(market.status) && !this.#hasOurs(market.index)) return;
    this.markets.defineMarket(market);
    this.#onMarketChange(market, before, changes);
  }

  #hasOurs(market: MarketIndex): boolean {
    return this.portfolio.positions().has(market) || isHeld(this, market) || this.orders.openIn(market).length > 0;
  }

  #changeMarket(event: MarketChanged, changes: ChangeSink): void {
    const before = this.markets.get(event.market);
    const market = this.markets.applyChange(event);
    if (market) this.#onMarketChange(market, before, changes);
  }

  #onMarketChange(market: Market, before: Market | undefined, changes: ChangeSink): void {
    if (isSettled(market.status)) this.#settleMarket(market, changes);
    else if (this.books.isOpen(market.index) && this.books.grid(market.index) !== market.grid)
      this.#distrust(market.index, 'the price grid changed', changes);
    if (!isSettled(market.status)) this.#openBook(market);
    if (before === undefined || before.status !== market.status || before.closeAt !== market.closeAt)
      changes.push({ type: 'market', market, before: before?.status ?? null });
  }

  #openBook({ index, grid }: Market): void {
    this.books.openBook(index, grid);
    this.confirmations.openMarket(index);
  }

  /** Ends the audits that are due. Opens and closes markets by the clock, because the venue sends no message for it. */
  #onTimer(now: Micros, changes: ChangeSink): void {
    for (const { market, result } of this.audits.endDueAudits(now)) this.#onAuditResult(market, result, changes);
    if (now < this.markets.nextClockStatusAt()) return;
    for (const market of this.markets.allMarkets()) {
      const status = statusByClock(market, now);
      if (status === market.status) continue;
      this.#changeMarket({ kind: 'market-changed', at: now, exchangeAt: null, market: market.index, status }, changes);
    }
  }

  #settleMarket(market: Market, changes: ChangeSink): void {
    this.markets.markSettled(market.index, this.now);
    this.books.closeBook(market.index);
    this.audits.dropAudit(market.index);
    this.#doubted.delete(market.index);
    this.confirmations.forgetMarket(market.index);
    if (market.settlementValue === null) return;
    const held = this.portfolio.position(market.index).qty;
    const paid = this.ledgerHandover.settleMarket(market.index, market.settlementValue);
    if (held !== 0 && this.portfolio.isOpen) changes.push({ type: 'settled', market, held, paid });
  }

  evictMarkets(markets: readonly Market[], changes: ChangeSink): void {
    evictMarkets(this, markets, changes);
  }

  countSurprise(what: string, detail: string, changes: ChangeSink): void {
    const kind = this.surprises.has(what) || this.surprises.size < SURPRISE_KINDS_MAX ? what : 'other';
    this.surprises.set(kind, (this.surprises.get(kind) ?? 0) + 1);
    changes.push({ type: 'surprise', what: kind, detail });
  }
}

/** True when a price in whole cents may be the other one, rounded. */
const isInCents = (exact: Price | null, listed: Price): boolean =>
  exact !== null && listed % PRICE_PER_CENT === 0 && Math.abs(exact - listed) < PRICE_PER_CENT;
