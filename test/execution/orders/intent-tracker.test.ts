// The outcome of an intent, for every change of state that an order can make.
import { describe, expect, it } from 'vitest';
import type { IntentOutcome } from '../../../src/domain/event.ts';
import type { CancelIntent, DecreaseIntent, PlaceIntent } from '../../../src/domain/intent.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { ORDER_LIFE, type Order, type OrderState } from '../../../src/domain/orders/order.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import { IntentTracker } from '../../../src/execution/orders/intent-tracker.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { BEGIN, M0, aPlace } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const INTENT: PlaceIntent = { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(10) };
const CANCEL: CancelIntent = { type: 'cancel', clientOrderId: ID };
const DECREASE: DecreaseIntent = { type: 'decrease', clientOrderId: ID, leavesQty: contracts(4) };

const anOrder = (over: Partial<Order> = {}): Order => ({ ...new Orders().addOrder(aPlace(), 'why not'), ...over });
const textsOf = (outcomes: readonly IntentOutcome[]): string[] =>
  outcomes.map(({ kind, intent }) => `${intent.type} ${kind}`);

/** One change of an order's state; `left` is the quantity that remains. */
const step = (book: IntentTracker, from: OrderState, [to, left = 1000]: readonly [OrderState, number?]): string[] =>
  textsOf(
    book.outcomesAfter(
      { type: 'order', order: anOrder({ state: to, qty: qty(left) }), from, to, why: 'because' },
      BEGIN,
    ),
  );

const OTHER_STATES = (from: OrderState): OrderState[] => [
  ...new Set(Object.values(ORDER_LIFE[from]).filter((to): to is OrderState => to !== null && to !== from)),
];

/** Outcomes of an order of which only the approval was reported. */
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
/** Changes of an order that the venue has accepted. */
const TAKEN = (['working', 'pending-cancel', 'pending-amend'] as const).flatMap((from) =>
  OTHER_STATES(from).map((to) => [from, to] as const),
);

describe('an intent to place an order', () => {
  it.each(UNTOLD)('without an outcome so far: %s → %s reports "%s"', (from, to, expected) => {
    const book = new IntentTracker();
    // An order that had ended has no entry.
    if (from !== 'rejected' && from !== 'not-sent') book.trackPlaced(ID, INTENT);
    expect(step(book, from, [to]).join()).toBe(expected);
  });

  it.each(TAKEN)('after acceptance: %s → %s reports only what is new', (from, to) => {
    const book = new IntentTracker();
    book.trackPlaced(ID, INTENT);
    expect(step(book, 'in-flight', ['working'])).toEqual(['place accepted']);
    const isNews = to === 'expired' || to === 'unknown';
    expect(step(book, from, [to])).toEqual(isNews ? [`place ${to}`] : []);
    expect(step(book, 'unknown', ['working'])).toEqual(to === 'unknown' ? ['place accepted'] : []);
  });

  it('reports the intent as the strategy gave it, with the order and the reason', () => {
    const book = new IntentTracker();
    book.trackPlaced(ID, INTENT);
    const order = anOrder({ state: 'rejected' });
    const [outcome] = book.outcomesAfter(
      { type: 'order', order, from: 'in-flight', to: 'rejected', why: 'no_money' },
      BEGIN,
    );
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

  it('restores an intent without an entry from its order', () => {
    const book = new IntentTracker();
    const order = anOrder({ state: 'working', postOnly: true });
    const [outcome] = book.outcomesAfter({ type: 'order', order, from: 'rejected', to: 'working', why: 'seen' }, BEGIN);
    expect(outcome?.intent).toEqual({
      ...INTENT,
      timeInForce: 'gtc',
      postOnly: true,
      reduceOnly: false,
      reason: 'why not',
    });
  });

  it('keeps an intent only while its order is unfinished', () => {
    for (const end of ['filled', 'canceled', 'expired', 'rejected', 'not-sent'] as const) {
      const book = new IntentTracker();
      book.trackPlaced(ID, INTENT);
      step(book, 'queued', ['in-flight']);
      expect(book.size).toBe(1);
      step(book, 'in-flight', [end]);
      expect(book.size).toBe(0);
    }
  });
});

describe('an intent to change an order', () => {
  const changing = (intent: CancelIntent | DecreaseIntent): IntentTracker => {
    const book = new IntentTracker();
    book.trackPlaced(ID, INTENT);
    step(book, 'in-flight', ['working']);
    book.trackChange(ID, intent);
    if (intent.type === 'decrease') book.advanceDecrease(ID, 'queued');
    step(book, 'working', [intent.type === 'cancel' ? 'pending-cancel' : 'pending-amend']);
    return book;
  };

  it.each([
    ['canceled', ['cancel accepted']],
    ['filled', ['cancel rejected']],
    ['expired', ['place expired', 'cancel rejected']],
    ['unknown', ['cancel unknown']],
    ['working', []],
  ] as const)('with the cancel sent: %s reports %j', (to, expected) => {
    expect(step(changing(CANCEL), 'pending-cancel', [to])).toEqual(expected);
  });

  it('the end of an order settles the intent to cancel it, whatever came before', () => {
    const book = changing(CANCEL);
    expect(step(book, 'pending-cancel', ['unknown'])).toEqual(['cancel unknown']);
    expect(step(book, 'unknown', ['working'])).toEqual([]);
    expect(step(book, 'working', ['pending-cancel'])).toEqual([]);
    expect(step(book, 'pending-cancel', ['canceled'])).toEqual(['cancel accepted']);
  });

  it('accepts the cancel of an order that never left', () => {
    const book = new IntentTracker();
    book.trackPlaced(ID, INTENT);
    book.trackChange(ID, CANCEL);
    expect(step(book, 'queued', ['not-sent'])).toEqual(['place not-sent', 'cancel accepted']);
  });

  it.each([
    ['working', 400, ['decrease accepted']],
    ['working', 1000, ['decrease rejected']],
    ['canceled', 1000, ['decrease accepted']],
    ['filled', 0, ['decrease rejected']],
    ['unknown', 1000, ['decrease unknown']],
    ['pending-cancel', 1000, []],
  ] as const)('with the decrease sent: %s with %d left reports %j', (to, left, expected) => {
    const book = changing(DECREASE);
    book.advanceDecrease(ID, 'sent');
    expect(step(book, 'pending-amend', [to, left])).toEqual(expected);
  });

  it('reports a decrease that never left as not sent', () => {
    const book = changing(DECREASE);
    expect(step(book, 'pending-amend', ['working'])).toEqual(['decrease not-sent']);
  });

  it('replaces a waiting decrease by a later one', () => {
    const book = new IntentTracker();
    book.trackPlaced(ID, INTENT);
    expect(book.trackChange(ID, DECREASE)).toBeNull();
    expect(book.trackChange(ID, CANCEL)).toBeNull();
    expect(book.trackChange(ID, { ...DECREASE, leavesQty: contracts(2) })).toBe(DECREASE);
    // The order rests, so the waiting decrease is due.
    expect(step(book, 'in-flight', ['working'])).toEqual(['place accepted']);
    expect(step(book, 'working', ['working', 200])).toEqual(['decrease accepted']);
  });

  it('keeps nothing for a strategy that does not listen', () => {
    const book = new IntentTracker();
    expect(book.trackChange(ID, CANCEL)).toBeNull();
    expect(step(book, 'pending-cancel', ['canceled'])).toEqual([]);
    expect(book.size).toBe(0);
  });
});
