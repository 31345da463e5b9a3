// Random faults for a harness: what happens at the venue, on the feed and to the requests, as data to be drawn.
import * as fc from 'fast-check';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { price, qty } from '../../../src/domain/units.ts';
import type { ScriptedOutcome, ScriptedPlaceOutcome } from './script.ts';
import { index } from './builders.ts';
import type { EngineHarness } from './engine-harness.ts';

export const MARKETS = 3;

/** One event, with the wait before it. */
export type Gust = { readonly afterMs: number } & (
  | {
      readonly type: 'level';
      readonly market: MarketIndex;
      readonly isBid: boolean;
      readonly cent: number;
      readonly size: number;
    }
  | { readonly type: 'wrong-level'; readonly market: MarketIndex; readonly cent: number }
  | { readonly type: 'untold-level'; readonly market: MarketIndex; readonly cent: number }
  | { readonly type: 'trade'; readonly which: number; readonly size: number }
  | { readonly type: 'gap'; readonly market: MarketIndex }
  | { readonly type: 'feed-down' }
  | { readonly type: 'feed-up' }
  | { readonly type: 'foreign'; readonly market: MarketIndex }
  | { readonly type: 'delay'; readonly answer: number; readonly feed: number }
  | { readonly type: 'settle'; readonly market: MarketIndex }
);

const aMarketNumber = fc.nat(MARKETS - 1).map(index);
const times = { afterMs: fc.oneof({ weight: 6, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(2500) }) };
const just = <Type extends string>(type: Type): { type: fc.Arbitrary<Type>; afterMs: fc.Arbitrary<number> } => ({
  type: fc.constant(type),
  ...times,
});
const aCent = fc.integer({ min: 30, max: 70 });

const aGust: fc.Arbitrary<Gust> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      ...just('level'),
      market: aMarketNumber,
      isBid: fc.boolean(),
      cent: fc.nat(8),
      size: fc.integer({ min: 1, max: 500 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      ...just('trade'),
      which: fc.nat(20),
      size: fc.integer({ min: 1, max: 6 }).map((n) => n * 100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...just('wrong-level'), market: aMarketNumber, cent: aCent }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...just('untold-level'), market: aMarketNumber, cent: fc.integer({ min: 20, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ ...just('gap'), market: aMarketNumber }) },
  { weight: 1, arbitrary: fc.record(just('feed-down')) },
  { weight: 2, arbitrary: fc.record(just('feed-up')) },
  { weight: 1, arbitrary: fc.record({ ...just('foreign'), market: aMarketNumber }) },
  { weight: 1, arbitrary: fc.record({ ...just('delay'), answer: fc.nat(300_000), feed: fc.nat(300_000) }) },
  { weight: 1, arbitrary: fc.record({ ...just('settle'), market: aMarketNumber }) },
);

/** A sequence of events, and the outcomes of the requests in turn. */
export interface Storm {
  readonly gusts: readonly Gust[];
  readonly places: readonly ScriptedPlaceOutcome[];
  readonly cancels: readonly ScriptedOutcome[];
  readonly amends: readonly (ScriptedOutcome | 'refuse')[];
  readonly reads: readonly ('do' | 'fail' | 'limit')[];
}

const outcomes = <F extends string>(good: F, ...bad: readonly F[]): fc.Arbitrary<F[]> =>
  fc.array(fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, { weight: 3, arbitrary: fc.constantFrom(...bad) }), {
    minLength: 1,
    maxLength: 30,
    size: 'max',
  });

export const aStorm: fc.Arbitrary<Storm> = fc.record({
  gusts: fc.array(aGust, { minLength: 10, maxLength: 80, size: 'max' }),
  places: outcomes<ScriptedPlaceOutcome>('accept', 'reject', 'lose', 'vanish', 'not-sent', 'limit', 'take-half'),
  cancels: outcomes<ScriptedOutcome>('do', 'lose', 'vanish', 'limit'),
  amends: outcomes<ScriptedOutcome | 'refuse'>('do', 'lose', 'vanish', 'limit', 'refuse'),
  reads: outcomes<'do' | 'fail' | 'limit'>('do', 'fail', 'limit'),
});

function apply(harness: EngineHarness, gust: Gust): void {
  const { venue } = harness;
  switch (gust.type) {
    case 'level': {
      const at = gust.isBid ? 49 - gust.cent : 51 + gust.cent;
      return venue.changeLevel(gust.market, gust.isBid ? 'bid' : 'ask', { price: price(at * 100), change: gust.size });
    }
    case 'wrong-level': {
      const change = { price: price(gust.cent * 100), change: qty(-999_999) };
      return venue.emitEvent({ kind: 'book-delta', exchangeAt: null, market: gust.market, side: 'bid', ...change });
    }
    case 'untold-level':
      return venue.changeLevelSilently(gust.market, 'bid', { price: price(gust.cent * 100), change: 100 });
    case 'trade': {
      const resting = venue.resting();
      const order = resting[gust.which % Math.max(1, resting.length)];
      return order && venue.tradeOrder(order, gust.size);
    }
    case 'gap':
      return venue.emitGap([gust.market]);
    case 'feed-down':
      return venue.feedDown();
    case 'feed-up':
      return venue.isFeedUp ? undefined : venue.feedUp();
    case 'foreign':
      return venue.isSettled(gust.market) ? undefined : void venue.foreignOrder(gust.market, 'buy', price(2000));
    case 'delay':
      venue.answerDelay = gust.answer;
      venue.feedDelay = gust.feed;
      return undefined;
    case 'settle':
      return venue.isSettled(gust.market) ? undefined : venue.settleMarket(gust.market, price(10_000));
  }
}

/** Runs a storm in a harness. */
export function runStorm(harness: EngineHarness, storm: Storm): void {
  let [places, cancels, amends, reads] = [0, 0, 0, 0];
  harness.venue.script = {
    place: () => storm.places[places++ % storm.places.length]!,
    cancel: () => storm.cancels[cancels++ % storm.cancels.length]!,
    amend: () => storm.amends[amends++ % storm.amends.length]!,
    read: () => storm.reads[reads++ % storm.reads.length]!,
  };
  for (const gust of storm.gusts) {
    harness.run(gust.afterMs);
    apply(harness, gust);
  }
}

/** Ends all faults and gives the engine time to recover. */
export function endFaults(harness: EngineHarness): void {
  harness.venue.script = {};
  harness.venue.answerDelay = 1000;
  harness.venue.feedDelay = 600;
  if (!harness.venue.isFeedUp) harness.venue.feedUp();
  harness.run(30_000);
}
