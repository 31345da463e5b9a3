// The reason of a change of an order, in words.
import { expect, it } from 'vitest';
import { reasonText } from '../../../src/domain/orders/change-text.ts';
import { cents, contracts } from '../../../src/domain/units.ts';

const amend = { price: cents(43.5), qty: contracts(15) };

it('names what should remain and the price of a requested amend', () => {
  const order = { amend, filledQty: contracts(4) };
  expect(reasonText({ order, to: 'pending-amend', why: 'amend requested' })).toBe('amend requested: 11 at 43.5¢');
});

it('leaves every other reason as it is', () => {
  expect(reasonText({ order: { amend, filledQty: contracts(4) }, to: 'working', why: 'amended' })).toBe('amended');
  const shrinking = { amend: null, filledQty: contracts(0) };
  expect(reasonText({ order: shrinking, to: 'pending-amend', why: 'decrease requested' })).toBe('decrease requested');
});
