// Handles each kind of event once the state has applied it. Must never send a command itself, and never leave a kind of
// event to a default.
import type { ReadTarget } from '../domain/venue-command.ts';
import type { BookSnapshot, EngineEvent, EventKind } from '../domain/event.ts';
import type { ClientOrderId, EventTicker } from '../domain/ids.ts';
import type { OperatorOrder } from '../domain/operator-order.ts';
import type { Micros } from '../domain/units.ts';
import { BookChange } from '../state/books/order-books.ts';
import type { EngineOptions } from './engine-options.ts';
import type { EngineParts } from './engine-parts.ts';
import { OpenAnswer } from './open-answer.ts';
import type { Reactions } from './reactions.ts';
import { describeRead } from './read-description.ts';
import type { Duty } from './upkeep.ts';

type EventOf<Kind extends EventKind> = Extract<EngineEvent, { kind: Kind }>;

type ReadEvent = EventOf<
  'positions' | 'orders' | 'fills' | 'settlements' | 'balance' | 'order-found' | 'markets-listed' | 'read-failed'
>;

/**
 * Delay between a market's announcement and the read of the lists, because markets are rarely announced singly.
 * Microseconds.
 */
const LISTED_SOON = 1_000_000;
/** Reads that no session needs for its beginning. */
const OPTIONAL_READS: ReadonlySet<ReadTarget['what']> = new Set(['book', 'market', 'queue-positions']);

/** Dispatches events by kind. */
export class EventHandlers {
  readonly #options: EngineOptions;
  readonly #parts: EngineParts;
  readonly #reactions: Reactions;
  readonly #openAnswer = new OpenAnswer();

  constructor(options: EngineOptions, parts: EngineParts, reactions: Reactions) {
    this.#options = options;
    this.#parts = parts;
    this.#reactions = reactions;
  }

  /** @param bookChange The event's effect on a book. */
  handleEvent(event: EngineEvent, bookChange: BookChange): void {
    this.#parts.feedWatch.onEvent(event);
    switch (event.kind) {
      case 'start':
      case 'timer':
      case 'stop':
      case 'operator':
        return this.#onSessionEvent(event);
      case 'book-snapshot':
        return bookChange === BookChange.touch ? this.#onBookReplaced(event) : this.#reactions.reactAndAdvance();
      case 'print':
        return this.#onPrint(event);
      case 'queue-positions':
        return this.#parts.queueNotifier.onQueuePositions(event);
      case 'feed-up':
        return this.#onFeedUp(event.connection);
      case 'feed-gap':
        return this.#onFeedGap(event.markets.length === 0);
      case 'event-group':
        return this.#onGroupKnown(event.group.eventTicker);
      case 'markets-appeared':
        return this.#onMarketsAppeared(event);
      case 'answered':
        return this.#onAnswered(event);
      case 'rate-limited':
        return this.#onRateLimited(event);
      case 'order-accepted':
      case 'cancel-accepted':
      case 'cancel-refused':
      case 'cancel-lost':
        return this.#onCancelPossible(event);
      case 'read-failed':
      case 'positions':
      case 'orders':
      case 'fills':
      case 'settlements':
      case 'balance':
      case 'order-found':
      case 'markets-listed':
        return this.#onReadEvent(event);
      // These events need nothing but reactions to the state changes.
      case 'fill':
      case 'order-updated':
      case 'order-rejected':
      case 'order-not-sent':
      case 'order-unknown':
      case 'amend-accepted':
      case 'amend-refused':
      case 'amend-lost':
      case 'position-updated':
      case 'book-delta':
      case 'book-poll':
      case 'ticker':
      case 'market':
      case 'market-changed':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'feed-down':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
      case 'clock-leapt':
      case 'clock-stepped':
      case 'exchange-status':
      case 'unrecognized':
        return this.#reactions.reactAndAdvance();
    }
  }

