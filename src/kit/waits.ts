// What a strategy leaves alone for a while: a group it has just traded in, a market where it was denied.
// Must never keep what is over: a strategy runs for months.
import { z } from 'zod';
import type { IntentOutcome } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, fromMillis } from '../domain/units.ts';

/** What a strategy keeps of its waits over a restart: until when, by key. */
export const waitsState = z.record(z.string(), z.number().int());
export type WaitsState = z.output<typeof waitsState>;

/** So many may be kept before those that are over are looked for. */
const SWEEP_MIN = 64;

/** Waits by any key: a ticker, an event group. */
export class Waits {
  readonly #until = new Map<string, number>();
  #sweepAt = SWEEP_MIN;

  /** Begins a wait; it takes the place of an earlier one, however long that was. */
  begin(key: string, now: Micros, forMs: number): void {
    this.#until.set(key, now + fromMillis(forMs));
    if (this.#until.size < this.#sweepAt) return;
    for (const [each, until] of this.#until) if (until <= now) this.#until.delete(each);
    this.#sweepAt = Math.max(SWEEP_MIN, 2 * this.#until.size);
  }

  isWaiting(key: string, now: Micros): boolean {
    return now < (this.#until.get(key) ?? 0);
  }

  /** All of them, for `save`. */
  get state(): WaitsState {
    return Object.fromEntries(this.#until);
  }

  /** Takes up what was kept, for `restore`. */
  restore(state: WaitsState): void {
    for (const [key, until] of Object.entries(state)) this.#until.set(key, until);
  }
}

/**
 * The market of an order that was denied for what will not be otherwise a moment later: to ask again changes nothing.
 * `null` for all else, and before trading has begun.
 */
export function deniedMarket(outcome: IntentOutcome): MarketIndex | null {
  const isDenied = outcome.kind === 'denied' && outcome.denial.code !== 'not-ready';
  return isDenied && outcome.intent.type === 'place' ? outcome.intent.market : null;
}
