// Order groups: when too many contracts of a group trade at once, its orders are canceled and it takes no new ones
// until it is reset.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeImage } from '../../../src/exchange/store/exchange-image.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import { restoreExchange } from '../../../src/exchange/machine/exchange-machine.ts';
import type { StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import { cents, contracts, fromSeconds } from '../../../src/domain/units.ts';
import { CENT_PRICES, WHOLE, anyChange, anyGroupChange, anyPlace, opOf } from '../exchange-arbitraries.ts';
import { ExchangeHarness, placeOp } from '../exchange-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const account = 'ann';
const limit = contracts(40);

/** A group of ann's with a limit in contracts. */
function groupOf(harness: ExchangeHarness, contractsMax: number): string {
  const answer = harness.submit({ type: 'create-group', account, limit: contracts(contractsMax) });
  if (answer.type !== 'order-group') throw new Error(`answered ${answer.type}`);
  return answer.group.groupId;
}

/** bob takes a number of contracts that ann bids for. */
const hit = (harness: ExchangeHarness, count: number): StepResult =>
  harness.step(placeOp('bob', { side: 'sell', price: cents(40), qty: contracts(count), timeInForce: 'ioc' }));

const changesOf = ({ facts }: StepResult): string[] =>
  facts.flatMap((fact) => (fact.type === 'order-group' ? [fact.change] : []));

describe('an order group', () => {
  it('cancels its orders and takes no new ones once its limit has traded, until it is reset', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    const first = harness.placeOrder(account, { groupId, qty: contracts(6) });
    const second = harness.placeOrder(account, { groupId, qty: contracts(6), price: cents(49) });
    const loose = harness.placeOrder(account, { price: cents(48) });
    hit(harness, 9);
    expect(harness.exchange.orderGroup(account, groupId)?.orderIds).toEqual([second.orderId]);
    expect(changesOf(hit(harness, 1))).toEqual(['triggered']);
    const triggered = { groupId, account, limit: contracts(10), isArmed: false, orderIds: [] };
    expect(harness.exchange.orderGroup(account, groupId)).toEqual(triggered);
    expect(harness.orderOf(account, first.orderId)?.status).toBe('executed');
    expect(harness.orderOf(account, second.orderId)).toMatchObject({
      status: 'canceled',
      filledQty: contracts(4),
      lastUpdateReason: 'HaltCancel',
    });
    expect(harness.orderOf(account, loose.orderId)?.status).toBe('resting');
    expect(harness.codeOf(placeOp(account, { groupId }))).toBe('order_group_triggered');
    harness.submit({ type: 'reset-group', account, groupId });
    expect(harness.placeOrder(account, { groupId }).status).toBe('resting');
  });

  it('counts both the maker and the taker fills of its orders', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    harness.placeOrder('bob', { side: 'sell', qty: contracts(6) });
    const taker = harness.placeOrder(account, { groupId, qty: contracts(8) });
    expect(taker).toMatchObject({ status: 'resting', filledQty: contracts(6) });
    hit(harness, 2);
    expect(harness.placeOrder(account, { groupId, qty: contracts(3) }).status).toBe('resting');
    hit(harness, 2);
    expect(harness.exchange.orderGroup(account, groupId)?.isArmed).toBe(false);
  });

  it('cancels the rest of the order that reaches its limit', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 5);
    harness.placeOrder('bob', { side: 'sell', qty: contracts(7) });
    const taker = harness.placeOrder(account, { groupId, qty: contracts(9) });
    expect(taker).toMatchObject({ status: 'canceled', filledQty: contracts(7), leavesQty: 0 });
    expect(harness.bookText()).toBe(' | ');
    expect(harness.exchange.balance(account)?.reserved).toBe(0);
  });

  it('stops counting a trade after fifteen seconds', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    harness.placeOrder(account, { groupId, qty: contracts(30) });
    hit(harness, 9);
    harness.advance(14);
    hit(harness, 0.5);
    harness.advance(1);
    expect(changesOf(hit(harness, 9))).toEqual([]);
    expect(changesOf(hit(harness, 1))).toEqual(['triggered']);
  });

  it('is triggered by its owner, and only once', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    const order = harness.placeOrder(account, { groupId });
    expect(changesOf(harness.step({ type: 'trigger-group', account, groupId }))).toEqual(['triggered']);
    expect(harness.orderOf(account, order.orderId)?.status).toBe('canceled');
    expect(changesOf(harness.step({ type: 'trigger-group', account, groupId }))).toEqual([]);
  });

  it('is triggered at once by a limit that has already been reached', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 100);
    harness.placeOrder(account, { groupId, qty: contracts(30) });
    hit(harness, 7);
    const lower = (count: number): Op => ({ type: 'limit-group', account, groupId, limit: contracts(count) });
    expect(changesOf(harness.step(lower(8)))).toEqual(['limit-changed']);
    expect(changesOf(harness.step(lower(7)))).toEqual(['limit-changed', 'triggered']);
    expect(harness.exchange.restingOrders(account)).toEqual([]);
  });

  it('counts from zero after a reset', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    harness.placeOrder(account, { groupId, qty: contracts(30) });
    hit(harness, 9);
    harness.submit({ type: 'reset-group', account, groupId });
    expect(changesOf(hit(harness, 9))).toEqual([]);
    expect(changesOf(hit(harness, 1))).toEqual(['triggered']);
  });

  it('cancels its orders when it is deleted', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    const order = harness.placeOrder(account, { groupId });
    expect(changesOf(harness.step({ type: 'delete-group', account, groupId }))).toEqual(['deleted']);
    expect(harness.orderOf(account, order.orderId)).toMatchObject({ status: 'canceled', groupId });
    expect(harness.exchange.orderGroups(account)).toEqual([]);
    expect(harness.codeOf(placeOp(account, { groupId }))).toBe('not_found');
  });

  it('is reachable by its own account only', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    expect(harness.codeOf(placeOp('bob', { groupId }))).toBe('not_found');
    expect(harness.codeOf({ type: 'delete-group', account: 'bob', groupId })).toBe('not_found');
    expect(harness.exchange.orderGroups('bob')).toEqual([]);
  });

  it('cannot be changed while the exchange is paused', () => {
    const harness = new ExchangeHarness();
    const groupId = groupOf(harness, 10);
    harness.submit({ type: 'set-exchange', isActive: false, isTrading: false });
    expect(harness.codeOf({ type: 'trigger-group', account, groupId })).toBe('exchange_is_paused');
    expect(harness.codeOf({ type: 'create-group', account, limit })).toBe('exchange_is_paused');
  });

  it.each([0, -100, 1.5, Number.NaN])('refuses a limit of %d hundredths', (wrong) => {
    const harness = new ExchangeHarness();
    const bad = wrong as typeof limit;
    expect(harness.codeOf({ type: 'create-group', account, limit: bad })).toBe('invalid_parameters');
    const groupId = groupOf(harness, 10);
    expect(harness.codeOf({ type: 'limit-group', account, groupId, limit: bad })).toBe('invalid_parameters');
  });

  it('never reuses an id, even after a restore from an image', () => {
    const harness = new ExchangeHarness();
    const first = groupOf(harness, 10);
    harness.submit({ type: 'delete-group', account, groupId: first });
    const copy = restoreExchange(7, JSON.parse(JSON.stringify(harness.exchange.image())) as ExchangeImage);
    const { answer } = copy.step({ at: harness.at, op: { type: 'create-group', account, limit } });
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
      { weight: 3, arbitrary: anyGroupChange(20) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.nat({ max: 20 }) }) },
    );
    let triggered = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 30, maxLength: 120, size: 'max' }), (steps) => {
        const harness = new ExchangeHarness({ cash: 1_000_000 });
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op !== null) harness.step(op);
          harness.exchange.audit();
        }
        const plain = plainGroups(harness);
        for (const name of ['ann', 'bob', 'cat'])
          for (const { groupId, isArmed } of harness.exchange.orderGroups(name)) {
            expect(isArmed).toBe(plain.get(groupId));
            triggered += isArmed ? 0 : 1;
          }
      }),
      { numRuns: runCount(150) },
    );
    expect(triggered).toBeGreaterThan(20);
  });
});

