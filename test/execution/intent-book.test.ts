// What becomes of an intent, by every step that an order can take.
import { describe, expect, it } from 'vitest';
import type { IntentOutcome } from '../../src/domain/event.ts';
import type { CancelIntent, DecreaseIntent, PlaceIntent } from '../../src/domain/intent.ts';
import { clientOrderId } from '../../src/domain/ids.ts';
import { ORDER_LIFE, type Order, type OrderState } from '../../src/domain/order.ts';
import { cents, contracts, qty } from '../../src/domain/units.ts';
import { IntentBook } from '../../src/execution/intent-book.ts';
import { Orders } from '../../src/state/orders.ts';
import { BEGIN, M0, aPlace } from '../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const INTENT: PlaceIntent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) };
const CANCEL: CancelIntent = { type: 'cancel', clientOrderId: ID };
const DECREASE: DecreaseIntent = { type: 'decrease', clientOrderId: ID, leavesQty: contracts(4) };

const anOrder = (over: Partial<Order> = {}): Order => ({ ...new Orders().add(aPlace(), 'why not'), ...over });
const told = (outcomes: readonly IntentOutcome[]): string[] =>
  outcomes.map(({ kind, intent }) => `${intent.type} ${kind}`);

/** A step of an order's life, as it is told; `left` of the order remains. */
const step = (book: IntentBook, from: OrderState, [to, left = 1000]: readonly [OrderState, number?]): string[] =>
  told(book.after({ type: 'order', order: anOrder({ state: to, qty: qty(left) }), from, to, why: 'because' }, BEGIN));

const OTHER_STATES = (from: OrderState): OrderState[] => [
  ...new Set(Object.values(ORDER_LIFE[from]).filter((to): to is OrderState => to !== null && to !== from)),
];

/** Of an order about which nothing has been told but that it was approved. */
const FIRST: Readonly<Record<OrderState, Partial<Record<OrderState, string>>>> = {
  queued: {
    'in-flight': '',
    'not-sent': 'place not-sent',
    working: 'place accepted',
    filled: 'place accepted',
    canceled: 'place accepted',
    expired: 'place expired',
  },
  'in-flight': {
    working: 'place accepted',
    rejected: 'place rejected',
    queued: '',
    'not-sent': 'place not-sent',
    filled: 'place accepted',
    canceled: 'place accepted',
    expired: 'place expired',
    unknown: 'place unknown',
  },
  unknown: {
    working: 'place accepted',
    rejected: 'place rejected',
    'not-sent': 'place not-sent',
    filled: 'place accepted',
    canceled: 'place accepted',
    expired: 'place expired',
  },
  rejected: {
    working: 'place accepted',
    filled: 'place accepted',
    canceled: 'place accepted',
    expired: 'place expired',
  },
  'not-sent': {
    working: 'place accepted',
    filled: 'place accepted',
    canceled: 'place accepted',
    expired: 'place expired',
  },
  working: {},
  'pending-cancel': {},
  'pending-amend': {},
  filled: {},
  canceled: {},
  expired: {},
};
const UNTOLD = (['queued', 'in-flight', 'unknown', 'rejected', 'not-sent'] as const).flatMap((from) =>
  OTHER_STATES(from).map((to) => [from, to, FIRST[from][to]] as const),
);
/** Of an order that the venue has taken. */
const TAKEN = (['working', 'pending-cancel', 'pending-amend'] as const).flatMap((from) =>
  OTHER_STATES(from).map((to) => [from, to] as const),
);

