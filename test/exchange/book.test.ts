// The book's data structure: slots, queues, totals and best prices under many random changes.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFault } from '../../src/domain/assert.ts';
import { ASK, BID, Book, NONE } from '../../src/exchange/book.ts';

const CELLS = 8;

describe("the exchange's book", () => {
  it('queues orders of one level in arrival order', () => {
    const book = new Book<string>(CELLS);
    const slots = ['a', 'b', 'c'].map((name) => book.add(book.levelOf(BID, 3), 5, name));
    book.remove(slots[1] ?? NONE);
    const first = book.firstAt(BID, 3);
    expect([book.itemOf(first), book.itemOf(book.after(first))]).toEqual(['a', 'c']);
    expect(book.queueAhead(slots[2] ?? NONE)).toBe(5);
    expect(book.totalAt(BID, 3)).toBe(10);
  });

  it('is empty at first and after its last order is removed', () => {
    const book = new Book<string>(CELLS);
    const slot = book.add(book.levelOf(ASK, 4), 1, 'a');
    expect([book.bestBid, book.bestAsk, book.size]).toEqual([-1, 4, 1]);
    book.reduce(slot, 1);
    expect([book.bestBid, book.bestAsk, book.size]).toEqual([-1, CELLS, 0]);
    expect(book.hasCell(book.firstCell(BID)) || book.hasCell(book.firstCell(ASK))).toBe(false);
  });

  it('reuses slots and grows when none is free', () => {
    const book = new Book<number>(CELLS);
    for (let round = 0; round < 3; round++) {
      const slots = Array.from({ length: 1000 }, (_, at) => book.add(book.levelOf(BID, at % CELLS), at + 1, at));
      expect(Math.max(...slots)).toBe(999);
      for (const [at, slot] of slots.entries()) expect([book.itemOf(slot), book.leavesOf(slot)]).toEqual([at, at + 1]);
      for (const slot of slots) book.remove(slot);
    }
    expect(book.size).toBe(0);
  });

  it.each([
    { name: 'a cell outside the book', act: (book: Book<string>) => book.levelOf(BID, CELLS) },
    { name: 'nothing', act: (book: Book<string>) => book.add(0, 0, 'a') },
    { name: 'a reduction by more than rests', act: (book: Book<string>) => book.reduce(book.add(0, 3, 'a'), 4) },
    { name: 'the removal of an empty slot', act: (book: Book<string>) => book.remove(0) },
  ])('asserts against $name', ({ act }) => {
    expect(() => act(new Book<string>(CELLS))).toThrow(AssertionFault);
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
        const book = new Book<Plain>(CELLS);
        const plain: Plain[] = [];
        for (const [what, { side, cell, qty, pick }] of list) {
          const order = plain[pick % Math.max(1, plain.length)];
          if (what === 'add') {
            const added: Plain = { side, cell, leaves: qty, slot: NONE };
            added.slot = book.add(book.levelOf(side, cell), qty, added);
            plain.push(added);
          } else if (order !== undefined) {
            const by = what === 'remove' ? order.leaves : Math.min(qty, order.leaves);
            if (what === 'remove') book.remove(order.slot);
            else book.reduce(order.slot, by);
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

function expectSame(book: Book<Plain>, plain: readonly Plain[]): void {
  expect(book.size).toBe(plain.length);
  expect(book.bestBid).toBe(Math.max(-1, ...plain.filter((order) => order.side === BID).map((order) => order.cell)));
  expect(book.bestAsk).toBe(Math.min(CELLS, ...plain.filter((order) => order.side === ASK).map((order) => order.cell)));
  for (const side of [BID, ASK] as const)
    for (let cell = 0; cell < CELLS; cell++) {
      const queue: Plain[] = [];
      for (let slot = book.firstAt(side, cell); slot !== NONE; slot = book.after(slot)) queue.push(book.itemOf(slot));
      const expected = plain.filter((order) => order.side === side && order.cell === cell);
      expect(queue).toEqual(expected);
      expect(book.totalAt(side, cell)).toBe(expected.reduce((sum, order) => sum + order.leaves, 0));
    }
}
