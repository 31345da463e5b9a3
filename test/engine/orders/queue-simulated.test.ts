// Queue positions and decreases at the simulated venue: our estimate compared with the venue's own figure.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/domain/intent.ts';
import { type Order, leavesQty } from '../../../src/domain/orders/order.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { EngineOptions } from '../../../src/engine.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import type { QueueMoved } from '../../../src/strategy/strategy-definition.ts';
import { M0 } from '../../support/engine/builders.ts';
import { buy } from '../../support/engine/intents.ts';
import { aStrategy } from '../../support/engine/engine-harness.ts';
import { SimulatorHarness } from '../../support/simulated/simulator-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const AT = cents(45);

/** A bid of five contracts at the touch, behind ten; `answer` is called at every change of a level far behind. */
function resting(engine: Partial<EngineOptions> = {}, answer: (view: StrategyView) => Intent[] = () => []) {
  const moved: QueueMoved[] = [];
  let isPlaced = false;
  const strategy = aStrategy({
    onBook: ({ isTouch }, view) => {
      if (!isPlaced) return [buy({ price: AT, qty: contracts(5) })];
      return isTouch ? undefined : answer(view);
    },
    onIntentOutcome: ({ kind }) => void (isPlaced ||= kind === 'approved'),
    onQueue: (event) => void moved.push(event),
  });
  const harness = new SimulatorHarness({ strategies: [strategy], engine }).startTrading();
  const order = (): Order => harness.engine.state.orders.openIn(M0)[0]!;
  return {
    harness,
    moved,
    order,
    reckoned: (): number => harness.engine.state.queueEstimates.estimateFor(order())!.aheadQty,
    known: (): number => harness.venue.matching.qtyAheadOf(order().venueOrderId!)!,
    ask: () => harness.changeLevel(M0, 'bid', { price: cents(20), change: 100 }),
    /** A sale into our level as a tape records it: the public trade, and the reduced level. */
    trade: (size: number): void => {
      harness.addPrint(M0, 'sell', { price: AT, qty: size });
      harness.changeLevel(M0, 'bid', { price: AT, change: -size });
    },
  };
}

describe('the queue position at the simulated venue', () => {
  it("the estimated queue position equals the venue's", () => {
    const { harness, reckoned, known, trade } = resting();
    expect([reckoned(), known()]).toEqual([1000, 1000]);
    trade(300);
    harness.run(1000);
    expect([reckoned(), known()]).toEqual([700, 700]);
  });

  it("the estimated queue position is never better than the venue's", () => {
    const act = fc.record({
      type: fc.constantFrom('join', 'leave', 'trade', 'wait'),
      size: fc.integer({ min: 1, max: 9 }),
    });
    const holds = fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
      const { harness, reckoned, known, trade } = resting();
      let level = 1000;
      for (const { type, size } of acts) {
        const cut = Math.min(size * 100, level, known());
        if (type === 'trade' && cut > 0) trade(cut);
        if (type === 'leave' && level > 0)
          harness.changeLevel(M0, 'bid', { price: AT, change: -Math.min(size * 100, level) });
        if (type === 'join') harness.changeLevel(M0, 'bid', { price: AT, change: size * 100 });
        if (type === 'trade') level -= cut;
        if (type === 'leave') level -= Math.min(size * 100, level);
        if (type === 'join') level += size * 100;
        // By then no cancel can be mistaken for a trade whose print is late.
        harness.run(type === 'leave' ? 1500 : size * 30);
        if (known() === 0) return;
        expect(reckoned()).toBeGreaterThanOrEqual(known());
      }
    });
    fc.assert(holds, { numRuns: runCount(40) });
  });

  it('the venue’s own queue position is used where it can be read', () => {
    const { harness, moved, known } = resting({ canReadQueue: true });
    harness.run(3000);
    expect(moved.map(({ aheadQty }) => aheadQty)).toEqual([1000]);
    // By the venue's own model, the level once held less than was estimated.
    harness.changeLevel(M0, 'bid', { price: AT, change: -600 });
    harness.run(8000);
    expect(moved.at(-1)!.aheadQty).toBe(known());
    expect(moved.at(-1)!.aheadQty).toBe(400);
  });
});

describe('an order decreased at the simulated venue', () => {
  it('a decreased order keeps its queue position, and trades before later orders', () => {
    const { harness, order, known, ask, trade } = resting({}, (view) => [
      { type: 'decrease', clientOrderId: view.orders(M0)[0]!.clientOrderId, leavesQty: contracts(2) },
    ]);
    trade(400);
    harness.run(1000);
    expect(known()).toBe(600);
    ask();
    harness.run(200);
    expect(leavesQty(order())).toBe(200);
    expect([known(), harness.engine.state.queueEstimates.estimateFor(order())?.aheadQty]).toEqual([600, 600]);
    // Later orders join; then everything before ours is traded, and our two contracts, and no more.
    harness.changeLevel(M0, 'bid', { price: AT, change: 2000 });
    trade(900);
    harness.run(1000);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(200);
    expect(harness.engine.state.orders.openCount).toBe(0);
  });
});
