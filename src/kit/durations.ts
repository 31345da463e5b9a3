// Durations for strategies. They have another type than times, so that a duration is never taken for a moment in 1970.
// Must never say what time it is.
import { assert } from '../base/assert.ts';
import { type Bare, type Duration, type Micros, micros } from '../domain/units.ts';

const spanOf = (microseconds: number): Duration => {
  const whole = Math.round(microseconds);
  assert(Number.isSafeInteger(whole), `a span of ${microseconds} µs is not a whole number of microseconds`);
  return whole as Duration;
};

/**
 * Converts milliseconds to a duration in microseconds.
 * @throws {AssertionFault} unless it is a finite number.
 */
export const fromMillis = (milliseconds: Bare): Duration => spanOf(milliseconds * 1000);

/**
 * Converts seconds to a duration in microseconds.
 * @throws {AssertionFault} unless it is a finite number.
 */
export const fromSeconds = (seconds: Bare): Duration => spanOf(seconds * 1_000_000);

/** The time that is `by` later, or earlier when `by` is negative. */
export const later = (at: Micros, by: Duration): Micros => micros(at + by);
