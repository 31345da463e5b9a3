// A followed session under random acts: of the venue, of time, and of a follower that stalls, reads and watches.
import * as fc from 'fast-check';
import { cents, micros } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { aMarket, index, tickerOf } from '../engine/builders.ts';
import { aQuote, aStrategy } from '../engine/engine-harness.ts';
import { FollowBench, type MemoryFollower } from './follow-bench.ts';

const MARKETS = 4;
const MARKETS_MAX = 7;
/** Bytes that count for each byte of a stalled follower: a few frames are too much. */
const WEIGHT = 500;

const aMarketNumber = fc.nat(MARKETS - 1);
/** An act of the venue, of time, or of the follower. */
export const anAct = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('tick' as const),
      market: aMarketNumber,
      cent: fc.integer({ min: 38, max: 50 }),
      change: fc.integer({ min: 1, max: 500 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 900 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('stall' as const, 'read' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('trade' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('settle' as const, 'gap' as const), market: aMarketNumber }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('down' as const, 'up' as const, 'long' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('list' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('watch' as const), market: aMarketNumber }) },
);
export type Act = typeof anAct extends fc.Arbitrary<infer T> ? T : never;

/** Quotes in every market; an order that has too much ahead of it is canceled when a level behind the touch changes. */
const impatient: Handlers = {
  onBook({ market, isTouch }, view) {
    if (isTouch) return [aQuote({ market })];
    const last = view.orders(market).find((order) => (view.queueAhead(order) ?? 0) > 700);
    return last && [{ type: 'cancel', clientOrderId: last.clientOrderId }];
  },
};

/** A session, and perhaps a follower that reads at times. */
export class FollowScene {
  readonly bench = new FollowBench({
    strategies: [aStrategy(impatient)],
    markets: Array.from({ length: MARKETS }, (_, number) => aMarket(number, { closeAt: micros(2 ** 52) })),
    engine: { settledGraceMs: 1000 },
  });
  /** `null` in a session that is not followed. */
  readonly follower: MemoryFollower | null;
  watched = '';
  #marketCount = MARKETS;

  constructor(isFollowed = true) {
    this.bench.harness.startTrading();
    this.follower = isFollowed ? this.bench.follow(10, WEIGHT) : null;
  }

  /** Lists one market more, up to a few. */
  #listMarket(): void {
    if (this.#marketCount >= MARKETS_MAX) return;
    const { venue, engine } = this.bench.harness;
    engine.state.tickers.internTicker(tickerOf(this.#marketCount));
    venue.listMarket(aMarket(this.#marketCount, { closeAt: micros(2 ** 52) }));
    this.#marketCount += 1;
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
        // Settled markets are dropped within this time.
        return this.bench.pass(35_000);
      case 'stall':
      case 'read':
        return this.follower?.stall(act.type === 'stall');
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
        return this.#listMarket();
      case 'watch':
        this.watched = `M-${act.market}`;
        return this.follower?.send(`${JSON.stringify({ type: 'watch', markets: [this.watched] })}\n`);
    }
  }
}
