// Rate limit budgets of each caller: reads, trades per shard, and feed commands. A caller is a key or an account, as the
// profile says, or, without a key, an address. Must never grow without bound.
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import type { WireLimits } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { AuthenticatedCaller } from './authentication.ts';
import { type EffectiveRateLimits, RateBudget, type RateLimit } from './endpoint-call.ts';

/** The cost of a request, and the budgets that pay. */
export interface RequestCost {
  readonly kind: 'read' | 'trade' | 'feed';
  readonly cost: number;
  /** Shards whose trade budgets are charged. Default: shard 0. */
  readonly shards?: readonly number[];
}

/** The name of a caller with a key: the owner of its budgets. */
export const callerOfKey = ({ owner }: Pick<WireLimits, 'owner'>, { id, account }: AuthenticatedCaller): string =>
  owner === 'key' ? `key ${id}` : `account ${account}`;
/** The name of a caller without a key. */
export const callerOfAddress = (address: string): string => `${ADDRESS}${address}`;
const ADDRESS = 'address ';

const UNSCOPED: readonly number[] = [0];

interface Budgets {
  readonly read: RateBudget;
  readonly feed: RateBudget;
  readonly trade: Map<number, RateBudget>;
}

/** Pause of a caller's feed after it was closed for too many commands, in microseconds. */
const FEED_PAUSE_US = 1_000_000;
/** Callers remembered. The earliest are dropped first. */
const CALLERS_MAX = 10_000;

/** The time of the budgets. It stands still where the machine's clock steps back, and moves on from there. */
class BudgetTime {
  #latest = EPOCH;
  /** The time of the budgets less the machine's. */
  #aheadUs = 0;

  of(now: Micros): Micros {
    this.#aheadUs = Math.max(this.#aheadUs, this.#latest - now);
    this.#latest = micros(now + this.#aheadUs);
    return this.#latest;
  }

  /** Returns a time of the budgets as a time of the machine. */
  toClock(at: Micros): Micros {
    return micros(at - this.#aheadUs);
  }
}

/** Budgets by caller. Added at the first request; removed when `CALLERS_MAX` is exceeded, oldest first. */
export class CallerBudgets {
  readonly #limits: EffectiveRateLimits;
  readonly #budgets = new Map<string, Budgets>();
  readonly #time = new BudgetTime();

  constructor(limits: EffectiveRateLimits) {
    this.#limits = limits;
  }

  /**
   * Charges a cost to every budget concerned. Returns `null` when all can pay. Otherwise charges none and returns the
   * time at which all can pay.
   */
  charge(caller: string, { kind, cost, shards = UNSCOPED }: RequestCost, at: Micros): Micros | null {
    const now = this.#time.of(at);
    const own = this.#budgetsOf(caller);
    const budgets = kind === 'trade' ? shards.map((shard) => this.#tradeOf(own.trade, shard)) : [own[kind]];
    const short = budgets.filter((budget) => !budget.canTake(cost, now));
    if (short.length > 0)
      return this.#time.toClock(micros(Math.max(...short.map((budget) => budget.availableAt(cost, now)))));
    for (const budget of budgets) budget.takeUnits(cost, now);
    return null;
  }

  /** Pauses a caller's feed. Returns the time at which the pause ends. */
  pauseFeed(caller: string, at: Micros): Micros {
    const now = this.#time.of(at);
    const { feed } = this.#budgetsOf(caller);
    const until = Math.max(now + FEED_PAUSE_US, feed.availableAt(1, now)) as Micros;
    feed.pauseUntil(until);
    return this.#time.toClock(until);
  }

  /** Time at which a caller may open a feed; `null` when it may now. */
  feedOpensAt(caller: string, at: Micros): Micros | null {
    const now = this.#time.of(at);
    const { feed } = this.#budgetsOf(caller);
    return feed.canTake(1, now) ? null : this.#time.toClock(feed.availableAt(1, now));
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

/** Wait in whole seconds, rounded up, at least 1. */
export const secondsUntil = (at: Micros, now: Micros): number => Math.max(1, Math.ceil((at - now) / 1_000_000));
