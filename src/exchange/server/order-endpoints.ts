// Orders in: each call becomes one operation of the exchange, and the exchange's answer becomes the wire's.
// Must never touch the exchange but through its session, and never ask it twice for one call.
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { errorBody } from '../../venues/trade-api/wire/errors.ts';
import type {
  CancelBatchItem,
  CreateBatchItem,
  CreateOrderRecord,
  DecreaseOrderRecord,
  ErrorRecord,
} from '../../venues/trade-api/wire/records.ts';
import { AssertionFault } from '../../domain/assert.ts';
import type { AccountOp, NewOrder } from '../input.ts';
import type { Answer } from '../output.ts';
import type { Refusal } from '../refusal.ts';
import { accountOf, orderIdOf } from './account-endpoints.ts';
import { answerRecord } from './account-records.ts';
import type { Call, Handler } from './call.ts';
import { readBody } from './reading.ts';
import { RequestFault, nested, refusedBy } from './refusals.ts';

function newOrder(order: CreateOrderRecord): NewOrder {
  const { ticker, clientOrderId, side, price, qty, expiresAt } = order;
  const timeInForce = order.timeInForce ?? 'gtc';
  return {
    ticker,
    clientOrderId,
    side,
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

type Wanted<Type extends Answer['type']> = Extract<Answer, { type: Type }>;

/** Asks the exchange, whose answer is of the type that goes with the operation, or a refusal. */
function ask<Type extends Answer['type']>(call: Call, op: AccountOp, type: Type): Wanted<Type> {
  const { answer } = call.session.submit(op);
  if (answer.type === 'refused') throw refusedBy(answer.refusal);
  if (answer.type !== type) throw new AssertionFault(`the exchange answered ${op.type} with ${answer.type}`);
  // tidy: as — its type was just checked.
  return answer as Wanted<Type>;
}

export const createOrder: Handler = {
  answer(call) {
    const { records } = call.profile;
    const order = newOrder(readBody(call, records.createOrder));
    const answer = ask(call, { type: 'place', account: accountOf(call), order }, 'order');
    return codecOf(records.orderCreated).encode({ order: answerRecord(answer.order) });
  },
};

export const cancelOrder: Handler = {
  answer(call) {
    const op = { type: 'cancel', account: accountOf(call), orderId: orderIdOf(call) } as const;
    const { order, reducedBy } = ask(call, op, 'canceled');
    return codecOf(call.profile.records.orderCanceled).encode({ order: answerRecord(order), reducedBy });
  },
};

export const amendOrder: Handler = {
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const { ticker, side, price, qty, clientOrderId, newClientOrderId } = readBody(call, records.amendOrder);
    const amendment = {
      orderId,
      ticker,
      side,
      price,
      qty,
      ...(clientOrderId === null ? {} : { clientOrderId }),
      ...(newClientOrderId === null ? {} : { newClientOrderId }),
    };
    const account = accountOf(call);
    const before = call.exchange.order(account, orderId);
    const answer = ask(call, { type: 'amend', account, amendment }, 'order');
    return codecOf(records.orderAmended).encode({ order: answerRecord(answer.order, before) });
  },
};

export const decreaseOrder: Handler = {
  answer(call) {
    const { records } = call.profile;
    const orderId = orderIdOf(call);
    const by = decreaseOf(readBody(call, records.decreaseOrder));
    const answer = ask(call, { type: 'decrease', account: accountOf(call), orderId, by }, 'order');
    return codecOf(records.orderDecreased).encode({ order: answerRecord(answer.order) });
  },
};

function decreaseOf({ reduceBy, reduceTo }: DecreaseOrderRecord): { reduceBy: number } | { reduceTo: number } {
  if (reduceBy !== null && reduceTo === null) return { reduceBy };
  if (reduceTo !== null && reduceBy === null) return { reduceTo };
  throw new RequestFault(nested(400, 'invalid_parameters', 'expected exactly one of the two ways to decrease'));
}

function checkBatch({ profile }: Call, count: number): void {
  const { batchMax } = profile.abilities;
  if (count >= 1 && count <= batchMax) return;
  throw new RequestFault(nested(400, 'invalid_parameters', `orders: expected 1 to ${batchMax}, found ${count}`));
}

const errorOf = ({ code, details }: Refusal): ErrorRecord => {
  const { error } = errorBody({ code, message: null, details });
  return { code, message: error.message, details };
};

export const createOrders: Handler = {
  items: (call) => readBody(call, call.profile.records.createOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const { orders } = readBody(call, records.createOrders);
    checkBatch(call, orders.length);
    const op = { type: 'place-batch', account: accountOf(call), orders: orders.map(newOrder) } as const;
    const { answers } = ask(call, op, 'batch');
    const item = (answer: Answer, index: number): CreateBatchItem => ({
      clientOrderId: orders[index]?.clientOrderId ?? null,
      order: answer.type === 'order' ? answerRecord(answer.order) : null,
      error: answer.type === 'refused' ? errorOf(answer.refusal) : null,
    });
    return codecOf(records.ordersCreated).encode({ orders: answers.map(item) });
  },
};

export const cancelOrders: Handler = {
  items: (call) => readBody(call, call.profile.records.cancelOrders).orders.length,
  answer(call) {
    const { records } = call.profile;
    const orderIds = readBody(call, records.cancelOrders).orders.map(({ orderId }) => orderId);
    checkBatch(call, orderIds.length);
    const { answers } = ask(call, { type: 'cancel-batch', account: accountOf(call), orderIds }, 'batch');
    const item = (answer: Answer, index: number): CancelBatchItem => ({
      orderId: orderIds[index] ?? null,
      order: answer.type === 'canceled' ? answerRecord(answer.order) : null,
      reducedBy: answer.type === 'canceled' ? answer.reducedBy : null,
      error: answer.type === 'refused' ? errorOf(answer.refusal) : null,
    });
    return codecOf(records.ordersCanceled).encode({ orders: answers.map(item) });
  },
};
