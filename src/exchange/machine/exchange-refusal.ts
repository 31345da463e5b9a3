// Reasons for which the exchange refuses an operation, with their HTTP statuses.
import { COMMON_REFUSALS, type VenueRefusal } from '../../domain/common-refusals.ts';

/** Refusal codes and their HTTP status. */
export const REFUSAL_STATUS = {
  ...COMMON_REFUSALS,
  invalid_UUID: 400,
  order_id_and_client_order_id_mismatch: 400,
  order_side_mismatch: 400,
  order_ticker_mismatch: 400,
  order_group_triggered: 409,
  user_not_found: 404,
  // Refusals of operator operations. A client gets `already_exists`, too, for a repeated transfer id with other terms.
  already_exists: 409,
  wrong_status: 409,
} as const satisfies Record<string, number>;

type RefusalCode = keyof typeof REFUSAL_STATUS;

/** The refusal of an operation. */
export type Refusal = VenueRefusal<RefusalCode>;

export const refusal = (code: RefusalCode, details: string | null = null): Refusal => ({ code, details });