/** The groups that take orders, derived from all fills and operations. */
function plainGroups({ inputs, results }: ExchangeHarness): Map<string, boolean> {
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
  const harness = new ExchangeHarness();
  const { seq, now, ...before } = harness.exchange.image();
  expect(harness.codeOf(op)).toBe('not_found');
  const { seq: later, now: then, ...after } = harness.exchange.image();
  expect([after, later, then]).toEqual([before, seq + 1, now]);
});

it('restores an image written before groups, transfers, scheduled fees and order outcomes existed', () => {
  const harness = new ExchangeHarness();
  const { orderId } = harness.placeOrder(account, {});
  harness.placeOrder('bob', { side: 'sell', qty: contracts(1), timeInForce: 'ioc' });
  expect(harness.exchange.fills(account)).toHaveLength(1);
  const since = new Set(['groupId', 'orderGroups', 'transfers', 'feeChanges', 'outcome']);
  const older = JSON.parse(
    JSON.stringify(harness.exchange.image(), (key, value: unknown) => (since.has(key) ? undefined : value)),
  ) as ExchangeImage;
  expect(Object.keys(older.counts)).toEqual(['orders', 'trades', 'markets']);
  const restored = restoreExchange(7, older);
  expect(restored.order(account, orderId)).toEqual({ ...harness.orderOf(account, orderId), groupId: null });
  expect(restored.image()).toEqual(harness.exchange.image());
});
