// Books that the floor lends: which it does, what it notes of them meanwhile, and that each is back before it is needed.
import { describe, expect, it } from 'vitest';
import type { Levels } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../../src/domain/price-grid.ts';
import { type Price, type Qty, cents, contracts } from '../../../src/domain/units.ts';
import { RowKind } from '../../../src/tape/baked/rows.ts';
import type { BookKeeper } from '../../../src/venues/simulated/ports.ts';
import { FloorBench } from './floor-bench.ts';

const level = (price: number, qty: number): readonly [Price, Qty] => [cents(price), contracts(qty)];

/** Keeps one book of a bench, and gives it back with what is noted of it. */
class Keeper implements BookKeeper {
  readonly #bench: FloorBench;
  readonly wantedBack: MarketIndex[] = [];
  bids: Levels = [level(50, 10)];
  asks: Levels = [level(55, 10)];
  /** What is told after the book that it gives back: changes of the bid at 50. */
  since: number[] = [];

  constructor(bench: FloorBench) {
    this.#bench = bench;
  }

  wanted(market: MarketIndex): void {
    this.wantedBack.push(market);
    this.#bench.floor.restore(market, this.bids, this.asks);
    for (const change of this.since) this.#bench.delta('bid', 50, change);
  }
}

/** A bench whose book is lent, and who has it. */
function lent(): { readonly bench: FloorBench; readonly keeper: Keeper } {
  const bench = new FloorBench();
  const keeper = new Keeper(bench);
  bench.snapshot([[50, 10]], [[55, 10]]);
  expect(bench.floor.lend(bench.market, CENT_GRID, keeper)).toBe(true);
  return { bench, keeper };
}

const rowsOf = (price: number, qty: number) => ({
  kind: Uint8Array.of(RowKind.bid),
  market: Int32Array.of(0),
  price: Int32Array.of(price),
  qty: Float64Array.of(qty),
});

describe('the floor lends', () => {
  it('only a book that is known, that is on the same grid, and in which nothing of ours is', () => {
    const bench = new FloorBench();
    const { floor, market } = bench;
    const lends = (): boolean => floor.lend(market, CENT_GRID, new Keeper(bench));
    expect(floor.lend(7 as MarketIndex, CENT_GRID, new Keeper(bench))).toBe(false);
    expect(lends()).toBe(false);
    bench.snapshot([[50, 10]], [[55, 10]]);
    expect(floor.lend(market, DECI_CENT_GRID, new Keeper(bench))).toBe(false);
    bench.place({ side: 'buy', cents: 49, contracts: 1 });
    expect(lends()).toBe(false);
    floor.cancel('o1');
    // What we took of a level is noted there.
    bench.place({ side: 'buy', cents: 55, contracts: 1 });
    expect(lends()).toBe(false);
    bench.delta('ask', 55, -10);
    expect(floor.isLent(market)).toBe(false);
    expect(lends()).toBe(true);
    expect(floor.isLent(market)).toBe(true);
    expect(lends()).toBe(false);
  });

  it('to one keeper alone', () => {
    const { bench } = lent();
    bench.floor.open(1 as MarketIndex, CENT_GRID);
    bench.floor.snapshot(1 as MarketIndex, [], []);
    expect(() => bench.floor.lend(1 as MarketIndex, CENT_GRID, new Keeper(bench))).toThrow('one keeper alone');
  });

  it('and takes back only what it has lent, with levels that its grid has', () => {
    const { bench } = lent();
    const { floor, market } = bench;
    expect(() => floor.restore(market, [[4555 as Price, contracts(1)]], [])).toThrow('levels that it cannot have');
    floor.restore(market, [], []);
    expect(() => floor.restore(market, [], [])).toThrow('is not lent');
  });
});

describe('a book that is lent', () => {
  it.each<readonly [string, (bench: FloorBench) => unknown]>([
    ['an order arrives', (bench) => bench.place({ side: 'sell', cents: 50, contracts: 2, timeInForce: 'ioc' })],
    ['its levels are read', ({ floor, market }) => floor.levels(market)],
    ['it is asked whether it is known', ({ floor, market }) => floor.isKnown(market)],
    ['it is had back', ({ floor, market }) => floor.recall(market)],
    ['a snapshot replaces it', (bench) => bench.snapshot([[40, 1]], [])],
    ['it is lost', ({ floor, market }) => floor.lose(market)],
    ['its grid is another', ({ floor, market }) => floor.open(market, DECI_CENT_GRID)],
    ['its market closes', ({ floor, market }) => floor.close(market)],
  ])('is back, once, when %s', (_what, act) => {
    const { bench, keeper } = lent();
    act(bench);
    expect(keeper.wantedBack).toEqual([bench.market]);
    expect(bench.floor.isLent(bench.market)).toBe(false);
    bench.floor.recall(bench.market);
    expect(keeper.wantedBack).toHaveLength(1);
  });

  it('is left where it is by changes, prints, cancels and the same description again', () => {
    const { bench, keeper } = lent();
    const { floor, market } = bench;
    bench.delta('bid', 50, 3);
    bench.print('sell', 50, 3);
    expect(floor.quietDeltas(rowsOf(5000, 100), 0, 1)).toBe(1);
    expect(floor.open(market, CENT_GRID)).toEqual([]);
    floor.cancel('o9');
    expect(keeper.wantedBack).toEqual([]);
    expect(floor.isLent(market)).toBe(true);
  });

  it('comes back as it is by now, and an order stands behind what is there by now', () => {
    const { bench, keeper } = lent();
    keeper.since = [5, -3];
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    expect(bench.ahead('o1')).toBe(12);
    expect(bench.floor.levels(bench.market)).toEqual({ bids: [level(50, 12)], asks: [level(55, 10)] });
  });

  it('comes back as unknown, and counted, where what was told of it since cannot be right', () => {
    const { bench, keeper } = lent();
    keeper.since = [-11];
    bench.snapshot([[50, 4]], []);
    expect(bench.floor.faults).toBe(1);
    expect(bench.floor.levels(bench.market)).toEqual({ bids: [level(50, 4)], asks: [] });
  });

  it.each<readonly [string, (bench: FloorBench) => unknown]>([
    ['one by one', (bench) => bench.delta('bid', 50, -4)],
    ['at once', ({ floor }) => floor.quietDeltas(rowsOf(5000, -400), 0, 1)],
  ])(
    'has its latest cut noted where changes pass %s: a print that explains it moves nobody up who came later',
    (_, cut) => {
      const ahead = (isLent: boolean): number | null => {
        const bench = new FloorBench();
        const keeper = new Keeper(bench);
        bench.snapshot([[50, 10]], [[55, 10]]);
        if (isLent) bench.floor.lend(bench.market, CENT_GRID, keeper);
        cut(bench);
        keeper.bids = [level(50, 6)];
        bench.place({ side: 'buy', cents: 50, contracts: 1 });
        bench.print('sell', 50, 4);
        return bench.ahead('o1');
      };
      expect(ahead(false)).toBe(6);
      expect(ahead(true)).toBe(6);
    },
  );
});
