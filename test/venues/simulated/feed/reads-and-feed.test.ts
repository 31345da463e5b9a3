// Answers and streams of the simulated venue: markets as of now, the account in pages.
import { describe, expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import type { ReadTarget } from '../../../../src/domain/venue-command.ts';
import { eventTicker, seriesTicker } from '../../../../src/domain/ids.ts';
import { cents, contracts, fromSeconds, price } from '../../../../src/domain/units.ts';
import type { VenueEvent } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { M0, M1, aMarket, after, levels, tickerOf } from '../../../support/engine/builders.ts';
import { VenueBench, only, answerVerdict } from '../../../support/simulated/venue-bench.ts';

const EVENT = eventTicker('EVENT');

/** Every row of a list, page by page, and the number of pages. */
function all(bench: VenueBench, target: ReadTarget, kind: 'orders' | 'fills' | 'settlements' | 'positions') {
  const rows: unknown[] = [];
  for (let cursor: string | null = null, pages = 1; ; pages++) {
    const page: Extract<VenueEvent, { kind: typeof kind }> = only(bench.read(target, cursor), kind);
    rows.push(...page.rows);
    cursor = page.cursor;
    if (cursor === null) return { rows, pages };
  }
}

describe('reads of queues', () => {
  it("the queue read shows the quantity ahead of each order: others' and our own earlier orders'", () => {
    const bench = new VenueBench();
    const [first, second, other] = [
      bench.placeAccepted({ price: cents(45), qty: contracts(3) }),
      bench.placeAccepted({ price: cents(45), qty: contracts(2) }),
      bench.placeAccepted({ price: cents(44) }),
    ];
    bench.addPrint('sell', [45, 4]);
    const read = (tickers = [tickerOf(0)]) => only(bench.read({ what: 'queue-positions', tickers }), 'queue-positions');
    expect(read().rows).toEqual([
      { venueOrderId: first, aheadQty: contracts(6) },
      { venueOrderId: second, aheadQty: contracts(9) },
      { venueOrderId: other, aheadQty: contracts(0) },
    ]);
    expect(read([tickerOf(7)]).rows).toEqual([]);
    bench.decrease(first, 100);
    expect(
      read()
        .rows.slice(0, 2)
        .map(({ aheadQty }) => aheadQty),
    ).toEqual([contracts(6), contracts(7)]);
  });

  it('the queue read shows an order that an amend moved behind those that were at its new price', () => {
    const bench = new VenueBench();
    const moved = bench.placeAccepted({ price: cents(44), qty: contracts(5) });
    const earlier = bench.placeAccepted({ price: cents(45), qty: contracts(3) });
    bench.amend(moved, { side: 'buy', price: cents(45), qty: contracts(5) });
    expect(only(bench.read({ what: 'queue-positions', tickers: [tickerOf(0)] }), 'queue-positions').rows).toEqual([
      { venueOrderId: earlier, aheadQty: contracts(10) },
      { venueOrderId: moved, aheadQty: contracts(13) },
    ]);
  });

  it('the queue read omits an order that came while the book was unknown', () => {
    const bench = new VenueBench();
    bench.applyTapeEvent({ kind: 'feed-gap', markets: [M0], reason: 'lost' });
    bench.placeAccepted({ price: cents(45) });
    const readEvent = bench.read({ what: 'queue-positions', tickers: [tickerOf(0)] });
    expect(only(readEvent, 'queue-positions').rows).toEqual([]);
  });
});

describe('reads of the venue', () => {
  it('the status read shows that the venue is open, and the limits can be read', () => {
    const bench = new VenueBench();
    expect(bench.read({ what: 'status' })[1]).toEqual({ kind: 'exchange-status', isActive: true, isTrading: true });
    expect(bench.read({ what: 'limits' })).toHaveLength(1);
  });

  it('a market read answers as of now, and fails for a market that the tape has not shown', () => {
    const bench = new VenueBench();
    expect(only(bench.read({ what: 'market', ticker: tickerOf(0) }), 'market').market).toEqual(aMarket(0));
    const notFound = bench.read({ what: 'market', ticker: tickerOf(4) });
    expect(only(notFound, 'read-failed')).toMatchObject({ isRefused: true, reason: '404 not_found: M-4' });
    expect(only(notFound, 'answered').ok).toBe(false);
  });

  it('markets are listed by ticker, by event group and by series, in pages', () => {
    const markets = [0, 1, 2, 3, 4].map((number) => aMarket(number));
    const bench = new VenueBench({ markets, pageRows: 2 });
    const names: string[] = [];
    for (let cursor: string | null = null; ;) {
      const answer = bench.read({ what: 'markets', by: { eventTicker: EVENT } }, cursor);
      for (const event of answer) if (event.kind === 'market') names.push(event.market.ticker);
      ({ cursor } = only(answer, 'markets-listed'));
      if (cursor === null) break;
      expect(answer).toHaveLength(4);
    }
    expect(names).toEqual(markets.map(({ ticker }) => ticker));
    const named = bench.read({ what: 'markets', by: { tickers: [tickerOf(3), tickerOf(9)] } });
    expect(only(named, 'market').market.ticker).toBe('M-3');
    expect(bench.read({ what: 'markets', by: { seriesTicker: seriesTicker('OTHER') } })).toHaveLength(2);
  });

  it('the event groups of a series with a market that closes later are listed, each with its markets', () => {
    const early = aMarket(1, { eventTicker: eventTicker('SERIES-A'), closeAt: fromSeconds(1100) });
    const late = aMarket(2, { eventTicker: eventTicker('SERIES-B'), closeAt: fromSeconds(1200) });
    const bench = new VenueBench({
      markets: [early, late].map((market, index) => ({ ...market, index: index as never })),
      hasSeries: false,
    });
    const target = { what: 'events', seriesTicker: seriesTicker('SERIES'), closesAfter: fromSeconds(1150) } as const;
    const answer = bench.read(target);
    expect(answer.map(({ kind }) => kind)).toEqual(['answered', 'event-group', 'market', 'markets-listed']);
    expect(only(answer, 'event-group').group.eventTicker).toBe('SERIES-B');
  });

  it('unchanged markets and groups are the same objects, changed ones are not', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    const readEvent = () => {
      const answer = bench.read({ what: 'event', eventTicker: EVENT });
      const markets = answer.flatMap((event) => (event.kind === 'market' ? [event.market] : []));
      return { group: only(answer, 'event-group').group, markets };
    };
    const first = readEvent();
    expect(readEvent().group).toBe(first.group);
    expect(readEvent().markets.map((market, place) => market === first.markets[place])).toEqual([true, true]);
    bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M1, closeAt: fromSeconds(9000) });
    const second = readEvent();
    expect(second.markets.map((market, place) => market === first.markets[place])).toEqual([true, false]);
    expect(second.markets[1]?.closeAt).toBe(fromSeconds(9000));
    bench.applyTapeEvent({ kind: 'market', market: { ...aMarket(2), index: bench.tickers.internTicker(tickerOf(2)) } });
    expect(readEvent().group.tickers).toEqual(['M-0', 'M-1', 'M-2']);
    bench.applyTapeEvent({ kind: 'event-group', group: { ...first.group, title: 'another', tickers: [tickerOf(1)] } });
    expect(readEvent().group).toMatchObject({ title: 'another', tickers: ['M-1', 'M-0', 'M-2'] });
  });

  it('an event group that the tape never described is derived from its markets', () => {
    const market = aMarket(0, { eventTicker: eventTicker('KXRAIN-26NOV21') });
    const bench = new VenueBench({ markets: [market], hasSeries: false });
    const answer = bench.read({ what: 'event', eventTicker: market.eventTicker });
    expect(only(answer, 'event-group').group).toEqual({
      eventTicker: 'KXRAIN-26NOV21',
      seriesTicker: 'KXRAIN',
      title: 'KXRAIN-26NOV21',
      isExclusive: false,
      tickers: ['M-0'],
    });
    const series = bench.read({ what: 'series', seriesTicker: seriesTicker('KXRAIN') });
    expect(only(series, 'series').series).toMatchObject({
      feeType: 'quadratic_with_maker_fees',
      feeMultiplierPercent: 100,
    });
    expect(answerVerdict(bench.read({ what: 'series', seriesTicker: seriesTicker('NONE') }))).toBe('read-failed');
    expect(answerVerdict(bench.read({ what: 'event', eventTicker: eventTicker('NONE') }))).toBe('read-failed');
  });

  it("a book read shows the public's view, including what we took, and fails while the book is unknown", () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55), qty: contracts(4), timeInForce: 'ioc' });
    bench.placeAccepted({ price: cents(44) });
    const target = { what: 'book', market: M0, ticker: tickerOf(0) } as const;
    expect(only(bench.read(target), 'book-poll')).toMatchObject({ bids: levels([45, 10]), asks: levels([55, 10]) });
    bench.applyTapeEvent({ kind: 'feed-gap', markets: [], reason: 'lost' });
    expect(only(bench.read(target), 'read-failed').isRefused).toBe(false);
    expect(answerVerdict(bench.read({ ...target, ticker: tickerOf(5) }))).toBe('read-failed');
  });

  it('every event survives JSON', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55) });
    bench.read({ what: 'event', eventTicker: EVENT });
    bench.read({ what: 'fills', since: null });
    bench.read({ what: 'orders', status: 'any', since: null });
    const events = [...bench.answers.flat(), ...bench.feed];
    expect(new Set(events.map(({ kind }) => kind)).size).toBeGreaterThan(7);
    for (const event of events) {
      // A grid's tables are computed from its ranges.
      const plain = event.kind === 'market' ? { ...event, market: { ...event.market, grid: null } } : event;
      expect(JSON.parse(JSON.stringify(plain))).toStrictEqual(plain);
    }
  });
});

