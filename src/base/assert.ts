// Assertions: claims that hold for every input. A failure is a programming error, never a user's. Must never be used to
// check input from outside: bad input ends in a typed error or a denial.

/** A broken invariant. In a strategy's own code it halts that strategy; anywhere else it ends the session. */
export class AssertionFault extends Error {
  /** Always `AssertionFault`: code recognizes the fault by this name where it cannot import the class. */
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
