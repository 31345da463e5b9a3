// Fills that the feed drops, repeats and reorders: lists supply what is missing, and nothing is counted twice.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FillReport } from '../../../src/domain/event.ts';
import { tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, qty } from '../../../src/domain/units.ts';
import type { OwnFill } from '../../../src/strategy/strategy-definition.ts';
import { M0, aFill } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

/** One trade of our order, its treatment by the feed, and the time until the next. */
const aTrade = fc.record({
  size: fc.integer({ min: 1, max: 4 }).map((n) => n * 100),
  delivery: fc.constantFrom('once', 'once', 'dropped', 'repeated', 'held back'),
  afterMs: fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 4000 })),
});

function trading(): EngineHarness {
  const asks = [buy({ qty: contracts(40) }), buy({ side: 'sell', price: cents(60), qty: contracts(40) })];
  const harness = new EngineHarness({ strategies: [aStrategy(once(asks))] }).startTrading();
  print(harness);
  return harness.run(10);
}

describe('fills', () => {
  it('fills are each counted once, whatever the feed does to them', () => {
    fc.assert(
      fc.property(fc.array(aTrade, { minLength: 1, maxLength: 15 }), fc.nat(3), (trades, pageSize) => {
        const harness = trading();
        harness.venue.pageSize = pageSize + 1;
        const held: FillReport[] = [];
        for (const { size, delivery, afterMs } of trades) {
          harness.venue.script.reportsFill = (fill) => {
            if (delivery === 'repeated') for (let i = 0; i < 2; i++) harness.venue.emitEvent({ kind: 'fill', fill });
            if (delivery === 'held back') held.push(fill);
            return delivery !== 'dropped' && delivery !== 'held back';
          };
          const resting = harness.venue.resting();
          const order = resting[size % Math.max(1, resting.length)];
          if (order) harness.venue.tradeOrder(order, size);
          harness.run(afterMs);
          // Held-back fills arrive in the wrong order, some of them long after a list has shown them.
          if (held.length > 2)
            for (const fill of held.splice(0).reverse()) harness.venue.emitEvent({ kind: 'fill', fill });
        }
        harness.run(8000);
        const { portfolio } = harness.engine.state;
        expect(portfolio.position(M0)).toMatchObject({ qty: harness.venue.position(M0).qty });
        expect(portfolio.cash).toBe(harness.venue.cash);
        harness.stop();
        expect(harness.engine.session.phase).toBe('stopped');
        expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
        expect(harness.notices.filter(({ type }) => type.endsWith('-drift'))).toEqual([]);
      }),
      { numRuns: runCount(150) },
    );
  });

  it('fills of quantity zero, by feed or by list, are counted as a surprise and stop nothing', () => {
    const harness = trading();
    const fill = aFill({ qty: qty(0) });
    const { now: at } = harness;
    harness.step({ kind: 'fill', at, fill });
    harness.step({ kind: 'fills', at, askedAt: at, commandId: 0, rows: [fill], cursor: null });
    expect(harness.noticesOf('surprise').map(({ what }) => what)).toEqual(['fill-of-nothing', 'fill-of-nothing']);
    expect(harness.engine.state.portfolio.fillCount).toBe(0);
    expect(harness.run(100).engine.session.phase).toBe('trading');
  });

  it('a fill whose order is learned later reaches its strategy once, and moves the position once', () => {
    const own: OwnFill[] = [];
    const asks = once([buy({ qty: contracts(4) })], { onFill: (fill) => void own.push(fill) });
    const harness = new EngineHarness({ strategies: [aStrategy(asks)] }).startTrading();
    harness.venue.script = { place: () => 'lose', reportsOrder: () => false };
    print(harness);
    harness.run(5);
    const { clientOrderId } = harness.places()[0]!;
    const { now: at } = harness;
    const venueId = venueOrderId('v-late');
    const early = aFill({ clientOrderId: null, venueOrderId: venueId, qty: contracts(4) });
    const stranger = { clientOrderId: null, venueOrderId: venueOrderId('x-1'), tradeId: tradeId('t-2') };
    harness.step({ kind: 'fill', at, fill: early });
    harness.step({ kind: 'fill', at, fill: aFill({ ...stranger, qty: contracts(3) }) });
    expect(own).toEqual([]);
    const terms = { filledQty: contracts(4), leavesQty: qty(0), isFinished: true };
    harness.step({ kind: 'order-accepted', at, exchangeAt: null, clientOrderId, venueOrderId: venueId, ...terms });
    expect(own).toMatchObject([{ order: { clientOrderId, state: 'filled' }, fill: early }]);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(7));
    // The position was 0, 4 and 7, but never 3: no late list can show that.
    harness.engine.session.ledger.comparePositions([{ ...FLAT, market: M0, qty: contracts(3) }], at);
    expect(harness.noticesOf('suspicion')).toMatchObject([{ change: 'raised' }]);
  });
});
