// The clock by which a backtest replays the rows of a tape: the venue's, but for rows that would have come before they
// happened. Must never mix times of two clocks.
import type { FeedTime, RestingSpell, SessionFacts } from './calibration-facts.ts';
import { quantile, sorted } from './distribution.ts';
import { clockOffset } from './offset-bounds.ts';

/**
 * How much earlier than by the venue's time a backtest replays the rows of a tape, in microseconds: a row that would have
 * come before it happened takes effect when it came. 0 where the venue's clock is not that far ahead.
 * @returns `null` for a feed without times of the venue.
 */
export function tapeLead(feed: readonly FeedTime[]): number | null {
  if (feed.length === 0) return null;
  const median = quantile(sorted(feed.map(({ at, venueAt }) => at - venueAt)), 0.5);
  return Math.max(0, -median);
}

/**
 * The resting orders of a session by the clock of its tape's rows. Times of positions, and of
 * decreases without one of the venue, are ours.
 */
export function spellsOnTape({ trips, feed, spells }: Pick<SessionFacts, 'trips' | 'feed' | 'spells'>): RestingSpell[] {
  const lead = Math.round(tapeLead(feed) ?? 0);
  const offset = clockOffset(trips, feed)?.offset;
  const fromOurs = offset === undefined ? 0 : Math.round(offset) + lead;
  const earlier = <Timed extends { readonly at: number }>(timed: readonly Timed[], by: number): Timed[] =>
    timed.map((each) => ({ ...each, at: each.at - by }));
  return spells.map((spell) => ({
    ...spell,
    arrivedAt: spell.arrivedAt - lead,
    endedAt: spell.endedAt === null ? null : spell.endedAt - lead,
    fills: earlier(spell.fills, lead),
    cuts: spell.cuts.map((cut) => ({ ...cut, at: cut.at - (cut.isOurTime === true ? fromOurs : lead) })),
    positions: earlier(spell.positions, fromOurs),
  }));
}
