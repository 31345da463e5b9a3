// After any interleaving of changes, stalls and skipped frames, a follower's state equals that of a fresh one.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import type { FollowedBot } from '../../../src/runtime/follow/followed-bot.ts';
import { aMarket, aPlace, index } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { FollowBench } from '../../support/sessions/follow-bench.ts';

const MARKETS = 4;
/** Bytes that count for each byte of a stalled follower: a few frames are too much. */
const WEIGHT = 500;

const aMarketNumber = fc.nat(MARKETS - 1);
const anAct = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('tick' as const),
      market: aMarketNumber,
      cent: fc.integer({ min: 40, max: 50 }),
      change: fc.integer({ min: 1, max: 500 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('stall' as const, 'read' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('trade' as const), which: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('settle' as const, 'gap' as const), market: aMarketNumber }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('down' as const, 'up' as const, 'long' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('list' as const), number: fc.integer({ min: 4, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('watch' as const), market: aMarketNumber }) },
);
type Act = typeof anAct extends fc.Arbitrary<infer T> ? T : never;

/** A session, and a follower that reads at times. */
class Scene {
  readonly bench = new FollowBench({
    strategies: [aStrategy(quoter())],
    markets: Array.from({ length: MARKETS }, (_, number) => aMarket(number, { closeAt: micros(2 ** 52) })),
    engine: { settledGraceMs: 1000 },
  });
  readonly follower;
  watched = '';

  constructor() {
    this.bench.harness.startTrading();
    this.follower = this.bench.follow(10, WEIGHT);
  }

  carryOut(act: Act): void {
    const { venue } = this.bench.harness;
    switch (act.type) {
      case 'tick':
        if (!venue.isSettled(index(act.market)))
          venue.changeLevel(index(act.market), 'bid', { price: cents(act.cent), change: act.change });
        return;
      case 'pass':
        return this.bench.pass(act.ms);
      case 'long':
        for (let second = 0; second < 40; second++) this.bench.pass(1000);
        return;
      case 'stall':
      case 'read':
        return this.follower.stall(act.type === 'stall');
      case 'trade': {
        const resting = venue.resting();
        const order = resting[act.which % Math.max(1, resting.length)];
        if (order) venue.tradeOrder(order, 100);
        return;
      }
      case 'settle':
        if (!venue.isSettled(index(act.market))) venue.settleMarket(index(act.market), cents(100));
        return;
      case 'gap':
        return venue.emitGap([index(act.market)]);
      case 'down':
        return venue.feedDown();
      case 'up':
        if (!venue.isFeedUp) venue.feedUp();
        return;
      case 'list':
        return venue.listMarket(aMarket(act.number, { closeAt: micros(2 ** 52) }));
      case 'watch':
        this.watched = `M-${act.market}`;
        return this.follower.send(`${JSON.stringify({ type: 'watch', markets: [this.watched] })}\n`);
    }
  }
}

/** Everything that a console shows of a bot. Orders and rows have no order of their own. */
const stateOf = ({ facts, rows, orders, events, session, details, isComplete }: FollowedBot, watched: string) => ({
  facts: [...facts].sort(([a], [b]) => a - b),
  rows: [...rows].sort(([a], [b]) => a - b),
  orders: [...orders.values()].sort((a, b) => (a.clientOrderId < b.clientOrderId ? -1 : 1)),
  events,
  session,
  // The prints that a fresh follower finds may be fewer; everything else is of the moment.
  detail: { ...details.get(watched)?.market, prints: [] },
  isComplete,
});

describe('the state of a follower', () => {
  it('equals that of a fresh one after any interleaving of changes, stalls and skipped frames', () => {
    let skipped = 0;
    let ended = 0;
    fc.assert(
      fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
        const scene = new Scene();
        const { bench, follower } = scene;
        for (const act of acts) scene.carryOut(act);
        follower.stall(false);
        bench.pass(3000);
        const fresh = bench.follow(10);
        if (scene.watched !== '') fresh.send(`${JSON.stringify({ type: 'watch', markets: [scene.watched] })}\n`);
        // The engine stands still: both read the same moment.
        bench.scheduler.advance(2000);
        expect([follower.faults, fresh.faults, bench.logged]).toEqual([[], [], []]);
        expect(fresh.isDestroyed).toBe(false);
        if (follower.isDestroyed) return void (ended += 1);
        const sent = follower.framesOf('session').length;
        if (sent < fresh.framesOf('session').length + acts.length) skipped += 1;
        expect(stateOf(follower.bot, scene.watched)).toEqual(stateOf(fresh.bot, scene.watched));
      }),
      { numRuns: runCount(60) },
    );
    expect([skipped > 0, ended > 0]).toEqual([true, true]);
  });
});

describe('orders that end while a follower does not read', () => {
  it('are not open to it afterwards, though more ended than are kept', () => {
    const bench = new FollowBench();
    bench.harness.startTrading();
    const follower = bench.follow();
    const orders = Array.from({ length: 2100 }, (_, number) => {
      const state = bench.harness.engine.state.orders;
      return state.addOrder(aPlace({ clientOrderId: clientOrderId(`x-${number}`), qty: contracts(1) }), 'test');
    });
    for (const order of orders)
      bench.publisher.publishNotice({ type: 'order', order, from: 'in-flight', to: 'working', why: 'accepted' });
    bench.scheduler.advance(3000);
    const open = (): number => [...follower.bot.orders.values()].filter(({ isOpen }) => isOpen).length;
    expect(open()).toBe(2100);
    follower.stall(true);
    for (const order of orders) {
      const { state } = bench.harness.engine;
      for (const change of ['send', 'cancel'] as const)
        state.orders.applyChange(order.clientOrderId, change, state.now);
      bench.publisher.publishNotice({ type: 'order', order, from: 'working', to: 'canceled', why: 'test' });
    }
    bench.scheduler.advance(1000);
    follower.stall(false);
    bench.scheduler.advance(3000);
    expect([open(), follower.bot.orders.size]).toEqual([0, 2000]);
  });
});
