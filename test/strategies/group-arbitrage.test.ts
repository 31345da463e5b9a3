// The group arbitrage, through the real engine with a scripted venue: when it trades every outcome, and when it waits.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, strategyName, ticker } from '../../src/domain/ids.ts';
import type { EventGroup, Series } from '../../src/domain/market.ts';
import { cents, contracts, qty } from '../../src/domain/units.ts';
import strategy from '../../strategies/group-arbitrage.ts';
import { aSeries } from '../risk/rule-context.ts';
import { M0, M1, aMarket, index, tickerOf } from '../support/engine/builders.ts';
import { EngineHarness } from '../support/engine/engine-harness.ts';

const M2 = index(2);
const MARKETS = [M0, M1, M2];
const GROUP: EventGroup = {
  eventTicker: eventTicker('EVENT'),
  seriesTicker: seriesTicker('SERIES'),
  title: 'event',
  isExclusive: true,
  tickers: MARKETS.map(tickerOf),
};

interface Setting {
  /** Best bid and ask of each of the three markets, in cents. */
  readonly touches: readonly (readonly [number, number])[];
  readonly params?: Record<string, unknown>;
  readonly group?: Partial<EventGroup>;
  /** The series, as the venue describes it; not described by default. */
  readonly series?: Partial<Series>;
  /** Hundredths of a contract at each touch. */
  readonly sizes?: readonly number[];
}

/** Sets up three markets of one group with these touches and the strategy, and runs everything that follows. */
function start({ touches, params = {}, group = {}, series, sizes = [1000, 1000, 1000] }: Setting): EngineHarness {
  const bound = strategy.bind(strategyName('arbitrage'), params);
  const harness = new EngineHarness({ strategies: [bound], markets: [0, 1, 2].map((number) => aMarket(number)) });
  harness.venue.script.place = () => 'take-half';
  for (const [at, market] of MARKETS.entries()) {
    const [bid = 0, ask = 0] = touches[at] ?? [];
    const size = sizes[at] ?? 0;
    harness.venue.changeLevel(market, 'bid', { price: cents(45), change: -1000 });
    harness.venue.changeLevel(market, 'ask', { price: cents(55), change: -1000 });
    harness.venue.changeLevel(market, 'bid', { price: cents(bid), change: size });
    harness.venue.changeLevel(market, 'ask', { price: cents(ask), change: size });
  }
  harness.startTrading();
  harness.step({ kind: 'event-group', at: harness.now, group: { ...GROUP, ...group } });
  if (series) harness.step({ kind: 'series', at: harness.now, series: aSeries(series) });
  return harness;
}

/** Changes the quantity at the best bid of the first market, which makes the strategy check the group. */
function trigger(harness: EngineHarness, bid: number): EngineHarness {
  harness.venue.changeLevel(M0, 'bid', { price: cents(bid), change: 100 });
  return harness.run(20);
}

const orders = (harness: EngineHarness): string[] =>
  harness
    .places()
    .map(
      ({ market, side, price, qty: size, timeInForce }) =>
        `${market} ${side} ${size / 100} at ${price / 100} ${timeInForce}`,
    );

/** The bids add up to 108 cents: 3.16 a set remain of the 8 after fees. */
const RICH = [
  [36, 40],
  [36, 40],
  [36, 40],
] as const;
/** The same once the first is bid at 36, too. */
const FAIR = [
  [30, 40],
  [36, 40],
  [36, 40],
] as const;
/** The asks add up to 84 cents: 11.77 a set remain of the 16 after fees. */
const CHEAP = [
  [20, 28],
  [20, 28],
  [20, 28],
] as const;

