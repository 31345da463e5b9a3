// Markets at the simulated venue: opened and closed by the clock, changed by the tape, settled exactly and once.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventTicker, eventTicker } from '../../../../src/domain/ids.ts';
import type { MarketStatus } from '../../../../src/domain/market.ts';
import { DECI_CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { type Price, cents, contracts, price, qty } from '../../../../src/domain/units.ts';
import { M0, M1, aMarket, after, index, tickerOf } from '../../../support/engine/builders.ts';
import { VenueBench, only, answerVerdict } from '../../../support/simulated/venue-bench.ts';
import type { UntimedTapeEvent } from '../../../support/simulated/simulator-harness.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

type Change = Omit<Extract<UntimedTapeEvent, { kind: 'market-changed' }>, 'kind' | 'exchangeAt' | 'market'>;

const change = (bench: VenueBench, what: Change): void =>
  bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, ...what });

/** The market as the venue describes it now. */
const now = (bench: VenueBench) => only(bench.read({ what: 'market', ticker: tickerOf(0) }), 'market').market;

/** A bench with a position of `held` contracts; YES when positive. */
function benchHolding(held: number): VenueBench {
  const bench = new VenueBench();
  if (held > 0) bench.placeAccepted({ price: cents(55), qty: contracts(held), timeInForce: 'ioc' });
  if (held < 0) bench.placeAccepted({ side: 'sell', price: cents(45), qty: contracts(-held), timeInForce: 'ioc' });
  expect(bench.venue.account.positionOf(M0)).toBe(held * 100);
  return bench;
}

describe('a market by the clock', () => {
  it('a market opens at its opening time and closes at its closing time', () => {
    const bench = new VenueBench({
      markets: [aMarket(0, { status: 'initialized', openAt: after(100), closeAt: after(200) })],
    });
    expect([now(bench).status, answerVerdict(bench.place())]).toEqual(['initialized', 'market_inactive']);
    expect(bench.venue.wakeAt()).toBe(after(100));
    bench.advanceTo(100);
    expect([now(bench).status, answerVerdict(bench.place())]).toEqual(['active', 'granted']);
    expect(bench.venue.wakeAt()).toBe(after(200));
    bench.advanceTo(200);
    expect([now(bench).status, answerVerdict(bench.place())]).toEqual(['closed', 'market_already_closed']);
  });

  it('a market that closes cancels its resting orders, with the reason', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { closeAt: after(200) })] });
    bench.placeAccepted();
    bench.placeAccepted({ side: 'sell', price: cents(60) });
    bench.feed.length = 0;
    bench.advanceTo(200);
    expect(bench.takeEvents('order-updated').map(({ order }) => [order.status, order.leavesQty, order.reason])).toEqual(
      [
        ['canceled', 0, 'CloseCancel'],
        ['canceled', 0, 'CloseCancel'],
      ],
    );
    expect(bench.available).toBe(bench.venue.account.cash);
    bench.addPrint('sell', [40, 1000]);
    expect(bench.venue.account.fills).toEqual([]);
  });

  it('a market closes early or late when its close was moved', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { closeAt: after(200) })] });
    change(bench, { closeAt: after(300) });
    bench.advanceTo(250);
    expect(now(bench).status).toBe('active');
    change(bench, { closeAt: after(260) });
    expect(bench.venue.wakeAt()).toBe(after(260));
    bench.advanceTo(260);
    expect(now(bench).status).toBe('closed');
  });

  it('a market opens again when the tape says so, with an empty book', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { closeAt: after(200) })] });
    bench.advanceTo(200);
    change(bench, { status: 'active', closeAt: after(500) });
    expect(now(bench).status).toBe('active');
    expect(bench.venue.matching.isBookKnown(M0)).toBe(false);
    bench.setBook(M0, [[45, 10]], [[55, 10]]);
    expect(answerVerdict(bench.place())).toBe('granted');
    bench.advanceTo(500);
    expect(now(bench).status).toBe('closed');
  });
});

