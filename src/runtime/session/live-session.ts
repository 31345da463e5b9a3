// One live session, from the start to the last comparison with the venue. Connects feed, gateway, normalizer and
// engine, and shuts them down again. Must never leave an order resting that it could have canceled.
import { sessionName } from '../../domain/orders/client-order-id.ts';
import type { StrategyName } from '../../domain/ids.ts';
import type { TermsCommand } from '../../domain/venue-command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { type RestoredState, NOTHING_RESTORED, type OperatorOrder } from '../../domain/operator-order.ts';
import type { Micros } from '../../domain/units.ts';
import { Engine } from '../../engine.ts';
import type { Notice, Observer } from '../../execution/engine-notice.ts';
import { OPENING_PHASES } from '../../execution/session/session-phase.ts';
import type { Logger } from '../../log.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import type { Journal } from '../../tape/journal/journal-port.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { type Scheduler, type Timer, systemScheduler } from '../../transport/scheduler.ts';
import type { Venue } from '../../venue.ts';
import { cancelAfterFault } from './fault-cleanup.ts';
import { type Clock, type ClockLeap, TIMER_MS_MAX } from './system-clock.ts';
import { CommandExecutor } from './command-executor.ts';
import { HaltKeeper } from '../saved/halt-keeper.ts';
import type { Latch } from '../saved/latch.ts';
import { LiveLoop } from './live-loop.ts';
import { noticeLogger } from './notice-log.ts';
import { type SetupOptions, sessionBatchMax, engineOptions } from './engine-setup.ts';
import { checkReadRate, checkTradeRate, slowReadsText } from './read-rate.ts';
import { SavedStateWriter } from '../saved/saved-state.ts';
import { AnswerStopwatch } from './answer-stopwatch.ts';
import { SessionMeter } from './session-meter.ts';
import { SessionTally } from './session-tally.ts';

export interface LiveSessionOptions extends Omit<SetupOptions, 'observe'> {
  readonly venue: Venue;
  readonly log: Logger;
  /**
   * The clock of the session. The venue connection must use the same clock, because request times are compared with the
   * session's times.
   */
  readonly clock: Clock;
  /** Receives every notice, after the notice has been counted and logged. */
  readonly observe?: Observer;
  readonly scheduler?: Scheduler;
  readonly journal?: Journal;
  readonly restoredState?: RestoredState;
  /**
   * Called before each new order and each amend that no fault or halt blocks. Returns a reason not to send it, or `null`.
   */
  readonly blockReason?: (command: TermsCommand) => string | null;
  /** Latch in which halts outlive the session. `restoredState` must hold its present content. */
  readonly latch?: Latch;
  /** Storage in which strategies' saved state outlives the session. `restoredState` must hold its present content. */
  readonly savedState?: Storage;
  /**
   * Clock that measures how long strategies take to answer: milliseconds, with fractions. Without it, no strategy
   * counts as too slow.
   */
  readonly stopwatch?: () => number;
  /** Milliseconds after each message of the feed in which the event loop does not sleep. Default: none. */
  readonly awakeMs?: number;
}

const AFTER_FAULT = 'the session ends after a fault';

/** The ways in which a session can end. */
export type SessionEnd =
  | {
      readonly type: 'stopped';
      /**
       * True: cash and every position equal the venue's. Without an account, true: the list of working orders was read,
       * and no earlier order was left.
       */
      readonly isReconciled: boolean;
      /** True: the account was opened. A session without a key only watches. */
      readonly hadAccount: boolean;
    }
  /** Stopping took too long: this number of orders may still rest. */
  | { readonly type: 'timed-out'; readonly ordersLeft: number }
  /** The session could not begin. For example, the venue refused the key, or another session trades on the account. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The session ended at a fault: an invariant failed, or something necessary did, such as the writing of a file. */
  | {
      readonly type: 'fault';
      readonly fault: unknown;
      /** Orders of the session that the venue's own list still showed at the end; `null` when that is not known. */
      readonly ordersLeft: number | null;
    };