describe('the arbitrage', () => {
  it('sells every outcome at once when the bids add up to more than a dollar, the fees and the edge', () => {
    const harness = trigger(start({ touches: RICH }), 36);
    expect(orders(harness)).toEqual(['0 sell 5 at 36 ioc', '1 sell 5 at 36 ioc', '2 sell 5 at 36 ioc']);
  });

  it.each([
    [35, 1, 0],
    [35, 0.22, 3],
    [35, 0.23, 0],
    [36, 3.16, 3],
    [36, 3.17, 0],
    [34, 0, 0],
  ])(
    'requires its edge after fees: with bids of %i cents and an edge of %d it sends %i orders',
    (bid, edgeCents, sent) => {
      const touches = MARKETS.map(() => [bid, 60] as const);
      expect(trigger(start({ touches, params: { edgeCents } }), bid).places()).toHaveLength(sent);
    },
  );

  it('uses the fees that the venue charges there', () => {
    const touches = MARKETS.map(() => [34, 60] as const);
    expect(trigger(start({ touches, series: { feeType: 'free' } }), 34).places()).toHaveLength(3);
    expect(trigger(start({ touches, series: { feeType: 'quadratic' } }), 34).places()).toHaveLength(0);
  });

  it('buys every outcome only when it is configured that one of them must happen', () => {
    expect(orders(trigger(start({ touches: CHEAP }), 20))).toEqual([]);
    expect(orders(trigger(start({ touches: CHEAP, params: { isComplete: true } }), 20))).toEqual([
      '0 buy 5 at 28 ioc',
      '1 buy 5 at 28 ioc',
      '2 buy 5 at 28 ioc',
    ]);
  });

  it('does not buy when an outcome of the group is not among the markets it knows', () => {
    const group = { tickers: [...GROUP.tickers, ticker('M-9')] };
    expect(orders(trigger(start({ touches: CHEAP, params: { isComplete: true }, group }), 20))).toEqual([]);
  });

  it('still sells some outcomes of a group, since at most one of them pays', () => {
    const group = { tickers: [...GROUP.tickers, ticker('M-9')] };
    expect(trigger(start({ touches: RICH, group }), 36).places()).toHaveLength(3);
  });

  it('trades at most what the thinnest leg holds, in whole contracts', () => {
    const harness = trigger(start({ touches: RICH, sizes: [1000, 250, 1000] }), 36);
    expect(harness.places().map(({ qty: size }) => size)).toEqual([200, 200, 200]);
  });

  it('does nothing when a leg holds less than a contract', () => {
    expect(orders(trigger(start({ touches: RICH, sizes: [1000, 99, 1000] }), 36))).toEqual([]);
  });

  it('waits between two attempts at one group', () => {
    const harness = trigger(start({ touches: RICH, params: { cooldownMs: 500 } }), 36);
    expect(trigger(harness, 36).places()).toHaveLength(3);
    harness.run(400);
    expect(trigger(harness, 36).places()).toHaveLength(3);
    harness.run(100);
    expect(trigger(harness, 36).places()).toHaveLength(6);
  });

  it('does nothing while the book of a leg is not live, and acts once it is', () => {
    const harness = start({ touches: FAIR });
    harness.step({ kind: 'feed-gap', at: harness.now, markets: [M1], reason: 'sequence' });
    const change = { exchangeAt: null, side: 'bid', price: cents(36), change: qty(1000) } as const;
    harness.venue.changeLevelSilently(M0, 'bid', change);
    harness.step({ kind: 'book-delta', at: harness.now, market: M0, ...change });
    expect(harness.engine.state.books.isLive(M1)).toBe(false);
    expect(orders(harness)).toEqual([]);
    harness.run(100);
    expect(harness.engine.state.books.isLive(M1)).toBe(true);
    expect(harness.places()).toHaveLength(3);
  });

  it('does nothing while a leg is halted, or has no quote on the other side', () => {
    const halted = start({ touches: FAIR });
    halted.step({ kind: 'market-changed', at: halted.now, exchangeAt: null, market: M2, status: 'inactive' });
    expect(orders(trigger(halted, 36))).toEqual([]);
    const empty = start({ touches: FAIR });
    empty.venue.changeLevel(M2, 'bid', { price: cents(36), change: -1000 });
    empty.run(20);
    expect(orders(trigger(empty, 36))).toEqual([]);
  });

  it('leaves groups alone whose outcomes do not exclude one another', () => {
    expect(orders(trigger(start({ touches: RICH, group: { isExclusive: false } }), 36))).toEqual([]);
  });

  it('leaves no resting order and no unexplained cash', () => {
    const harness = trigger(start({ touches: RICH }), 36).stop();
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(MARKETS.map((market) => harness.engine.state.portfolio.position(market).qty)).toEqual(
      MARKETS.map(() => contracts(-2.5)),
    );
  });

  it('waits longer after a denial in a group, also across a restart', () => {
    const touches = MARKETS.map(() => [36, 40] as const);
    const sizes = MARKETS.map(() => 10_000_000);
    const params = { qtyContractsMax: 100_000, cooldownMs: 0, deniedWaitMs: 5000 };
    const harness = trigger(start({ touches, sizes, params }), 36);
    const denied = harness.noticesOf('denied').length;
    expect(denied).toBeGreaterThan(0);
    trigger(harness.run(4000), 36);
    expect(harness.noticesOf('denied')).toHaveLength(denied);
    trigger(harness.run(1000), 36);
    expect(harness.noticesOf('denied').length).toBeGreaterThan(denied);
    const again = strategy.bind(strategyName('arbitrage'), params);
    again.persistence?.restore({ waits: { EVENT: 7 } }, {} as never);
    expect(again.persistence?.save()).toEqual({ waits: { EVENT: 7 } });
  });
});
