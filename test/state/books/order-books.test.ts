// Order books in their arena against a model of one map per side, and every kind of update that cannot be right.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookDelta, BookSnapshot, Levels } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID, type PriceGrid, TAPERED_DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Price, type Qty, cents, contracts, price, qty } from '../../../src/domain/units.ts';
import { BookChange, OrderBooks } from '../../../src/state/books/order-books.ts';
import { BEGIN, M0, M1, after, index, levels } from '../../support/engine/builders.ts';
import { NaiveBook } from '../../support/engine/naive-book.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const GRIDS: readonly (readonly [string, PriceGrid])[] = [
  ['whole-cent', CENT_GRID],
  ['deci-cent', DECI_CENT_GRID],
  ['tapered', TAPERED_DECI_CENT_GRID],
];

const delta = (market: MarketIndex, [isBid, at, change]: readonly [boolean, Price, number]): BookDelta => ({
  kind: 'book-delta',
  at: BEGIN,
  exchangeAt: null,
  market,
  side: isBid ? 'bid' : 'ask',
  price: at,
  change: change as Qty,
});
const snapshot = (market: MarketIndex, [bids, asks]: readonly [Levels, Levels], at = BEGIN): BookSnapshot => ({
  kind: 'book-snapshot',
  at,
  exchangeAt: null,
  market,
  bids,
  asks,
});

type Step =
  | { readonly type: 'snapshot'; readonly market: number; readonly bids: Levels; readonly asks: Levels }
  | {
      readonly type: 'delta';
      readonly market: number;
      readonly isBid: boolean;
      readonly at: Price;
      readonly change: number;
    }
  | { readonly type: 'distrust' | 'rebuild'; readonly market: number };

const MARKETS = 3;
const aMarketNumber = fc.nat(MARKETS - 1);

/** Prices near each other, so that levels meet; bids mostly below and asks mostly above the middle. */
function stepsOn(grid: PriceGrid): fc.Arbitrary<Step[]> {
  const near = (from: number, to: number): fc.Arbitrary<Price> => {
    const first = Math.floor(grid.cellCount * from);
    const last = Math.min(grid.cellCount - 1, Math.floor(grid.cellCount * to));
    return fc.integer({ min: first, max: last }).map((cell) => price(grid.priceByCell[cell]!));
  };
  const bidPrice = fc.oneof({ weight: 12, arbitrary: near(0.35, 0.49) }, near(0, 1));
  const askPrice = fc.oneof({ weight: 12, arbitrary: near(0.5, 0.64) }, near(0, 1));
  const unique = (at: fc.Arbitrary<Price>): fc.Arbitrary<Levels> =>
    fc.uniqueArray(fc.tuple(at, fc.integer({ min: 0, max: 500 }).map(qty)), { selector: ([p]) => p, maxLength: 12 });
  const snapshot = fc.record({
    type: fc.constant('snapshot' as const),
    market: aMarketNumber,
    bids: unique(near(0.3, 0.49)),
    asks: unique(near(0.5, 0.7)),
  });
  const change = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 1, max: 300 }) },
    { weight: 14, arbitrary: fc.integer({ min: -300, max: -1 }) },
    { weight: 1, arbitrary: fc.constantFrom(2_147_483_647, -2_147_483_647, 0) },
  );
  const delta = fc
    .record({ market: aMarketNumber, isBid: fc.boolean(), bid: bidPrice, ask: askPrice, change, odd: fc.nat(60) })
    .map((one) => {
      const at = one.odd === 0 ? price(4555) : one.isBid ? one.bid : one.ask;
      return { type: 'delta' as const, market: one.market, isBid: one.isBid, at, change: one.change };
    });
  const doubt = fc.record({ type: fc.constantFrom('distrust' as const, 'rebuild' as const), market: aMarketNumber });
  return fc.array(
    fc.oneof({ weight: 5, arbitrary: snapshot }, { weight: 60, arbitrary: delta }, { weight: 1, arbitrary: doubt }),
    { minLength: 20, maxLength: 120, size: 'max' },
  );
}

function applyBoth(step: Step, books: OrderBooks, models: readonly NaiveBook[]): void {
  const market = index(step.market);
  const model = models[step.market]!;
  if (step.type === 'snapshot') {
    books.applySnapshot(snapshot(market, [step.bids, step.asks]));
    model.applySnapshot(step.bids, step.asks);
  } else if (step.type === 'delta') {
    // Caps a removal at the level's quantity, except the largest: otherwise most removals would fault.
    const side = step.isBid ? 'bid' : 'ask';
    const held = model.qtyAt(side, step.at);
    const change = step.change < 0 && step.change > -300 ? Math.max(step.change, -held) : step.change;
    books.applyDelta(delta(market, [step.isBid, step.at, change]));
    model.applyDelta(side, step.at, change);
  } else if (step.type === 'rebuild') {
    books.markRebuilding(market);
    model.rebuild();
  } else {
    books.distrust(market);
    model.distrust();
  }
}

