// Waiting times of a strategy: a group in which it has just traded, a market where it was denied. Must never keep a
// wait that is over, because a strategy runs for months.
import { z } from 'zod';
import type { IntentOutcome } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, fromMillis } from '../domain/units.ts';

/** Schema of the saved state of `Waits`: the end of each wait, by key. */
export const waitsState = z.record(z.string(), z.number().int());
export type WaitsState = z.output<typeof waitsState>;

/** Number of waits from which on those that are over are removed. */
const CLEANUP_MIN = 64;

/** Waits by any key: a ticker, an event group. */
export class Waits {
  readonly #endByKey = new Map<string, number>();
  #cleanupAt = CLEANUP_MIN;

  /** Starts a wait. It replaces an earlier one of the key, however long that was. */
  begin(key: string, now: Micros, forMs: number): void {
    this.#endByKey.set(key, now + fromMillis(forMs));
    if (this.#endByKey.size < this.#cleanupAt) return;
    for (const [waitKey, endsAt] of this.#endByKey) if (endsAt <= now) this.#endByKey.delete(waitKey);
    this.#cleanupAt = Math.max(CLEANUP_MIN, 2 * this.#endByKey.size);
  }

  isWaiting(key: string, now: Micros): boolean {
    return now < (this.#endByKey.get(key) ?? 0);
  }

  /** All waits, for `save`. */
  get state(): WaitsState {
    return Object.fromEntries(this.#endByKey);
  }

  /** Adds saved waits, for `restore`. */
  restore(state: WaitsState): void {
    for (const [key, endsAt] of Object.entries(state)) this.#endByKey.set(key, endsAt);
  }
}

/**
 * The market of an order that was denied for a reason that will still apply a moment later, so that an immediate retry
 * is pointless. `null` for any other outcome, and before trading has begun.
 */
export function deniedMarket(outcome: IntentOutcome): MarketIndex | null {
  const isDenied = outcome.kind === 'denied' && outcome.denial.code !== 'not-ready';
  return isDenied && outcome.intent.type === 'place' ? outcome.intent.market : null;
}
