// Figures of a strategy's view that the state does not hold, and their sources.
import type { BudgetKind } from '../domain/venue-command.ts';
import { type FeeSchedule, feeSchedule } from '../domain/fee-schedule.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Money } from '../domain/units.ts';

/** Capital of a strategy: the allowed loss, and the possible loss now. */
export interface Capital {
  /** Capital by the config; `null` when only the limits bound it. */
  readonly allotted: Money | null;
  /**
   * Loss from here in the worst case over fills and outcomes, from the strategy's own position and orders. Includes the
   * fees of unfinished orders.
   */
  readonly used: Money;
  /** Room for more: the allotted capital less realized losses and `used`; never negative. Profits add nothing. */
  readonly free: Money | null;
}

/** Units of a rate budget, as the venue counts them. */
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

/** Sources for a view of the state alone: no capital is allotted, budgets are empty, and fees are the dearest. */
export const NO_SOURCES: ViewSources = {
  capital: () => ({ allotted: null, used: 0 as Money, free: null }),
  budget: () => ({ available: 0, capacity: 0 }),
  fees: () => feeSchedule('quadratic_with_combo_maker_fees'),
};
