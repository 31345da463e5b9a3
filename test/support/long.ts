// Which part of a test file runs: `npm test` runs the short part, `npm run test:long` the long one.

/** Whether this is a run of the long tests. */
export const IS_LONG = process.env['PRESAGE_TESTS'] === 'long';

/** Of all cases, those that run now: the short ones at every change, the others among the long tests. */
export const casesOf = <T>(all: readonly T[], isShort: (each: T) => boolean): T[] =>
  all.filter((each) => isShort(each) !== IS_LONG);
