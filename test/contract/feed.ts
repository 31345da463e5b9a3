// The contract of a feed: what any venue streams, through its port alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { MarketIndex, Ticker } from '../../src/domain/ids.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { type VenueAbility, type ContractOptions, type ContractSubject, VenueConversation } from './harness.ts';

/** A book rebuilt from the events of a feed: price → quantity. */
class Rebuilt {
  readonly bids = new Map<number, number>();
  readonly asks = new Map<number, number>();

  static of(events: readonly EngineEvent[], market: MarketIndex): Rebuilt {
    const book = new Rebuilt();
    for (const event of events) {
      if (event.kind === 'book-snapshot' && event.market === market) book.#replace(event);
      if (event.kind === 'book-delta' && event.market === market) book.#change(event);
    }
    return book;
  }

  #replace({ bids, asks }: Extract<EngineEvent, { kind: 'book-snapshot' }>): void {
    this.bids.clear();
    this.asks.clear();
    for (const [price, qty] of bids) this.bids.set(price, qty);
    for (const [price, qty] of asks) this.asks.set(price, qty);
  }

  #change({ side, price, change }: Extract<EngineEvent, { kind: 'book-delta' }>): void {
    const levels = side === 'bid' ? this.bids : this.asks;
    const left = (levels.get(price) ?? 0) + change;
    if (left === 0) levels.delete(price);
    else levels.set(price, left);
  }
}

