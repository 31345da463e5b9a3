// Reasons for which a venue refuses a request. Source: the exchange's published error codes and recorded answers. A
// refused request changes nothing.

/** Refusals common to all venues, with their HTTP status. A venue adds its own. */
export const COMMON_REFUSALS = {
  invalid_parameters: 400,
  invalid_order: 400,
  invalid_order_size: 400,
  invalid_price: 400,
  insufficient_balance: 400,
  not_found: 404,
  market_not_found: 404,
  order_already_exists: 409,
  fill_or_kill_insufficient_resting_volume: 409,
  market_inactive: 409,
  market_already_closed: 409,
  trading_is_paused: 409,
  exchange_is_paused: 409,
} as const satisfies Record<string, number>;

/** A refusal by a venue with its own codes. */
export interface VenueRefusal<Code extends string> {
  readonly code: Code;
  /** Particulars, with figures; `null` where the code is enough. */
  readonly details: string | null;
}
