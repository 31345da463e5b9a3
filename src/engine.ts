// The trading engine: applies one event to state, strategies, risk and planner, and returns the commands to send now.
// Pure and synchronous: the same events give the same commands live, on paper and in a backtest. Must never await or
// read a clock.
import type { Command, UnnumberedFeedCommand, FeedCommand, RequestCommand } from './domain/venue-command.ts';
import type { BookDelta, BookSnapshot, EngineEvent } from './domain/event.ts';
import type { EventTicker } from './domain/ids.ts';
import type { OperatorOrder } from './domain/operator-order.ts';
import type { Micros } from './domain/units.ts';
import type { EngineOptions } from './engine/engine-options.ts';
import { EngineParts } from './engine/engine-parts.ts';
import { Reactions } from './engine/reactions.ts';
import type { OrderEntry } from './execution/orders/order-entry.ts';
import type { MarketDiscovery } from './execution/session/market-discovery.ts';
import type { FeedWatch } from './execution/feed/feed-watch.ts';
import type { Halts } from './execution/operator/halts.ts';
import type { OperatorCommands } from './execution/operator/operator-commands.ts';
import type { Planner } from './execution/orders/planner.ts';
import { describeRead } from './engine/read-description.ts';
import type { VenueReader } from './execution/session/venue-reader.ts';
import type { MarketRetirement } from './execution/session/market-retirement.ts';
import type { TradingSession } from './execution/session/trading-session.ts';
import type { SeriesReader } from './execution/session/series-reader.ts';
import type { Duty, Upkeep } from './engine/upkeep.ts';
import type { RiskGuard } from './risk/risk-guard.ts';
import { BookChange } from './state/books/order-books.ts';
import type { StateChange } from './state/state-change.ts';
import type { State } from './state/state.ts';
import type { StrategyRunner } from './strategy/strategy-runner.ts';

export type { EngineOptions } from './engine/engine-options.ts';

/** Local copies, because an imported binding is looked up at every use, which shows on the hot path. */
const { ignored: IGNORED, depth: DEPTH, touch: TOUCH } = BookChange;
const NO_COMMANDS: readonly Command[] = [];
/** The same array as `IDLE_STEP`, under a local name: an exported binding is looked up at every use, too. */
const IDLE: readonly Command[] = [];
/** The result of a step that sends nothing and leaves `wakeAt` unchanged. Compared by identity. */
export const IDLE_STEP = IDLE;
/** Delay between a market's announcement and the read of the lists: markets rarely come alone. Microseconds. */
const LISTED_SOON = 1_000_000;