describe('reads of the account', () => {
  it('orders are listed the latest first, in pages', () => {
    const bench = new VenueBench({ pageRows: 3 });
    const ids = Array.from({ length: 7 }, (_, i) => bench.placeAccepted({ price: cents(40 - i) }));
    bench.cancel(ids[2]!);
    const working = all(bench, { what: 'orders', status: 'working', since: null }, 'orders');
    expect(working.rows).toMatchObject([6, 5, 4, 3, 1, 0].map((i) => ({ venueOrderId: ids[i] })));
    expect(working.pages).toBe(2);
    const any = all(bench, { what: 'orders', status: 'any', since: null }, 'orders');
    expect(any.rows).toMatchObject([6, 5, 4, 3, 2, 1, 0].map((i) => ({ venueOrderId: ids[i] })));
  });

  it('a row added between two pages is neither repeated nor hides another', () => {
    const bench = new VenueBench({ pageRows: 2 });
    const ids = [0, 1, 2].map((i) => bench.placeAccepted({ price: cents(40 - i) }));
    const target = { what: 'orders', status: 'working', since: null } as const;
    const first = only(bench.read(target), 'orders');
    bench.placeAccepted({ price: cents(30) });
    const second = only(bench.read(target, first.cursor), 'orders');
    expect([...first.rows, ...second.rows].map(({ venueOrderId }) => venueOrderId)).toEqual(ids.toReversed());
  });

  it('a row that leaves between two pages hides no other', () => {
    const bench = new VenueBench({ pageRows: 2 });
    const ids = [0, 1, 2, 3].map((i) => bench.placeAccepted({ price: cents(40 - i) }));
    const target = { what: 'orders', status: 'working', since: null } as const;
    const first = only(bench.read(target), 'orders');
    bench.cancel(must(ids[2], 'the last order of the first page'));
    const second = only(bench.read(target, first.cursor), 'orders');
    expect([...first.rows, ...second.rows].map(({ venueOrderId }) => venueOrderId)).toEqual(ids.toReversed());
  });

  it('lists start at the requested time', () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(55), qty: contracts(1) });
    bench.advanceTo(100);
    bench.placeAccepted({ price: cents(55), qty: contracts(2) });
    const since = after(100);
    expect(only(bench.read({ what: 'fills', since }), 'fills').rows).toMatchObject([{ qty: 200 }]);
    expect(only(bench.read({ what: 'fills', since: null }), 'fills').rows).toMatchObject([{ qty: 200 }, { qty: 100 }]);
    expect(only(bench.read({ what: 'orders', status: 'any', since }), 'orders').rows).toHaveLength(1);
  });

  it('the account reads show open positions and the available balance', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.placeAccepted({ price: cents(55), qty: contracts(4), timeInForce: 'ioc' });
    expect(only(bench.read({ what: 'positions' }), 'positions').rows).toMatchObject([
      { market: M0, qty: 400, cost: 2_200_000, fees: bench.venue.account.feesPaid },
    ]);
    bench.placeAccepted({ market: M1, ticker: tickerOf(1) });
    expect(only(bench.read({ what: 'balance' }), 'balance').available).toBe(bench.available);
    expect(bench.available).toBeLessThan(bench.venue.account.cash);
  });

  it('fills carry the number that their market has now', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.placeAccepted({ price: cents(55), qty: contracts(1) });
    const settled = { status: 'finalized', result: 'no', settlementValue: price(0) } as const;
    bench.applyTapeEvent({ kind: 'market-changed', exchangeAt: null, market: M0, ...settled });
    const { tickers } = bench;
    tickers.releaseIndex(M0);
    const [fill] = only(bench.read({ what: 'fills', since: null }), 'fills').rows;
    expect(tickers.tickerOf(fill!.market)).toBe('M-0');
    expect(fill!.market).not.toBe(M0);
  });
});