function expectSame(books: OrderBooks, models: readonly NaiveBook[]): void {
  for (const [number, model] of models.entries()) {
    const market = index(number);
    expect(books.trust(market)).toBe(model.trust);
    expect(books.epoch(market)).toBe(model.epoch);
    // A book that is not live makes no promise about its levels.
    if (model.trust !== 'live') continue;
    expect(books.bestBid(market)).toBe(model.best('bid'));
    expect(books.bestAsk(market)).toBe(model.best('ask'));
    const [bid, ask] = [model.best('bid'), model.best('ask')];
    expect(books.twiceMid(market)).toBe(bid === null || ask === null ? 0 : bid + ask);
    expect(books.levels(market, 'bid')).toEqual(model.levels('bid'));
    expect(books.levels(market, 'ask')).toEqual(model.levels('ask'));
    for (const [at, size] of model.levels('bid')) expect(books.qtyAt(market, 'bid', at)).toBe(size);
  }
}

describe.each(GRIDS)('order books on the %s grid', (_, grid) => {
  it('books have the touch, levels, quantities and trust of the map model', () => {
    let liveChecks = 0;
    fc.assert(
      fc.property(stepsOn(grid), (steps) => {
        const books = new OrderBooks();
        const models = Array.from({ length: MARKETS }, () => new NaiveBook(grid));
        for (let i = 0; i < MARKETS; i++) books.openBook(index(i), grid);
        for (const step of steps) {
          applyBoth(step, books, models);
          expectSame(books, models);
          liveChecks += models.filter((model) => model.trust === 'live').length;
        }
      }),
      { numRuns: runCount(30) },
    );
    expect(liveChecks).toBeGreaterThan(500);
  });
});

describe('the touch result of a delta', () => {
  it('a delta reports a touch change exactly when a best price or its quantity changed', () => {
    fc.assert(
      fc.property(stepsOn(CENT_GRID), (steps) => {
        const books = new OrderBooks();
        for (let i = 0; i < MARKETS; i++) books.openBook(index(i), CENT_GRID);
        const touch = (m: number): unknown => [books.levels(index(m), 'bid', 1), books.levels(index(m), 'ask', 1)];
        for (const step of steps) {
          if (step.type === 'snapshot') books.applySnapshot(snapshot(index(step.market), [step.bids, step.asks]));
          if (step.type !== 'delta' || step.change === 0) continue;
          const before = JSON.stringify(touch(step.market));
          const done = books.applyDelta(delta(index(step.market), [step.isBid, step.at, step.change]));
          const hasMoved = JSON.stringify(touch(step.market)) !== before;
          if (done === BookChange.touch || done === BookChange.depth) expect(done === BookChange.touch).toBe(hasMoved);
        }
      }),
      { numRuns: runCount(30) },
    );
  });
});

function liveBook(): OrderBooks {
  const books = new OrderBooks();
  books.openBook(M0, CENT_GRID);
  books.applySnapshot(snapshot(M0, [levels([40, 10], [39, 5]), levels([42, 10], [45, 5])]));
  return books;
}

describe('an update that cannot be right', () => {
  const wrong: readonly (readonly [string, boolean, number, number])[] = [
    ['takes more than a bid level has', true, 4000, -1001],
    ['takes from an ask level that is not there', false, 4300, -1],
    ['overflows a level', true, 4000, 2_147_483_647],
    ['is off the grid', true, 4050, 100],
    ['is at zero', true, 0, 100],
    ['is at a dollar', false, 10_000, 100],
    ['bids at the best ask', true, 4200, 100],
    ['bids above the best ask', true, 4400, 100],
    ['asks at the best bid', false, 4000, 100],
    ['asks below the best bid', false, 3800, 100],
  ];
  it.each(wrong)('a book becomes suspect when an update %s', (_, isBid, at, change) => {
    const books = liveBook();
    expect(books.applyDelta(delta(M0, [isBid, at as Price, qty(change)]))).toBe(BookChange.fault);
    expect(books.trust(M0)).toBe('suspect');
  });

  it('a faulty update makes the book ignore deltas until the next snapshot, which begins a new epoch', () => {
    const books = liveBook();
    const epoch = books.epoch(M0);
    books.applyDelta(delta(M0, [true, cents(45), contracts(1)]));
    expect(books.applyDelta(delta(M0, [true, cents(38), contracts(7)]))).toBe(BookChange.ignored);
    expect(books.qtyAt(M0, 'bid', cents(38))).toBe(0);
    expect(books.applySnapshot(snapshot(M0, [levels([30, 1]), levels([60, 1])]))).toBe(BookChange.touch);
    expect(books.trust(M0)).toBe('live');
    expect(books.epoch(M0)).toBe(epoch + 1);
    expect(books.levels(M0, 'bid')).toEqual(levels([30, 1]));
  });

  const wrongSnapshots: readonly (readonly [string, Levels, Levels])[] = [
    ['is crossed', levels([50, 1]), levels([49, 1])],
    ['is locked', levels([50, 1]), levels([50, 1])],
    ['has a price off the grid', [[price(4055), qty(1)]], levels()],
    ['has a negative quantity', levels([40, -1]), levels()],
    ['has a quantity beyond any level', [[cents(40), qty(2 ** 31)]], levels()],
  ];
  it.each(wrongSnapshots)('a book becomes suspect when a snapshot %s', (_, bids, asks) => {
    const books = liveBook();
    expect(books.applySnapshot(snapshot(M0, [bids, asks]))).toBe(BookChange.fault);
    expect(books.trust(M0)).toBe('suspect');
  });
});

