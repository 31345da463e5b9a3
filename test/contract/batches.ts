// The contract of batches: several orders, or several cancels, in one request, each with its own outcome.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { cents, contracts } from '../../src/domain/units.ts';
import { type ContractOptions, type ContractSubject, VenueConversation } from './harness.ts';

/** Runs the contract of batches against a venue. */
export function batchContract(name: string, { make }: Pick<ContractOptions, 'make'>): void {
  describe(`batches at ${name}`, () => {
    let subject: ContractSubject;
    let talk: VenueConversation;
    let market: Ticker;
    beforeEach(async () => {
      subject = await make();
      talk = new VenueConversation(subject.venue);
      [market] = subject.markets;
    });
    afterEach(() => subject.stop());
    const working = () => talk.workingOrders();
    const bid = (price: number, size = 1) =>
      talk.place({ ticker: market, price: cents(price), qty: contracts(size), postOnly: true });
    const kindsOf = (answers: readonly (readonly EngineEvent[])[]): string[] =>
      answers.map((events) => events.map(({ kind }) => kind).join(' '));

    it('accepts two sides of a quote in one request, each under its own id', async () => {
      const quote = [bid(40, 10), talk.place({ ticker: market, side: 'sell', price: cents(60), qty: contracts(5) })];
      const answers = await talk.sendBatch(quote);
      expect(kindsOf(answers)).toEqual(['answered order-accepted', 'answered order-accepted']);
      expect(answers.map(([answered]) => answered)).toMatchObject(quote.map(({ id }) => ({ commandId: id, ok: true })));
      expect(answers.map(([, accepted]) => accepted)).toMatchObject([
        { clientOrderId: quote[0]?.clientOrderId, filledQty: 0, leavesQty: contracts(10), isFinished: false },
        { clientOrderId: quote[1]?.clientOrderId, filledQty: 0, leavesQty: contracts(5), isFinished: false },
      ]);
      const ids = (await working()).map(({ clientOrderId }) => clientOrderId);
      expect(new Set(ids)).toEqual(new Set(quote.map(({ clientOrderId }) => clientOrderId)));
      expect(talk.eventsOf('unrecognized')).toEqual([]);
    });

    it('refuses one order of a batch with its reason, and accepts the others', async () => {
      await subject.rival({ ticker: market, side: 'sell', price: cents(45), qty: contracts(4) });
      const answers = await talk.sendBatch([bid(40), bid(46), bid(41)]);
      expect(kindsOf(answers)).toEqual([
        'answered order-accepted',
        'answered order-rejected',
        'answered order-accepted',
      ]);
      expect(new Set((await working()).map(({ price }) => price))).toEqual(new Set([cents(40), cents(41)]));
    });

    it('never accepts an order twice: in a second batch it is unknown, because it exists', async () => {
      const order = bid(40);
      await talk.requestEvent(order, 'order-accepted');
      const answers = await talk.sendBatch([order, bid(41)]);
      expect(kindsOf(answers)).toEqual(['answered order-unknown', 'answered order-accepted']);
      expect(answers[0]?.[1]).toMatchObject({ isTaken: true });
      expect(await working()).toHaveLength(2);
    });

    it('cancels what rests, and says which order no longer rests', async () => {
      const orders = [bid(40), bid(41), bid(42)];
      const accepted = await talk.sendBatch(orders);
      const venueIds = accepted.map((events) => {
        const [, event] = events;
        if (event?.kind !== 'order-accepted') throw new Error(`expected an order, found ${JSON.stringify(events)}`);
        return event.venueOrderId;
      });
      const cancels = orders.map((order, index) => talk.cancel(order, venueIds[index] ?? venueIds[0]!));
      await talk.requestEvent(cancels[1]!, 'cancel-accepted');
      const answers = await talk.sendBatch(cancels);
      expect(kindsOf(answers)).toEqual([
        'answered cancel-accepted',
        'answered cancel-refused',
        'answered cancel-accepted',
      ]);
      expect(answers[0]?.[1]).toMatchObject({ clientOrderId: orders[0]?.clientOrderId, reducedBy: contracts(1) });
      expect(await working()).toEqual([]);
      expect(talk.eventsOf('unrecognized')).toEqual([]);
    });

    it('reports every order of a batch that was aborted before it left as not sent', async () => {
      const aborted = new AbortController();
      aborted.abort();
      const answers = await talk.sendBatch([bid(40), bid(41)], aborted.signal);
      expect(kindsOf(answers)).toEqual(['answered order-not-sent', 'answered order-not-sent']);
      expect(await working()).toEqual([]);
    });
  });
}
