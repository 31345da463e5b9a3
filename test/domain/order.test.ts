// The life of an order as laws over its whole table: every state, every change.
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
} from '../../src/domain/order.ts';
import { qty } from '../../src/domain/units.ts';

/** Keyed by every state and change there is, so that the compiler says when one is missing here. */
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
const KIND_BY_CHANGE: Readonly<Record<OrderChange, 'ours' | 'proof' | 'word'>> = {
  send: 'ours',
  drop: 'ours',
  'request-cancel': 'ours',
  'request-amend': 'ours',
  retry: 'word',
  accept: 'proof',
  fill: 'proof',
  'fill-all': 'proof',
  reject: 'word',
  lose: 'word',
  'refuse-cancel': 'word',
  'lose-cancel': 'word',
  amend: 'word',
  'refuse-amend': 'word',
  'lose-amend': 'word',
  cancel: 'word',
  expire: 'word',
};
const STATES = Object.keys(FINISHED_BY_STATE).filter((key): key is OrderState => key in FINISHED_BY_STATE);
const CHANGES = Object.keys(KIND_BY_CHANGE).filter((key): key is OrderChange => key in KIND_BY_CHANGE);
const FINISHED = STATES.filter((state) => FINISHED_BY_STATE[state]);
const AT_VENUE: readonly OrderState[] = ['in-flight', 'working', 'pending-cancel', 'pending-amend', 'unknown'];

