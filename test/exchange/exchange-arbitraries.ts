// Random operations for the exchange: few accounts, few prices and small quantities, so that orders often meet.
import * as fc from 'fast-check';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID } from '../../src/domain/price-grid.ts';
import { cents, contracts, fromSeconds, micros, money, qty } from '../../src/domain/units.ts';
import type { FeeTerms, NewOrder, Op } from '../../src/exchange/machine/exchange-input.ts';
import type { ExchangeHarness } from './exchange-harness.ts';
import { orderOf } from './exchange-harness.ts';

export const ACCOUNTS = ['ann', 'bob', 'cat'] as const;

/** An operation that may refer to the n-th resting order of an account. */
export type Step =
  | {
      readonly type: 'place';
      readonly account: string;
      readonly order: NewOrder;
      readonly lifeSeconds: number;
      readonly isAllIn: boolean;
      /** Index of the account's order group; `null` for none. */
      readonly group: number | null;
    }
  | { readonly type: 'group'; readonly account: string; readonly pick: number; readonly change: GroupChange }
  | { readonly type: 'cancel'; readonly account: string; readonly pick: number }
  | {
      readonly type: 'amend';
      readonly account: string;
      readonly pick: number;
      readonly price: number;
      readonly qty: number;
    }
  | { readonly type: 'decrease'; readonly account: string; readonly pick: number; readonly by: number }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'op'; readonly op: Op };

type GroupChange = 'create' | 'delete' | 'reset' | 'trigger' | { readonly limit: number };

const account = fc.constantFrom(...ACCOUNTS);
const pick = fc.nat({ max: 20 });

/** True once in `times` draws. */
const rarely = (times: number): fc.Arbitrary<boolean> => fc.nat({ max: times - 1 }).map((draw) => draw === 0);

/** Orders on a few prices; reduce-only ones only when `reduceOnly` is set. */
export const anyPlace = (options: {
  prices: readonly number[];
  reduceOnly: boolean;
  allIn: boolean;
  qtyMax: number;
  unit: number;
  groups?: boolean;
}) =>
  fc.record({
    type: fc.constant('place' as const),
    account,
    group: options.groups === true ? fc.option(pick) : fc.constant(null),
    lifeSeconds: fc.integer({ min: 1, max: 8 }),
    isAllIn: options.allIn ? rarely(4) : fc.constant(false),
    order: fc
      .record({
        side: fc.constantFrom('buy', 'sell'),
        price: fc.constantFrom(...options.prices),
        qty: fc.integer({ min: 1, max: options.qtyMax }).map((count) => count * options.unit),
        timeInForce: fc.constantFrom('gtc', 'gtc', 'gtc', 'gtc', 'gtc', 'gtd', 'ioc', 'ioc', 'fok'),
        postOnly: rarely(8),
        reduceOnly: options.reduceOnly ? rarely(6) : fc.constant(false),
        selfTrade: fc.constantFrom('taker_at_cross', 'maker'),
      })
      .map((order) => {
        const isImmediate = order.timeInForce === 'ioc' || order.timeInForce === 'fok';
        return orderOf({ ...order, postOnly: order.postOnly && !isImmediate });
      }),
  });

export const anyChange = (prices: readonly number[], qtyMax: number, unit: number) =>
  fc.oneof(
    fc.record({ type: fc.constant('cancel' as const), account, pick }),
    fc.record({
      type: fc.constant('amend' as const),
      account,
      pick,
      price: fc.constantFrom(...prices),
      qty: fc.integer({ min: 1, max: qtyMax }).map((count) => count * unit),
    }),
    fc.record({
      type: fc.constant('decrease' as const),
      account,
      pick,
      by: fc.integer({ min: 1, max: qtyMax }).map((count) => count * unit),
    }),
  );

/** Operations on order groups, with limits up to a maximum. */
export const anyGroupChange = (limitMax: number): fc.Arbitrary<Step> =>
  fc.record({
    type: fc.constant('group' as const),
    account,
    pick,
    change: fc.oneof(
      fc.constantFrom<GroupChange>('create', 'create', 'create', 'reset', 'reset', 'trigger', 'delete'),
      fc.integer({ min: 1, max: limitMax }).map((limit) => ({ limit: contracts(limit) })),
    ),
  });

const A = ticker('A');
const GROUP = eventTicker('RAIN-26');

const setSeriesFees = (fees: FeeTerms, second: number): Op => ({
  type: 'set-series-fees',
  seriesTicker: seriesTicker('RAIN'),
  fees,
  at: micros(1_795_000_000_000_000 + fromSeconds(second)),
});

