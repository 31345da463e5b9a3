// Order groups: when too much of one trades at once its orders are withdrawn, and it takes no new ones until it is reset.
import { describe, expect, it } from 'vitest';
import type { ExchangeImage } from '../../src/exchange/image.ts';
import type { Op } from '../../src/exchange/input.ts';
import { restoreExchange } from '../../src/exchange/machine.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { Hall, placeOp } from './hall.ts';

const account = 'ann';
const limit = contracts(40);

it.each<[string, Op, string]>([
  ['an order for it', placeOp(account, { groupId: 'g' }), 'not_found'],
  ['its end', { type: 'delete-group', account, groupId: 'g' }, 'not_found'],
  ['its reset', { type: 'reset-group', account, groupId: 'g' }, 'not_found'],
  ['its trigger', { type: 'trigger-group', account, groupId: 'g' }, 'not_found'],
  ['its limit', { type: 'limit-group', account, groupId: 'g', limit }, 'not_found'],
])('refuses %s, where the account has no such group', (_what, op, code) => {
  const hall = new Hall();
  const { seq, now, ...before } = hall.exchange.image();
  expect(hall.codeOf(op)).toBe(code);
  const { seq: later, now: then, ...after } = hall.exchange.image();
  expect([after, later, then]).toEqual([before, seq + 1, now]);
});

describe('an order group', () => {
  it('withdraws its orders and takes no new ones when its limit has traded, until it is reset', () => {
    const hall = new Hall();
    const created = hall.ask({ type: 'create-group', account, limit: contracts(10) });
    const groupId = created.type === 'order-group' ? created.group.groupId : '';
    const first = hall.place(account, { groupId, qty: contracts(6) });
    const second = hall.place(account, { groupId, qty: contracts(6), price: cents(49) });
    const loose = hall.place(account, { price: cents(48) });
    hall.place('bob', { side: 'sell', qty: contracts(9), timeInForce: 'ioc', price: cents(49) });
    expect(hall.exchange.orderGroup(account, groupId)?.orderIds).toEqual([second.orderId]);
    hall.place('bob', { side: 'sell', qty: contracts(1), timeInForce: 'ioc', price: cents(49) });
    expect(hall.exchange.orderGroup(account, groupId)).toEqual({
      groupId,
      account,
      limit: contracts(10),
      isArmed: false,
      orderIds: [],
    });
    expect(hall.orderOf(account, first.orderId)?.status).toBe('executed');
    expect(hall.orderOf(account, second.orderId)).toMatchObject({
      status: 'canceled',
      filledQty: contracts(4),
      lastUpdateReason: 'HaltCancel',
    });
    expect(hall.orderOf(account, loose.orderId)?.status).toBe('resting');
    expect(hall.codeOf(placeOp(account, { groupId }))).toBe('order_group_triggered');
    hall.ask({ type: 'reset-group', account, groupId });
    expect(hall.place(account, { groupId }).status).toBe('resting');
  });
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
