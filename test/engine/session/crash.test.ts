// Death at any moment in any conditions: the next session resolves what the last one left, doubles nothing, loses
// nothing, and ends with the venue's own figures. Opening and recovery are the same code.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTHING_RESTORED, type UnresolvedOrder } from '../../../src/domain/operator-order.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import { aMarket, index } from '../../support/engine/builders.ts';
import { MARKETS, type Storm, aStorm, endFaults, runStorm } from '../../support/engine/storm.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const markets = Array.from({ length: MARKETS }, (_, i) => aMarket(i));

/** The grace that the harness's engine has. */
const GRACE_MS = 2000;

/** A strategy that quotes at the touch on both sides. */
const follower = (): BoundStrategy =>
  aStrategy({
    onBook({ market }, view) {
      const { bestBid, bestAsk } = view.book(market);
      if (bestBid === null || bestAsk === null) return undefined;
      const level = (price: typeof bestBid): { price: typeof bestBid; qty: never } => ({ price, qty: 500 as never });
      return [aQuote({ market, bid: level(bestBid), ask: level(bestAsk) })];
    },
  });

/** The orders that a journal would have kept: sent, with an unknown state. */
const leftBy = (dead: EngineHarness): UnresolvedOrder[] =>
  dead.engine.state.orders
    .allOpen()
    .filter(({ state, venueOrderId }) => venueOrderId === null && (state === 'in-flight' || state === 'unknown'))
    .map(({ clientOrderId, market, side, price, qty, createdAt }) => {
      const ticker = dead.engine.state.tickers.tickerOf(market);
      return { clientOrderId, ticker, side, price, qty, sentAt: createdAt };
    });

/** The next session at the same venue. Messages in flight to the dead one are lost with it. */
function successor(dead: EngineHarness, session: string): EngineHarness {
  const { venue } = dead;
  while (venue.takeNext() !== undefined);
  venue.feedDown();
  while (venue.takeNext() !== undefined);
  const harness = new EngineHarness({ strategies: [follower()], markets, venue });
  const carried = { ...NOTHING_RESTORED, unresolved: leftBy(dead), diedAt: dead.now };
  harness.step({ kind: 'start', at: harness.now, session, carried });
  venue.feedUp();
  return harness;
}

function expectSound(harness: EngineHarness, dead: readonly EngineHarness[]): void {
  expect(harness.engine.session.phase).toBe('trading');
  const sent = [...dead, harness].flatMap((session) => session.places());
  for (const { clientOrderId: id } of sent) expect(harness.venue.countOf(id)).toBeLessThanOrEqual(1);
  harness.stop(20_000);
  expect(harness.engine.session.phase).toBe('stopped');
  expect(harness.venue.resting()).toEqual([]);
  expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  const { portfolio, orders } = harness.engine.state;
  expect(portfolio.cash).toBe(harness.venue.cash);
  for (let market = 0; market < MARKETS; market++)
    expect(portfolio.position(index(market)).qty).toBe(harness.venue.position(index(market)).qty);
  expect(orders.openCount).toBe(0);
}

describe('the death of a session', () => {
  it('the next session requests the resting orders once the lists show everything that the dead one did', () => {
    const dead = new EngineHarness({ strategies: [follower()], markets }).startTrading();
    dead.run(100);
    const sureAt = dead.now + GRACE_MS * 1000;
    const next = successor(dead, 's2');
    next.run(GRACE_MS - 100);
    expect(next.engine.session.phase).toBe('clearing');
    next.run(2 * GRACE_MS);
    expect(next.engine.session.phase).toBe('trading');
    const reads = next.sent.filter(({ command: { type }, at }) => type === 'read' && at >= sureAt);
    const what = reads.map(({ command }) => (command.type === 'read' ? command.target.what : ''));
    expect(what.slice(0, 4)).toEqual(expect.arrayContaining(['orders']));
    expect(what).toEqual(expect.arrayContaining(['positions', 'balance']));
  });

  it('the next session resolves everything that the dead one left', () => {
    let unresolved = 0;
    fc.assert(
      fc.property(aStorm, fc.integer({ min: 1, max: 400 }), (storm: Storm, moreMs) => {
        const first = new EngineHarness({ strategies: [follower()], markets }).startTrading();
        runStorm(first, storm);
        first.run(moreMs);
        unresolved += leftBy(first).length;
        const second = successor(first, 's2');
        second.venue.script = first.venue.script;
        second.run(moreMs);
        unresolved += leftBy(second).length;
        const third = successor(second, 's3');
        endFaults(third);
        expectSound(third, [first, second]);
      }),
      { numRuns: runCount(50) },
    );
    expect(unresolved).toBeGreaterThan(3);
  });
});
