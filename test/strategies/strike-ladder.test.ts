// The strike ladder, through the real engine with a scripted venue: which pairs it trades, and how it closes contracts
// without a partner.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import type { Strike } from '../../src/domain/market.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import strategy from '../../strategies/strike-ladder.ts';
import { M0, aMarket, index } from '../support/engine/builders.ts';
import type { ScriptedPlaceOutcome } from '../support/engine/script.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';

const above = (floor: number): Strike => ({ type: 'greater', floor, cap: null });

interface Setting {
  /** Best bid and ask of each market, in cents. */
  readonly touches: readonly (readonly [bid: number, ask: number])[];
  readonly strikes?: readonly (Strike | null)[];
  readonly params?: Record<string, unknown>;
  /** Hundredths of a contract at each touch. */
  readonly size?: number;
  /** Result of each order in turn; the last one applies to all further orders. */
  readonly fates?: readonly ScriptedPlaceOutcome[];
}

/** Markets above 20, 22, 24 with these touches, and the strategy in them. */
function start({
  touches,
  strikes = [20, 22, 24].map(above),
  params = {},
  size = 1000,
  fates = ['take'],
}: Setting): EngineHarness {
  const bound = strategy.bind(strategyName('ladder'), params);
  const markets = touches.map((_, at) => aMarket(at, { strike: strikes[at] ?? null }));
  const harness = new EngineHarness({ strategies: [bound], markets });
  let sent = 0;
  harness.venue.script.place = () => fates[Math.min(sent++, fates.length - 1)] ?? 'take';
  touches.forEach(([bid, ask], at) => {
    harness.venue.changeLevel(index(at), 'bid', { price: cents(45), change: -1000 });
    harness.venue.changeLevel(index(at), 'ask', { price: cents(55), change: -1000 });
    harness.venue.changeLevel(index(at), 'bid', { price: cents(bid), change: size });
    harness.venue.changeLevel(index(at), 'ask', { price: cents(ask), change: size });
  });
  // Orders before trading began were denied.
  harness.startTrading().run(1000);
  return trigger(harness, [touches.length - 1, touches.at(-1)?.[0] ?? 1]);
}

/** Changes the quantity at a best bid, which makes the strategy check the ladder. */
function trigger(harness: EngineHarness, [market, bid]: readonly [number, number]): EngineHarness {
  harness.venue.changeLevel(index(market), 'bid', { price: cents(bid), change: 100 });
  return harness.run(20);
}

const orders = (harness: EngineHarness): string[] =>
  harness
    .places()
    .map((each) => `${each.market} ${each.side} ${each.qty / 100} at ${each.price / 100} ${each.timeInForce}`);
const held = (harness: EngineHarness): number[] =>
  [0, 1, 2].map((each) => harness.engine.state.portfolio.position(index(each)).qty / 100);

/** Above 22 is bid at 50, and above 20 is offered at 40: ten cents, less 3.43 in fees. */
const DEAR = [
  [36, 40],
  [50, 54],
] as const;

