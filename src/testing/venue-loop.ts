// Runs the engine and the simulated venue in one loop, without a tape and without latency. Each receives the other's
// messages at once, and time passes only on request. Must never let a market's row reach the engine before the venue.
import { assert, must } from '../base/assert.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type TickerTable, strategyName } from '../domain/ids.ts';
import type { RestoredState } from '../domain/operator-order.ts';
import { type Micros, dollars, fromSeconds, micros } from '../domain/units.ts';
import { Engine, type EngineOptions } from '../engine.ts';
import { simulationSchema } from '../config/simulation-config.ts';
import type { OtherEvent } from '../tape/baked/tape-rows.ts';
import type { Capabilities } from '../venue.ts';
import { openSimulator } from '../venues/simulated/open-simulator.ts';
import type { VenueEvent } from '../venues/simulated/simulator-interfaces.ts';
import { EVENT_DELIVERY } from '../venues/simulated/feed/event-delivery.ts';
import type { Simulator } from '../venues/simulated/simulator.ts';

export interface VenueLoopOptions {
  readonly tickers: TickerTable;
  readonly capabilities: Capabilities;
  /** Dollars. */
  readonly cash: number;
  readonly now: Micros;
}

/** Most wakes in a second of the stage. Without this bound, an engine that always wants to be woken would hang the test. */
const WAKES_MAX = 10_000;
const WITHOUT_END = `expected at most ${WAKES_MAX} wakes in a second, found more: is a timer set for the present, again and again?`;
const SECOND = fromSeconds(1);
const STEP_MS = 50;
const OPEN_STEPS_MAX = 400;

/** The loop of one engine and one venue. */
export class VenueLoop {
  readonly venue: Simulator;
  now: Micros;
  #engine: Engine | null = null;
  #sessions = 0;
  /** Messages of the venue that the engine has not received. */
  readonly #messages: VenueEvent[] = [];

  constructor({ tickers, capabilities, cash, now }: VenueLoopOptions) {
    this.now = now;
    this.venue = openSimulator({
      config: simulationSchema.parse({}),
      tickers,
      capabilities,
      openingCash: dollars(cash),
      sink: {
        publish: (event) => void this.#messages.push(event),
        sendAnswer: (events) => void this.#messages.push(...events),
        onListChanged: () => this.#engine?.onListChanged(this.now),
      },
    });
    this.venue.now = now;
  }

  get engine(): Engine {
    return must(this.#engine, 'an engine');
  }

  /** Publishes a public event; the venue receives it first. */
  publishEvent(event: OtherEvent): void {
    this.venue.now = this.now;
    this.venue.applyTapeEvent(event);
    // Other events reach the engine only in answers to reads, as at a live venue.
    if (EVENT_DELIVERY[event.kind] === 'streamed') this.#messages.push(event);
    this.#deliver();
  }

  publishRow(event: Extract<EngineEvent, { kind: 'book-delta' | 'book-snapshot' | 'print' }>): void {
    this.venue.now = this.now;
    this.#messages.push(event);
    const { matching } = this.venue;
    if (event.kind === 'book-delta') matching.applyDelta(event);
    else if (event.kind === 'print') matching.applyPrint(event);
    else matching.applySnapshot(event.market, event.bids, event.asks);
    this.#deliver();
  }

  startSession(options: EngineOptions, earlier: RestoredState): void {
    this.#engine = new Engine({ ...options, isFeedLossless: true });
    this.#sessions += 1;
    this.#stepEngine({ kind: 'start', at: this.now, session: `stage${this.#sessions}`, carried: earlier });
    this.venue.now = this.now;
    this.venue.connectFeed();
    this.#deliver();
    this.#runUntil('trading');
  }

  /** Ends the session; resting orders are canceled. */
  endSession(): void {
    this.#stepEngine({ kind: 'stop', at: this.now, reason: 'the stage is cleared' });
    this.#deliver();
    this.#runUntil('stopped');
  }

  #runUntil(phase: 'trading' | 'stopped'): void {
    for (let step = 0; step < OPEN_STEPS_MAX && this.engine.session.phase !== phase; step++) this.advance(STEP_MS);
    const { phase: reached } = this.engine.session;
    must(reached === phase ? reached : null, `a session that is ${phase} (it is ${reached})`);
  }

  /** Lets time pass, and runs everything that becomes due. */
  advance(milliseconds: number): void {
    const end = micros(this.now + Math.round(milliseconds * 1000));
    let second = this.now;
    for (let wakes = 0; ; wakes++) {
      const dueAt = Math.max(this.now, Math.min(this.#wakeAt(), this.venue.wakeAt() ?? Infinity));
      if (dueAt > end) break;
      if (dueAt - second >= SECOND) [second, wakes] = [micros(dueAt), 0];
      assert(wakes < WAKES_MAX, WITHOUT_END);
      // A live loop's timers are whole milliseconds, so a wake never comes at once.
      this.now = micros(Math.max(dueAt, this.now + 1));
      this.#wake();
    }
    this.now = micros(Math.max(end, this.now));
    this.venue.now = this.now;
    this.venue.runDue();
    this.#deliver();
  }

  #wakeAt(): number {
    return this.engine.wakeAt() ?? Infinity;
  }

  #wake(): void {
    this.venue.now = this.now;
    this.venue.runDue();
    if (this.#wakeAt() <= this.now) this.#stepEngine({ kind: 'timer', at: this.now });
    this.#deliver();
  }

  #stepEngine(event: EngineEvent): void {
    for (const command of this.engine.step(event)) {
      this.venue.now = this.now;
      this.venue.handleCommand(command, this.now);
    }
  }

  #deliver(): void {
    for (let message = this.#messages.shift(); message !== undefined; message = this.#messages.shift())
      if (this.#engine !== null) this.#stepEngine(received(message, this.now));
  }
}

/** Number of the feed connection to which every book belongs. It never has a gap. */
const STREAM = 1;

function received(message: VenueEvent, at: Micros): EngineEvent {
  const isBook = message.kind === 'book-snapshot' || message.kind === 'book-delta';
  return isBook ? { ...message, at, stream: STREAM } : { ...message, at };
}

/** The strategy's name on every stage. */
export const STAGE_STRATEGY = strategyName('on-stage');
