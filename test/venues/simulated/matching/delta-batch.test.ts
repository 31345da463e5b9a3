// A batch of rows has the same effect as the rows one by one, and stops at a row that concerns us or cannot be right.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { PAYOUT, type Price, type Qty } from '../../../../src/domain/units.ts';
import { RowKind } from '../../../../src/tape/baked/tape-rows.ts';
import type { BookOwner, DeltaColumns } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { logQueue, pessimistic } from '../../../../src/venues/simulated/models/queue-models.ts';
import { FillBench } from './fill-bench.ts';

const OTHER = 1 as MarketIndex;

interface Row {
  readonly kind: RowKind;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
}

const rowsOf = (rows: readonly Row[]): DeltaColumns => ({
  kind: Uint8Array.from(rows, ({ kind }) => kind),
  market: Int32Array.from(rows, ({ market }) => market),
  price: Int32Array.from(rows, ({ price }) => price),
  qty: Float64Array.from(rows, ({ qty }) => qty),
});

/** Two markets with known books, empty but for one level of the first, where an order of ours may rest. */
function openBench(hasOrder: boolean, options: ConstructorParameters<typeof FillBench>[0] = {}): FillBench {
  const bench = new FillBench(options);
  bench.matching.openMarket(OTHER, CENT_GRID);
  bench.snapshot([[50, 10]], []);
  bench.matching.applySnapshot(OTHER, [], []);
  if (hasOrder) bench.place({ side: 'buy', cents: 50, contracts: 3 });
  return bench;
}

/** Applies one row as the driver does. */
function passOne(bench: FillBench, { kind, market, price, qty }: Row): void {
  if (kind !== RowKind.bid && kind !== RowKind.ask) return;
  const side = kind === RowKind.bid ? 'bid' : 'ask';
  bench.matching.applyDelta({ market: market as MarketIndex, side, price: price as Price, change: qty as Qty });
}

/** The same, for prints as well. */
function passAny(bench: FillBench, row: Row): void {
  const { kind, market, price, qty } = row;
  if (kind !== RowKind.buy && kind !== RowKind.sell) return passOne(bench, row);
  const side = kind === RowKind.buy ? 'buy' : 'sell';
  bench.matching.applyPrint({ market: market as MarketIndex, side, price: price as Price, qty: Math.abs(qty) as Qty });
}

/**
 * Copies both books back as they were at first, with all rows since; trades that reach no order of ours change nothing.
 */
class SecondOwner implements BookOwner {
  readonly #bench: FillBench;
  readonly #rows: readonly Row[];
  /** Number of rows passed. */
  passed = 0;
  /** Number of times a book with orders of ours was shared. */
  sharedCount = 0;

  constructor(bench: FillBench, rows: readonly Row[]) {
    this.#bench = bench;
    this.#rows = rows;
  }

