// Expectations for loops over thousands of values. An expectation takes as long as some hundred comparisons, so one is
// made only where values are not as expected. It then fails with its usual message.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

export function expectBe<T>(actual: T, expected: T): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}

export function expectEqual<T>(actual: T, expected: T): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

export function expectAtMost(actual: number, bound: number): void {
  if (!(actual <= bound)) expect(actual).toBeLessThanOrEqual(bound);
}

export function expectAtLeast(actual: number, bound: number): void {
  if (!(actual >= bound)) expect(actual).toBeGreaterThanOrEqual(bound);
}
