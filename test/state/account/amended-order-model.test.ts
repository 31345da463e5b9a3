// One order at a model of a venue, and the state's picture of it, while its messages overtake each other: answers, the
// feed, lists, and lost answers. In every case the limits count at least what the venue may still fill.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EngineEvent, FillReport, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { countedLeaves, countedPrice, isFinished, leavesQty } from '../../../src/domain/orders/order.ts';
import { type Micros, NO_QTY, cents, contracts, dollars, qty } from '../../../src/domain/units.ts';
import { must } from '../../../src/base/assert.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aFill, aPlace, aReport, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const VENUE_ID = venueOrderId('v-1');

/** Steps of the model. The number chooses among what is possible. */
const STEPS = ['amend', 'decrease', 'cancel', 'execute', 'answer', 'feed', 'trade', 'ask-list', 'list'] as const;
interface Step {
  readonly what: (typeof STEPS)[number];
  readonly choice: number;
}
type Request =
  | { readonly type: 'amend'; readonly price: number; readonly total: number }
  | { readonly type: 'decrease'; readonly leaves: number }
  | { readonly type: 'cancel' };
/** An event without the time at which it arrives. */
type Message = EngineEvent extends infer Event ? (Event extends EngineEvent ? Omit<Event, 'at'> : never) : never;

/** A venue that holds one order of ten contracts at 40¢, and the state that follows it. Whole contracts and cents. */
class Model {
  readonly #state = new State();
  #now = 10;
  #venueNow = 1;
  #price = 40;
  #total = 10;
  #filled = 0;
  #status: OrderReport['status'] = 'working';
  #trades = 0;
  readonly #requests: Request[] = [];
  readonly #answers: Message[] = [];
  readonly #feed: Message[] = [];
  readonly #lists: Message[] = [];

  constructor() {
    this.#state.portfolio.setOpeningCash(dollars(1000));
    this.#state.portfolio.openAccount();
    this.#state.orders.addOrder(aPlace(), '');
    this.#state.orders.applyChange(ID, 'send', after(1));
    const accepted = { clientOrderId: ID, venueOrderId: VENUE_ID, filledQty: NO_QTY, leavesQty: contracts(10) };
    this.#receive({ kind: 'order-accepted', exchangeAt: null, isFinished: false, ...accepted });
  }

  get #order() {
    return must(this.#state.orders.get(ID), 'the order');
  }

  #tick(): Micros {
    return after((this.#now += 1));
  }

  #receive(message: Message): void {
    this.#state.applyEvent({ ...message, at: this.#tick() }, []);
  }

  take({ what, choice }: Step): void {
    switch (what) {
      case 'amend':
      case 'decrease':
      case 'cancel':
        return this.#ask(what, choice);
      case 'execute':
        return this.#execute(choice);
      case 'answer':
        return this.#receiveFrom(this.#answers, choice);
      case 'feed':
        return this.#receiveFrom(this.#feed, 0);
      case 'trade':
        return this.#trade(choice);
      case 'ask-list':
        return void this.#lists.push(this.#listOf(this.#tick()));
      case 'list':
        return this.#receiveFrom(this.#lists, choice);
    }
  }

