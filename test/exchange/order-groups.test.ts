// Order groups: when too many contracts of a group trade at once, its orders are canceled and it takes no new ones
// until it is reset.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeImage } from '../../src/exchange/image.ts';
import type { Op } from '../../src/exchange/input.ts';
import { restoreExchange } from '../../src/exchange/machine.ts';
import type { StepResult } from '../../src/exchange/output.ts';
import { cents, contracts, fromSeconds } from '../../src/domain/units.ts';
import { CENT_PRICES, WHOLE, anyChange, anyGrouping, anyPlace, opOf } from './arbitraries.ts';
import { Hall, placeOp } from './hall.ts';
import { runs } from '../support/runs.ts';

const account = 'ann';
const limit = contracts(40);

/** A group of ann's with a limit in contracts. */
function groupOf(hall: Hall, contractsMax: number): string {
  const answer = hall.ask({ type: 'create-group', account, limit: contracts(contractsMax) });
  if (answer.type !== 'order-group') throw new Error(`answered ${answer.type}`);
  return answer.group.groupId;
}

/** bob takes a number of contracts that ann bids for. */
const hit = (hall: Hall, count: number): StepResult =>
  hall.step(placeOp('bob', { side: 'sell', price: cents(40), qty: contracts(count), timeInForce: 'ioc' }));

const changesOf = ({ facts }: StepResult): string[] =>
  facts.flatMap((fact) => (fact.type === 'order-group' ? [fact.change] : []));

