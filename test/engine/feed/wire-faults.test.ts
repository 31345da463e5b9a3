// A faulty feed in each dialect, all the way from its frames to the orders that leave: wrong sequence numbers,
// impossible changes, ended subscriptions. A book that may be wrong is requested again, and no order is priced by it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookSide } from '../../../src/domain/event.ts';
import { cents } from '../../../src/domain/units.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { M0, M1, aMarket, index } from '../../support/engine/builders.ts';
import { type Message, WiredVenue } from '../../support/engine/wired-venue.ts';
import { EngineHarness, aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const NO_AUDITS = { fills: 2000, compare: 3000, probe: 1000, audit: 3_600_000, markets: 30_000 };

/** A quoter on two markets, 45 to 55, with live books. */
function trading(profile = kalshiProfile) {
  const markets = [aMarket(0), aMarket(1)];
  const venue = new WiredVenue(profile, markets);
  for (const { index: market } of markets) {
    venue.changeStreamedLevel(market, 'bid', { price: cents(45), by: 1000 });
    venue.changeStreamedLevel(market, 'ask', { price: cents(55), by: 1000 });
  }
  const harness = new EngineHarness({
    venue,
    markets,
    strategies: [aStrategy(quoter())],
    engine: { timetable: NO_AUDITS },
  });
  harness.startTrading();
  for (const { index: market } of markets) venue.changeStreamedLevel(market, 'bid', { price: cents(44), by: 100 });
  harness.run(50);
  return { harness, venue };
}

const isLive = (harness: EngineHarness, market = M0): boolean => harness.engine.state.books.isLive(market);
const sorted = (levels: Iterable<readonly [number, number]>) => [...levels].toSorted(([a], [b]) => a - b);
const seen = (harness: EngineHarness, market: typeof M0, side: BookSide) =>
  sorted(harness.engine.state.books.levels(market, side).map(([at, size]) => [at, size] as const));

function expectTruth({ harness, venue }: ReturnType<typeof trading>, markets = [M0, M1]): void {
  for (const market of markets) {
    const { bids, asks } = venue.trueLevels(market);
    expect(isLive(harness, market)).toBe(true);
    expect({ bid: seen(harness, market, 'bid'), ask: seen(harness, market, 'ask') }).toEqual({
      bid: sorted(bids),
      ask: sorted(asks),
    });
  }
}

const expectNoOrderOnDoubt = (harness: EngineHarness): void =>
  expect(harness.sent.filter(({ command, wasLive }) => command.type === 'place' && !wasLive)).toEqual([]);

/** Shifts the sequence number of every book message from now on. */
const renumber =
  (by: number) =>
  (message: Message): readonly Message[] => [
    message.seq === undefined ? message : { ...message, seq: message.seq + by },
  ];

describe.each([kalshiProfile, serviceProfile])('the feed of the dialect $name', (profile) => {
  it('a healthy feed is traded on', () => {
    const setup = trading(profile);
    expectTruth(setup);
    expect(setup.venue.resting()).toHaveLength(4);
    expect(setup.venue.commands.map(({ cmd }) => cmd)).toEqual(['subscribe', 'subscribe']);
  });

  it.each([
    ['one too high', 1],
    ['one too low', -1],
  ])('a sequence number that is wrong by one, %s, makes the books be requested again', (_how, by) => {
    const setup = trading(profile);
    const { harness, venue } = setup;
    const epochs = [M0, M1].map((market) => harness.engine.state.books.epoch(market));
    venue.tamper = renumber(by);
    venue.changeStreamedLevel(M0, 'bid', { price: cents(46), by: 300 });
    expect(venue.commands).toHaveLength(2);
    harness.run(1);
    // The number belongs to a subscription: both of its books are void, and the orders in them are canceled.
    expect([M0, M1].map((market) => isLive(harness, market))).toEqual([false, false]);
    expect(harness.commands('cancel')).toHaveLength(4);
    expect(venue.commands[2]).toMatchObject({
      cmd: 'update_subscription',
      params: { market_tickers: ['M-0', 'M-1'], action: 'get_snapshot' },
    });
    venue.tamper = (message) => [message];
    harness.run(5000);
    venue.changeStreamedLevel(M0, 'bid', { price: cents(46), by: -100 });
    venue.changeStreamedLevel(M1, 'bid', { price: cents(46), by: 100 });
    harness.run(1000);
    expectTruth(setup);
    expect([M0, M1].map((market, at) => harness.engine.state.books.epoch(market) > epochs[at]!)).toEqual([true, true]);
    expect(venue.resting()).toHaveLength(4);
    expectNoOrderOnDoubt(harness);
  });

  it.each([
    ['a change of a level that is not there', 'bid', 41, -100],
    ['a change that takes more than there is', 'ask', 55, -1100],
  ] as const)('a message with %s voids that book alone, which is requested again', (_what, side, at, by) => {
    const setup = trading(profile);
    const { harness, venue } = setup;
    venue.tamper = (message) => (message.type === 'orderbook_snapshot' ? [] : [message]);
    venue.emitDelta(M0, side, { price: cents(at), by });
    harness.run(20);
    expect([isLive(harness, M0), isLive(harness, M1)]).toEqual([false, true]);
    expect(venue.resting(M0)).toEqual([]);
    expect(venue.resting(M1)).toHaveLength(2);
    expect(venue.commands.at(-1)).toMatchObject({ params: { market_tickers: ['M-0'], action: 'get_snapshot' } });
    venue.tamper = (message) => [message];
    harness.run(10_000);
    venue.changeStreamedLevel(M0, 'bid', { price: cents(46), by: 100 });
    harness.run(1000);
    expectTruth(setup);
    expectNoOrderOnDoubt(harness);
  });

  it('an omitted empty side of a book is empty, and keeps nothing from before', () => {
    const setup = trading(profile);
    const { harness, venue } = setup;
    venue.changeStreamedLevel(M0, 'ask', { price: cents(55), by: -1000 });
    harness.run(20);
    venue.tamper = renumber(1);
    venue.changeStreamedLevel(M0, 'bid', { price: cents(46), by: 100 });
    venue.tamper = (message) => [message];
    harness.run(3000);
    expect(harness.engine.state.books.levels(M0, 'ask')).toEqual([]);
    expectTruth(setup);
    expectNoOrderOnDoubt(harness);
  });

  it('an omitted side that is not empty is detected by the first change there', () => {
    const setup = trading(profile);
    const { harness, venue } = setup;
    const { asks } = profile.feed.messages.snapshot.record.fields;
    const wire = 'wire' in asks ? asks.wire : '';
    expect(wire).not.toBe('');
    venue.tamper = (message) => {
      if (message.type !== 'orderbook_snapshot') return [message];
      const { [wire]: _side, ...msg } = message.msg!;
      return [{ ...message, msg }];
    };
    harness.step({ kind: 'feed-gap', at: harness.now, markets: [M0], reason: 'by script' });
    harness.run(1000);
    expect(isLive(harness, M0)).toBe(true);
    expect(harness.engine.state.books.levels(M0, 'ask')).toEqual([]);
    venue.tamper = (message) => (message.type === 'orderbook_snapshot' ? [] : [message]);
    venue.changeStreamedLevel(M0, 'ask', { price: cents(55), by: -100 });
    harness.run(10);
    expect(isLive(harness, M0)).toBe(false);
    expect(venue.resting(M0)).toEqual([]);
    venue.tamper = (message) => [message];
    harness.run(10_000);
    expectTruth(setup);
    expectNoOrderOnDoubt(harness);
  });

  it.each([10, 25])('a subscription that ends with error %d is renewed', (code) => {
    const setup = trading(profile);
    const { harness, venue } = setup;
    venue.tamper = (message) => (message.type === 'orderbook_snapshot' ? [] : [message]);
    venue.failSubscriptions(code);
    harness.run(20);
    expect([isLive(harness, M0), isLive(harness, M1)]).toEqual([false, false]);
    expect(venue.resting()).toEqual([]);
    const [again] = venue.commands.slice(2);
    expect(again).toMatchObject({
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta'], market_tickers: ['M-0', 'M-1'] },
    });
    expect(again!.params['use_yes_price']).toBe(profile.feed.onYesScale);
    venue.tamper = (message) => [message];
    harness.run(20_000);
    for (const market of [M0, M1]) venue.changeStreamedLevel(market, 'bid', { price: cents(46), by: 100 });
    harness.run(1000);
    expectTruth(setup);
    expect(venue.resting()).toHaveLength(4);
    expectNoOrderOnDoubt(harness);
  });

  it('the feed recovers in the end from any faults, and no order stays on a book in doubt', () => {
    const step = fc.record({
      market: fc.nat(1),
      isBid: fc.boolean(),
      cent: fc.integer({ min: 30, max: 44 }),
      size: fc.integer({ min: 1, max: 9 }),
      what: fc.constantFrom('change', 'change', 'change', 'change', 'claim', 'error'),
      wait: fc.nat(400),
    });
    const fault = fc.constantFrom('well', 'well', 'well', 'well', 'lost', 'twice', 'late');
    const faults = fc.array(fault, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), faults, (steps, faults) => {
        const setup = trading(profile);
        const { harness, venue } = setup;
        const late: Message[] = [];
        let count = 0;
        // Grants and refusals always arrive; numbered messages may be lost, doubled and late.
        venue.tamper = (message) => {
          const fault = message.seq === undefined ? 'well' : faults[(count += 1) % faults.length];
          if (fault === 'late') late.push(message);
          if (fault === 'lost' || fault === 'late') return [];
          return fault === 'twice' ? [message, message] : [message, ...late.splice(0)];
        };
        for (const { market, isBid, cent, size, what, wait } of steps) {
          const side = isBid ? 'bid' : 'ask';
          const at = { price: cents(isBid ? cent : 100 - cent), by: size * 100 };
          if (what === 'error') venue.failSubscriptions(25);
          else if (what === 'claim') venue.emitDelta(index(market), side, { ...at, by: -at.by - 5000 });
          else venue.changeStreamedLevel(index(market), side, at);
          harness.run(wait);
        }
        venue.tamper = (message) => [message];
        // The next change of each book reveals what was lost.
        for (const market of [M0, M1]) venue.changeStreamedLevel(market, 'bid', { price: cents(45), by: 100 });
        // From here on every live book is correct, at every moment.
        for (const ms of [5, 50, 500, 5000]) {
          harness.run(ms);
          for (const market of [M0, M1]) if (isLive(harness, market)) expectTruth(setup, [market]);
        }
        harness.run(60_000);
        expectTruth(setup);
        expectNoOrderOnDoubt(harness);
      }),
      { numRuns: runCount(30) },
    );
  });
});
