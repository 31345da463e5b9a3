// Exact arithmetic with big integers, as a reference for the project's own arithmetic. It is slow, and does not import
// src on purpose.

/** Returns floor(a / b) for any a and a positive b. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}

/** Returns ceil(a / b) for any a and a positive b. */
export const ceilDiv = (a: bigint, b: bigint): bigint => -floorDiv(-a, b);
