// What the desk is made of, as whoever makes one must say it. No value here does anything.
import type { Denial } from '../domain/denial.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { RiskGuard } from '../risk/guard.ts';
import type { Readiness } from '../risk/proposal.ts';
import type { StateChange } from '../state/change.ts';
import type { State } from '../state/state.ts';
import type { Observer } from './notice.ts';
import type { Planner } from './planner.ts';

export type OrderChange = Extract<StateChange, { type: 'order' }>;

/** All that a desk is made of. */
export interface DeskOptions {
  readonly state: State;
  readonly planner: Planner;
  readonly risk: RiskGuard;
  /** An order that could not be sent within this long is dropped. Milliseconds. */
  readonly orderDelayMsMax: number;
  readonly observe: Observer;
  /** Takes an order's change of state that the desk itself made. */
  readonly onOrderChange: (change: OrderChange) => void;
  readonly nextCommandId: () => number;
  readonly readiness: () => Readiness;
  /** Why no new order may leave for a market, whatever risk says; `null` when one may. */
  readonly blocking: (market: MarketIndex) => Denial | null;
  /** Whether a resting order can be made smaller in its place. */
  readonly canShrink: boolean;
  /** The venue's smallest step of a quantity. */
  readonly qtyStep: number;
}
