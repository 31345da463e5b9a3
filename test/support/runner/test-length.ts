// Selects the part of a test file that runs: `npm test` runs the short part, `npm run test:long` the long part.

/** True in a run of the long tests. */
export const IS_LONG = process.env['PRESAGE_TESTS'] === 'long';

/** Returns the cases that run now: the short cases at every change, the other cases with the long tests. */
export const casesOf = <T>(all: readonly T[], isShort: (each: T) => boolean): T[] =>
  all.filter((each) => isShort(each) !== IS_LONG);
