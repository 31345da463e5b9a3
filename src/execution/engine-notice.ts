// Notices of the engine to the outside, besides commands: for logs, screens, reports. Must never be the basis of a
// decision.
import type { Alarm } from '../domain/alarm.ts';
import type { Denial } from '../domain/denial.ts';
import type { ClientOrderId, MarketIndex, StrategyName } from '../domain/ids.ts';
import type { ForecastIntent, Intent } from '../domain/intent.ts';
import type { Halt, HaltScope, UnclosedPosition } from '../domain/operator-order.ts';
import type { BudgetKind } from '../domain/venue-command.ts';
import type { Micros, Money, Qty } from '../domain/units.ts';
import type { RiskNotice } from '../risk/risk-notice.ts';
import type { StateChange } from '../state/state-change.ts';
import type { SessionPhase } from './session/session-phase.ts';

export type Notice =
  | StateChange
  | Alarm
  | RiskNotice
  /** The feed connected, or its connection was lost or could not be made. Sent at every attempt. */
  | { readonly type: 'feed'; readonly isUp: boolean; readonly reason: string }
  /** The session may not begin. No order was placed, and none will be. */
  | { readonly type: 'barred'; readonly reason: string }
  | { readonly type: 'phase'; readonly phase: SessionPhase; readonly why: string }
  | {
      readonly type: 'approved';
      readonly strategy: StrategyName;
      readonly intent: Intent;
      readonly clientOrderId: ClientOrderId;
    }
  | { readonly type: 'denied'; readonly strategy: StrategyName; readonly intent: Intent; readonly denial: Denial }
  /**
   * New orders within a scope are halted, or the operator has given a halt another reason. `isCarried` is true for a halt of
   * an earlier session.
   */
  | { readonly type: 'halt'; readonly halt: Halt; readonly isCarried: boolean }
  /** A scope was resumed. `lifted` lists the halts that ended; it may be empty. */
  | { readonly type: 'resumed'; readonly scope: HaltScope; readonly reason: string; readonly lifted: readonly Halt[] }
  /** The operator canceled everything within a scope; `orders` is the number of open orders there. */
  | { readonly type: 'withdrawn'; readonly scope: HaltScope; readonly reason: string; readonly orders: number }
  /** The operator is closing all positions; `positions` is their number. */
  | { readonly type: 'flattening'; readonly reason: string; readonly positions: number }
  /** The closing of positions is over. `unclosed` lists the remaining positions, each with the reason. */
  | { readonly type: 'flattened'; readonly why: string; readonly unclosed: readonly UnclosedPosition[] }
  /** The state that a strategy keeps across restarts has changed; `json` is the new state. */
  | { readonly type: 'saved'; readonly strategy: StrategyName; readonly json: string }
  | { readonly type: 'forecast'; readonly strategy: StrategyName; readonly forecast: ForecastIntent }
  | { readonly type: 'rate-limited'; readonly budget: BudgetKind; readonly retryAfter: Micros | null }
  | {
      readonly type: 'read-failed';
      readonly what: string;
      readonly reason: string;
      readonly isRefused: boolean;
      /** A session can begin without this read: it is about one market, which the venue may have dropped. */
      readonly isOptional?: true;
    }
  /**
   * A figure of the venue's differs from ours (`raised`), or the difference is explained (`explained`). `market` is
   * `null` for cash.
   */
  | {
      readonly type: 'suspicion';
      readonly market: MarketIndex | null;
      readonly ours: number;
      readonly theirs: number;
      readonly change: 'raised' | 'explained';
      readonly why: string;
    }
  | { readonly type: 'position-drift'; readonly market: MarketIndex; readonly ours: Qty; readonly theirs: Qty }
  | { readonly type: 'cash-drift'; readonly ours: Money; readonly theirs: Money }
  | { readonly type: 'reconciled'; readonly why: string };

/** Receives notices as they occur. */
export type Observer = (notice: Notice) => void;
