// From what a strategy believes to prices that can be quoted: probabilities, log-odds, the grid, a pair of YES and NO.
// Must never hand out a price off the grid or at its wrong side: bids are rounded down, asks up.
import { assert } from '../domain/assert.ts';
import { type PriceGrid, ceilToGrid, floorToGrid, priceOfCell } from '../domain/price-grid.ts';
import { type Bare, type NoPrice, PAYOUT, type Price, type Probability, price, probability } from '../domain/units.ts';

/**
 * How likely YES is where it is worth so much: a price, a mid or a microprice, ten-thousandths of a dollar.
 * @throws {AssertionFault} unless the ratio is within 0 and a dollar.
 */
export const impliedProbability = (ratio: Price | Bare): Probability => probability(ratio / PAYOUT);

/** What YES is worth at a probability, in ten-thousandths of a dollar. A ratio, not a price: `bidOnGrid` makes one of it. */
export const worthOf = (chance: Probability): number => chance * PAYOUT;

/** The price nearest to what YES is worth at a probability, on no grid: for a forecast. */
export const nearestPrice = (chance: Probability): Price => price(Math.round(worthOf(chance)));

/**
 * The highest price of a grid that is no more than a ratio in ten-thousandths of a dollar: the best of the grid where the
 * ratio is beyond it, `null` where it is below every price.
 * @throws {AssertionFault} when the ratio is not a number.
 */
export function bidOnGrid(grid: PriceGrid, ratio: Price | Bare): Price | null {
  assert(!Number.isNaN(ratio), 'a bid that is not a number');
  const top = priceOfCell(grid, grid.cellCount - 1);
  return ratio >= top ? top : floorToGrid(grid, price(Math.max(0, Math.floor(ratio))));
}

/**
 * The lowest price of a grid that is no less than a ratio in ten-thousandths of a dollar: the best of the grid where the
 * ratio is beyond it, `null` where it is above every price.
 * @throws {AssertionFault} when the ratio is not a number.
 */
export function askOnGrid(grid: PriceGrid, ratio: Price | Bare): Price | null {
  assert(!Number.isNaN(ratio), 'an ask that is not a number');
  const bottom = priceOfCell(grid, 0);
  return ratio <= bottom ? bottom : ceilToGrid(grid, price(Math.min(PAYOUT, Math.ceil(ratio))));
}

/** The log-odds of a probability: ln(p / (1 − p)). Infinite at 0 and 1. */
export const logit = (chance: Probability): number => Math.log(chance) - Math.log1p(-chance);

/**
 * The probability of log-odds: 1 / (1 + e^−x).
 * @throws {AssertionFault} when they are not a number.
 */
export const logistic = (logOdds: Bare): Probability => probability(1 / (1 + Math.exp(-logOdds)));

/**
 * What a YES and a NO of one market cost together over (+) or under (−) the dollar they pay, ten-thousandths. Within one
 * book it is the spread; it tells something where the two prices are of two books.
 */
export const parityGap = (yes: Price, no: NoPrice): number => yes + no - PAYOUT;
