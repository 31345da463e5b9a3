// Chooses the cases that properties try, before every test file. Every run tries the same cases, so that a failure
// comes from a change of the code. PRESAGE_SEED=9 tries others; PRESAGE_SEED=random tries new ones each time, as `npm
// run fuzz` does.
import * as fc from 'fast-check';
import { runCount } from './property-runs.ts';

const chosenSeed = process.env['PRESAGE_SEED'] ?? '1';
const seed = chosenSeed.trim() === '' ? Number.NaN : Number(chosenSeed);
if (chosenSeed !== 'random' && !Number.isSafeInteger(seed))
  throw new Error(`PRESAGE_SEED: expected a whole number or "random", found ${chosenSeed}`);

/** Default number of cases of a property; fast-check's own default. */
const USUAL_RUNS = 100;

fc.configureGlobal({ numRuns: runCount(USUAL_RUNS), ...(chosenSeed !== 'random' && { seed }) });
