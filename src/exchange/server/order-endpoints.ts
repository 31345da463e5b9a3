// Order endpoints: each call becomes one operation for each collateral account concerned, and its answer a wire record.
// Must never submit one order twice.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type {
  CancelBatchItem,
  CreateBatchItem,
  CreateOrderRecord,
  DecreaseOrderRecord,
  OrderName,
} from '../../venues/trade-api/wire/records.ts';
import { must } from '../../domain/assert.ts';
import { NO_QTY } from '../../domain/units.ts';
import { endpointOf } from '../../venues/trade-api/profile.ts';
import type { AccountName, AccountOp, NewOrder } from '../input.ts';
import type { Answer } from '../output.ts';
import { orderIdOf } from './account-endpoints.ts';
import { answerRecord } from './account-records.ts';
import { ask } from './asking.ts';
import type { Call, Handler } from './call.ts';
import { readBody } from './body-reading.ts';
import { RequestFault, errorIn, errorOf, senseless } from './refusals.ts';
import { type Whereabouts, purseFor, pursesFor, shardsCharged, whereaboutsOf } from './whereabouts.ts';

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

export const createOrder: Handler = {
  shards: (call) => shardsCharged(call, readBody(call, call.profile.records.createOrder)),
  answer(call) {
    const { records } = call.profile;
    const order = readBody(call, records.createOrder);
    const answer = ask(call, { type: 'place', account: purseFor(call, order), order: newOrder(order) }, 'order');
    return codecOf(records.orderCreated).encode({ order: answerRecord(answer.order) });
  },
};

export const cancelOrder: Handler = {
  shards: (call) => shardsCharged(call, whereaboutsOf(call)),
  answer(call) {
    const orderId = orderIdOf(call);
    const account = purseFor(call, whereaboutsOf(call));
    const { order, reducedBy } = ask(call, { type: 'cancel', account, orderId }, 'canceled');
    return codecOf(call.profile.records.orderCanceled).encode({ order: answerRecord(order), reducedBy });
  },
};

/** Cancels every order of every collateral account, or of those of one subaccount. Later orders are unaffected. */
export const cancelAll: Handler = {
  answer(call) {
    const { subaccount } = whereaboutsOf(call);
    for (const account of pursesFor(call, { subaccount, shard: null }))
      ask(call, { type: 'cancel-all', account, ticker: null }, 'canceled-all');
    return {};
  },
};

/** Routing of a change: the subaccount is in the query, the market and the shard are in the body. */
const changeRouting = (call: Call, { ticker, shard }: Omit<Whereabouts, 'subaccount'>): Whereabouts => ({
  ticker,
  shard,
  subaccount: whereaboutsOf(call).subaccount,
});

export const amendOrder: Handler = {
  shards: (call) => shardsCharged(call, changeRouting(call, readBody(call, call.profile.records.amendOrder))),
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
    const account = purseFor(call, changeRouting(call, body));
    const before = call.exchange.order(account, orderId);
    const answer = ask(call, { type: 'amend', account, amendment }, 'order');
    return codecOf(records.orderAmended).encode({ order: answerRecord(answer.order, before) });
  },
};

export const decreaseOrder: Handler = {
  shards: (call) => shardsCharged(call, changeRouting(call, readBody(call, call.profile.records.decreaseOrder))),
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const body = readBody(call, records.decreaseOrder);
    const by = decreaseOf(call, body);
    const account = purseFor(call, changeRouting(call, body));
    const answer = ask(call, { type: 'decrease', account, orderId, by }, 'order');
    return codecOf(records.orderDecreased).encode({ order: answerRecord(answer.order) });
  },
};

function decreaseOf(
  call: Call,
  { reduceBy, reduceTo }: DecreaseOrderRecord,
): { reduceBy: number } | { reduceTo: number } {
  if (reduceBy !== null && reduceTo === null) return { reduceBy };
  if (reduceTo !== null && reduceBy === null) return { reduceTo };
  throw senseless(call, 'expected exactly one of the two ways to decrease');
}

/** Checks the size of a batch: at most what the profile allows, or what a full token bucket pays for, if more. */
function checkBatch({ profile, limits, request }: Call, count: number): void {
  const { batchMax } = profile.abilities;
  const affordable = limits.trade.model === 'token-bucket' ? limits.trade.capacity : 0;
  const itemsMax = Math.max(batchMax, Math.floor(affordable / endpointOf(profile, request.endpoint).cost));
  if (count < 1 || count > itemsMax) throw senseless({ profile }, `orders: expected 1 to ${itemsMax}, found ${count}`);
}

/** The result of one batch item: the exchange's answer, or the fault that kept it from being submitted. */
type ItemResult = Answer | RequestFault;

interface Batch<Item> {
  readonly items: readonly Item[];
  /** Makes the one operation for all items of a collateral account. */
  readonly opOf: (account: AccountName, items: readonly Item[]) => AccountOp;
}

/** Submits one operation for each collateral account concerned; the results are in the order of the items. */
function submitByAccount<Item extends Whereabouts>(call: Call, { items, opOf }: Batch<Item>): readonly ItemResult[] {
  const results = new Map<Item, ItemResult>();
  const byAccount = new Map<AccountName, Item[]>();
  for (const item of items) {
    try {
      const account = purseFor(call, item);
      const others = byAccount.get(account);
      if (others === undefined) byAccount.set(account, [item]);
      else others.push(item);
    } catch (fault) {
      if (!(fault instanceof RequestFault)) throw fault;
      results.set(item, fault);
    }
  }
  for (const [account, accountItems] of byAccount) {
    const { answers } = ask(call, opOf(account, accountItems), 'batch');
    accountItems.forEach((item, index) => results.set(item, must(answers[index], 'an answer for each item')));
  }
  return items.map((item) => must(results.get(item), 'a result for each item'));
}

const errorIfAny = (call: Call, outcome: ItemResult): ReturnType<typeof errorIn> => {
  if (outcome instanceof RequestFault) return errorIn(outcome);
  return outcome.type === 'refused' ? errorOf(call, outcome.refusal) : null;
};

export const createOrders: Handler = {
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
      order: !(outcome instanceof RequestFault) && outcome.type === 'order' ? answerRecord(outcome.order) : null,
      error: errorIfAny(call, outcome),
    });
    return codecOf(records.ordersCreated).encode({ orders: results.map(item) });
  },
};

export const cancelOrders: Handler = {
  items: (call) => readBody(call, call.profile.records.cancelOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.cancelOrders);
    checkBatch(call, orders.length);
    const results = submitByAccount<OrderName>(call, {
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
        order: canceled === null ? null : answerRecord(canceled.order),
        reducedBy: canceled?.reducedBy ?? NO_QTY,
        error: errorIfAny(call, outcome),
      };
    };
    return codecOf(records.ordersCanceled).encode({ orders: results.map(item) });
  },
};