describe('a market by the tape', () => {
  it('resting orders survive a halt, and are canceled when trading resumes', () => {
    const bench = new VenueBench();
    bench.placeAccepted();
    bench.feed.length = 0;
    change(bench, { status: 'inactive' });
    expect(bench.feed).toEqual([]);
    change(bench, { status: 'active' });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ status: 'canceled', reason: 'HaltCancel' });
  });

  it('a book that comes to cross an order in a halt does not fill it', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(50) });
    change(bench, { status: 'inactive' });
    bench.setBook(M0, [[45, 10]], [[49, 10]]);
    change(bench, { status: 'active' });
    expect(bench.venue.account.fills).toEqual([]);
  });

  it('a print in a halt fills nothing, at the price of an order and through it', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(50) });
    bench.placeAccepted({ side: 'sell', price: cents(52) });
    change(bench, { status: 'inactive' });
    for (const cent of [50, 48]) bench.addPrint('sell', [cent, 1000]);
    for (const cent of [52, 54]) bench.addPrint('buy', [cent, 1000]);
    expect(bench.venue.account.fills).toEqual([]);
    change(bench, { status: 'active' });
    expect(bench.venue.account.fills).toEqual([]);
  });

  it('a print in a pause of trading fills an order: the pause is known from reads alone, and the print is a trade', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(50), qty: contracts(5) });
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: false });
    bench.addPrint('sell', [48, 5]);
    expect(bench.venue.account.fills).toMatchObject([{ price: 5000, qty: 500, liquidity: 'maker' }]);
  });

  it('a book that comes to cross an order in a pause of trading fills it when trading resumes', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(50), qty: contracts(5) });
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: false });
    bench.setBook(M0, [[45, 10]], [[49, 2]]);
    bench.venue.matching.applyDelta({ market: M0, side: 'ask', price: cents(50), change: contracts(1) });
    expect(bench.venue.account.fills).toEqual([]);
    bench.advanceTo(60_000).applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: true });
    expect(bench.venue.account.fills).toMatchObject([
      { price: 5000, qty: 200, liquidity: 'maker', exchangeAt: after(60_000) },
      { price: 5000, qty: 100, liquidity: 'maker', exchangeAt: after(60_000) },
    ]);
    bench.applyTapeEvent({ kind: 'exchange-status', isActive: true, isTrading: true });
    expect(bench.venue.account.fills).toHaveLength(2);
  });

  it('a list requested before a market changed does not set it back', () => {
    const bench = new VenueBench();
    bench.advanceTo(100);
    change(bench, { status: 'inactive' });
    bench.applyTapeEvent({ kind: 'market', market: aMarket(0), askedAt: after(50) });
    expect(now(bench).status).toBe('inactive');
    bench.applyTapeEvent({ kind: 'market', market: aMarket(0), askedAt: after(150) });
    expect(now(bench).status).toBe('active');
    change(bench, { status: 'determined', result: 'yes', settlementValue: price(10_000) });
    bench.applyTapeEvent({ kind: 'market', market: aMarket(0), askedAt: after(900) });
    expect(now(bench).status).toBe('determined');
  });

  it('no outcome is shown before the tape shows it, even where a description contains one', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { result: 'yes', settlementValue: price(10_000) })] });
    expect([now(bench).result, now(bench).settlementValue]).toEqual([null, null]);
    change(bench, { status: 'closed' });
    expect(now(bench).result).toBeNull();
    change(bench, { status: 'determined', result: 'no', settlementValue: price(0) });
    expect([now(bench).result, now(bench).settlementValue]).toEqual(['no', 0]);
  });

  it('a repeated grid keeps the book and orders, and a new grid cancels the orders off it', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { grid: DECI_CENT_GRID })] });
    const onCent = bench.placeAccepted({ price: cents(40) });
    const between = bench.placeAccepted({ price: price(4050) });
    bench.feed.length = 0;
    const { ranges } = DECI_CENT_GRID;
    change(bench, { grid: { ...DECI_CENT_GRID, ranges: ranges.map((range) => ({ ...range })) } });
    expect(bench.feed).toEqual([]);
    expect(bench.venue.matching.isBookKnown(M0)).toBe(true);
    change(bench, { grid: aMarket(0).grid });
    expect(bench.takeEvents('order-updated').map(({ order }) => [order.venueOrderId, order.reason])).toEqual([
      [between, 'HaltCancel'],
    ]);
    expect(only(bench.cancel(onCent), 'cancel-accepted').reducedBy).toBe(1000);
  });

  it('a market that takes over a number does not inherit its subscription', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.sendFeedCommand('subscribe', 1);
    expect(bench.venue.streamedFrom[1]).toBe(bench.venue.now);
    change(bench, { status: 'finalized', result: 'no', settlementValue: price(0) });
    bench.applyTapeEvent({ kind: 'market', market: aMarket(9, { index: M1 }) });
    expect(bench.venue.streamedFrom[1]).toBe(Number.POSITIVE_INFINITY);
    expect(answerVerdict(bench.place({ market: M1, ticker: tickerOf(9) }))).toBe('granted');
  });
});

