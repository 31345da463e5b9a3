// What an engine is made of, as whoever makes one must say it. No value here does anything.
import type { RequestCommand } from '../domain/command.ts';
import type { StrategyName, TickerTable } from '../domain/ids.ts';
import type { Money, Qty } from '../domain/units.ts';
import type { BudgetOptions } from '../execution/budget.ts';
import type { ClockLimits } from '../execution/clock-watch.ts';
import type { Universe } from '../execution/discovery.ts';
import type { Observer } from '../execution/notice.ts';
import type { OrderPolicy } from '../execution/order-policy.ts';
import type { Backoff } from '../execution/planner.ts';
import type { Timetable } from '../execution/upkeep.ts';
import type { RiskLimits, StrategyLimits } from '../risk/limits.ts';
import type { VenueTerms } from '../risk/proposal.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';

/** All that an engine is made of. */
export interface EngineOptions {
  readonly tickers: TickerTable;
  readonly strategies: readonly BoundStrategy[];
  readonly limits: RiskLimits;
  /** Limits that strategies have of their own; none where absent. */
  readonly strategyLimits?: ReadonlyMap<StrategyName, StrategyLimits>;
  /** What strategies were allotted, so that none can lose more; none where absent. */
  readonly capital?: ReadonlyMap<StrategyName, Money>;
  readonly universe: Universe;
  readonly hasKey: boolean;
  /**
   * Whether the session begins without an event group of the universe that the venue does not know: a tape may lack one.
   * Default: the session waits for it; a live one is ended by the refusal.
   */
  readonly groupsMayBeMissing?: boolean;
  readonly budgets: { readonly read: BudgetOptions; readonly trade: BudgetOptions };
  /** What a request takes from its budget. */
  readonly cost: (command: RequestCommand) => number;
  /** Units of the trade budget that only cancels may use. */
  readonly cancelReserve: number;
  /** Units of the read budget that comparing and auditing may not use. */
  readonly careReserve: number;
  readonly inFlightMax: { readonly read: number; readonly trade: number };
  readonly backoff: Backoff;
  /** The venue's smallest step of a quantity. */
  readonly qtyStep: Qty;
  /** What else an order's terms must keep to at the venue. */
  readonly venueTerms: Omit<VenueTerms, 'qtyStep'>;
  /** Whether the venue tells what is planned for a series' fees. */
  readonly tellsFeeChanges?: boolean;
  /** Whether the venue tells what stands before our orders. */
  readonly tellsQueue?: boolean;
  readonly orderDelayMsMax: number;
  /** What becomes of orders and figures that are not as they should be. */
  readonly policy: OrderPolicy;
  readonly graceMs: number;
  readonly lookbackMs: number;
  /** How long a settled market is still known, for what may be told of it late. */
  readonly settledGraceMs: number;
  readonly timetable: Timetable;
  /** How far our clock and the venue's may be apart. */
  readonly clock: ClockLimits;
  readonly observe: Observer;
}
