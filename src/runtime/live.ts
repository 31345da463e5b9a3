// One live session from its start to its last comparison with the venue: wires feed, gateway, normalizer and engine
// together, and takes them apart again. Must never leave an order resting that it could have withdrawn.
import { sessionName } from '../domain/client-order-id.ts';
import type { PlaceCommand } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type CarriedOver, NOTHING_CARRIED, type OperatorOrder } from '../domain/operator.ts';
import type { Micros } from '../domain/units.ts';
import { Engine } from '../engine.ts';
import type { Notice, Observer } from '../execution/notice.ts';
import { BEGINNING } from '../execution/phase.ts';
import type { Logger } from '../log.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';
import type { Journal } from '../tape/journal.ts';
import type { Storage } from '../tape/storage.ts';
import { type Scheduler, type Timer, systemScheduler } from '../transport/scheduler.ts';
import type { Venue } from '../venue.ts';
import { withdrawAfter } from './aftermath.ts';
import { type Clock, type Leap, TIMER_MS_MAX } from './clock.ts';
import { Executor } from './executor.ts';
import { HaltKeeper } from './halt-keeper.ts';
import type { Latch } from './latch.ts';
import { Loop } from './loop.ts';
import { noticeLog } from './notice-log.ts';
import { type SetupOptions, engineOptions } from './setup.ts';
import { StateKeeper } from './state-keeper.ts';
import { Stopwatch } from './stopwatch.ts';
import { Tally } from './tally.ts';

export interface LiveOptions extends Omit<SetupOptions, 'observe'> {
  readonly venue: Venue;
  readonly log: Logger;
  /** The venue's own clock here: what was asked is dated by it, and compared with what the session dates. */
  readonly clock: Clock;
  /** Sees every notice, after it has been counted and logged. */
  readonly observe?: Observer;
  readonly scheduler?: Scheduler;
  /** Where the session is written down. */
  readonly journal?: Journal;
  /** What the sessions before this one left for it to know. */
  readonly carried?: CarriedOver;
  /** Asked before an order leaves: a reason not to send it, or `null`. */
  readonly gate?: (command: PlaceCommand) => string | null;
  /** Where halts outlive the session. What it holds now belongs into `carried`. */
  readonly latch?: Latch;
  /** Where what strategies keep outlives the session. What is there now belongs into `carried`. */
  readonly saved?: Storage;
  /** What strategies' answers are measured by: milliseconds, in fractions. Without it nobody is too slow. */
  readonly stopwatch?: () => number;
}

/** How a session ended. */
export type LiveEnd =
  | {
      readonly type: 'stopped';
      /**
       * Cash and every position equal the venue's; true also when there was nothing to compare, and it was seen that
       * nothing rests from before.
       */
      readonly isReconciled: boolean;
      /** Whether the account was ever opened: a session without a key only watches. */
      readonly hadAccount: boolean;
    }
  /** Stopping took too long: so many orders may still rest. */
  | { readonly type: 'timed-out'; readonly ordersLeft: number }
  /** It could not begin: the venue refused the key, a market, an event group; or another session trades on the account. */
  | { readonly type: 'refused'; readonly reason: string }
  /** An invariant broke. */
  | {
      readonly type: 'fault';
      readonly fault: unknown;
      /** What the venue's own list still showed of the session at the end; `null` when it could not be read. */
      readonly ordersLeft: number | null;
    };

/** A running session. */
export class LiveSession {
  readonly engine: Engine;
  readonly tally: Tally;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #options: LiveOptions;
  readonly #loop: Loop;
  readonly #executor: Executor;
  readonly #keeper: HaltKeeper | null;
  readonly #stateKeeper: StateKeeper | null;
  /** Its orders' ids begin with it; empty before the start. */
  #name = '';
  #fault: { readonly fault: unknown; ordersLeft: number | null } | null = null;
  #refusal: string | null = null;
  #onEnd: (() => void) | null = null;
  #onDoomed: (() => void) | null = null;
  /** Resolves when the session can only be stopped: an invariant broke, or the venue refused to let it begin. */
  readonly doomed: Promise<void> = new Promise((resolve) => {
    this.#onDoomed = resolve;
  });

