// What a strategy's view shows that the state does not hold: figures that others reckon from it.
import type { BudgetKind } from '../domain/command.ts';
import { type FeeSchedule, feeSchedule } from '../domain/fees.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Money } from '../domain/units.ts';

/** What a strategy may lose, and could. */
export interface Capital {
  /** What it was given in the config; `null` when nothing bounds it but the limits. */
  readonly allotted: Money | null;
  /**
   * What it would lose from here, at the worst of its fills and of all outcomes, by what it holds and has asked for
   * itself, fees of unfinished orders included.
   */
  readonly used: Money;
  /** What it may add to that: the allotted less what it has lost for good; profits add nothing. Never negative. */
  readonly free: Money | null;
}

/** The units of a rate budget, as the venue counts them, that can be taken now, and at most. */
export interface BudgetRoom {
  readonly available: number;
  readonly capacity: number;
}

/** Where views get such figures. */
export interface ViewSources {
  readonly capital: (strategy: StrategyName) => Capital;
  readonly budget: (kind: BudgetKind) => BudgetRoom;
  readonly fees: (market: MarketIndex) => FeeSchedule;
}

/** For views of a state alone, where nobody reckons anything. */
export const NO_SOURCES: ViewSources = {
  capital: () => ({ allotted: null, used: 0 as Money, free: null }),
  budget: () => ({ available: 0, capacity: 0 }),
  fees: () => feeSchedule('quadratic_with_combo_maker_fees'),
};