describe('an order group', () => {
  it('cancels its orders and takes no new ones once its limit has traded, until it is reset', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    const first = hall.place(account, { groupId, qty: contracts(6) });
    const second = hall.place(account, { groupId, qty: contracts(6), price: cents(49) });
    const loose = hall.place(account, { price: cents(48) });
    hit(hall, 9);
    expect(hall.exchange.orderGroup(account, groupId)?.orderIds).toEqual([second.orderId]);
    expect(changesOf(hit(hall, 1))).toEqual(['triggered']);
    const triggered = { groupId, account, limit: contracts(10), isArmed: false, orderIds: [] };
    expect(hall.exchange.orderGroup(account, groupId)).toEqual(triggered);
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

  it('counts both the maker and the taker fills of its orders', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    hall.place('bob', { side: 'sell', qty: contracts(6) });
    const taker = hall.place(account, { groupId, qty: contracts(8) });
    expect(taker).toMatchObject({ status: 'resting', filledQty: contracts(6) });
    hit(hall, 2);
    expect(hall.place(account, { groupId, qty: contracts(3) }).status).toBe('resting');
    hit(hall, 2);
    expect(hall.exchange.orderGroup(account, groupId)?.isArmed).toBe(false);
  });

  it('cancels the rest of the order that reaches its limit', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 5);
    hall.place('bob', { side: 'sell', qty: contracts(7) });
    const taker = hall.place(account, { groupId, qty: contracts(9) });
    expect(taker).toMatchObject({ status: 'canceled', filledQty: contracts(7), leavesQty: 0 });
    expect(hall.bookText()).toBe(' | ');
    expect(hall.exchange.balance(account)?.reserved).toBe(0);
  });

  it('stops counting a trade after fifteen seconds', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    hall.place(account, { groupId, qty: contracts(30) });
    hit(hall, 9);
    hall.wait(14);
    hit(hall, 0.5);
    hall.wait(1);
    expect(changesOf(hit(hall, 9))).toEqual([]);
    expect(changesOf(hit(hall, 1))).toEqual(['triggered']);
  });

  it('is triggered by its owner, and only once', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    const order = hall.place(account, { groupId });
    expect(changesOf(hall.step({ type: 'trigger-group', account, groupId }))).toEqual(['triggered']);
    expect(hall.orderOf(account, order.orderId)?.status).toBe('canceled');
    expect(changesOf(hall.step({ type: 'trigger-group', account, groupId }))).toEqual([]);
  });

  it('is triggered at once by a limit that has already been reached', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 100);
    hall.place(account, { groupId, qty: contracts(30) });
    hit(hall, 7);
    const lower = (count: number): Op => ({ type: 'limit-group', account, groupId, limit: contracts(count) });
    expect(changesOf(hall.step(lower(8)))).toEqual(['limit-changed']);
    expect(changesOf(hall.step(lower(7)))).toEqual(['limit-changed', 'triggered']);
    expect(hall.exchange.restingOrders(account)).toEqual([]);
  });

  it('counts from zero after a reset', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    hall.place(account, { groupId, qty: contracts(30) });
    hit(hall, 9);
    hall.ask({ type: 'reset-group', account, groupId });
    expect(changesOf(hit(hall, 9))).toEqual([]);
    expect(changesOf(hit(hall, 1))).toEqual(['triggered']);
  });

  it('cancels its orders when it is deleted', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    const order = hall.place(account, { groupId });
    expect(changesOf(hall.step({ type: 'delete-group', account, groupId }))).toEqual(['deleted']);
    expect(hall.orderOf(account, order.orderId)).toMatchObject({ status: 'canceled', groupId });
    expect(hall.exchange.orderGroups(account)).toEqual([]);
    expect(hall.codeOf(placeOp(account, { groupId }))).toBe('not_found');
  });

  it('is reachable by its own account only', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    expect(hall.codeOf(placeOp('bob', { groupId }))).toBe('not_found');
    expect(hall.codeOf({ type: 'delete-group', account: 'bob', groupId })).toBe('not_found');
    expect(hall.exchange.orderGroups('bob')).toEqual([]);
  });

  it('cannot be changed while the exchange is paused', () => {
    const hall = new Hall();
    const groupId = groupOf(hall, 10);
    hall.ask({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(hall.codeOf({ type: 'trigger-group', account, groupId })).toBe('exchange_is_paused');
    expect(hall.codeOf({ type: 'create-group', account, limit })).toBe('exchange_is_paused');
  });

  it.each([0, -100, 1.5, Number.NaN])('refuses a limit of %d hundredths', (wrong) => {
    const hall = new Hall();
    const bad = wrong as typeof limit;
    expect(hall.codeOf({ type: 'create-group', account, limit: bad })).toBe('invalid_parameters');
    const groupId = groupOf(hall, 10);
    expect(hall.codeOf({ type: 'limit-group', account, groupId, limit: bad })).toBe('invalid_parameters');
  });

  it('never reuses an id, even after a restore from an image', () => {
    const hall = new Hall();
    const first = groupOf(hall, 10);
    hall.ask({ type: 'delete-group', account, groupId: first });
    const copy = restoreExchange(7, JSON.parse(JSON.stringify(hall.exchange.image())) as ExchangeImage);
    const { answer } = copy.step({ at: hall.at, op: { type: 'create-group', account, limit } });
    expect(answer.type === 'order-group' && answer.group.groupId !== first).toBe(true);
  });
});

describe('order groups', () => {
  it('take orders exactly while less than their limit has traded in the last fifteen seconds since their reset', () => {
    const anyStep = fc.oneof(
      {
        weight: 12,
        arbitrary: anyPlace({
          prices: CENT_PRICES,
          reduceOnly: false,
          allIn: false,
          qtyMax: 6,
          unit: WHOLE,
          groups: true,
        }),
      },
      { weight: 4, arbitrary: anyChange(CENT_PRICES, 6, WHOLE) },
      { weight: 3, arbitrary: anyGrouping(20) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.nat({ max: 20 }) }) },
    );
    let triggered = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 30, maxLength: 120, size: 'max' }), (steps) => {
        const hall = new Hall({ cash: 1_000_000 });
        for (const step of steps) {
          const op = opOf(hall, step);
          if (op !== null) hall.step(op);
          hall.exchange.audit();
        }
        const plain = plainGroups(hall);
        for (const name of ['ann', 'bob', 'cat'])
          for (const { groupId, isArmed } of hall.exchange.orderGroups(name)) {
            expect(isArmed).toBe(plain.get(groupId));
            triggered += isArmed ? 0 : 1;
          }
      }),
      { numRuns: runs(150) },
    );
    expect(triggered).toBeGreaterThan(20);
  });
});

