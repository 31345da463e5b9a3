// Orders in: each call becomes one operation of the exchange for each purse it is about, and the answer becomes the wire's.
// Must never ask the exchange twice for one order.
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

/** Every order of every purse, or of those of one subaccount. What is placed afterwards stands. */
export const cancelAll: Handler = {
  answer(call) {
    const { subaccount } = whereaboutsOf(call);
    for (const account of pursesFor(call, { subaccount, shard: null }))
      ask(call, { type: 'cancel-all', account, ticker: null }, 'canceled-all');
    return {};
  },
};

/** Where the order to be changed is: the subaccount in the query, the market and the shard in the body. */
const changedAt = (call: Call, { ticker, shard }: Omit<Whereabouts, 'subaccount'>): Whereabouts => ({
  ticker,
  shard,
  subaccount: whereaboutsOf(call).subaccount,
});

export const amendOrder: Handler = {
  shards: (call) => shardsCharged(call, changedAt(call, readBody(call, call.profile.records.amendOrder))),
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const wanted = readBody(call, records.amendOrder);
    const { ticker, side, price, qty, clientOrderId, newClientOrderId } = wanted;
    const amendment = {
      orderId,
      ticker,
      side,
      price,
      qty,
      ...(clientOrderId === null ? {} : { clientOrderId }),
      ...(newClientOrderId === null ? {} : { newClientOrderId }),
    };
    const account = purseFor(call, changedAt(call, wanted));
    const before = call.exchange.order(account, orderId);
    const answer = ask(call, { type: 'amend', account, amendment }, 'order');
    return codecOf(records.orderAmended).encode({ order: answerRecord(answer.order, before) });
  },
};

export const decreaseOrder: Handler = {
  shards: (call) => shardsCharged(call, changedAt(call, readBody(call, call.profile.records.decreaseOrder))),
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const wanted = readBody(call, records.decreaseOrder);
    const by = decreaseOf(call, wanted);
    const account = purseFor(call, changedAt(call, wanted));
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

/** As many as the profile says, or as a full bucket pays for. */
function checkBatch({ profile, limits, request }: Call, count: number): void {
  const { batchMax } = profile.abilities;
  const paid = limits.trade.model === 'token-bucket' ? limits.trade.capacity : 0;
  const most = Math.max(batchMax, Math.floor(paid / endpointOf(profile, request.endpoint).cost));
  if (count < 1 || count > most) throw senseless({ profile }, `orders: expected 1 to ${most}, found ${count}`);
}

/** What became of one item of a batch: the exchange's answer, or why it was never asked. */
type Outcome = Answer | RequestFault;

interface Batch<Item> {
  readonly items: readonly Item[];
  /** The one operation for all items of a purse. */
  readonly opOf: (account: AccountName, items: readonly Item[]) => AccountOp;
}

/** Asks once for each purse that the items go to; the outcomes are in the items' order. */
function askEach<Item extends Whereabouts>(call: Call, { items, opOf }: Batch<Item>): readonly Outcome[] {
  const outcomes = new Map<Item, Outcome>();
  const byPurse = new Map<AccountName, Item[]>();
  for (const item of items) {
    try {
      const purse = purseFor(call, item);
      const others = byPurse.get(purse);
      if (others === undefined) byPurse.set(purse, [item]);
      else others.push(item);
    } catch (fault) {
      if (!(fault instanceof RequestFault)) throw fault;
      outcomes.set(item, fault);
    }
  }
  for (const [purse, own] of byPurse) {
    const { answers } = ask(call, opOf(purse, own), 'batch');
    own.forEach((item, index) => outcomes.set(item, must(answers[index], 'an answer for each item')));
  }
  return items.map((item) => must(outcomes.get(item), 'an outcome for each item'));
}

const errorIfAny = (call: Call, outcome: Outcome): ReturnType<typeof errorIn> => {
  if (outcome instanceof RequestFault) return errorIn(outcome);
  return outcome.type === 'refused' ? errorOf(call, outcome.refusal) : null;
};

export const createOrders: Handler = {
  items: (call) => readBody(call, call.profile.records.createOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.createOrders);
    checkBatch(call, orders.length);
    const outcomes = askEach(call, {
      items: orders,
      opOf: (account, own) => ({ type: 'place-batch', account, orders: own.map(newOrder) }),
    });
    const item = (outcome: Outcome, index: number): CreateBatchItem => ({
      clientOrderId: orders[index]?.clientOrderId ?? null,
      order: !(outcome instanceof RequestFault) && outcome.type === 'order' ? answerRecord(outcome.order) : null,
      error: errorIfAny(call, outcome),
    });
    return codecOf(records.ordersCreated).encode({ orders: outcomes.map(item) });
  },
};

export const cancelOrders: Handler = {
  items: (call) => readBody(call, call.profile.records.cancelOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.cancelOrders);
    checkBatch(call, orders.length);
    const outcomes = askEach<OrderName>(call, {
      items: orders,
      opOf: (account, own) => ({ type: 'cancel-batch', account, orderIds: own.map(({ orderId }) => orderId) }),
    });
    const item = (outcome: Outcome, index: number): CancelBatchItem => {
      const canceled = !(outcome instanceof RequestFault) && outcome.type === 'canceled' ? outcome : null;
      return {
        orderId: orders[index]?.orderId ?? null,
        order: canceled === null ? null : answerRecord(canceled.order),
        reducedBy: canceled?.reducedBy ?? NO_QTY,
        error: errorIfAny(call, outcome),
      };
    };
    return codecOf(records.ordersCanceled).encode({ orders: outcomes.map(item) });
  },
};
