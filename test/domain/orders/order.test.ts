// Laws over the whole table of an order's life: every state, every change.
import { describe, expect, it } from 'vitest';
import {
  ORDER_LIFE,
  type OrderChange,
  type OrderState,
  isFinished,
  leavesQty,
  mayRest,
  nextOrderState,
  opposite,
  signOf,
} from '../../../src/domain/orders/order.ts';
import { qty } from '../../../src/domain/units.ts';

/** Keyed by every state and change, so that the compiler reports a missing one. */
const FINISHED_BY_STATE: Readonly<Record<OrderState, boolean>> = {
  queued: false,
  'in-flight': false,
  working: false,
  'pending-cancel': false,
  'pending-amend': false,
  unknown: false,
  filled: true,
  canceled: true,
  expired: true,
  rejected: true,
  'not-sent': true,
};
const KIND_BY_CHANGE: Readonly<Record<OrderChange, 'ours' | 'proof' | 'message'>> = {
  send: 'ours',
  drop: 'ours',
  'request-cancel': 'ours',
  'request-amend': 'ours',
  retry: 'message',
  accept: 'proof',
  fill: 'proof',
  'fill-all': 'proof',
  reject: 'message',
  lose: 'message',
  'refuse-cancel': 'message',
  'lose-cancel': 'message',
  amend: 'message',
  'refuse-amend': 'message',
  'lose-amend': 'message',
  cancel: 'message',
  expire: 'message',
};
const STATES = Object.keys(FINISHED_BY_STATE).filter((key): key is OrderState => key in FINISHED_BY_STATE);
const CHANGES = Object.keys(KIND_BY_CHANGE).filter((key): key is OrderChange => key in KIND_BY_CHANGE);
const FINISHED = STATES.filter((state) => FINISHED_BY_STATE[state]);
const AT_VENUE: readonly OrderState[] = ['in-flight', 'working', 'pending-cancel', 'pending-amend', 'unknown'];

