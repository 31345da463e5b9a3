// Invariant I6: while the account is halted no order leaves, whatever dies and restarts, and soon nothing rests at the
// exchange. Must never rely on the bot's state for either.
import type { ExchangeReader } from '../../../src/exchange/machine/exchange-interface.ts';
import { ACCOUNT } from '../scenario.ts';
import type { Verdict } from './verdict.ts';

/** Time for which orders may rest after a halt in a healthy network. */
const CANCELED_WITHIN_MS = 7000;

/** Checks the halts of one simulation. */
export class HaltCheck {
  readonly #now: () => number;
  readonly #verdict: Verdict;
  /** Time since which the account is halted; `null` while it is not. */
  #since: number | null = null;

  constructor(now: () => number, verdict: Verdict) {
    this.#now = now;
    this.#verdict = verdict;
  }

  get isHalted(): boolean {
    return this.#since !== null;
  }

  setHalted(isHalted: boolean): void {
    this.#since = isHalted ? this.#now() : null;
  }

  /** Checks an order that is leaving. */
  checkOrder(name: string): void {
    this.#verdict.require(
      this.#since === null,
      'I6',
      () => `${name} left ${this.#now() - (this.#since ?? 0)} ms after the halt`,
    );
  }

  /** Checks the resting orders; trouble ends at `calmMs`. */
  checkResting(exchange: ExchangeReader, calmMs: number): void {
    if (this.#since === null || this.#now() < Math.max(this.#since, calmMs) + CANCELED_WITHIN_MS) return;
    const resting = exchange.restingOrders(ACCOUNT).length;
    this.#verdict.require(
      resting === 0,
      'I6',
      () => `${resting} orders rest ${this.#now() - (this.#since ?? 0)} ms after the halt`,
    );
  }
}
