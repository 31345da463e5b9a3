// Copies of the exchange's records for readers outside it. Must never expose a record itself.
import { type Micros, type Money, NO_MONEY, PAYOUT, type Price, money, qty } from '../../domain/units.ts';
import { priceOfCell } from '../../domain/price-grid.ts';
import { ASK, BID, type SideIndex } from './resting-book.ts';
import { heldQty } from '../accounts/exchange-ledger.ts';
import type {
  BalanceView,
  BookView,
  LevelView,
  MarketStats,
  MarketView,
  OrderGroupView,
  OrderView,
  PositionView,
} from './exchange-output.ts';
import type { Account, Holding, MarketRecord, OrderGroupRecord, OrderRecord } from './exchange-records.ts';

export const orderView = (order: OrderRecord): OrderView => ({
  orderId: order.orderId,
  account: order.holding.account.name,
  clientOrderId: order.clientOrderId,
  ticker: order.holding.market.ticker,
  side: order.side,
  outcome: order.outcome,
  price: order.price,
  timeInForce: order.timeInForce,
  postOnly: order.postOnly,
  reduceOnly: order.reduceOnly,
  selfTrade: order.selfTrade,
  cancelOnPause: order.cancelOnPause,
  groupId: order.groupId,
  status: order.status,
  initialQty: order.initialQty,
  filledQty: order.filledQty,
  leavesQty: order.leavesQty,
  filledNotional: order.filledNotional,
  takerCost: order.takerCost,
  makerCost: order.makerCost,
  takerFees: order.takerFees,
  makerFees: order.makerFees,
  expiresAt: order.expiresAt,
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
  lastUpdateReason: order.lastUpdateReason,
});

export const orderGroupView = ({ groupId, account, limit, isArmed }: OrderGroupRecord): OrderGroupView => ({
  groupId,
  account: account.name,
  limit,
  isArmed,
  orderIds: [...account.resting.values()].flatMap((order) => (order.groupId === groupId ? [order.orderId] : [])),
});

export const positionView = (holding: Holding): PositionView => ({
  account: holding.account.name,
  ticker: holding.market.ticker,
  eventTicker: holding.market.definition.eventTicker,
  qty: heldQty(holding),
  cost: money(holding.yes.cost + holding.no.cost),
  realized: holding.realized,
  fees: holding.fees,
  tradedQty: holding.tradedQty,
  tradedCost: holding.tradedCost,
  restingOrders: holding.buys.length + holding.sells.length,
  updatedAt: holding.updatedAt,
});

export const balanceView = (account: Account): BalanceView => ({
  account: account.name,
  cash: account.cash,
  reserved: account.reserved,
  available: money(account.cash - account.reserved),
  positionsValue: positionsValue(account),
  deposited: account.deposited,
  fees: account.fees,
});

/** Value of the positions at the settlement value, else at the last price, else at half a dollar. */
function positionsValue(account: Account): Money {
  let value: number = NO_MONEY;
  for (const { yes, no, market } of account.holdings.values()) {
    const at = market.settlementValue ?? market.lastPrice ?? ((PAYOUT / 2) as Price);
    value += yes.qty * at + no.qty * (PAYOUT - at);
  }
  return money(value);
}

/** The best level of a side; `null` when the side is empty. */
export function bestLevelOf(market: MarketRecord, side: SideIndex): LevelView | null {
  const { book, grid } = market;
  const cell = book.firstCell(side);
  if (!book.hasCell(cell)) return null;
  return { price: priceOfCell(grid, cell), qty: qty(book.totalAt(side, cell)) };
}

export const statsOf = (market: MarketRecord, at: Micros): MarketStats => ({
  bid: bestLevelOf(market, BID),
  ask: bestLevelOf(market, ASK),
  lastPrice: market.lastPrice,
  lastQty: market.lastQty,
  volume: market.volume,
  volume24h: market.history.volume24h(at),
  openInterest: market.openInterest,
});

export const marketView = (market: MarketRecord, at: Micros): MarketView => ({
  index: market.index,
  definition: market.definition,
  seriesTicker: market.seriesTicker,
  grid: market.grid,
  status: market.status,
  closeAt: market.closeAt,
  result: market.result,
  settlementValue: market.settlementValue,
  createdAt: market.createdAt,
  updatedAt: market.updatedAt,
  determinedAt: market.determinedAt,
  settledAt: market.settledAt,
  stats: statsOf(market, at),
});

export const bookView = (market: MarketRecord, depth: number): BookView => ({
  ticker: market.ticker,
  bids: levels(market, BID, depth),
  asks: levels(market, ASK, depth),
});

function levels({ book, grid }: MarketRecord, side: SideIndex, depth: number): LevelView[] {
  const found: LevelView[] = [];
  let cell = book.firstCell(side);
  const count = depth === 0 ? book.cellCount : depth;
  while (book.hasCell(cell) && found.length < count) {
    found.push({ price: priceOfCell(grid, cell), qty: qty(book.totalAt(side, cell)) });
    cell = book.nextCell(side, cell);
  }
  return found;
}

const sameLevel = (a: LevelView | null, b: LevelView | null): boolean =>
  a === b || (a !== null && b !== null && a.price === b.price && a.qty === b.qty);

/** True when touch, last price, volume and open interest are unchanged. */
export const isSameStats = (a: MarketStats, b: MarketStats): boolean =>
  sameLevel(a.bid, b.bid) &&
  sameLevel(a.ask, b.ask) &&
  a.lastPrice === b.lastPrice &&
  a.volume === b.volume &&
  a.openInterest === b.openInterest;