/** Operator operations in any order, valid or not, and transfers of the accounts. */
export const anyOperation: fc.Arbitrary<Step> = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((seconds): Step => ({ type: 'wait', seconds })),
  fc
    .constantFrom<Op>(
      { type: 'halt', ticker: A },
      { type: 'resume', ticker: A },
      { type: 'close', ticker: A },
      { type: 'move-close', ticker: A, closeAt: micros(1_795_000_000_000_000 + fromSeconds(1800)) },
      { type: 'determine', ticker: A, result: 'yes', settlementValue: null },
      { type: 'dispute', ticker: A },
      { type: 'amend-result', ticker: A, result: 'scalar', settlementValue: cents(37) },
      { type: 'set-exchange', isActive: true, isTrading: false },
      { type: 'set-exchange', isActive: true, isTrading: true },
      { type: 'cancel-all', account: 'ann', ticker: null },
      {
        type: 'set-fees',
        eventTicker: GROUP,
        fees: { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 1000 },
      },
      { type: 'set-fees', eventTicker: GROUP, fees: { feeType: 'free', feeMultiplierPercent: 100 } },
      { type: 'set-fees', eventTicker: GROUP, fees: null },
      setSeriesFees({ feeType: 'quadratic', feeMultiplierPercent: 200 }, 0),
      setSeriesFees({ feeType: 'quadratic_with_combo_maker_fees', feeMultiplierPercent: 50 }, 20),
      { type: 'set-grid', ticker: A, gridName: 'deci_cent', gridRanges: DECI_CENT_GRID.ranges },
      { type: 'set-grid', ticker: A, gridName: 'linear_cent', gridRanges: CENT_GRID.ranges },
      { type: 'transfer', account: 'ann', to: 'bob', amount: money(370_001), id: null },
      { type: 'transfer', account: 'bob', to: 'cat', amount: money(1_130_000), id: 'again' },
      { type: 'forget', settledBefore: micros(1_795_000_000_000_000 + fromSeconds(40)) },
    )
    .map((op): Step => ({ type: 'op', op })),
);

/** A step as an operation on the current exchange; `null` when there is nothing to pick. */
export function opOf(harness: ExchangeHarness, step: Step): Op | null {
  if (step.type === 'op') return step.op;
  if (step.type === 'wait') {
    harness.at = micros(harness.at + fromSeconds(step.seconds));
    return { type: 'tick' };
  }
  if (step.type === 'place') {
    const isTimed = step.order.timeInForce === 'gtd';
    const expiresAt = isTimed ? micros(harness.at + fromSeconds(step.lifeSeconds)) : null;
    const order = {
      ...step.order,
      expiresAt,
      groupId: step.group === null ? null : groupOf(harness, step, step.group),
    };
    return { type: 'place', account: step.account, order: step.isAllIn ? allIn(harness, step.account, order) : order };
  }
  if (step.type === 'group') return groupOpOf(harness, step);
  const resting = harness.exchange.restingOrders(step.account);
  const order = resting[step.pick % Math.max(1, resting.length)];
  if (order === undefined) return null;
  const { account } = step;
  const { orderId } = order;
  if (step.type === 'cancel') return { type: 'cancel', account, orderId };
  if (step.type === 'decrease') return { type: 'decrease', account, orderId, by: { reduceBy: step.by } };
  return { type: 'amend', account, amendment: { orderId, price: step.price, qty: step.qty } };
}

/** The id of the picked group, or one that does not exist. */
function groupOf(harness: ExchangeHarness, { account }: { readonly account: string }, pick: number): string {
  const groups = harness.exchange.orderGroups(account);
  return groups[pick % Math.max(1, groups.length)]?.groupId ?? 'none';
}

function groupOpOf(harness: ExchangeHarness, step: Extract<Step, { type: 'group' }>): Op {
  const { account, change } = step;
  if (change === 'create') return { type: 'create-group', account, limit: contracts(12) };
  const groupId = groupOf(harness, step, step.pick);
  if (typeof change === 'object') return { type: 'limit-group', account, groupId, limit: qty(change.limit) };
  return { type: `${change}-group`, account, groupId };
}

export const CENT_PRICES = [48, 49, 50, 51, 52].map(cents);
export const WHOLE = contracts(1);

/**
 * The largest quantity that the cash can cover, tried downward from what its price and fee alone would cost: there a
 * lost millionth would show. Refused attempts are steps like any other.
 */
function allIn(harness: ExchangeHarness, account: string, order: NewOrder): NewOrder {
  const available = harness.exchange.balance(account)?.available ?? 0;
  const step = harness.exchange.market(order.ticker)?.definition.qtyStep ?? 1;
  const each = (order.side === 'buy' ? order.price : 10_000 - order.price) * step;
  const fee = (0.07 * order.price * (10_000 - order.price) * step) / 10_000;
  let steps = Math.min(100_000, Math.max(1, Math.floor(available / (each + fee))));
  for (let less = 1; steps > less; less *= 2) {
    const op: Op = {
      type: 'place',
      account,
      order: { ...order, qty: steps * step, timeInForce: 'gtc', expiresAt: null },
    };
    if (harness.codeOf(op) !== 'insufficient_balance') break;
    steps -= less;
  }
  return { ...order, qty: step };
}
