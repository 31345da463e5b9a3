// `onDistrust` runs before a live book becomes suspect, while its levels can still be read, and after the change that
// is the cause, if one was applied. A refused change leaves the levels untouched.
import { describe, expect, it } from 'vitest';
import type { BookSide, Levels } from '../../../src/domain/event.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Price, type Qty, cents, price } from '../../../src/domain/units.ts';
import { BookChange, OrderBooks } from '../../../src/state/books/order-books.ts';
import { BEGIN, M0, M1 } from '../../support/engine/builders.ts';

const BIDS: Levels = [
  [cents(45), 300 as Qty],
  [cents(44), 100 as Qty],
];
const ASKS: Levels = [
  [cents(55), 200 as Qty],
  [cents(57), 100 as Qty],
];
const base = { at: BEGIN, exchangeAt: null, market: M0 } as const;
const shown = (books: OrderBooks): unknown => ({
  bids: books.levels(M0, 'bid'),
  asks: books.levels(M0, 'ask'),
  best: [books.bestBid(M0), books.bestAsk(M0)],
  isLive: books.isLive(M0),
});
const UNCHANGED = { bids: BIDS, asks: ASKS, best: [cents(45), cents(55)], isLive: true };

/** Two live books, and the calls of `onDistrust`. */
function live(): { readonly books: OrderBooks; readonly calls: unknown[] } {
  const books = new OrderBooks();
  const calls: unknown[] = [];
  for (const market of [M0, M1]) {
    books.openBook(market, CENT_GRID);
    books.applySnapshot({ ...base, market, bids: BIDS, asks: ASKS });
  }
  books.onDistrust = (market, isRefused) => calls.push({ market, isRefused, ...(shown(books) as object) });
  return { books, calls };
}

const change = (books: OrderBooks, [side, at, qty]: readonly [BookSide, Price, number]): BookChange =>
  books.applyDelta({ ...base, side, price: at, change: qty as Qty });

type Refused = readonly [what: string, side: BookSide, at: Price, qty: number];
const REFUSED: readonly Refused[] = [
  ['takes more than there is', 'bid', cents(45), -301],
  ['takes from a level that is not there', 'ask', cents(56), -1],
  ['is off the grid', 'bid', price(4550), 100],
  ['is at no price at all', 'ask', -1 as Price, 100],
  ['makes a level too large', 'bid', cents(45), 2_147_483_647],
];
const CROSSING: readonly Refused[] = [
  ['bids at the best ask', 'bid', cents(55), 100],
  ['bids above the best ask', 'bid', cents(60), 100],
  ['asks at the best bid', 'ask', cents(45), 100],
  ['asks below the best bid', 'ask', cents(40), 100],
];

describe('before a live book becomes suspect', () => {
  it.each<readonly [string, (books: OrderBooks) => unknown]>([
    ['it is distrusted', (books) => books.distrust(M0)],
    ['a new snapshot is requested', (books) => books.markRebuilding(M0)],
    ['its market is closed', (books) => books.closeBook(M0)],
    ['its grid changes', (books) => books.openBook(M0, DECI_CENT_GRID)],
    ['a snapshot replaces it', (books) => books.applySnapshot({ ...base, bids: [], asks: [] })],
    [
      'a snapshot that cannot be right replaces it',
      (books) => books.applySnapshot({ ...base, bids: [[cents(60), 1 as Qty]], asks: ASKS }),
    ],
  ])('onDistrust runs once, with the levels still there: %s', (_what, act) => {
    const { books, calls } = live();
    act(books);
    expect(calls).toEqual([{ market: M0, isRefused: false, ...UNCHANGED }]);
    expect(books.isLive(M1)).toBe(true);
  });

  it.each(REFUSED)('onDistrust reports a refused change: it %s', (_what, side, at, qty) => {
    const { books, calls } = live();
    expect(change(books, [side, at, qty])).toBe(BookChange.fault);
    expect(calls).toEqual([{ market: M0, isRefused: true, ...UNCHANGED }]);
  });

  it.each(CROSSING)('onDistrust sees the change applied when it %s', (_what, side, at, qty) => {
    const { books, calls } = live();
    expect(change(books, [side, at, qty])).toBe(BookChange.fault);
    const level = [at, qty] as const;
    const levels = side === 'bid' ? { bids: [level, ...BIDS] } : { asks: [level, ...ASKS] };
    const best = side === 'bid' ? [at, cents(55)] : [cents(45), at];
    expect(calls).toEqual([{ market: M0, isRefused: false, ...UNCHANGED, ...levels, best }]);
    expect(books.trust(M0)).toBe('suspect');
  });

  it('onDistrust does not run for a book that is not live, nor without a cause', () => {
    const { books, calls } = live();
    books.openBook(M0, CENT_GRID);
    change(books, ['bid', cents(46), 100]);
    expect(calls).toEqual([]);
    books.distrust(M0);
    expect(calls).toHaveLength(1);
    books.distrust(M0);
    books.markRebuilding(M0);
    change(books, ['bid', cents(45), -9999]);
    books.applySnapshot({ ...base, bids: [], asks: [] });
    expect(calls).toHaveLength(1);
    books.closeBook(M0);
    books.closeBook(M0);
    expect(calls).toHaveLength(2);
  });
});

describe('a refused change', () => {
  it.each(REFUSED)('a refused change that %s leaves levels and best prices untouched', (_what, side, at, qty) => {
    const { books } = live();
    change(books, [side, at, qty]);
    expect(shown(books)).toEqual({ ...UNCHANGED, isLive: false });
    expect(books.trust(M0)).toBe('suspect');
    for (const [level, held] of BIDS) expect(books.qtyAt(M0, 'bid', level)).toBe(held);
    for (const [level, held] of ASKS) expect(books.qtyAt(M0, 'ask', level)).toBe(held);
  });
});
