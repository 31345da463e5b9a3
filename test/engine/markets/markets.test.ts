// Markets and books in the whole engine: closing, joining and settling, and quotes on books that are no longer live.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, fromSeconds } from '../../../src/domain/units.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';
import { World, aQuote, aStrategy, quoter, depthQuoter } from '../../support/engine/world.ts';

const quoting = (): World => new World({ strategies: [aStrategy(quoter())] });

describe('markets', () => {
  it('a market closes by the clock and takes no order then', () => {
    const world = new World({
      strategies: [aStrategy(depthQuoter())],
      markets: [aMarket(0, { closeAt: fromSeconds(1005) })],
    }).startTrading();
    world.run(7000);
    expect(world.engine.state.markets.get(M0)?.status).toBe('closed');
    world.venue.changeLevel(M0, 'bid', { price: cents(43), change: 100 });
    world.run(10);
    expect(world.noticesOf('denied').at(-1)?.denial).toEqual({ code: 'market-not-open', status: 'closed' });
  });

  it('a market that is paid out joins no strategy again, though its event group is described once more', () => {
    const seen: number[][] = [];
    const watcher = aStrategy({ onStop: (_event, { markets }) => void seen.push([...markets]) });
    const world = new World({ strategies: [watcher], markets: [aMarket(0), aMarket(1)] }).startTrading();
    world.venue.settleMarket(M0, cents(100));
    world.run(500);
    const title = 'by another name';
    const group = {
      eventTicker: eventTicker('EVENT'),
      seriesTicker: seriesTicker('SERIES'),
      title,
      isExclusive: false,
      tickers: [],
    };
    world.step({ kind: 'event-group', at: world.now, group });
    world.stop();
    expect(seen).toEqual([[M1]]);
  });

  it('a market that joins an event group later is streamed and traded', () => {
    const world = new World({ strategies: [aStrategy(quoter())], markets: [aMarket(0), aMarket(1)] });
    const first = aMarket(0);
    world.venue.script.read = ({ target }) => (target.what === 'markets' ? 'fail' : 'do');
    world.start();
    world.step({ kind: 'market', at: world.now, market: first });
    const list = world.commands('read').find(({ target }) => target.what === 'markets')!;
    world.step({ kind: 'markets-listed', at: world.now, commandId: list.id, cursor: null });
    world.run(400);
    expect(world.engine.session.phase).toBe('trading');
    world.step({ kind: 'market', at: world.now, market: aMarket(1) });
    world.run(10);
    expect(world.commands('subscribe').flatMap(({ tickers }) => tickers)).toEqual([
      aMarket(0).ticker,
      aMarket(1).ticker,
    ]);
    expect(world.engine.state.books.isLive(M1)).toBe(true);
  });

  it('a market outside the universe is never streamed', () => {
    const world = quoting().startTrading();
    world.step({
      kind: 'market',
      at: world.now,
      market: aMarket(0, { index: M1, ticker: 'OTHER-1' as never, eventTicker: eventTicker('OTHER') }),
    });
    world.run(10);
    expect(world.commands('subscribe')).toHaveLength(1);
  });

  it('a market that settles pays out its position once, and the session ends without drift', () => {
    const settled: number[] = [];
    const handlers = { ...quoter(), onSettled: ({ paid }: { paid: number }) => void settled.push(paid) };
    const world = new World({ strategies: [aStrategy(handlers)] }).startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.tradeOrder(world.venue.resting()[0]!, 500);
    world.run(1000);
    world.venue.settleMarket(M0, cents(100));
    world.run(1000);
    expect(settled).toEqual([dollars(5)]);
    expect(world.engine.state.portfolio.cash).toBe(world.venue.cash);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a market that settles while figures are in flight raises no false alarm', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.tradeOrder(world.venue.resting()[0]!, 500);
    world.run(10);
    world.step({ kind: 'feed-gap', at: world.now, markets: [], reason: 'test' });
    world.run(5);
    world.venue.answerDelay = 400_000;
    for (let i = 0; i < 40; i++) world.run(100);
    world.venue.settleMarket(M0, cents(100));
    world.run(10_000);
    expect(world.noticesOf('cash-drift')).toEqual([]);
    expect(world.noticesOf('position-drift')).toEqual([]);
  });
});

describe('quotes', () => {
  it('no quote is sent while the feed is down, even on a book that is marked live', () => {
    const world = quoting().startTrading();
    const before = world.places().length;
    world.venue.feedDown();
    world.run(5);
    const at = world.now;
    world.step({ kind: 'book-snapshot', at, exchangeAt: null, market: M0, bids: [], asks: [] });
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    expect(world.places()).toHaveLength(before);
    expect(world.noticesOf('denied').at(-1)?.denial).toEqual({ code: 'not-ready', reason: 'the feed is down' });
  });

  it('quotes on a book that becomes suspect are canceled, and the book is requested again', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.emitEvent({
      kind: 'book-delta',
      exchangeAt: null,
      market: M0,
      side: 'bid',
      price: cents(70),
      change: contracts(1),
    });
    world.run(1);
    expect(world.engine.state.books.isLive(M0)).toBe(false);
    expect(world.commands('resync').map(({ tickers }) => tickers)).toEqual([[aMarket(0).ticker]]);
    world.run(10);
    expect(world.commands('cancel')).toHaveLength(2);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    expect(world.noticesOf('trust').map(({ trust }) => trust)).toEqual(['live', 'suspect', 'live']);
  });

  it('quotes on a book that differs from REST twice in a row are canceled', () => {
    const world = quoting().startTrading();
    world.venue.changeLevelSilently(M0, 'ask', { price: cents(53), change: 100 });
    world.run(15_000);
    expect(world.noticesOf('surprise').filter(({ what }) => what === 'book-audit')).toHaveLength(1);
    expect(world.engine.state.books.qtyAt(M0, 'ask', cents(53))).toBe(100);
  });

  it('many books lost at once are resynchronized by one message', () => {
    const markets = Array.from({ length: 20 }, (_, i) => aMarket(i));
    const world = new World({ markets }).startTrading();
    world.venue.emitGap([]);
    world.run(5);
    expect(world.commands('resync')).toHaveLength(1);
    expect(world.commands('resync')[0]?.tickers).toHaveLength(20);
    expect(markets.every(({ index }) => world.engine.state.books.isLive(index))).toBe(true);
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
    const world = new World({ strategies: [bidder, asker] }).startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    expect(world.venue.resting()).toHaveLength(1);
    expect(world.noticesOf('denied').some(({ denial }) => denial.code === 'self-cross')).toBe(true);
  });
});
