// Where our orders stand in their queues, by books and prints alone, beside a venue that knows every order in its place.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/order.ts';
import { type Micros, type Price, type Qty, cents, contracts, micros, qty } from '../../src/domain/units.ts';
import type { StateChange } from '../../src/state/change.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, M0, aMarket, aPlace, aReport, levels, tickerTable } from '../support/engine/builders.ts';
import { runs } from '../support/runs.ts';

const AT = cents(40);

/** A state with one live book, and the time. */
class Scene {
  readonly state = new State(tickerTable(1));
  now: Micros = BEGIN;
  #count = 0;

  constructor(bids = levels([40, 10]), asks = levels([60, 10])) {
    this.tell({ kind: 'market', market: aMarket(0) });
    this.tell({ kind: 'book-snapshot', exchangeAt: null, market: M0, bids, asks });
  }

  tell(event: EngineEvent extends infer E ? (E extends EngineEvent ? Omit<E, 'at'> : never) : never): void {
    const changes: StateChange[] = [];
    this.now = micros(this.now + 1000);
    this.state.apply({ ...event, at: this.now }, changes);
    for (const change of changes) if (change.type === 'order') this.state.queue.changed(change.order);
  }

  /** An order of ours comes to rest. */
  order(over: Partial<Parameters<typeof aPlace>[0]> = {}): ReturnType<State['orders']['add']> {
    const id = clientOrderId(`c-${(this.#count += 1)}`);
    const order = this.state.orders.add(aPlace({ clientOrderId: id, ...over }), '');
    this.state.orders.move(id, 'send', this.now);
    const { qty: size } = order;
    this.tell({
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
    this.tell({
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
    this.tell({ kind: 'book-delta', exchangeAt: null, market: M0, side: 'bid', price, change: qty(change) });
  }

  ahead = (order: ReturnType<Scene['order']>): readonly [Qty, string] | null => {
    const place = this.state.queue.of(order);
    return place === null ? null : [place.aheadQty, place.source];
  };
}

describe('the place of an order', () => {
  it('is behind everything that is at its price when it comes', () => {
    const scene = new Scene();
    expect(scene.ahead(scene.order())).toEqual([1000, 'reckoned']);
    expect(scene.ahead(scene.order({ side: 'sell', price: cents(61) }))).toEqual([0, 'reckoned']);
  });

  it('moves up by prints at its price, of takers of the other side', () => {
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

  it('moves up by withdrawals only where nothing else can be', () => {
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

  it('counts a trade once, whether its print or its level is told first', () => {
    const scene = new Scene();
    const order = scene.order();
    scene.level(-300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.print(300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    // What went long before is not what was traded now.
    scene.level(-200);
    expect(scene.ahead(order)).toEqual([500, 'reckoned']);
    scene.now = micros(scene.now + 2_000_000);
    scene.print(100);
    expect(scene.ahead(order)).toEqual([400, 'reckoned']);
  });

  it('counts our own older orders at the price', () => {
    const scene = new Scene();
    scene.order({ qty: contracts(3) });
    expect(scene.ahead(scene.order())).toEqual([1300, 'reckoned']);
  });

  it('is not moved by a print that may be older than the order', () => {
    const scene = new Scene();
    const order = scene.order();
    const before = { kind: 'print', exchangeAt: BEGIN, market: M0, side: 'sell', price: AT, qty: qty(300) } as const;
    scene.tell({ ...before, tradeId: 'late' as never });
    scene.print(300, { isTimed: false });
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
  });

  it('is not moved by a print that is within what the clocks may differ', () => {
    const scene = new Scene();
    // The venue tells whole seconds: it may be up to one ahead.
    scene.tell({ kind: 'answered', commandId: 1, ok: true, clockOffset: 0, askedAt: scene.now });
    const order = scene.order();
    scene.print(300);
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
    scene.now = micros(scene.now + 1_200_000);
    scene.print(300);
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
  });

  it('is what the venue says, and goes on from there', () => {
    const scene = new Scene();
    const order = scene.order();
    const rows = [
      { venueOrderId: order.venueOrderId!, aheadQty: contracts(4) },
      { venueOrderId: venueOrderId('nobody'), aheadQty: contracts(1) },
    ];
    scene.tell({ kind: 'queue-positions', askedAt: scene.now, commandId: 1, rows });
    expect(scene.ahead(order)).toEqual([400, 'venue']);
    scene.print(100);
    expect(scene.ahead(order)).toEqual([300, 'reckoned']);
  });

  it('is kept by an order that shrinks, and lost by one that the venue has moved', () => {
    const scene = new Scene(levels([41, 2], [40, 10]));
    const order = scene.order();
    scene.print(300);
    scene.state.orders.amend(order.clientOrderId, { qty: contracts(4) });
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.state.orders.amend(order.clientOrderId, { price: cents(41) });
    expect(scene.ahead(order)).toEqual([200, 'reckoned']);
    scene.state.orders.amend(order.clientOrderId, { price: AT });
    expect(scene.ahead(order)).toEqual([1000, 'reckoned']);
  });

  it('is unknown while the order does not rest, or its book is not known', () => {
    const scene = new Scene();
    scene.tell({ kind: 'feed-gap', markets: [], reason: 'lost' });
    const order = scene.order();
    expect(scene.ahead(order)).toBeNull();
    scene.tell({ kind: 'book-snapshot', exchangeAt: null, market: M0, bids: levels([40, 7]), asks: [] });
    expect(scene.ahead(order)).toEqual([700, 'reckoned']);
    scene.tell({ kind: 'order-updated', order: aReport({ venueOrderId: order.venueOrderId!, status: 'canceled' }) });
    expect(scene.ahead(order)).toBeNull();
    expect(scene.state.queue.size).toBe(0);
  });
});

/** A queue at one price as a venue has it, every order in its place, and what a state is told of it. */
class TrueQueue {
  readonly #scene: Scene;
  readonly #queue: { readonly isOurs: boolean; size: number }[];
  readonly #order: ReturnType<Scene['order']>;
  /** Whether nobody has withdrawn: then everything is told. */
  isTold = true;

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

  get told(): number {
    return this.#scene.state.queue.of(this.#order)!.aheadQty;
  }

  join(size: number): void {
    this.#queue.push({ isOurs: false, size });
    this.#scene.level(size);
  }

  leave(which: number): void {
    const others = this.#queue.filter(({ isOurs }) => !isOurs);
    const gone = others[which % Math.max(1, others.length)];
    if (!gone) return;
    this.isTold = false;
    this.#queue.splice(this.#queue.indexOf(gone), 1);
    this.#scene.level(-gone.size);
  }

  /** Only with those before us: what reaches us ends the story. */
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

describe('beside a venue that knows', () => {
  it('never says too little, nor more than the level holds, and is exact where nobody withdraws', () => {
    const ran = fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }),
      fc.array(move, { maxLength: 40 }),
      (first, moves) => {
        const queue = new TrueQueue(first);
        for (const { type, number } of moves) {
          if (type === 'join') queue.join(number * 100);
          if (type === 'leave') queue.leave(number);
          if (type === 'trade') queue.trade(number * 100);
          // Not asking loses nothing but what a level showed meanwhile.
          if (type === 'trade' && queue.ahead > 0) continue;
          expect(queue.told).toBeGreaterThanOrEqual(queue.ahead);
          expect(queue.told).toBeLessThanOrEqual(queue.total);
          if (queue.isTold) expect(queue.told).toBe(queue.ahead);
        }
      },
    );
    fc.assert(ran, { numRuns: runs(200) });
  });
});
