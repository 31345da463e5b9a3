// The engine and the simulated venue in one loop, without a tape and without a delay: what is said to one is heard by the
// other at once, and time passes when it is told to. Pure. Must never let a market's row reach the engine before the venue.
import { must } from '../domain/assert.ts';
import type { EngineEvent } from '../domain/event.ts';
import { type TickerTable, strategyName } from '../domain/ids.ts';
import type { CarriedOver } from '../domain/operator.ts';
import { type Micros, dollars, micros } from '../domain/units.ts';
import { Engine, type EngineOptions } from '../engine.ts';
import { simulationSchema } from '../config/simulation-config.ts';
import type { OtherEvent } from '../tape/baked/rows.ts';
import type { Capabilities } from '../venue.ts';
import { openSimulator } from '../venues/simulated/open-simulator.ts';
import type { VenueEvent } from '../venues/simulated/ports.ts';
import { TELLING } from '../venues/simulated/streamed.ts';
import type { Simulator } from '../venues/simulated/venue.ts';

export interface VenueLoopOptions {
  readonly tickers: TickerTable;
  readonly capabilities: Capabilities;
  /** Dollars. */
  readonly cash: number;
  readonly now: Micros;
}

/** An engine that does not come to rest would hang whoever waits for it. */
const SPINS_MAX = 10_000;
const STEP_MS = 50;
const OPEN_STEPS_MAX = 400;

/** The loop. */
export class VenueLoop {
  readonly venue: Simulator;
  now: Micros;
  #engine: Engine | null = null;
  #sessions = 0;
  /** What the venue said and the engine has not heard. */
  readonly #words: VenueEvent[] = [];

  constructor({ tickers, capabilities, cash, now }: VenueLoopOptions) {
    this.now = now;
    this.venue = openSimulator({
      config: simulationSchema.parse({}),
      tickers,
      capabilities,
      openingCash: dollars(cash),
      sink: {
        feed: (event) => void this.#words.push(event),
        answer: (events) => void this.#words.push(...events),
      },
    });
    this.venue.now = now;
  }

  get engine(): Engine {
    return must(this.#engine, 'an engine');
  }

  /** Something public happens: the venue has it first. */
  publish(event: OtherEvent): void {
    this.venue.now = this.now;
    this.venue.fact(event);
    // Everything else is asked for, as it is of a live venue.
    if (TELLING[event.kind] === 'streamed') this.#words.push(event);
    this.#settle();
  }

  /** The venue's books change, or somebody trades; the engine hears of it where it follows the market. */
  row(event: Extract<EngineEvent, { kind: 'book-delta' | 'book-snapshot' | 'print' }>): void {
    this.venue.now = this.now;
    this.#words.push(event);
    const { floor } = this.venue;
    if (event.kind === 'book-delta') floor.delta(event);
    else if (event.kind === 'print') floor.print(event);
    else floor.snapshot(event.market, event.bids, event.asks);
    this.#settle();
  }

  /** Begins a session, and lets time pass until it trades. */
  open(options: EngineOptions, carried: CarriedOver): void {
    this.#engine = new Engine(options);
    this.#sessions += 1;
    this.#step({ kind: 'start', at: this.now, session: `stage${this.#sessions}`, carried });
    this.venue.now = this.now;
    this.venue.connect();
    this.#settle();
    this.#runUntil('trading');
  }

  /** Ends the session: what rests is withdrawn. */
  close(): void {
    this.#step({ kind: 'stop', at: this.now, reason: 'the stage is cleared' });
    this.#settle();
    this.#runUntil('stopped');
  }

  #runUntil(phase: 'trading' | 'stopped'): void {
    for (let step = 0; step < OPEN_STEPS_MAX && this.engine.session.phase !== phase; step++) this.pass(STEP_MS);
    const { phase: reached } = this.engine.session;
    must(reached === phase ? reached : null, `a session that is ${phase}, and not ${reached}`);
  }

  /** Lets so many milliseconds pass, with all that is due in them. */
  pass(milliseconds: number): void {
    const end = micros(this.now + Math.round(milliseconds * 1000));
    for (let spins = 0; spins < SPINS_MAX; spins++) {
      const dueAt = Math.max(this.now, Math.min(this.#wakeAt(), this.venue.wakeAt() ?? Infinity));
      if (dueAt > end) break;
      // A live loop's timers are whole milliseconds: whoever asks to be woken at once is, so much later.
      this.now = micros(Math.max(dueAt, this.now + 1));
      this.#tick();
    }
    this.now = micros(Math.max(end, this.now));
    this.venue.now = this.now;
    this.venue.pass();
    this.#settle();
  }

  #wakeAt(): number {
    return this.engine.wakeAt() ?? Infinity;
  }

  #tick(): void {
    this.venue.now = this.now;
    this.venue.pass();
    if (this.#wakeAt() <= this.now) this.#step({ kind: 'timer', at: this.now });
    this.#settle();
  }

  #step(event: EngineEvent): void {
    for (const command of this.engine.step(event)) {
      this.venue.now = this.now;
      this.venue.take(command, this.now);
    }
  }

  /** All that was said is heard, and what comes of that. */
  #settle(): void {
    for (let word = this.#words.shift(); word !== undefined; word = this.#words.shift())
      if (this.#engine !== null) this.#step(heard(word, this.now));
  }
}

/** Every book is of one sequence that nothing is ever lost of. */
const STREAM = 1;

function heard(word: VenueEvent, at: Micros): EngineEvent {
  const isBook = word.kind === 'book-snapshot' || word.kind === 'book-delta';
  return isBook ? { ...word, at, stream: STREAM } : { ...word, at };
}

/** The strategy's name on every stage. */
export const ON_STAGE = strategyName('on-stage');
