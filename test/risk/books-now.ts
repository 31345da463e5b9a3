// Books of which nothing matters but the middle.
import type { Micros } from '../../src/domain/units.ts';
import type { BooksNow } from '../../src/risk/market-watch.ts';

/** Books at a time, each with twice the mid. */
export const booksNow = (now: Micros, twiceMid: number): BooksNow => ({ now, books: { twiceMid: () => twiceMid } });
