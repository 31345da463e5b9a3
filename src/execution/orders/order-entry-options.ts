// The options of order entry. Types only.
import type { Denial } from '../../domain/denial.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { OrderChange as LifeChange } from '../../domain/orders/order.ts';
import type { RiskGuard } from '../../risk/risk-guard.ts';
import type { Readiness } from '../../risk/rules/proposal.ts';
import type { StateChange } from '../../state/state-change.ts';
import type { State } from '../../state/state.ts';
import type { RunningStrategy } from '../../strategy/running-strategy.ts';
import type { Observer } from '../engine-notice.ts';
import type { Planner } from './planner.ts';

export type OrderChange = Extract<StateChange, { type: 'order' }>;

/** The changes of an order that order entry itself makes. */
export type OwnChange = Extract<
  LifeChange,
  'request-cancel' | 'request-amend' | 'refuse-amend' | 'drop' | 'send' | 'retry' | 'lose'
>;

/** The owner of an order: a strategy, or the operator. */
export type OrderOwner = Pick<RunningStrategy, 'name' | 'index'>;

/** The calls of order entry to other parts of the engine. */
export interface OrderEntryActions {
  /** Lets the engine react to a change of an order's state that order entry itself has made. */
  reactToOrder(change: OrderChange): void;
}

/** The input of order entry. */
export interface OrderEntryOptions {
  readonly state: State;
  readonly planner: Planner;
  readonly risk: RiskGuard;
  /** An order that could not be sent for this long is dropped. Milliseconds. */
  readonly orderDelayMsMax: number;
  readonly observe: Observer;
  readonly actions: OrderEntryActions;
  readonly nextCommandId: () => number;
  readonly readiness: () => Readiness;
  /** The denial of every new order in a market, even before risk checks it; `null` when there is none. */
  readonly blockingDenial: (market: MarketIndex) => Denial | null;
  /** True when a resting order can be decreased in place. */
  readonly canShrink: boolean;
  /** True when a quote moves by one amend of its order, in place of a cancel and a new order. */
  readonly canMove: boolean;
  readonly qtyStep: number;
  /** The step of the venue's expiries, in microseconds. */
  readonly expiryStep: number;
}
