// Many rows put into the floor's books at once are what they are one by one; and a row that concerns us, or that cannot be
// right, is left alone.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import type { Price, Qty } from '../../../src/domain/units.ts';
import { RowKind } from '../../../src/tape/baked/rows.ts';
import type { LevelRows } from '../../../src/venues/simulated/ports.ts';
import { FloorBench } from './floor-bench.ts';

const OTHER = 1 as MarketIndex;

interface Row {
  readonly kind: RowKind;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
}

const rowsOf = (rows: readonly Row[]): LevelRows => ({
  kind: Uint8Array.from(rows, ({ kind }) => kind),
  market: Int32Array.from(rows, ({ market }) => market),
  price: Int32Array.from(rows, ({ price }) => price),
  qty: Float64Array.from(rows, ({ qty }) => qty),
});

/** Two markets whose books are known and empty but for one level of the first; in it, perhaps, an order of ours rests. */
function opened(hasOrder: boolean): FloorBench {
  const bench = new FloorBench();
  bench.floor.open(OTHER, CENT_GRID);
  bench.snapshot([[50, 10]], []);
  bench.floor.snapshot(OTHER, [], []);
  if (hasOrder) bench.place({ side: 'buy', cents: 50, contracts: 3 });
  return bench;
}

/** One row as the driver passes it. */
function passOne(bench: FloorBench, { kind, market, price, qty }: Row): void {
  if (kind !== RowKind.bid && kind !== RowKind.ask) return;
  const side = kind === RowKind.bid ? 'bid' : 'ask';
  bench.floor.delta({ market: market as MarketIndex, side, price: price as Price, change: qty as Qty });
}

const seen = (bench: FloorBench): unknown => ({
  first: bench.floor.levels(bench.market),
  second: bench.floor.levels(OTHER),
  known: [bench.floor.isKnown(bench.market), bench.floor.isKnown(OTHER)],
  fills: bench.fills(),
  ahead: bench.ahead('o1'),
});

const aRow = fc.record<Row>({
  kind: fc.constantFrom<RowKind>(RowKind.bid, RowKind.ask, RowKind.bid, RowKind.ask, RowKind.buy),
  market: fc.constantFrom(0, 0, 1, 1),
  price: fc.constantFrom(4900, 5000, 5100, 5050),
  qty: fc.constantFrom(100, 200, 300, -100, -200),
});

describe('rows put in at once', () => {
  it('do what they do one by one, and those that are left alone are passed so', () => {
    fc.assert(
      fc.property(fc.array(aRow, { maxLength: 40 }), fc.boolean(), (rows, hasOrder) => {
        const [single, many] = [opened(hasOrder), opened(hasOrder)];
        for (const row of rows) passOne(single, row);
        for (let row = 0; row < rows.length;) {
          const reached = many.floor.quietDeltas(rowsOf(rows), row, rows.length);
          expect(reached).toBeGreaterThanOrEqual(row);
          if (reached === rows.length) break;
          passOne(many, rows[reached]!);
          row = reached + 1;
        }
        expect(seen(many)).toEqual(seen(single));
      }),
    );
  });

  it('stop at a cut where an order of ours rests, at what crosses it, at another kind of row, and at what cannot be right', () => {
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
      const bench = opened(true);
      expect(bench.floor.quietDeltas(rowsOf([bid, stop, bid]), 0, 3)).toBe(1);
      expect(bench.floor.levels(OTHER).bids).toEqual([[4900, 100]]);
    }
  });

  it('pass where an order of ours rests, as far as they concern it in nothing', () => {
    const bench = opened(true);
    const beside: readonly Row[] = [
      { kind: RowKind.bid, market: 0, price: 4900, qty: 100 },
      { kind: RowKind.bid, market: 0, price: 5000, qty: 100 },
      { kind: RowKind.bid, market: 0, price: 4900, qty: -100 },
      { kind: RowKind.ask, market: 0, price: 5100, qty: 100 },
      { kind: RowKind.ask, market: 0, price: 5100, qty: -100 },
    ];
    expect(bench.floor.quietDeltas(rowsOf(beside), 0, beside.length)).toBe(beside.length);
    expect(bench.floor.levels(bench.market)).toEqual({ bids: [[5000, 1100]], asks: [] });
    expect(bench.fills()).toEqual([]);
  });

  it('are those from the one row up to the other alone', () => {
    const bench = opened(false);
    const rows = rowsOf([4800, 4900, 5000].map((price) => ({ kind: RowKind.bid, market: 1, price, qty: 100 })));
    expect(bench.floor.quietDeltas(rows, 1, 2)).toBe(2);
    expect(bench.floor.levels(OTHER).bids).toEqual([[4900, 100]]);
  });
});
