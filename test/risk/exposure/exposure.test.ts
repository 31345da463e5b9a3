// Exposure and reserved cash under random orders and fills: never above a limit and never above the cash, fees
// included. The worst loss must equal the one found by trying every set of fills and every outcome.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeFill } from '../../../src/domain/fee-schedule.ts';
import { tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { cashOfTrade, openingPrice, valueOf } from '../../../src/domain/position.ts';
import { EPOCH, type Price, cents, contracts, dollars, money, qty } from '../../../src/domain/units.ts';
import { Exposure } from '../../../src/risk/exposure/exposure.ts';
import { FeeSchedules } from '../../../src/risk/exposure/fee-schedules.ts';
import { reachablePosition } from '../../../src/state/account/equity.ts';
import type { State } from '../../../src/state/state.ts';
import { BEGIN, aFill, aPlace, index, wideLimits } from '../../support/engine/builders.ts';
import { aGroup, riskContext, sendOrder } from '../rule-context.ts';
import { FEES, emptyState, openAccount, worstByBruteForce } from '../brute-force.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const MARKETS = 3;
const LIMITS = wideLimits({
  orderCostMax: dollars(9),
  positionQtyMax: contracts(30),
  marketCostMax: dollars(12),
  groupCostMax: dollars(14),
  accountCostMax: dollars(14),
  workingOrdersMax: 6,
});

const aStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('order' as const),
      market: fc.nat(MARKETS - 1),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      cent: fc.integer({ min: 20, max: 80 }),
      size: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('fill' as const),
      which: fc.nat(20),
      size: fc.integer({ min: 1, max: 12 }),
      better: fc.nat(10),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('cancel' as const, 'lose' as const), which: fc.nat(20) }) },
);

function opened(isExclusive: boolean): State {
  const state = emptyState(MARKETS);
  openAccount(state, aGroup(MARKETS, { isExclusive }), dollars(18));
  return state;
}

/** Worst loss over every set of fills and every outcome. */
const triedOutIn = (state: State, isExclusive: boolean): number =>
  worstByBruteForce({
    markets: MARKETS,
    open: [...state.orders.unfinishedOrders()],
    held: (pays) =>
      pays.reduce((sum, pay, i) => {
        const { qty: size, cost } = state.portfolio.position(index(i));
        return sum + cost - valueOf(size, pay);
      }, 0),
    isPossible: (pays) => !isExclusive || pays.filter((pay) => pay > 0).length <= 1,
  });

function expectWithin(state: State, { isExclusive, taken }: { isExclusive: boolean; taken: number }): void {
  for (let i = 0; i < MARKETS; i++) {
    const market = index(i);
    expect(reachablePosition(state, market, 'buy')).toBeLessThanOrEqual(LIMITS.positionQtyMax);
    expect(reachablePosition(state, market, 'sell')).toBeGreaterThanOrEqual(-LIMITS.positionQtyMax);
    expect(state.portfolio.position(market).cost).toBeLessThanOrEqual(LIMITS.marketCostMax);
    const open = state.orders.openIn(market);
    const bid = Math.max(0, ...open.filter(({ side }) => side === 'buy').map((order) => order.price));
    const ask = Math.min(10_000, ...open.filter(({ side }) => side === 'sell').map((order) => order.price));
    expect(bid).toBeLessThan(ask);
    for (const order of open) expect(openingPrice(order.side, order.price) * order.qty).toBeLessThanOrEqual(9_000_000);
  }
  // Realized profit can be lost again: it is no longer part of the cost of the position.
  expect(triedOutIn(state, isExclusive)).toBeLessThanOrEqual(LIMITS.groupCostMax + taken);
  expect(state.portfolio.cash).toBeGreaterThanOrEqual(0);
  expect(state.orders.openCount).toBeLessThanOrEqual(LIMITS.workingOrdersMax);
}

/** Realized profit so far, before fees. */
const realizedIn = (state: State): number =>
  [...state.portfolio.positions().values()].reduce((sum, { realized }) => sum + realized, 0);

