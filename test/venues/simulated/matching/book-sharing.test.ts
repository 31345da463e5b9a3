// Shared books: which books are shared, what is recorded of them meanwhile, and that each is copied back before it is
// needed.
import { describe, expect, it } from 'vitest';
import type { Levels } from '../../../../src/domain/event.ts';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { type Price, type Qty, cents, contracts } from '../../../../src/domain/units.ts';
import { RowKind } from '../../../../src/tape/baked/tape-rows.ts';
import type { BookOwner } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { logQueue } from '../../../../src/venues/simulated/models/queue-models.ts';
import { FillBench } from './fill-bench.ts';

const level = (price: number, qty: number): readonly [Price, Qty] => [cents(price), contracts(qty)];

/** Owns the second copy of a bench's book, and copies it back with the changes since. */
class SecondOwner implements BookOwner {
  readonly #bench: FillBench;
  readonly reclaimed: MarketIndex[] = [];
  bids: Levels = [level(50, 10)];
  asks: Levels = [level(55, 10)];
  /** The changes replayed after the copy: side, price and change. */
  changesSince: readonly (readonly ['bid' | 'ask', number, number])[] = [];

  constructor(bench: FillBench) {
    this.#bench = bench;
  }

  copyBack(market: MarketIndex): void {
    this.reclaimed.push(market);
    this.#bench.matching.restoreBook(market, this.bids, this.asks);
    for (const change of this.changesSince) this.#bench.delta(...change);
  }
}

/** A bench whose book is shared, and its owner. */
function sharedBench(): { readonly bench: FillBench; readonly owner: SecondOwner } {
  const bench = new FillBench();
  const owner = new SecondOwner(bench);
  bench.snapshot([[50, 10]], [[55, 10]]);
  expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(true);
  return { bench, owner };
}

const rowsOf = (price: number, qty: number) => ({
  kind: Uint8Array.of(RowKind.bid),
  market: Int32Array.of(0),
  price: Int32Array.of(price),
  qty: Float64Array.of(qty),
});

describe('sharing a book', () => {
  it('only a known book on the same grid can be shared, and only when nothing but resting orders is watched in it', () => {
    const bench = new FillBench();
    const { matching, market } = bench;
    const shares = (): boolean => matching.shareBook(market, CENT_GRID, new SecondOwner(bench));
    expect(matching.shareBook(7 as MarketIndex, CENT_GRID, new SecondOwner(bench))).toBe(false);
    expect(shares()).toBe(false);
    bench.snapshot([[50, 10]], [[55, 10]]);
    expect(matching.shareBook(market, DECI_CENT_GRID, new SecondOwner(bench))).toBe(false);
    // Quantity that we took is recorded at the level.
    bench.place({ side: 'buy', cents: 55, contracts: 1 });
    expect(shares()).toBe(false);
    bench.place({ side: 'buy', cents: 49, contracts: 1 });
    expect(shares()).toBe(false);
    bench.delta('ask', 55, -10);
    expect(matching.isBookShared(market)).toBe(false);
    expect(shares()).toBe(true);
    expect(matching.isBookShared(market)).toBe(true);
    expect(shares()).toBe(false);
  });

  it('all books are shared with one owner', () => {
    const { bench } = sharedBench();
    bench.matching.openMarket(1 as MarketIndex, CENT_GRID);
    bench.matching.applySnapshot(1 as MarketIndex, [], []);
    expect(() => bench.matching.shareBook(1 as MarketIndex, CENT_GRID, new SecondOwner(bench))).toThrow('one owner');
  });

  it('only a shared book is restored, with levels on its grid', () => {
    const { bench } = sharedBench();
    const { matching, market } = bench;
    expect(() => matching.restoreBook(market, [[4555 as Price, contracts(1)]], [])).toThrow(
      'levels that cannot be right',
    );
    matching.restoreBook(market, [], []);
    expect(() => matching.restoreBook(market, [], [])).toThrow('is not shared');
  });
});

