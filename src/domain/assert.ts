// Assertions: what must hold whatever the input. A failure is a programmer's error, never a user's.
// Must never be used to check input from outside: that ends in a typed error or a denial instead.

/** A broken invariant. Never caught by the core; the runtime stops trading when it sees one. */
export class AssertionFault extends Error {
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
 * The value, which must be there.
 * @throws {AssertionFault} when it is `undefined` or `null`.
 */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new AssertionFault(`${what} is missing`);
  return value;
}

/** Marks a place that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionFault(`unreachable: ${JSON.stringify(value)}`);
}