describe('an outcome that is not known yet', () => {
  it('an unknown outcome changes no event and no fill, whichever it will be', () => {
    const happening = fc.constantFrom('place', 'take', 'print', 'describe', 'read', 'wait', 'follow');
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (steps) => {
        const [yes, no] = (['yes', 'no'] as const).map((result) => {
          const withOutcome = aMarket(0, {
            closeAt: after(900),
            result,
            settlementValue: price(result === 'yes' ? 10_000 : 0),
          });
          const bench = new VenueBench({ markets: [withOutcome] });
          for (const [i, step] of steps.entries()) {
            if (step === 'place') bench.place({ price: cents(45) });
            if (step === 'take') bench.place({ price: cents(55), timeInForce: 'ioc' });
            if (step === 'print') bench.addPrint('sell', [45, 8]);
            if (step === 'describe') bench.applyTapeEvent({ kind: 'market', market: withOutcome });
            if (step === 'read') bench.read({ what: 'market', ticker: tickerOf(0) });
            if (step === 'follow') bench.sendFeedCommand('subscribe');
            bench.advanceTo(i * 50);
          }
          return [bench.feed, bench.answers, bench.venue.unsettled(), bench.venue.account.cash];
        });
        expect(yes).toEqual(no);
      }),
      { numRuns: runCount(40) },
    );
  });
});