/** Events that reclaim a book whether orders of ours rest in it or not. */
const ALWAYS_RECLAIM: readonly (readonly [string, (bench: FillBench) => unknown])[] = [
  ['its levels are read', ({ matching, market }) => matching.levelsOf(market)],
  ['its best prices are read', ({ matching, market }) => matching.mid2Of(market)],
  ['a snapshot replaces it', (bench) => bench.snapshot([[40, 1]], [])],
  ['it is lost', ({ matching, market }) => matching.loseBook(market)],
  ['its grid changes', ({ matching, market }) => matching.openMarket(market, DECI_CENT_GRID)],
  ['its market closes', ({ matching, market }) => matching.closeMarket(market)],
];

describe('a shared book', () => {
  it.each<readonly [string, (bench: FillBench) => unknown]>([
    ['an order arrives', (bench) => bench.place({ side: 'sell', cents: 50, contracts: 2, timeInForce: 'ioc' })],
    ['isKnown is called', ({ matching, market }) => matching.isBookKnown(market)],
    ['it is reclaimed', ({ matching, market }) => matching.reclaimBook(market)],
    ...ALWAYS_RECLAIM,
  ])('a shared book is copied back, once, when %s', (_what, act) => {
    const { bench, owner } = sharedBench();
    act(bench);
    expect(owner.reclaimed).toEqual([bench.market]);
    expect(bench.matching.isBookShared(bench.market)).toBe(false);
    bench.matching.reclaimBook(bench.market);
    expect(owner.reclaimed).toHaveLength(1);
  });

  it('deltas, prints, cancels and an unchanged description leave a shared book shared', () => {
    const { bench, owner } = sharedBench();
    const { matching, market } = bench;
    bench.delta('bid', 50, 3);
    bench.print('sell', 50, 3);
    expect(matching.applyDeltaBatch(rowsOf(5000, 100), 0, 1)).toBe(1);
    expect(matching.openMarket(market, CENT_GRID)).toEqual([]);
    matching.cancelOrder('o9');
    expect(owner.reclaimed).toEqual([]);
    expect(matching.isBookShared(market)).toBe(true);
  });

  it('a copied-back book is up to date, and an order rests behind its present quantity', () => {
    const { bench, owner } = sharedBench();
    owner.changesSince = [
      ['bid', 50, 5],
      ['bid', 50, -3],
    ];
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    expect(bench.ahead('o1')).toBe(12);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [level(50, 12)], asks: [level(55, 10)] });
  });

  it('a copied-back book is unknown, and counted as a fault, when a replayed change cannot be right', () => {
    const { bench, owner } = sharedBench();
    owner.changesSince = [['bid', 50, -11]];
    bench.snapshot([[50, 4]], []);
    expect(bench.matching.faultCount).toBe(1);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [level(50, 4)], asks: [] });
  });

  it.each<readonly [string, (bench: FillBench) => unknown]>([
    ['one by one', (bench) => bench.delta('bid', 50, -4)],
    ['at once', ({ matching }) => matching.applyDeltaBatch(rowsOf(5000, -400), 0, 1)],
  ])(
    'the latest decrease of a shared book is recorded when changes pass %s: its print moves no later order up',
    (_, cut) => {
      const ahead = (isShared: boolean): number | null => {
        const bench = new FillBench();
        const owner = new SecondOwner(bench);
        bench.snapshot([[50, 10]], [[55, 10]]);
        if (isShared) bench.matching.shareBook(bench.market, CENT_GRID, owner);
        cut(bench);
        owner.bids = [level(50, 6)];
        bench.place({ side: 'buy', cents: 50, contracts: 1 });
        bench.print('sell', 50, 4);
        return bench.ahead('o1');
      };
      expect(ahead(false)).toBe(6);
      expect(ahead(true)).toBe(6);
    },
  );
});

