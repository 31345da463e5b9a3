// How long our orders rest before we cancel them. An order that filled would have been canceled some time later: the
// survival function says with which probability it would still have rested at an age (E. L. Kaplan and P. Meier,
// “Nonparametric estimation from incomplete observations”, 1958). Must never count a fill as a cancel.
import type { SessionFacts } from './calibration-facts.ts';

/** Probability that an order that no one fills still rests at an age, in microseconds. */
export type CancelSurvival = (age: number) => number;

/**
 * Estimates the survival function from the spells of sessions. An order that rested at the end of a session was not
 * canceled until then. Beyond the longest spell it is zero, whatever ended that one (B. Efron, “The two sample problem
 * with censored data”, 1967): else an order could rest on for ever because one filled late.
 */
export function cancelSurvival(sessions: readonly Pick<SessionFacts, 'spells' | 'to'>[]): CancelSurvival {
  const ends = sessions
    .flatMap(({ spells, to }) =>
      spells.map(({ arrivedAt, endedAt, endedBy }) => ({
        age: Math.max(0, (endedAt ?? to) - arrivedAt),
        isCancel: endedBy === 'canceled',
      })),
    )
    .toSorted((a, b) => a.age - b.age || Number(b.isCancel) - Number(a.isCancel));
  const [ages, shares]: [number[], number[]] = [[], []];
  let share = 1;
  ends.forEach(({ age, isCancel }, index) => {
    if (!isCancel) return;
    share *= 1 - 1 / (ends.length - index);
    ages.push(age);
    shares.push(share);
  });
  const longest = ends.at(-1);
  if (longest !== undefined && !longest.isCancel) {
    ages.push(longest.age);
    shares.push(0);
  }
  return (age) => {
    let [low, high] = [0, ages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ages[middle] ?? 0) <= age) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 1 : (shares[low - 1] ?? 0);
  };
}

/** The age at which one order in `1 / share` of those that still rested at `age` would rest; at most `most` later. */
export function ageAtShare(
  survival: CancelSurvival,
  age: number,
  { share, most }: { share: number; most: number },
): number {
  const goal = survival(age) * share;
  let [low, high] = [age, age + most];
  if (survival(high) > goal) return high;
  while (high - low > 1000) {
    const middle = (low + high) / 2;
    if (survival(middle) > goal) low = middle;
    else high = middle;
  }
  return high;
}