describe('settlement', () => {
  it.each([
    ['yes', 10_000, 10, 10_000_000],
    ['yes', 10_000, -10, 0],
    ['no', 0, 10, 0],
    ['no', 0, -10, 10_000_000],
    ['scalar', 3333, 10, 3_333_000],
    ['scalar', 3333, -10, 6_667_000],
  ] as const)('a settlement of %s at %i pays a position of %i contracts %i', (result, value, held, paid) => {
    const bench = benchHolding(held);
    const { cash } = bench.venue.account;
    change(bench, { status: 'determined', result, settlementValue: price(value) });
    expect(bench.venue.account.cash).toBe(cash);
    change(bench, { status: 'finalized' });
    expect(bench.venue.account.cash - cash).toBe(paid);
    expect(bench.venue.account.settled).toBe(paid);
    expect(bench.venue.account.positionOf(M0)).toBe(0);
    expect(only(bench.read({ what: 'settlements', since: null }), 'settlements').rows).toEqual([
      { market: M0, result, settlementValue: value, revenue: paid, settledAt: bench.venue.now },
    ]);
    bench.venue.account.assertConserved();
  });

  it('a settlement pays the value after a dispute, not the first one', () => {
    const bench = benchHolding(10);
    const { cash } = bench.venue.account;
    change(bench, { status: 'determined', result: 'yes', settlementValue: price(10_000) });
    change(bench, { status: 'disputed' });
    change(bench, { status: 'amended', result: 'scalar', settlementValue: price(2500) });
    expect(bench.venue.account.cash).toBe(cash);
    change(bench, { status: 'finalized' });
    expect(bench.venue.account.cash - cash).toBe(2_500_000);
  });

  it('a settlement is paid once, however often the tape shows it', () => {
    const bench = benchHolding(10);
    const { cash } = bench.venue.account;
    const end = { status: 'finalized', result: 'yes', settlementValue: price(10_000) } as const;
    change(bench, end);
    change(bench, end);
    bench.applyTapeEvent({ kind: 'market', market: aMarket(0, end) });
    change(bench, { result: 'no', settlementValue: price(0) });
    expect(bench.venue.account.cash - cash).toBe(10_000_000);
  });

  it('a settlement waits for the value where the tape settles without one', () => {
    const bench = benchHolding(10);
    const { cash } = bench.venue.account;
    change(bench, { status: 'finalized' });
    expect(bench.venue.account.cash).toBe(cash);
    change(bench, { result: 'scalar', settlementValue: price(4000) });
    expect(bench.venue.account.cash - cash).toBe(4_000_000);
  });

  it('a market that the tape never settles stays open, with what is known', () => {
    const bench = benchHolding(10);
    expect(bench.venue.unsettled()).toEqual([
      { ticker: tickerOf(0), held: 1000, status: 'active', result: null, settlementValue: null },
    ]);
    change(bench, { status: 'determined', result: 'yes', settlementValue: price(10_000) });
    bench.advanceTo(100_000_000);
    expect(bench.venue.unsettled()).toEqual([
      { ticker: tickerOf(0), held: 1000, status: 'determined', result: 'yes', settlementValue: 10_000 },
    ]);
  });

  it('YES and NO together pay a dollar, whatever the value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 10 }), (value, held) => {
        const paid = [held, -held].map((position) => {
          const bench = benchHolding(position);
          change(bench, { status: 'finalized', result: 'scalar', settlementValue: value as Price });
          return bench.venue.account.settled;
        });
        expect(paid[0]! + paid[1]!).toBe(held * 1_000_000);
        expect(paid[0]).toBe(value * qty(held * 100));
      }),
      { numRuns: runCount(30) },
    );
  });

  it('a settled market and its event group are dropped after ten thousand other settlements', () => {
    const bench = new VenueBench({ hasSeries: false });
    const eventTickerOf = (number: number): EventTicker => eventTicker(`E-${number}`);
    for (let number = 1; number <= 10_001; number++) {
      const market = bench.tickers.internTicker(tickerOf(number));
      const outcome = { status: 'finalized', result: 'no', settlementValue: price(0) } as const;
      bench.applyTapeEvent({
        kind: 'market',
        market: aMarket(number, { index: market, eventTicker: eventTickerOf(number), ...outcome }),
      });
    }
    const isKnown = (number: number): boolean =>
      answerVerdict(bench.read({ what: 'market', ticker: tickerOf(number) })) === 'granted';
    expect([0, 1, 2, 10_001].map(isKnown)).toEqual([true, false, true, true]);
    const ofGroup = (number: number): string =>
      answerVerdict(bench.read({ what: 'event', eventTicker: eventTickerOf(number) }));
    expect([ofGroup(1), ofGroup(2)]).toEqual(['read-failed', 'granted']);
  });

  it.each<MarketStatus>(['closed', 'determined', 'finalized'])(
    'no order is left behind when a market is %s',
    (status) => {
      const bench = new VenueBench();
      bench.placeAccepted();
      change(bench, { status, result: 'yes', settlementValue: price(10_000) });
      expect(only(bench.read({ what: 'orders', status: 'working', since: null }), 'orders').rows).toEqual([]);
      expect(bench.venue.matching.levelsOf(index(0))).toEqual({ bids: [], asks: [] });
    },
  );
});
