// Risk's running totals of each market's orders, compared under random faults with totals computed from scratch.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cents, contracts } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { Exposure } from '../../../src/risk/exposure/exposure.ts';
import { FeeSchedules } from '../../../src/risk/exposure/fee-schedules.ts';
import { aMarket, index } from '../../support/engine/builders.ts';
import { MARKETS, aStorm, endFaults, runStorm } from '../../support/engine/storm.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { expectEqual } from '../../support/runner/quick-expectations.ts';

/** Quotes on both sides with changing sizes and prices, so that orders are also decreased and amended. */
const breathing = () => {
  let count = 0;
  return aStrategy({
    onBook: ({ market }) => {
      const size = { qty: contracts(3 + (count++ % 3)) };
      const shift = count % 4 === 0 ? 1 : 0;
      return [
        aQuote({ market, bid: { price: cents(42 - shift), ...size }, ask: { price: cents(58 - shift), ...size } }),
      ];
    },
  });
};

const proposed = (number: number) =>
  ({ market: index(number), side: 'buy', price: cents(41), qty: contracts(2), postOnly: false }) as const;

describe('exposure', () => {
  it('the running exposure equals the one computed from scratch, whatever happens to orders', () => {
    let [busy, amending] = [0, 0];
    fc.assert(
      fc.property(aStorm, (storm) => {
        const harness = new EngineHarness({
          strategies: [breathing()],
          markets: Array.from({ length: MARKETS }, (_, i) => aMarket(i)),
          engine: { policy: { ...CAREFUL_POLICY, canShrink: true, canMove: true } },
        });
        const { engine } = harness;
        const { state } = engine;
        const running = new Exposure(state, new FeeSchedules(state.markets));
        const step = engine.step.bind(engine);
        engine.step = (event) => {
          const out = step(event);
          const scratch = new Exposure(state, new FeeSchedules(state.markets));
          for (let market = 0; market < MARKETS; market++)
            for (const isAdded of [true, false]) {
              const computed = scratch.measure(proposed(market), isAdded);
              expectEqual(running.measure(proposed(market), isAdded), computed);
              busy += computed.account > 0 ? 1 : 0;
            }
          for (const order of state.orders.unfinishedOrders()) if (order.amend !== null) amending += 1;
          return out;
        };
        harness.startTrading();
        runStorm(harness, storm);
        endFaults(harness);
        harness.stop();
      }),
      { numRuns: runCount(16) },
    );
    expect(busy).toBeGreaterThan(1000);
    expect(amending).toBeGreaterThan(100);
  });
});
