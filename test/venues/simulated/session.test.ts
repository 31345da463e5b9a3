// A real engine against the simulated venue: it starts, trades, survives random tapes, and agrees with the venue at the
// end.
import * as fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { type Price, cents, dollars, price } from '../../../src/domain/units.ts';
import type { LatencyModel } from '../../../src/venues/simulated/simulator-interfaces.ts';
import { M0, aMarket, after, index } from '../../support/engine/builders.ts';
import { aStrategy, follower, quoter } from '../../support/engine/world.ts';
import { CAPABILITIES, SimWorld } from '../../support/simulated/sim-world.ts';
import { runs } from '../../support/runs.ts';

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
function happen(world: SimWorld, what: Happening, touch: Map<number, number>): void {
  const number = index(what.market);
  const bid = touch.get(what.market) ?? 45;
  const isOver = world.engine.state.markets.get(number)?.status === 'finalized';
  switch (what.type) {
    case 'level':
      return world.level(number, what.isBid ? 'bid' : 'ask', {
        price: cents(bid + (what.isBid ? 0 : 10)),
        change: what.size * 100,
      });
    case 'print': {
      const at = { price: cents(bid + (what.isBid ? 0 : 10)), qty: what.size * 100 };
      return world.print(number, what.isBid ? 'sell' : 'buy', at);
    }
    case 'book':
      touch.set(what.market, what.bid);
      return world.book(number, [[what.bid, 10]], [[what.bid + 10, 10]]);
    case 'gap':
      return world.applyTapeEvent({ kind: 'feed-gap', markets: [number], reason: 'tape' });
    case 'halt':
      if (isOver) return;
      world.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, status: 'inactive' });
      world.run(80);
      return world.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, status: 'active' });
    case 'settle': {
      const outcome = { status: 'finalized', result: 'scalar', settlementValue: what.value as Price } as const;
      return world.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: number, ...outcome });
    }
  }
}

const worldOf = (seed: number): SimWorld =>
  new SimWorld({
    markets: Array.from({ length: MARKETS }, (_, number) => aMarket(number)),
    strategies: [follower()],
    latency: jittery(seed),
  });

/** The engine's positions and cash, and the venue's. */
function holdings({ engine, venue }: SimWorld): unknown[] {
  const markets = Array.from({ length: MARKETS }, (_, number) => index(number));
  return [
    [engine.state.portfolio.cash, markets.map((each) => engine.state.portfolio.position(each).qty)],
    [venue.account.cash, markets.map((each) => venue.account.positionOf(each))],
  ];
}

