// Why a venue refuses what it is asked, in the field's words, with the HTTP status that each has on the wire.
// Source: the exchange's published error codes and recorded answers. What is refused changes nothing.

/** What any venue of the field refuses for, with its status. A venue adds what only it says. */
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

/** Why something was refused, by a venue of such codes. */
export interface RefusalBy<Code extends string> {
  readonly code: Code;
  /** The particulars, with figures; `null` where the code says it all. */
  readonly details: string | null;
}