describe('the life of an order', () => {
  it('knows every state, and says of each whether it is the end', () => {
    expect(Object.keys(ORDER_LIFE).sort()).toEqual([...STATES].sort());
    for (const state of STATES) expect(isFinished(state)).toBe(FINISHED_BY_STATE[state]);
  });

  it('leads from any pair only to a state there is, or nowhere', () => {
    for (const state of STATES)
      for (const change of CHANGES) {
        const next = nextOrderState(state, change);
        expect(next === null || STATES.includes(next), `${state} + ${change}`).toBe(true);
      }
  });

  it('says of every state and every change what follows', () => {
    for (const state of STATES) expect(Object.keys(ORDER_LIFE[state]).sort()).toEqual([...CHANGES].sort());
  });

  it.each(['filled', 'canceled', 'expired'] as const)('ends at %s, but for a fill that completes it', (state) => {
    for (const change of CHANGES) {
      const next = nextOrderState(state, change);
      if (next !== null && next !== state) expect([change, next]).toEqual(['fill-all', 'filled']);
    }
  });

  it.each(['rejected', 'not-sent'] as const)('ends at %s, unless the venue proves that it arrived', (state) => {
    for (const change of CHANGES) {
      const next = nextOrderState(state, change);
      if (next === null || next === state) continue;
      const isProof = KIND_BY_CHANGE[change] === 'proof' || ['cancel', 'expire'].includes(change);
      expect(isProof, `${state} + ${change} → ${next}`).toBe(true);
    }
  });

  it.each(['rejected', 'not-sent'] as const)('was there after all when the venue ends it after %s', (state) => {
    expect(nextOrderState(state, 'cancel')).toBe('canceled');
    expect(nextOrderState(state, 'expire')).toBe('expired');
  });

  it('answers of every kind are taken wherever the order may be by then', () => {
    const answers = ['refuse-cancel', 'lose-cancel', 'amend', 'refuse-amend', 'lose-amend'] as const;
    for (const state of STATES.filter((one) => one !== 'queued' && one !== 'in-flight'))
      for (const answer of answers) expect(nextOrderState(state, answer), `${state} + ${answer}`).not.toBeNull();
  });

  it.each(['filled', 'canceled', 'expired'] as const)('never goes back to working from %s', (state) => {
    for (const change of CHANGES) {
      const next = nextOrderState(state, change);
      expect(next === null || isFinished(next), `${state} + ${change} → ${next}`).toBe(true);
    }
  });

  it('counts a fill that is told after the end: all filled becomes filled, a part changes nothing', () => {
    for (const state of ['canceled', 'expired'] as const) {
      expect(nextOrderState(state, 'fill')).toBe(state);
      expect(nextOrderState(state, 'fill-all')).toBe('filled');
    }
  });

  it.each(['rejected', 'not-sent'] as const)('lives again from %s when the venue shows that it arrived', (state) => {
    expect(nextOrderState(state, 'accept')).toBe('working');
    expect(nextOrderState(state, 'fill')).toBe('working');
    expect(nextOrderState(state, 'fill-all')).toBe('filled');
  });

  it('takes every late word of the venue at the end without a change', () => {
    const late = CHANGES.filter((change) => KIND_BY_CHANGE[change] === 'word' && !['retry', 'reject'].includes(change));
    for (const state of ['filled', 'canceled', 'expired'] as const)
      for (const change of late) expect(nextOrderState(state, change), `${state} + ${change}`).toBe(state);
  });

  it('does nothing of ours with an order that has ended', () => {
    for (const state of FINISHED)
      for (const change of ['send', 'request-cancel', 'request-amend', 'retry'] as const)
        expect(nextOrderState(state, change), `${state} + ${change}`).toBeNull();
  });

  it('is unknown after a refused cancel, for “not found” does not say what became of it', () => {
    expect(nextOrderState('pending-cancel', 'refuse-cancel')).toBe('unknown');
    expect(nextOrderState('pending-cancel', 'lose-cancel')).toBe('working');
    expect(nextOrderState('pending-amend', 'lose-amend')).toBe('unknown');
    expect(nextOrderState('pending-amend', 'refuse-amend')).toBe('working');
  });

  it.each(AT_VENUE)('can be filled, canceled, expire or be lost sight of from %s', (state) => {
    expect(nextOrderState(state, 'fill-all')).toBe('filled');
    expect(nextOrderState(state, 'cancel')).toBe('canceled');
    expect(nextOrderState(state, 'expire')).toBe('expired');
    expect(nextOrderState(state, 'lose')).toBe('unknown');
    expect(nextOrderState(state, 'accept')).not.toBeNull();
    expect(nextOrderState(state, 'fill')).not.toBeNull();
  });

  it('is sent only from the queue, and once lost is never sent again', () => {
    for (const state of STATES) expect(nextOrderState(state, 'send')).toBe(state === 'queued' ? 'in-flight' : null);
    expect(nextOrderState('in-flight', 'retry')).toBe('queued');
    expect(nextOrderState('unknown', 'retry')).toBe('unknown');
  });

  it('asks for a cancel of what has been acknowledged only', () => {
    expect(nextOrderState('queued', 'request-cancel')).toBeNull();
    expect(nextOrderState('in-flight', 'request-cancel')).toBeNull();
    expect(nextOrderState('working', 'request-cancel')).toBe('pending-cancel');
    expect(nextOrderState('pending-amend', 'request-cancel')).toBe('pending-cancel');
  });

  it('lets every state be reached from the queue', () => {
    const seen = new Set<OrderState>(['queued']);
    for (const state of seen)
      for (const change of CHANGES) {
        const next = nextOrderState(state, change);
        if (next !== null) seen.add(next);
      }
    expect([...seen].sort()).toEqual([...STATES].sort());
  });

  it('may rest exactly while it is sent and not ended', () => {
    expect(STATES.filter(mayRest).sort()).toEqual([...AT_VENUE].sort());
  });
});

describe('an order', () => {
  it('leaves what has not been filled', () => {
    expect(leavesQty({ qty: qty(500), filledQty: qty(120) })).toBe(380);
    expect(leavesQty({ qty: qty(500), filledQty: qty(500) })).toBe(0);
  });

  it('has two sides, each the opposite of the other', () => {
    expect([opposite('buy'), opposite('sell')]).toEqual(['sell', 'buy']);
    expect(signOf('buy') + signOf('sell')).toBe(0);
    expect(signOf('buy')).toBe(1);
  });
});
