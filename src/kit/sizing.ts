// How much to stake on a contract: the fraction of one's capital that makes it grow fastest, and contracts of it.
// Must never stake more than it is given, nor on a price that fees make a bad one.
// Source: J. L. Kelly 1956, “A New Interpretation of Information Rate”; for a contract at cost c that pays 1 with
// probability q the fraction is (q − c) / (1 − c).
import { assert } from '../domain/assert.ts';
import { type FeeSchedule, chargeFill } from '../domain/fees.ts';
import type { Liquidity, Side } from '../domain/order.ts';
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
/** How many contracts a fee per contract is reckoned of. */
const MANY = 100;

/** A bet on one side of a market. */
export interface KellyBet {
  /** How likely YES is. */
  readonly probability: Probability;
  readonly price: Price;
  /** `buy` (default) bets on YES at the price, `sell` on NO at its complement. */
  readonly side?: Side;
  /** What a contract is charged. */
  readonly feePerContract?: Money;
}

/** The largest share below all that there is. */
const ALMOST_ALL = 1 - Number.EPSILON / 2;

/**
 * The share of one's capital that Kelly stakes on a bet, 0 to 1; 0 where the price and the fee leave no edge, and 1 only on
 * what is sure.
 */
export function kellyFraction({ probability, price, side = 'buy', feePerContract = NO_MONEY }: KellyBet): number {
  const wins = side === 'buy' ? probability : 1 - probability;
  const cost = (notional(openingPrice(side, price), ONE_CONTRACT) + feePerContract) / DOLLAR;
  if (wins <= cost || cost >= 1) return 0;
  return wins === 1 ? 1 : Math.min(ALMOST_ALL, (wins - cost) / (1 - cost));
}

/** The prices to be had: a book's touch (a `BookView` will do), or one's own quotes. */
export interface Touch {
  readonly bestBid: Price | null;
  readonly bestAsk: Price | null;
}

/** What to size. */
export interface KellyOrder {
  /** How likely YES is. */
  readonly probability: Probability;
  /** YES is bought at the ask, NO bought (YES sold) at the bid. */
  readonly touch: Touch;
  /** What Kelly's fraction is of. Nothing is staked where it is not positive. */
  readonly bankroll: Money;
  /** The part of Kelly's fraction to stake, above 0 up to 1: a quarter or a half, for one's probabilities err. */
  readonly fraction: number;
  readonly fees: FeeSchedule;
  /** Default `taker`. */
  readonly liquidity?: Liquidity;
}

/** A sized order: whole contracts, at least one. */
export interface SizedOrder {
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** What it costs to open, its fee as one fill included: never more than the bankroll. */
  readonly cost: Money;
}

/**
 * The order that fractional Kelly would open from flat, in whole contracts, rounded down; `null` where neither side has
 * an edge after fees, or the stake does not reach one contract.
 * @throws {AssertionFault} unless the fraction is above 0 and at most 1.
 */
export function kellyQty(order: KellyOrder): SizedOrder | null {
  const { fraction, touch } = order;
  assert(fraction > 0 && fraction <= 1, `a fraction ${fraction} of Kelly is not above 0 and at most 1`);
  return sized(order, 'buy', touch.bestAsk) ?? sized(order, 'sell', touch.bestBid);
}

function sized(order: KellyOrder, side: Side, price: Price | null): SizedOrder | null {
  const { probability, bankroll, fraction } = order;
  if (price === null || bankroll <= 0) return null;
  const costOf = (count: number): number => openingCost(order, { side, price, qty: contracts(count) });
  // Of many contracts, so that a fee rounded up for one does not speak for all.
  const feePerContract = money(mulDivCeil(costOf(MANY) - MANY * costBeforeFees(side, price), 1, MANY));
  const share = kellyFraction({ probability, price, side, feePerContract });
  const stake = Math.floor(bankroll * fraction * share);
  const count = greatest(Math.floor(stake / costBeforeFees(side, price)), (each) => costOf(each) <= stake);
  if (count === 0) return null;
  const cost = money(costOf(count));
  const wins = side === 'buy' ? probability : 1 - probability;
  return cost < wins * count * DOLLAR ? { side, price, qty: contracts(count), cost } : null;
}

const costBeforeFees = (side: Side, price: Price): Money => notional(openingPrice(side, price), ONE_CONTRACT);

/** What opening so much costs, charged as one fill; 0 for nothing. */
function openingCost({ fees, liquidity = 'taker' }: KellyOrder, { side, price, qty }: Trade): number {
  if (qty === 0) return 0;
  const paid = notional(openingPrice(side, price), qty);
  const { fee } = chargeFill(fees, { price, qty, liquidity, cash: money(-paid), gathered: NO_MONEY });
  return paid + fee;
}

/** The greatest whole number up to a bound that fits, where all below one that fits do; 0 where none does. */
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
