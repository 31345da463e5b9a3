// I6: while the account is halted no order leaves, whatever dies and comes back, and soon nothing rests at the exchange.
// Must never take the bot's word for either.
import type { ExchangeReader } from '../../src/exchange/exchange.ts';
import { ACCOUNT } from './scenario.ts';
import type { Verdict } from './verdict.ts';

/** How long orders may rest after a halt in a network that works. */
const WITHDRAWN_MS = 7000;

/** Watches the halts of one world. */
export class HaltCheck {
  readonly #now: () => number;
  readonly #verdict: Verdict;
  /** Since when the account is halted; `null` while it is not. */
  #since: number | null = null;

  constructor(now: () => number, verdict: Verdict) {
    this.#now = now;
    this.#verdict = verdict;
  }

  get isHalted(): boolean {
    return this.#since !== null;
  }

  set(isHalted: boolean): void {
    this.#since = isHalted ? this.#now() : null;
  }

  /** An order is leaving. */
  noteOrder(name: string): void {
    this.#verdict.require(
      this.#since === null,
      'I6',
      () => `${name} left ${this.#now() - (this.#since ?? 0)} ms after the halt`,
    );
  }

  /** Looks at what rests; trouble ends at a time. */
  look(exchange: ExchangeReader, calmMs: number): void {
    if (this.#since === null || this.#now() < Math.max(this.#since, calmMs) + WITHDRAWN_MS) return;
    const resting = exchange.restingOrders(ACCOUNT).length;
    this.#verdict.require(
      resting === 0,
      'I6',
      () => `${resting} orders rest ${this.#now() - (this.#since ?? 0)} ms after the halt`,
    );
  }
}
