// Orders with unanswered amends under random amends, answers and fills: whichever terms turn out to be in force, and
// whatever traded before, nothing exceeds a limit, the cash, or what was counted.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Order, type Side, isFinished } from '../../../src/domain/orders/order.ts';
import { termsOf } from '../../../src/domain/orders/order-terms.ts';
import { collateral, valueOf } from '../../../src/domain/position.ts';
import { type Price, cents, contracts, dollars, money, qty } from '../../../src/domain/units.ts';
import { FeeSchedules } from '../../../src/risk/exposure/fee-schedules.ts';
import { checkOrder } from '../../../src/risk/risk-check.ts';
import { reachablePosition, reservedCash } from '../../../src/state/account/equity.ts';
import { collateralTermsOf } from '../../../src/state/account/reserved-collateral.ts';
import type { State } from '../../../src/state/state.ts';
import { BEGIN, MAKER, aFill, aPlace, index, wideLimits } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { emptyState, openAccount, worstByBruteForce } from '../brute-force.ts';
import { aGroup, riskContext, sendOrder } from '../rule-context.ts';

const MARKETS = 2;
const LIMITS = wideLimits({
  orderQtyMax: contracts(25),
  positionQtyMax: contracts(30),
  marketCostMax: dollars(12),
  groupCostMax: dollars(14),
  accountCostMax: dollars(14),
  workingOrdersMax: 4,
});

const terms = { cent: fc.integer({ min: 20, max: 80 }), size: fc.integer({ min: 1, max: 20 }) };
const which = fc.nat(20);
const aStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('order' as const),
      market: fc.nat(MARKETS - 1),
      side: fc.constantFrom<Side>('buy', 'sell'),
      ...terms,
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('amend' as const), which, ...terms }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('applied' as const, 'refused' as const), which }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lost' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('fill' as const), which, size: fc.integer({ min: 1, max: 12 }) }),
  },
);
type Step = typeof aStep extends fc.Arbitrary<infer Each> ? Each : never;

function opened(): State {
  const state = emptyState(MARKETS);
  openAccount(state, aGroup(MARKETS), dollars(18));
  return state;
}

const context = (state: State) => riskContext(state, { limits: LIMITS, accountLimits: LIMITS });

function amend(state: State, order: Order, { cent, size }: { cent: number; size: number }): string {
  if (order.state !== 'working' || order.amend !== null) return 'nothing';
  const asked = { price: cents(cent), qty: contracts(size) };
  if (checkOrder({ strategy: MAKER, ...termsOf(order), ...asked, amended: order }, context(state))) return 'denied';
  state.orders.recordAmend(order.clientOrderId, { price: asked.price, qty: qty(asked.qty + order.filledQty) });
  state.orders.applyChange(order.clientOrderId, 'request-amend', BEGIN);
  return 'amended';
}

/** Fills at either price of the order: the venue may have carried out the amend. */
function fill(state: State, order: Order, { size, isNew, i }: { size: number; isNew: boolean; i: number }): string {
  const inForce = isNew && order.amend !== null ? order.amend : order;
  const filled = qty(Math.min(size * 100, inForce.qty - order.filledQty));
  if (filled <= 0) return 'nothing';
  const report = aFill({
    market: order.market,
    side: order.side,
    price: inForce.price,
    qty: filled,
    fee: dollars(0),
    tradeId: tradeId(`t-${i}`),
    clientOrderId: order.clientOrderId,
    venueOrderId: venueOrderId(`v-${order.clientOrderId}`),
  });
  state.applyEvent({ kind: 'fill', at: BEGIN, fill: report }, []);
  return 'filled';
}

function answer(state: State, { clientOrderId: id, amend: asked, filledQty }: Order, outcome: string): string {
  if (asked === null) return 'nothing';
  const event = { at: BEGIN, clientOrderId: id } as const;
  const leavesQty = qty(Math.max(0, asked.qty - filledQty));
  if (outcome === 'applied')
    state.applyEvent({ kind: 'amend-accepted', ...event, price: asked.price, filledQty, leavesQty }, []);
  else if (outcome === 'refused') state.applyEvent({ kind: 'amend-refused', ...event, code: 'refused' }, []);
  else state.applyEvent({ kind: 'amend-lost', ...event, reason: 'lost' }, []);
  return outcome;
}

function place(state: State, step: Extract<Step, { type: 'order' }>, i: number): string {
  const id = `o-${i}`;
  if (!sendOrder(state, { ...step, id }, LIMITS)) return 'denied';
  state.orders.applyChange(clientOrderId(id), 'accept', BEGIN);
  return 'placed';
}

function act(state: State, step: Step, i: number): string {
  if (step.type === 'order') return place(state, step, i);
  const open = state.orders.allOpen();
  const order = open[step.which % Math.max(1, open.length)];
  if (!order) return 'nothing';
  if (step.type === 'amend') return amend(state, order, step);
  if (step.type === 'fill') return fill(state, order, { size: step.size, isNew: step.which % 2 === 0, i });
  return answer(state, order, step.type);
}

/** The order with its new terms in force, or without. */
function inForce(order: Order, isNew: boolean): Order {
  if (!isNew || order.amend === null) return { ...order, amend: null };
  return { ...order, ...order.amend, qty: qty(Math.max(order.filledQty, order.amend.qty)), amend: null };
}

/** Every set of terms that the open orders may have at the venue. */
function* possibilities(state: State): Generator<Order[]> {
  const open = state.orders.allOpen();
  const inDoubt = open.filter((order) => order.amend !== null);
  for (let drawn = 0; drawn < 2 ** inDoubt.length; drawn++)
    yield open.map((order) => inForce(order, ((drawn >> inDoubt.indexOf(order)) & 1) === 1));
}

