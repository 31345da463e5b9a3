// Losses of each strategy with a loss limit of its own. An exceeded limit halts that strategy alone. Must never restart
// the figures of the day because the program restarts.
import type { StrategyName } from '../../domain/ids.ts';
import type { Halt, SavedLedgers, LossBaseline } from '../../domain/operator-order.ts';
import { type Micros, type Money, money } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { EffectiveLimits } from '../effective-limits.ts';
import { Losses } from './losses.ts';
import type { Marks } from './marks.ts';

const NO_LIMIT = money(Number.MAX_SAFE_INTEGER);

export interface StrategyLossesOptions {
  readonly state: State;
  readonly limits: EffectiveLimits;
  readonly marks: Marks;
  readonly strategies: readonly StrategyName[];
}

/** A strategy that has lost more than it may. */
export interface StrategyBreach {
  readonly strategy: StrategyName;
  readonly reason: string;
}

export class StrategyLosses {
  readonly #options: StrategyLossesOptions;
  /** Added at the first check of a strategy with its own loss limit; never removed. */
  readonly #byStrategy = new Map<StrategyName, Losses>();
  #restored = new Map<StrategyName, LossBaseline>();
  /** Set by each check; never removed. */
  readonly #checkedProfits = new Map<StrategyName, Money>();
  /** Changes with every figure that must be saved. */
  revision = 0;

  constructor(options: StrategyLossesOptions) {
    this.#options = options;
  }

  restore(books: SavedLedgers | undefined): void {
    const saved = books?.books ?? [];
    this.#restored = new Map(saved.flatMap(({ strategy, losses }) => (losses === null ? [] : [[strategy, losses]])));
  }

  figuresOf(strategy: StrategyName): LossBaseline | null {
    return this.#byStrategy.get(strategy)?.figures ?? this.#restored.get(strategy) ?? null;
  }

  /** `null` for a strategy without a loss limit of its own. */
  checkedProfitOf(strategy: StrategyName): Money | null {
    return this.#checkedProfits.get(strategy) ?? null;
  }

  /** The account must be known, and its positions priced. */
  checkAll(now: Micros): readonly StrategyBreach[] {
    const breaches: StrategyBreach[] = [];
    for (const strategy of this.#options.strategies) {
      const breach = this.#checkStrategy(strategy, now);
      if (breach !== null) breaches.push(breach);
    }
    return breaches;
  }

  #checkStrategy(strategy: StrategyName, now: Micros): StrategyBreach | null {
    const { state, limits, marks } = this.#options;
    const { dailyLossMax, drawdownMax } = limits.ownLimitsOf(strategy);
    if (dailyLossMax === undefined && drawdownMax === undefined) return null;
    const profit = marks.profitOf(state.strategyLedgers.ledgerOf(strategy));
    this.#checkedProfits.set(strategy, profit);
    const losses = this.#lossesOf(strategy);
    const { figures } = losses;
    if (figures) losses.applyEquity(profit, now);
    else losses.startFrom(this.#restored.get(strategy) ?? null, profit, now);
    if (losses.figures !== figures) this.revision += 1;
    const own = { dailyLossMax: dailyLossMax ?? NO_LIMIT, drawdownMax: drawdownMax ?? NO_LIMIT, lossStreakMax: null };
    const reason = losses.describeBreach(profit, own);
    return reason === null ? null : { strategy, reason: `strategy limit: ${reason}` };
  }

  #lossesOf(strategy: StrategyName): Losses {
    const existing = this.#byStrategy.get(strategy);
    if (existing) return existing;
    const losses = new Losses();
    this.#byStrategy.set(strategy, losses);
    return losses;
  }

  /** The profit now becomes the peak of a strategy that risk had halted. */
  onResume(lifted: readonly Halt[]): void {
    const { state, marks } = this.#options;
    for (const { by, scope } of lifted)
      if (by === 'risk' && scope.type === 'strategy')
        this.#byStrategy.get(scope.strategy)?.resetPeak(marks.profitOf(state.strategyLedgers.ledgerOf(scope.strategy)));
  }
}
