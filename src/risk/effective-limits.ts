// The limits in force, for the account and each strategy, with the operator's temporary overrides. Must never let an
// override outlast its time, or let a strategy's limit loosen the account's.
import type { StrategyName } from '../domain/ids.ts';
import type { LimitOverride } from '../domain/operator-order.ts';
import { type Micros, PAYOUT, fromSeconds } from '../domain/units.ts';
import {
  type LimitInfo,
  type LimitName,
  type RiskLimits,
  type StrategyLimits,
  isTighter,
  findLimit,
  tightened,
} from './risk-limits.ts';

/** Microseconds. */
const OVERRIDE_MAX = fromSeconds(86_400);

/** Computes the limits in force from the config's limits and the overrides. */
export class EffectiveLimits {
  readonly #account: RiskLimits;
  readonly #strategyLimits: ReadonlyMap<StrategyName, StrategyLimits>;
  #overrides: readonly LimitOverride[] = [];
  #expiresAt: Micros | null = null;
  #accountInForce: RiskLimits;
  /** Limits by strategy. Added when first read; all removed when an override begins or ends. */
  readonly #byStrategy = new Map<StrategyName, { readonly own: StrategyLimits; readonly limits: RiskLimits }>();

  constructor(account: RiskLimits, own: ReadonlyMap<StrategyName, StrategyLimits>) {
    this.#account = account;
    this.#strategyLimits = own;
    this.#accountInForce = account;
  }

  /** The account's limits, its overrides included. */
  get account(): RiskLimits {
    return this.#accountInForce;
  }

  /** The limits that apply to a strategy: the tighter of its own value and the account's. */
  limitsOf(strategy: StrategyName): RiskLimits {
    return this.#effectiveOf(strategy).limits;
  }

  /** The strategy's own limits, its overrides included. */
  ownLimitsOf(strategy: StrategyName): StrategyLimits {
    return this.#effectiveOf(strategy).own;
  }

  #effectiveOf(strategy: StrategyName): { readonly own: StrategyLimits; readonly limits: RiskLimits } {
    const cached = this.#byStrategy.get(strategy);
    if (cached) return cached;
    const own = { ...this.#strategyLimits.get(strategy), ...this.#overriddenLimits(strategy) };
    const limits = Object.keys(own).length === 0 ? this.#accountInForce : tightened(this.#accountInForce, own);
    const effective = { own, limits };
    this.#byStrategy.set(strategy, effective);
    return effective;
  }

  hasOwnLimit(strategy: StrategyName, name: LimitName): boolean {
    return this.ownLimitsOf(strategy)[name] !== undefined;
  }

  get overrides(): readonly LimitOverride[] {
    return this.#overrides;
  }

  /** The override in force of the limit and strategy that another names; `null` for none. */
  overrideOf({ limit, strategy }: Pick<LimitOverride, 'limit' | 'strategy'>): LimitOverride | null {
    const name = findLimit(limit)?.name;
    return this.#overrides.find((each) => each.limit === name && each.strategy === strategy) ?? null;
  }

  /**
   * Applies an override, in place of an earlier override of the same limit and strategy. The config's own value ends the
   * earlier one. Returns the reason for a refusal, or `null`.
   */
  applyOverride(override: LimitOverride, now: Micros): string | null {
    const info = findLimit(override.limit);
    if (!info) return `there is no limit ${JSON.stringify(override.limit)}`;
    const refusal = this.#refusalOf(info, override, now);
    if (refusal !== null) return refusal;
    const earlier = this.overrideOf(override);
    const others = this.#overrides.filter((each) => each !== earlier);
    const isEnd = earlier !== null && override.value === this.#configured(info.name, override.strategy);
    this.#replaceOverrides(isEnd ? others : [...others, { ...override, limit: info.name }]);
    return null;
  }

  #configured(name: LimitName, strategy: StrategyName | null): number | null {
    return (strategy === null ? this.#account[name] : this.#strategyLimits.get(strategy)?.[name]) ?? null;
  }

  #refusalOf(info: LimitInfo, { strategy, value, until, reason }: LimitOverride, now: Micros): string | null {
    if (until <= now) return 'its time is over already';
    if (until - now > OVERRIDE_MAX) return 'it may last at most a day';
    if (reason.trim() === '') return 'it needs a reason';
    if (!isValue(info, value)) return `${value} is not a valid value of ${info.name} in ${info.unit}`;
    if (strategy === null) return null;
    if (!this.#strategyLimits.has(strategy)) return `there is no strategy ${JSON.stringify(strategy)}`;
    if (!info.isOfStrategies) return `only the account has the limit ${info.name}`;
    const accountLimit = this.#accountInForce[info.name];
    return isTighter(info, value, accountLimit) ? null : `it is looser than the account's ${info.name} ${accountLimit}`;
  }

  endExpired(now: Micros): readonly LimitOverride[] {
    if (this.#overrides.length === 0) return this.#overrides;
    const ended = this.#overrides.filter(({ until }) => until <= now);
    if (ended.length > 0) this.#replaceOverrides(this.#overrides.filter(({ until }) => until > now));
    return ended;
  }

  expiresAt(): Micros | null {
    return this.#expiresAt;
  }

  #replaceOverrides(overrides: readonly LimitOverride[]): void {
    this.#overrides = overrides;
    this.#expiresAt = overrides.reduce<Micros | null>(
      (first, { until }) => (first === null || until < first ? until : first),
      null,
    );
    this.#accountInForce = { ...this.#account, ...this.#overriddenLimits(null) };
    this.#byStrategy.clear();
  }

  #overriddenLimits(strategy: StrategyName | null): StrategyLimits {
    const own = this.#overrides.filter((each) => each.strategy === strategy).map(({ limit, value }) => [limit, value]);
    return Object.fromEntries(own);
  }
}

/** Prices and distances are at most a dollar. */
function isValue({ unit }: LimitInfo, value: number): boolean {
  if (!Number.isSafeInteger(value) || value < 0) return false;
  return unit !== 'price' && unit !== 'distance' ? true : value <= PAYOUT;
}