const worstOf = (state: State, open: readonly Order[]): number =>
  worstByBruteForce({
    markets: MARKETS,
    open,
    held: (pays) =>
      pays.reduce((sum, pay, i) => {
        const { qty: size, cost } = state.portfolio.position(index(i));
        return sum + cost - valueOf(size, pay);
      }, 0),
  });

const realizedIn = (state: State): number =>
  [...state.portfolio.positions().values()].reduce((sum, { realized }) => sum + realized, 0);

const ordersIn = (open: readonly Order[], market: number, side: Side): readonly Order[] =>
  open.filter((order) => order.market === index(market) && order.side === side);

function expectWithin(state: State, open: readonly Order[], taken: number): void {
  let reserved = 0;
  for (let market = 0; market < MARKETS; market++) {
    const { qty: held, cost } = state.portfolio.position(index(market));
    const [buys, sells] = [ordersIn(open, market, 'buy'), ordersIn(open, market, 'sell')];
    const leaves = (orders: readonly Order[]) => orders.reduce((sum, each) => sum + each.qty - each.filledQty, 0);
    expect(held + leaves(buys)).toBeLessThanOrEqual(LIMITS.positionQtyMax);
    expect(held - leaves(sells)).toBeGreaterThanOrEqual(-LIMITS.positionQtyMax);
    const [bid, ask] = [buys, sells].map((orders) => orders.map(({ price }) => price)) as [Price[], Price[]];
    expect(Math.max(0, ...bid)).toBeLessThan(Math.min(10_000, ...ask));
    const pledged = collateral(held, [...buys, ...sells].map(collateralTermsOf));
    expect(cost + pledged).toBeLessThanOrEqual(LIMITS.marketCostMax + taken);
    reserved += pledged;
  }
  expect(worstOf(state, open)).toBeLessThanOrEqual(LIMITS.groupCostMax + taken);
  expect(state.portfolio.cash - reserved).toBeGreaterThanOrEqual(0);
  // Nothing that may rest is missing from what counts.
  expect(reservedCash(state)).toBeGreaterThanOrEqual(reserved);
}

describe('amended orders', () => {
  const steps = fc.array(aStep, { minLength: 5, maxLength: 50, size: 'max' });

  it('never exceed a limit or the cash, whichever of their terms are in force', () => {
    const count: Record<string, number> = {};
    fc.assert(
      fc.property(steps, (list) => {
        const state = opened();
        let taken = 0;
        for (const [i, step] of list.entries()) {
          const before = realizedIn(state);
          const result = act(state, step, i);
          count[result] = (count[result] ?? 0) + 1;
          taken += Math.max(0, realizedIn(state) - before);
          for (const open of possibilities(state)) expectWithin(state, open, taken);
        }
      }),
      { numRuns: runCount(100) },
    );
    for (const name of ['placed', 'amended', 'denied', 'filled', 'applied', 'refused', 'lost'])
      expect.soft(count[name] ?? 0, name).toBeGreaterThan(20);
  });

  it('cost their whole quantity with the fee of all of it', () => {
    const state = opened();
    const order = state.orders.addOrder(aPlace(), 'test');
    for (const change of ['send', 'accept'] as const) state.orders.applyChange(order.clientOrderId, change, BEGIN);
    state.applyEvent({ kind: 'fill', at: BEGIN, fill: aFill({ qty: contracts(4) }) }, []);
    const amended = { strategy: MAKER, ...termsOf(order), price: cents(41), qty: contracts(6), amended: order };
    const fees = new FeeSchedules(state.markets);
    const cost = dollars(4.1) + fees.highestFee(order.market, amended, contracts(10));
    const denialUnder = (orderCostMax: number) =>
      checkOrder(amended, riskContext(state, { limits: wideLimits({ orderCostMax: money(orderCostMax) }) }));
    expect(denialUnder(cost)).toBeNull();
    expect(denialUnder(cost - 1)).toMatchObject({ code: 'order-cost-above-limit', cost });
  });

  it('count at least what they can lose when a part trades at the old price and the rest at the new one', () => {
    let split = 0;
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 10 }), (list, tenths) => {
        const state = opened();
        list.forEach((step, i) => act(state, step, i));
        const parts = state.orders.allOpen().flatMap((order): Order[] => {
          if (order.amend === null) return [order];
          split += 1;
          const early = Math.floor(((order.qty - order.filledQty) * tenths) / 1000) * 100;
          const late = Math.max(0, order.amend.qty - order.filledQty - early);
          const part = (price: Price, size: number): Order => ({ ...order, price, qty: qty(size), filledQty: qty(0) });
          return [part(order.price, early), part(order.amend.price, late)];
        });
        const { group } = context(state).exposure.measure(aPlace(), false);
        // Each part may be rounded by itself.
        expect(worstOf(state, parts)).toBeLessThanOrEqual(group + 202 * parts.length);
        for (const order of state.orders.allOpen()) expect(isFinished(order.state)).toBe(false);
        for (let market = 0; market < MARKETS; market++)
          for (const side of ['buy', 'sell'] as const) {
            const leaves = ordersIn(parts, market, side).reduce((sum, each) => sum + each.qty - each.filledQty, 0);
            const { qty: held } = state.portfolio.position(index(market));
            const reached = Math.abs(reachablePosition(state, index(market), side) - held);
            expect(reached).toBeGreaterThanOrEqual(leaves);
          }
      }),
      { numRuns: runCount(150) },
    );
    expect(split).toBeGreaterThan(60);
  });
});
