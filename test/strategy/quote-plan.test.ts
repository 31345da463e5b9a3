// Target quotes: the plan for a wanted quote and the resting orders, and that following the plans reaches the quote.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../src/domain/ids.ts';
import type { QuoteIntent, QuoteLevel } from '../../src/domain/intent.ts';
import { type Order, type OrderState, isFinished, leavesQty } from '../../src/domain/orders/order.ts';
import { cents, contracts, price, qty } from '../../src/domain/units.ts';
import { Orders } from '../../src/state/account/orders.ts';
import { isQuoteMet, planQuote } from '../../src/strategy/quote-plan.ts';
import { BEGIN, M0, aFill, aPlace, after } from '../support/engine/builders.ts';

const level = (cent: number, size: number): QuoteLevel => ({ price: cents(cent), qty: contracts(size) });
const quoteOf = (bid: QuoteLevel | null, ask: QuoteLevel | null, over: Partial<QuoteIntent> = {}): QuoteIntent => ({
  type: 'quote',
  market: M0,
  bid,
  ask,
  ...over,
});

const STEPS: Partial<Record<OrderState, readonly ('send' | 'accept' | 'request-cancel' | 'lose')[]>> = {
  queued: [],
  'in-flight': ['send'],
  working: ['send', 'accept'],
  'pending-cancel': ['send', 'accept', 'request-cancel'],
  unknown: ['send', 'lose'],
};
let count = 0;
function order(
  side: 'buy' | 'sell',
  wanted: QuoteLevel,
  { state = 'working', ...terms }: Partial<Pick<Order, 'state' | 'postOnly' | 'reduceOnly'>> = {},
): Order {
  const orders = new Orders();
  const id = clientOrderId(`q-${(count += 1)}`);
  const made = orders.addOrder(aPlace({ clientOrderId: id, side, ...wanted, ...terms }), '');
  for (const step of STEPS[state]!) orders.applyChange(id, step, BEGIN);
  expect(made.state).toBe(state);
  return made;
}

describe('a quote that is met', () => {
  const aLevel = fc.option(fc.record({ cent: fc.integer({ min: 38, max: 41 }), size: fc.nat(3) }));
  const anOrder = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    cent: fc.integer({ min: 38, max: 41 }),
    size: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom<OrderState>('queued', 'in-flight', 'working', 'pending-cancel', 'unknown'),
  });

  it('needs no plan: whatever rests, its plan would be empty', () => {
    let met = 0;
    fc.assert(
      fc.property(
        aLevel,
        aLevel,
        fc.array(anOrder, { maxLength: 3 }),
        fc.constantFrom(0, 100),
        (bid, ask, drawn, near) => {
          const open = drawn.map(({ side, cent, size, state }) => order(side, level(cent, size), { state }));
          const wanted = (each: typeof bid) => each && level(each.cent, each.size);
          const quote = quoteOf(wanted(bid), wanted(ask), { priceTolerance: near, qtyTolerance: near });
          if (!isQuoteMet(quote, open)) return;
          met += 1;
          expect(planQuote(quote, open, { canDecrease: true, canAmend: true })).toEqual({
            cancels: [],
            decreases: [],
            amends: [],
            places: [],
          });
        },
      ),
    );
    expect(met).toBeGreaterThan(0);
  });
});

