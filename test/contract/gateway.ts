// The contract of a gateway: what any venue answers to requests, through its port alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { NO_MONEY, cents, contracts, micros, money, notional } from '../../src/domain/units.ts';
import { type VenueAbility, type ContractOptions, type ContractSubject, VenueConversation } from './harness.ts';

/** Runs the gateway contract against a venue. */
export function gatewayContract(name: string, { make, lacks = {} }: ContractOptions): void {
  describe(`the gateway of ${name}`, () => {
    let subject: ContractSubject;
    let talk: VenueConversation;
    let market: Ticker;
    beforeEach(async () => {
      subject = await make();
      talk = new VenueConversation(subject.venue);
      [market] = subject.markets;
    });
    afterEach(() => subject.stop());
    const needs = (ability: VenueAbility, what: string, run: () => Promise<void>): void => {
      const reason = lacks[ability];
      it.skipIf(reason !== undefined)(reason === undefined ? what : `${what} (skipped: ${reason})`, run);
    };
    const working = () => talk.workingOrders();
    const available = async () => (await talk.requestEvent(talk.read({ what: 'balance' }), 'balance')).available;

    it('answers every kind of read, with `answered` first', async () => {
      const { venue, eventTicker, seriesTicker, markets, cash } = subject;
      const status = talk.read({ what: 'status' });
      expect((await talk.sendRequest(status)).map((event) => event.kind)).toEqual(['answered', 'exchange-status']);
      expect(talk.events[0]).toMatchObject({ commandId: status.id, ok: true });
      expect((await talk.sendRequest(talk.read({ what: 'limits' }))).map((event) => event.kind)).toEqual(['answered']);
      expect(await available()).toBe(cash);
      expect(await talk.requestEvent(talk.read({ what: 'positions' }), 'positions')).toMatchObject({
        rows: [],
        cursor: null,
      });
      expect(await working()).toEqual([]);
      expect(await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills')).toMatchObject({ rows: [] });
      expect(await talk.requestEvent(talk.read({ what: 'settlements', since: null }), 'settlements')).toMatchObject({
        rows: [],
      });
      const defined = await talk.requestEvent(talk.read({ what: 'market', ticker: market }), 'market');
      expect(defined.market).toMatchObject({ ticker: market, eventTicker, status: 'active', result: null });
      expect(defined.market.index).toBe(venue.tickers.indexOf(market));
      for (const by of [{ tickers: markets }, { eventTicker }, { seriesTicker }]) {
        const events = await talk.sendRequest(talk.read({ what: 'markets', by }));
        const listed = events.flatMap((event) => (event.kind === 'market' ? [event.market.ticker] : []));
        expect(listed).toEqual(expect.arrayContaining([...markets]));
        expect(events.at(-1)).toMatchObject({ kind: 'markets-listed', cursor: null });
      }
      const group = await talk.requestEvent(talk.read({ what: 'event', eventTicker }), 'event-group');
      expect(group.group).toMatchObject({ seriesTicker, tickers: expect.arrayContaining([...markets]) as unknown });
      expect((await talk.requestEvent(talk.read({ what: 'series', seriesTicker }), 'series')).series.ticker).toBe(
        seriesTicker,
      );
      const index = defined.market.index;
      const book = await talk.requestEvent(talk.read({ what: 'book', market: index, ticker: market }), 'book-poll');
      expect(book).toMatchObject({ market: index, bids: [], asks: [] });
      expect(talk.eventsOf('unrecognized')).toEqual([]);
      expect(talk.eventsOf('read-failed')).toEqual([]);
    });

    it('accepts a resting order, lists it, reserves its cost, and cancels it', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const accepted = await talk.requestEvent(order, 'order-accepted');
      expect(accepted).toMatchObject({ filledQty: 0, leavesQty: contracts(10), isFinished: false });
      expect(await working()).toMatchObject([
        {
          venueOrderId: accepted.venueOrderId,
          clientOrderId: order.clientOrderId,
          side: 'buy',
          price: cents(40),
          status: 'working',
          leavesQty: contracts(10),
        },
      ]);
      expect(await available()).toBeLessThanOrEqual(subject.cash - notional(cents(40), contracts(10)));
      const canceled = await talk.requestEvent(talk.cancel(order, accepted.venueOrderId), 'cancel-accepted');
      expect(canceled).toMatchObject({ clientOrderId: order.clientOrderId, reducedBy: contracts(10) });
      expect(await working()).toEqual([]);
      expect(await available()).toBe(subject.cash);
    });

    it('keeps a sale of YES as a sale, although it is a bid for NO', async () => {
      await talk.requestEvent(
        talk.place({ ticker: market, side: 'sell', price: cents(70), qty: contracts(3) }),
        'order-accepted',
      );
      expect(await working()).toMatchObject([{ side: 'sell', price: cents(70) }]);
    });

    needs('being-seen', 'shows such a sale in the book as an ask', async () => {
      await talk.requestEvent(
        talk.place({ ticker: market, side: 'sell', price: cents(70), qty: contracts(3) }),
        'order-accepted',
      );
      const index = must(subject.venue.tickers.indexOf(market), 'the market');
      const book = await talk.requestEvent(talk.read({ what: 'book', market: index, ticker: market }), 'book-poll');
      expect(book).toMatchObject({ bids: [], asks: [[cents(70), contracts(3)]] });
    });

    needs('lookup', 'finds an order by its id, and says when there is none', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(1) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      const found = await talk.requestEvent(talk.read({ what: 'order', venueOrderId }), 'order-found');
      expect(found.order).toMatchObject({ clientOrderId: order.clientOrderId, status: 'working' });
      await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-accepted');
      const after = await talk.requestEvent(talk.read({ what: 'order', venueOrderId }), 'order-found');
      expect(after.order).toMatchObject({ status: 'canceled', filledQty: 0 });
      const nowhere = '00000000-0000-4000-8000-000000000000' as typeof venueOrderId;
      const none = await talk.requestEvent(talk.read({ what: 'order', venueOrderId: nowhere }), 'order-found');
      expect(none.order).toBeNull();
    });

    it('refuses to cancel an order that no longer rests', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(1) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-accepted');
      await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-refused');
    });

    it('never accepts an order twice: the second attempt is unknown, because the order exists', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(1) });
      await talk.requestEvent(order, 'order-accepted');
      await talk.requestEvent(order, 'order-unknown');
      expect(await working()).toHaveLength(1);
    });

    it('trades against resting orders, and accounts for every millionth', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(4) });
      const order = talk.place({ ticker: market, price: cents(50), qty: contracts(10) });
      const accepted = await talk.requestEvent(order, 'order-accepted');
      expect(accepted).toMatchObject({ filledQty: contracts(4), leavesQty: contracts(6), isFinished: false });
      await talk.requestEvent(talk.cancel(order, accepted.venueOrderId), 'cancel-accepted');
      const { rows } = await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills');
      expect(rows).toMatchObject([
        { venueOrderId: accepted.venueOrderId, side: 'buy', price: cents(45), qty: contracts(4), liquidity: 'taker' },
      ]);
      const fees = rows.reduce((sum, fill) => money(sum + fill.fee), NO_MONEY);
      const cost = notional(cents(45), contracts(4));
      expect(await available()).toBe(subject.cash - cost - fees);
      const positions = await talk.requestEvent(talk.read({ what: 'positions' }), 'positions');
      expect(positions.rows).toMatchObject([{ qty: contracts(4), cost, fees }]);
    });

    it('fills an immediate order as far as possible, and a fill-or-kill order in full or not at all', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(4) });
      const all = talk.place({ ticker: market, price: cents(45), qty: contracts(5), timeInForce: 'fok' });
      expect((await talk.sendRequest(all)).map((event) => event.kind)).toEqual(['answered', 'order-rejected']);
      const some = talk.place({ ticker: market, price: cents(45), qty: contracts(5), timeInForce: 'ioc' });
      expect(await talk.requestEvent(some, 'order-accepted')).toMatchObject({
        filledQty: contracts(4),
        isFinished: true,
      });
      expect(await working()).toEqual([]);
    });

    needs('post-only', 'refuses a post-only order that would trade', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(4) });
      await talk.requestEvent(
        talk.place({ ticker: market, price: cents(45), qty: contracts(1), postOnly: true }),
        'order-rejected',
      );
      await talk.requestEvent(
        talk.place({ ticker: market, price: cents(44), qty: contracts(1), postOnly: true }),
        'order-accepted',
      );
      expect(await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills')).toMatchObject({ rows: [] });
    });

    needs('reduce-only', 'never opens a position with a reduce-only order', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(4) });
      await talk.sendRequest(
        talk.place({ ticker: market, price: cents(45), qty: contracts(1), reduceOnly: true, timeInForce: 'ioc' }),
      );
      expect(await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills')).toMatchObject({ rows: [] });
      expect(await available()).toBe(subject.cash);
    });

    needs('amend', 'gives a resting order new terms', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      const terms = { price: cents(41), qty: contracts(8) };
      const amended = await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-accepted');
      expect(amended).toMatchObject({ clientOrderId: order.clientOrderId, leavesQty: contracts(8) });
      // A venue need not repeat the price; if it does, it is the new one.
      expect([null, cents(41)]).toContain(amended.price);
      expect(await working()).toMatchObject([{ venueOrderId, price: cents(41), leavesQty: contracts(8) }]);
      await talk.requestEvent(talk.cancel(order, venueOrderId), 'cancel-accepted');
      await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-refused');
    });

    needs(
      'amend',
      'gives an order a new total: what has traded counts in it, and what remains is reserved',
      async () => {
        const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10), postOnly: true });
        const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
        await subject.rival({ ticker: market, side: 'sell', price: cents(40), qty: contracts(4) });
        const before = await available();
        const terms = { price: cents(42), qty: contracts(20) };
        const amended = await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-accepted');
        expect(amended).toMatchObject({ filledQty: contracts(4), leavesQty: contracts(16) });
        expect(await working()).toMatchObject([{ venueOrderId, price: cents(42), leavesQty: contracts(16) }]);
        const [old, now] = [notional(cents(40), contracts(6)), notional(cents(42), contracts(16))];
        expect(before - (await available())).toBe(now - old);
      },
    );

    needs('amend', 'refuses to amend a post-only order to a price at which it would trade, and keeps it', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(5) });
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10), postOnly: true });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      const terms = { price: cents(45), qty: contracts(10) };
      await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-refused');
      expect(await working()).toMatchObject([{ venueOrderId, price: cents(40), leavesQty: contracts(10) }]);
      expect(await talk.requestEvent(talk.read({ what: 'fills', since: null }), 'fills')).toMatchObject({ rows: [] });
    });

    needs('amend', 'refuses to amend an order that was filled before', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      await subject.rival({ ticker: market, side: 'sell', price: cents(40), qty: contracts(10) });
      const terms = { price: cents(41), qty: contracts(20) };
      await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-refused');
      expect(await working()).toEqual([]);
    });

    it('puts an amended order behind others in the queue, unless it only shrinks', async ({ skip }) => {
      const { canReadQueue, canAmend } = subject.venue.capabilities;
      skip(canReadQueue !== true || !canAmend, 'this dialect has no queue positions, or no amends');
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      await subject.rival({ ticker: market, side: 'buy', price: cents(40), qty: contracts(5) });
      const aheadAfter = async (price: number, size: number): Promise<unknown> => {
        const terms = { price: cents(price), qty: contracts(size) };
        await talk.requestEvent(talk.amend(order, venueOrderId, terms), 'amend-accepted');
        return (await talk.requestEvent(talk.read({ what: 'queue-positions', tickers: [market] }), 'queue-positions'))
          .rows[0]?.aheadQty;
      };
      expect(await aheadAfter(40, 7)).toBe(0);
      expect(await aheadAfter(40, 8)).toBe(contracts(5));
      expect(await aheadAfter(39, 8)).toBe(0);
      expect(await aheadAfter(40, 8)).toBe(contracts(5));
    });

    needs('decrease', 'reduces a resting order in place', async () => {
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      const shrunk = await talk.requestEvent(talk.decrease(order, venueOrderId, contracts(3)), 'amend-accepted');
      expect(shrunk).toMatchObject({ leavesQty: contracts(3) });
      expect(await working()).toMatchObject([{ venueOrderId, price: cents(40), leavesQty: contracts(3) }]);
    });

    it('reports the quantity ahead of an order, and a reduced order keeps its queue position', async ({ skip }) => {
      skip(subject.venue.capabilities.canReadQueue !== true, 'this dialect has no queue positions');
      await subject.rival({ ticker: market, side: 'buy', price: cents(40), qty: contracts(5) });
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(10) });
      const { venueOrderId } = await talk.requestEvent(order, 'order-accepted');
      const rows = async (): Promise<unknown> =>
        (await talk.requestEvent(talk.read({ what: 'queue-positions', tickers: [market] }), 'queue-positions')).rows;
      expect(await rows()).toEqual([{ venueOrderId, aheadQty: contracts(5) }]);
      await talk.requestEvent(talk.decrease(order, venueOrderId, contracts(3)), 'amend-accepted');
      await subject.rival({ ticker: market, side: 'buy', price: cents(40), qty: contracts(7) });
      const younger = talk.place({ ticker: market, price: cents(40), qty: contracts(1) });
      const { venueOrderId: second } = await talk.requestEvent(younger, 'order-accepted');
      expect(await rows()).toEqual([
        { venueOrderId, aheadQty: contracts(5) },
        { venueOrderId: second, aheadQty: contracts(15) },
      ]);
    });

    it('refuses, with a code, an order that costs too much or names no market', async () => {
      const dear = talk.place({ ticker: market, price: cents(99), qty: contracts(1_000_000) });
      expect((await talk.requestEvent(dear, 'order-rejected')).code).not.toBe('');
      const lost = talk.place({ ticker: `${market}-NONE` as Ticker, price: cents(40), qty: contracts(1) });
      expect((await talk.requestEvent(lost, 'order-rejected')).code).not.toBe('');
      expect(await available()).toBe(subject.cash);
    });

    it('accepts an expiry time, and refuses one that has passed', async () => {
      const past = talk.place({
        ticker: market,
        price: cents(40),
        qty: contracts(1),
        timeInForce: 'gtd',
        expiresAt: micros(1_000_000),
      });
      await talk.requestEvent(past, 'order-rejected');
      const ahead = micros((Math.floor(Date.now() / 1000) + 3600) * 1_000_000);
      const order = talk.place({
        ticker: market,
        price: cents(40),
        qty: contracts(1),
        timeInForce: 'gtd',
        expiresAt: ahead,
      });
      await talk.requestEvent(order, 'order-accepted');
    });

    it('reports a request aborted before it left, or made after the stop, as not sent', async () => {
      const aborted = new AbortController();
      aborted.abort();
      const order = talk.place({ ticker: market, price: cents(40), qty: contracts(1) });
      expect((await talk.sendRequest(order, aborted.signal)).map((event) => event.kind)).toEqual([
        'answered',
        'order-not-sent',
      ]);
      expect(await working()).toEqual([]);
      await subject.venue.gateway.stop();
      expect((await talk.sendRequest(talk.read({ what: 'balance' }))).map((event) => event.kind)).toEqual([
        'answered',
        'read-failed',
      ]);
    });

    it('carries many requests at once, each with its own answer', async () => {
      const placed = Array.from({ length: 20 }, (_, i) =>
        talk.place({ ticker: market, price: cents(1 + i), qty: contracts(1) }),
      );
      const accepted = await Promise.all(placed.map((order) => talk.requestEvent(order, 'order-accepted')));
      expect(accepted.map((event) => event.clientOrderId)).toEqual(placed.map((order) => order.clientOrderId));
      expect(new Set(accepted.map((event) => event.venueOrderId)).size).toBe(20);
      expect(new Set((await working()).map((order) => order.price)).size).toBe(20);
    });

    needs('watching-without-key', 'reads public data without a key, and sends nothing that needs one', async () => {
      const watching = new VenueConversation(must(subject.watcher, 'the watcher'));
      expect(
        (await watching.requestEvent(watching.read({ what: 'market', ticker: market }), 'market')).market.ticker,
      ).toBe(market);
      await watching.requestEvent(
        watching.place({ ticker: market, price: cents(40), qty: contracts(1) }),
        'order-not-sent',
      );
      await watching.requestEvent(watching.read({ what: 'balance' }), 'read-failed');
      expect(await working()).toEqual([]);
    });
  });
}
