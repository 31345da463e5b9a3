// Order endpoints. Each call becomes one operation for each collateral account concerned. Must never submit one order
// twice.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type {
  CancelBatchItem,
  CreateBatchItem,
  CreateOrderRecord,
  DecreaseOrderRecord,
  OrderLocator,
} from '../../venues/trade-api/wire/wire-records.ts';
import { must } from '../../base/assert.ts';
import { NO_QTY } from '../../domain/units.ts';
import { endpointOf } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { AccountName, AccountOp, NewOrder } from '../machine/exchange-input.ts';
import type { Answer } from '../machine/exchange-output.ts';
import { orderIdOf } from './account-endpoints.ts';
import { orderAnswerRecord } from './account-encoders.ts';
import { submitFor } from './submitted-answers.ts';
import { EMPTY_RECORD, type EndpointCall, type EndpointHandler } from '../api/endpoint-call.ts';
import { readBody } from './body-reading.ts';
import { RequestFault, faultRecord, refusalRecord, invalidParameters } from '../api/api-errors.ts';
import {
  type ShardRouting,
  collateralAccountFor,
  collateralAccountsFor,
  chargedShards,
  routingOf,
} from './shard-routing.ts';

function newOrder(order: CreateOrderRecord): NewOrder {
  const { ticker, clientOrderId, side, outcome, price, qty, expiresAt } = order;
  const timeInForce = order.timeInForce ?? 'gtc';
  return {
    ticker,
    clientOrderId,
    side,
    ...(outcome === null ? {} : { outcome }),
    price,
    qty,
    timeInForce: timeInForce === 'gtc' && expiresAt !== null ? 'gtd' : timeInForce,
    postOnly: order.postOnly ?? false,
    reduceOnly: order.reduceOnly ?? false,
    selfTrade: order.selfTrade ?? 'taker_at_cross',
    expiresAt,
    cancelOnPause: order.cancelOnPause ?? false,
    groupId: order.groupId,
  };
}

export const createOrder: EndpointHandler = {
  shards: (call) => chargedShards(call, readBody(call, call.profile.records.createOrder)),
  answer(call) {
    const { records } = call.profile;
    const order = readBody(call, records.createOrder);
    const answer = submitFor(
      call,
      { type: 'place', account: collateralAccountFor(call, order), order: newOrder(order) },
      'order',
    );
    return codecOf(records.orderCreated).encodeText({ order: orderAnswerRecord(answer.order) });
  },
};

export const cancelOrder: EndpointHandler = {
  shards: (call) => chargedShards(call, routingOf(call)),
  answer(call) {
    const orderId = orderIdOf(call);
    const account = collateralAccountFor(call, routingOf(call));
    const { order, reducedBy } = submitFor(call, { type: 'cancel', account, orderId }, 'canceled');
    return codecOf(call.profile.records.orderCanceled).encodeText({ order: orderAnswerRecord(order), reducedBy });
  },
};

/** Cancels every order in every collateral account of the caller, or in those of one subaccount. */
export const cancelAll: EndpointHandler = {
  answer(call) {
    const { subaccount } = routingOf(call);
    for (const account of collateralAccountsFor(call, { subaccount, shard: null }))
      submitFor(call, { type: 'cancel-all', account, ticker: null }, 'canceled-all');
    return EMPTY_RECORD;
  },
};

/** Routing of a change: the subaccount is in the query, the market and the shard are in the body. */
const changeRouting = (call: EndpointCall, { ticker, shard }: Omit<ShardRouting, 'subaccount'>): ShardRouting => ({
  ticker,
  shard,
  subaccount: routingOf(call).subaccount,
});

export const amendOrder: EndpointHandler = {
  shards: (call) => chargedShards(call, changeRouting(call, readBody(call, call.profile.records.amendOrder))),
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const body = readBody(call, records.amendOrder);
    const { ticker, side, price, qty, clientOrderId, newClientOrderId } = body;
    const amendment = {
      orderId,
      ticker,
      side,
      price,
      qty,
      ...(clientOrderId === null ? {} : { clientOrderId }),
      ...(newClientOrderId === null ? {} : { newClientOrderId }),
    };
    const account = collateralAccountFor(call, changeRouting(call, body));
    const before = call.exchange.order(account, orderId);
    const answer = submitFor(call, { type: 'amend', account, amendment }, 'order');
    return codecOf(records.orderAmended).encodeText({ order: orderAnswerRecord(answer.order, before) });
  },
};