  copyBack(market: MarketIndex): void {
    const { matching } = this.#bench;
    matching.restoreBook(market, market === OTHER ? [] : [[5000 as Price, 1000 as Qty]], []);
    for (const row of this.#rows.slice(0, this.passed)) if (row.market === Number(market)) passOne(this.#bench, row);
  }

  share(): void {
    for (const market of [this.#bench.market, OTHER]) {
      const isShared = this.#bench.matching.shareBook(market, CENT_GRID, this);
      if (isShared && market !== OTHER && this.#bench.ahead('o1') !== null) this.sharedCount += 1;
    }
  }
}

const seen = (bench: FillBench): unknown => ({
  first: bench.matching.levelsOf(bench.market),
  second: bench.matching.levelsOf(OTHER),
  known: [bench.matching.isBookKnown(bench.market), bench.matching.isBookKnown(OTHER)],
  fills: bench.fillTexts(),
  ahead: bench.ahead('o1'),
});

const aRow = fc.record<Row>({
  kind: fc.constantFrom<RowKind>(RowKind.bid, RowKind.ask, RowKind.bid, RowKind.ask, RowKind.buy, RowKind.sell),
  market: fc.constantFrom(0, 0, 1, 1),
  price: fc.constantFrom(4900, 5000, 5100, 5050),
  qty: fc.constantFrom(100, 200, 300, -100, -200),
});

describe('a batch of rows', () => {
  it('a batch has the effect of its rows one by one', () => {
    fc.assert(
      fc.property(fc.array(aRow, { maxLength: 40 }), fc.boolean(), (rows, hasOrder) => {
        const [single, many] = [openBench(hasOrder), openBench(hasOrder)];
        for (const row of rows) passOne(single, row);
        for (let row = 0; row < rows.length;) {
          const reached = many.matching.applyDeltaBatch(rowsOf(rows), row, rows.length);
          expect(reached).toBeGreaterThanOrEqual(row);
          if (reached === rows.length) break;
          passOne(many, rows[reached]!);
          row = reached + 1;
        }
        expect(seen(many)).toEqual(seen(single));
      }),
    );
  });

  it('a batch has the same effect while books are shared, with or without orders of ours in them', () => {
    let sharedCount = 0;
    const fills = new Set<boolean>();
    const drawn = [
      fc.array(aRow, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom(pessimistic, logQueue),
    ] as const;
    fc.assert(
      fc.property(...drawn, (all, hasOrder, fillWhenCrossed, queue) => {
        const options = { queue, fillWhenCrossed };
        const [unshared, shared] = [openBench(hasOrder, options), openBench(hasOrder, options)];
        const owner = new SecondOwner(shared, all);
        for (let row = 0; row < all.length; row++) {
          owner.share();
          const reached = shared.matching.applyDeltaBatch(rowsOf(all), row, all.length);
          for (const each of all.slice(row, reached + 1)) passAny(unshared, each);
          owner.passed = Math.min(all.length, reached + 1);
          if (reached < all.length) passAny(shared, all[reached]!);
          row = reached;
          expect([shared.fillTexts(), shared.ahead('o1')]).toEqual([unshared.fillTexts(), unshared.ahead('o1')]);
        }
        sharedCount += owner.sharedCount;
        fills.add(unshared.fillTexts().length > 0);
        expect([seen(shared), shared.matching.faultCount]).toEqual([seen(unshared), unshared.matching.faultCount]);
      }),
    );
    expect(sharedCount).toBeGreaterThan(20);
    expect(fills).toEqual(new Set([false, true]));
  });

  it('a batch passes between our orders in a shared book, even with wrong rows, and stops where they rest or are crossed', () => {
    const [bid, ask] = [
      { kind: RowKind.bid, market: 0, price: 5100, qty: 100 },
      { kind: RowKind.ask, market: 0, price: 5100, qty: 100 },
    ] as const;
    const passedOfShared = (rows: readonly Row[]): number => {
      const bench = openBench(true);
      bench.place({ side: 'sell', cents: 53, contracts: 1 });
      expect(bench.matching.shareBook(bench.market, CENT_GRID, new SecondOwner(bench, []))).toBe(true);
      return bench.matching.applyDeltaBatch(rowsOf(rows), 0, rows.length);
    };
    const between = [bid, ask, { ...bid, qty: -900_000 }, { ...ask, price: 5200 }, { ...bid, qty: 9_000_000_000 }];
    expect(passedOfShared(between)).toBe(between.length);
    const stops: readonly Row[] = [
      { ...bid, price: 5000, qty: -100 },
      { ...ask, price: 5300, qty: -100 },
      { ...ask, price: 5000 },
      { ...ask, price: 4900 },
      { ...bid, price: 5300 },
      { ...bid, price: 5400 },
      { ...bid, price: 5050 },
      { ...bid, kind: RowKind.buy },
    ];
    for (const stop of stops) expect(passedOfShared([bid, stop, bid])).toBe(1);
  });

  it('a batch stops at a decrease where we rest, a crossing, another kind of row, and a wrong row', () => {
    const bid: Row = { kind: RowKind.bid, market: 1, price: 4900, qty: 100 };
    const stops: readonly Row[] = [
      { ...bid, market: 0, price: 5000, qty: -100 },
      { ...bid, market: 0, price: 5000, kind: RowKind.ask },
      { ...bid, market: 0, price: 4900, kind: RowKind.ask },
      { ...bid, kind: RowKind.buy },
      { ...bid, price: 4950 },
      { ...bid, qty: -900 },
      { ...bid, market: 7 },
    ];
    for (const stop of stops) {
      const bench = openBench(true);
      expect(bench.matching.applyDeltaBatch(rowsOf([bid, stop, bid]), 0, 3)).toBe(1);
      expect(bench.matching.levelsOf(OTHER).bids).toEqual([[4900, 100]]);
    }
  });

  it('a batch stops at a price beyond all prices, where the map of another grid lies', () => {
    const bench = new FillBench();
    bench.matching.openMarket(OTHER, DECI_CENT_GRID);
    bench.snapshot([[50, 10]], []);
    bench.matching.applySnapshot(OTHER, [], []);
    const beyond: Row = { kind: RowKind.bid, market: 0, price: PAYOUT + 1 + 5000, qty: 100 };
    expect(bench.matching.applyDeltaBatch(rowsOf([beyond]), 0, 1)).toBe(0);
    passOne(bench, beyond);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.matching.levelsOf(OTHER).bids).toEqual([]);
  });

  it('a batch passes rows of our book that do not concern our order', () => {
    const bench = openBench(true);
    const harmless: readonly Row[] = [
      { kind: RowKind.bid, market: 0, price: 4900, qty: 100 },
      { kind: RowKind.bid, market: 0, price: 5000, qty: 100 },
      { kind: RowKind.bid, market: 0, price: 4900, qty: -100 },
      { kind: RowKind.ask, market: 0, price: 5100, qty: 100 },
      { kind: RowKind.ask, market: 0, price: 5100, qty: -100 },
    ];
    expect(bench.matching.applyDeltaBatch(rowsOf(harmless), 0, harmless.length)).toBe(harmless.length);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [[5000, 1100]], asks: [] });
    expect(bench.fillTexts()).toEqual([]);
  });

  it('a batch applies only the rows of its range', () => {
    const bench = openBench(false);
    const rows = rowsOf([4800, 4900, 5000].map((price) => ({ kind: RowKind.bid, market: 1, price, qty: 100 })));
    expect(bench.matching.applyDeltaBatch(rows, 1, 2)).toBe(2);
    expect(bench.matching.levelsOf(OTHER).bids).toEqual([[4900, 100]]);
  });
});
