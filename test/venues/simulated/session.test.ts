// A real engine against the simulated venue: it starts, trades, survives random tapes, and agrees with the venue at the
// end.
import * as fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { type Price, cents, dollars, price } from '../../../src/domain/units.ts';
import type { LatencyModel } from '../../../src/venues/simulated/simulator-interfaces.ts';
import { M0, aMarket, after, index } from '../../support/engine/builders.ts';
import { aStrategy, follower, quoter } from '../../support/engine/engine-harness.ts';
import { CAPABILITIES, SimulatorHarness } from '../../support/simulated/simulator-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const MARKETS = 3;

/** Delays from one to sixty milliseconds, by a seed. */
function jittery(seed: number): LatencyModel {
  const generator = xoroshiro128plus(seed);
  return { name: 'shaky', drawDelay: () => 1000 + ((generator.next() >>> 0) % 59_000) };
}

const market = fc.nat({ max: MARKETS - 1 });
const isBid = fc.boolean();
const happening = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('level' as const), market, isBid, size: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('print' as const), market, isBid, size: fc.integer({ min: 1, max: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('book' as const), market, bid: fc.integer({ min: 30, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('gap' as const), market }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('halt' as const), market }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('settle' as const), market, value: fc.nat({ max: 10_000 }) }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

/** Applies the tape's next event. Levels change at the touch, and prints take from it, as far as the book is known. */
function happen(harness: SimulatorHarness, what: Happening, touch: Map<number, number>): void {
  const number = index(what.market);
  const bid = touch.get(what.market) ?? 45;
  const isOver = harness.engine.state.markets.get(number)?.status === 'finalized';
  switch (what.type) {
    case 'level':
      return harness.changeLevel(number, what.isBid ? 'bid' : 'ask', {
        price: cents(bid + (what.isBid ? 0 : 10)),
        change: what.size * 100,
      });
    case 'print': {
      const at = { price: cents(bid + (what.isBid ? 0 : 10)), qty: what.size * 100 };
      return harness.addPrint(number, what.isBid ? 'sell' : 'buy', at);
    }
    case 'book':
      touch.set(what.market, what.bid);
      return harness.setBook(number, [[what.bid, 10]], [[what.bid + 10, 10]]);
    case 'gap':
      return harness.applyTapeEvent({ kind: 'feed-gap', markets: [number], reason: 'tape' });
    case 'halt':
      if (isOver) return;
      harness.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, status: 'inactive' });
      harness.run(80);
      return harness.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, status: 'active' });
    case 'settle': {
      const outcome = { status: 'finalized', result: 'scalar', settlementValue: what.value as Price } as const;
      return harness.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, ...outcome });
    }
  }
}

const worldOf = (seed: number): SimulatorHarness =>
  new SimulatorHarness({
    markets: Array.from({ length: MARKETS }, (_, number) => aMarket(number)),
    strategies: [follower()],
    latency: jittery(seed),
  });

/** The engine's positions and cash, and the venue's. */
function holdings({ engine, venue }: SimulatorHarness): unknown[] {
  const markets = Array.from({ length: MARKETS }, (_, number) => index(number));
  return [
    [engine.state.portfolio.cash, markets.map((each) => engine.state.portfolio.position(each).qty)],
    [venue.account.cash, markets.map((each) => venue.account.positionOf(each))],
  ];
}

