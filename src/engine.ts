// Where state, strategies, risk and planner meet: one event in, the commands that go out now. Pure and synchronous:
// the same events give the same commands, live, on paper and in a backtest. Must never await or read a clock.
import type { Command, FeedAsk, FeedCommand, RequestCommand } from './domain/command.ts';
import type { BookDelta, BookSnapshot, EngineEvent } from './domain/event.ts';
import type { EventTicker } from './domain/ids.ts';
import type { OperatorOrder } from './domain/operator.ts';
import type { Micros } from './domain/units.ts';
import type { EngineOptions } from './engine/options.ts';
import { EngineParts } from './engine/parts.ts';
import { Reactions } from './engine/reactions.ts';
import type { Desk } from './execution/desk.ts';
import type { Discovery } from './execution/discovery.ts';
import type { FeedWatch } from './execution/feed-watch.ts';
import type { Halts } from './execution/halts.ts';
import type { OperatorDesk } from './execution/operator-desk.ts';
import type { Planner } from './execution/planner.ts';
import { whatWasRead } from './execution/read-words.ts';
import type { Reader } from './execution/reader.ts';
import type { Retirement } from './execution/retirement.ts';
import type { Session } from './execution/session.ts';
import type { SeriesReader } from './execution/series-reader.ts';
import type { Duty, Upkeep } from './execution/upkeep.ts';
import type { RiskGuard } from './risk/guard.ts';
import { BookChange } from './state/books.ts';
import type { StateChange } from './state/change.ts';
import type { State } from './state/state.ts';
import type { Roster } from './strategy/roster.ts';

export type { EngineOptions } from './engine/options.ts';

/** Of this file: what is imported is looked up at every use, which the hot path feels. */
const { ignored: IGNORED, depth: DEPTH, touch: TOUCH } = BookChange;
const NO_COMMANDS: readonly Command[] = [];
/** `STILL`, under a name that is not exported: what is exported is looked up at every use as well. */
const UNMOVED: readonly Command[] = [];
/** What a step gives that let nothing go out, and left what is due as it was: who is given it need ask nothing more. */
export const STILL = UNMOVED;
/** How long after something new was listed the markets are read: it seldom comes alone. Microseconds. */
const LISTED_SOON = 1_000_000;

/** The trading engine. */
export class Engine {
  readonly state: State;
  readonly session: Session;
  readonly planner: Planner;
  /** Who may not order, and why. */
  readonly halts: Halts;
  readonly risk: RiskGuard;
  readonly #options: EngineOptions;
  readonly #parts: EngineParts;
  readonly #roster: Roster;
  readonly #desk: Desk;
  readonly operator: OperatorDesk;
  readonly #reader: Reader;
  readonly #upkeep: Upkeep;
  readonly #seriesReader: SeriesReader;
  readonly #discovery: Discovery;
  readonly #retirement: Retirement;
  /** Whether what the feed tells may be believed. */
  readonly feedWatch: FeedWatch;
  readonly #changes: StateChange[];
  readonly #reactions: Reactions;
  readonly #ready: RequestCommand[] = [];
  #feedCommands: FeedCommand[] = [];
  #commandCount = 0;
  /** Whether all that could go out has: until the next step that is not a mere change of a book. */
  #isCalm = false;
  /** What `wakeAt` said last, and whether nothing has happened since that could change it. */
  #wakeAt: Micros | null = null;
  #isWakeKnown = false;
  /** Before this time a change of a book that nobody has anything to say to leaves all as it was; 0 when that is not known. */
  #stillUntil = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    const parts = new EngineParts(options, {
      nextCommandId: () => (this.#commandCount += 1),
      sendFeed: (ask) => this.#sendFeed(ask),
      onOrderChange: (change) => this.#reactions.to(change),
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
    this.#desk = parts.desk;
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
   * Takes one event and returns the commands that go out now, in order. Borrowed: valid until the next step.
   * @throws {AssertionFault} when an invariant of the house is broken; the session must not go on.
   */
  step(event: EngineEvent): readonly Command[] {
    if (event.kind === 'book-delta') return this.stepDelta(event);
    return this.#conclude(event, this.state.apply(event, this.#changes));
  }

  /**
   * The same for a change of a level, which most events are. It allocates nothing where nobody wants anything because of
   * it, and ends early: what could go out was let out by the step before, and what waits for a time is not due. All that it
   * uses is captured, which compiled code can rely on.
   */
  readonly stepDelta: (delta: BookDelta) => readonly Command[];

  #deltaStepper(): Engine['stepDelta'] {
    const { state } = this;
    const { applyDelta } = state;
    const { touched } = this.risk;
    const { bookChanged } = this.#roster;
    const changes = this.#changes;
    return (delta) => {
      const done = applyDelta(delta, changes);
      const isTouch = done === TOUCH;
      if (!isTouch && done !== DEPTH) return this.#conclude(delta, done);
      if (isTouch && touched(delta.market)) this.#stillUntil = 0;
      if (bookChanged(delta, isTouch)) return this.#concludeDelta(true);
      return state.now < this.#stillUntil && changes.length === 0 ? UNMOVED : this.#concludeDelta(false);
    };
  }

