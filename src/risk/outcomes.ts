// The worst that an event group can do to us, over every outcome that is possible together. Pure arithmetic.
// Must never rule an outcome out that is not ruled out by the group itself: "none of them" is always possible, because
// a group may have outcomes that have no market.
import type { Strike } from '../domain/market.ts';

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
export function worstLoss(stakes: readonly Stake[], isExclusive: boolean): number {
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
  return strikes < 2 ? bound : Math.min(bound, worstOnLine(stakes));
}

/** The number's line, cut at every strike: place 2j is between two cuts, place 2j + 1 is the cut number j itself. */
function worstOnLine(stakes: readonly Stake[]): number {
  const cuts = cutsOf(stakes);
  const steps = Array.from({ length: 2 * cuts.length + 2 }, () => 0);
  let base = 0;
  for (const { no, yes, strike } of stakes) {
    base += strike === null ? Math.max(no, yes) : no;
    if (strike !== null) addPart(steps, yes - no, partOf(strike, cuts));
  }
  let worst = Number.NEGATIVE_INFINITY;
  let sum = base;
  for (let place = 0; place <= 2 * cuts.length; place++) {
    sum += steps[place] ?? 0;
    worst = Math.max(worst, sum);
  }
  return worst;
}

function cutsOf(stakes: readonly Stake[]): number[] {
  const cuts: number[] = [];
  for (const { strike } of stakes) {
    if (strike?.floor !== null && strike?.floor !== undefined) cuts.push(strike.floor);
    if (strike?.cap !== null && strike?.cap !== undefined) cuts.push(strike.cap);
  }
  return cuts.sort((a, b) => a - b).filter((cut, place) => cut !== cuts[place - 1]);
}

/** Where a market is YES for certain, and the places at whose edge the venue's rules decide. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly edges: readonly number[];
}

function partOf({ type, floor, cap }: Strike, cuts: readonly number[]): Part {
  const last = 2 * cuts.length;
  const at = (cut: number | null): number => 2 * cuts.indexOf(cut ?? Number.NaN) + 1;
  switch (type) {
    case 'greater':
      return { from: at(floor) + 1, to: last, edges: [] };
    case 'greater_or_equal':
      return { from: at(floor), to: last, edges: [] };
    case 'less':
      return { from: 0, to: at(cap) - 1, edges: [] };
    case 'less_or_equal':
      return { from: 0, to: at(cap), edges: [] };
    case 'between':
      // Whether an end belongs to a part, the wire does not say: on it, either may hold.
      return { from: at(floor) + 1, to: at(cap) - 1, edges: floor === cap ? [at(floor)] : [at(floor), at(cap)] };
  }
}

function addPart(steps: number[], swing: number, { from, to, edges }: Part): void {
  const add = (first: number, past: number, amount: number): void => {
    steps[first] = (steps[first] ?? 0) + amount;
    steps[past] = (steps[past] ?? 0) - amount;
  };
  if (from <= to) add(from, to + 1, swing);
  if (swing > 0) for (const edge of edges) add(edge, edge + 1, swing);
}
