// Notices of risk besides denials and alarms: figures that must outlive the session, and overrides.
import type { SavedLedgers, LossBaseline, LimitOverride } from '../domain/operator-order.ts';
import type { Micros, Money } from '../domain/units.ts';

export type RiskNotice =
  /** The figures that loss limits are computed from have changed. Reported at most once a second, to be saved. */
  | { readonly type: 'losses'; readonly at: Micros; readonly standing: LossBaseline; readonly equity: Money }
  /** A strategy ledger has changed. Reported at most once a second, to be saved. */
  | { readonly type: 'books'; readonly at: Micros; readonly books: SavedLedgers }
  /** An override has begun (at start also one of an earlier session), has ended, or was refused. */
  | {
      readonly type: 'override';
      readonly at: Micros;
      readonly change: 'begun' | 'ended' | 'refused';
      readonly override: LimitOverride;
      readonly why: string;
    };