/** The groups that take orders, derived from all fills and operations. */
function plainGroups({ inputs, results }: Hall): Map<string, boolean> {
  interface Plain {
    limit: number;
    isArmed: boolean;
    fills: { at: number; qty: number }[];
  }
  const groups = new Map<string, Plain>();
  const groupOfOrder = new Map<string, string>();
  results.forEach(({ at, answer, facts }, index) => {
    const op = inputs[index]?.op;
    for (const fact of facts) {
      if (fact.type === 'order' && fact.order.groupId !== null)
        groupOfOrder.set(fact.order.orderId, fact.order.groupId);
    }
    if (answer.type === 'order-group' && op?.type === 'create-group')
      groups.set(answer.group.groupId, { limit: op.limit, isArmed: true, fills: [] });
    const named = op !== undefined && 'groupId' in op ? groups.get(op.groupId) : undefined;
    if (named !== undefined && answer.type === 'order-group') {
      if (op?.type === 'limit-group') named.limit = op.limit;
      if (op?.type === 'trigger-group') named.isArmed = false;
      if (op?.type === 'reset-group') Object.assign(named, { isArmed: true, fills: [] });
    }
    for (const fact of facts) {
      if (fact.type !== 'fill') continue;
      groups.get(groupOfOrder.get(fact.fill.orderId) ?? '')?.fills.push({ at, qty: fact.fill.qty });
    }
    for (const group of groups.values()) {
      const recent = group.fills.filter((fill) => fill.at > at - fromSeconds(15));
      if (recent.reduce((sum, fill) => sum + fill.qty, 0) >= group.limit) group.isArmed = false;
    }
  });
  return new Map([...groups].map(([groupId, { isArmed }]) => [groupId, isArmed]));
}

it.each<[string, Op]>([
  ['an order for a group', placeOp(account, { groupId: 'g' })],
  ['a deletion', { type: 'delete-group', account, groupId: 'g' }],
  ['a reset', { type: 'reset-group', account, groupId: 'g' }],
  ['a trigger', { type: 'trigger-group', account, groupId: 'g' }],
  ['a limit', { type: 'limit-group', account, groupId: 'g', limit }],
])('refuses %s when the account has no such group, and changes nothing but the clock', (_what, op) => {
  const hall = new Hall();
  const { seq, now, ...before } = hall.exchange.image();
  expect(hall.codeOf(op)).toBe('not_found');
  const { seq: later, now: then, ...after } = hall.exchange.image();
  expect([after, later, then]).toEqual([before, seq + 1, now]);
});

it('restores an image written before groups, transfers, scheduled fees and order outcomes existed', () => {
  const hall = new Hall();
  const { orderId } = hall.place(account, {});
  hall.place('bob', { side: 'sell', qty: contracts(1), timeInForce: 'ioc' });
  expect(hall.exchange.fills(account)).toHaveLength(1);
  const since = new Set(['groupId', 'orderGroups', 'transfers', 'feeChanges', 'outcome']);
  const older = JSON.parse(
    JSON.stringify(hall.exchange.image(), (key, value: unknown) => (since.has(key) ? undefined : value)),
  ) as ExchangeImage;
  expect(Object.keys(older.counts)).toEqual(['orders', 'trades', 'markets']);
  const restored = restoreExchange(7, older);
  expect(restored.order(account, orderId)).toEqual({ ...hall.orderOf(account, orderId), groupId: null });
  expect(restored.image()).toEqual(hall.exchange.image());
});
