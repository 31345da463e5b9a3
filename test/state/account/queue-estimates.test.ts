// Queue estimates of our orders, from books and prints alone, against a venue that knows every order's place.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Side } from '../../../src/domain/orders/order.ts';
import { type Micros, type Price, type Qty, cents, contracts, micros, qty } from '../../../src/domain/units.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, M0, aMarket, aPlace, aReport, levels, tickerTable } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const AT = cents(40);

/** A state with one live book, and the time. */
class Scene {
  readonly state = new State(tickerTable(1));
  now: Micros = BEGIN;
  #count = 0;

  constructor(bids = levels([40, 10]), asks = levels([60, 10])) {
    this.apply({ kind: 'market', market: aMarket(0) });
    this.apply({ kind: 'book-snapshot', exchangeAt: null, market: M0, bids, asks });
  }

  apply(event: EngineEvent extends infer E ? (E extends EngineEvent ? Omit<E, 'at'> : never) : never): void {
    const changes: StateChange[] = [];
    this.now = micros(this.now + 1000);
    this.state.applyEvent({ ...event, at: this.now }, changes);
    for (const change of changes) if (change.type === 'order') this.state.queueEstimates.onOrderChange(change.order);
  }

  /** An order of ours comes to rest. */
  order(over: Partial<Parameters<typeof aPlace>[0]> = {}): ReturnType<State['orders']['addOrder']> {
    const id = clientOrderId(`c-${(this.#count += 1)}`);
    const order = this.state.orders.addOrder(aPlace({ clientOrderId: id, ...over }), '');
    this.state.orders.applyChange(id, 'send', this.now);
    const { qty: size } = order;
    this.apply({
      kind: 'order-accepted',
      exchangeAt: null,
      clientOrderId: id,
      venueOrderId: venueOrderId(`v-${this.#count}`),
      filledQty: qty(0),
      leavesQty: size,
      isFinished: false,
    });
    return order;
  }

  print(
    size: number,
    { side = 'sell', price = AT, isTimed = true }: { side?: Side; price?: Price; isTimed?: boolean } = {},
  ): void {
    const tradeId = `t-${(this.#count += 1)}` as never;
    this.now = micros(this.now + 1000);
    this.apply({
      kind: 'print',
      exchangeAt: isTimed ? this.now : null,
      market: M0,
      tradeId,
      side,
      price,
      qty: qty(size),
    });
  }

  level(change: number, price: Price = AT): void {
    this.apply({ kind: 'book-delta', exchangeAt: null, market: M0, side: 'bid', price, change: qty(change) });
  }

  ahead = (order: ReturnType<Scene['order']>): readonly [Qty, string] | null => {
    const place = this.state.queueEstimates.estimateFor(order);
    return place === null ? null : [place.aheadQty, place.source];
  };
}

describe('the queue estimate of an amended order', () => {
  /** Ten rest at 40 and 41; our five at 40 have six ahead of them. */
  function scene(): { scene: Scene; order: ReturnType<Scene['order']>; amend: (price: Price, size: number) => void } {
    const made = new Scene(levels([41, 10], [40, 10]));
    const order = made.order({ qty: contracts(5) });
    made.print(400);
    expect(made.ahead(order)?.[0]).toBe(600);
    const amend = (price: Price, size: number): void => {
      made.state.orders.recordAmend(order.clientOrderId, { price, qty: contracts(size) });
      made.state.orders.applyChange(order.clientOrderId, 'request-amend', made.now);
      const { clientOrderId: id, filledQty } = order;
      const leavesQty = contracts(size);
      made.apply({ kind: 'amend-accepted', clientOrderId: id, price, filledQty, leavesQty });
    };
    return { scene: made, order, amend };
  }

  it('keeps the place of an order that only shrinks, also when it later trades', () => {
    const { scene: made, order, amend } = scene();
    amend(AT, 3);
    expect(made.ahead(order)?.[0]).toBe(600);
  });
  it.each([
    { what: 'a larger quantity', price: AT, size: 6 },
    { what: 'another price', price: cents(41), size: 5 },
  ])('puts an order with $what behind everything at its price', ({ price, size }) => {
    const { scene: made, order, amend } = scene();
    amend(price, size);
    expect(made.ahead(order)?.[0]).toBe(1000);
  });
  it('does not find the old place again at the old price', () => {
    const { scene: made, order, amend } = scene();
    amend(cents(41), 5);
    amend(AT, 5);
    expect(made.ahead(order)?.[0]).toBe(1000);
  });
  it('does not find the old place again after it has shrunk and grown', () => {
    const { scene: made, order, amend } = scene();
    amend(AT, 2);
    amend(AT, 4);
    expect(made.ahead(order)?.[0]).toBe(1000);
  });
  it('puts a moved order behind a newer order of ours at its new price', () => {
    const { scene: made, order, amend } = scene();
    made.order({ qty: contracts(7), price: cents(41) });
    amend(cents(41), 5);
    expect(made.ahead(order)?.[0]).toBe(1700);
  });
});