describe('the ladder', () => {
  it('buys the lower strike and sells the higher one when the higher bid is above the lower ask', () => {
    const harness = start({ touches: DEAR });
    expect(orders(harness)).toEqual(['0 buy 5 at 40 ioc', '1 sell 5 at 50 ioc']);
    expect(held(harness)).toEqual([5, -5, 0]);
  });

  it.each([
    [
      'the prices fall with the strike',
      [
        [50, 54],
        [36, 40],
      ],
    ],
    [
      'the bid and the ask are equal',
      [
        [46, 50],
        [50, 54],
      ],
    ],
    [
      'the fees take the whole edge',
      [
        [46, 48],
        [51, 54],
      ],
    ],
  ] as const)('does nothing when %s', (_name, touches) => {
    expect(orders(start({ touches }))).toEqual([]);
  });

  it.each([
    [6.57, 2],
    [6.58, 0],
  ])('requires an edge of %d cents after fees: %i orders', (edgeCents, sent) => {
    expect(start({ touches: DEAR, params: { edgeCents } }).places()).toHaveLength(sent);
  });

  it('takes the best pair that the changed market is part of', () => {
    const harness = start({
      touches: [
        [30, 34],
        [36, 40],
        [50, 54],
      ],
    });
    expect(orders(harness).toSorted()).toEqual(['0 buy 5 at 34 ioc', '2 sell 5 at 50 ioc']);
  });

  it('trades at most what both touches hold, in whole contracts', () => {
    expect(orders(start({ touches: DEAR, size: 250 }))).toEqual(['0 buy 2 at 40 ioc', '1 sell 2 at 50 ioc']);
    expect(orders(start({ touches: DEAR, size: 99 }))).toEqual([]);
  });

  it.each([
    ['have none', [null, null]],
    ['pay below their strikes', [20, 22].map((cap) => ({ type: 'less', floor: null, cap }) as const)],
    ['pay between two', [20, 22].map((floor) => ({ type: 'between', floor, cap: 30 }) as const)],
    ['share one strike', [above(20), above(20)]],
  ])('leaves markets alone whose strikes %s', (_name, strikes) => {
    expect(orders(start({ touches: DEAR, strikes }))).toEqual([]);
  });

  it('waits between two attempts', () => {
    const harness = start({ touches: DEAR, params: { cooldownMs: 500 } });
    expect(trigger(harness.run(400), [1, 50]).places()).toHaveLength(2);
    harness.run(100);
    expect(trigger(harness, [1, 50]).places()).toHaveLength(4);
  });

  it('waits longer after a denial', () => {
    const harness = start({ touches: DEAR, params: { qtyContractsMax: 5000, deniedWaitMs: 5000 }, size: 500_000 });
    const denials = harness.noticesOf('denied').length;
    expect(denials).toBeGreaterThan(0);
    trigger(harness, [1, 50]).run(4000);
    expect(trigger(harness, [1, 50]).noticesOf('denied')).toHaveLength(denials);
    harness.run(1000);
    expect(trigger(harness, [1, 50]).noticesOf('denied').length).toBeGreaterThan(denials);
  });

  it('does nothing while a market of the ladder is not trading, or with a book that is not live', () => {
    const eager = start({
      touches: [
        [36, 52],
        [50, 54],
      ],
    });
    eager.step({ kind: 'market-changed', at: eager.now, exchangeAt: null, market: M0, status: 'inactive' });
    eager.venue.changeLevel(M0, 'ask', { price: cents(40), change: 1000 });
    expect(orders(eager.run(20))).toEqual([]);
    const doubted = start({
      touches: [
        [36, 52],
        [50, 54],
      ],
    });
    doubted.step({ kind: 'feed-gap', at: doubted.now, markets: [M0], reason: 'sequence' });
    doubted.step({
      kind: 'book-delta',
      at: doubted.now,
      exchangeAt: null,
      market: M0,
      side: 'ask',
      price: cents(40),
      change: contracts(5),
    });
    expect(orders(doubted)).toEqual([]);
  });
});

describe('a missed leg', () => {
  it('has its partner closed at the touch, once no order is working', () => {
    const harness = start({ touches: DEAR, fates: ['take', 'reject', 'take'] });
    expect(held(harness)).toEqual([5, 0, 0]);
    harness.venue.changeLevel(index(1), 'bid', { price: cents(50), change: -1100 });
    trigger(harness.run(1000), [0, 36]);
    expect(orders(harness).at(-1)).toBe('0 sell 5 at 36 ioc');
    expect(held(harness)).toEqual([0, 0, 0]);
    expect(trigger(harness.run(2000), [0, 36]).places()).toHaveLength(3);
  });

  it('is bought back where it was sold alone', () => {
    const harness = start({ touches: DEAR, fates: ['reject', 'take', 'take'] });
    expect(held(harness)).toEqual([0, -5, 0]);
    harness.venue.changeLevel(index(1), 'bid', { price: cents(50), change: -1100 });
    trigger(harness.run(1000), [1, 45]);
    expect(orders(harness).at(-1)).toBe('1 buy 5 at 54 ioc');
    expect(held(harness)).toEqual([0, 0, 0]);
  });

  it('is closed by what covers least: of two longs the higher strike', () => {
    const harness = start({
      touches: [
        [30, 34],
        [36, 40],
        [50, 54],
      ],
      params: { qtyContractsMax: 5 },
      fates: ['take', 'take', 'take', 'reject', 'take'],
    });
    // The second pair uses the middle strike: the lowest is no longer offered cheaply.
    harness.venue.changeLevel(M0, 'ask', { price: cents(34), change: -1000 });
    harness.venue.changeLevel(M0, 'ask', { price: cents(60), change: 1000 });
    trigger(harness.run(1000), [2, 50]);
    expect(held(harness)).toEqual([5, 5, -5]);
    harness.venue.changeLevel(index(2), 'bid', { price: cents(50), change: -1200 });
    trigger(harness.run(1000), [1, 36]);
    expect(orders(harness).at(-1)).toBe('1 sell 5 at 36 ioc');
    expect(held(harness)).toEqual([5, 0, -5]);
  });
});

it('a strike ladder with a restored state waits as long', () => {
  const bound = strategy.bind(strategyName('ladder'), {});
  bound.persistence?.restore({ waits: { EVENT: 700_000 } }, { now: 0 } as never);
  expect(bound.persistence?.save()).toEqual({ waits: { EVENT: 700_000 } });
});
