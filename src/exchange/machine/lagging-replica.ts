// A lagging replica of the exchange: a second machine that applies the same inputs late. Must never go back in time: a
// read of an earlier time gets the replica as it is.
import { type Micros, micros } from '../../domain/units.ts';
import type { Exchange, ExchangeReader } from './exchange-interface.ts';
import type { Input } from './exchange-input.ts';

const COMPACT_ABOVE = 1024;

/** A copy of the exchange that lags behind it by at most `lagMax`. */
export class LaggingReplica {
  readonly #copy: Exchange;
  readonly #lagMax: Micros;
  #inputs: Input[] = [];
  #first = 0;

  /** @param copy must be in the exchange's current state. */
  constructor(copy: Exchange, lagMax: Micros) {
    this.#copy = copy;
    this.#lagMax = lagMax;
  }

  queueInput(input: Input): void {
    this.#inputs.push(input);
    this.#advance(micros(Math.max(0, input.at - this.#lagMax)));
  }

  /** The exchange as of a time. It is newer when an earlier read has advanced the replica further. */
  asOf(at: Micros): ExchangeReader {
    this.#advance(at);
    return this.#copy;
  }

  #advance(to: Micros): void {
    for (let next = this.#inputs[this.#first]; next !== undefined && next.at <= to; next = this.#inputs[this.#first]) {
      this.#copy.step(next);
      this.#first++;
    }
    if (this.#first <= COMPACT_ABOVE || this.#first * 2 < this.#inputs.length) return;
    this.#inputs = this.#inputs.slice(this.#first);
    this.#first = 0;
  }
}
