// What every caller may still ask for: budgets of reads, trades and feed commands, one set a key. Trades have one for every
// shard. Callers without a key have a set for each address. Must never grow without bound.
import { type Micros, micros } from '../../domain/units.ts';
import { type LimitsInForce, RateBudget, type RateLimit } from './call.ts';

/** What is asked for. */
export interface Cost {
  readonly kind: 'read' | 'trade' | 'feed';
  readonly cost: number;
  /** Of trades: on each of these; on the unscoped budget, which is the first shard's, where nothing is said. */
  readonly shards?: readonly number[];
}

/** Whose budgets are drawn on: a key's, or an address's. */
export const callerOfKey = (id: string): string => `key ${id}`;
export const callerOfAddress = (address: string): string => `${ADDRESS}${address}`;
const ADDRESS = 'address ';

const UNSCOPED: readonly number[] = [0];

interface Budgets {
  readonly read: RateBudget;
  readonly feed: RateBudget;
  /** By shard. */
  readonly trade: Map<number, RateBudget>;
}

/** A feed that was closed for its speed stays closed so long, in microseconds. */
const FEED_PAUSE_US = 1_000_000;
/** Callers remembered; the one first seen goes first. */
const CALLERS_MAX = 10_000;

/** Budgets by caller. */
export class Allowances {
  readonly #limits: LimitsInForce;
  readonly #budgets = new Map<string, Budgets>();

  constructor(limits: LimitsInForce) {
    this.#limits = limits;
  }

  /** Takes a cost from everything it is drawn on: `null` when it was there, else when it will be. */
  take(caller: string, { kind, cost, shards = UNSCOPED }: Cost, now: Micros): Micros | null {
    const own = this.#budgetsOf(caller);
    const budgets = kind === 'trade' ? shards.map((shard) => this.#tradeOf(own.trade, shard)) : [own[kind]];
    const short = budgets.filter((budget) => !budget.canTake(cost, now));
    if (short.length > 0) return micros(Math.max(...short.map((budget) => budget.availableAt(cost, now))));
    for (const budget of budgets) budget.take(cost, now);
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

  #tradeOf(budgets: Map<number, RateBudget>, shard: number): RateBudget {
    let budget = budgets.get(shard);
    if (budget === undefined) budgets.set(shard, (budget = budgetOf(this.#limits.trade)));
    return budget;
  }

  #budgetsOf(caller: string): Budgets {
    let budgets = this.#budgets.get(caller);
    if (budgets !== undefined) return budgets;
    const { read, feed, anonymous } = this.#limits;
    const reads = caller.startsWith(ADDRESS) ? anonymous : read;
    budgets = { read: budgetOf(reads), trade: new Map(), feed: budgetOf(feed) };
    this.#budgets.set(caller, budgets);
    const [oldest] = this.#budgets.keys();
    if (this.#budgets.size > CALLERS_MAX && oldest !== undefined) this.#budgets.delete(oldest);
    return budgets;
  }
}

const budgetOf = (limit: RateLimit): RateBudget => new RateBudget({ limit, guardMs: 0 });

/** How long to wait, in whole seconds, rounded up. */
export const secondsUntil = (at: Micros, now: Micros): number => Math.max(1, Math.ceil((at - now) / 1_000_000));