/** Applies events one at a time; each step returns commands. */
export class Engine {
  readonly state: State;
  readonly session: TradingSession;
  readonly planner: Planner;
  readonly halts: Halts;
  readonly risk: RiskGuard;
  readonly #options: EngineOptions;
  readonly #parts: EngineParts;
  readonly #roster: StrategyRunner;
  readonly #orderEntry: OrderEntry;
  readonly operator: OperatorCommands;
  readonly #reader: VenueReader;
  readonly #upkeep: Upkeep;
  readonly #seriesReader: SeriesReader;
  readonly #discovery: MarketDiscovery;
  readonly #retirement: MarketRetirement;
  /** Supervises the connection, the books, the private channels and the clocks. */
  readonly feedWatch: FeedWatch;
  readonly #changes: StateChange[];
  readonly #reactions: Reactions;
  readonly #ready: RequestCommand[] = [];
  #feedCommands: FeedCommand[] = [];
  #commandCount = 0;
  /** True when all that can be sent is sent. Cleared by every event but book deltas and repeated market records. */
  #isCalm = false;
  /** The last result of `wakeAt`; valid while `#isWakeKnown`: until a release, or any event but a book delta. */
  #wakeAt: Micros | null = null;
  #isWakeKnown = false;
  /** Before this time a book delta that no strategy answers needs no further work. Microseconds; 0 when unknown. */
  #stillUntil = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    const parts = new EngineParts(options, {
      nextCommandId: () => (this.#commandCount += 1),
      sendFeed: (command) => this.#sendFeed(command),
      onOrderChange: (change) => this.#reactions.reactTo(change),
    });
    this.#parts = parts;
    this.state = parts.state;
    this.session = parts.session;
    this.planner = parts.planner;
    this.halts = parts.halts;
    this.risk = parts.risk;
    this.operator = parts.operator;
    this.feedWatch = parts.feedWatch;
    this.#roster = parts.roster;
    this.#orderEntry = parts.orderEntry;
    this.#reader = parts.reader;
    this.#upkeep = parts.upkeep;
    this.#seriesReader = parts.seriesReader;
    this.#discovery = parts.discovery;
    this.#retirement = parts.retirement;
    this.#changes = parts.changes;
    this.#reactions = new Reactions(options, parts);
    this.stepDelta = this.#deltaStepper();
  }

  /**
   * Applies one event and returns the commands to send now, in order. The array is borrowed: valid until the next step.
   * @throws {AssertionFault} when an invariant is broken; the session must end.
   */
  step(event: EngineEvent): readonly Command[] {
    if (event.kind === 'book-delta') return this.stepDelta(event);
    return this.#conclude(event, this.state.applyEvent(event, this.#changes));
  }

  /**
   * Does the work of `step` for a book delta, which most events are. Returns early when no strategy answers and nothing
   * is due, without allocation. A closure over its parts, because compiled code relies on captured constants.
   */
  readonly stepDelta: (delta: BookDelta) => readonly Command[];

  #deltaStepper(): Engine['stepDelta'] {
    const { state } = this;
    const { applyDelta } = state;
    const { onTouchChange: touched } = this.risk;
    const { emitBookChange: bookChanged } = this.#roster;
    const changes = this.#changes;
    return (delta) => {
      const bookChange = applyDelta(delta, changes);
      const isTouch = bookChange === TOUCH;
      if (!isTouch && bookChange !== DEPTH) return this.#conclude(delta, bookChange);
      if (isTouch && touched(delta.market)) this.#stillUntil = 0;
      if (bookChanged(delta, isTouch)) return this.#concludeDelta(true);
      return state.now < this.#stillUntil && changes.length === 0 ? IDLE : this.#concludeDelta(false);
    };
  }

  #concludeDelta(isAnswered: boolean): readonly Command[] {
    this.#stillUntil = 0;
    if (this.#changes.length > 0) this.#reactToAll();
    const isActing = this.risk.endStep();
    if (isActing || isAnswered || !this.#hasNothingToSend()) return this.#release();
    this.#updateStillUntil();
    return NO_COMMANDS;
  }

  /** Updates `#stillUntil`: nothing is due before the wake-up time or the next check of risk, whichever is earlier. */
  #updateStillUntil(): void {
    this.#stillUntil = this.#isWakeKnown ? Math.min(this.#wakeAt ?? Number.POSITIVE_INFINITY, this.risk.workDueAt) : 0;
  }

  /** True when a release would send nothing. */
  #hasNothingToSend(): boolean {
    return this.#isCalm && this.planner.isIdle(this.state.now);
  }

  #conclude(event: EngineEvent, bookChange: BookChange): readonly Command[] {
    this.#stillUntil = 0;
    this.#isHolding = false;
    // Market lists repeat the same record for most markets.
    if (event.kind === 'market' && this.#changes.length === 0 && this.#hasNothingToSend() && !this.risk.endStep())
      return NO_COMMANDS;
    this.#isCalm = false;
    this.#isWakeKnown = false;
    if (bookChange === TOUCH && event.kind === 'book-snapshot') this.#bookReplaced(event);
    else this.#handle(event);
    if (this.#changes.length > 0) this.#reactToAll();
    if (bookChange === IGNORED) this.#showBooksWhenReady();
    this.risk.endStep();
    return this.#isHolding ? NO_COMMANDS : this.#release();
  }

  #bookReplaced({ market, at }: BookSnapshot): void {
    // Strategies must learn that the book is live before they see its levels.
    if (this.#changes.length > 0) this.#reactToAll();
    this.risk.onBookReplaced(market);
    this.#roster.showBook(market, at);
  }

  /** True when orders could leave at the last check. */
  #wasReady = false;

  /** Shows every book again once orders may leave: earlier intents were denied, and a quiet book prompts no others. */
  #showBooksWhenReady(): void {
    const isReady = this.#parts.readiness().type === 'ready';
    if (isReady && !this.#wasReady) this.#roster.showBooks();
    this.#wasReady = isReady;
  }

  #handle(event: EngineEvent): void {
    this.feedWatch.onEvent(event);
    switch (event.kind) {
      case 'start':
        return this.#start(event);
      case 'timer':
        return this.#onTimer(event.at);
      case 'stop':
        return this.#stop(event);
      case 'operator':
        return this.#obeyOperator(event.order, event.at);
      case 'print':
        this.risk.onPrint(event.market, event.price);
        this.#roster.callFollowers(event.market, (handlers, view) => handlers.onPrint?.(event, view));
        return this.#parts.queueNotifier.onPrint(event.market);
      case 'queue-positions':
        return this.#parts.queueNotifier.onQueuePositions(event);
      case 'feed-up':
        // With a key, recovery starts when the private channels are granted: only from then on nothing more is missed.
        if (event.connection > 1 && !this.#options.hasKey) this.session.startRecovery();
        return;
      case 'feed-gap':
        return this.#onFeedGap(event.markets.length === 0);
      case 'event-group':
        return this.#onGroupKnown(event.group.eventTicker);
      case 'markets-appeared':
        if (this.#discovery.mayInclude(event))
          this.#upkeep.scheduleEarlier('markets', (event.at + LISTED_SOON) as Micros);
        return;
      case 'answered':
        return this.#onAnswered(event);
      case 'rate-limited':
        return this.#onRateLimited(event);
      case 'order-accepted':
        return this.#orderEntry.cancels.retryCancel(event.clientOrderId);
      case 'cancel-accepted':
        return this.#orderEntry.cancels.onCancelAccepted(event.clientOrderId);
      case 'cancel-refused':
      case 'cancel-lost':
        return this.#orderEntry.cancels.onCancelFailed(event.clientOrderId);
      default:
        return this.#applyRead(event);
    }
  }

  /** Handles a new event group: strategies that select by group or series may match markets already known. */
  #onGroupKnown(name: EventTicker): void {
    for (const market of this.state.markets.membersOf(name))
      for (const running of this.#roster.joinMarket(market)) this.#roster.announceMarket(running, market);
    this.#discovery.onGroupKnown(name);
    this.#seriesReader.onGroupKnown(name);
    this.session.advancePhase();
  }

  #start({ at, session, carried }: Extract<EngineEvent, { kind: 'start' }>): void {
    this.#orderEntry.startSession(session, this.#roster);
    const strategies = this.#roster.allStrategies().map(({ name }) => name);
    const { lookbackMs } = this.#options;
    this.state.ledgerHandover.restoreLedgers({ session, strategies, saved: carried.books ?? null, lookbackMs });
    this.operator.restoreHalts(carried.halts);
    this.risk.start(carried, at);
    this.#upkeep.start(at);
    this.feedWatch.start(at);
    this.session.orders.otherSessions.startSession({
      session,
      at,
      ...(carried.sessions && { sessions: carried.sessions }),
    });
    this.session.start(at, carried);
    this.#roster.stateSavers.restore(carried.saved ?? {});
    this.#roster.callAll((handlers, view) => handlers.onStart?.({ at }, view));
  }

  #stop({ at, reason }: Extract<EngineEvent, { kind: 'stop' }>): void {
    this.#roster.callAll((handlers, view) => handlers.onStop?.({ at, reason }, view));
    this.#roster.stateSavers.saveStates(() => true);
    this.#roster.close();
    // The session stops first: orders that strategies want while theirs are being canceled must not be sent.
    this.session.stop(reason);
    this.#orderEntry.cancelAll();
    this.session.advancePhase();
  }

  #obeyOperator(order: OperatorOrder, at: Micros): void {
    if (order.type === 'override') return this.risk.applyOverride(order.override, at);
    this.operator.obeyCommand(order, at);
  }

  #onTimer(at: Micros): void {
    this.#roster.fireTimers(at);
    this.#reader.retryDue(at);
    this.feedWatch.checkFeed(at);
    this.#parts.queueNotifier.checkQueues(at);
    this.#parts.budgetNotifier.notifyChanges(at);
    this.operator.continueFlatten(at);
    const settledBefore = this.session.reportedBefore(this.#options.settledGraceMs);
    this.#discovery.onEvicted(this.#retirement.retireMarkets(settledBefore, this.#changes));
    for (const duty of this.#upkeep.takeDue(at)) this.#doDuty(duty);
  }

  #doDuty(duty: Duty): void {
    if (duty === 'audit') return this.feedWatch.auditNextBook();
    if (duty === 'markets') return this.session.refreshMarkets();
    if (duty === 'strategies') return this.#checkStrategies();
    if (duty === 'probe') this.#orderEntry.cancels.retryDelayed();
    this.session.performDuty(duty);
  }

  #checkStrategies(): void {
    this.#roster.updateMemberships();
    this.#roster.stateSavers.saveStates(({ saver }) => saver.wasCalled);
  }

  #onAnswered(event: Extract<EngineEvent, { kind: 'answered' }>): void {
    const command = this.planner.settleRequest(event.commandId, event.at);
    if (command && event.ok) this.planner.resetBackoff(command.type === 'read' ? 'read' : 'trade');
    this.#settled = command ?? null;
    // A rate refusal follows as an event of its own and must be handled before anything else is sent.
    this.#isHolding = !event.ok;
    if (event.ok) this.#reader.onAnswered(event.commandId);
  }

  /** True while a failed answer is being handled: nothing leaves until the event that explains the failure. */
  #isHolding = false;

  /** The request whose answer is being handled. The planner gets it back when the venue refused it for rate. */
  #settled: RequestCommand | null = null;

  #onRateLimited(event: Extract<EngineEvent, { kind: 'rate-limited' }>): void {
    this.#options.observe({ type: 'rate-limited', budget: event.budget, retryAfter: event.retryAfter });
    const command = this.#settled;
    if (command?.id !== event.commandId) return;
    this.#settled = null;
    this.planner.deferCommand(command, event.retryAfter, event.at);
    this.#orderEntry.onDeferred(command);
    this.#parts.budgetNotifier.onRateRefusal(event.budget, this.#options.cost(command), event.at);
  }

  #onReadFailed({ reason, isRefused }: Extract<EngineEvent, { kind: 'read-failed' }>): void {
    this.#options.observe({ type: 'read-failed', what: describeRead(this.#settled), reason, isRefused });
    if (!isRefused || this.#settled?.type !== 'read') return;
    const { target } = this.#settled;
    if (target.what === 'queue-positions') this.#parts.queueNotifier.onReadRefused();
    if (target.what === 'event' && this.#options.groupsMayBeMissing) this.#discovery.onGroupRefused(target.eventTicker);
    this.session.onReadRefused(target.what);
  }

  #applyRead(event: EngineEvent): void {
    if (event.kind === 'read-failed') this.#onReadFailed(event);
    // Reacts to the changes of this read first, because completing it may depend on them.
    this.#reactToAll();
    const read = this.#reader.acceptEvent(event);
    if (read) this.session.acceptRead(read);
  }

  #reactToAll(): void {
    const { length } = this.#changes;
    for (let i = 0; i < this.#changes.length; i++) {
      const change = this.#changes[i];
      if (change) this.#reactions.reactTo(change);
    }
    if (length > 0) this.#changes.length = 0;
    this.session.advancePhase();
  }

  /** Reads fills and compares figures after a gap that names no market: it may have hidden something of ours. */
  #onFeedGap(isAccountWide: boolean): void {
    if (!isAccountWide) return;
    this.session.performDuty('fills');
    this.session.performDuty('compare');
  }

  #sendFeed(command: UnnumberedFeedCommand): void {
    this.feedWatch.onFeedCommand(command);
    const id = (this.#commandCount += 1);
    this.#feedCommands.push({ ...command, lane: 'read', id, createdAt: this.state.now, validUntil: null });
  }

  #release(): readonly Command[] {
    this.#isWakeKnown = false;
    this.#isCalm = true;
    if (this.#ready.length > 0) this.#ready.length = 0;
    for (let late = this.#releaseDue(); late.length > 0; late = this.#releaseDue())
      for (const command of late) this.#orderEntry.onTooLate(command);
    this.#parts.budgetNotifier.checkShortages(this.state.now);
    this.feedWatch.flushResyncs();
    if (this.#ready.length + this.#feedCommands.length === 0) return NO_COMMANDS;
    for (const command of this.#ready) this.#orderEntry.onSent(command);
    const commands: Command[] = [...this.#feedCommands, ...this.#ready];
    this.#feedCommands = [];
    return commands;
  }

  #releaseDue(): readonly RequestCommand[] {
    return this.planner.releaseDue(this.state.now, this.#ready);
  }

  /** The time at which the engine next needs a timer event; `null` for none. Cheap: may be called after every step. */
  wakeAt(): Micros | null {
    // A time that has passed may have been "now", which moves on.
    if (this.#isWakeKnown && (this.#wakeAt === null || this.#wakeAt > this.state.now)) return this.#wakeAt;
    this.#wakeAt = this.computeWakeAt();
    this.#isWakeKnown = this.#isCalm;
    this.#updateStillUntil();
    return this.#wakeAt;
  }

  /** Computes the result of `wakeAt` from scratch. The remembered value must always equal it. */
  computeWakeAt(): Micros | null {
    const times = [
      this.planner.wakeAt(this.state.now),
      this.#roster.timerAt(),
      this.#reader.retryAt(),
      this.#upkeep.dueAt(),
      this.operator.dueAt(),
      this.feedWatch.dueAt(),
      this.#parts.queueNotifier.dueAt(),
      this.#parts.budgetNotifier.dueAt(this.state.now),
      this.risk.wakeAt(),
    ];
    return times.reduce((earliest, at) => (earliest === null || (at !== null && at < earliest) ? at : earliest), null);
  }
}
