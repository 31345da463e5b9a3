// Spans of time as strategies reckon with them: of another type than times, so that none is taken for a moment of 1970.
// Must never tell what time it is.
import { assert } from '../domain/assert.ts';
import { type Bare, type Duration, type Micros, micros } from '../domain/units.ts';

const spanOf = (microseconds: number): Duration => {
  const whole = Math.round(microseconds);
  assert(Number.isSafeInteger(whole), `a span of ${microseconds} µs is not one of whole microseconds`);
  return whole as Duration;
};

/**
 * Milliseconds as a span of microseconds.
 * @throws {AssertionFault} unless it is a finite number.
 */
export const fromMillis = (milliseconds: Bare): Duration => spanOf(milliseconds * 1000);

/**
 * Seconds as a span of microseconds.
 * @throws {AssertionFault} unless it is a finite number.
 */
export const fromSeconds = (seconds: Bare): Duration => spanOf(seconds * 1_000_000);

/** The time that is so much later; earlier, where the span is negative. */
export const later = (at: Micros, by: Duration): Micros => micros(at + by);
