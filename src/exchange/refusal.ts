// Every reason for which the exchange refuses an operation, with the HTTP status the wire gives it.
// Source: the exchange's published error codes and recorded answers. A refused operation changes nothing.

/** Refusal codes and their HTTP status. */
export const REFUSAL_STATUS = {
  invalid_parameters: 400,
  invalid_order: 400,
  invalid_order_size: 400,
  invalid_price: 400,
  invalid_UUID: 400,
  insufficient_balance: 400,
  order_id_and_client_order_id_mismatch: 400,
  order_side_mismatch: 400,
  order_ticker_mismatch: 400,
  not_found: 404,
  market_not_found: 404,
  user_not_found: 404,
  order_already_exists: 409,
  fill_or_kill_insufficient_resting_volume: 409,
  market_inactive: 409,
  market_already_closed: 409,
  trading_is_paused: 409,
  exchange_is_paused: 409,
  // Operator's refusals: never on the trading wire.
  already_exists: 409,
  wrong_status: 409,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** Why an operation was refused. */
export interface Refusal {
  readonly code: RefusalCode;
  /** The particulars, with figures; `null` where the code says it all. */
  readonly details: string | null;
}

export const refusal = (code: RefusalCode, details: string | null = null): Refusal => ({ code, details });
