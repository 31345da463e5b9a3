// Chooses the cases that properties try, before every test file. Every run tries the same cases, so that a failure
// comes from a change of the code. PRESAGE_SEED=9 tries others; PRESAGE_SEED=random tries new ones each time, as `npm
// run fuzz` does.
import * as fc from 'fast-check';
import { runs } from './runs.ts';

const told = process.env['PRESAGE_SEED'] ?? '1';
const seed = told.trim() === '' ? Number.NaN : Number(told);
if (told !== 'random' && !Number.isSafeInteger(seed))
  throw new Error(`PRESAGE_SEED: expected a whole number or "random", found ${told}`);

/** Default number of cases of a property; fast-check's own default. */
const USUAL_RUNS = 100;

fc.configureGlobal({ numRuns: runs(USUAL_RUNS), ...(told !== 'random' && { seed }) });
