// What every caller may still ask for: budgets of reads, trades and feed commands, one set a key.
// Callers without a key have a set for each address. Must never grow without bound.
import type { Micros } from '../../domain/units.ts';
import { type LimitsInForce, RateBudget } from './call.ts';

/** What is asked for. */
export type Kind = keyof LimitsInForce;

/** A feed that was closed for its speed stays closed so long, in microseconds. */
const FEED_PAUSE_US = 1_000_000;
/** Callers remembered; the one first seen goes first. */
const CALLERS_MAX = 10_000;

/** Budgets by caller. */
export class Allowances {
  readonly #limits: LimitsInForce;
  readonly #budgets = new Map<string, Readonly<Record<Kind, RateBudget>>>();

  constructor(limits: LimitsInForce) {
    this.#limits = limits;
  }

  /** Takes a cost: `null` when it was there, else when it will be. */
  take(caller: string, { kind, cost }: { readonly kind: Kind; readonly cost: number }, now: Micros): Micros | null {
    const budget = this.#budgetsOf(caller)[kind];
    if (!budget.canTake(cost, now)) return budget.availableAt(cost, now);
    budget.take(cost, now);
    return null;
  }

  /** A caller's feed is closed; no new one is opened before the time returned. */
  pauseFeed(caller: string, now: Micros): Micros {
    const { feed } = this.#budgetsOf(caller);
    const until = Math.max(now + FEED_PAUSE_US, feed.availableAt(1, now)) as Micros;
    feed.pauseUntil(until);
    return until;
  }

  /** When a caller may open a feed; `null` for now. */
  feedOpensAt(caller: string, now: Micros): Micros | null {
    const { feed } = this.#budgetsOf(caller);
    return feed.canTake(1, now) ? null : feed.availableAt(1, now);
  }

  #budgetsOf(caller: string): Readonly<Record<Kind, RateBudget>> {
    let budgets = this.#budgets.get(caller);
    if (budgets !== undefined) return budgets;
    const { read, trade, feed } = this.#limits;
    const budget = (limit: LimitsInForce[Kind]): RateBudget => new RateBudget({ limit, guardMs: 0 });
    budgets = { read: budget(read), trade: budget(trade), feed: budget(feed) };
    this.#budgets.set(caller, budgets);
    const [oldest] = this.#budgets.keys();
    if (this.#budgets.size > CALLERS_MAX && oldest !== undefined) this.#budgets.delete(oldest);
    return budgets;
  }
}

/** How long to wait, in whole seconds, rounded up. */
export const secondsUntil = (at: Micros, now: Micros): number => Math.max(1, Math.ceil((at - now) / 1_000_000));
