// Work that is the same in every run of a scenario, timed in stretches, and its rate on an undisturbed machine. Other
// work on a machine only slows a stretch down: its fastest time in any run is nearest to its cost (J. Chen and J.
// Revels, "Robust benchmarking in noisy environments", 2016, https://arxiv.org/abs/1608.04295).

/** A part of the work. */
export interface Stretch {
  /** Number of items processed. */
  readonly things: number;
  readonly ms: number;
}

/** Times an act that returns its number of items. */
export function timed(act: () => number): Stretch {
  const begun = performance.now();
  const things = act();
  return { things, ms: performance.now() - begun };
}

/** Items per second, over all stretches of a run. */
export function rateOf(stretches: readonly Stretch[]): number {
  const things = stretches.reduce((sum, stretch) => sum + stretch.things, 0);
  const ms = stretches.reduce((sum, stretch) => sum + stretch.ms, 0);
  return (things * 1000) / ms;
}

/**
 * Items per second with each stretch as fast as in its fastest run.
 * @throws {Error} when the runs did not do the same work.
 */
export function undisturbedRate(runs: readonly (readonly Stretch[])[]): number {
  const [first = [], ...others] = runs;
  const isSame = (run: readonly Stretch[]): boolean =>
    run.length === first.length && run.every(({ things }, at) => things === first[at]?.things);
  if (!others.every(isSame)) throw new Error('runs that should do the same did not');
  return rateOf(
    first.map(({ things }, at) => ({ things, ms: Math.min(...runs.map((run) => run[at]?.ms ?? Infinity)) })),
  );
}
