// Exact arithmetic on big integers, as an oracle for the house's own. Slow, and independent of src on purpose.

/** floor(a / b) for any sign of a and positive b. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}

/** ceil(a / b) for any sign of a and positive b. */
export const ceilDiv = (a: bigint, b: bigint): bigint => -floorDiv(-a, b);
