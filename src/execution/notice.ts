// What the engine tells the outside besides commands: for logs, screens, reports. Nothing is decided from it.
import type { Alarm } from '../domain/alarm.ts';
import type { Denial } from '../domain/denial.ts';
import type { ClientOrderId, MarketIndex, StrategyName } from '../domain/ids.ts';
import type { ForecastIntent, Intent } from '../domain/intent.ts';
import type { Halt, HaltScope, Unclosed } from '../domain/operator.ts';
import type { BudgetKind } from '../domain/command.ts';
import type { Micros, Money, Qty } from '../domain/units.ts';
import type { RiskNotice } from '../risk/notice.ts';
import type { StateChange } from '../state/change.ts';
import type { Phase } from './phase.ts';

export type Notice =
  | StateChange
  | Alarm
  | RiskNotice
  /** The feed connected; or its connection was lost, or could not be made: once for every attempt. */
  | { readonly type: 'feed'; readonly isUp: boolean; readonly reason: string }
  /** The session may not begin: nothing was placed, and nothing will be. */
  | { readonly type: 'barred'; readonly reason: string }
  | { readonly type: 'phase'; readonly phase: Phase; readonly why: string }
  | {
      readonly type: 'approved';
      readonly strategy: StrategyName;
      readonly intent: Intent;
      readonly clientOrderId: ClientOrderId;
    }
  | { readonly type: 'denied'; readonly strategy: StrategyName; readonly intent: Intent; readonly denial: Denial }
  /** No new order within a scope. `isCarried`: an earlier session was halted, and this one begins so. */
  | { readonly type: 'halt'; readonly halt: Halt; readonly isCarried: boolean }
  /** A scope was resumed; `lifted` is what had halted it: empty when nothing had. */
  | { readonly type: 'resumed'; readonly scope: HaltScope; readonly reason: string; readonly lifted: readonly Halt[] }
  /** The operator had everything within a scope withdrawn: so many orders. */
  | { readonly type: 'withdrawn'; readonly scope: HaltScope; readonly reason: string; readonly orders: number }
  /** The operator has so many positions closed. */
  | { readonly type: 'flattening'; readonly reason: string; readonly positions: number }
  /** Closing is over; what could not be closed, and why. */
  | { readonly type: 'flattened'; readonly why: string; readonly unclosed: readonly Unclosed[] }
  /** A strategy keeps this over a restart: JSON, which is not what it kept before. */
  | { readonly type: 'saved'; readonly strategy: StrategyName; readonly json: string }
  | { readonly type: 'forecast'; readonly strategy: StrategyName; readonly forecast: ForecastIntent }
  | { readonly type: 'rate-limited'; readonly budget: BudgetKind; readonly retryAfter: Micros | null }
  | { readonly type: 'read-failed'; readonly what: string; readonly reason: string; readonly isRefused: boolean }
  /** A figure of the venue's is not ours (`raised`), or is after all. Of a market's position, or of cash: `null`. */
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

/** Takes notices as they come. */
export type Observer = (notice: Notice) => void;
