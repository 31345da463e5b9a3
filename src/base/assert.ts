// Assertions: claims that hold for every input. A false claim is a programming error. Must never check input from
// outside.

/** A broken invariant. In a strategy's own code it halts the strategy; elsewhere it ends the session. */
export class AssertionFault extends Error {
  /** Always `AssertionFault`: the name identifies the fault where the class cannot be imported. */
  override readonly name = 'AssertionFault';
}

/**
 * Asserts a claim.
 * @throws {AssertionFault} when the claim is false.
 */
export function assert(claim: boolean, message: string): asserts claim {
  if (!claim) throw new AssertionFault(message);
}

/**
 * Returns a value that must be present.
 * @throws {AssertionFault} when it is `undefined` or `null`.
 */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new AssertionFault(`${what} is missing`);
  return value;
}

/** Marks a place that the types prove unreachable. */
export function unreachable(value: never): never {
  throw new AssertionFault(`unreachable: ${JSON.stringify(value)}`);
}
