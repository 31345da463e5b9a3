// Counts the figures of a set of values. The figures of two sets can be joined. Must never remove a value: the
// figures would lose precision. Source: B. P. Welford 1962 for one value; T. Chan, G. Golub, R. LeVeque 1979 for two
// sets.

/** Figures of a set of values, changed in place. */
export interface Moments {
  count: number;
  mean: number;
  /** Sum of squared distances from the mean. */
  squares: number;
  min: number;
  max: number;
}

/** Makes the figures of an empty set. */
export const noMoments = (): Moments => ({
  count: 0,
  mean: 0,
  squares: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

/** Makes a set empty. */
export function clearMoments(into: Moments): void {
  into.count = 0;
  into.mean = 0;
  into.squares = 0;
  into.min = Number.POSITIVE_INFINITY;
  into.max = Number.NEGATIVE_INFINITY;
}

/** Adds a value to a set. */
export function addValue(into: Moments, value: number): void {
  into.count += 1;
  const distance = value - into.mean;
  into.mean += distance / into.count;
  into.squares += distance * (value - into.mean);
  into.min = Math.min(into.min, value);
  into.max = Math.max(into.max, value);
}

/** Makes `into` the union of the sets `a` and `b`. It may be `a` or `b` itself. */
export function joinMoments(into: Moments, a: Readonly<Moments>, b: Readonly<Moments>): void {
  const count = a.count + b.count;
  const distance = b.mean - a.mean;
  const share = count === 0 ? 0 : b.count / count;
  into.squares = a.squares + b.squares + distance * distance * a.count * share;
  // The mean of the larger set is nearer to the new mean, so the calculation starts there.
  into.mean = share <= 0.5 ? a.mean + distance * share : b.mean - distance * (1 - share);
  into.min = Math.min(a.min, b.min);
  into.max = Math.max(a.max, b.max);
  into.count = count;
}