describe('the feed of the venue', () => {
  it('the feed grants the private channels once it is connected', () => {
    const bench = new VenueBench();
    bench.venue.connectFeed();
    expect(bench.feed.map((event) => (event.kind === 'feed-channel' ? event.channel : event.kind))).toEqual([
      'feed-up',
      'fills',
      'orders',
      'positions',
    ]);
  });

  it('a subscription is answered with the book, and streams from then on', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    expect(bench.venue.streamedFrom[0]).toBe(Number.POSITIVE_INFINITY);
    bench.advanceTo(5);
    bench.sendFeedCommand('subscribe');
    expect(bench.feed).toEqual([
      { kind: 'book-snapshot', exchangeAt: after(5), market: M0, bids: levels([45, 10]), asks: levels([55, 10]) },
    ]);
    expect(Array.from(bench.venue.streamedFrom.subarray(0, 2))).toEqual([after(5), Number.POSITIVE_INFINITY]);
    bench.sendFeedCommand('unsubscribe');
    expect(bench.venue.streamedFrom[0]).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(['resync', 'renew'] as const)('the feed sends the book again on %s', (type) => {
    const bench = new VenueBench();
    bench.sendFeedCommand('subscribe');
    bench.advanceTo(7);
    bench.feed.length = 0;
    bench.sendFeedCommand(type);
    expect(bench.takeEvents('book-snapshot')).toHaveLength(1);
    expect(bench.venue.streamedFrom[0]).toBe(after(7));
  });

  it('a market whose book is unknown is streamed without a snapshot, and `feed-untold` announces that', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.applyTapeEvent({ kind: 'feed-gap', markets: [M0], reason: 'lost' });
    bench.sendFeedCommand('subscribe');
    expect(bench.feed).toEqual([{ kind: 'feed-untold', markets: [M0] }]);
    expect(bench.venue.streamedFrom[0]).toBe(bench.venue.now);
    bench.feed.length = 0;
    bench.sendFeedCommand('resync');
    expect(bench.feed).toEqual([{ kind: 'feed-untold', markets: [M0] }]);
    bench.setBook(M0, [[45, 10]], [[55, 10]]);
    bench.feed.length = 0;
    bench.sendFeedCommand('resync');
    expect(bench.feed.map(({ kind }) => kind)).toEqual(['book-snapshot']);
  });

  it('a reconnected feed has all its subscriptions', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.sendFeedCommand('subscribe', 1);
    bench.feed.length = 0;
    bench.advanceTo(9);
    const base = { id: 99, createdAt: bench.venue.now, validUntil: null, lane: 'read' } as const;
    bench.sendCommand({ ...base, type: 'reconnect', reason: 'silent' });
    expect(bench.feed.map(({ kind }) => kind)).toEqual([
      'feed-down',
      'feed-up',
      'feed-channel',
      'feed-channel',
      'feed-channel',
      'book-snapshot',
    ]);
    expect(only(bench.feed, 'feed-up').connection).toBe(2);
    bench.feed.length = 0;
    bench.sendCommand({ ...base, type: 'renew-private' });
    expect(bench.takeEvents('feed-channel').map(({ channel }) => channel)).toEqual(['fills', 'orders', 'positions']);
  });

  it('the feed sends no heartbeat, for its silence proves that nothing has changed', () => {
    const bench = new VenueBench();
    bench.advanceTo(600_000);
    expect(bench.feed).toEqual([]);
  });

  it('the feed makes room for markets that are listed later', () => {
    const bench = new VenueBench();
    const market = bench.tickers.internTicker(tickerOf(500));
    for (let i = 0; i < 200; i++) bench.tickers.internTicker(tickerOf(1000 + i));
    const last = bench.tickers.internTicker(tickerOf(5000));
    for (const [index, number] of [
      [market, 500],
      [last, 5000],
    ] as const)
      bench.applyTapeEvent({ kind: 'market', market: aMarket(number, { index }) });
    bench.sendFeedCommand('subscribe', 5000);
    expect(bench.venue.streamedFrom[last]).toBe(bench.venue.now);
    expect(bench.venue.streamedFrom[market]).toBe(Number.POSITIVE_INFINITY);
  });

  it('allStreamedFrom is the latest start of all markets, until another one gets a number', () => {
    const bench = new VenueBench({ markets: [aMarket(0), aMarket(1)] });
    bench.advanceTo(5);
    bench.sendFeedCommand('subscribe', 1);
    expect(bench.venue.allStreamedFrom).toBe(Number.POSITIVE_INFINITY);
    bench.advanceTo(6);
    bench.sendFeedCommand('subscribe');
    expect(bench.venue.allStreamedFrom).toBe(after(6));
    bench.tickers.internTicker(tickerOf(7));
    expect(bench.venue.allStreamedFrom).toBe(Number.POSITIVE_INFINITY);
    bench.sendFeedCommand('subscribe', 7);
    bench.advanceTo(8);
    bench.sendFeedCommand('resync');
    expect(bench.venue.allStreamedFrom).toBe(after(8));
    bench.sendFeedCommand('unsubscribe', 1);
    expect(bench.venue.allStreamedFrom).toBe(Number.POSITIVE_INFINITY);
  });
});
