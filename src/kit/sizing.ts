// Sizes a bet by Kelly's rule: the fraction of the capital that gives the fastest growth, in contracts. Must never
// stake more than the given capital, nor bet where fees cause a loss. Source: J. L. Kelly 1956, “A New Interpretation
// of Information Rate”: a contract that costs c and pays 1 with probability q has the fraction (q − c) / (1 − c).
import { assert } from '../base/assert.ts';
import { type FeeSchedule, chargeFill } from '../domain/fee-schedule.ts';
import type { Liquidity, Side } from '../domain/orders/order.ts';
import { type Trade, openingPrice } from '../domain/position.ts';
import {
  type Money,
  NO_MONEY,
  type Price,
  type Probability,
  type Qty,
  contracts,
  money,
  mulDivCeil,
  notional,
} from '../domain/units.ts';

/** Money units in a dollar. */
const DOLLAR = 1_000_000;
const ONE_CONTRACT = contracts(1);
/** Number of contracts over which the fee per contract is averaged. */
const MANY = 100;
/**
 * A chance of one, in whole units: shares and stakes are counted in them. In floating point, 0.6 − 0.5 is less than a
 * tenth, and a stake that buys a hundred contracts would buy 99.
 */
const CERTAIN = 1_000_000_000_000_000;
const CHANCE_PER_MONEY = CERTAIN / DOLLAR;

/** A bet on one side of a market. */
export interface KellyBet {
  /** Probability of YES, also for a bet on NO. */
  readonly probability: Probability;
  /** Price of YES at which the bet trades, in ten-thousandths of a dollar. */
  readonly price: Price;
  /**
   * Side of the bet: `buy` bets on YES at the price, `sell` on NO at its complement.
   * @default `buy`
   */
  readonly side?: Side;
  /**
   * Fee of one contract, in millionths of a dollar. With a value that is too low, Kelly stakes too much.
   * @default `0`
   */
  readonly feePerContract?: Money;
}

/**
 * The share of the capital that Kelly stakes on a bet, 0 to 1. It is 0 when price and fee leave no edge, and 1 only for
 * a certain outcome.
 * @example
 * import { cents, kellyFraction, probability } from 'presage-trading';
 *
 * kellyFraction({ probability: probability(0.6), price: cents(50) }); // 0.2
 * kellyFraction({ probability: probability(0.4), price: cents(50), side: 'sell' }); // 0.2
 * kellyFraction({ probability: probability(0.6), price: cents(65) }); // 0
 */
export function kellyFraction(bet: KellyBet): number {
  const { part, whole } = shareOf(bet);
  return part / whole;
}

/** A share as two whole numbers. */
interface Share {
  readonly part: number;
  readonly whole: number;
}

function shareOf({ probability, price, side = 'buy', feePerContract = NO_MONEY }: KellyBet): Share {
  const cost = (costBeforeFees(side, price) + feePerContract) * CHANCE_PER_MONEY;
  const wins = winChance(probability, side);
  return wins <= cost || cost >= CERTAIN ? { part: 0, whole: 1 } : { part: wins - cost, whole: CERTAIN - cost };
}

/** The chance of winning, of `CERTAIN`. Only a YES with a probability of one is certain. */
function winChance(probability: Probability, side: Side): number {
  const yes = Math.round(probability * CERTAIN);
  if (side === 'sell') return CERTAIN - yes;
  return probability < 1 ? Math.min(yes, CERTAIN - 1) : yes;
}

/** The best prices to bet at. A `BookView` is a touch. */
export interface Touch {
  /** Price at which YES can be sold; `null` when there is none. */
  readonly bestBid: Price | null;
  /** Price at which YES can be bought; `null` when there is none. */
  readonly bestAsk: Price | null;
}

