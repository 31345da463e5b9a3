// HTTP statuses of answers. A status says whether a request was executed, was refused, or may have been executed.
import { COMMON_REFUSALS } from '../../../domain/common-refusals.ts';

export const UNAUTHORIZED = 401;
export const NOT_FOUND = 404;
export const CONFLICT = 409;
export const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** Statuses below 500 that leave the outcome open: the request may still have been executed. */
const AMBIGUOUS: ReadonlySet<number> = new Set([408, 425, 499]);

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** True when the request was refused and changed nothing. */
export const isDefinite = (status: number): boolean => status >= 400 && status < SERVER_ERROR && !AMBIGUOUS.has(status);

/**
 * The statuses with which this family of exchanges refuses single orders, by code. Source: the published error codes of the
 * real exchange.
 */
const STATUSES = new Map<string, number>(
  Object.entries({
    ...COMMON_REFUSALS,
    bad_request: 400,
    available_balance_too_low: 400,
    invalid_UUID: 400,
    order_id_and_client_order_id_mismatch: 400,
    order_side_mismatch: 400,
    order_ticker_mismatch: 400,
    user_not_found: NOT_FOUND,
    order_group_triggered: CONFLICT,
    too_many_requests: TOO_MANY,
  }),
);

/** The status that belongs to a refusal's code. An unknown code gets one that leaves the outcome open. */
export const statusOfCode = (code: string): number => STATUSES.get(code) ?? SERVER_ERROR;
