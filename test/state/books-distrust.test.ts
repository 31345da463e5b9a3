// What is told before a book is believed no more, while its levels can still be read, with the change that is why if it is
// in them; and that a change which is refused leaves the levels as they were.
import { describe, expect, it } from 'vitest';
import type { BookSide, Levels } from '../../src/domain/event.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { type Price, type Qty, cents, price } from '../../src/domain/units.ts';
import { BookChange, Books } from '../../src/state/books.ts';
import { BEGIN, M0, M1 } from '../support/engine/builders.ts';

const BIDS: Levels = [
  [cents(45), 300 as Qty],
  [cents(44), 100 as Qty],
];
const ASKS: Levels = [
  [cents(55), 200 as Qty],
  [cents(57), 100 as Qty],
];
const base = { at: BEGIN, exchangeAt: null, market: M0 } as const;
const shown = (books: Books): unknown => ({
  bids: books.levels(M0, 'bid'),
  asks: books.levels(M0, 'ask'),
  best: [books.bestBid(M0), books.bestAsk(M0)],
  isLive: books.isLive(M0),
});
const AS_IT_WAS = { bids: BIDS, asks: ASKS, best: [cents(45), cents(55)], isLive: true };

/** Two live books, and what is told of them. */
function live(): { readonly books: Books; readonly told: unknown[] } {
  const books = new Books();
  const told: unknown[] = [];
  for (const market of [M0, M1]) {
    books.open(market, CENT_GRID);
    books.applySnapshot({ ...base, market, bids: BIDS, asks: ASKS });
  }
  books.onDistrust = (market, isRefused) => told.push({ market, isRefused, ...(shown(books) as object) });
  return { books, told };
}

const change = (books: Books, [side, at, qty]: readonly [BookSide, Price, number]): BookChange =>
  books.applyDelta({ ...base, side, price: at, change: qty as Qty });

type Refused = readonly [what: string, side: BookSide, at: Price, qty: number];
const REFUSED: readonly Refused[] = [
  ['takes more than there is', 'bid', cents(45), -301],
  ['takes from a level that is not there', 'ask', cents(56), -1],
  ['is off the grid', 'bid', price(4550), 100],
  ['is at no price at all', 'ask', -1 as Price, 100],
  ['makes a level larger than any', 'bid', cents(45), 2_147_483_647],
];
const CROSSING: readonly Refused[] = [
  ['bids what is asked', 'bid', cents(55), 100],
  ['bids more than is asked', 'bid', cents(60), 100],
  ['asks what is bid', 'ask', cents(45), 100],
  ['asks less than is bid', 'ask', cents(40), 100],
];

describe('a book is about to be believed no more', () => {
  it.each<readonly [string, (books: Books) => unknown]>([
    ['it is distrusted', (books) => books.distrust(M0)],
    ['it is asked for anew', (books) => books.rebuild(M0)],
    ['its market is closed', (books) => books.close(M0)],
    ['its grid is another', (books) => books.open(M0, DECI_CENT_GRID)],
    ['a snapshot replaces it', (books) => books.applySnapshot({ ...base, bids: [], asks: [] })],
    [
      'a snapshot that cannot be right replaces it',
      (books) => books.applySnapshot({ ...base, bids: [[cents(60), 1 as Qty]], asks: ASKS }),
    ],
  ])('and that is told before, once, with its levels: %s', (_what, act) => {
    const { books, told } = live();
    act(books);
    expect(told).toEqual([{ market: M0, isRefused: false, ...AS_IT_WAS }]);
    expect(books.isLive(M1)).toBe(true);
  });

  it.each(REFUSED)('and that is told before, as refused: a change %s', (_what, side, at, qty) => {
    const { books, told } = live();
    expect(change(books, [side, at, qty])).toBe(BookChange.fault);
    expect(told).toEqual([{ market: M0, isRefused: true, ...AS_IT_WAS }]);
  });

  it.each(CROSSING)('and that is told with the change in it, where one %s', (_what, side, at, qty) => {
    const { books, told } = live();
    expect(change(books, [side, at, qty])).toBe(BookChange.fault);
    const level = [at, qty] as const;
    const levels = side === 'bid' ? { bids: [level, ...BIDS] } : { asks: [level, ...ASKS] };
    const best = side === 'bid' ? [at, cents(55)] : [cents(45), at];
    expect(told).toEqual([{ market: M0, isRefused: false, ...AS_IT_WAS, ...levels, best }]);
    expect(books.trust(M0)).toBe('suspect');
  });

  it('and that is not told where it was not believed, nor where nothing happens to it', () => {
    const { books, told } = live();
    books.open(M0, CENT_GRID);
    change(books, ['bid', cents(46), 100]);
    expect(told).toEqual([]);
    books.distrust(M0);
    expect(told).toHaveLength(1);
    books.distrust(M0);
    books.rebuild(M0);
    change(books, ['bid', cents(45), -9999]);
    books.applySnapshot({ ...base, bids: [], asks: [] });
    expect(told).toHaveLength(1);
    books.close(M0);
    books.close(M0);
    expect(told).toHaveLength(2);
  });
});

describe('a change that is refused', () => {
  it.each(REFUSED)('leaves levels and best prices as they were: one that %s', (_what, side, at, qty) => {
    const { books } = live();
    change(books, [side, at, qty]);
    expect(shown(books)).toEqual({ ...AS_IT_WAS, isLive: false });
    expect(books.trust(M0)).toBe('suspect');
    for (const [level, held] of BIDS) expect(books.qtyAt(M0, 'bid', level)).toBe(held);
    for (const [level, held] of ASKS) expect(books.qtyAt(M0, 'ask', level)).toBe(held);
  });
});
