// Encodes an account's own views as wire records. Must never show one account another's data.
import type { EventTicker } from '../../domain/ids.ts';
import {
  type Money,
  NO_MONEY,
  NO_QTY,
  QTY_PER_CONTRACT,
  type Qty,
  addMoney,
  addQty,
  money,
  mulDivFloor,
  subtractMoney,
  subtractQty,
} from '../../domain/units.ts';
import type * as Wire from '../../venues/trade-api/wire/wire-records.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { BalanceView, FillView, OrderView, PositionView, SettlementView } from '../machine/exchange-output.ts';
import { parseCollateralAccount } from '../accounts/collateral-accounts.ts';

const STATUS = { resting: 'working', executed: 'filled', canceled: 'canceled' } as const;

function routingOf(name: AccountName): { readonly subaccount: number; readonly shard: number } {
  const { subaccount, shard } = parseCollateralAccount(name);
  return { subaccount, shard };
}

export function orderRecord(order: OrderView): Wire.OrderRecord {
  const { subaccount, shard } = routingOf(order.account);
  return {
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    ticker: order.ticker,
    side: order.side,
    outcome: order.outcome,
    price: order.price,
    status: STATUS[order.status],
    initialQty: order.initialQty,
    filledQty: order.filledQty,
    leavesQty: order.leavesQty,
    takerCost: order.takerCost,
    makerCost: order.makerCost,
    takerFees: order.takerFees,
    makerFees: order.makerFees,
    // The wire has no `gtd`: the expiry is a separate member.
    timeInForce: order.timeInForce === 'gtd' ? 'gtc' : order.timeInForce,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    selfTrade: order.selfTrade,
    expiresAt: order.expiresAt,
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    reason: reasonOf(order),
    groupId: order.groupId,
    cancelOnPause: order.cancelOnPause,
    subaccount,
    shard,
  };
}

type FillTotals = Pick<OrderView, 'filledQty' | 'filledNotional' | 'takerFees' | 'makerFees'>;
const NO_FILLS: FillTotals = { filledQty: NO_QTY, filledNotional: NO_MONEY, takerFees: NO_MONEY, makerFees: NO_MONEY };

/** The order as the answer to a write: with the quantity filled since `before`, its average price and its fee. */
export function orderAnswerRecord(order: OrderView, before: FillTotals = NO_FILLS): Wire.OrderAnswerRecord {
  const filledNow = subtractQty(order.filledQty, before.filledQty);
  const paid = subtractMoney(feesOf(order), feesOf(before));
  // The record is new, so that it may be extended in place. A copy of its thirty members costs as much as matching.
  return Object.assign(orderRecord(order), {
    filledNow,
    averagePrice: perContract(subtractMoney(order.filledNotional, before.filledNotional), filledNow),
    averageFee: perContract(paid, filledNow),
  });
}

const feesOf = ({ takerFees, makerFees }: FillTotals): Money => addMoney(takerFees, makerFees);

const perContract = (amount: Money, filled: Qty): Money | null =>
  filled === 0 ? null : money(mulDivFloor(amount, QTY_PER_CONTRACT, filled));

/** The wire has no reason for a cancel by the owner, nor for the remainder of an IOC order. */
const reasonOf = ({ lastUpdateReason }: OrderView): string | null =>
  lastUpdateReason === 'UserCancel' || lastUpdateReason === 'RemainderCancel' ? null : lastUpdateReason;

export const fillRecord = (fill: FillView): Wire.FillRecord => ({
  tradeId: fill.tradeId,
  orderId: fill.orderId,
  clientOrderId: fill.clientOrderId,
  ticker: fill.ticker,
  side: fill.side,
  outcome: fill.outcome,
  price: fill.price,
  qty: fill.qty,
  isTaker: fill.liquidity === 'taker',
  fee: fill.fee,
  positionAfter: fill.positionAfter,
  at: fill.at,
  ...routingOf(fill.account),
});

export const positionRecord = (position: PositionView): Wire.PositionRecord => ({
  ticker: position.ticker,
  qty: position.qty,
  cost: position.cost,
  realized: position.realized,
  fees: position.fees,
  traded: position.tradedCost,
  tradedQty: position.tradedQty,
  restingOrders: position.restingOrders,
  updatedAt: position.updatedAt,
  ...routingOf(position.account),
});

/** Positions added up by event group, in the sequence in which the groups occur. */
export function eventPositionRecords(positions: readonly PositionView[]): Wire.EventPositionRecord[] {
  const groups = new Map<EventTicker, Wire.EventPositionRecord>();
  for (const { eventTicker, tradedCost, tradedQty, cost, realized, fees } of positions) {
    const before = groups.get(eventTicker) ?? NO_POSITION;
    groups.set(eventTicker, {
      eventTicker,
      traded: addMoney(before.traded, tradedCost),
      tradedQty: addQty(before.tradedQty, tradedQty),
      cost: addMoney(before.cost, cost),
      realized: addMoney(before.realized, realized),
      fees: addMoney(before.fees, fees),
    });
  }
  return [...groups.values()];
}

const NO_POSITION = {
  traded: NO_MONEY,
  tradedQty: NO_QTY,
  cost: NO_MONEY,
  realized: NO_MONEY,
  fees: NO_MONEY,
} as const;

/** The total balance of several collateral accounts, with the available cash per shard. */
export function balanceRecord(
  balances: readonly BalanceView[],
  updatedAt: Wire.BalanceRecord['updatedAt'],
): Wire.BalanceRecord {
  const sum = (field: (balance: BalanceView) => Money): Money =>
    balances.reduce((total, balance) => addMoney(total, field(balance)), NO_MONEY);
  return {
    available: sum(({ available }) => available),
    positionsValue: sum(({ positionsValue }) => positionsValue),
    updatedAt,
    byShard: balances.map(({ account, available }) => ({ shard: parseCollateralAccount(account).shard, available })),
  };
}

export const settlementRecord = (settlement: SettlementView): Wire.SettlementRecord => ({
  ticker: settlement.ticker,
  eventTicker: settlement.eventTicker,
  result: settlement.result,
  settlementValue: settlement.settlementValue,
  yesQty: settlement.yesQty,
  yesCost: settlement.yesCost,
  noQty: settlement.noQty,
  noCost: settlement.noCost,
  revenue: settlement.revenue,
  fees: settlement.fees,
  at: settlement.at,
  ...routingOf(settlement.account),
});
