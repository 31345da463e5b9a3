// What a session does with orders that are not as they should be: of unknown fate, found unexpectedly, lost from view.
// Data only: chosen by the config, and by what the venue can do.

/** How orders and figures are treated that differ from what we believe. */
export interface OrderPolicy {
  /** How long an order may be of unknown fate before an alarm is raised and its market is closed to new orders. Milliseconds. */
  readonly unknownMsMax: number;
  /**
   * What becomes of an order that no strategy of this session placed. `cancel`: it is withdrawn. `adopt`: it is left
   * alone, also at the stop, and counts against every limit. `refuse`: it is left alone, and the account is halted.
   */
  readonly unexpected: 'cancel' | 'adopt' | 'refuse';
  /** Whether a position or cash that cannot be explained halts the account, or only raises an alarm. */
  readonly onDrift: 'alarm' | 'halt';
  /** Whether a resting order can be made smaller in its place. */
  readonly canShrink: boolean;
  /**
   * Whether an order that a complete list does not show may be sent once more under its own id, because the venue
   * refuses an id that it has taken before.
   */
  readonly canResend: boolean;
}

/** The careful choice in everything. */
export const CAREFUL: OrderPolicy = {
  unknownMsMax: 30_000,
  unexpected: 'cancel',
  onDrift: 'halt',
  canShrink: false,
  canResend: false,
};