/** A running session. */
export class LiveSession {
  readonly engine: Engine;
  readonly tally: SessionTally;
  readonly meter = new SessionMeter();
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #options: LiveSessionOptions;
  readonly #loop: LiveLoop;
  readonly #executor: CommandExecutor;
  readonly #haltKeeper: HaltKeeper | null;
  readonly #stateKeeper: SavedStateWriter | null;
  #name = '';
  #fault: { readonly fault: unknown; ordersLeft: number | null } | null = null;
  #refusal: string | null = null;
  #onStopped: (() => void) | null = null;
  #onMustStop: (() => void) | null = null;
  /** Resolves when the session can only be stopped: it had a fault, or it could not begin. */
  readonly mustStop: Promise<void> = new Promise((resolve) => {
    this.#onMustStop = resolve;
  });

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.tally = new SessionTally(options.strategies.map(({ name }) => name));
    const log = noticeLogger(options.log, options.venue.tickers, () => this.engine.state.now);
    const strategies = this.#timedStrategies(options);
    const observe = (notice: Notice): void => this.#observe(notice, log);
    checkTradeRate(options.config, options.venue.capabilities, options.hasKey);
    const slow = slowReadsText(checkReadRate(options.config, options.venue.capabilities, options.hasKey));
    if (slow !== null) options.log.warn(slow);
    this.engine = new Engine(engineOptions({ ...options, strategies, observe }));
    const { venue, journal, config } = options;
    const onFault = (fault: unknown): void => this.#panic(fault);
    const { engine, clock, meter } = this;
    const { normalizer } = venue;
    const scheduler = this.#scheduler;
    this.#loop = new LiveLoop({
      engine,
      normalizer,
      clock,
      scheduler,
      meter,
      onFault,
      ...(journal && { journal }),
      ...(options.awakeMs !== undefined && { awakeMs: options.awakeMs }),
    });
    this.#executor = new CommandExecutor({
      gateway: venue.gateway,
      feed: venue.feed,
      concurrency: { read: config.budgets.readsInFlightMax, trade: config.budgets.tradesInFlightMax },
      batchMax: sessionBatchMax(config, venue.capabilities),
      onBatchRefused: (reason) =>
        options.log.warn({ reason }, 'the venue refused a batch of orders: from now on, each order is a request'),
      onAnswers: (answers) => this.#loop.acceptAnswers(answers),
      onFault,
      now: () => clock.now(),
      blockReason: (command) => this.#blockReason(command),
      meter,
    });
    this.#haltKeeper = this.#createHaltKeeper(options.latch);
    const { savedState: storage } = options;
    this.#stateKeeper = storage ? new SavedStateWriter({ storage, scheduler, onFault }) : null;
    this.#loop.setExecutor(this.#executor);
    clock.onLeap?.((leap) => this.#enterEvent(leapEvent(leap, clock.now())));
  }

  /**
   * Wraps the strategies, so that a slow strategy is halted by an operator's instruction. A replay sees the same
   * instruction.
   */
  #timedStrategies({ strategies, stopwatch: now, config }: LiveSessionOptions): readonly BoundStrategy[] {
    if (now === undefined) return strategies;
    const bounds = new Map<string, number>(config.strategies.map(({ name, slowMax }) => [name, slowMax / 1000]));
    const stopwatch = new AnswerStopwatch({
      now,
      msMax: (name) => bounds.get(name) ?? Number.POSITIVE_INFINITY,
      onSlow: (strategy, reason) =>
        this.submitOperatorOrder({ type: 'halt', scope: { type: 'strategy', strategy }, by: 'fault', reason }),
    });
    return strategies.map((strategy) => stopwatch.measureStrategy(strategy));
  }

  #createHaltKeeper(latch: Latch | undefined): HaltKeeper | null {
    if (!latch) return null;
    return new HaltKeeper({
      latch,
      halts: this.engine.halts,
      scheduler: this.#scheduler,
      log: this.#options.log,
      submitOrder: (order) => this.submitOperatorOrder(order),
      onFault: (fault) => this.#panic(fault),
    });
  }

  #blockReason(command: TermsCommand): string | null {
    if (this.#fault) return AFTER_FAULT;
    const strategy = this.#strategyOf(command);
    if (strategy === null) return 'its order has ended';
    return this.#haltKeeper?.blockReason(strategy, command.ticker) ?? this.#options.blockReason?.(command) ?? null;
  }

  /** An amend does not name its strategy, so that journals of earlier versions replay to the same commands. */
  #strategyOf(command: TermsCommand): StrategyName | null {
    if (command.type === 'place') return command.strategy;
    return this.engine.state.orders.get(command.clientOrderId)?.strategy ?? null;
  }

  /** Returns what a person should know of the venue, and what no event reports. */
  remarks(): readonly string[] {
    return this.#options.venue.gateway.remarks?.() ?? [];
  }

  /** The session's name, with which the ids of its orders begin; empty before the start. */
  get sessionName(): string {
    return this.#name;
  }

  /** Number of times that the session's own timer ran: a sign of life. */
  get timerRuns(): number {
    return this.#loop.timerRuns;
  }

  /** Why the session carries out no instruction any more; `null` while it does. */
  get endReason(): string | null {
    if (this.#fault) return AFTER_FAULT;
    return this.#loop.isStopped || this.engine.session.phase === 'stopped' ? 'the session has ended' : null;
  }

  get hasFault(): boolean {
    return this.#fault !== null;
  }

  submitOperatorOrder(order: OperatorOrder): void {
    const at = this.clock.now();
    const dated = this.#haltKeeper?.dateHalt(order) ?? order;
    // The engine takes nothing any more, but the next session must begin with the halt.
    if (this.#loop.isStopped) this.#haltKeeper?.saveHalt(dated, at);
    this.#enterEvent({ kind: 'operator', at, order: dated });
  }

  /**
   * Ends the session as after a failed invariant. Used for faults outside the loop, such as in a timer or a socket of
   * the process.
   */
  failWith(fault: unknown): void {
    this.#panic(fault);
  }

  #observe(notice: Notice, log: Observer): void {
    this.tally.countNotice(notice);
    log(notice);
    if (notice.type === 'alarm') this.#loop.noteForJournal(notice);
    if (notice.type === 'halt' && !notice.isCarried) this.#loop.noteForJournal({ type: 'halt', halt: notice.halt });
    this.#haltKeeper?.onNotice(notice);
    this.#stateKeeper?.saveFromNotice(notice);
    this.#options.observe?.(notice);
    if (notice.type === 'phase' && notice.phase === 'stopped') this.#onStopped?.();
    if (notice.type === 'barred') this.#refuse(notice.reason);
    if (notice.type !== 'read-failed' || !notice.isRefused || notice.isOptional === true) return;
    if (OPENING_PHASES.has(this.engine.session.phase))
      this.#refuse(`the venue refused ${notice.what}: ${notice.reason}`);
  }

  /** Without a stop, a session that cannot begin would repeat the same request forever. */
  #refuse(reason: string): void {
    this.#refusal ??= reason;
    this.#onMustStop?.();
  }

  /** Opens the connections and begins the session. */
  async start(): Promise<void> {
    const { venue } = this.#options;
    await venue.gateway.warmUp();
    const at = this.clock.now();
    this.#name = sessionName(at);
    const strategies = this.#options.strategies.map(({ name }) => name);
    this.#options.latch?.writeSession({ session: this.#name, strategies });
    this.#enterEvent({
      kind: 'start',
      at,
      session: this.#name,
      carried: this.#options.restoredState ?? NOTHING_RESTORED,
    });
    this.#haltKeeper?.start();
    venue.feed.start(this.#loop.acceptInput);
  }

  #enterEvent(event: EngineEvent): void {
    this.#loop.acceptInput({ type: 'event', event });
  }

  /**
   * Cancels everything, compares the last figures, and closes every connection. After a fault, only waits for the
   * cancels and closes. Each wait takes `withinMs` at most.
   */
  async stop(reason: string, withinMs: number): Promise<SessionEnd> {
    if (!this.#fault && this.engine.session.phase !== 'stopped') await this.#stopEngine(reason, withinMs);
    this.#loop.stop();
    this.#haltKeeper?.stop();
    this.#stateKeeper?.writePending();
    if (this.#fault) await this.#waitAtMost(this.mustStop, withinMs);
    await this.#executor.stop();
    await this.#disconnect();
    return this.#result();
  }

  /** Closes feed and gateway. A failure to close is a fault, unless the session has a fault already. */
  async #disconnect(): Promise<void> {
    const { feed, gateway } = this.#options.venue;
    const closed = await Promise.allSettled([feed.stop(), gateway.stop()]);
    const failed = closed.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    this.#options.log.fatal({ err: failed.reason }, 'a connection could not be closed');
    const ordersLeft = this.engine.session.phase === 'stopped' ? 0 : null;
    this.#fault ??= { fault: failed.reason, ordersLeft };
  }

  async #stopEngine(reason: string, withinMs: number): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#onStopped = resolve;
    });
    this.#enterEvent({ kind: 'stop', at: this.clock.now(), reason });
    await this.#waitAtMost(ended, withinMs);
  }

  async #waitAtMost(awaited: Promise<void>, limitMs: number): Promise<void> {
    let timer: Timer | null = null;
    const timedOut = new Promise<void>((resolve) => {
      timer = this.#scheduler.after(Math.min(limitMs, TIMER_MS_MAX), resolve);
    });
    await Promise.race([awaited, timedOut]);
    if (timer) this.#scheduler.cancel(timer);
  }

  #result(): SessionEnd {
    if (this.#fault) return { type: 'fault', ...this.#fault };
    const { session, state } = this.engine;
    const ordersLeft = session.phase === 'stopped' ? 0 : state.orders.openCount;
    // Resting orders matter more than the reason why the session did not begin.
    if (this.#refusal !== null && ordersLeft === 0) return { type: 'refused', reason: this.#refusal };
    if (session.phase !== 'stopped') return { type: 'timed-out', ordersLeft };
    const { drift } = session;
    const hadAccount = state.portfolio.isOpen;
    // Without an account, only the list of working orders must have been read.
    const isReconciled =
      drift === null ? !hadAccount && session.hasReadOrders : drift.positions === 0 && drift.isCashEqual;
    return { type: 'stopped', isReconciled, hadAccount };
  }

  /** Handles a fault. The engine is not stepped again; the orders that it knew are canceled as far as possible. */
  #panic(fault: unknown): void {
    if (this.#fault) return;
    const failure: { fault: unknown; ordersLeft: number | null } = { fault, ordersLeft: null };
    this.#fault = failure;
    this.#options.log.fatal({ err: fault }, 'an invariant failed: canceling every known order and stopping');
    this.#loop.stop();
    this.#onStopped?.();
    void this.#cancelAll(failure).finally(() => this.#onMustStop?.());
  }

  async #cancelAll(failure: { ordersLeft: number | null }): Promise<void> {
    // A session without a key only watches and has nothing to cancel.
    if (!this.#options.hasKey) return void (failure.ordersLeft = 0);
    const { venue, log, config } = this.#options;
    const { state, session } = this.engine;
    const end = await cancelAfterFault({
      venue,
      log,
      now: () => this.clock.now(),
      scheduler: this.#scheduler,
      session: this.#name,
      knownOrders: state.orders
        .allOpen()
        .filter(({ clientOrderId }) => !session.orders.otherSessions.isFromOtherSession(clientOrderId)),
      graceMs: config.orders.grace / 1000,
      withinMs: config.orders.stopWithin / 1000,
    });
    // An empty list proves nothing until every order sent has certainly arrived or failed.
    failure.ordersLeft = end.isDone ? 0 : end.left?.length || null;
  }
}

function leapEvent({ type, by }: ClockLeap, at: Micros): EngineEvent {
  if (type === 'followed') return { kind: 'clock-stepped', at, by };
  return { kind: 'clock-leapt', at, by, verdict: VERDICTS[type] };
}
const VERDICTS = { noticed: 'unknown', refused: 'ours', over: 'over' } as const;