describe('a plan where an amend can move a quote', () => {
  const means = { canDecrease: true, canAmend: true };
  const planned = (quote: QuoteIntent, open: readonly Order[]) => {
    const { cancels, decreases, amends, places } = planQuote(quote, open, means);
    return {
      cancels: cancels.length,
      decreases: decreases.length,
      amends: amends.map(({ order: { side }, price: to, leavesQty: left }) => [side, to / 100, left / 100]),
      places: places.map(({ side }) => side),
    };
  };
  /** A resting order whose amend is not answered. */
  function amending(side: 'buy' | 'sell', from: QuoteLevel, to: QuoteLevel): Order {
    const orders = new Orders();
    const id = clientOrderId(`q-${(count += 1)}`);
    const made = orders.addOrder(aPlace({ clientOrderId: id, side, ...from, postOnly: true }), '');
    for (const step of ['send', 'accept', 'request-amend'] as const) orders.applyChange(id, step, BEGIN);
    orders.recordAmend(id, to);
    return made;
  }
  const resting = (side: 'buy' | 'sell', wanted: QuoteLevel): Order => order(side, wanted, { postOnly: true });

  it('moves a resting quote to another price, and makes it larger, by one amend', () => {
    const nothing = { cancels: 0, decreases: 0, places: [] };
    expect(planned(quoteOf(level(41, 5), null), [resting('buy', level(40, 5))])).toEqual({
      ...nothing,
      amends: [['buy', 41, 5]],
    });
    expect(planned(quoteOf(level(40, 8), null), [resting('buy', level(40, 5))])).toEqual({
      ...nothing,
      amends: [['buy', 40, 8]],
    });
  });
  it('decreases a quote in place that only shrinks, and cancels one that is no longer wanted', () => {
    const old = resting('buy', level(40, 5));
    expect(planned(quoteOf(level(40, 3), null), [old])).toEqual({ cancels: 0, decreases: 1, amends: [], places: [] });
    expect(planned(quoteOf(null, null), [old])).toEqual({ cancels: 1, decreases: 0, amends: [], places: [] });
  });
  it.each(['queued', 'in-flight', 'unknown', 'pending-cancel'] as const)('amends no order that is %s', (state) => {
    const plan = planned(quoteOf(level(41, 5), null), [order('buy', level(40, 5), { state, postOnly: true })]);
    expect(plan).toEqual({ cancels: state === 'pending-cancel' ? 0 : 1, decreases: 0, amends: [], places: [] });
  });
  it.each([{ postOnly: false }, { postOnly: true, reduceOnly: true }])(
    'replaces an order whose terms are not those of a quote: $postOnly, $reduceOnly',
    (terms) => {
      const plan = planned(quoteOf(level(41, 5), null), [order('buy', level(40, 5), terms)]);
      expect(plan).toMatchObject({ cancels: 1, amends: [] });
    },
  );
  it('amends none of two orders of one side', () => {
    const plan = planned(quoteOf(level(41, 5), null), [resting('buy', level(40, 5)), resting('buy', level(39, 5))]);
    expect(plan).toEqual({ cancels: 2, decreases: 0, amends: [], places: [] });
  });
  it('waits for the answer of an amend, whether it fits the quote or not', () => {
    const nothing = { cancels: 0, decreases: 0, amends: [], places: [] };
    const order41 = amending('buy', level(40, 5), level(41, 5));
    expect(planned(quoteOf(level(41, 5), null), [order41])).toEqual(nothing);
    expect(planned(quoteOf(level(42, 5), null), [order41])).toEqual(nothing);
    expect(planned(quoteOf(level(40, 5), null), [order41])).toEqual(nothing);
    expect(planned(quoteOf(null, null), [order41])).toEqual({ ...nothing, cancels: 1 });
  });
  it('holds back an amend and a new order that would cross an own order, at its old price or its new one', () => {
    const both = [resting('buy', level(40, 5)), resting('sell', level(42, 5))];
    expect(planned(quoteOf(level(43, 5), level(45, 5)), both)).toEqual({
      cancels: 0,
      decreases: 0,
      amends: [['sell', 45, 5]],
      places: [],
    });
    const leaving = amending('sell', level(42, 5), level(45, 5));
    const held = planned(quoteOf(level(43, 5), level(45, 5)), [leaving]);
    expect(held).toEqual({ cancels: 0, decreases: 0, amends: [], places: [] });
    const arriving = amending('sell', level(45, 5), level(42, 5));
    expect(planned(quoteOf(level(43, 5), level(45, 5)), [arriving])).toMatchObject({ cancels: 0, places: [] });
  });
});

