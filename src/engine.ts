// Where state, strategies, risk and planner meet: one event in, the commands that go out now. Pure and synchronous:
// the same events give the same commands, live, on paper and in a backtest. Must never await or read a clock.
import type { Command, FeedAsk, FeedCommand, ReadCommand, RequestCommand } from './domain/command.ts';
import type { EngineEvent } from './domain/event.ts';
import type { MarketIndex, Ticker, TickerTable } from './domain/ids.ts';
import { isSettled } from './domain/market.ts';
import { isFinished } from './domain/order.ts';
import type { OperatorOrder } from './domain/operator.ts';
import type { Micros, Qty } from './domain/units.ts';
import { type BudgetOptions, RateBudget } from './execution/budget.ts';
import { Desk } from './execution/desk.ts';
import { Halts } from './execution/halts.ts';
import type { Notice, Observer } from './execution/notice.ts';
import { OperatorDesk } from './execution/operator-desk.ts';
import { type Backoff, Planner } from './execution/planner.ts';
import { whatWasRead } from './execution/read-words.ts';
import { Reader } from './execution/reader.ts';
import { Session, type Universe } from './execution/session.ts';
import { type Duty, type Timetable, Upkeep } from './execution/upkeep.ts';
import type { RiskLimits } from './risk/limits.ts';
import { BookChange } from './state/books.ts';
import type { StateChange } from './state/change.ts';
import { State } from './state/state.ts';
import { Roster } from './strategy/roster.ts';
import type { BoundStrategy } from './strategy/strategy.ts';

/** All that an engine is made of. */
export interface EngineOptions {
  readonly tickers: TickerTable;
  readonly strategies: readonly BoundStrategy[];
  readonly limits: RiskLimits;
  readonly universe: Universe;
  readonly hasKey: boolean;
  readonly budgets: { readonly read: BudgetOptions; readonly trade: BudgetOptions };
  /** What a request takes from its budget. */
  readonly cost: (command: RequestCommand) => number;
  /** Units of the trade budget that only cancels may use. */
  readonly cancelReserve: number;
  readonly inFlightMax: { readonly read: number; readonly trade: number };
  readonly backoff: Backoff;
  /** The venue's smallest step of a quantity. */
  readonly qtyStep: Qty;
  readonly orderDelayMsMax: number;
  readonly graceMs: number;
  readonly lookbackMs: number;
  readonly timetable: Timetable;
  readonly observe: Observer;
}

const NO_COMMANDS: readonly Command[] = [];