  constructor(options: LiveOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.tally = new Tally(options.strategies.map(({ name }) => name));
    const log = noticeLog(options.log, options.venue.tickers);
    const strategies = this.#measured(options);
    const observe = (notice: Notice): void => this.#observe(notice, log);
    this.engine = new Engine(engineOptions({ ...options, strategies, observe }));
    const { venue, journal, config } = options;
    const onFault = (fault: unknown): void => this.#panic(fault);
    const { engine, clock } = this;
    const { normalizer } = venue;
    const scheduler = this.#scheduler;
    this.#loop = new Loop({ engine, normalizer, clock, scheduler, onFault, ...(journal && { journal }) });
    this.#executor = new Executor({
      gateway: venue.gateway,
      feed: venue.feed,
      concurrency: { read: config.budgets.readsInFlightMax, trade: config.budgets.tradesInFlightMax },
      onAnswer: this.#loop.accept,
      onFault,
      now: () => clock.now(),
      gate: (command) => this.#gate(command),
    });
    this.#keeper = this.#makeKeeper(options.latch);
    const { saved: storage } = options;
    this.#stateKeeper = storage ? new StateKeeper({ storage, scheduler, onFault }) : null;
    this.#loop.connect(this.#executor);
    clock.onLeap?.((leap) => this.#tell(leapEvent(leap, clock.now())));
  }

  /** The strategies, each halted by an order when it is too slow: what measured nothing sees the order. */
  #measured({ strategies, stopwatch: now, config }: LiveOptions): readonly BoundStrategy[] {
    if (now === undefined) return strategies;
    const bounds = new Map<string, number>(config.strategies.map(({ name, slowMax }) => [name, slowMax / 1000]));
    const stopwatch = new Stopwatch({
      now,
      msMax: (name) => bounds.get(name) ?? Number.POSITIVE_INFINITY,
      onSlow: (strategy, reason) =>
        this.operate({ type: 'halt', scope: { type: 'strategy', strategy }, by: 'fault', reason }),
    });
    return strategies.map((strategy) => stopwatch.watch(strategy));
  }

  #makeKeeper(latch: Latch | undefined): HaltKeeper | null {
    if (!latch) return null;
    return new HaltKeeper({
      latch,
      halts: this.engine.halts,
      scheduler: this.#scheduler,
      log: this.#options.log,
      operate: (order) => this.operate(order),
      onFault: (fault) => this.#panic(fault),
    });
  }

  /** The last word before a new order leaves. */
  #gate(command: PlaceCommand): string | null {
    if (this.#fault) return 'the session ends after a fault';
    return this.#keeper?.gate(command) ?? this.#options.gate?.(command) ?? null;
  }

  /** The session's name, with which its orders' ids begin; empty before the start. */
  get name(): string {
    return this.#name;
  }

  /** Lets an order of the operator enter. */
  operate(order: OperatorOrder): void {
    this.#tell({ kind: 'operator', at: this.clock.now(), order });
  }

  /** Ends it as after any broken invariant: for faults that arise beside it, in a timer or a socket of the process. */
  fail(fault: unknown): void {
    this.#panic(fault);
  }

  #observe(notice: Notice, log: Observer): void {
    this.tally.count(notice);
    log(notice);
    this.#keeper?.take(notice);
    this.#stateKeeper?.take(notice);
    this.#options.observe?.(notice);
    if (notice.type === 'phase' && notice.phase === 'stopped') this.#onEnd?.();
    if (notice.type === 'barred') this.#refuse(notice.reason);
    if (notice.type === 'read-failed' && notice.isRefused && BEGINNING.has(this.engine.session.phase))
      this.#refuse(`the venue refused ${notice.what}: ${notice.reason}`);
  }

  /** A session that cannot begin would otherwise ask the same thing for ever. */
  #refuse(reason: string): void {
    this.#refusal ??= reason;
    this.#onDoomed?.();
  }

  /** Opens connections and begins the session. */
  async start(): Promise<void> {
    const { venue } = this.#options;
    await venue.gateway.warm();
    const at = this.clock.now();
    this.#name = sessionName(at);
    const strategies = this.#options.strategies.map(({ name }) => name);
    this.#options.latch?.writeSession({ session: this.#name, strategies });
    this.#tell({ kind: 'start', at, session: this.#name, carried: this.#options.carried ?? NOTHING_CARRIED });
    this.#keeper?.start();
    venue.feed.start(this.#loop.accept);
  }

  #tell(event: EngineEvent): void {
    this.#loop.accept({ type: 'event', event });
  }

  /** Withdraws everything, compares the last figures, and closes every connection. */
  async stop(reason: string, withinMs: number): Promise<LiveEnd> {
    if (!this.#fault && this.engine.session.phase !== 'stopped') await this.#stopEngine(reason, withinMs);
    this.#loop.stop();
    this.#keeper?.stop();
    this.#stateKeeper?.flush();
    if (this.#fault) await this.#within(this.doomed, withinMs);
    await this.#executor.stop();
    await this.#disconnect();
    return this.#end();
  }

  /** A connection that cannot be closed is a fault, and hides nothing of how the session ended. */
  async #disconnect(): Promise<void> {
    const { feed, gateway } = this.#options.venue;
    const closed = await Promise.allSettled([feed.stop(), gateway.stop()]);
    const failed = closed.find((one) => one.status === 'rejected');
    if (failed === undefined) return;
    this.#options.log.fatal({ err: failed.reason }, 'a connection could not be closed');
    const ordersLeft = this.engine.session.phase === 'stopped' ? 0 : null;
    this.#fault ??= { fault: failed.reason, ordersLeft };
  }

  async #stopEngine(reason: string, withinMs: number): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#onEnd = resolve;
    });
    this.#tell({ kind: 'stop', at: this.clock.now(), reason });
    await this.#within(ended, withinMs);
  }

  /** Waits for something, but only so long. */
  async #within(happened: Promise<void>, limitMs: number): Promise<void> {
    let timer: Timer | null = null;
    const passed = new Promise<void>((resolve) => {
      timer = this.#scheduler.after(Math.min(limitMs, TIMER_MS_MAX), resolve);
    });
    await Promise.race([happened, passed]);
    if (timer) this.#scheduler.cancel(timer);
  }

  #end(): LiveEnd {
    if (this.#fault) return { type: 'fault', ...this.#fault };
    const { session, state } = this.engine;
    const ordersLeft = session.phase === 'stopped' ? 0 : state.orders.openCount;
    // Orders left from before that could not be withdrawn matter more than why nothing was begun.
    if (this.#refusal !== null && ordersLeft === 0) return { type: 'refused', reason: this.#refusal };
    if (session.phase !== 'stopped') return { type: 'timed-out', ordersLeft };
    const { drift } = session;
    const hadAccount = state.portfolio.isOpen;
    // Without an account there is nothing to compare; but what rests from before must have been looked at.
    const isReconciled =
      drift === null ? !hadAccount && session.hasSeenOrders : drift.positions === 0 && drift.isCashEqual;
    return { type: 'stopped', isReconciled, hadAccount };
  }

  /** An invariant broke: the engine is not asked again; what it knew to rest is withdrawn, as well as can be. */
  #panic(fault: unknown): void {
    if (this.#fault) return;
    const ended: { fault: unknown; ordersLeft: number | null } = { fault, ordersLeft: null };
    this.#fault = ended;
    this.#options.log.fatal({ err: fault }, 'an invariant broke: withdrawing every known order and stopping');
    this.#loop.stop();
    this.#onEnd?.();
    void this.#withdrawAll(ended).finally(() => this.#onDoomed?.());
  }

  async #withdrawAll(ended: { ordersLeft: number | null }): Promise<void> {
    // Whoever only watches has nothing there to withdraw.
    if (!this.#options.hasKey) return void (ended.ordersLeft = 0);
    const { venue, log, config } = this.#options;
    const { state, session } = this.engine;
    const end = await withdrawAfter({
      venue,
      log,
      now: () => this.clock.now(),
      scheduler: this.#scheduler,
      session: this.#name,
      known: state.orders.allOpen().filter(({ clientOrderId }) => !session.orders.others.isTheirs(clientOrderId)),
      graceMs: config.orders.grace / 1000,
      withinMs: config.orders.stopWithin / 1000,
    });
    // An empty list proves nothing before the last order that was sent could arrive.
    ended.ordersLeft = end.isDone ? 0 : end.left?.length || null;
  }
}

/** A leap of the machine's clock, as the engine learns of it. */
function leapEvent({ type, by }: Leap, at: Micros): EngineEvent {
  if (type === 'followed') return { kind: 'clock-stepped', at, by };
  return { kind: 'clock-leapt', at, by, verdict: VERDICTS[type] };
}
const VERDICTS = { noticed: 'unknown', refused: 'ours', over: 'over' } as const;
