// Notices of risk besides denials and alarms: figures that must outlive the session, and overrides.
import type { SavedLedgers, LossBaseline, LimitOverride } from '../domain/operator-order.ts';
import type { Micros, Money } from '../domain/units.ts';

export type RiskNotice =
  /** Figures behind the loss limits have changed. Reported at most once a second, to be saved. */
  | { readonly type: 'losses'; readonly at: Micros; readonly standing: LossBaseline; readonly equity: Money }
  /** A strategy ledger has changed. Reported at most once a second, to be saved. */
  | { readonly type: 'books'; readonly at: Micros; readonly books: SavedLedgers }
  /** An override has begun, has ended or was refused. At the start, overrides of an earlier session begin again. */
  | {
      readonly type: 'override';
      readonly at: Micros;
      readonly change: 'begun' | 'ended' | 'refused';
      readonly override: LimitOverride;
      readonly why: string;
    };
