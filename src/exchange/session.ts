// A running exchange: the machine, its log, a clock and its flow, behind one door through which every operation goes.
// The operation is on disk before its answer leaves. Must never touch the machine except through `submit`.
import type { Micros } from '../domain/units.ts';
import type { Exchange, ExchangeReader } from './exchange.ts';
import type { Op } from './input.ts';
import type { StepResult } from './output.ts';
import type { Store } from './store.ts';

/** A clock: microseconds since the Unix epoch. */
export type Clock = () => Micros;

/** Hears of every step, in order, after it is on disk. Must not submit: those after it would hear out of order. */
export type StepListener = (result: StepResult) => void;

/** What a session is made of. */
export interface SessionOptions {
  readonly exchange: Exchange;
  readonly store: Store;
  readonly clock: Clock;
}

/** The one door to a running exchange. */
export class ExchangeSession {
  readonly #exchange: Exchange;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #listeners = new Set<StepListener>();

  constructor(options: SessionOptions) {
    this.#exchange = options.exchange;
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** The exchange, to be read. */
  get exchange(): ExchangeReader {
    return this.#exchange;
  }

  /** The time, as the exchange's inputs are stamped. */
  now(): Micros {
    return this.#clock();
  }

  /** Writes the operation down, takes it, tells the listeners, answers. */
  submit(op: Op): StepResult {
    const clock = this.#clock();
    const input = { at: clock > this.#exchange.now ? clock : this.#exchange.now, op };
    this.#store.append(input);
    const result = this.#exchange.step(input);
    for (const listener of this.#listeners) listener(result);
    return result;
  }

  /** Hears every step from now on; call what is returned to hear no more. */
  listen(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes the log. Nothing may be submitted after. */
  close(): void {
    this.#listeners.clear();
    this.#store.close();
  }
}
