// The offset of our clock from the venue's. A request takes effect after it was sent and before its answer; a message
// arrives after it happened. Each gives a bound on the offset, and the middle of the tightest bounds is the estimate (K.
// Marzullo and S. Owicki, “Maintaining the time in a distributed system”, 1983; so does NTP). Must never claim an offset
// that a bound excludes.
import type { FeedTime, Trip } from './calibration-facts.ts';

/** Our clock less the venue's, in microseconds. */
export interface ClockOffset {
  readonly offset: number;
  /** The true offset lies within this much of `offset`. */
  readonly within: number;
}

/**
 * Estimates the offset over a time in which it hardly changes.
 * @returns `null` where no request has a time of the venue, or the bounds exclude each other: the clocks drifted.
 */
export function clockOffset(trips: readonly Trip[], feed: readonly FeedTime[]): ClockOffset | null {
  let [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { askedAt, answeredAt, effectAt } of trips) {
    if (effectAt === null) continue;
    least = Math.max(least, askedAt - effectAt);
    most = Math.min(most, answeredAt - effectAt);
  }
  for (const { at, venueAt } of feed) most = Math.min(most, at - venueAt);
  if (!Number.isFinite(least) || !Number.isFinite(most) || least > most) return null;
  return { offset: (least + most) / 2, within: (most - least) / 2 };
}
