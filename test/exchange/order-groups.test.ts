// Order groups, where no account has one: whatever names one is refused, and changes nothing but the clock.
import { expect, it } from 'vitest';
import type { ExchangeImage } from '../../src/exchange/image.ts';
import type { Op } from '../../src/exchange/input.ts';
import { restoreExchange } from '../../src/exchange/machine.ts';
import { contracts } from '../../src/domain/units.ts';
import { Hall, placeOp } from './hall.ts';

const account = 'ann';
const limit = contracts(40);

it.each<[string, Op, string]>([
  ['an order for it', placeOp(account, { groupId: 'g' }), 'not_found'],
  ['its beginning', { type: 'create-group', account, limit }, 'invalid_parameters'],
  ['its end', { type: 'delete-group', account, groupId: 'g' }, 'not_found'],
  ['its reset', { type: 'reset-group', account, groupId: 'g' }, 'not_found'],
  ['its trigger', { type: 'trigger-group', account, groupId: 'g' }, 'not_found'],
  ['its limit', { type: 'limit-group', account, groupId: 'g', limit }, 'not_found'],
])('refuses %s', (_what, op, code) => {
  const hall = new Hall();
  const { seq, now, ...before } = hall.exchange.image();
  expect(hall.codeOf(op)).toBe(code);
  const { seq: later, now: then, ...after } = hall.exchange.image();
  expect([after, later, then]).toEqual([before, seq + 1, now]);
});

it('restores an order of an image from before there were groups as one of none', () => {
  const hall = new Hall();
  const { orderId } = hall.place(account, {});
  const older = JSON.parse(
    JSON.stringify(hall.exchange.image(), (key, value: unknown) => (key === 'groupId' ? undefined : value)),
  ) as ExchangeImage;
  const restored = restoreExchange(7, older);
  expect(restored.order(account, orderId)).toEqual({ ...hall.orderOf(account, orderId), groupId: null });
  expect(restored.image()).toEqual(hall.exchange.image());
});
