// One live session from its start to its last comparison with the venue: wires feed, gateway, normalizer and engine
// together, and takes them apart again. Must never leave an order resting that it could have withdrawn.
import type { CancelCommand } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type CarriedOver, NOTHING_CARRIED } from '../domain/operator.ts';
import { Engine } from '../engine.ts';
import type { Notice, Observer } from '../execution/notice.ts';
import type { Phase } from '../execution/phase.ts';
import type { Logger } from '../log.ts';
import type { Journal } from '../tape/journal.ts';
import { type Scheduler, type Timer, systemScheduler } from '../transport/scheduler.ts';
import type { Venue } from '../venue.ts';
import { type Clock, SystemClock, TIMER_MS_MAX } from './clock.ts';
import { Executor } from './executor.ts';
import { Loop } from './loop.ts';
import { noticeLog } from './notice-log.ts';
import { type SetupOptions, engineOptions } from './setup.ts';
import { Tally } from './tally.ts';

export interface LiveOptions extends Omit<SetupOptions, 'observe'> {
  readonly venue: Venue;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Sees every notice, after it has been counted and logged. */
  readonly observe?: Observer;
  readonly scheduler?: Scheduler;
  /** Where the session is written down. */
  readonly journal?: Journal;
  /** What the sessions before this one left for it to know. */
  readonly carried?: CarriedOver;
  /** Asked before an order leaves: a reason not to send it, or `null`. */
  readonly gate?: () => string | null;
}

/** How a session ended. */
export type LiveEnd =
  | {
      readonly type: 'stopped';
      /** Cash and every position equal the venue's; true also when there was nothing to compare. */
      readonly isReconciled: boolean;
      /** Whether the account was ever opened: a session without a key only watches. */
      readonly hadAccount: boolean;
    }
  /** Stopping took too long: so many orders may still rest. */
  | { readonly type: 'timed-out'; readonly ordersLeft: number }
  /** The venue refused what a session needs to begin with: the key, a market, an event group. */
  | { readonly type: 'refused'; readonly reason: string }
  /** An invariant broke. */
  | { readonly type: 'fault'; readonly fault: unknown };

/** A running session. */
export class LiveSession {
  readonly engine: Engine;
  readonly tally: Tally;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #options: LiveOptions;
  readonly #loop: Loop;
  readonly #executor: Executor;
  #fault: { readonly fault: unknown } | null = null;
  #refusal: string | null = null;
  #onEnd: (() => void) | null = null;
  #onDoomed: (() => void) | null = null;
  /** Resolves when the session can only be stopped: an invariant broke, or the venue refused to let it begin. */
  readonly doomed: Promise<void> = new Promise((resolve) => {
    this.#onDoomed = resolve;
  });

  constructor(options: LiveOptions) {
    this.#options = options;
    this.clock = options.clock ?? new SystemClock();
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.tally = new Tally(options.strategies.map(({ name }) => name));
    const log = noticeLog(options.log, options.venue.tickers);
    this.engine = new Engine(engineOptions({ ...options, observe: (notice) => this.#observe(notice, log) }));
    const { venue, journal, gate, config } = options;
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
      ...(gate && { gate }),
    });
    this.#loop.connect(this.#executor);
  }

  #observe(notice: Notice, log: Observer): void {
    this.tally.count(notice);
    log(notice);
    this.#options.observe?.(notice);
    if (notice.type === 'phase' && notice.phase === 'stopped') this.#onEnd?.();
    if (notice.type === 'read-failed' && notice.isRefused && BEGINNING.has(this.engine.session.phase))
      this.#refuse(notice);
  }

  /** A session that cannot begin would otherwise ask the same thing for ever. */
  #refuse({ what, reason }: Extract<Notice, { type: 'read-failed' }>): void {
    this.#refusal ??= `the venue refused ${what}: ${reason}`;
    this.#onDoomed?.();
  }

  /** Opens connections and begins the session. */
  async start(): Promise<void> {
    const { venue } = this.#options;
    await venue.gateway.warm();
    const at = this.clock.now();
    this.#tell({ kind: 'start', at, session: at.toString(36), carried: this.#options.carried ?? NOTHING_CARRIED });
    venue.feed.start(this.#loop.accept);
  }

  #tell(event: EngineEvent): void {
    this.#loop.accept({ type: 'event', event });
  }

  /** Withdraws everything, compares the last figures, and closes every connection. */
  async stop(reason: string, withinMs: number): Promise<LiveEnd> {
    if (!this.#fault && this.engine.session.phase !== 'stopped') await this.#stopEngine(reason, withinMs);
    this.#loop.stop();
    if (this.#fault) await this.#within(this.doomed, withinMs);
    await this.#executor.stop();
    await Promise.all([this.#options.venue.feed.stop(), this.#options.venue.gateway.stop()]);
    return this.#end();
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
    if (this.#fault) return { type: 'fault', fault: this.#fault.fault };
    const { session, state } = this.engine;
    const ordersLeft = session.phase === 'stopped' ? 0 : state.orders.openCount;
    // Orders left from before that could not be withdrawn matter more than why nothing was begun.
    if (this.#refusal !== null && ordersLeft === 0) return { type: 'refused', reason: this.#refusal };
    if (session.phase !== 'stopped') return { type: 'timed-out', ordersLeft };
    const { drift } = session;
    const hadAccount = state.portfolio.isOpen;
    const isReconciled = drift === null ? !hadAccount : drift.positions === 0 && drift.isCashEqual;
    return { type: 'stopped', isReconciled, hadAccount };
  }

  /** An invariant broke: the engine is not asked again; what it knew to rest is withdrawn, as well as can be. */
  #panic(fault: unknown): void {
    if (this.#fault) return;
    this.#fault = { fault };
    this.#options.log.fatal({ err: fault }, 'an invariant broke: withdrawing every known order and stopping');
    this.#loop.stop();
    this.#onEnd?.();
    void this.#withdrawKnown().finally(() => this.#onDoomed?.());
  }

  async #withdrawKnown(): Promise<void> {
    const { gateway, tickers } = this.#options.venue;
    const { signal } = new AbortController();
    const createdAt = this.clock.now();
    for (const { clientOrderId, venueOrderId, market } of this.engine.state.orders.allOpen()) {
      if (venueOrderId === null) continue;
      const ticker = tickers.tickerOf(market);
      const lane = 'cancel';
      const cancel: CancelCommand = {
        type: 'cancel',
        lane,
        id: 0,
        clientOrderId,
        venueOrderId,
        ticker,
        createdAt,
        validUntil: null,
      };
      const { outcome } = await gateway.send(cancel, signal);
      this.#options.log.warn({ clientOrderId, venueOrderId, outcome: outcome.type }, 'withdrawn after the fault');
    }
  }
}

/** Phases in which everything asked for is needed. */
const BEGINNING: ReadonlySet<Phase> = new Set(['discovering', 'clearing', 'loading']);
