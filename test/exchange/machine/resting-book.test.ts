// The book's data structure: slots, queues, totals and best prices under many random changes.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../../src/base/assert.ts';
import { ASK, BID, RestingBook, NONE } from '../../../src/exchange/machine/resting-book.ts';

const CELLS = 8;

describe("the exchange's book", () => {
  it('queues orders of one level in arrival order', () => {
    const book = new RestingBook<string>(CELLS);
    const slots = ['a', 'b', 'c'].map((name) => book.addOrder(book.levelOf(BID, 3), 5, name));
    book.removeOrder(slots[1] ?? NONE);
    const first = book.firstSlotAt(BID, 3);
    expect([book.itemOf(first), book.itemOf(book.nextSlot(first))]).toEqual(['a', 'c']);
    expect(book.qtyAhead(slots[2] ?? NONE)).toBe(5);
    expect(book.totalAt(BID, 3)).toBe(10);
  });

  it('is empty at first and after its last order is removed', () => {
    const book = new RestingBook<string>(CELLS);
    const slot = book.addOrder(book.levelOf(ASK, 4), 1, 'a');
    expect([book.bestBid, book.bestAsk, book.size]).toEqual([-1, 4, 1]);
    book.reduceOrder(slot, 1);
    expect([book.bestBid, book.bestAsk, book.size]).toEqual([-1, CELLS, 0]);
    expect(book.hasCell(book.firstCell(BID)) || book.hasCell(book.firstCell(ASK))).toBe(false);
  });

  it('reuses slots and grows when none is free', () => {
    const book = new RestingBook<number>(CELLS);
    for (let round = 0; round < 3; round++) {
      const slots = Array.from({ length: 1000 }, (_, at) => book.addOrder(book.levelOf(BID, at % CELLS), at + 1, at));
      expect(Math.max(...slots)).toBe(999);
      for (const [at, slot] of slots.entries()) expect([book.itemOf(slot), book.leavesOf(slot)]).toEqual([at, at + 1]);
      for (const slot of slots) book.removeOrder(slot);
    }
    expect(book.size).toBe(0);
  });

  it.each([
    { name: 'a cell outside the book', act: (book: RestingBook<string>) => book.levelOf(BID, CELLS) },
    { name: 'nothing', act: (book: RestingBook<string>) => book.addOrder(0, 0, 'a') },
    {
      name: 'a reduction by more than rests',
      act: (book: RestingBook<string>) => book.reduceOrder(book.addOrder(0, 3, 'a'), 4),
    },
    { name: 'the removal of an empty slot', act: (book: RestingBook<string>) => book.removeOrder(0) },
  ])('asserts against $name', ({ act }) => {
    expect(() => act(new RestingBook<string>(CELLS))).toThrow(AssertionFault);
  });

  it('agrees with a plain list after any sequence of changes', () => {
    const change = fc.record({
      side: fc.constantFrom(BID, ASK),
      cell: fc.nat(CELLS - 1),
      qty: fc.integer({ min: 1, max: 9 }),
      pick: fc.nat(),
    });
    const changes = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'remove', 'reduce'), change), {
      size: 'max',
      maxLength: 120,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const book = new RestingBook<Plain>(CELLS);
        const plain: Plain[] = [];
        for (const [what, { side, cell, qty, pick }] of list) {
          const order = plain[pick % Math.max(1, plain.length)];
          if (what === 'add') {
            const added: Plain = { side, cell, leaves: qty, slot: NONE };
            added.slot = book.addOrder(book.levelOf(side, cell), qty, added);
            plain.push(added);
          } else if (order !== undefined) {
            const by = what === 'remove' ? order.leaves : Math.min(qty, order.leaves);
            if (what === 'remove') book.removeOrder(order.slot);
            else book.reduceOrder(order.slot, by);
            order.leaves -= by;
            if (order.leaves === 0) plain.splice(plain.indexOf(order), 1);
          }
          expectSame(book, plain);
        }
      }),
    );
  });
});

interface Plain {
  readonly side: typeof BID | typeof ASK;
  readonly cell: number;
  leaves: number;
  slot: number;
}

function expectSame(book: RestingBook<Plain>, plain: readonly Plain[]): void {
  expect(book.size).toBe(plain.length);
  expect(book.bestBid).toBe(Math.max(-1, ...plain.filter((order) => order.side === BID).map((order) => order.cell)));
  expect(book.bestAsk).toBe(Math.min(CELLS, ...plain.filter((order) => order.side === ASK).map((order) => order.cell)));
  for (const side of [BID, ASK] as const)
    for (let cell = 0; cell < CELLS; cell++) {
      const queue: Plain[] = [];
      for (let slot = book.firstSlotAt(side, cell); slot !== NONE; slot = book.nextSlot(slot))
        queue.push(book.itemOf(slot));
      const expected = plain.filter((order) => order.side === side && order.cell === cell);
      expect(queue).toEqual(expected);
      expect(book.totalAt(side, cell)).toBe(expected.reduce((sum, order) => sum + order.leaves, 0));
    }
}
