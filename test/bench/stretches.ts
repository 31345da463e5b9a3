// Work that is the same in every run of a scenario, timed in stretches, and how fast it goes where nobody disturbs it.
// Whatever else a machine does only ever slows it: the fastest that a stretch went in any run is nearest to what it takes
// (J. Chen and J. Revels, "Robust benchmarking in noisy environments", 2016, https://arxiv.org/abs/1608.04295).

/** Some of the work. */
export interface Stretch {
  /** How many things were done. */
  readonly things: number;
  readonly ms: number;
}

/** Times an act that says how many things it does. */
export function timed(act: () => number): Stretch {
  const begun = performance.now();
  const things = act();
  return { things, ms: performance.now() - begun };
}

/** Things a second, over all stretches of a run. */
export function rateOf(stretches: readonly Stretch[]): number {
  const things = stretches.reduce((sum, stretch) => sum + stretch.things, 0);
  const ms = stretches.reduce((sum, stretch) => sum + stretch.ms, 0);
  return (things * 1000) / ms;
}

/**
 * Things a second where each stretch goes as fast as it did in any of the runs.
 * @throws {Error} when the runs did not do the same.
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
