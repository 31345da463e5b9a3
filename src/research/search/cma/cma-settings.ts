// The constants of CMA-ES, which depend on the number of dimensions alone. Must never be tuned by hand.

/** Constants of CMA-ES. Names in parentheses are those of Hansen's tutorial. */
export interface CmaSettings {
  readonly dimensions: number;
  /** Points of a generation (λ). */
  readonly generation: number;
  /** Weights of the best points, best first (w). Their number is μ, their sum 1. */
  readonly weights: readonly number[];
  /** Effective number of the best points (μ_eff). */
  readonly effective: number;
  /** Learning rate and damping of the step's length (c_σ, d_σ). */
  readonly stepRate: number;
  readonly stepDamping: number;
  /** Learning rate of the path of the covariance (c_c). */
  readonly pathRate: number;
  /** Learning rates of the covariance, from its path and from the best points (c_1, c_μ). */
  readonly rankOneRate: number;
  readonly rankManyRate: number;
  /** Expected length of a standard normal vector (E‖N(0, I)‖). */
  readonly expectedLength: number;
}

/** Returns the constants for `d` dimensions. The source is Hansen, The CMA Evolution Strategy, arXiv:1604.00772, table 1 and equation 48. */
export function cmaSettings(d: number): CmaSettings {
  const generation = 4 + Math.floor(3 * Math.log(d));
  const parents = Math.floor(generation / 2);
  const raw = Array.from({ length: parents }, (_, i) => Math.log((generation + 1) / 2) - Math.log(i + 1));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const weights = raw.map((weight) => weight / total);
  const effective = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  const stepRate = (effective + 2) / (d + effective + 5);
  const rankOneRate = 2 / ((d + 1.3) * (d + 1.3) + effective);
  const rankMany = (2 * (effective - 2 + 1 / effective)) / ((d + 2) * (d + 2) + effective);
  return {
    dimensions: d,
    generation,
    weights,
    effective,
    stepRate,
    stepDamping: 1 + 2 * Math.max(0, Math.sqrt((effective - 1) / (d + 1)) - 1) + stepRate,
    pathRate: (4 + effective / d) / (d + 4 + (2 * effective) / d),
    rankOneRate,
    rankManyRate: Math.min(1 - rankOneRate, rankMany),
    expectedLength: Math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d)),
  };
}