describe('an engine against the simulated venue', () => {
  it('the engine starts trading and quotes', () => {
    const world = new SimWorld({ strategies: [aStrategy(quoter())] }).open(2000);
    expect(world.engine.session.phase).toBe('trading');
    world.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(200);
    expect(world.places().map(({ side, price: at }) => [side, at])).toEqual([
      ['buy', cents(40)],
      ['sell', cents(60)],
    ]);
    expect(world.told('phase').map(({ phase }) => phase)).toEqual(['discovering', 'clearing', 'loading', 'trading']);
  });

  it('the engine agrees with the account whatever the tape does, and stops without drift', () => {
    let [fills, gaps, settled] = [0, 0, 0];
    fc.assert(
      fc.property(fc.array(happening, { minLength: 30, maxLength: 120 }), fc.nat(), (tape, seed) => {
        const world = worldOf(seed).open(2500);
        expect(world.engine.session.phase).toBe('trading');
        world.afterEach = () => world.venue.account.assertConserved();
        const touch = new Map<number, number>();
        for (const what of tape) {
          happen(world, what, touch);
          world.run(35);
          if (what.type === 'gap') gaps += 1;
        }
        world.stop(30_000);
        expect(world.engine.session.phase).toBe('stopped');
        expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
        const [ours, theirs] = holdings(world);
        expect(ours).toEqual(theirs);
        expect(world.told('alarm').filter(({ code }) => code === 'fee-unexpected' || code === 'drift')).toEqual([]);
        expect(world.engine.state.portfolio.fees).toBe(world.venue.account.feesPaid);
        expect(world.venue.refusedForRate).toEqual({ read: 0, trade: 0 });
        fills += world.venue.account.fills.length;
        settled += world.venue.account.settled;
      }),
      { numRuns: runs(40) },
    );
    expect(Math.min(fills, gaps, settled)).toBeGreaterThan(20);
  });

  it('the engine sends the same commands for the same tape and the same delays', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), fc.nat(), (tape, seed) => {
        const [first, second] = [0, 1].map(() => {
          const world = worldOf(seed).open(2500);
          const touch = new Map<number, number>();
          for (const what of tape) {
            happen(world, what, touch);
            world.run(35);
          }
          return world.sent;
        });
        expect(first).toEqual(second);
      }),
      { numRuns: runs(8) },
    );
  });

  it("after a gap of the tape the engine's orders are canceled, and it quotes again on the next snapshot", () => {
    const world = new SimWorld({ strategies: [aStrategy(quoter())] }).open(2000);
    world.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(300);
    expect(world.engine.state.orders.cancelableCount).toBe(2);
    world.applyTapeEvent({ kind: 'feed-gap', markets: [], reason: 'nothing was recorded' });
    world.run(300);
    expect(world.engine.state.orders.cancelableCount).toBe(0);
    world.run(2000);
    expect(world.engine.state.books.isLive(M0)).toBe(false);
    world.book(M0, [[45, 10]], [[55, 10]]);
    world.run(300);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    expect(world.engine.state.orders.cancelableCount).toBe(2);
  });

  it('the engine quotes through hours of a silent tape, because the feed sends heartbeats', () => {
    const world = new SimWorld({ strategies: [aStrategy(quoter())] }).open(2000);
    world.level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(1_800_000);
    expect(world.engine.state.feed.isUp).toBe(true);
    expect(world.engine.state.orders.cancelableCount).toBe(2);
    expect(world.told('alarm')).toEqual([]);
    expect(world.engine.session.phase).toBe('trading');
  });

  it('the engine is refused for rate when its budgets are wider than the venue’s, and loses nothing by it', () => {
    const limit = { model: 'rolling-window', count: 4, windowMs: 1000 } as const;
    const limits = { ...CAPABILITIES.limits, trade: limit };
    const markets = [0, 1, 2].map((number) => aMarket(number));
    const strategies = [aStrategy(quoter())];
    const world = new SimWorld({ markets, strategies, venue: { capabilities: { ...CAPABILITIES, limits } } }).open(
      2000,
    );
    for (const { index: number } of markets) world.level(number, 'bid', { price: cents(44), change: 100 });
    world.run(100);
    expect(world.venue.refusedForRate.trade).toBeGreaterThan(0);
    world.run(10_000);
    expect(world.engine.state.orders.cancelableCount).toBe(6);
    world.stop();
    expect(world.engine.session.phase).toBe('stopped');
  });

  it('the engine is paid what the venue pays, at the same value', () => {
    const world = new SimWorld({
      strategies: [aStrategy(quoter())],
      markets: [aMarket(0, { closeAt: after(60_000) })],
    });
    world.open(2000).level(M0, 'bid', { price: cents(44), change: 100 });
    world.run(300);
    world.print(M0, 'sell', { price: cents(39), qty: 500 });
    world.run(60_000);
    expect(world.venue.account.positionOf(M0)).toBe(500);
    const outcome = { result: 'scalar', settlementValue: price(6250) } as const;
    world.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'determined', ...outcome });
    world.run(1000);
    expect(world.cash.ours).toBe(world.cash.theirs);
    world.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, status: 'finalized' });
    world.run(1000);
    expect(world.cash.ours).toBe(world.cash.theirs);
    // Five contracts bought at 40 cents, paid 62.5 cents each, less the fee.
    const fee = world.venue.account.feesPaid;
    expect(world.cash.theirs).toBe(dollars(1000) - 2_000_000 + 3_125_000 - fee);
  });
});