/** Applies one step to the orders and fills, and returns its result. */
function act(state: State, step: typeof aStep extends fc.Arbitrary<infer Step> ? Step : never, i: number) {
  if (step.type === 'order') return sendOrder(state, { ...step, id: `o-${i}` }, LIMITS) ? 'passed' : 'denied';
  const open = state.orders.allOpen();
  const order = open[step.which % Math.max(1, open.length)];
  if (!order) return 'nothing';
  if (step.type !== 'fill') {
    state.orders.applyChange(order.clientOrderId, step.type, BEGIN);
    return 'nothing';
  }
  fill(state, order, { size: step.size, better: step.better, i });
  return 'filled';
}

function fill(state: State, order: Order, { size, better, i }: { size: number; better: number; i: number }): void {
  const gain = (order.side === 'buy' ? -1 : 1) * better * 100;
  const terms = {
    market: order.market,
    side: order.side,
    price: (order.price + gain) as Price,
    qty: qty(Math.min(size * 100, order.qty - order.filledQty)),
    liquidity: 'taker' as const,
  };
  const cash = cashOfTrade(state.portfolio.position(order.market).qty, terms);
  const { fee } = chargeFill(FEES, { ...terms, cash, gathered: money(0) });
  const fill = aFill({
    ...terms,
    fee,
    tradeId: tradeId(`t-${i}`),
    clientOrderId: order.clientOrderId,
    venueOrderId: venueOrderId(`v-${order.clientOrderId}`),
  });
  state.applyEvent({ kind: 'fill', at: BEGIN, fill }, []);
}

describe.each([{ isExclusive: true }, { isExclusive: false }])(
  'exposure of a group (exclusive: $isExclusive)',
  (group) => {
    const steps = fc.array(aStep, { minLength: 5, maxLength: 60, size: 'max' });

    it('never exceeds a limit or the cash, whatever is proposed and whatever trades', () => {
      const count = { passed: 0, denied: 0, filled: 0, nothing: 0 };
      fc.assert(
        fc.property(steps, (list) => {
          const state = opened(group.isExclusive);
          let taken = 0;
          for (const [i, step] of list.entries()) {
            const before = realizedIn(state);
            count[act(state, step, i)] += 1;
            taken += Math.max(0, realizedIn(state) - before);
            expectWithin(state, { ...group, taken });
          }
        }),
        { numRuns: runCount(60) },
      );
      expect(Math.min(count.passed, count.denied, count.filled)).toBeGreaterThan(150);
    });

    it('equals the worst loss found by trying everything', () => {
      fc.assert(
        fc.property(steps, (list) => {
          const state = opened(group.isExclusive);
          const { exposure } = riskContext(state);
          for (const [i, step] of list.entries()) {
            act(state, step, i);
            const { group: worst, account } = exposure.measure(aPlace(), false);
            expect(worst).toBe(triedOutIn(state, group.isExclusive));
            expect(account).toBe(worst);
          }
        }),
        { numRuns: runCount(60) },
      );
    });
  },
);

it("counts the difference when an order's fee exceeds its profit, where its outcome wins", () => {
  const state = opened(false);
  // The venue rounds to cents: a contract at 99 cents can gain a cent, and its fees cost more than that.
  const rounding = { since: EPOCH, feeStep: dollars(0.01), balanceStep: dollars(0.01) };
  const fees = new FeeSchedules(state.markets, [rounding]);
  const exposure = new Exposure(state, fees);
  // Ten contracts of NO: the market loses most where YES wins.
  state.portfolio.applyFill(aFill({ side: 'sell', qty: contracts(10), price: cents(50), fee: dollars(0) }));
  const held = exposure.totalLoss();
  expect(held).toBe(dollars(5));
  const order = state.orders.addOrder(aPlace({ price: cents(99), qty: contracts(1) }), '');
  const fee = fees.highestFee(order.market, order, order.qty);
  expect(fee).toBeGreaterThan(dollars(0.01));
  expect(exposure.totalLoss()).toBe(held + fee - dollars(0.01));
});
