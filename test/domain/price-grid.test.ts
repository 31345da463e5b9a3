// Price grids: cells and prices name each other, and rounding to the grid never oversteps.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../src/base/assert.ts';
import {
  CENT_GRID,
  DECI_CENT_GRID,
  type PriceGrid,
  TAPERED_DECI_CENT_GRID,
  ceilToGrid,
  cellOf,
  floorToGrid,
  priceGrid,
  priceOfCell,
} from '../../src/domain/price-grid.ts';
import { PAYOUT, price } from '../../src/domain/units.ts';
import { runCount } from '../support/runner/property-runs.ts';

const rangeArbitrary = fc
  .tuple(fc.integer({ min: 0, max: PAYOUT - 1 }), fc.integer({ min: 1, max: PAYOUT }), fc.integer({ min: 1, max: 500 }))
  .map(([start, length, step]) => ({ start: price(start), end: price(Math.min(PAYOUT, start + length)), step }));
/** Grids with a cent range among others, so that some price is left; few, because grids are never dropped. */
const gridArbitrary = fc.oneof(
  fc.constantFrom(CENT_GRID, DECI_CENT_GRID, TAPERED_DECI_CENT_GRID),
  fc
    .array(rangeArbitrary, { maxLength: 3 })
    .map((ranges) => priceGrid([...ranges, { start: price(500), end: price(600), step: 7 }])),
);

const prices = fc.integer({ min: 0, max: PAYOUT }).map(price);

/** True when a price lies on a range, calculated without the grid's tables. */
const isOnGrid = (grid: PriceGrid, p: number): boolean =>
  p > 0 && p < PAYOUT && grid.ranges.some((r) => p >= r.start && p <= r.end && (p - r.start) % r.step === 0);

describe('a price grid', () => {
  it('cells number the prices upwards without gaps, and each cell names its price', () => {
    fc.assert(
      fc.property(gridArbitrary, (grid) => {
        const listed = Array.from({ length: grid.cellCount }, (_, cell) => priceOfCell(grid, cell));
        expect(listed.every((p, cell) => cellOf(grid, p) === cell)).toBe(true);
        expect(listed.every((p, cell) => cell === 0 || p > (listed[cell - 1] ?? PAYOUT))).toBe(true);
      }),
      { numRuns: runCount(40) },
    );
  });

  it('a grid has exactly the prices of its ranges, strictly between zero and a dollar', () => {
    fc.assert(
      fc.property(gridArbitrary, prices, (grid, p) => {
        expect(cellOf(grid, p) >= 0).toBe(isOnGrid(grid, p));
      }),
    );
  });

  it('rounding finds the nearest price below and above, as a scan of all prices does', () => {
    fc.assert(
      fc.property(gridArbitrary, prices, (grid, p) => {
        const all = [...grid.priceByCell];
        expect(floorToGrid(grid, p)).toBe(all.findLast((each) => each <= p) ?? null);
        expect(ceilToGrid(grid, p)).toBe(all.find((each) => each >= p) ?? null);
      }),
      { numRuns: runCount(60) },
    );
  });

  it.each([
    ['whole cents', CENT_GRID, 99, 100, 9900],
    ['tenths of a cent', DECI_CENT_GRID, 999, 10, 9990],
    ['tenths of a cent at the ends', TAPERED_DECI_CENT_GRID, 279, 10, 9990],
  ] as const)('a grid of %s has its cells', (_, grid, count, lowest, highest) => {
    expect([grid.cellCount, priceOfCell(grid, 0), priceOfCell(grid, count - 1)]).toEqual([count, lowest, highest]);
  });

  it('the tapered grid is fine below ten and above ninety cents, and whole cents between', () => {
    const on = [990, 1000, 1100, 8900, 9000, 9010];
    const off = [1010, 1050, 8990, 9005];
    expect(on.map((p) => cellOf(TAPERED_DECI_CENT_GRID, price(p)) >= 0)).toEqual(on.map(() => true));
    expect(off.map((p) => cellOf(TAPERED_DECI_CENT_GRID, price(p)))).toEqual(off.map(() => -1));
  });

  it('a range includes its ends where they lie on its steps', () => {
    const ends = priceGrid([{ start: price(500), end: price(600), step: 50 }]);
    expect([...ends.priceByCell]).toEqual([500, 550, 600]);
    expect([...priceGrid([{ start: price(500), end: price(599), step: 50 }]).priceByCell]).toEqual([500, 550]);
  });

  it('equal ranges share one grid', () => {
    expect(priceGrid([{ start: price(0), end: PAYOUT, step: 100 }])).toBe(CENT_GRID);
  });

  it('a grid is refused when a range is empty, has no step, or leaves no price', () => {
    const build = (start: number, end: number, step: number) => () =>
      priceGrid([{ start: price(start), end: price(end), step }]);
    for (const wrong of [build(200, 100, 10), build(0, 100, 0), build(0, 100, 0.5), build(0, PAYOUT, PAYOUT)])
      expect(wrong).toThrow(AssertionFault);
  });

  it('a grid has no price for an unknown cell', () => {
    expect(() => priceOfCell(CENT_GRID, 99)).toThrow(AssertionFault);
    expect(() => priceOfCell(CENT_GRID, -1)).toThrow(AssertionFault);
  });
});
