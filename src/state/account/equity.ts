// The account's value and available cash. Must never round anything but the mark: a mid between two price units is
// rounded down.
import { assert } from '../../base/assert.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Order, countedLeaves } from '../../domain/orders/order.ts';
import { type Position, valueOf } from '../../domain/position.ts';
import { type Money, NO_QTY, PAYOUT, type Price, type Qty, addMoney, subtractMoney } from '../../domain/units.ts';
import type { OrderBooks } from '../books/order-books.ts';
import type { Markets } from '../market-catalog.ts';
import type { ChangedMarkets } from '../changed-markets.ts';
import type { Orders } from './orders.ts';
import type { Portfolio } from './portfolio.ts';

/** The part of the state that holds money. */
export interface Holdings {
  readonly books: OrderBooks;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
}

/** Unfinished orders, of the account or of one strategy. */
export interface StakedOrders {
  openIn(market: MarketIndex): readonly Order[];
  marketsWithOpenOrders(): Iterable<MarketIndex>;
  readonly changedMarkets: ChangedMarkets;
}

/** Positions, of the account or of one strategy. */
export interface StakedPositions {
  position(market: MarketIndex): Position;
  positions(): ReadonlyMap<MarketIndex, Position>;
  readonly changedMarkets: ChangedMarkets;
}

/** Orders and positions that determine possible losses, of the account or of one strategy. */
export interface Stakes {
  readonly markets: Markets;
  readonly orders: StakedOrders;
  readonly portfolio: StakedPositions;
}

/** Collateral reserved for the unfinished orders of one market. */
export const reservedIn = (held: Holdings, market: MarketIndex): Money =>
  held.orders.collateral.reservedIn(market, held.portfolio.position(market).qty);

/** Collateral reserved for all unfinished orders. An order that closes a position reserves nothing. */
export function reservedCash({ orders, portfolio }: Holdings): Money {
  let total = orders.collateral.totalWhenFlat;
  for (const [market, { qty }] of portfolio.positions())
    if (qty !== 0)
      total = addMoney(
        total,
        subtractMoney(orders.collateral.reservedIn(market, qty), orders.collateral.reservedIn(market, NO_QTY)),
      );
  assert(total >= 0, 'reserved cash must not be negative');
  return total;
}

/** Cash that is not reserved for orders. */
export const availableCash = (held: Holdings): Money => subtractMoney(held.portfolio.cash, reservedCash(held));

/**
 * The mark of YES: the settlement value if it is known, else the mid. With one side empty, the best price of the other
 * side counts; with both empty, the last mark. Half a dollar if no price was ever known.
 */
export const markOf = (held: Holdings, market: MarketIndex): Price => knownMarkOf(held, market) ?? UNKNOWN_MARK;

/** The mark of YES before any price of the market is known: half a dollar. */
export const UNKNOWN_MARK = (PAYOUT / 2) as Price;

/** The mark of YES; `null` if no price was ever known. */
export function knownMarkOf(held: Holdings, market: MarketIndex): Price | null {
  const settled = held.markets.get(market)?.settlementValue;
  if (settled !== null && settled !== undefined) return settled;
  const bid = held.books.isOpen(market) ? held.books.bestBid(market) : null;
  const ask = held.books.isOpen(market) ? held.books.bestAsk(market) : null;
  if (bid !== null && ask !== null) return Math.floor((bid + ask) / 2) as Price;
  const last = held.books.lastTwiceMark(market);
  return bid ?? ask ?? (last === null ? null : (Math.floor(last / 2) as Price));
}

/** The value of one position at its mark. */
export const positionValue = (held: Holdings, market: MarketIndex): Money =>
  valueOf(held.portfolio.position(market).qty, markOf(held, market));

/** Unrealized profit of one position, before fees. */
export const unrealized = (held: Holdings, market: MarketIndex): Money =>
  subtractMoney(positionValue(held, market), held.portfolio.position(market).cost);

/** Cash plus all positions at their marks. */
export function equity(held: Holdings): Money {
  let total = held.portfolio.cash;
  for (const [market, { qty }] of held.portfolio.positions())
    if (qty !== 0) total = addMoney(total, valueOf(qty, markOf(held, market)));
  return total;
}

/** Cost of the position plus reserved collateral: the possible loss in one market if every unfinished order fills. */
export const costIn = (held: Holdings, market: MarketIndex): Money =>
  addMoney(held.portfolio.position(market).cost, reservedIn(held, market));

/** The position if every unfinished order of one side fills. */
export function reachablePosition(
  held: Pick<Stakes, 'orders' | 'portfolio'>,
  market: MarketIndex,
  side: Order['side'],
): Qty {
  let position: number = held.portfolio.position(market).qty;
  for (const order of held.orders.openIn(market))
    if (order.side === side) position += side === 'buy' ? countedLeaves(order) : 0 - countedLeaves(order);
  return position as Qty;
}
