// Converts a strategy's estimates to prices that can be quoted. Must never round a bid up or an ask down.
import { assert } from '../base/assert.ts';
import { type PriceGrid, ceilToGrid, floorToGrid, priceOfCell } from '../domain/price-grid.ts';
import { type Bare, type NoPrice, PAYOUT, type Price, type Probability, price, probability } from '../domain/units.ts';

/**
 * The probability of YES that a price, a mid or a microprice implies, each in ten-thousandths of a dollar.
 * @throws {AssertionFault} unless the ratio is between 0 and a dollar.
 * @example
 * import { cents, impliedProbability } from 'presage-trading';
 *
 * impliedProbability(cents(62)); // 0.62
 */
export const impliedProbability = (ratio: Price | Bare): Probability => probability(ratio / PAYOUT);

/**
 * The value of YES at a probability, in ten-thousandths of a dollar, to nine decimals. It is a ratio, not a price;
 * `bidOnGrid` makes it a price.
 * @example
 * import { cents, probability, worthOf } from 'presage-trading';
 *
 * const edge = worthOf(probability(0.62)) - cents(60);
 * edge; // 200 (2 cents)
 */
export const worthOf = (chance: Probability): number => Math.round(chance * PAYOUT * WORTH_SCALE) / WORTH_SCALE;

/** Without the rounding, 0.07 is worth 700.0000000000001 in floating point, and an ask of that is a cent too high. */
const WORTH_SCALE = 1e9;

/**
 * The price nearest to the value of YES at a probability, on the market's grid or not. It is made for `forecast`
 * intents.
 * @example
 * import { nearestPrice, probability } from 'presage-trading';
 *
 * nearestPrice(probability(0.62344)); // 6234
 */
export const nearestPrice = (chance: Probability): Price => price(Math.round(worthOf(chance)));

/**
 * The highest price of the grid that is at most `ratio`, in ten-thousandths of a dollar; `null` when the ratio is below
 * every price of the grid.
 * @throws {AssertionFault} when the ratio is not a number.
 * @example
 * import { type Market, type Price, bidOnGrid, probability, worthOf } from 'presage-trading';
 *
 * // A bid at least two cents below the value.
 * export const bidFor = ({ grid }: Market): Price | null => bidOnGrid(grid, worthOf(probability(0.625)) - 200);
 */
export function bidOnGrid(grid: PriceGrid, ratio: Price | Bare): Price | null {
  assert(!Number.isNaN(ratio), 'a bid that is not a number');
  const top = priceOfCell(grid, grid.cellCount - 1);
  return ratio >= top ? top : floorToGrid(grid, price(Math.max(0, Math.floor(ratio))));
}

/**
 * The lowest price of the grid that is at least `ratio`, in ten-thousandths of a dollar; `null` when the ratio is above
 * every price of the grid.
 * @throws {AssertionFault} when the ratio is not a number.
 * @example
 * import { type Market, type Price, askOnGrid, probability, worthOf } from 'presage-trading';
 *
 * // An offer at least two cents above the value.
 * export const askFor = ({ grid }: Market): Price | null => askOnGrid(grid, worthOf(probability(0.625)) + 200);
 */
export function askOnGrid(grid: PriceGrid, ratio: Price | Bare): Price | null {
  assert(!Number.isNaN(ratio), 'an ask that is not a number');
  const bottom = priceOfCell(grid, 0);
  return ratio <= bottom ? bottom : ceilToGrid(grid, price(Math.min(PAYOUT, Math.ceil(ratio))));
}

/**
 * The log-odds of a probability: ln(p / (1 − p)). Infinite at 0 and 1.
 * @example
 * import { logit, probability } from 'presage-trading';
 *
 * logit(probability(0.5)); // 0
 * logit(probability(0.9)); // 2.197
 */
export const logit = (chance: Probability): number => Math.log(chance) - Math.log1p(-chance);

/**
 * The probability of log-odds: 1 / (1 + e^−x), the inverse of `logit`.
 * @throws {AssertionFault} when the log-odds are not a number.
 * @example
 * import { logistic, logit, probability } from 'presage-trading';
 *
 * logistic(0); // 0.5
 * logistic(2 * logit(probability(0.9))); // 0.988
 */
export const logistic = (logOdds: Bare): Probability => probability(1 / (1 + Math.exp(-logOdds)));

/**
 * The cost of a YES and a NO of one market, less the dollar that they pay, in ten-thousandths. Prices of one book give
 * its spread. Prices of two books show how far the books disagree.
 * @example
 * import { cents, complement, parityGap } from 'presage-trading';
 *
 * const noAsk = complement(cents(57));
 * parityGap(cents(60), noAsk); // 300 (the pair costs 3 cents more than it pays)
 */
export const parityGap = (yes: Price, no: NoPrice): number => yes + no - PAYOUT;