export const decreaseOrder: EndpointHandler = {
  shards: (call) => chargedShards(call, changeRouting(call, readBody(call, call.profile.records.decreaseOrder))),
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const body = readBody(call, records.decreaseOrder);
    const by = decreaseOf(call, body);
    const account = collateralAccountFor(call, changeRouting(call, body));
    const answer = submitFor(call, { type: 'decrease', account, orderId, by }, 'order');
    return codecOf(records.orderDecreased).encodeText({ order: orderAnswerRecord(answer.order) });
  },
};

function decreaseOf(
  call: EndpointCall,
  { reduceBy, reduceTo }: DecreaseOrderRecord,
): { reduceBy: number } | { reduceTo: number } {
  if (reduceBy !== null && reduceTo === null) return { reduceBy };
  if (reduceTo !== null && reduceBy === null) return { reduceTo };
  throw invalidParameters(call, 'expected exactly one of the two ways to decrease');
}

/**
 * Checks the size of a batch. A full token bucket may pay for more items than the profile's `batchMax`, and then sets
 * the maximum.
 */
function checkBatch({ profile, limits, request }: EndpointCall, count: number): void {
  const { batchMax } = profile.abilities;
  const affordable = limits.trade.model === 'token-bucket' ? limits.trade.capacity : 0;
  const itemsMax = Math.max(batchMax, Math.floor(affordable / endpointOf(profile, request.endpoint).cost));
  if (count < 1 || count > itemsMax)
    throw invalidParameters({ profile }, `orders: expected 1 to ${itemsMax}, found ${count}`);
}

type ItemResult = Answer | RequestFault;

interface Batch<Item> {
  readonly items: readonly Item[];
  readonly opOf: (account: AccountName, items: readonly Item[]) => AccountOp;
}

/** Submits one operation for each collateral account concerned. The results are in the sequence of the items. */
function submitByAccount<Item extends ShardRouting>(
  call: EndpointCall,
  { items, opOf }: Batch<Item>,
): readonly ItemResult[] {
  const results = new Map<Item, ItemResult>();
  const byAccount = new Map<AccountName, Item[]>();
  for (const item of items) {
    try {
      const account = collateralAccountFor(call, item);
      const others = byAccount.get(account);
      if (others === undefined) byAccount.set(account, [item]);
      else others.push(item);
    } catch (fault) {
      if (!(fault instanceof RequestFault)) throw fault;
      results.set(item, fault);
    }
  }
  for (const [account, accountItems] of byAccount) {
    const { answers } = submitFor(call, opOf(account, accountItems), 'batch');
    accountItems.forEach((item, index) => results.set(item, must(answers[index], 'an answer for each item')));
  }
  return items.map((item) => must(results.get(item), 'a result for each item'));
}

const errorIfAny = (call: EndpointCall, outcome: ItemResult): ReturnType<typeof faultRecord> => {
  if (outcome instanceof RequestFault) return faultRecord(outcome);
  return outcome.type === 'refused' ? refusalRecord(call, outcome.refusal) : null;
};

export const createOrders: EndpointHandler = {
  items: (call) => readBody(call, call.profile.records.createOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.createOrders);
    checkBatch(call, orders.length);
    const results = submitByAccount(call, {
      items: orders,
      opOf: (account, accountItems) => ({ type: 'place-batch', account, orders: accountItems.map(newOrder) }),
    });
    const item = (outcome: ItemResult, index: number): CreateBatchItem => ({
      clientOrderId: orders[index]?.clientOrderId ?? null,
      order: !(outcome instanceof RequestFault) && outcome.type === 'order' ? orderAnswerRecord(outcome.order) : null,
      error: errorIfAny(call, outcome),
    });
    return codecOf(records.ordersCreated).encodeText({ orders: results.map(item) });
  },
};

export const cancelOrders: EndpointHandler = {
  items: (call) => readBody(call, call.profile.records.cancelOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.cancelOrders);
    checkBatch(call, orders.length);
    const results = submitByAccount<OrderLocator>(call, {
      items: orders,
      opOf: (account, accountItems) => ({
        type: 'cancel-batch',
        account,
        orderIds: accountItems.map(({ orderId }) => orderId),
      }),
    });
    const item = (outcome: ItemResult, index: number): CancelBatchItem => {
      const canceled = !(outcome instanceof RequestFault) && outcome.type === 'canceled' ? outcome : null;
      return {
        orderId: orders[index]?.orderId ?? null,
        clientOrderId: canceled?.order.clientOrderId ?? null,
        at: canceled?.order.updatedAt ?? null,
        order: canceled === null ? null : orderAnswerRecord(canceled.order),
        reducedBy: canceled?.reducedBy ?? NO_QTY,
        error: errorIfAny(call, outcome),
      };
    };
    return codecOf(records.ordersCanceled).encodeText({ orders: results.map(item) });
  },
};