describe('a plan', () => {
  it('places the wanted quotes where nothing rests, post-only', () => {
    const { cancels, places } = planQuote(quoteOf(level(40, 5), level(60, 7), { reason: 'why' }), []);
    expect(cancels).toEqual([]);
    expect(places).toEqual([
      { type: 'place', market: M0, side: 'buy', price: cents(40), qty: contracts(5), postOnly: true, reason: 'why' },
      { type: 'place', market: M0, side: 'sell', price: cents(60), qty: contracts(7), postOnly: true, reason: 'why' },
    ]);
  });
  it.each(['queued', 'in-flight', 'working', 'unknown'] as const)(
    'leaves a fitting order alone while it is %s',
    (state) => {
      const plan = planQuote(quoteOf(level(40, 5), null), [order('buy', level(40, 5), { state })]);
      expect(plan).toEqual({ cancels: [], decreases: [], amends: [], places: [] });
    },
  );
  it.each([
    { what: 'a price', price: Number.NaN, priceTolerance: 0 },
    { what: 'a tolerance', price: 4000, priceTolerance: Number.NaN },
  ])('accepts no order as fitting when $what is not a number', ({ price: wanted, priceTolerance }) => {
    const old = order('buy', level(39, 5));
    const nonsense = quoteOf({ price: wanted as QuoteLevel['price'], qty: contracts(5) }, null, { priceTolerance });
    const plan = planQuote(nonsense, [old]);
    expect(plan.cancels.map((cancel) => cancel.clientOrderId)).toEqual([old.clientOrderId]);
  });
  it('cancels first and places nothing on that side until the cancel is confirmed', () => {
    const old = order('buy', level(39, 5));
    const plan = planQuote(quoteOf(level(40, 5), level(60, 5)), [old]);
    expect(plan.cancels.map((cancel) => cancel.clientOrderId)).toEqual([old.clientOrderId]);
    expect(plan.places.map(({ side }) => side)).toEqual(['sell']);
    expect(planQuote(quoteOf(level(40, 5), null), [order('buy', level(40, 5), { state: 'pending-cancel' })])).toEqual({
      cancels: [],
      decreases: [],
      amends: [],
      places: [],
    });
  });
  it.each(['queued', 'in-flight', 'working', 'pending-cancel', 'unknown'] as const)(
    'holds a side back that would cross an own order of the other side, while that is %s',
    (state) => {
      const old = order('sell', level(42, 5), { state });
      const plan = planQuote(quoteOf(level(43, 5), level(45, 5)), [old]);
      expect(plan.places).toEqual([]);
      expect(plan.cancels.length).toBe(state === 'pending-cancel' ? 0 : 1);
    },
  );
  it('cancels an order that is near enough but would cross the other side', () => {
    const old = order('sell', level(44, 5));
    const plan = planQuote(quoteOf(level(44, 5), level(45, 5), { priceTolerance: 100 }), [old]);
    expect(plan).toMatchObject({ places: [], decreases: [], cancels: [{ clientOrderId: old.clientOrderId }] });
    const larger = order('sell', level(44, 9));
    const shrinking = planQuote(quoteOf(level(44, 5), level(45, 5), { priceTolerance: 100 }), [larger], {
      canDecrease: true,
      canAmend: false,
    });
    expect(shrinking).toMatchObject({ places: [], decreases: [], cancels: [{ clientOrderId: larger.clientOrderId }] });
  });
  it('leaves a quote that crosses itself to the risk rules', () => {
    const old = order('sell', level(44, 5));
    const plan = planQuote(quoteOf(level(45, 5), level(44, 5)), [old]);
    expect(plan.cancels).toEqual([]);
    expect(plan.places.map(({ side }) => side)).toEqual(['buy']);
  });
  it('cancels a side that is no longer wanted', () => {
    const [bid, ask] = [order('buy', level(40, 5)), order('sell', level(60, 5))];
    const plan = planQuote(quoteOf(null, null), [bid, ask]);
    expect(plan.cancels.map((cancel) => cancel.clientOrderId)).toEqual([bid.clientOrderId, ask.clientOrderId]);
    expect(plan.places).toEqual([]);
  });
  it('keeps one of two fitting orders', () => {
    const [first, second] = [order('buy', level(40, 5)), order('buy', level(40, 5))];
    const plan = planQuote(quoteOf(level(40, 5), null), [first, second]);
    expect(plan.cancels.map((cancel) => cancel.clientOrderId)).toEqual([second.clientOrderId]);
    expect(plan.places).toEqual([]);
  });
  it.each([
    [100, 41, 5, true],
    [99, 41, 5, false],
    [100, 39, 5, true],
    [0, 40, 5, true],
    [200, 43, 5, false],
  ])('with a price tolerance of %i judges %i cents for 40 rightly', (priceTolerance, cent, size, isKept) => {
    const plan = planQuote(quoteOf(level(40, 5), null, { priceTolerance }), [order('buy', level(cent, size))]);
    expect(plan.cancels.length).toBe(isKept ? 0 : 1);
  });
  it.each([
    [100, 6, true],
    [100, 4, true],
    [99, 6, false],
    [0, 5, true],
  ])('with a qty tolerance of %i judges %i contracts for 5 rightly', (qtyTolerance, size, isKept) => {
    const plan = planQuote(quoteOf(level(40, 5), null, { qtyTolerance }), [order('buy', level(40, size))]);
    expect(plan.cancels.length).toBe(isKept ? 0 : 1);
  });
  it('compares the remaining quantity, not the original one', () => {
    const orders = new Orders();
    orders.addOrder(aPlace({ qty: contracts(5) }), '');
    const id = clientOrderId('c-1');
    orders.applyChange(id, 'send', BEGIN);
    orders.applyChange(id, 'accept', BEGIN);
    orders.applyFill(id, aFill({ qty: contracts(2) }), after(1));
    expect(planQuote(quoteOf(level(40, 3), null), orders.openIn(M0)).cancels).toEqual([]);
    expect(planQuote(quoteOf(level(40, 5), null), orders.openIn(M0)).cancels).toHaveLength(1);
  });
});

