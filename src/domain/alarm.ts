// What a person should look at although nothing stops for it: one shape for every alarm, whoever raises it.
// An alarm decides nothing; what must stop trading halts it.
import type { Micros } from './units.ts';

/** What an alarm is about. Codes are part of the public surface: never renamed. */
export type AlarmCode =
  /** Many orders were refused within a minute. */
  | 'rejects-per-minute'
  /** A fill was charged another fee than the schedule says. */
  | 'fee-unexpected'
  /** An order has been unknown for too long. */
  | 'unknown-too-long'
  /** A figure of ours differs from the venue's. */
  | 'drift'
  /** The feed has told nothing for too long. */
  | 'feed-age'
  /** The feed has been down for more than half a minute. */
  | 'feed-down'
  /** What the feed tells arrives late. */
  | 'feed-lag'
  /** A book that was asked for did not come, or was wrong, again and again. */
  | 'book-unanswered'
  /** What the account alone is told does not come. */
  | 'private-feed'
  /** Our clock and the venue's differ. */
  | 'clock-offset'
  /** A clock was set. */
  | 'clock-step'
  /** A market's touch jumped although nobody traded. */
  | 'touch-jump'
  /** The same thing was done too often in a short time. */
  | 'repeated-execution'
  /** Another session of Presage trades on the account. */
  | 'other-session'
  /** An order of ours was canceled on the account, and not by the session. */
  | 'canceled-elsewhere';

/** An alarm: told at once, with the figures that were compared. */
export interface Alarm {
  readonly type: 'alarm';
  readonly code: AlarmCode;
  readonly at: Micros;
  /** One line for a person, figures first compared and then compared to. Must hold no secret. */
  readonly text: string;
  /** The same figures for machines, each named with its unit. */
  readonly figures: Readonly<Record<string, string | number>>;
}
