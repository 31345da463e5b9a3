// The worst loss in an event group over every possible combination of outcomes. Pure arithmetic. Must never exclude an
// outcome that the group does not exclude. "None of them" is always possible, because a group may have outcomes without
// a market.
import type { Strike } from '../../domain/market.ts';
import { StrikeLine } from './strike-line.ts';

/** Loss of one market if it resolves NO and if it resolves YES, in millionths of a dollar; negative is a gain. */
export interface OutcomeLosses {
  readonly no: number;
  readonly yes: number;
  readonly strike: Strike | null;
}

/**
 * Returns the highest loss of the markets of one event group; negative when every outcome gains. Of exclusive markets
 * at most one resolves YES. A market with strikes resolves YES when its range holds the resolved number. All other
 * markets are independent. A market that pays part of a dollar loses no more than the worse of YES and NO.
 */
export function worstLoss(stakes: readonly OutcomeLosses[], isExclusive: boolean, line = new StrikeLine()): number {
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

function worstOnLine(stakes: readonly OutcomeLosses[], line: StrikeLine): number {
  for (const { strike } of stakes) if (strike !== null) line.addStrike(strike);
  line.startSum();
  let base = 0;
  for (const { no, yes, strike } of stakes) {
    base += strike === null ? Math.max(no, yes) : no;
    if (strike !== null) line.addSwing(strike, yes - no);
  }
  return base + line.highestSum();
}