const aLevel = fc.option(
  fc.record({
    price: fc.integer({ min: 30, max: 35 }).map((c) => price(c * 100)),
    qty: fc.integer({ min: 1, max: 3 }).map((n) => qty(n * 100)),
  }),
);
const aWish = fc
  .record({ bid: aLevel, ask: aLevel, apart: fc.integer({ min: 1, max: 3 }), priceTolerance: fc.constantFrom(0, 100) })
  .map(({ bid, ask, apart, priceTolerance }) => {
    // Never crosses itself; but where it moves, it crosses the earlier quote.
    const lowest = (bid?.price ?? 0) + apart * 100;
    return quoteOf(bid, ask && { ...ask, price: price(Math.max(ask.price, lowest)) }, { priceTolerance });
  });
const anEvent = fc.oneof(
  fc.record({ type: fc.constant('wish' as const), quote: aWish }),
  fc.record({ type: fc.constant('answer' as const), which: fc.nat(10), isGood: fc.boolean() }),
  fc.record({ type: fc.constant('fill' as const), which: fc.nat(10) }),
);

/** Carries plans out on the order table, as order entry does. */
class Follower {
  readonly orders = new Orders();
  quote: QuoteIntent = quoteOf(null, null);
  #count = 0;

  follow(): void {
    const { cancels, places } = planQuote(this.quote, this.orders.openIn(M0));
    for (const { clientOrderId: id } of cancels) {
      if (this.orders.applyChange(id, 'request-cancel', BEGIN)) continue;
      // An unsent order is dropped; one in flight must be waited for.
      this.orders.applyChange(id, this.orders.get(id)!.state === 'queued' ? 'drop' : 'accept', BEGIN);
    }
    for (const place of places) {
      const id = clientOrderId(`f-${(this.#count += 1)}`);
      this.orders.addOrder(aPlace({ clientOrderId: id, side: place.side, price: place.price, qty: place.qty }), '');
    }
  }

  answer(which: number, isGood: boolean): void {
    const open = this.orders.openIn(M0);
    const order = open[which % Math.max(1, open.length)];
    if (!order) return;
    const id = order.clientOrderId;
    if (order.state === 'queued') this.orders.applyChange(id, 'send', BEGIN);
    else if (order.state === 'in-flight') this.orders.applyChange(id, isGood ? 'accept' : 'lose', BEGIN);
    else if (order.state === 'pending-cancel') this.orders.applyChange(id, isGood ? 'cancel' : 'lose-cancel', BEGIN);
    else if (order.state === 'unknown') this.orders.applyChange(id, isGood ? 'accept' : 'drop', BEGIN);
  }

  fill(which: number): void {
    const open = this.orders.openIn(M0);
    const order = open[which % Math.max(1, open.length)];
    if (order && order.state !== 'queued') this.orders.applyFill(order.clientOrderId, aFill({ qty: qty(100) }), BEGIN);
  }
}

/** Asserts that no bid, resting or sent, would trade with an ask. */
function expectUncrossed(open: readonly Order[]): void {
  const [bids, asks] = (['buy', 'sell'] as const).map((side) => open.filter((order) => order.side === side));
  for (const bid of bids!) for (const ask of asks!) expect(bid.price).toBeLessThan(ask.price);
}

describe('following plans', () => {
  it('never leaves two orders on one side, and a repeated plan adds nothing', () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
        const follower = new Follower();
        for (const event of events) {
          if (event.type === 'wish') follower.quote = event.quote;
          if (event.type === 'answer') follower.answer(event.which, event.isGood);
          if (event.type === 'fill') follower.fill(event.which);
          follower.follow();
          // Dropping an unsent order makes room at once. Planned a third time, because an order that was near enough
          // may be in the way of a new one on the other side.
          follower.follow();
          follower.follow();
          const open = follower.orders.openIn(M0);
          for (const side of ['buy', 'sell'])
            expect(open.filter((order) => order.side === side).length).toBeLessThanOrEqual(1);
          expectUncrossed(open);
          expect(planQuote(follower.quote, open).places).toEqual([]);
        }
      }),
    );
  });

  it('reaches the wanted quote in the end', () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 30 }), aWish, (events, wished) => {
        const last = { ...wished, priceTolerance: 0 };
        const follower = new Follower();
        for (const event of events) {
          if (event.type === 'wish') follower.quote = event.quote;
          if (event.type === 'answer') follower.answer(event.which, event.isGood);
          if (event.type === 'fill') follower.fill(event.which);
          follower.follow();
        }
        follower.quote = last;
        for (let i = 0; i < 20; i++) {
          follower.follow();
          for (let which = 0; which < 2; which++) follower.answer(which, true);
        }
        const resting = follower.orders.openIn(M0).filter((order) => !isFinished(order.state));
        const shown = (side: string): unknown =>
          resting
            .filter((order) => order.side === side)
            .map((order) => ({ price: order.price, qty: leavesQty(order) }));
        expect(shown('buy')).toEqual(last.bid ? [last.bid] : []);
        expect(shown('sell')).toEqual(last.ask ? [last.ask] : []);
      }),
    );
  });
});
