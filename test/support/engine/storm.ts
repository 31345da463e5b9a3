// Random faults for a harness: what happens at the venue, on the feed and to the requests, as data to be drawn.
import * as fc from 'fast-check';
import type { BookSide } from '../../../src/domain/event.ts';
import { type MarketIndex, strategyName } from '../../../src/domain/ids.ts';
import type { HaltScope, OperatorOrder } from '../../../src/domain/operator-order.ts';
import { type Price, price, qty } from '../../../src/domain/units.ts';
import type { ScriptedOutcome, ScriptedPlaceOutcome } from './script.ts';
import { index, tickerOf } from './builders.ts';
import type { EngineHarness } from './engine-harness.ts';

export const MARKETS = 3;

/** The best price of a side disappears: by a change of the book, or in a snapshot that replaces it. */
interface BestRemoved {
  readonly type: 'best-gone' | 'replaced';
  readonly market: MarketIndex;
  readonly isBid: boolean;
}

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
  | { readonly type: 'operator'; readonly order: OperatorOrder }
  | BestRemoved
);

const aMarketNumber = fc.nat(MARKETS - 1).map(index);
const times = { afterMs: fc.oneof({ weight: 6, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(2500) }) };
const just = <Type extends string>(type: Type): { type: fc.Arbitrary<Type>; afterMs: fc.Arbitrary<number> } => ({
  type: fc.constant(type),
  ...times,
});
const aCent = fc.integer({ min: 30, max: 70 });

const aLevelChange: fc.Arbitrary<Gust> = fc.record({
  ...just('level'),
  market: aMarketNumber,
  isBid: fc.boolean(),
  cent: fc.nat(8),
  size: fc.integer({ min: 1, max: 500 }),
});

const aForeignOrder: fc.Arbitrary<Gust> = fc.record({ ...just('foreign'), market: aMarketNumber });

const WEATHER: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Gust> }[] = [
  { weight: 20, arbitrary: aLevelChange },
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
  { weight: 1, arbitrary: aForeignOrder },
  { weight: 1, arbitrary: fc.record({ ...just('delay'), answer: fc.nat(300_000), feed: fc.nat(300_000) }) },
  { weight: 1, arbitrary: fc.record({ ...just('settle'), market: aMarketNumber }) },
];

const byOperator = (order: OperatorOrder): OperatorOrder => order;
const reason = 'drawn';

/** Commands of the operator: they halt, resume, cancel or flatten a scope. `strategies` are the names in the session. */
function operatorGust(strategies: readonly string[]): fc.Arbitrary<Gust> {
  const aScope = fc.oneof(
    fc.constant<HaltScope>({ type: 'account' }),
    fc.constantFrom(...strategies).map((name): HaltScope => ({ type: 'strategy', strategy: strategyName(name) })),
    aMarketNumber.map((market): HaltScope => ({ type: 'market', ticker: tickerOf(market) })),
  );
  const order = fc.oneof(
    aScope.map((scope) => byOperator({ type: 'halt', scope, by: 'operator', reason })),
    fc
      .constantFrom(...strategies)
      .map((name) => ({ type: 'strategy', strategy: strategyName(name) }) as const)
      .map((scope) => byOperator({ type: 'halt', scope, by: 'fault', reason })),
    { weight: 9, arbitrary: aScope.map((scope) => byOperator({ type: 'resume', scope, reason })) },
    { weight: 9, arbitrary: aScope.map((scope) => byOperator({ type: 'cancel-all', scope, reason })) },
    fc.constant(byOperator({ type: 'flatten', reason })),
  );
  return fc.record({ ...just('operator'), order });
}

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

const stormOf = (aGust: fc.Arbitrary<Gust>): fc.Arbitrary<Storm> =>
  fc.record({
    gusts: fc.array(aGust, { minLength: 10, maxLength: 80, size: 'max' }),
    places: outcomes<ScriptedPlaceOutcome>('accept', 'reject', 'lose', 'vanish', 'not-sent', 'limit', 'take-half'),
    cancels: outcomes<ScriptedOutcome>('do', 'lose', 'vanish', 'limit'),
    amends: outcomes<ScriptedOutcome | 'refuse'>('do', 'lose', 'vanish', 'limit', 'refuse'),
    reads: outcomes<'do' | 'fail' | 'limit'>('do', 'fail', 'limit'),
  });

export const aStorm: fc.Arbitrary<Storm> = stormOf(fc.oneof(...WEATHER));

/**
 * Storms in which levels change more often, best prices disappear, and the operator gives commands to the session or to
 * one of its strategies.
 */
export const aStormWithOperator = (strategies: readonly string[]): fc.Arbitrary<Storm> =>
  stormOf(
    fc.oneof(
      { weight: 60, arbitrary: aLevelChange },
      { weight: 8, arbitrary: fc.record({ ...just('best-gone'), market: aMarketNumber, isBid: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ ...just('replaced'), market: aMarketNumber, isBid: fc.boolean() }) },
      { weight: 3, arbitrary: aForeignOrder },
      { weight: 12, arbitrary: fc.oneof(...WEATHER) },
      { weight: 8, arbitrary: operatorGust(strategies) },
    ),
  );

/** The best level of a side, as the engine sees it, and its removal; `null` when there is none. */
function bestGone(
  { engine, venue }: EngineHarness,
  market: MarketIndex,
  side: BookSide,
): { readonly price: Price; readonly change: number } | null {
  const { books } = engine.state;
  const best = side === 'bid' ? books.bestBid(market) : books.bestAsk(market);
  return best === null || venue.isSettled(market) ? null : { price: best, change: -books.qtyAt(market, side, best) };
}

/** Removes the best level of a side, by a change or by a snapshot. It may be impossible, after changes on their way. */
function removeBest(harness: EngineHarness, { type, market, isBid }: BestRemoved): void {
  const { venue } = harness;
  const side = isBid ? 'bid' : 'ask';
  const change = bestGone(harness, market, side);
  if (change === null) return;
  if (type === 'best-gone') return venue.changeLevel(market, side, change);
  venue.changeLevelSilently(market, side, change);
  venue.emitSnapshot(market);
}

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
    case 'best-gone':
    case 'replaced':
      return removeBest(harness, gust);
    case 'operator':
      return harness.step({ kind: 'operator', at: harness.now, order: gust.order });
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