describe('the queue estimate of an order', () => {
  it('a new order is behind everything at its price', () => {
    const scene = new Scene();
    expect(scene.ahead(scene.order())).toEqual([1000, 'reckoned']);
    expect(scene.ahead(scene.order({ side: 'sell', price: cents(61) }))).toEqual([0, 'reckoned']);
  });

  it('prints at the price by takers of the other side move the order up', () => {
    const scene = new Scene(levels([40, 10], [39, 5]));
    const order = scene.order();
    scene.print(300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.print(200, { side: 'buy' });
    scene.print(200, { price: cents(39) });
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.print(900);
    expect(scene.ahead(order)).toEqual([0, 'reckoned']);
  });

  it('cancels move the order up only where nothing else is possible', () => {
    const scene = new Scene();
    const order = scene.order();
    scene.level(500);
    scene.level(-500);
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
    scene.level(-400);
    expect(scene.ahead(order)).toEqual([600, 'reckoned']);
    scene.level(400);
    expect(scene.ahead(order)).toEqual([600, 'reckoned']);
  });

  it('can be read without a change: a level that shrinks and grows again leaves it as it was', () => {
    const [read, unread] = [new Scene(), new Scene()];
    const [order, other] = [read.order(), unread.order()];
    for (const scene of [read, unread]) scene.level(-400);
    expect(read.state.queueEstimates.peekEstimate(order)).toEqual({ aheadQty: 600, source: 'reckoned' });
    for (const scene of [read, unread]) scene.level(400);
    expect(read.state.queueEstimates.peekEstimate(order)).toEqual({ aheadQty: 1000, source: 'reckoned' });
    expect(read.ahead(order)).toEqual(unread.ahead(other));
  });

  it('a trade counts once, whether its print or its level change arrives first', () => {
    const scene = new Scene();
    const order = scene.order();
    scene.level(-300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.print(300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    // A decrease from long before is not this trade.
    scene.level(-200);
    expect(scene.ahead(order)).toEqual([500, 'reckoned']);
    scene.now = micros(scene.now + 2_000_000);
    scene.print(100);
    expect(scene.ahead(order)).toEqual([400, 'reckoned']);
  });

  it('our own older orders at the price count as ahead', () => {
    const scene = new Scene();
    scene.order({ qty: contracts(3) });
    expect(scene.ahead(scene.order())).toEqual([1300, 'reckoned']);
  });

  it('a print that may be older than the order does not move it', () => {
    const scene = new Scene();
    const order = scene.order();
    const before = { kind: 'print', exchangeAt: BEGIN, market: M0, side: 'sell', price: AT, qty: qty(300) } as const;
    scene.apply({ ...before, tradeId: 'late' as never });
    scene.print(300, { isTimed: false });
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
  });

  it('a print within the clock uncertainty does not move the order', () => {
    const scene = new Scene();
    // The venue gives whole seconds: it may be up to one ahead.
    scene.apply({ kind: 'answered', commandId: 1, ok: true, clockOffset: 0, askedAt: scene.now });
    const order = scene.order();
    scene.print(300);
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
    scene.now = micros(scene.now + 1_200_000);
    scene.print(300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
  });

  it('the venue’s own figure replaces the estimate, and later prints count from there', () => {
    const scene = new Scene();
    const order = scene.order();
    const rows = [
      { venueOrderId: order.venueOrderId!, aheadQty: contracts(4) },
      { venueOrderId: venueOrderId('unknown'), aheadQty: contracts(1) },
    ];
    scene.apply({ kind: 'queue-positions', askedAt: scene.now, commandId: 1, rows });
    expect(scene.ahead(order)).toEqual([400, 'venue']);
    scene.print(100);
    expect(scene.ahead(order)).toEqual([300, 'reckoned']);
  });

  it('an order that shrinks keeps its estimate, and one that the venue re-priced loses it', () => {
    const scene = new Scene(levels([41, 2], [40, 10]));
    const order = scene.order();
    const since = { at: BEGIN, exchangeAt: null };
    scene.print(300);
    scene.state.orders.applyTerms(order.clientOrderId, { qty: contracts(4) }, since);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.state.orders.applyTerms(order.clientOrderId, { price: cents(41) }, since);
    expect(scene.ahead(order)).toEqual([200, 'reckoned']);
    scene.state.orders.applyTerms(order.clientOrderId, { price: AT }, since);
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
  });

  it('the estimate is unknown while the order does not rest, or its book is not live', () => {
    const scene = new Scene();
    scene.apply({ kind: 'feed-gap', markets: [], reason: 'lost' });
    const order = scene.order();
    expect(scene.ahead(order)).toBeNull();
    scene.apply({ kind: 'book-snapshot', exchangeAt: null, market: M0, bids: levels([40, 7]), asks: [] });
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.apply({ kind: 'order-updated', order: aReport({ venueOrderId: order.venueOrderId!, status: 'canceled' }) });
    expect(scene.ahead(order)).toBeNull();
    expect(scene.state.queueEstimates.size).toBe(0);
  });
});

/** A queue at one price as the venue has it, every order in its place, and the messages a state receives about it. */
class TrueQueue {
  readonly #scene: Scene;
  readonly #queue: { readonly isOurs: boolean; size: number }[];
  readonly #order: ReturnType<Scene['order']>;
  /** True while no one has canceled: then every change is reported. */
  isExact = true;

  constructor(first: readonly number[]) {
    this.#queue = first.map((size) => ({ isOurs: false, size: size * 100 }));
    this.#scene = new Scene(this.total > 0 ? [[AT, qty(this.total)]] : []);
    this.#order = this.#scene.order();
    this.#queue.push({ isOurs: true, size: 100 });
  }

  get total(): number {
    return this.#queue.reduce((sum, { isOurs, size }) => sum + (isOurs ? 0 : size), 0);
  }

  get ahead(): number {
    const place = this.#queue.findIndex(({ isOurs }) => isOurs);
    return this.#queue.slice(0, place).reduce((sum, { size }) => sum + size, 0);
  }

  get estimate(): number {
    const { queueEstimates } = this.#scene.state;
    const peeked = queueEstimates.peekEstimate(this.#order);
    const estimate = queueEstimates.estimateFor(this.#order)!;
    expect(peeked?.aheadQty).toBe(estimate.aheadQty);
    return estimate.aheadQty;
  }

  join(size: number): void {
    this.#queue.push({ isOurs: false, size });
    this.#scene.level(size);
  }

  leave(which: number): void {
    const others = this.#queue.filter(({ isOurs }) => !isOurs);
    const gone = others[which % Math.max(1, others.length)];
    if (!gone) return;
    this.isExact = false;
    this.#queue.splice(this.#queue.indexOf(gone), 1);
    this.#scene.level(-gone.size);
  }

  /** Only with orders ahead of ours: when the queue reaches us, the history ends. */
  trade(most: number): void {
    const size = Math.min(most, this.ahead);
    if (size === 0) return;
    for (let left = size; left > 0; left -= this.#takeFirst(left));
    this.#scene.print(size);
    this.#scene.level(-size);
  }

  #takeFirst(most: number): number {
    const head = this.#queue[0]!;
    const taken = Math.min(most, head.size);
    head.size -= taken;
    if (head.size === 0) this.#queue.shift();
    return taken;
  }
}

const move = fc.record({
  type: fc.constantFrom('join', 'leave', 'trade', 'ask'),
  number: fc.integer({ min: 1, max: 20 }),
});

describe('queue estimates against a venue’s queue', () => {
  it('the estimate is never too small nor above the level, and exact where no one cancels', () => {
    const ran = fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }),
      fc.array(move, { maxLength: 40 }),
      (first, moves) => {
        const queue = new TrueQueue(first);
        for (const { type, number } of moves) {
          if (type === 'join') queue.join(number * 100);
          if (type === 'leave') queue.leave(number);
          if (type === 'trade') queue.trade(number * 100);
          // Skipping a query loses only what a level showed meanwhile.
          if (type === 'trade' && queue.ahead > 0) continue;
          expect(queue.estimate).toBeGreaterThanOrEqual(queue.ahead);
          expect(queue.estimate).toBeLessThanOrEqual(queue.total);
          if (queue.isExact) expect(queue.estimate).toBe(queue.ahead);
        }
      },
    );
    fc.assert(ran, { numRuns: runCount(200) });
  });
});
