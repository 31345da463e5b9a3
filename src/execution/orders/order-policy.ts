// Treatment of orders in doubt: unknown, unexpected, or missing from a list. Types and defaults only.

/** Treatment of orders and figures that differ from what is expected. */
export interface OrderPolicy {
  /** After this time an unknown order raises an alarm and closes its market to new orders. Milliseconds. */
  readonly unknownMsMax: number;
  /**
   * Treatment of an order that no strategy of this session placed. `cancel`: it is canceled. `adopt`: it is left alone,
   * even at the stop, and counts against every limit. `refuse`: it is left alone, and the account is halted.
   */
  readonly unexpected: 'cancel' | 'adopt' | 'refuse';
  /** Consequence of an unexplained difference in a position or in cash: a halt of the account, or only an alarm. */
  readonly onDrift: 'alarm' | 'halt';
  /** True when a resting order can be decreased in place. */
  readonly canShrink: boolean;
  /** True when a quote moves by one amend of its order, in place of a cancel and a new order. */
  readonly canMove: boolean;
  /**
   * True when an order missing from a complete list may be sent once more. The venue must refuse an id that it has
   * taken before.
   */
  readonly canResend: boolean;
}

/** The careful choice for every option. */
export const CAREFUL_POLICY: OrderPolicy = {
  unknownMsMax: 30_000,
  unexpected: 'cancel',
  onDrift: 'halt',
  canShrink: false,
  canMove: false,
  canResend: false,
};
