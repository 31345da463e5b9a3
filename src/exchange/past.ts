// The exchange as it was a moment ago: a second machine that takes the same inputs late, as a lagging copy would.
// Pure. Must never be asked for anything older than it was told to keep, and never goes back.
import { type Micros, micros } from '../domain/units.ts';
import type { Exchange, ExchangeReader } from './exchange.ts';
import type { Input } from './input.ts';

const COMPACT_ABOVE = 1024;

/** A copy that lags. */
export class Past {
  readonly #copy: Exchange;
  readonly #lagMax: Micros;
  #inputs: Input[] = [];
  /** Inputs before this one are taken. */
  #first = 0;

  /** `copy` stands where the exchange stands; it lags `lagMax` at the most from now on. */
  constructor(copy: Exchange, lagMax: Micros) {
    this.#copy = copy;
    this.#lagMax = lagMax;
  }

  /** Hears of an input that the exchange took. */
  take(input: Input): void {
    this.#inputs.push(input);
    this.#advance(micros(Math.max(0, input.at - this.#lagMax)));
  }

  /** The exchange as it was at a time, or as it was when it was last asked, if that is later. */
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
