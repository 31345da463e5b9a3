// Several strategies in one account, each with its capital, under random orders, fills and settlements. None can lose
// more than its capital, and the reported worst loss equals the one found by trying everything.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelFee } from '../../../src/domain/fee-schedule.ts';
import { type StrategyName, clientOrderId, strategyName, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Order, leavesQty } from '../../../src/domain/orders/order.ts';
import { valueOf } from '../../../src/domain/position.ts';
import { type Money, cents, contracts, dollars, price, qty } from '../../../src/domain/units.ts';
import { checkOrder } from '../../../src/risk/risk-check.ts';
import { StrategyAccount } from '../../../src/risk/exposure/strategy-account.ts';
import type { RiskContext } from '../../../src/risk/rules/proposal.ts';
import type { State } from '../../../src/state/state.ts';
import { BEGIN, aFill, aPlace, index, wideLimits } from '../../support/engine/builders.ts';
import { aGroup, riskContext } from '../rule-context.ts';
import { FEES, emptyState, openAccount, worstByBruteForce } from '../brute-force.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const MARKETS = 3;
const CAPITAL: ReadonlyMap<StrategyName, Money> = new Map([
  [strategyName('small'), dollars(6)],
  [strategyName('large'), dollars(15)],
]);
const LIMITS = wideLimits({ accountCostMax: dollars(18), workingOrdersMax: 8 });

const aStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('order' as const),
      who: fc.constantFrom(...CAPITAL.keys()),
      market: fc.nat(MARKETS - 1),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      cent: fc.integer({ min: 20, max: 80 }),
      size: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('fill' as const),
      which: fc.nat(20),
      size: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel' as const), which: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      market: fc.nat(MARKETS - 1),
      pays: fc.constantFrom(0, 2500, 10_000),
    }),
  },
);
type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;

/** An account with several strategies. A settled market gets no new orders. */
class Account {
  readonly state = emptyState(MARKETS);
  readonly own = new Map<StrategyName, StrategyAccount>();
  readonly context: RiskContext;
  readonly count = { passed: 0, capital: 0, denied: 0, filled: 0, settled: 0 };

  constructor() {
    const { state } = this;
    openAccount(state, aGroup(MARKETS), dollars(100));
    this.context = riskContext(state, { limits: LIMITS, accountLimits: LIMITS });
    for (const [strategy, capital] of CAPITAL)
      this.own.set(strategy, new StrategyAccount({ state, strategy, fees: this.context.fees, capital }));
  }

  act(step: Step, i: number): void {
    if (step.type === 'order') return this.#ask(step, i);
    if (step.type === 'settle') return this.#settle(step.market, step.pays);
    const open = this.state.orders.allOpen();
    const order = open[step.which % Math.max(1, open.length)];
    if (order && step.type === 'fill') this.#fill(order, step.size, i);
    else if (order) this.state.orders.applyChange(order.clientOrderId, 'cancel', BEGIN);
  }

  #ask({ who, market, side, cent, size }: Extract<Step, { type: 'order' }>, i: number): void {
    const id = clientOrderId(`o-${i}`);
    const terms = { market: index(market), side, price: cents(cent), qty: contracts(size) };
    const command = aPlace({ clientOrderId: id, strategy: who, ...terms });
    const denial = checkOrder(command, { ...this.context, own: { limits: {}, account: this.own.get(who)! } });
    this.count[denial === null ? 'passed' : denial.code === 'strategy-capital' ? 'capital' : 'denied'] += 1;
    if (denial !== null) return;
    this.state.orders.addOrder(command, '');
    this.state.orders.applyChange(id, 'send', BEGIN);
  }

  #fill(order: Order, size: number, i: number): void {
    const terms = { market: order.market, side: order.side, price: order.price };
    const traded = qty(Math.min(size * 100, leavesQty(order)));
    const fee = modelFee(FEES, { price: order.price, qty: traded, liquidity: 'taker' });
    const ids = { clientOrderId: order.clientOrderId, venueOrderId: venueOrderId(`v-${order.clientOrderId}`) };
    const fill = aFill({ ...terms, ...ids, qty: traded, fee, tradeId: tradeId(`t-${i}`) });
    this.state.applyEvent({ kind: 'fill', at: BEGIN, fill }, []);
    this.count.filled += 1;
  }

  #settle(number: number, pays: number): void {
    for (const order of this.state.orders.openIn(index(number)).slice())
      this.state.orders.applyChange(order.clientOrderId, 'cancel', BEGIN);
    const paid = { status: 'finalized', result: 'scalar', settlementValue: price(pays) } as const;
    this.state.applyEvent({ kind: 'market-changed', at: BEGIN, exchangeAt: null, market: index(number), ...paid }, []);
    this.count.settled += 1;
  }
}

/** Worst loss over every set of the strategy's own fills and every outcome. */
function triedOutFor(state: State, who: StrategyName): number {
  const book = state.strategyLedgers.ledgerOf(who);
  return worstByBruteForce({
    markets: MARKETS,
    open: state.orders.allOpen().filter(({ strategy }) => strategy === who),
    held: (pays) =>
      [...book.positions()].reduce(
        (sum, [market, { qty: size, cost }]) => sum + cost - valueOf(size, pays[market]!),
        0,
      ),
  });
}

it('no strategy can lose more than its capital, and its worst loss is the one found by trying everything', () => {
  const seen = { passed: 0, capital: 0, denied: 0, filled: 0, settled: 0 };
  fc.assert(
    fc.property(fc.array(aStep, { minLength: 5, maxLength: 50, size: 'max' }), (list) => {
      const account = new Account();
      const { state } = account;
      list.forEach((step, i) => {
        account.act(step, i);
        for (const [who, own] of account.own) {
          const { allotted, used, free } = own.capitalFigures();
          expect(used).toBe(triedOutFor(state, who));
          const { earned } = state.strategyLedgers.ledgerOf(who);
          expect(earned - used).toBeGreaterThanOrEqual(-allotted!);
          const left = allotted! + Math.min(0, earned);
          expect([free, own.capitalLeft]).toEqual([Math.max(0, left - used), left]);
        }
        expect(account.context.exposure.totalLoss()).toBe(account.context.exposure.measure(aPlace(), false).account);
      });
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += account.count[key];
    }),
    { numRuns: runCount(60) },
  );
  expect(Math.min(seen.passed, seen.capital, seen.filled, seen.settled)).toBeGreaterThan(10);
});