describe('opening and closing', () => {
  it('a book ignores every update before it is opened and after it is closed', () => {
    const books = new OrderBooks();
    expect(books.applyDelta(delta(M0, [true, cents(40), contracts(1)]))).toBe(BookChange.ignored);
    expect(books.applySnapshot(snapshot(M0, [levels([40, 1]), levels()]))).toBe(BookChange.ignored);
    books.openBook(M0, CENT_GRID);
    books.closeBook(M0);
    expect(books.applySnapshot(snapshot(M0, [levels([40, 1]), levels()]))).toBe(BookChange.ignored);
    expect(books.trust(M0)).toBe('rebuilding');
  });

  it('a closed book is empty, even when its cells serve another market', () => {
    const books = liveBook();
    books.closeBook(M0);
    books.openBook(M1, CENT_GRID);
    books.applySnapshot(snapshot(M1, [levels([30, 3], [20, 2]), levels([70, 7])]));
    expect(books.bestBid(M0)).toBeNull();
    expect(books.bestAsk(M0)).toBeNull();
    expect(books.levels(M0, 'bid')).toEqual([]);
    expect(books.levels(M0, 'ask')).toEqual([]);
    expect(books.qtyAt(M0, 'bid', cents(30))).toBe(0);
  });

  it('a new book takes the cells of a closed one, cleared', () => {
    const books = liveBook();
    const before = books.byteLength;
    for (let i = 1; i <= 5; i++) {
      books.closeBook(index(i - 1));
      books.openBook(index(i), CENT_GRID);
      books.applySnapshot(snapshot(index(i), [levels(), levels()]));
      expect(books.levels(index(i), 'bid')).toEqual([]);
      expect(books.levels(index(i), 'ask')).toEqual([]);
      books.applySnapshot(snapshot(index(i), [levels([10, i]), levels([90, i])]));
    }
    expect(books.byteLength).toBe(before);
  });

  it('a changed grid begins a new epoch, empty and rebuilding', () => {
    const books = liveBook();
    const epoch = books.epoch(M0);
    books.openBook(M0, DECI_CENT_GRID);
    expect(books.trust(M0)).toBe('rebuilding');
    expect(books.epoch(M0)).toBe(epoch + 1);
    expect(books.levels(M0, 'bid')).toEqual([]);
    books.applySnapshot(snapshot(M0, [[[price(4210), qty(1)]], []]));
    expect(books.bestBid(M0)).toBe(4210);
  });

  it('every book keeps its levels while the arena grows', () => {
    const books = new OrderBooks();
    for (let i = 0; i < 200; i++) {
      books.openBook(index(i), GRIDS[i % 3]![1]);
      books.applySnapshot(
        snapshot(index(i), [levels([10 + (i % 30), i + 1]), levels([60 + (i % 30), i + 2])], after(i)),
      );
    }
    for (let i = 0; i < 200; i++) {
      expect(books.levels(index(i), 'bid')).toEqual(levels([10 + (i % 30), i + 1]));
      expect(books.levels(index(i), 'ask')).toEqual(levels([60 + (i % 30), i + 2]));
      expect(books.epoch(index(i))).toBe(2);
    }
  });

  it('expected markets allocate nothing later', () => {
    const books = new OrderBooks(50);
    const before = books.byteLength;
    for (let i = 0; i < 50; i++) books.openBook(index(i), CENT_GRID);
    expect(books.byteLength).toBe(before);
  });
});
