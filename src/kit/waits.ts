// Waiting times of a strategy, such as after a trade in a group or a denial in a market. Must never gather finished
// waits without bound: a strategy runs for months.
import { z } from 'zod';
import type { IntentOutcome } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Micros, fromMillis } from '../domain/units.ts';

/**
 * Schema of the saved state of `Waits`: the end of each wait, by key, in microseconds since the epoch.
 * @example
 * import { Waits, defineStrategy, waitsState, z } from 'presage-trading';
 *
 * export default defineStrategy({
 *   name: 'patient',
 *   params: z.strictObject({}),
 *   saved: z.strictObject({ waits: waitsState }),
 *   setup() {
 *     const waits = new Waits();
 *     return {
 *       onFill: ({ order }, view) => waits.begin(view.market(order.market).ticker, view.now, 60_000),
 *       save: () => ({ waits: waits.state }),
 *       restore: (saved) => waits.restore(saved.waits),
 *     };
 *   },
 * });
 */
export const waitsState = z.record(z.string(), z.number().int());
/** Saved state of `Waits`, as `waitsState` parses it. */
export type WaitsState = z.output<typeof waitsState>;

/** Finished waits are removed once there are at least this many waits. */
const CLEANUP_MIN = 64;

/**
 * Waiting times by any key: a ticker, an event group.
 * @example
 * import { Waits, fromSeconds, later, micros } from 'presage-trading';
 *
 * const now = micros(0);
 * const waits = new Waits();
 * waits.begin('RAIN-NYC', now, 10_000);
 * waits.isWaiting('RAIN-NYC', later(now, fromSeconds(9))); // true
 * waits.isWaiting('RAIN-NYC', later(now, fromSeconds(10))); // false
 */
export class Waits {
  readonly #endByKey = new Map<string, number>();
  #cleanupAt = CLEANUP_MIN;

  /** Starts a wait of `forMs` milliseconds. It replaces any earlier wait of the key. */
  begin(key: string, now: Micros, forMs: number): void {
    this.#endByKey.set(key, now + fromMillis(forMs));
    if (this.#endByKey.size < this.#cleanupAt) return;
    for (const [waitKey, endsAt] of this.#endByKey) if (endsAt <= now) this.#endByKey.delete(waitKey);
    this.#cleanupAt = Math.max(CLEANUP_MIN, 2 * this.#endByKey.size);
  }

  /** True while the wait of a key lasts; false at its end, and for a key without a wait. */
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
 * The market of a denied `place` intent, or `null`. Strategies wait before they try again: an immediate try is likely
 * to be denied, too. The denial `not-ready` also gives `null`.
 * @example
 * import { Waits, defineStrategy, deniedMarket, z } from 'presage-trading';
 *
 * const waits = new Waits();
 *
 * export default defineStrategy({
 *   name: 'polite',
 *   params: z.strictObject({}),
 *   setup: () => ({
 *     onIntentOutcome(outcome, view) {
 *       const market = deniedMarket(outcome);
 *       if (market !== null) waits.begin(view.market(market).ticker, view.now, 10_000);
 *     },
 *   }),
 * });
 */
export function deniedMarket(outcome: IntentOutcome): MarketIndex | null {
  const isDenied = outcome.kind === 'denied' && outcome.denial.code !== 'not-ready';
  return isDenied && outcome.intent.type === 'place' ? outcome.intent.market : null;
}