  #receiveFrom(messages: Message[], choice: number): void {
    const [message] = messages.splice(choice % Math.max(1, messages.length), 1);
    if (message !== undefined) this.#receive(message);
  }

  /** Requests a change as the engine does: one amend or decrease at a time, and a cancel at any time. */
  #ask(type: Request['type'], choice: number): void {
    const { state, amend, filledQty, price } = this.#order;
    const { orders } = this.#state;
    if (isFinished(state) || orders.isAwaitingFills(ID)) return;
    if (type === 'cancel') {
      orders.applyChange(ID, 'request-cancel', this.#tick());
      return void this.#requests.push({ type });
    }
    if (state !== 'working' || amend !== null || this.#requests.length + this.#answers.length > 0) return;
    if (type === 'decrease') {
      const leaves = 1 + (choice % 5);
      if (contracts(leaves) >= leavesQty(this.#order)) return;
      this.#requests.push({ type, leaves });
    } else {
      const asked = { price: 38 + (choice % 5), total: filledQty / 100 + 1 + (choice % 20) };
      if (cents(asked.price) === price && contracts(asked.total) === this.#order.qty) return;
      orders.recordAmend(ID, { price: cents(asked.price), qty: contracts(asked.total) });
      this.#requests.push({ type, ...asked });
    }
    orders.applyChange(ID, 'request-amend', this.#tick());
  }

  /** The venue carries out a request. One answer in five is lost, half of these together with the request. */
  #execute(choice: number): void {
    const [request] = this.#requests.splice(choice % Math.max(1, this.#requests.length), 1);
    if (request === undefined) return;
    const lost = {
      kind: request.type === 'cancel' ? 'cancel-lost' : 'amend-lost',
      clientOrderId: ID,
      reason: '',
    } as const;
    if (choice % 10 === 0) return void this.#answers.push(lost);
    const answer = this.#carryOut(request);
    this.#answers.push(choice % 10 === 1 ? lost : answer);
  }

  #carryOut(request: Request): Message {
    const refusal = request.type === 'cancel' ? 'cancel-refused' : 'amend-refused';
    const refused = { kind: refusal, clientOrderId: ID, code: 'not_found' } as const;
    if (this.#status !== 'working') return refused;
    const left = this.#total - this.#filled;
    switch (request.type) {
      case 'cancel':
        this.#status = 'canceled';
        this.#publish();
        return { kind: 'cancel-accepted', clientOrderId: ID, reducedBy: contracts(left) };
      case 'decrease':
        if (request.leaves > left) return refused;
        this.#total = this.#filled + request.leaves;
        this.#publish();
        return this.#amended({ price: null, leavesQty: contracts(request.leaves) });
      case 'amend': {
        if (request.total <= this.#filled) this.#status = 'canceled';
        else [this.#price, this.#total] = [request.price, request.total];
        this.#publish();
        const leaves = this.#status === 'working' ? this.#total - this.#filled : 0;
        const size = { filledQty: contracts(this.#filled), leavesQty: contracts(leaves) };
        return this.#amended({ price: cents(this.#price), ...size });
      }
    }
  }

  #amended(terms: Pick<Extract<Message, { kind: 'amend-accepted' }>, 'price' | 'filledQty' | 'leavesQty'>): Message {
    return { kind: 'amend-accepted', clientOrderId: ID, exchangeAt: after(this.#venueNow), ...terms };
  }

  #trade(choice: number): void {
    if (this.#status !== 'working') return;
    const size = 1 + (choice % (this.#total - this.#filled));
    this.#filled += size;
    this.#trades += 1;
    if (this.#filled === this.#total) this.#status = 'filled';
    const fill: FillReport = aFill({
      tradeId: tradeId(`t-${this.#trades}`),
      price: cents(this.#price),
      qty: contracts(size),
    });
    this.#feed.push({ kind: 'fill', fill });
    this.#publish();
  }

  #publish(): void {
    this.#venueNow += 1;
    this.#feed.push({ kind: 'order-updated', order: this.#report() });
  }

  #report(): OrderReport {
    const left = this.#status === 'working' ? this.#total - this.#filled : 0;
    return aReport({
      status: this.#status,
      price: cents(this.#price),
      filledQty: contracts(this.#filled),
      leavesQty: contracts(left),
      updatedAt: after(this.#venueNow),
      reason: this.#status === 'canceled' ? 'user' : null,
    });
  }

  #listOf(askedAt: Micros): Message {
    return { kind: 'orders', askedAt, commandId: 1, rows: [this.#report()], cursor: null };
  }

  /** The quantities that the limits count, and that the venue may fill; the price of the order while it rests. */
  figures() {
    const order = this.#order;
    const held = this.#state.portfolio.position(M0).qty;
    return {
      counted: isFinished(order.state) ? held : held + countedLeaves(order),
      mayFill: contracts(this.#status === 'working' ? this.#total : this.#filled),
      countedPrice: isFinished(order.state) ? null : countedPrice(order),
      price: this.#status === 'working' ? cents(this.#price) : null,
    };
  }

  /** Delivers all that is on its way, and a lookup. Returns what the state then shows, and the truth. */
  settle() {
    while (this.#requests.length > 0) this.#execute(5);
    for (const messages of [this.#answers, this.#feed]) while (messages.length > 0) this.#receiveFrom(messages, 0);
    this.#receive({ kind: 'order-found', askedAt: this.#tick(), commandId: 1, order: this.#report() });
    this.#receive(this.#listOf(this.#tick()));
    return { isOver: isFinished(this.#order.state), isOverAtVenue: this.#status !== 'working', ...this.figures() };
  }
}

const steps = fc.array(fc.record({ what: fc.constantFrom(...STEPS), choice: fc.nat(99) }), {
  minLength: 20,
  maxLength: 60,
  size: 'max',
});

it('the limits count at least what an amended order may fill, whatever overtakes what', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const model = new Model();
      for (const step of taken) {
        model.take(step);
        const { counted, mayFill, countedPrice: dearest, price } = model.figures();
        expect(counted).toBeGreaterThanOrEqual(mayFill);
        if (price !== null) expect(dearest ?? qty(0)).toBeGreaterThanOrEqual(price);
      }
      const { isOver, isOverAtVenue, counted, mayFill } = model.settle();
      expect(isOver).toBe(isOverAtVenue);
      expect(counted).toBeGreaterThanOrEqual(mayFill);
      if (isOverAtVenue) expect(counted).toBe(mayFill);
    }),
    { numRuns: 1500 },
  );
});
