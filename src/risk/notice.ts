// What risk tells the outside besides denials and alarms: figures that must outlive the session, and overrides.
import type { KeptBooks, LossStanding, Override } from '../domain/operator.ts';
import type { Micros, Money } from '../domain/units.ts';

export type RiskNotice =
  /** The figures that loss limits are reckoned from have changed: told at most once a second, to be kept. */
  | { readonly type: 'losses'; readonly at: Micros; readonly standing: LossStanding; readonly equity: Money }
  /** What strategies hold has changed: told at most once a second, to be kept. */
  | { readonly type: 'books'; readonly at: Micros; readonly books: KeptBooks }
  /** An override was taken over (`begun`, also at start, when it was carried over), is over, or was refused. */
  | {
      readonly type: 'override';
      readonly at: Micros;
      readonly change: 'begun' | 'ended' | 'refused';
      readonly override: Override;
      readonly why: string;
    };