  #onSessionEvent(event: EventOf<'start' | 'timer' | 'stop' | 'operator'>): void {
    switch (event.kind) {
      case 'start':
        return this.#start(event);
      case 'timer':
        return this.#onTimer(event.at);
      case 'stop':
        return this.#stop(event);
      case 'operator':
        return this.#obeyOperator(event.order, event.at);
    }
  }

  #start({ at, session, carried }: EventOf<'start'>): void {
    const { orderEntry, strategyRunner, state, operator, risk, upkeep, feedWatch, session: trading } = this.#parts;
    orderEntry.startSession(session, strategyRunner);
    const strategies = strategyRunner.allStrategies().map(({ name }) => name);
    const { lookbackMs } = this.#options;
    state.ledgerHandover.restoreLedgers({ session, strategies, saved: carried.books ?? null, lookbackMs });
    operator.restoreHalts(carried.halts);
    risk.start(carried, at);
    upkeep.start(at);
    feedWatch.start(at);
    const { sessions } = carried;
    trading.orders.otherSessions.startSession({ session, at, ...(sessions && { sessions }) });
    trading.start(at, carried);
    strategyRunner.stateSavers.restore(carried.saved ?? {});
    strategyRunner.callAll((handlers, view) => handlers.onStart?.({ at }, view));
  }

  #stop({ at, reason }: EventOf<'stop'>): void {
    const { strategyRunner, session, orderEntry } = this.#parts;
    strategyRunner.callAll((handlers, view) => handlers.onStop?.({ at, reason }, view));
    strategyRunner.stateSavers.saveStates(() => true);
    strategyRunner.close();
    // The session stops first, so that strategies can place no new orders during the cancels.
    session.stop(reason);
    orderEntry.cancelAll();
    session.advancePhase();
  }

  #obeyOperator(order: OperatorOrder, at: Micros): void {
    if (order.type === 'override') return this.#parts.risk.applyOverride(order.override, at);
    this.#parts.operator.obeyCommand(order, at);
  }

  #onTimer(at: Micros): void {
    const { strategyRunner, reader, feedWatch, queueNotifier, budgetNotifier, operator, upkeep } = this.#parts;
    strategyRunner.fireTimers(at);
    reader.retryDue(at);
    feedWatch.checkFeed(at);
    queueNotifier.checkQueues(at);
    budgetNotifier.notifyChanges(at);
    operator.continueFlatten(at);
    this.#retireMarkets();
    for (const duty of upkeep.takeDue(at)) this.#performDuty(duty);
  }

  #retireMarkets(): void {
    const { session, retirement, discovery, changes } = this.#parts;
    const settledBefore = session.reportedBefore(this.#options.settledGraceMs);
    discovery.onEvicted(retirement.retireMarkets(settledBefore, changes));
  }

  #performDuty(duty: Duty): void {
    const { session, feedWatch, orderEntry } = this.#parts;
    switch (duty) {
      case 'audit':
        return feedWatch.auditNextBook();
      case 'markets':
        return session.refreshMarkets();
      case 'strategies':
        return this.#checkStrategies();
      case 'probe':
        orderEntry.cancels.retryPaused();
        return session.performDuty(duty);
      case 'fills':
      case 'compare':
        return session.performDuty(duty);
    }
  }

  #checkStrategies(): void {
    const { strategyRunner } = this.#parts;
    strategyRunner.updateMemberships();
    strategyRunner.saveNewStates();
  }

  #onBookReplaced({ market, at }: BookSnapshot): void {
    // Strategies must learn that the book is live before they see its levels.
    this.#reactions.reactToChanges();
    this.#parts.risk.onBookReplaced(market);
    this.#parts.strategyRunner.showBook(market, at);
  }

  /**
   * Shows every book to the strategies again once orders may leave. Their earlier intents were denied, and a book that
   * does not change prompts no new ones.
   */
  showBooksWhenReady(): void {
    if (this.#parts.readiness.hasBecomeReady()) this.#parts.strategyRunner.showBooks();
  }

  #onPrint(event: EventOf<'print'>): void {
    const { risk, strategyRunner, queueNotifier } = this.#parts;
    risk.onPrint(event.market, event.price);
    strategyRunner.callFollowers(event.market, (handlers, view) => handlers.onPrint?.(event, view));
    queueNotifier.onPrint(event.market);
  }

  /**
   * Starts a recovery after a reconnection without a key. With a key, recovery waits until the private channels are
   * granted.
   */
  #onFeedUp(connection: number): void {
    if (connection > 1 && !this.#options.hasKey) this.#parts.session.startRecovery();
  }

  /** Reads fills and compares figures after a gap that names no market: messages about our account may be lost. */
  #onFeedGap(isAccountWide: boolean): void {
    if (!isAccountWide) return;
    this.#parts.session.performDuty('fills');
    this.#parts.session.performDuty('compare');
  }

  /** Handles a new event group: strategies that select by group or series may now take known markets. */
  #onGroupKnown(name: EventTicker): void {
    const { state, strategyRunner, discovery, seriesReader, session } = this.#parts;
    for (const market of state.markets.membersOf(name))
      for (const running of strategyRunner.joinMarket(market)) strategyRunner.announceMarket(running, market);
    discovery.onGroupKnown(name);
    seriesReader.onGroupKnown(name);
    session.advancePhase();
  }

  #onMarketsAppeared(event: EventOf<'markets-appeared'>): void {
    const { discovery, upkeep } = this.#parts;
    if (discovery.mayInclude(event)) upkeep.scheduleEarlier('markets', (event.at + LISTED_SOON) as Micros);
  }

  /** Continues the cancel of an order. An accepted order can be canceled; a failed cancel may be repeated. */
  #onCancelPossible(event: EventOf<'order-accepted' | 'cancel-accepted' | 'cancel-refused' | 'cancel-lost'>): void {
    const { cancels } = this.#parts.orderEntry;
    switch (event.kind) {
      case 'order-accepted':
        return cancels.retryCancel(event.clientOrderId);
      case 'cancel-accepted':
        return cancels.onCancelAccepted(event.clientOrderId);
      case 'cancel-refused':
      case 'cancel-lost':
        this.#callAfterFailedCancel(event.clientOrderId);
        return cancels.onCancelFailed(event.clientOrderId);
    }
  }

  /** A strategy may cancel the order once more, although the state of the order is the same. */
  #callAfterFailedCancel(id: ClientOrderId): void {
    const order = this.#parts.state.orders.get(id);
    if (order) this.#parts.strategyRunner.callAtNextChange(order.market);
  }

  #onAnswered({ commandId, ok, at }: EventOf<'answered'>): void {
    const { planner, reader } = this.#parts;
    const request = planner.settleRequest(commandId, at) ?? null;
    if (request && ok) planner.resetBackoff(request.type === 'read' ? 'read' : 'trade');
    this.#openAnswer.setRequest(request);
    if (ok) reader.onAnswered(commandId);
  }

  #onRateLimited({ commandId, budget, retryAfter, at }: EventOf<'rate-limited'>): void {
    const { planner, orderEntry, budgetNotifier } = this.#parts;
    this.#options.observe({ type: 'rate-limited', budget, retryAfter });
    const request = this.#openAnswer.takeRefused(commandId);
    if (request === null) return;
    planner.deferCommand(request, retryAfter, at);
    orderEntry.onDeferred(request);
    budgetNotifier.onRateRefusal(budget, this.#options.cost(request), at);
  }

  #onReadFailed({ reason, isRefused }: EventOf<'read-failed'>): void {
    const { request } = this.#openAnswer;
    const isOptional = request?.type === 'read' && OPTIONAL_READS.has(request.target.what);
    const what = request?.type === 'read' ? describeRead(request.target) : 'the venue';
    this.#options.observe({ type: 'read-failed', what, reason, isRefused, ...(isOptional && { isOptional }) });
    if (!isRefused || request?.type !== 'read') return;
    const { queueNotifier, discovery, session } = this.#parts;
    const { target } = request;
    if (target.what === 'queue-positions') queueNotifier.onReadRefused();
    if (target.what === 'event' && this.#options.groupsMayBeMissing) discovery.onGroupRefused(target.eventTicker);
    session.onReadRefused(target.what);
  }

  #onReadEvent(event: ReadEvent): void {
    if (event.kind === 'read-failed') this.#onReadFailed(event);
    // Reacts to the changes of this read first, because completing the read may depend on them.
    this.#reactions.reactAndAdvance();
    const read = this.#parts.reader.acceptEvent(event);
    if (read) this.#parts.session.acceptRead(read);
  }
}
