// The Pareto front of several objectives, and the rank of each trial behind it. Must never prefer one objective to another.

/** The values of one trial's objectives, all to be minimized. */
export type ObjectiveValues = readonly number[];

/** True when `a` is no worse than `b` in any objective, and better in one. */
export const dominates = (a: ObjectiveValues, b: ObjectiveValues): boolean =>
  a.every((value, i) => value <= (b[i] ?? NaN)) && a.some((value, i) => value < (b[i] ?? NaN));

/**
 * Returns the non-dominated rank of each point: 0 on the Pareto front, 1 on the front of the others, and so on. The source is the
 * sequential search of ENS (Zhang, Tian, Cheng, Jin, IEEE Transactions on Evolutionary Computation 19, 2015, algorithm 3).
 */
export function nonDominatedRanks(points: readonly ObjectiveValues[]): readonly number[] {
  const ranks = points.map(() => 0);
  const fronts: ObjectiveValues[][] = [];
  const sequence = points.map((point, i) => ({ point, i })).sort((a, b) => compareLexically(a.point, b.point));
  for (const { point, i } of sequence) {
    const found = fronts.findIndex((front) => !front.some((_, k) => dominates(front.at(-1 - k) ?? [], point)));
    const rank = found < 0 ? fronts.length : found;
    (fronts[rank] ??= []).push(point);
    ranks[i] = rank;
  }
  return ranks;
}

function compareLexically(a: ObjectiveValues, b: ObjectiveValues): number {
  for (let i = 0; i < a.length; i++) {
    const [left = 0, right = 0] = [a[i], b[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Returns the crowding distance of each point of one front: infinite at the ends, small where points lie close. The source is Deb,
 * Pratap, Agarwal, Meyarivan, IEEE Transactions on Evolutionary Computation 6, 2002, section III-B.
 */
export function crowdingDistances(front: readonly ObjectiveValues[]): readonly number[] {
  const distances = front.map(() => 0);
  const objectives = front[0]?.length ?? 0;
  for (let objective = 0; objective < objectives; objective++) {
    const sorted = front.map((point, i) => ({ value: point[objective] ?? 0, i })).sort((a, b) => a.value - b.value);
    const width = (sorted.at(-1)?.value ?? 0) - (sorted[0]?.value ?? 0);
    sorted.forEach(({ i }, place) => {
      const [left, right] = [sorted[place - 1], sorted[place + 1]];
      const gap = left && right ? right.value - left.value : Infinity;
      distances[i] = (distances[i] ?? 0) + (gap === Infinity ? Infinity : width > 0 ? gap / width : 0);
    });
  }
  return distances;
}
