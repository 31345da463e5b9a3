// Count, mean, spread and extremes of a set of values, and of two sets put together.
// Must never take a value out again: that is where such figures lose their digits.
// Source: B. P. Welford 1962 for one value; T. Chan, G. Golub, R. LeVeque 1979 for two sets.

/** Figures of a set of values. Changed in place. */
export interface Moments {
  count: number;
  mean: number;
  /** The sum of squared distances from the mean. */
  squares: number;
  min: number;
  max: number;
}

/** Of no values. */
export const noMoments = (): Moments => ({
  count: 0,
  mean: 0,
  squares: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

/** Forgets all values. */
export function clear(into: Moments): void {
  into.count = 0;
  into.mean = 0;
  into.squares = 0;
  into.min = Number.POSITIVE_INFINITY;
  into.max = Number.NEGATIVE_INFINITY;
}

/** Takes a value in. */
export function take(into: Moments, value: number): void {
  into.count += 1;
  const distance = value - into.mean;
  into.mean += distance / into.count;
  into.squares += distance * (value - into.mean);
  into.min = Math.min(into.min, value);
  into.max = Math.max(into.max, value);
}

/** Makes one set the union of two others. It may be one of them. */
export function join(into: Moments, a: Readonly<Moments>, b: Readonly<Moments>): void {
  const count = a.count + b.count;
  const distance = b.mean - a.mean;
  const share = count === 0 ? 0 : b.count / count;
  into.squares = a.squares + b.squares + distance * distance * a.count * share;
  // Of the greater set the mean moves less.
  into.mean = share <= 0.5 ? a.mean + distance * share : b.mean - distance * (1 - share);
  into.min = Math.min(a.min, b.min);
  into.max = Math.max(a.max, b.max);
  into.count = count;
}
