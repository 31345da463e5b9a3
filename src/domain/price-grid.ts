// A market's price grid: the prices that may be quoted, numbered upwards from 0. The number of a price is its cell.
// Equal ranges share one grid object.
import { assert } from '../base/assert.ts';
import { PAYOUT, type Price, price } from './units.ts';

/**
 * Prices `step` apart, from `start` to `end`, in ten-thousandths of a dollar. `end` is included when it lies a whole
 * number of steps above `start`.
 */
export interface PriceRange {
  /** Lowest price of the range. */
  readonly start: Price;
  /** Upper bound of the range. */
  readonly end: Price;
  /** Distance between neighboring prices; a positive whole number of ten-thousandths. */
  readonly step: number;
}

/** The prices a market may be quoted at, strictly between zero and one dollar, numbered upwards from cell 0. */
export interface PriceGrid {
  /** Ranges that the grid was made of, as the venue lists them. */
  readonly ranges: readonly PriceRange[];
  /** Number of prices in the grid: 99 for whole cents. */
  readonly cellCount: number;
  /** Cell of each price from 0 to 10 000; -1 where the price is off the grid. */
  readonly cellByPrice: Int16Array;
  /** Price of each cell. */
  readonly priceByCell: Int16Array;
}

/** Grids by their ranges. Added at the first use of the ranges; never removed, because a venue has few kinds. */
const gridsByKey = new Map<string, PriceGrid>();
const GRID_KINDS_MAX = 1000;

/**
 * The grid of some ranges; the same object for the same ranges.
 * @throws {AssertionFault} when a range is empty, no price is left, or there are too many grids.
 */
export function priceGrid(ranges: readonly PriceRange[]): PriceGrid {
  const key = ranges.map((range) => `${range.start}-${range.end}/${range.step}`).join();
  const known = gridsByKey.get(key);
  if (known) return known;
  assert(gridsByKey.size < GRID_KINDS_MAX, 'there are more kinds of price grid than any venue has');
  const grid = buildGrid(ranges);
  gridsByKey.set(key, grid);
  return grid;
}

function buildGrid(ranges: readonly PriceRange[]): PriceGrid {
  const onGrid = new Uint8Array(PAYOUT + 1);
  for (const { start, end, step } of ranges) {
    assert(Number.isInteger(step) && step > 0 && start <= end, `price range ${start}..${end} step ${step} is empty`);
    for (let at: number = start; at <= end; at += step) onGrid[at] = 1;
  }
  const cellByPrice = new Int16Array(PAYOUT + 1).fill(-1);
  const prices: number[] = [];
  for (let at = 1; at < PAYOUT; at++) if (onGrid[at] === 1) cellByPrice[at] = prices.push(at) - 1;
  assert(prices.length > 0, 'price grid has no price between zero and one dollar');
  return { ranges, cellCount: prices.length, cellByPrice, priceByCell: Int16Array.from(prices) };
}

const range = (start: number, end: number, step: number): PriceRange => ({
  start: price(start),
  end: price(end),
  step,
});

/** Whole cents, 1 to 99: `linear_cent`. */
export const CENT_GRID: PriceGrid = priceGrid([range(0, PAYOUT, 100)]);
/** Tenths of a cent: `deci_cent`. */
export const DECI_CENT_GRID: PriceGrid = priceGrid([range(0, PAYOUT, 10)]);
/** Tenths of a cent below 10 and above 90 cents, whole cents between: `tapered_deci_cent`. */
export const TAPERED_DECI_CENT_GRID: PriceGrid = priceGrid([
  range(0, 1000, 10),
  range(1000, 9000, 100),
  range(9000, PAYOUT, 10),
]);

/** The cell number of a price on a grid, counted upwards from 0; -1 when the price is off the grid. */
export const cellOf = (grid: PriceGrid, p: Price): number => grid.cellByPrice[p] ?? -1;

/**
 * The price of a cell, in ten-thousandths of a dollar.
 * @throws {AssertionFault} when the grid has no such cell.
 */
export function priceOfCell(grid: PriceGrid, cell: number): Price {
  const value = grid.priceByCell[cell];
  assert(value !== undefined, `grid has no cell ${cell}`);
  return value as Price;
}

/** The highest grid price at or below a price, in ten-thousandths of a dollar; `null` when there is none. */
export function floorToGrid(grid: PriceGrid, p: Price): Price | null {
  for (let at: number = p; at > 0; at--) if ((grid.cellByPrice[at] ?? -1) >= 0) return at as Price;
  return null;
}

/** The lowest grid price at or above a price, in ten-thousandths of a dollar; `null` when there is none. */
export function ceilToGrid(grid: PriceGrid, p: Price): Price | null {
  for (let at: number = p; at < PAYOUT; at++) if ((grid.cellByPrice[at] ?? -1) >= 0) return at as Price;
  return null;
}