describe('an intent to place an order', () => {
  it.each(UNTOLD)('of which nothing was told: %s → %s tells "%s"', (from, to, expected) => {
    const book = new IntentBook();
    // Of one that was thought to have ended nothing is remembered.
    if (from !== 'rejected' && from !== 'not-sent') book.placed(ID, INTENT);
    expect(step(book, from, [to]).join()).toBe(expected);
  });

  it.each(TAKEN)('that was accepted: %s → %s tells only what is new of it', (from, to) => {
    const book = new IntentBook();
    book.placed(ID, INTENT);
    expect(step(book, 'in-flight', ['working'])).toEqual(['place accepted']);
    const isNews = to === 'expired' || to === 'unknown';
    expect(step(book, from, [to])).toEqual(isNews ? [`place ${to}`] : []);
    expect(step(book, 'unknown', ['working'])).toEqual(to === 'unknown' ? ['place accepted'] : []);
  });

  it('is told as the strategy gave it, with the order and why', () => {
    const book = new IntentBook();
    book.placed(ID, INTENT);
    const order = anOrder({ state: 'rejected' });
    const [outcome] = book.after({ type: 'order', order, from: 'in-flight', to: 'rejected', why: 'no_money' }, BEGIN);
    expect(outcome).toEqual({
      kind: 'rejected',
      at: BEGIN,
      strategy: 'maker',
      intent: INTENT,
      order,
      why: 'no_money',
    });
    expect(outcome?.intent).toBe(INTENT);
    expect(book.size).toBe(0);
  });

  it('that nobody remembers is told by what its order says of it', () => {
    const book = new IntentBook();
    const order = anOrder({ state: 'working', postOnly: true });
    const [outcome] = book.after({ type: 'order', order, from: 'rejected', to: 'working', why: 'seen' }, BEGIN);
    expect(outcome?.intent).toEqual({
      ...INTENT,
      timeInForce: 'gtc',
      postOnly: true,
      reduceOnly: false,
      reason: 'why not',
    });
  });

  it('is remembered only while its order is unfinished', () => {
    for (const end of ['filled', 'canceled', 'expired', 'rejected', 'not-sent'] as const) {
      const book = new IntentBook();
      book.placed(ID, INTENT);
      step(book, 'queued', ['in-flight']);
      expect(book.size).toBe(1);
      step(book, 'in-flight', [end]);
      expect(book.size).toBe(0);
    }
  });
});

describe('an intent to change an order', () => {
  const changing = (intent: CancelIntent | DecreaseIntent): IntentBook => {
    const book = new IntentBook();
    book.placed(ID, INTENT);
    step(book, 'in-flight', ['working']);
    book.asked(ID, intent);
    if (intent.type === 'decrease') book.advance(ID, 'queued');
    step(book, 'working', [intent.type === 'cancel' ? 'pending-cancel' : 'pending-amend']);
    return book;
  };

  it.each([
    ['canceled', ['cancel accepted']],
    ['filled', ['cancel rejected']],
    ['expired', ['place expired', 'cancel rejected']],
    ['unknown', ['cancel unknown']],
    ['working', []],
  ] as const)('of which the withdrawal was sent: %s tells %j', (to, expected) => {
    expect(step(changing(CANCEL), 'pending-cancel', [to])).toEqual(expected);
  });

  it('to withdraw it is settled by the end of the order, however it went on the way', () => {
    const book = changing(CANCEL);
    expect(step(book, 'pending-cancel', ['unknown'])).toEqual(['cancel unknown']);
    expect(step(book, 'unknown', ['working'])).toEqual([]);
    expect(step(book, 'working', ['pending-cancel'])).toEqual([]);
    expect(step(book, 'pending-cancel', ['canceled'])).toEqual(['cancel accepted']);
  });

  it('that was withdrawn before it left has been withdrawn', () => {
    const book = new IntentBook();
    book.placed(ID, INTENT);
    book.asked(ID, CANCEL);
    expect(step(book, 'queued', ['not-sent'])).toEqual(['place not-sent', 'cancel accepted']);
  });

  it.each([
    ['working', 400, ['decrease accepted']],
    ['working', 1000, ['decrease rejected']],
    ['canceled', 1000, ['decrease accepted']],
    ['filled', 0, ['decrease rejected']],
    ['unknown', 1000, ['decrease unknown']],
    ['pending-cancel', 1000, []],
  ] as const)('to make it smaller, sent: %s with %d left tells %j', (to, left, expected) => {
    const book = changing(DECREASE);
    book.advance(ID, 'sent');
    expect(step(book, 'pending-amend', [to, left])).toEqual(expected);
  });

  it('to make it smaller that never left is told as not sent', () => {
    const book = changing(DECREASE);
    expect(step(book, 'pending-amend', ['working'])).toEqual(['decrease not-sent']);
  });

  it('that waits for an answer is replaced by a later one of its kind', () => {
    const book = new IntentBook();
    book.placed(ID, INTENT);
    expect(book.asked(ID, DECREASE)).toBeNull();
    expect(book.asked(ID, CANCEL)).toBeNull();
    expect(book.asked(ID, { ...DECREASE, leavesQty: contracts(2) })).toBe(DECREASE);
    // It rests: now is the time of what waits.
    expect(step(book, 'in-flight', ['working'])).toEqual(['place accepted']);
    expect(step(book, 'working', ['working', 200])).toEqual(['decrease accepted']);
  });

  it('of an order that nobody wants to hear of is not remembered', () => {
    const book = new IntentBook();
    expect(book.asked(ID, CANCEL)).toBeNull();
    expect(step(book, 'pending-cancel', ['canceled'])).toEqual([]);
    expect(book.size).toBe(0);
  });
});
