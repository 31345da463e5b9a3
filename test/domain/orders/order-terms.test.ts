// The terms of an order: stated by an intent, completed, and stated again.
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { type StatedTerms, completeTerms, stateTerms, termsOf } from '../../../src/domain/orders/order-terms.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';

const STATED: StatedTerms = { market: 0 as MarketIndex, side: 'buy', price: cents(40), qty: contracts(2) };
const DEFAULTS = { timeInForce: 'gtc', postOnly: false, reduceOnly: false, expiresAt: null };

describe('the terms of an order', () => {
  it('terms that an intent leaves out have their defaults', () => {
    expect(completeTerms(STATED)).toEqual({ ...STATED, ...DEFAULTS });
  });

  it('terms that an intent states are carried whole, and nothing else of the order', () => {
    const stated: StatedTerms = {
      ...STATED,
      timeInForce: 'gtd',
      postOnly: true,
      reduceOnly: true,
      expiresAt: micros(9),
    };
    const order = { ...completeTerms(stated), clientOrderId: 'c', reason: 'r' };
    expect(termsOf(order)).toEqual(stated);
    expect(stateTerms(order)).toEqual(stated);
  });

  it('an intent never states an expiry that an order lacks', () => {
    expect('expiresAt' in stateTerms(completeTerms(STATED))).toBe(false);
  });
});