/** Runs the feed contract against a venue. */
export function feedContract(name: string, { make, lacks = {} }: ContractOptions): void {
  describe(`the feed of ${name}`, () => {
    let subject: ContractSubject;
    let talk: VenueConversation;
    let market: Ticker;
    let index: MarketIndex;
    beforeEach(async () => {
      subject = await make();
      talk = new VenueConversation(subject.venue);
      [market] = subject.markets;
      index = subject.venue.tickers.internTicker(market);
    });
    afterEach(() => subject.stop());
    const needs = (ability: VenueAbility, what: string, run: () => Promise<void>): void => {
      const reason = lacks[ability];
      it.skipIf(reason !== undefined)(reason === undefined ? what : `${what} (skipped: ${reason})`, run);
    };

    const listenToAll = async (): Promise<void> => {
      talk.subscribe(subject.markets);
      talk.startFeed();
      for (const ticker of subject.markets) {
        const followed = subject.venue.tickers.internTicker(ticker);
        await talk.waitForEvent('book-snapshot', (event) => event.market === followed);
      }
    };
    const noFaults = (): void => {
      expect(talk.eventsOf('unrecognized')).toEqual([]);
      expect(talk.eventsOf('feed-gap')).toEqual([]);
      expect(talk.eventsOf('feed-down')).toEqual([]);
    };

    it('emits feed-up before anything else, and starts each book with a snapshot', async () => {
      await subject.rival({ ticker: market, side: 'buy', price: cents(30), qty: contracts(5) });
      await listenToAll();
      expect(talk.events[0]).toMatchObject({ kind: 'feed-up', connection: 1 });
      expect(await talk.waitForEvent('book-snapshot', (event) => event.market === index)).toMatchObject({
        bids: [[cents(30), contracts(5)]],
        asks: [],
      });
      noFaults();
    });

    it('publishes each change of a level and each trade', async () => {
      await listenToAll();
      const offered = { ticker: market, price: cents(70), qty: contracts(6) };
      await subject.rival({ ...offered, side: 'sell' });
      const level = { market: index, side: 'ask', price: cents(70) };
      expect(await talk.waitForEvent('book-delta')).toMatchObject({ ...level, change: contracts(6) });
      await subject.bystander({ ...offered, side: 'buy', qty: contracts(4) });
      expect(await talk.waitForEvent('book-delta', ({ change }) => change < 0)).toMatchObject({
        ...level,
        change: -contracts(4),
      });
      expect(await talk.waitForEvent('print')).toMatchObject({
        market: index,
        side: 'buy',
        price: cents(70),
        qty: contracts(4),
      });
      noFaults();
    });

    needs('being-seen', 'publishes our own orders as changes of a level, like anyone’s', async () => {
      await listenToAll();
      const order = talk.place({ ticker: market, side: 'sell', price: cents(70), qty: contracts(6) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      expect(await talk.waitForEvent('book-delta')).toMatchObject({
        market: index,
        side: 'ask',
        price: cents(70),
        change: contracts(6),
      });
      await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-accepted');
      await talk.waitForEvent('book-delta', (event) => event.change === -contracts(6));
      noFaults();
    });

    it('grants the private channels by name, and again when asked to', async () => {
      await listenToAll();
      const granted = () => talk.eventsOf('feed-channel').filter(({ isUp }) => isUp);
      for (const channel of ['fills', 'orders', 'positions'])
        await talk.waitForEvent('feed-channel', (event) => event.channel === channel && event.isUp);
      const before = granted().length;
      talk.sendFeedCommand({ type: 'renew-private' });
      await talk.waitForEvent('feed-channel', () => granted().length >= before + 3);
      const order = talk.place({ ticker: market, price: cents(30), qty: contracts(5) });
      await talk.requestEvent(order, 'order-accepted');
      await talk.waitForEvent('order-updated', (event) => event.order.clientOrderId === order.clientOrderId);
      expect(talk.eventsOf('order-updated')).toHaveLength(1);
      noFaults();
    });

    it('publishes nothing of an unsubscribed market, and starts again with a snapshot after a new subscription', async () => {
      await listenToAll();
      const [, second] = subject.markets;
      const other = subject.venue.tickers.internTicker(second);
      talk.sendFeedCommand({ type: 'unsubscribe', tickers: [market] });
      talk.resync([second]);
      await talk.waitForEvent(
        'book-snapshot',
        () => talk.eventsOf('book-snapshot').filter((event) => event.market === other).length > 1,
      );
      const before = talk.events.length;
      await subject.rival({ ticker: market, side: 'buy', price: cents(30), qty: contracts(5) });
      await subject.rival({ ticker: second, side: 'buy', price: cents(31), qty: contracts(5) });
      await talk.waitForEvent('book-delta', (event) => event.market === other);
      expect(talk.events.slice(before).filter((event) => 'market' in event && event.market === index)).toEqual([]);
      talk.subscribe([market]);
      await talk.waitForEvent('book-snapshot', (event) => event.market === index && event.bids.length === 1);
      noFaults();
    });

    it('renews subscriptions to books, each starting with a snapshot', async () => {
      await listenToAll();
      const before = talk.eventsOf('book-snapshot').length;
      talk.sendFeedCommand({ type: 'renew', tickers: [market] });
      await talk.waitForEvent('book-snapshot', () =>
        talk
          .eventsOf('book-snapshot')
          .slice(before)
          .some((event) => event.market === index),
      );
      await subject.rival({ ticker: market, side: 'buy', price: cents(30), qty: contracts(5) });
      await talk.waitForEvent('book-delta');
      expect(talk.eventsOf('book-delta')).toHaveLength(1);
      noFaults();
    });

    it('reconnects when asked to, with all subscriptions', async () => {
      await listenToAll();
      talk.sendFeedCommand({ type: 'reconnect', reason: 'the test asks for it' });
      expect(await talk.waitForEvent('feed-down')).toMatchObject({
        reason: expect.stringContaining('the test asks for it'),
      });
      await talk.waitForEvent('feed-up', ({ connection }) => connection === 2);
      const from = talk.events.findIndex((event) => event.kind === 'feed-up' && event.connection === 2);
      await talk.waitForEvent('book-snapshot', () =>
        talk.events.slice(from).some((event) => event.kind === 'book-snapshot' && event.market === index),
      );
    });

    it('subscribes to a market while others go on', async () => {
      const [first, second] = subject.markets;
      talk.subscribe([first]);
      talk.startFeed();
      await talk.waitForEvent('book-snapshot');
      talk.subscribe([second]);
      const later = subject.venue.tickers.internTicker(second);
      await talk.waitForEvent('book-snapshot', (event) => event.market === later);
      await subject.rival({ ticker: first, side: 'buy', price: cents(10), qty: contracts(1) });
      await subject.rival({ ticker: second, side: 'buy', price: cents(20), qty: contracts(2) });
      await talk.waitForEvent('book-delta', (event) => event.market === index && event.price === cents(10));
      await talk.waitForEvent('book-delta', (event) => event.market === later && event.price === cents(20));
      noFaults();
    });

    it('sends a fresh snapshot when asked, without a gap', async () => {
      await listenToAll();
      await subject.rival({ ticker: market, side: 'buy', price: cents(30), qty: contracts(5) });
      await talk.waitForEvent('book-delta');
      talk.resync([market]);
      await talk.waitForEvent('book-snapshot', (event) => event.market === index && event.bids.length === 1);
      await subject.rival({ ticker: market, side: 'buy', price: cents(31), qty: contracts(1) });
      await talk.waitForEvent('book-delta', (event) => event.price === cents(31));
      noFaults();
    });

    it('publishes our trades to us: fill, order and position, equal to the reads', async () => {
      await listenToAll();
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      await subject.rival({ ticker: market, side: 'sell', price: cents(40), qty: contracts(4) });
      const { fill } = await talk.waitForEvent('fill');
      expect(fill).toMatchObject({
        venueOrderId,
        side: 'buy',
        price: cents(40),
        qty: contracts(4),
        liquidity: 'maker',
      });
      const updated = await talk.waitForEvent('order-updated', (event) => event.order.filledQty === contracts(4));
      expect(updated.order).toMatchObject({ venueOrderId, status: 'working', leavesQty: contracts(6) });
      await talk.waitForEvent(
        'position-updated',
        ({ position }) => position.market === index && position.qty === contracts(4),
      );
      const { rows } = await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills');
      expect(rows).toHaveLength(1);
      // A list of fills need not contain our client order id; if it does, it is the same.
      const ignored = { exchangeAt: null, clientOrderId: null };
      expect({ ...rows[0], ...ignored }).toEqual({ ...fill, ...ignored });
      expect([null, fill.clientOrderId]).toContain(rows[0]?.clientOrderId);
      noFaults();
    });

    needs('being-seen', 'publishes a trade to everyone, under the id that its owner receives', async () => {
      await listenToAll();
      await talk.requestEvent(talk.place({ ticker: market, price: cents(40), qty: contracts(10) }), 'order-accepted');
      await subject.rival({ ticker: market, side: 'sell', price: cents(40), qty: contracts(4) });
      const print = await talk.waitForEvent('print');
      expect(print).toMatchObject({ market: index, side: 'sell', price: cents(40), qty: contracts(4) });
      expect((await talk.waitForEvent('fill')).fill.tradeId).toBe(print.tradeId);
      noFaults();
    });

    it('streams books that equal those read', async () => {
      await listenToAll();
      for (let i = 0; i < 30; i++) {
        const side = i % 2 === 0 ? 'buy' : 'sell';
        const price = cents(side === 'buy' ? 30 + ((i * 7) % 15) : 46 + ((i * 11) % 20));
        await subject.rival({ ticker: market, side, price, qty: contracts(1 + (i % 4)) });
      }
      // Takes from both sides, so that levels shrink and vanish.
      await talk.requestEvent(
        talk.place({ ticker: market, price: cents(50), qty: contracts(9), timeInForce: 'ioc' }),
        'order-accepted',
      );
      await talk.requestEvent(
        talk.place({ ticker: market, side: 'sell', price: cents(40), qty: contracts(7), timeInForce: 'ioc' }),
        'order-accepted',
      );
      await subject.rival({ ticker: market, side: 'buy', price: cents(1), qty: contracts(3) });
      await talk.waitForEvent('book-delta', (event) => event.price === cents(1));
      const read = await talk.requestEvent(talk.read({ what: 'book', market: index, ticker: market }), 'book-poll');
      const rebuilt = Rebuilt.of(talk.events, index);
      expect(rebuilt.bids).toEqual(new Map(read.bids));
      expect(rebuilt.asks).toEqual(new Map(read.asks));
      noFaults();
    });

    it('emits nothing once it has stopped', async () => {
      await listenToAll();
      await subject.venue.feed.stop();
      const { length } = talk.events;
      await subject.rival({ ticker: market, side: 'buy', price: cents(30), qty: contracts(5) });
      await talk.requestEvent(talk.read({ what: 'status' }), 'exchange-status');
      expect(talk.events.slice(length).map((event) => event.kind)).toEqual(['answered', 'exchange-status']);
    });

    needs('watching-without-key', 'streams public data to a watcher without a key, and nothing of ours', async () => {
      const watching = new VenueConversation(must(subject.watcher, 'the watcher'));
      watching.subscribe(subject.markets);
      watching.startFeed();
      await watching.waitForEvent('book-snapshot');
      await talk.requestEvent(talk.place({ ticker: market, price: cents(40), qty: contracts(10) }), 'order-accepted');
      await subject.rival({ ticker: market, side: 'sell', price: cents(40), qty: contracts(4) });
      await watching.waitForEvent('print');
      await watching.waitForEvent('book-delta', (event) => event.change === -contracts(4));
      for (const kind of ['fill', 'order-updated', 'position-updated', 'unrecognized', 'feed-gap'] as const)
        expect(watching.eventsOf(kind)).toEqual([]);
    });
  });
}
