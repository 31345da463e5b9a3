// Alarms: conditions that a person should look at although trading continues. An alarm decides nothing; a condition
// that must stop trading causes a halt.
import type { Micros } from './units.ts';

/** Subject of an alarm. Codes are part of the public surface and never renamed. */
export type AlarmCode =
  /** The venue rejected many orders within a minute. */
  | 'rejects-per-minute'
  /** A fill was charged another fee than the schedule's. */
  | 'fee-unexpected'
  /** An order has been unknown for too long. */
  | 'unknown-too-long'
  /** One of our figures differs from the venue's without an explanation. */
  | 'drift'
  /** The feed has delivered nothing for too long. */
  | 'feed-age'
  /** The feed has been down for more than half a minute. */
  | 'feed-down'
  /** Feed messages arrive late. */
  | 'feed-lag'
  /** A requested book snapshot did not arrive, or was wrong, several times in a row. */
  | 'book-unanswered'
  /** The private channels (fills, orders, positions) do not deliver. */
  | 'private-feed'
  /** Our clock and the venue's clock differ by too much. */
  | 'clock-offset'
  /** A clock was set, or the machine slept. */
  | 'clock-step'
  /** The touch of a market jumped without a trade. */
  | 'touch-jump'
  /** A market or a strategy had too many fills or contracts within a minute. */
  | 'repeated-execution'
  /** Another session of Presage trades on the account. */
  | 'other-session'
  /** One of our orders was canceled on the account, but not by this session. */
  | 'canceled-elsewhere';

/** An alarm, with the figures that were compared. */
export interface Alarm {
  readonly type: 'alarm';
  readonly code: AlarmCode;
  readonly at: Micros;
  /** One line for a person: the measured figure first, then the figure it was compared with. Must hold no secret. */
  readonly text: string;
  /** The same figures for programs, each named with its unit. */
  readonly figures: Readonly<Record<string, string | number>>;
}
