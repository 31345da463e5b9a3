// The options of an engine. Types only.
import type { RequestCommand } from '../domain/venue-command.ts';
import type { StrategyName, TickerTable } from '../domain/ids.ts';
import type { Money, Qty } from '../domain/units.ts';
import type { BudgetOptions } from '../domain/rate-budget.ts';
import type { ClockLimits } from '../execution/feed/clock-watch.ts';
import type { Universe } from '../execution/session/market-discovery.ts';
import type { Observer } from '../execution/engine-notice.ts';
import type { OrderPolicy } from '../execution/orders/order-policy.ts';
import type { Backoff } from '../execution/orders/planner.ts';
import type { Timetable } from './upkeep.ts';
import type { RiskLimits, StrategyLimits } from '../risk/risk-limits.ts';
import type { VenueTerms } from '../risk/rules/proposal.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';

/** The input of an engine. */
export interface EngineOptions {
  readonly tickers: TickerTable;
  readonly strategies: readonly BoundStrategy[];
  readonly limits: RiskLimits;
  /** Limits of single strategies; none where absent. */
  readonly strategyLimits?: ReadonlyMap<StrategyName, StrategyLimits>;
  /** Capital allotted to each strategy, the most that it can lose; none where absent. */
  readonly capital?: ReadonlyMap<StrategyName, Money>;
  readonly universe: Universe;
  readonly hasKey: boolean;
  /**
   * True when a session may begin without an event group of the config; a tape may lack it. Default: false. When false,
   * the session waits for the group, and a refusal ends a live session.
   */
  readonly groupsMayBeMissing?: boolean;
  readonly budgets: { readonly read: BudgetOptions; readonly trade: BudgetOptions };
  /** Cost of a request, in units of its budget. */
  readonly cost: (command: RequestCommand) => number;
  /** Units of the trade budget that only cancels may use. */
  readonly cancelReserve: number;
  /** Units of the read budget that comparisons and audits may not use. */
  readonly careReserve: number;
  readonly inFlightMax: { readonly read: number; readonly trade: number };
  readonly backoff: Backoff;
  /** The venue's smallest quantity step. */
  readonly qtyStep: Qty;
  /** The venue's other rules for the terms of an order. */
  readonly venueTerms: Omit<VenueTerms, 'qtyStep'>;
  /** True when the venue reports planned fee changes of a series. Default: false. */
  readonly canReadFeeChanges?: boolean;
  /** True when the venue reports the queue positions of our orders. Default: false. */
  readonly canReadQueue?: boolean;
  readonly orderDelayMsMax: number;
  /** Treatment of orders and figures that differ from what is expected. */
  readonly policy: OrderPolicy;
  readonly graceMs: number;
  readonly lookbackMs: number;
  /** Time for which a settled market stays known, for reports that come late. Milliseconds. */
  readonly settledGraceMs: number;
  readonly timetable: Timetable;
  /**
   * True when the venue delivers every message, and names its gaps: a simulated venue. Silence then proves that nothing
   * has changed, so lists are read when they have changed, and else rarely. Default: false.
   */
  readonly isFeedLossless?: boolean;
  /**
   * False when no program keeps the states that strategies save: a backtest. States are then read after fills, settlements and
   * at the stop, so that their faults show, but not once a second. Default: true.
   */
  readonly keepsStates?: boolean;
  /** Allowed difference between our clock and the venue's. */
  readonly clock: ClockLimits;
  readonly observe: Observer;
}
