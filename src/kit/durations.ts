// Durations for strategies. Their type differs from the type of times, so that a duration is never taken for a time.
// Must never say what time it is.
import { assert } from '../base/assert.ts';
import { type Bare, type Duration, type Micros, micros } from '../domain/units.ts';

const spanOf = (microseconds: number): Duration => {
  const whole = Math.round(microseconds);
  assert(Number.isSafeInteger(whole), `a span of ${microseconds} µs is not a whole number of microseconds`);
  return whole as Duration;
};

/**
 * Converts milliseconds to a duration in microseconds, rounded to the nearest whole number.
 * @throws {AssertionFault} unless the result is a safe integer.
 * @example
 * import { fromMillis } from 'presage-trading';
 *
 * fromMillis(250); // 250000
 */
export const fromMillis = (milliseconds: Bare): Duration => spanOf(milliseconds * 1000);

/**
 * Converts seconds to a duration in microseconds, rounded to the nearest whole number.
 * @throws {AssertionFault} unless the result is a safe integer.
 * @example
 * import { fromSeconds } from 'presage-trading';
 *
 * fromSeconds(1.5); // 1500000
 */
export const fromSeconds = (seconds: Bare): Duration => spanOf(seconds * 1_000_000);

/**
 * Returns a time that is `by` later, or earlier when `by` is negative.
 * @throws {AssertionFault} unless the result is a valid time.
 * @example
 * import { type Intent, type StrategyView, fromSeconds, later, micros } from 'presage-trading';
 *
 * later(micros(1_000_000), fromSeconds(2)); // 3000000
 *
 * export const inAMinute = ({ now }: StrategyView): Intent => {
 *   return { type: 'timer', name: 'check', at: later(now, fromSeconds(60)) };
 * };
 */
export const later = (at: Micros, by: Duration): Micros => micros(at + by);
