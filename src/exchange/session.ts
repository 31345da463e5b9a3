// A running exchange: the machine, its log, a clock and its flow, behind one door through which every operation goes.
// The operation is on disk before its answer leaves. Must never touch the machine except through `submit`.
import { type Micros, micros } from '../domain/units.ts';
import type { Exchange, ExchangeReader } from './exchange.ts';
import type { Op } from './input.ts';
import type { StepResult } from './output.ts';
import type { Past } from './past.ts';
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
  /** A copy that lags, for reads that are to be stale. */
  readonly past?: Past | null;
}

/** The one door to a running exchange. */
export class ExchangeSession {
  readonly #exchange: Exchange;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #past: Past | null;
  readonly #listeners = new Set<StepListener>();
  readonly #failed = new Set<(failure: Error) => void>();
  #failure: Error | null = null;

  constructor(options: SessionOptions) {
    this.#exchange = options.exchange;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#past = options.past ?? null;
  }

  /** The exchange, to be read. */
  get exchange(): ExchangeReader {
    return this.#exchange;
  }

  /** The exchange as it was so long ago, to be read; as it is, where no past is kept. */
  asOf(lag: Micros): ExchangeReader {
    if (this.#past === null || lag <= 0) return this.#exchange;
    return this.#past.asOf(micros(Math.max(0, this.#clock() - lag)));
  }

  /** The time, as the exchange's inputs are stamped. */
  now(): Micros {
    return this.#clock();
  }

  /** Why the exchange stands still for good; `null` while it does not. */
  get failure(): Error | null {
    return this.#failure;
  }

  /**
   * Writes the operation down, takes it, tells the listeners, answers.
   * @throws {Error} what broke: a log that cannot be written, an invariant. After that nothing is taken any more.
   */
  submit(op: Op): StepResult {
    if (this.#failure !== null) throw this.#failure;
    try {
      return this.#submit(op);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      for (const hear of this.#failed) hear(this.#failure);
      throw this.#failure;
    }
  }

  #submit(op: Op): StepResult {
    const clock = this.#clock();
    const input = { at: clock > this.#exchange.now ? clock : this.#exchange.now, op };
    this.#store.append(input);
    const result = this.#exchange.step(input);
    if (this.#store.isLong) this.#store.compact(this.#exchange.image());
    this.#past?.take(input);
    for (const listener of this.#listeners) listener(result);
    return result;
  }

  /** Hears every step from now on; call what is returned to hear no more. */
  listen(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Hears, once, why the exchange stands still for good. */
  onFailure(listener: (failure: Error) => void): void {
    this.#failed.add(listener);
  }

  /** Closes the log. Nothing may be submitted after. */
  close(): void {
    this.#listeners.clear();
    this.#failed.clear();
    this.#store.close();
  }
}
