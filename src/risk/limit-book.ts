// The limits in force: the account's, each strategy's tighter ones, and what the operator has overridden for a while.
// Must never let an override last beyond its time, or a strategy's limit loosen the account's.
import type { StrategyName } from '../domain/ids.ts';
import type { Override } from '../domain/operator.ts';
import { type Micros, PAYOUT, fromSeconds } from '../domain/units.ts';
import {
  type LimitInfo,
  type LimitName,
  type RiskLimits,
  type StrategyLimits,
  isTighter,
  limitNamed,
  tightened,
} from './limits.ts';

/** No override lasts longer. Microseconds. */
const OVERRIDE_MAX = fromSeconds(86_400);

/** Limits and overrides. */
export class LimitBook {
  readonly #account: RiskLimits;
  readonly #own: ReadonlyMap<StrategyName, StrategyLimits>;
  #overrides: readonly Override[] = [];
  #expiresAt: Micros | null = null;
  #inForce: RiskLimits;
  readonly #byStrategy = new Map<StrategyName, { readonly own: StrategyLimits; readonly limits: RiskLimits }>();

  constructor(account: RiskLimits, own: ReadonlyMap<StrategyName, StrategyLimits>) {
    this.#account = account;
    this.#own = own;
    this.#inForce = account;
  }

  /** The account's limits. */
  get account(): RiskLimits {
    return this.#inForce;
  }

  /** The limits of a strategy: the tighter of its own and the account's. */
  of(strategy: StrategyName): RiskLimits {
    return this.#find(strategy).limits;
  }

  /** Those that a strategy has of its own, some perhaps for a while. */
  ownOf(strategy: StrategyName): StrategyLimits {
    return this.#find(strategy).own;
  }

  #find(strategy: StrategyName): { readonly own: StrategyLimits; readonly limits: RiskLimits } {
    const known = this.#byStrategy.get(strategy);
    if (known) return known;
    const own = { ...this.#own.get(strategy), ...this.#overridden(strategy) };
    const limits = Object.keys(own).length === 0 ? this.#inForce : tightened(this.#inForce, own);
    const found = { own, limits };
    this.#byStrategy.set(strategy, found);
    return found;
  }

  /** Whether a strategy has such a limit of its own. */
  hasOwn(strategy: StrategyName, name: LimitName): boolean {
    return this.ownOf(strategy)[name] !== undefined;
  }

  /** What is overridden now. */
  get overrides(): readonly Override[] {
    return this.#overrides;
  }

  /** Takes an override over; why not, when it is refused. A later one of the same limit replaces an earlier one. */
  take(override: Override, now: Micros): string | null {
    const info = limitNamed(override.limit);
    if (!info) return `there is no limit ${JSON.stringify(override.limit)}`;
    const refusal = this.#refusal(info, override, now);
    if (refusal !== null) return refusal;
    const others = this.#overrides.filter((one) => one.limit !== info.name || one.strategy !== override.strategy);
    this.#set([...others, { ...override, limit: info.name }]);
    return null;
  }

  #refusal(info: LimitInfo, { strategy, value, until, reason }: Override, now: Micros): string | null {
    if (until <= now) return 'its time is over already';
    if (until - now > OVERRIDE_MAX) return 'it may last a day at the most';
    if (reason.trim() === '') return 'it needs a reason';
    if (!isValue(info, value)) return `${value} is no value of ${info.name} in ${info.unit}`;
    if (strategy === null) return null;
    if (!this.#own.has(strategy)) return `there is no strategy ${JSON.stringify(strategy)}`;
    if (!info.isOfStrategies) return `${info.name} is a limit of the account alone`;
    const ofAccount = this.#inForce[info.name];
    return isTighter(info, value, ofAccount) ? null : `it is looser than the account's ${info.name} ${ofAccount}`;
  }

  /** Ends what is over; returns it. */
  expire(now: Micros): readonly Override[] {
    if (this.#overrides.length === 0) return this.#overrides;
    const over = this.#overrides.filter(({ until }) => until <= now);
    if (over.length > 0) this.#set(this.#overrides.filter(({ until }) => until > now));
    return over;
  }

  /** When the next override is over; `null` when there is none. */
  expiresAt(): Micros | null {
    return this.#expiresAt;
  }

  #set(overrides: readonly Override[]): void {
    this.#overrides = overrides;
    this.#expiresAt = overrides.reduce<Micros | null>(
      (first, { until }) => (first === null || until < first ? until : first),
      null,
    );
    this.#inForce = { ...this.#account, ...this.#overridden(null) };
    this.#byStrategy.clear();
  }

  /** A strategy's overridden limits, or the account's. */
  #overridden(strategy: StrategyName | null): StrategyLimits {
    const own = this.#overrides.filter((one) => one.strategy === strategy).map(({ limit, value }) => [limit, value]);
    return Object.fromEntries(own);
  }
}

/** Whether a number can be a limit's: whole, not negative, and within its unit. */
function isValue({ unit }: LimitInfo, value: number): boolean {
  if (!Number.isSafeInteger(value) || value < 0) return false;
  return unit !== 'price' && unit !== 'distance' ? true : value <= PAYOUT;
}