describe('an engine against the simulated venue', () => {
  it('the engine starts trading and quotes', () => {
    const harness = new SimulatorHarness({ strategies: [aStrategy(quoter())] }).startTrading(2000);
    expect(harness.engine.session.phase).toBe('trading');
    harness.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(200);
    expect(harness.places().map(({ side, price: at }) => [side, at])).toEqual([
      ['buy', cents(40)],
      ['sell', cents(60)],
    ]);
    expect(harness.noticesOf('phase').map(({ phase }) => phase)).toEqual([
      'discovering',
      'clearing',
      'loading',
      'trading',
    ]);
  });

  it('the engine agrees with the account whatever the tape does, and stops without drift', () => {
    let [fills, gaps, settled] = [0, 0, 0];
    fc.assert(
      fc.property(fc.array(happening, { minLength: 30, maxLength: 120 }), fc.nat(), (tape, seed) => {
        const harness = worldOf(seed).startTrading(2500);
        expect(harness.engine.session.phase).toBe('trading');
        harness.afterEach = () => harness.venue.account.assertConserved();
        const touch = new Map<number, number>();
        for (const what of tape) {
          happen(harness, what, touch);
          harness.run(35);
          if (what.type === 'gap') gaps += 1;
        }
        harness.stop(30_000);
        expect(harness.engine.session.phase).toBe('stopped');
        expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
        const [ours, theirs] = holdings(harness);
        expect(ours).toEqual(theirs);
        expect(harness.noticesOf('alarm').filter(({ code }) => code === 'fee-unexpected' || code === 'drift')).toEqual(
          [],
        );
        expect(harness.engine.state.portfolio.fees).toBe(harness.venue.account.feesPaid);
        expect(harness.venue.refusedForRate).toEqual({ read: 0, trade: 0 });
        fills += harness.venue.account.fills.length;
        settled += harness.venue.account.settled;
      }),
      { numRuns: runCount(40) },
    );
    expect(Math.min(fills, gaps, settled)).toBeGreaterThan(20);
  });

  it('the engine sends the same commands for the same tape and the same delays', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), fc.nat(), (tape, seed) => {
        const [first, second] = [0, 1].map(() => {
          const harness = worldOf(seed).startTrading(2500);
          const touch = new Map<number, number>();
          for (const what of tape) {
            happen(harness, what, touch);
            harness.run(35);
          }
          return harness.sent;
        });
        expect(first).toEqual(second);
      }),
      { numRuns: runCount(8) },
    );
  });

  it("after a gap of the tape the engine's orders are canceled, and it quotes again on the next snapshot", () => {
    const harness = new SimulatorHarness({ strategies: [aStrategy(quoter())] }).startTrading(2000);
    harness.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(300);
    expect(harness.engine.state.orders.cancelableCount).toBe(2);
    harness.applyTapeEvent({ kind: 'feed-gap', markets: [], reason: 'nothing was recorded' });
    harness.run(300);
    expect(harness.engine.state.orders.cancelableCount).toBe(0);
    harness.run(2000);
    expect(harness.engine.state.books.isLive(M0)).toBe(false);
    harness.setBook(M0, [[45, 10]], [[55, 10]]);
    harness.run(300);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    expect(harness.engine.state.orders.cancelableCount).toBe(2);
  });

  it('the engine quotes through hours of a silent tape, because a simulated feed loses nothing', () => {
    const harness = new SimulatorHarness({ strategies: [aStrategy(quoter())] }).startTrading(2000);
    harness.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(1_800_000);
    expect(harness.engine.state.feed.isUp).toBe(true);
    expect(harness.engine.state.orders.cancelableCount).toBe(2);
    expect(harness.noticesOf('alarm')).toEqual([]);
    expect(harness.engine.session.phase).toBe('trading');
  });

  it('the engine is refused for rate when its budgets are wider than the venue’s, and loses nothing by it', () => {
    const limit = { model: 'rolling-window', count: 4, windowMs: 1000 } as const;
    const limits = { ...CAPABILITIES.limits, trade: limit };
    const markets = [0, 1, 2].map((number) => aMarket(number));
    const strategies = [aStrategy(quoter())];
    const harness = new SimulatorHarness({
      markets,
      strategies,
      venue: { capabilities: { ...CAPABILITIES, limits } },
    }).startTrading(2000);
    for (const { index: number } of markets) harness.changeLevel(number, 'bid', { price: cents(44), change: 100 });
    harness.run(100);
    expect(harness.venue.refusedForRate.trade).toBeGreaterThan(0);
    harness.run(10_000);
    expect(harness.engine.state.orders.cancelableCount).toBe(6);
    harness.stop();
    expect(harness.engine.session.phase).toBe('stopped');
  });

  it('the engine is paid what the venue pays, at the same value', () => {
    const harness = new SimulatorHarness({
      strategies: [aStrategy(quoter())],
      markets: [aMarket(0, { closeAt: after(60_000) })],
    });
    harness.startTrading(2000).changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(300);
    harness.addPrint(M0, 'sell', { price: cents(39), qty: 500 });
    harness.run(60_000);
    expect(harness.venue.account.positionOf(M0)).toBe(500);
    const outcome = { result: 'scalar', settlementValue: price(6250) } as const;
    harness.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'determined', ...outcome });
    harness.run(1000);
    expect(harness.cash.ours).toBe(harness.cash.theirs);
    harness.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'finalized' });
    harness.run(1000);
    expect(harness.cash.ours).toBe(harness.cash.theirs);
    // Five contracts bought at 40 cents, paid 62.5 cents each, less the fee.
    const fee = harness.venue.account.feesPaid;
    expect(harness.cash.theirs).toBe(dollars(1000) - 2_000_000 + 3_125_000 - fee);
  });
});
