// Random operations for the exchange: few accounts, few prices, small sizes, so that everything meets everything.
import * as fc from 'fast-check';
import { eventTicker, ticker } from '../../src/domain/ids.ts';
import { cents, contracts, fromSeconds, micros } from '../../src/domain/units.ts';
import type { NewOrder, Op } from '../../src/exchange/input.ts';
import type { Hall } from './hall.ts';
import { orderOf } from './hall.ts';

export const ACCOUNTS = ['ann', 'bob', 'cat'] as const;

/** An operation that may name the n-th order an account ever had resting. */
export type Step =
  | {
      readonly type: 'place';
      readonly account: string;
      readonly order: NewOrder;
      readonly lifeSeconds: number;
      readonly isAllIn: boolean;
    }
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

const account = fc.constantFrom(...ACCOUNTS);
const pick = fc.nat({ max: 20 });

/** True once in so many. */
const rarely = (times: number): fc.Arbitrary<boolean> => fc.nat({ max: times - 1 }).map((draw) => draw === 0);

/** Orders on a handful of prices; `reduceOnly` only where asked for. */
export const anyPlace = (options: {
  prices: readonly number[];
  reduceOnly: boolean;
  allIn: boolean;
  qtyMax: number;
  unit: number;
}) =>
  fc.record({
    type: fc.constant('place' as const),
    account,
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

const A = ticker('A');
const GROUP = eventTicker('RAIN-26');

/** What the operator may do, in any order, sense or none. */
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
      { type: 'forget', settledBefore: micros(1_795_000_000_000_000 + fromSeconds(40)) },
    )
    .map((op): Step => ({ type: 'op', op })),
);

/** A step as an operation on the exchange as it is now; `null` when there is nothing to pick. */
export function opOf(hall: Hall, step: Step): Op | null {
  if (step.type === 'op') return step.op;
  if (step.type === 'wait') {
    hall.at = micros(hall.at + fromSeconds(step.seconds));
    return { type: 'tick' };
  }
  if (step.type === 'place') {
    const isTimed = step.order.timeInForce === 'gtd';
    const expiresAt = isTimed ? micros(hall.at + fromSeconds(step.lifeSeconds)) : null;
    const order = { ...step.order, expiresAt };
    return { type: 'place', account: step.account, order: step.isAllIn ? allIn(hall, step.account, order) : order };
  }
  const resting = hall.exchange.restingOrders(step.account);
  const order = resting[step.pick % Math.max(1, resting.length)];
  if (order === undefined) return null;
  const { account } = step;
  const { orderId } = order;
  if (step.type === 'cancel') return { type: 'cancel', account, orderId };
  if (step.type === 'decrease') return { type: 'decrease', account, orderId, by: { reduceBy: step.by } };
  return { type: 'amend', account, amendment: { orderId, price: step.price, qty: step.qty } };
}

export const CENT_PRICES = [48, 49, 50, 51, 52].map(cents);
export const WHOLE = contracts(1);

/**
 * As much of an order as cash can stand behind, going down from what its price and fee alone would take: where a
 * forgotten millionth would show. The tries that are refused are steps like any other.
 */
function allIn(hall: Hall, account: string, order: NewOrder): NewOrder {
  const available = hall.exchange.balance(account)?.available ?? 0;
  const step = hall.exchange.market(order.ticker)?.definition.qtyStep ?? 1;
  const each = (order.side === 'buy' ? order.price : 10_000 - order.price) * step;
  const fee = (0.07 * order.price * (10_000 - order.price) * step) / 10_000;
  let steps = Math.min(100_000, Math.max(1, Math.floor(available / (each + fee))));
  for (let less = 1; steps > less; less *= 2) {
    const op: Op = {
      type: 'place',
      account,
      order: { ...order, qty: steps * step, timeInForce: 'gtc', expiresAt: null },
    };
    if (hall.codeOf(op) !== 'insufficient_balance') break;
    steps -= less;
  }
  return { ...order, qty: step };
}