/** The trading engine. */
export class Engine {
  readonly state: State;
  readonly session: Session;
  readonly planner: Planner;
  /** Who may not order, and why. */
  readonly halts = new Halts();
  readonly #options: EngineOptions;
  readonly #roster: Roster;
  readonly #desk: Desk;
  readonly #operator: OperatorDesk;
  readonly #reader: Reader;
  readonly #upkeep: Upkeep;
  readonly #changes: StateChange[] = [];
  readonly #ready: RequestCommand[] = [];
  #feedCommands: FeedCommand[] = [];
  /** Books to be asked for anew, all in one message. */
  #resyncs: Ticker[] = [];
  #commandCount = 0;
  #auditCount = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.state = new State(options.tickers);
    const { budgets, cost, cancelReserve, inFlightMax, backoff } = options;
    this.planner = new Planner({
      budgets: { read: new RateBudget(budgets.read), trade: new RateBudget(budgets.trade) },
      cost,
      cancelReserve,
      inFlightMax,
      backoff,
    });
    const nextCommandId = (): number => (this.#commandCount += 1);
    this.#reader = new Reader({ nextCommandId, enqueue: (command: ReadCommand) => this.planner.enqueue(command) });
    this.session = this.#makeSession();
    this.#desk = this.#makeDesk(nextCommandId);
    this.#roster = new Roster(this.state, options.strategies, {
      onIntents: (running, intents) => this.#desk.take(running, intents),
      onHalt: ({ name }, reason) =>
        this.#operator.halt({
          scope: { type: 'strategy', strategy: name },
          by: 'fault',
          reason,
          since: this.state.now,
        }),
    });
    this.#operator = this.#makeOperator();
    this.#upkeep = new Upkeep(options.timetable);
  }

  #makeSession(): Session {
    const { universe, hasKey, graceMs, lookbackMs } = this.#options;
    return new Session({
      state: this.state,
      reader: this.#reader,
      universe,
      hasKey,
      graceMs,
      lookbackMs,
      observe: (notice) => this.#onSessionNotice(notice),
      sendFeed: (ask) => this.#sendFeed(ask),
      cancel: (id) => this.#desk.cancel(id),
      drop: (id, why) => this.#desk.drop(id, why),
      doubt: (id, why) => this.#desk.doubt(id, why),
    });
  }

  #makeOperator(): OperatorDesk {
    const { state, halts } = this;
    return new OperatorDesk({ state, halts, desk: this.#desk, roster: this.#roster, observe: this.#options.observe });
  }

  #makeDesk(nextCommandId: () => number): Desk {
    const { limits, qtyStep, orderDelayMsMax, observe } = this.#options;
    return new Desk({
      state: this.state,
      planner: this.planner,
      limits,
      qtyStep,
      orderDelayMsMax,
      observe,
      onOrderChange: (change) => this.#react(change),
      nextCommandId,
      readiness: () => this.session.readiness(),
      halts: this.halts,
    });
  }

  /**
   * Takes one event and returns the commands that go out now, in order. Borrowed: valid until the next step.
   * @throws {AssertionFault} when an invariant of the house is broken; the session must not go on.
   */
  step(event: EngineEvent): readonly Command[] {
    this.#isHolding = false;
    const bookChange = this.state.apply(event, this.#changes);
    if (bookChange === BookChange.depth || bookChange === BookChange.touch)
      this.#bookChanged(event, bookChange === BookChange.touch);
    else this.#handle(event);
    if (this.#changes.length > 0) this.#reactToAll();
    return this.#isHolding ? NO_COMMANDS : this.#release();
  }

  #bookChanged(event: EngineEvent, isTouch: boolean): void {
    if (event.kind !== 'book-delta' && event.kind !== 'book-snapshot') return;
    // A snapshot's trust must be told before its levels.
    if (this.#changes.length > 0) this.#reactToAll();
    this.#roster.bookChanged(event.market, event.at, isTouch);
  }

  #handle(event: EngineEvent): void {
    switch (event.kind) {
      case 'start':
        return this.#start(event);
      case 'timer':
        return this.#passTime(event.at);
      case 'stop':
        return this.#stop(event.reason);
      case 'operator':
        return this.#operate(event.order, event.at);
      case 'print':
        return this.#roster.askFollowers(event.market, (handlers, view) => handlers.onPrint?.(event, view));
      case 'feed-up':
        if (event.connection > 1) this.session.recover();
        return;
      case 'event-group':
        this.session.groupKnown(event.group.eventTicker);
        for (const market of this.state.markets.membersOf(event.group.eventTicker)) this.#roster.join(market);
        return;
      case 'answered':
        return this.#answered(event);
      case 'rate-limited':
        return this.#rateLimited(event);
      case 'order-accepted':
        return this.#desk.insist(event.clientOrderId);
      case 'cancel-accepted':
      case 'cancel-refused':
        this.#desk.cancelReturned(event.clientOrderId);
        return this.#desk.insist(event.clientOrderId);
      case 'cancel-lost':
        return this.#desk.cancelLost(event.clientOrderId);
      default:
        return this.#takeRead(event);
    }
  }

  #start({ at, session, carried }: Extract<EngineEvent, { kind: 'start' }>): void {
    this.#desk.open(session, this.#roster);
    this.#operator.carry(carried.halts);
    this.#upkeep.start(at);
    this.session.start(at);
    this.#roster.askAll((handlers, view) => handlers.onStart?.(view));
  }

  #stop(reason: string): void {
    this.#roster.askAll((handlers, view) => handlers.onStop?.(view));
    this.#roster.close();
    // Stopping first: what a strategy asks for while its orders are withdrawn must not be sent.
    this.session.stop(reason);
    this.#desk.withdrawAll();
    this.session.advance();
  }

  #operate(order: OperatorOrder, at: Micros): void {
    if (order.type === 'override') return;
    this.#operator.take(order, at);
  }

  #passTime(at: Micros): void {
    this.#roster.fireTimers(at);
    this.#reader.retry(at);
    for (const duty of this.#upkeep.due(at)) this.#perform(duty);
  }

  #perform(duty: Duty): void {
    if (duty === 'audit') return this.#auditNextBook();
    if (duty === 'markets') return this.session.refreshMarkets();
    if (duty === 'probe') this.#desk.insistAll();
    this.session.upkeep(duty);
  }

  /** Asks for one book over REST: first those in doubt, then each in turn. */
  #auditNextBook(): void {
    const live = this.state.markets.all().filter(({ index }) => this.state.books.isLive(index));
    const doubted = live.find(({ index }) => this.state.isDoubted(index));
    this.#auditCount += 1;
    const next = doubted ?? live[this.#auditCount % Math.max(1, live.length)];
    if (next) this.#reader.askOnce({ what: 'book', market: next.index, ticker: next.ticker }, this.state.now);
  }

  #answered(event: Extract<EngineEvent, { kind: 'answered' }>): void {
    const command = this.planner.settle(event.commandId, event.at);
    if (command && event.ok) this.planner.relax(command.type === 'read' ? 'read' : 'trade');
    this.#settled = command ?? null;
    // What the answer says of rate comes next, and must be heard before anything else goes out.
    this.#isHolding = !event.ok;
    if (event.ok) this.#reader.takeAnswered(event.commandId);
  }

  #isHolding = false;

  /** The request whose answer is being told: what a refusal for rate puts back. */
  #settled: RequestCommand | null = null;

  #rateLimited(event: Extract<EngineEvent, { kind: 'rate-limited' }>): void {
    this.#options.observe({ type: 'rate-limited', budget: event.budget, retryAfter: event.retryAfter });
    const command = this.#settled;
    if (command?.id !== event.commandId) return;
    this.#settled = null;
    this.planner.defer(command, event.retryAfter, event.at);
    this.#desk.deferred(command);
  }

  #tellReadFailed({ reason, isRefused }: Extract<EngineEvent, { kind: 'read-failed' }>): void {
    this.#options.observe({ type: 'read-failed', what: whatWasRead(this.#settled), reason, isRefused });
  }

  #takeRead(event: EngineEvent): void {
    if (event.kind === 'read-failed') this.#tellReadFailed(event);
    // The changes that the read made come first: what it completes may depend on them.
    this.#reactToAll();
    this.#complete(this.#reader.take(event));
  }

  #complete(done: ReturnType<Reader['take']>): void {
    if (done) this.session.complete(done);
  }

  #reactToAll(): void {
    const { length } = this.#changes;
    for (let i = 0; i < this.#changes.length; i++) {
      const change = this.#changes[i];
      if (change) this.#react(change);
    }
    if (length > 0) this.#changes.length = 0;
    this.session.advance();
  }

  #react(change: StateChange): void {
    this.#options.observe(change);
    switch (change.type) {
      case 'order':
        return this.#orderChanged(change);
      case 'fill':
        this.session.noteMoney(this.state.now);
        return this.#filled(change);
      case 'trust':
        return this.#trustChanged(change);
      case 'market':
        return this.#marketMoved(change);
      case 'settled':
        this.session.noteMoney(this.state.now);
        return this.#roster.askFollowers(change.market.index, (handlers, view) => handlers.onSettled?.(change, view));
      case 'unexpected-order':
        return this.#withdrawUnexpected(change);
      case 'surprise':
    }
  }

  #orderChanged(change: Extract<StateChange, { type: 'order' }>): void {
    if (isFinished(change.order.state) && change.from !== 'queued') this.session.noteMoney(this.state.now);
    this.#desk.afterChange(change);
    this.#roster.askNamed(change.order.strategy, (handlers, view) => handlers.onOrder?.(change, view));
    if (change.order.state === 'unknown') this.session.upkeep('probe');
    this.session.advance();
  }

  #filled({ order, fill, position }: Extract<StateChange, { type: 'fill' }>): void {
    if (!order) return;
    this.#roster.askNamed(order.strategy, (handlers, view) => handlers.onFill?.({ order, fill, position }, view));
  }

  #trustChanged(change: Extract<StateChange, { type: 'trust' }>): void {
    if (change.trust === 'suspect') this.#distrusted(change.market);
    this.#roster.askFollowers(change.market, (handlers, view) => handlers.onTrust?.(change, view));
  }

  /** Quotes on a book that is not live are withdrawn, and the book is asked for anew. */
  #distrusted(market: MarketIndex): void {
    this.#desk.withdrawMarket(market);
    if (!this.state.feed.isUp) return;
    this.state.books.rebuild(market);
    this.#resyncs.push(this.state.tickers.tickerOf(market));
  }

  #marketMoved(change: Extract<StateChange, { type: 'market' }>): void {
    const { market } = change;
    this.#roster.join(market);
    if (change.before === null) this.session.marketJoined(market);
    this.#roster.askFollowers(market.index, (handlers, view) => handlers.onMarket?.(change, view));
    if (!isSettled(market.status)) return;
    this.#desk.withdrawMarket(market.index);
    this.#roster.leave(market.index);
  }

  #withdrawUnexpected({ report }: Extract<StateChange, { type: 'unexpected-order' }>): void {
    // Two pages of a list may both show it.
    if (this.state.orders.byVenueId(report.venueOrderId)) return;
    const order = this.state.orders.adopt(report, this.state.now);
    this.#desk.cancel(order.clientOrderId);
  }

  #onSessionNotice(notice: Notice): void {
    this.#options.observe(notice);
  }

  #sendFeed(ask: FeedAsk): void {
    const id = (this.#commandCount += 1);
    this.#feedCommands.push({ ...ask, lane: 'read', id, createdAt: this.state.now, validUntil: null });
  }

  #release(): readonly Command[] {
    this.#ready.length = 0;
    for (const late of this.planner.release(this.state.now, this.#ready))
      if (late.type === 'place') this.#desk.drop(late.clientOrderId, 'too late to send');
    if (this.#ready.length + this.#feedCommands.length + this.#resyncs.length === 0) return NO_COMMANDS;
    for (const command of this.#ready) if (command.type === 'place') this.#desk.sent(command);
    if (this.#resyncs.length > 0) this.#sendFeed({ type: 'resync', tickers: this.#resyncs });
    this.#resyncs = [];
    const commands: Command[] = [...this.#feedCommands, ...this.#ready];
    this.#feedCommands = [];
    return commands;
  }

  /** When the engine wants to be told of the time next; `null` when it does not. */
  wakeAt(): Micros | null {
    const times = [
      this.planner.wakeAt(this.state.now),
      this.#roster.timerAt(),
      this.#reader.retryAt(),
      this.#upkeep.dueAt(),
    ];
    return times.reduce((earliest, at) => (earliest === null || (at !== null && at < earliest) ? at : earliest), null);
  }
}
