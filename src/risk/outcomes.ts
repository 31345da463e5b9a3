// The worst that an event group can do to us, over every outcome that is possible together. Pure arithmetic.
// Must never rule an outcome out that is not ruled out by the group itself: "none of them" is always possible, because
// a group may have outcomes that have no market.
import type { Strike } from '../domain/market.ts';
import { StrikeLine } from './strike-line.ts';

/** What one market loses if it resolves NO, and if YES, in millionths of a dollar; negative is a gain. */
export interface Stake {
  readonly no: number;
  readonly yes: number;
  readonly strike: Strike | null;
}

/**
 * The most that markets of one event group lose together; negative when every outcome gains. Of exclusive markets one
 * resolves YES at the most; of those with strikes, those on whose part of the line the number lies; any others are
 * independent. A market that pays a part of a dollar loses no more than the worse of YES and NO.
 */
export function worstLoss(stakes: readonly Stake[], isExclusive: boolean, line = new StrikeLine()): number {
  let none = 0;
  let swingMax = 0;
  let independent = 0;
  let strikes = 0;
  for (const { no, yes, strike } of stakes) {
    none += no;
    swingMax = Math.max(swingMax, yes - no);
    independent += Math.max(no, yes);
    if (strike !== null) strikes += 1;
  }
  const bound = isExclusive ? none + swingMax : independent;
  return strikes < 2 ? bound : Math.min(bound, worstOnLine(stakes, line));
}

function worstOnLine(stakes: readonly Stake[], line: StrikeLine): number {
  for (const { strike } of stakes) if (strike !== null) line.cut(strike);
  line.begin();
  let base = 0;
  for (const { no, yes, strike } of stakes) {
    base += strike === null ? Math.max(no, yes) : no;
    if (strike !== null) line.swing(strike, yes - no);
  }
  return base + line.highest();
}