/** A probability, the prices to bet at, and the capital, for `kellyQty`. */
export interface KellyOrder {
  /** Probability of YES, 0 to 1. */
  readonly probability: Probability;
  /** YES is bought at the ask. NO is bought (YES sold) at the bid. */
  readonly touch: Touch;
  /** The capital to which Kelly's fraction applies. Nothing is staked unless it is positive. */
  readonly bankroll: Money;
  /**
   * Part of Kelly's fraction to stake, above 0 and at most 1. A quarter or a half allows for errors in the probability.
   */
  readonly fraction: number;
  /** Fee schedule of the market, as `view.fees` gives it. */
  readonly fees: FeeSchedule;
  /**
   * Role by which fees are charged. `maker` is for quotes that will rest. It makes the cost too low for an order that
   * trades at once.
   * @default `taker`
   */
  readonly liquidity?: Liquidity;
}

/** A sized order: whole contracts, at least one. */
export interface SizedOrder {
  /** Side of the order: `buy` bets on YES, `sell` on NO. */
  readonly side: Side;
  /** Price of the order, on the YES scale. */
  readonly price: Price;
  /** Whole contracts, in hundredths of a contract. */
  readonly qty: Qty;
  /** Cost to open it, in millionths of a dollar, with the fee of a single fill. It never exceeds the bankroll. */
  readonly cost: Money;
}

/**
 * The order that fractional Kelly would open from flat, in whole contracts, rounded down. It is `null` without an edge
 * after fees, or with a stake below one contract.
 * @throws {AssertionFault} unless the fraction is above 0 and at most 1.
 * @example
 * import { cents, dollars, feeSchedule, kellyQty, probability } from 'presage-trading';
 *
 * const order = kellyQty({
 *   probability: probability(0.625),
 *   touch: { bestBid: cents(48), bestAsk: cents(50) },
 *   bankroll: dollars(1000),
 *   fraction: 0.25,
 *   fees: feeSchedule('free'),
 * });
 * order; // { side: 'buy', price: 5000, qty: 12500, cost: 62500000 }
 */
export function kellyQty(order: KellyOrder): SizedOrder | null {
  const { fraction, touch } = order;
  assert(fraction > 0 && fraction <= 1, `a fraction ${fraction} of Kelly is not above 0 and at most 1`);
  return sizeOn(order, 'buy', touch.bestAsk) ?? sizeOn(order, 'sell', touch.bestBid);
}

function sizeOn(order: KellyOrder, side: Side, price: Price | null): SizedOrder | null {
  const { probability, bankroll, fraction } = order;
  if (price === null || bankroll <= 0) return null;
  const costOf = (count: number): number => openingCost(order, { side, price, qty: contracts(count) });
  // Averaged over many contracts, because the fee of a single contract may be rounded up.
  const feePerContract = money(mulDivCeil(costOf(MANY) - MANY * costBeforeFees(side, price), 1, MANY));
  const share = shareOf({ probability, price, side, feePerContract });
  const stake = stakeOf(bankroll, fraction, share);
  const count = greatest(Math.floor(stake / costBeforeFees(side, price)), (each) => costOf(each) <= stake);
  if (count === 0) return null;
  const cost = money(costOf(count));
  const hasEdge = BigInt(cost) * BigInt(CHANCE_PER_MONEY) < BigInt(winChance(probability, side)) * BigInt(count);
  return hasEdge ? { side, price, qty: contracts(count), cost } : null;
}

/** Returns bankroll · fraction · share, rounded down. */
function stakeOf(bankroll: Money, fraction: number, { part, whole }: Share): Money {
  const scaled = BigInt(bankroll) * BigInt(Math.round(fraction * CERTAIN)) * BigInt(part);
  return money(Number(scaled / (BigInt(CERTAIN) * BigInt(whole))));
}

const costBeforeFees = (side: Side, price: Price): Money => notional(openingPrice(side, price), ONE_CONTRACT);

/** Cost to open a quantity, charged as one fill. */
function openingCost({ fees, liquidity = 'taker' }: KellyOrder, { side, price, qty }: Trade): number {
  if (qty === 0) return 0;
  const paid = notional(openingPrice(side, price), qty);
  const { fee } = chargeFill(fees, { price, qty, liquidity, cash: money(-paid), gathered: NO_MONEY });
  return paid + fee;
}

/**
 * Returns the greatest whole number up to `bound` that fits; 0 when none fits. Every number below a fitting number must
 * fit, too.
 */
function greatest(bound: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = bound;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