const rows = (...each: readonly (readonly ['bid' | 'ask', number, number])[]) => ({
  kind: Uint8Array.from(each, ([side]) => RowKind[side]),
  market: new Int32Array(each.length),
  price: Int32Array.from(each, ([, price]) => price * 100),
  qty: Float64Array.from(each, ([, , qty]) => qty * 100),
});

/** A bench whose book is shared while a bid of ours rests at 48 behind 10, and an ask of ours at 57 behind 10. */
function sharedWithOrders(options: ConstructorParameters<typeof FillBench>[0] = {}, cut = 0) {
  const bench = new FillBench(options);
  const owner = new SecondOwner(bench);
  const [bids, asks] = [[48, 50].map((at) => [at, 10] as const), [55, 57].map((at) => [at, 10] as const)];
  bench.snapshot(bids, asks);
  bench.place({ side: 'buy', cents: 48, contracts: 2 });
  bench.place({ side: 'sell', cents: 57, contracts: 2 });
  if (cut > 0) bench.delta('bid', 48, -cut);
  owner.bids = [level(50, 10), level(48, 10)];
  owner.asks = [level(55, 10), level(57, 10)];
  expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(true);
  return { bench, owner };
}

describe('a shared book with orders of ours', () => {
  it('changes between our orders, prints that reach none, and a reduced order leave the book shared', () => {
    const { bench, owner } = sharedWithOrders();
    const { matching, market } = bench;
    const between = rows(['bid', 49, 4], ['ask', 49, 4], ['bid', 56, -900], ['ask', 56, 1], ['bid', 50, -3]);
    expect(matching.applyDeltaBatch(between, 0, 5)).toBe(5);
    bench.print('sell', 49, 30);
    bench.print('buy', 56, 30);
    expect(matching.decreaseOrder('o1', contracts(1))).toBe(true);
    expect(matching.qtyAheadOf('o1')).toBe(1000);
    expect(owner.reclaimed).toEqual([]);
    expect(matching.isBookShared(market)).toBe(true);
    expect(bench.fillTexts()).toEqual([]);
  });

  it('changes beyond our orders, and changes of their levels that move no order, leave the book shared', () => {
    const { bench, owner } = sharedWithOrders();
    const { matching, market } = bench;
    const harmless = rows(['ask', 58, 1], ['bid', 47, -3], ['bid', 48, 5], ['ask', 57, 2]);
    expect(matching.applyDeltaBatch(harmless, 0, 4)).toBe(4);
    expect(matching.applyDeltaBatch(rows(['bid', 48, -5]), 0, 1)).toBe(0);
    bench.delta('bid', 48, -5);
    bench.delta('ask', 57, 1);
    bench.delta('ask', 59, -1);
    expect(matching.isBookShared(market)).toBe(true);
    expect(bench.ahead('o1')).toBe(10);
    owner.asks = [level(55, 10), level(57, 13), level(58, 1)];
    owner.changesSince = [['bid', 48, -1]];
    bench.delta('bid', 48, -1);
    expect(owner.reclaimed).toEqual([market]);
    expect(bench.ahead('o1')).toBe(9);
    expect(matching.levelsOf(market).bids).toEqual([level(50, 10), level(48, 9)]);
  });

  it('decreases recorded while the book is shared are matched with their prints', () => {
    const aheadAfter = (isShared: boolean): number | null => {
      const { bench, owner } = sharedWithOrders();
      if (!isShared) bench.matching.reclaimBook(bench.market);
      const changes: SecondOwner['changesSince'] = [
        ['bid', 48, 6],
        ['bid', 48, -4],
      ];
      for (const change of changes) bench.delta(...change);
      expect(bench.matching.isBookShared(bench.market)).toBe(isShared);
      owner.changesSince = changes;
      bench.print('sell', 48, 5);
      bench.delta('bid', 48, -3);
      return bench.ahead('o1');
    };
    expect(aheadAfter(true)).toBe(aheadAfter(false));
    expect(aheadAfter(true)).toBe(5);
  });

  it('decreases recorded while the book is shared are undone when the book turns out to be unknown by then', () => {
    const outcomeOf = (isShared: boolean): readonly unknown[] => {
      const { bench, owner } = sharedWithOrders();
      if (!isShared) bench.matching.reclaimBook(bench.market);
      const changes: SecondOwner['changesSince'] = [
        ['bid', 50, -11],
        ['bid', 48, 5],
        ['bid', 48, -4],
      ];
      for (const change of changes) bench.delta(...change);
      owner.changesSince = changes;
      expect(bench.matching.isBookKnown(bench.market)).toBe(false);
      bench.snapshot([[48, 10]], [[57, 10]]);
      bench.print('sell', 48, 4);
      bench.delta('bid', 48, -6);
      return [bench.matching.faultCount, bench.ahead('o1'), bench.fillTexts()];
    };
    expect(outcomeOf(true)).toEqual(outcomeOf(false));
    expect(outcomeOf(true)[0]).toBe(1);
  });

  it.each<readonly [string, (bench: FillBench) => unknown]>([
    ['a level of ours decreases and moves an order', (bench) => bench.delta('bid', 48, -1)],
    ['a level comes to cross ours', (bench) => bench.delta('ask', 48, 1)],
    [
      'a price is off its grid',
      ({ matching, market }) =>
        matching.applyDelta({ market, side: 'bid', price: 4950 as Price, change: contracts(1) }),
    ],
    ['a print is at our price', (bench) => bench.print('sell', 48, 1)],
    ['a print is through our price', (bench) => bench.print('buy', 58, 1)],
    ['an order of ours is canceled', ({ matching }) => matching.cancelOrder('o1')],
    ['an order of ours is decreased to zero', ({ matching }) => matching.decreaseOrder('o2', contracts(0))],
    ['an order of ours is amended', ({ matching }) => matching.amendOrder('o1', cents(49), contracts(1))],
    ['an order of ours is amended in place', ({ matching }) => matching.amendOrder('o1', cents(48), contracts(1))],
    ['a reduce-only order is trimmed', ({ matching, market }) => matching.trimReduceOnly(market)],
    ['another order of ours arrives', (bench) => bench.place({ side: 'sell', cents: 50, contracts: 2 })],
    ...ALWAYS_RECLAIM,
  ])('a shared book with orders of ours is copied back, once, when %s', (what, act) => {
    const bench = new FillBench();
    const owner = new SecondOwner(bench);
    bench.snapshot([[48, 10]], [[57, 10]]);
    bench.position = 1;
    bench.place({ side: 'buy', cents: 48, contracts: 2 });
    bench.place({ side: 'sell', cents: 57, contracts: 1, reduceOnly: what.includes('reduce') });
    [owner.bids, owner.asks] = [[level(48, 10)], [level(57, 10)]];
    expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(true);
    bench.position = 0;
    act(bench);
    expect(owner.reclaimed).toEqual([bench.market]);
    expect(bench.matching.isBookShared(bench.market)).toBe(false);
  });

  it.each<readonly [string, ConstructorParameters<typeof FillBench>[0]]>([
    ['pessimistic', {}],
    ['log', { queue: logQueue }],
  ])('changes from before the book was shared are replayed without effect on our orders: %s', (_, options) => {
    const { bench, owner } = sharedWithOrders(options, 6);
    const before = bench.ahead('o1');
    // The owner's copy is from before the decrease.
    owner.changesSince = [['bid', 48, -6]];
    bench.matching.reclaimBook(bench.market);
    expect(bench.ahead('o1')).toBe(before);
    expect(bench.matching.levelsOf(bench.market).bids).toContainEqual(level(48, 4));
    bench.delta('bid', 48, -4);
    expect(bench.ahead('o1')).toBe(0);
  });

  it('a crossing from before the book was shared is replayed without a second fill', () => {
    const bench = new FillBench();
    const owner = new SecondOwner(bench);
    bench.snapshot([[48, 10]], []);
    bench.place({ side: 'buy', cents: 48, contracts: 9 });
    bench.delta('ask', 48, 2);
    bench.delta('ask', 48, -2);
    [owner.bids, owner.asks] = [[level(48, 10)], []];
    owner.changesSince = [
      ['ask', 48, 2],
      ['ask', 48, -2],
    ];
    expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(true);
    bench.matching.reclaimBook(bench.market);
    expect(bench.fillTexts()).toEqual(['o1 2 at 48 crossed']);
  });

  it('a change that reclaims the book is in the copy, and takes effect once', () => {
    const { bench, owner } = sharedWithOrders();
    owner.changesSince = [['ask', 48, 1]];
    bench.delta('ask', 48, 1);
    expect(bench.fillTexts()).toEqual(['o1 1 at 48 crossed']);
    owner.asks = [level(48, 1), level(55, 10), level(57, 10)];
    // Quantity that we took is recorded at the level until the level decreases.
    expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(false);
    expect(bench.matching.levelsOf(bench.market).asks).toEqual([level(48, 1), level(55, 10), level(57, 10)]);
  });

  it('a copied-back book with a wrong change is unknown and counted once, and the print that reclaimed it respects that', () => {
    const { bench, owner } = sharedWithOrders({ queue: logQueue });
    expect(bench.matching.applyDeltaBatch(rows(['bid', 50, -11]), 0, 1)).toBe(1);
    owner.changesSince = [
      ['bid', 50, -11],
      ['bid', 48, -5],
    ];
    bench.print('sell', 48, 11);
    expect(bench.matching.faultCount).toBe(1);
    expect(bench.fillTexts()).toEqual(['o1 1 at 48 print']);
    bench.snapshot([[48, 3]], []);
    expect(bench.matching.faultCount).toBe(1);
  });

  it('a book is unknown when the change that reclaims it cannot be right', () => {
    const { bench, owner } = sharedWithOrders();
    owner.changesSince = [['bid', 48, -11]];
    bench.delta('bid', 48, -11);
    expect(bench.matching.faultCount).toBe(1);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.ahead('o1')).toBe(10);
  });

  it('the latest decrease of a shared book with orders of ours is recorded: its print moves no later order up', () => {
    const { bench, owner } = sharedWithOrders();
    // Another level had a change before.
    bench.matching.reclaimBook(bench.market);
    bench.delta('bid', 49, 1);
    owner.bids = [level(50, 6), level(49, 1), level(48, 10)];
    expect(bench.matching.shareBook(bench.market, CENT_GRID, owner)).toBe(true);
    // The owner's copy includes the decrease when the order comes.
    expect(bench.matching.applyDeltaBatch(rows(['bid', 50, -4]), 0, 1)).toBe(1);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.print('sell', 50, 4);
    expect(bench.ahead('o3')).toBe(6);
  });

  it('executions are reported after the copy, and a listener may cancel orders', () => {
    const seen: unknown[] = [];
    const { bench, owner } = sharedWithOrders({
      onExecution: () => void seen.push(bench.matching.cancelOrder('o1'), bench.matching.levelsOf(bench.market).bids),
    });
    expect(bench.matching.applyDeltaBatch(rows(['bid', 50, 4]), 0, 1)).toBe(1);
    owner.changesSince = [
      ['bid', 50, 4],
      ['ask', 47, 1],
    ];
    bench.delta('ask', 47, 1);
    expect(seen).toEqual([contracts(1), [level(50, 14), level(48, 10)]]);
    expect(owner.reclaimed).toHaveLength(1);
  });

  it('a book with orders of ours is restored only while it is reclaimed, or its watched levels would be lost', () => {
    const { bench } = sharedWithOrders();
    expect(() => bench.matching.restoreBook(bench.market, [], [])).toThrow('was not reclaimed');
  });
});
