// A running exchange: the machine, its input log, a clock and its lagging replica. An operation is in the log before
// its answer leaves. Must never change the machine except through `submit`.
import { type Micros, micros } from '../../domain/units.ts';
import type { Exchange, ExchangeReader } from '../machine/exchange-interface.ts';
import type { Op } from '../machine/exchange-input.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import type { LaggingReplica } from '../machine/lagging-replica.ts';
import type { InputStore } from '../store/input-store.ts';

/** A clock: microseconds since the Unix epoch. */
export type Clock = () => Micros;

/**
 * Called after every step, once the step's input is in the log. Must not submit: later listeners would get the steps
 * out of sequence.
 */
export type StepListener = (result: StepResult) => void;

/** Parts of an exchange session. */
export interface ExchangeSessionOptions {
  readonly exchange: Exchange;
  readonly store: InputStore;
  readonly clock: Clock;
  /** The replica that answers stale reads, if any. */
  readonly replica?: LaggingReplica | null;
}

/** The only way to change a running exchange. */
export class ExchangeSession {
  readonly #exchange: Exchange;
  readonly #store: InputStore;
  readonly #clock: Clock;
  readonly #replica: LaggingReplica | null;
  readonly #listeners = new Set<StepListener>();
  readonly #failureListeners = new Set<(failure: Error) => void>();
  #failure: Error | null = null;

  constructor(options: ExchangeSessionOptions) {
    this.#exchange = options.exchange;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#replica = options.replica ?? null;
  }

  get exchange(): ExchangeReader {
    return this.#exchange;
  }

  /**
   * The exchange as of `lag` ago, for reading. It is newer when an earlier read has advanced the replica further. It is
   * current when there is no replica.
   */
  asOf(lag: Micros): ExchangeReader {
    if (this.#replica === null || lag <= 0) return this.#exchange;
    return this.#replica.asOf(micros(Math.max(0, this.#clock() - lag)));
  }

  /** The current time, which also stamps the inputs. */
  now(): Micros {
    return this.#clock();
  }

  get failure(): Error | null {
    return this.#failure;
  }

  /**
   * Logs the operation, applies it, calls the listeners and returns the result.
   * @throws {Error} the failure, for example a log that cannot be written. Every later call throws the same failure.
   */
  submit(op: Op): StepResult {
    if (this.#failure !== null) throw this.#failure;
    try {
      return this.#submit(op);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      for (const listener of this.#failureListeners) listener(this.#failure);
      throw this.#failure;
    }
  }

  #submit(op: Op): StepResult {
    const clockTime = this.#clock();
    const input = { at: clockTime > this.#exchange.now ? clockTime : this.#exchange.now, op };
    this.#store.appendInput(input);
    const result = this.#exchange.step(input);
    if (this.#store.isLong) this.#store.replaceWithImage(this.#exchange.image());
    this.#replica?.queueInput(input);
    for (const listener of this.#listeners) listener(result);
    return result;
  }

  /** Calls the listener after every step from now on. The returned function unsubscribes it. */
  onStep(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onFailure(listener: (failure: Error) => void): void {
    this.#failureListeners.add(listener);
  }

  /** Closes the log. Nothing may be submitted afterwards. */
  close(): void {
    this.#listeners.clear();
    this.#failureListeners.clear();
    this.#store.close();
  }
}
