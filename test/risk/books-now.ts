// Stand-ins for order books of which only the mid matters.
import type { Micros } from '../../src/domain/units.ts';
import type { BooksNow } from '../../src/risk/market-watch.ts';

/** Makes books at a time that all have this doubled mid. */
export const booksNow = (now: Micros, twiceMid: number): BooksNow => ({ now, books: { twiceMid: () => twiceMid } });
