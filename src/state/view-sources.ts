// Figures of a strategy's view that the state does not hold: other parts calculate them.
import type { BudgetKind } from '../domain/venue-command.ts';
import { type FeeSchedule, feeSchedule } from '../domain/fee-schedule.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Money } from '../domain/units.ts';

/** Capital of a strategy: the loss that is allowed, and the loss that is possible now. */
export interface Capital {
  /** Capital by the config; `null` when only the limits bound it. */
  readonly allotted: Money | null;
  /**
   * Loss from here in the worst case of its fills and of all outcomes, from its own position and orders, including the
   * fees of unfinished orders.
   */
  readonly used: Money;
  /** Room for more: the allotted capital less realized losses and `used`; profits add nothing. Never negative. */
  readonly free: Money | null;
}

/** Units of a rate budget, as the venue counts them: available now, and at most. */
export interface BudgetRoom {
  /** Units that can be spent now. */
  readonly available: number;
  /** Units that the full budget holds. */
  readonly capacity: number;
}

/** Sources of the figures that the state does not hold. */
export interface ViewSources {
  readonly capital: (strategy: StrategyName) => Capital;
  readonly budget: (kind: BudgetKind) => BudgetRoom;
  readonly fees: (market: MarketIndex) => FeeSchedule;
}

/** Sources for a view of the state alone: no capital is allotted, the budgets are empty, and fees are the dearest. */
export const NO_SOURCES: ViewSources = {
  capital: () => ({ allotted: null, used: 0 as Money, free: null }),
  budget: () => ({ available: 0, capacity: 0 }),
  fees: () => feeSchedule('quadratic_with_combo_maker_fees'),
};
