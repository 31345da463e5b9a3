// Markets and books in the whole engine: closing, joining and settling, and quotes on books that are no longer live.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, fromSeconds } from '../../../src/domain/units.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy, quoter, depthQuoter } from '../../support/engine/engine-harness.ts';

const quoting = (): EngineHarness => new EngineHarness({ strategies: [aStrategy(quoter())] });

describe('markets', () => {
  it('a market closes by the clock and takes no order then', () => {
    const harness = new EngineHarness({
      strategies: [aStrategy(depthQuoter())],
      markets: [aMarket(0, { closeAt: fromSeconds(1005) })],
    }).startTrading();
    harness.run(7000);
    expect(harness.engine.state.markets.get(M0)?.status).toBe('closed');
    harness.venue.changeLevel(M0, 'bid', { price: cents(43), change: 100 });
    harness.run(10);
    expect(harness.noticesOf('denied').at(-1)?.denial).toEqual({ code: 'market-not-open', status: 'closed' });
  });

  it('a market that is paid out joins no strategy again, though its event group is described once more', () => {
    const seen: number[][] = [];
    const watcher = aStrategy({ onStop: (_event, { markets }) => void seen.push([...markets]) });
    const harness = new EngineHarness({ strategies: [watcher], markets: [aMarket(0), aMarket(1)] }).startTrading();
    harness.venue.settleMarket(M0, cents(100));
    harness.run(500);
    const title = 'by another name';
    const group = {
      eventTicker: eventTicker('EVENT'),
      seriesTicker: seriesTicker('SERIES'),
      title,
      isExclusive: false,
      tickers: [],
    };
    harness.step({ kind: 'event-group', at: harness.now, group });
    harness.stop();
    expect(seen).toEqual([[M1]]);
  });

  it('a market that joins an event group later is streamed and traded', () => {
    const harness = new EngineHarness({ strategies: [aStrategy(quoter())], markets: [aMarket(0), aMarket(1)] });
    const first = aMarket(0);
    harness.venue.script.read = ({ target }) => (target.what === 'markets' ? 'fail' : 'do');
    harness.start();
    harness.step({ kind: 'market', at: harness.now, market: first });
    const list = harness.commands('read').find(({ target }) => target.what === 'markets')!;
    harness.step({ kind: 'markets-listed', at: harness.now, commandId: list.id, cursor: null });
    harness.run(400);
    expect(harness.engine.session.phase).toBe('trading');
    harness.step({ kind: 'market', at: harness.now, market: aMarket(1) });
    harness.run(10);
    expect(harness.commands('subscribe').flatMap(({ tickers }) => tickers)).toEqual([
      aMarket(0).ticker,
      aMarket(1).ticker,
    ]);
    expect(harness.engine.state.books.isLive(M1)).toBe(true);
  });

  it('a market outside the universe is never streamed', () => {
    const harness = quoting().startTrading();
    harness.step({
      kind: 'market',
      at: harness.now,
      market: aMarket(0, { index: M1, ticker: 'OTHER-1' as never, eventTicker: eventTicker('OTHER') }),
    });
    harness.run(10);
    expect(harness.commands('subscribe')).toHaveLength(1);
  });

  it('a market that settles pays out its position once, and the session ends without drift', () => {
    const settled: number[] = [];
    const handlers = { ...quoter(), onSettled: ({ paid }: { paid: number }) => void settled.push(paid) };
    const harness = new EngineHarness({ strategies: [aStrategy(handlers)] }).startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 500);
    harness.run(1000);
    harness.venue.settleMarket(M0, cents(100));
    harness.run(1000);
    expect(settled).toEqual([dollars(5)]);
    expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a market that settles while figures are in flight raises no false alarm', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 500);
    harness.run(10);
    harness.step({ kind: 'feed-gap', at: harness.now, markets: [], reason: 'test' });
    harness.run(5);
    harness.venue.answerDelay = 400_000;
    for (let i = 0; i < 40; i++) harness.run(100);
    harness.venue.settleMarket(M0, cents(100));
    harness.run(10_000);
    expect(harness.noticesOf('cash-drift')).toEqual([]);
    expect(harness.noticesOf('position-drift')).toEqual([]);
  });
});

describe('quotes', () => {
  it('no quote is sent while the feed is down, even on a book that is marked live', () => {
    const harness = quoting().startTrading();
    const before = harness.places().length;
    harness.venue.feedDown();
    harness.run(5);
    const at = harness.now;
    harness.step({ kind: 'book-snapshot', at, exchangeAt: null, market: M0, bids: [], asks: [] });
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    expect(harness.places()).toHaveLength(before);
    expect(harness.noticesOf('denied').at(-1)?.denial).toEqual({ code: 'not-ready', reason: 'the feed is down' });
  });

  it('quotes on a book that becomes suspect are canceled, and the book is requested again', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.emitEvent({
      kind: 'book-delta',
      exchangeAt: null,
      market: M0,
      side: 'bid',
      price: cents(70),
      change: contracts(1),
    });
    harness.run(1);
    expect(harness.engine.state.books.isLive(M0)).toBe(false);
    expect(harness.commands('resync').map(({ tickers }) => tickers)).toEqual([[aMarket(0).ticker]]);
    harness.run(10);
    expect(harness.commands('cancel')).toHaveLength(2);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    expect(harness.noticesOf('trust').map(({ trust }) => trust)).toEqual(['live', 'suspect', 'live']);
  });

  it('quotes on a book that differs from REST twice in a row are canceled', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevelSilently(M0, 'ask', { price: cents(53), change: 100 });
    harness.run(15_000);
    expect(harness.noticesOf('surprise').filter(({ what }) => what === 'book-audit')).toHaveLength(1);
    expect(harness.engine.state.books.qtyAt(M0, 'ask', cents(53))).toBe(100);
  });

  it('many books lost at once are resynchronized by one message', () => {
    const markets = Array.from({ length: 20 }, (_, i) => aMarket(i));
    const harness = new EngineHarness({ markets }).startTrading();
    harness.venue.emitGap([]);
    harness.run(5);
    expect(harness.commands('resync')).toHaveLength(1);
    expect(harness.commands('resync')[0]?.tickers).toHaveLength(20);
    expect(markets.every(({ index }) => harness.engine.state.books.isLive(index))).toBe(true);
  });

  it('quotes of two strategies in one market never cross each other', () => {
    const bidder = aStrategy(
      { onBook: ({ market }) => [aQuote({ market, ask: null, bid: { price: cents(50), qty: contracts(1) } })] },
      'bidder',
    );
    const asker = aStrategy(
      { onBook: ({ market }) => [aQuote({ market, bid: null, ask: { price: cents(50), qty: contracts(1) } })] },
      'asker',
    );
    const harness = new EngineHarness({ strategies: [bidder, asker] }).startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    expect(harness.venue.resting()).toHaveLength(1);
    expect(harness.noticesOf('denied').some(({ denial }) => denial.code === 'self-cross')).toBe(true);
  });
});
