// A session at one moment, as the screen shows it, from a real engine.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, micros } from '../../../src/domain/units.ts';
import { sessionSnapshot } from '../../../src/report/account/session-snapshot.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN, M0, aMarket } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

function trading(): EngineHarness {
  const onBook: Handlers['onBook'] = ({ market }) => (market === M0 ? [aQuote()] : []);
  const harness = new EngineHarness({
    strategies: [aStrategy({ onBook })],
    markets: [aMarket(0), aMarket(1)],
  }).startTrading();
  harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: 100 });
  return harness.run(50);
}

const snapshotOf = (harness: EngineHarness, laterMs = 0) =>
  sessionSnapshot(harness.engine, new SessionTally([strategyName('maker')]), {
    now: micros(harness.now + laterMs * 1000),
    startedAt: BEGIN,
  });

describe('a snapshot', () => {
  it('shows each market with its touch and our best working quotes', () => {
    const [first, second] = snapshotOf(trading()).markets;
    expect(first).toEqual({
      ticker: 'M-0',
      status: 'active',
      trust: 'live',
      bid: { price: cents(45), qty: contracts(11) },
      ask: { price: cents(55), qty: contracts(10) },
      ownBid: { price: cents(40), qty: contracts(5) },
      ownAsk: { price: cents(60), qty: contracts(5) },
      position: 0,
    });
    expect(second).toMatchObject({ ticker: 'M-1', ownBid: null, ownAsk: null });
  });

  it('shows the leaves quantity of a quote, and the position', () => {
    const harness = trading();
    harness.venue.tradeOrder(harness.venue.resting(M0)[0]!, 200);
    const { markets, account } = snapshotOf(harness.run(20));
    expect(markets[0]).toMatchObject({ position: contracts(2), ownBid: { price: cents(40), qty: contracts(3) } });
    expect(account.positions[0]).toMatchObject({ qty: contracts(2), cost: dollars(0.8) });
  });

  it('counts the age of the feed from the start until its first message', () => {
    const engine = new EngineHarness({ markets: [aMarket(0)] }).engine;
    const now = micros(BEGIN + 3_000_000);
    expect(sessionSnapshot(engine, new SessionTally([]), { now, startedAt: BEGIN }).feed.ageMs).toBe(3000);
  });

  it('shows the age of the feed, the duration of the session, and the remaining budgets', () => {
    const harness = trading();
    const { feed, elapsedMs, phase, budgets, orders } = snapshotOf(harness, 5000);
    expect(feed).toMatchObject({ isUp: true, connections: 1, lagMs: 0, privateFault: null });
    expect(feed.ageMs).toBeGreaterThanOrEqual(5000);
    expect(elapsedMs).toBe((harness.now - BEGIN) / 1000 + 5000);
    expect(phase).toBe('trading');
    expect(budgets.trade).toEqual({ available: 100, capacity: 100 });
    expect(orders).toMatchObject({ working: 2, waiting: 0, inFlight: 0 });
  });

  it('counts a leap of the clock that it followed, as after a sleep, to its duration and not to the time that it ran', () => {
    const harness = trading();
    const by = 3_600_000_000;
    const before = snapshotOf(harness);
    expect(before.runMs).toBe(before.elapsedMs);
    harness.engine.step({ kind: 'clock-stepped', at: micros(harness.now + by), by });
    const after = snapshotOf(harness, by / 1000 + 5000);
    expect(after.elapsedMs - before.elapsedMs).toBe(by / 1000 + 5000);
    expect(after.runMs - before.runMs).toBe(5000);
  });

  it('shows a settled market without a book', () => {
    const harness = trading();
    harness.venue.settleMarket(M0, cents(100));
    const [first] = snapshotOf(harness.run(20)).markets;
    expect(first).toMatchObject({ status: 'finalized', bid: null, ask: null, ownBid: null, ownAsk: null });
  });

  it('changes nothing: a second snapshot is the same', () => {
    const harness = trading();
    expect(snapshotOf(harness)).toEqual(snapshotOf(harness));
  });
});
