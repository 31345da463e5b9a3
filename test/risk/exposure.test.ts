// Under any stream of orders, fills, cancels and lost answers, what passed the check never takes us beyond a limit.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import { type Price, cents, contracts, dollars, money, qty } from '../../src/domain/units.ts';
import { check } from '../../src/risk/check.ts';
import { availableCash, costIn, reachable } from '../../src/state/equity.ts';
import { State } from '../../src/state/state.ts';
import {
  BEGIN,
  MAKER,
  aFill,
  aMarket,
  aPlace,
  index,
  levels,
  tickerTable,
  wideLimits,
} from '../support/engine/builders.ts';

const MARKETS = 2;
const LIMITS = wideLimits({
  positionQtyMax: contracts(30),
  marketCostMax: dollars(12),
  accountCostMax: dollars(18),
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

function opened(): State {
  const state = new State(tickerTable(MARKETS));
  for (let i = 0; i < MARKETS; i++) {
    state.apply({ kind: 'market', at: BEGIN, market: aMarket(i) }, []);
    state.apply(
      { kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: index(i), bids: levels(), asks: levels() },
      [],
    );
  }
  state.portfolio.openCash(dollars(15));
  state.portfolio.open();
  return state;
}

function expectWithin(state: State): void {
  let total = 0;
  for (let i = 0; i < MARKETS; i++) {
    const market = index(i);
    expect(reachable(state, market, 'buy')).toBeLessThanOrEqual(LIMITS.positionQtyMax);
    expect(reachable(state, market, 'sell')).toBeGreaterThanOrEqual(-LIMITS.positionQtyMax);
    expect(costIn(state, market)).toBeLessThanOrEqual(LIMITS.marketCostMax);
    total += costIn(state, market);
    const open = state.orders.openIn(market);
    const bid = Math.max(0, ...open.filter(({ side }) => side === 'buy').map((order) => order.price));
    const ask = Math.min(10_000, ...open.filter(({ side }) => side === 'sell').map((order) => order.price));
    expect(bid).toBeLessThan(ask);
  }
  expect(total).toBeLessThanOrEqual(LIMITS.accountCostMax);
  expect(availableCash(state)).toBeGreaterThanOrEqual(0);
  expect(state.portfolio.cash).toBeGreaterThanOrEqual(0);
  expect(state.orders.openCount).toBeLessThanOrEqual(LIMITS.workingOrdersMax);
}

describe('what is held and pledged', () => {
  it('never exceeds a limit or the cash, whatever is asked for and whatever trades', () => {
    let [passed, denied, fills] = [0, 0, 0];
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 5, maxLength: 70, size: 'max' }), (steps) => {
        const state = opened();
        for (const [i, step] of steps.entries()) {
          if (step.type === 'order') {
            const id = clientOrderId(`o-${i}`);
            const command = aPlace({
              clientOrderId: id,
              strategy: MAKER,
              market: index(step.market),
              side: step.side,
              price: cents(step.cent),
              qty: contracts(step.size),
            });
            const denial = check(command, {
              state,
              limits: LIMITS,
              qtyStep: qty(100),
              readiness: { type: 'ready' },
              halt: null,
            });
            if (denial) denied += 1;
            else {
              passed += 1;
              state.orders.add(command, '');
              state.orders.move(id, 'send', BEGIN);
            }
          } else {
            const open = state.orders.allOpen();
            const order = open[step.which % Math.max(1, open.length)];
            if (!order) continue;
            if (step.type !== 'fill') state.orders.move(order.clientOrderId, step.type, BEGIN);
            else {
              fills += 1;
              const size = qty(Math.min(step.size * 100, order.qty - order.filledQty));
              const gain = (order.side === 'buy' ? -1 : 1) * step.better * 100;
              const terms = { market: order.market, side: order.side, price: (order.price + gain) as Price, qty: size };
              const fill = aFill({
                ...terms,
                fee: money(0),
                tradeId: tradeId(`t-${i}`),
                clientOrderId: order.clientOrderId,
                venueOrderId: venueOrderId(`v-${order.clientOrderId}`),
              });
              state.apply({ kind: 'fill', at: BEGIN, fill }, []);
            }
          }
          expectWithin(state);
        }
      }),
      { numRuns: 300 },
    );
    expect(Math.min(passed, denied, fills)).toBeGreaterThan(500);
  });
});
