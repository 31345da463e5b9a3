// Number of cases that a property tries. The usual number fits a test run of minutes. PRESAGE_RUNS=20 tries twenty
// times as many, and needs a longer `--testTimeout`. Must never be less than one.
const FACTOR = Number(process.env['PRESAGE_RUNS'] ?? 1);
if (!(FACTOR >= 1))
  throw new Error(`PRESAGE_RUNS: expected a number of 1 or more, found ${process.env['PRESAGE_RUNS'] ?? ''}`);

/** Returns a number of cases, multiplied by PRESAGE_RUNS. */
export const runCount = (usual: number): number => Math.max(1, Math.round(usual * FACTOR));