describe('the life of an order', () => {
  it('the table has every state, and marks each as finished or not', () => {
    expect(Object.keys(ORDER_LIFE).sort()).toEqual([...STATES].sort());
    for (const state of STATES) expect(isFinished(state)).toBe(FINISHED_BY_STATE[state]);
  });

  it('every pair of state and change leads to a known state, or nowhere', () => {
    for (const state of STATES)
      for (const change of CHANGES) {
        const next = nextOrderState(state, change);
        expect(next === null || STATES.includes(next), `${state} + ${change}`).toBe(true);
      }
  });

  it('the table has a result for every state and every change', () => {
    for (const state of STATES) expect(Object.keys(ORDER_LIFE[state]).sort()).toEqual([...CHANGES].sort());
  });

  it.each(['filled', 'canceled', 'expired'] as const)(
    '%s is final, except for a fill that completes the order',
    (state) => {
      for (const change of CHANGES) {
        const next = nextOrderState(state, change);
        if (next !== null && next !== state) expect([change, next]).toEqual(['fill-all', 'filled']);
      }
    },
  );

  it.each(['rejected', 'not-sent'] as const)('%s is final, unless the venue proves that the order arrived', (state) => {
    for (const change of CHANGES) {
      const next = nextOrderState(state, change);
      if (next === null || next === state) continue;
      const isProof = KIND_BY_CHANGE[change] === 'proof' || ['cancel', 'expire'].includes(change);
      expect(isProof, `${state} + ${change} → ${next}`).toBe(true);
    }
  });

  it.each(['rejected', 'not-sent'] as const)('an order existed after all when the venue ends it after %s', (state) => {
    expect(nextOrderState(state, 'cancel')).toBe('canceled');
    expect(nextOrderState(state, 'expire')).toBe('expired');
  });

  it('answers of every kind are accepted in every state the order may have reached', () => {
    const answers = ['refuse-cancel', 'lose-cancel', 'amend', 'refuse-amend', 'lose-amend'] as const;
    for (const state of STATES.filter((one) => one !== 'queued' && one !== 'in-flight'))
      for (const answer of answers) expect(nextOrderState(state, answer), `${state} + ${answer}`).not.toBeNull();
  });

  it.each(['filled', 'canceled', 'expired'] as const)('an order never returns to working from %s', (state) => {
    for (const change of CHANGES) {
      const next = nextOrderState(state, change);
      expect(next === null || isFinished(next), `${state} + ${change} → ${next}`).toBe(true);
    }
  });

  it('a fill after the end counts: a complete one makes the order filled, a partial one changes no state', () => {
    for (const state of ['canceled', 'expired'] as const) {
      expect(nextOrderState(state, 'fill')).toBe(state);
      expect(nextOrderState(state, 'fill-all')).toBe('filled');
    }
  });

  it.each(['rejected', 'not-sent'] as const)(
    'an order is alive again from %s when the venue shows that it arrived',
    (state) => {
      expect(nextOrderState(state, 'accept')).toBe('working');
      expect(nextOrderState(state, 'fill')).toBe('working');
      expect(nextOrderState(state, 'fill-all')).toBe('filled');
    },
  );

  it('late messages of the venue change nothing after the end', () => {
    const late = CHANGES.filter(
      (change) => KIND_BY_CHANGE[change] === 'message' && !['retry', 'reject'].includes(change),
    );
    for (const state of ['filled', 'canceled', 'expired'] as const)
      for (const change of late) expect(nextOrderState(state, change), `${state} + ${change}`).toBe(state);
  });

  it('our own requests change nothing after the end', () => {
    for (const state of FINISHED)
      for (const change of ['send', 'request-cancel', 'request-amend', 'retry'] as const)
        expect(nextOrderState(state, change), `${state} + ${change}`).toBeNull();
  });

  it('an order is unknown after a refused cancel, because “not found” leaves its fate open', () => {
    expect(nextOrderState('pending-cancel', 'refuse-cancel')).toBe('unknown');
    expect(nextOrderState('pending-cancel', 'lose-cancel')).toBe('working');
    expect(nextOrderState('pending-amend', 'lose-amend')).toBe('unknown');
    expect(nextOrderState('pending-amend', 'refuse-amend')).toBe('working');
  });

  it.each(AT_VENUE)('an order can be filled, canceled, expired or lost from %s', (state) => {
    expect(nextOrderState(state, 'fill-all')).toBe('filled');
    expect(nextOrderState(state, 'cancel')).toBe('canceled');
    expect(nextOrderState(state, 'expire')).toBe('expired');
    expect(nextOrderState(state, 'lose')).toBe('unknown');
    expect(nextOrderState(state, 'accept')).not.toBeNull();
    expect(nextOrderState(state, 'fill')).not.toBeNull();
  });

  it('an order is sent only from the queue, and is never sent again once lost', () => {
    for (const state of STATES) expect(nextOrderState(state, 'send')).toBe(state === 'queued' ? 'in-flight' : null);
    expect(nextOrderState('in-flight', 'retry')).toBe('queued');
    expect(nextOrderState('unknown', 'retry')).toBe('unknown');
  });

  it('a cancel is requested only for an acknowledged order', () => {
    expect(nextOrderState('queued', 'request-cancel')).toBeNull();
    expect(nextOrderState('in-flight', 'request-cancel')).toBeNull();
    expect(nextOrderState('working', 'request-cancel')).toBe('pending-cancel');
    expect(nextOrderState('pending-amend', 'request-cancel')).toBe('pending-cancel');
  });

  it('every state can be reached from the queue', () => {
    const seen = new Set<OrderState>(['queued']);
    for (const state of seen)
      for (const change of CHANGES) {
        const next = nextOrderState(state, change);
        if (next !== null) seen.add(next);
      }
    expect([...seen].sort()).toEqual([...STATES].sort());
  });

  it('an order may rest exactly while it is sent and not finished', () => {
    expect(STATES.filter(mayRest).sort()).toEqual([...AT_VENUE].sort());
  });
});

describe('an order', () => {
  it('leavesQty is the unfilled quantity', () => {
    expect(leavesQty({ qty: qty(500), filledQty: qty(120) })).toBe(380);
    expect(leavesQty({ qty: qty(500), filledQty: qty(500) })).toBe(0);
  });

  it('the two sides are each other’s opposite', () => {
    expect([opposite('buy'), opposite('sell')]).toEqual(['sell', 'buy']);
    expect(signOf('buy') + signOf('sell')).toBe(0);
    expect(signOf('buy')).toBe(1);
  });
});