  #concludeDelta(isAnswered: boolean): readonly Command[] {
    this.#stillUntil = 0;
    if (this.#changes.length > 0) this.#reactToAll();
    const isActing = this.risk.conclude();
    if (isActing || isAnswered || !this.#isStill()) return this.#release();
    this.#reckonStill();
    return NO_COMMANDS;
  }

  /** What waits to be sent has asked to be woken when it may go. */
  #reckonStill(): void {
    this.#stillUntil = this.#isWakeKnown ? Math.min(this.#wakeAt ?? Number.POSITIVE_INFINITY, this.risk.attendAt) : 0;
  }

  /** Whether letting go of what waits would let nothing go. */
  #isStill(): boolean {
    return this.#isCalm && this.planner.isStill(this.state.now);
  }

  #conclude(event: EngineEvent, bookChange: BookChange): readonly Command[] {
    this.#stillUntil = 0;
    this.#isHolding = false;
    // Lists tell the same of most markets again and again.
    if (event.kind === 'market' && this.#changes.length === 0 && this.#isStill() && !this.risk.conclude())
      return NO_COMMANDS;
    this.#isCalm = false;
    this.#isWakeKnown = false;
    if (bookChange === TOUCH && event.kind === 'book-snapshot') this.#bookReplaced(event);
    else this.#handle(event);
    if (this.#changes.length > 0) this.#reactToAll();
    if (bookChange === IGNORED) this.#askWhenReady();
    this.risk.conclude();
    return this.#isHolding ? NO_COMMANDS : this.#release();
  }

  #bookReplaced({ market, at }: BookSnapshot): void {
    // A snapshot's trust must be told before its levels.
    if (this.#changes.length > 0) this.#reactToAll();
    this.risk.bookBegun(market);
    this.#roster.showBook(market, at);
  }

  /** Whether orders could leave when that was last looked at. */
  #wasReady = false;

  /** What was wanted while no order could leave was denied: who is asked anew need not wait until a quiet book moves. */
  #askWhenReady(): void {
    const isReady = this.#parts.readiness().type === 'ready';
    if (isReady && !this.#wasReady) this.#roster.showBooks();
    this.#wasReady = isReady;
  }

  #handle(event: EngineEvent): void {
    this.feedWatch.note(event);
    switch (event.kind) {
      case 'start':
        return this.#start(event);
      case 'timer':
        return this.#passTime(event.at);
      case 'stop':
        return this.#stop(event);
      case 'operator':
        return this.#operate(event.order, event.at);
      case 'print':
        this.risk.printed(event.market, event.price);
        this.#roster.askFollowers(event.market, (handlers, view) => handlers.onPrint?.(event, view));
        return this.#parts.queueWatch.printed(event.market);
      case 'queue-positions':
        return this.#parts.queueWatch.answered(event);
      case 'feed-up':
        // With a key the recovery waits for what the account alone is told: from then on nothing is missed again.
        if (event.connection > 1 && !this.#options.hasKey) this.session.recover();
        return;
      case 'feed-gap':
        return this.#missedSomething(event.markets.length === 0);
      case 'event-group':
        return this.#groupKnown(event.group.eventTicker);
      case 'markets-appeared':
        if (this.#discovery.mayConcern(event)) this.#upkeep.hasten('markets', (event.at + LISTED_SOON) as Micros);
        return;
      case 'answered':
        return this.#answered(event);
      case 'rate-limited':
        return this.#rateLimited(event);
      case 'order-accepted':
        return this.#desk.withdrawals.insist(event.clientOrderId);
      case 'cancel-accepted':
        return this.#desk.withdrawals.done(event.clientOrderId);
      case 'cancel-refused':
      case 'cancel-lost':
        return this.#desk.withdrawals.failed(event.clientOrderId);
      default:
        return this.#takeRead(event);
    }
  }

  /** Who selects by event group or series may find markets of its own among those that were known before. */
  #groupKnown(name: EventTicker): void {
    for (const market of this.state.markets.membersOf(name))
      for (const running of this.#roster.join(market)) this.#roster.welcome(running, market);
    this.#discovery.groupKnown(name);
    this.#seriesReader.groupKnown(name);
    this.session.advance();
  }

  #start({ at, session, carried }: Extract<EngineEvent, { kind: 'start' }>): void {
    this.#desk.open(session, this.#roster);
    const strategies = this.#roster.all().map(({ name }) => name);
    const { lookbackMs } = this.#options;
    this.state.succession.begin({ session, strategies, kept: carried.books ?? null, lookbackMs });
    this.operator.carry(carried.halts);
    this.risk.start(carried, at);
    this.#upkeep.start(at);
    this.feedWatch.start(at);
    this.session.orders.others.begin({ session, at, ...(carried.sessions && { sessions: carried.sessions }) });
    this.session.start(at, carried);
    this.#roster.keepers.restore(carried.saved ?? {});
    this.#roster.askAll((handlers, view) => handlers.onStart?.({ at }, view));
  }

  #stop({ at, reason }: Extract<EngineEvent, { kind: 'stop' }>): void {
    this.#roster.askAll((handlers, view) => handlers.onStop?.({ at, reason }, view));
    this.#roster.keepers.keep(() => true);
    this.#roster.close();
    // Stopping first: what a strategy asks for while its orders are withdrawn must not be sent.
    this.session.stop(reason);
    this.#desk.withdrawAll();
    this.session.advance();
  }

  #operate(order: OperatorOrder, at: Micros): void {
    if (order.type === 'override') return this.risk.override(order.override, at);
    this.operator.take(order, at);
  }

  #passTime(at: Micros): void {
    this.#roster.fireTimers(at);
    this.#reader.retry(at);
    this.feedWatch.pass(at);
    this.#parts.queueWatch.pass(at);
    this.#parts.budgetWatch.pass(at);
    this.operator.look(at);
    const settledBefore = this.session.toldBefore(this.#options.settledGraceMs);
    this.#discovery.evicted(this.#retirement.pass(settledBefore, this.#changes));
    for (const duty of this.#upkeep.due(at)) this.#perform(duty);
  }

  #perform(duty: Duty): void {
    if (duty === 'audit') return this.feedWatch.audit();
    if (duty === 'markets') return this.session.refreshMarkets();
    if (duty === 'strategies') return this.#careForStrategies();
    if (duty === 'probe') this.#desk.withdrawals.insistAll();
    this.session.upkeep(duty);
  }

  #careForStrategies(): void {
    this.#roster.look();
    this.#roster.keepers.keep(({ saver }) => saver.isAsked);
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
    this.#parts.budgetWatch.refused(event.budget, this.#options.cost(command), event.at);
  }

  #tellReadFailed({ reason, isRefused }: Extract<EngineEvent, { kind: 'read-failed' }>): void {
    this.#options.observe({ type: 'read-failed', what: whatWasRead(this.#settled), reason, isRefused });
    if (!isRefused || this.#settled?.type !== 'read') return;
    const { target } = this.#settled;
    if (target.what === 'queue-positions') this.#parts.queueWatch.refused();
    if (target.what === 'event' && this.#options.groupsMayBeMissing) this.#discovery.groupRefused(target.eventTicker);
    this.session.refused(target.what);
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
      if (change) this.#reactions.to(change);
    }
    if (length > 0) this.#changes.length = 0;
    this.session.advance();
  }

  /** Something that could not be read may have been of ours: lists tell what it was. */
  #missedSomething(isAnything: boolean): void {
    if (!isAnything) return;
    this.session.upkeep('fills');
    this.session.upkeep('compare');
  }

  #sendFeed(ask: FeedAsk): void {
    this.feedWatch.asked(ask);
    const id = (this.#commandCount += 1);
    this.#feedCommands.push({ ...ask, lane: 'read', id, createdAt: this.state.now, validUntil: null });
  }

  #release(): readonly Command[] {
    this.#isWakeKnown = false;
    this.#isCalm = true;
    if (this.#ready.length > 0) this.#ready.length = 0;
    for (const late of this.planner.release(this.state.now, this.#ready)) this.#desk.tooLate(late);
    this.#parts.budgetWatch.look(this.state.now);
    this.feedWatch.flush();
    if (this.#ready.length + this.#feedCommands.length === 0) return NO_COMMANDS;
    for (const command of this.#ready) this.#desk.sent(command);
    const commands: Command[] = [...this.#feedCommands, ...this.#ready];
    this.#feedCommands = [];
    return commands;
  }

  /** When the engine wants to be told of the time next; `null` when it does not. Cheap to ask after every step. */
  wakeAt(): Micros | null {
    // A time that has come may mean “now”, which moves on.
    if (this.#isWakeKnown && (this.#wakeAt === null || this.#wakeAt > this.state.now)) return this.#wakeAt;
    this.#wakeAt = this.reckonWakeAt();
    this.#isWakeKnown = this.#isCalm;
    this.#reckonStill();
    return this.#wakeAt;
  }

  /** The same reckoned anew: what `wakeAt` remembers always equals it. */
  reckonWakeAt(): Micros | null {
    const times = [
      this.planner.wakeAt(this.state.now),
      this.#roster.timerAt(),
      this.#reader.retryAt(),
      this.#upkeep.dueAt(),
      this.operator.dueAt(),
      this.feedWatch.dueAt(),
      this.#parts.queueWatch.dueAt(),
      this.#parts.budgetWatch.dueAt(this.state.now),
      this.risk.wakeAt(),
    ];
    return times.reduce((earliest, at) => (earliest === null || (at !== null && at < earliest) ? at : earliest), null);
  }
}
