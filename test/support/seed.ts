// Before every test file: which cases properties try. The same ones in every run, so that what fails was broken by what
// changed; PRESAGE_SEED=9 tries others, PRESAGE_SEED=random new ones each time, as `npm run fuzz` does.
import * as fc from 'fast-check';
import { runs } from './runs.ts';

const told = process.env['PRESAGE_SEED'] ?? '1';
const seed = told.trim() === '' ? Number.NaN : Number(told);
if (told !== 'random' && !Number.isSafeInteger(seed))
  throw new Error(`PRESAGE_SEED: expected a whole number or "random", found ${told}`);

/** How many cases a property tries that says nothing of it: fast-check's own number. */
const USUAL_RUNS = 100;

fc.configureGlobal({ numRuns: runs(USUAL_RUNS), ...(told !== 'random' && { seed }) });
