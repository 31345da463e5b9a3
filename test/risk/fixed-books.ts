// Stand-ins for order books of which only the mid matters.
import type { Micros } from '../../src/domain/units.ts';
import type { CurrentBooks } from '../../src/risk/market-watch.ts';

/** Makes books at a time that all have this doubled mid. */
export const booksWithMid = (now: Micros, twiceMid: number): CurrentBooks => ({
  now,
  books: { twiceMid: () => twiceMid },
});
