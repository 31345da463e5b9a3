// One sequence of blocks, two readers at their own pace: each sees what a single reader with fresh memory would see,
// although the source overwrites all memory that it gets back.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowCursor } from '../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../backtest/shared-blocks.ts';
import { TickerTable } from '../../src/domain/ids.ts';
import {
  NO_VENUE_TIME,
  type RowBlock,
  RowKind,
  type RowRange,
  type RowSource,
} from '../../src/tape/baked/tape-rows.ts';

interface Row {
  readonly kind: RowKind;
  readonly at: number;
  readonly venueAt: number;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
}

/** Eight bytes per column of a row, so that all columns are aligned. */
const COLUMNS = 6;
const GARBAGE = 0xa5;

/**
 * Rows in blocks of given lengths, in memory filled with garbage before a block is written to it; or each in its own
 * memory.
 */
class OverwritingSource implements RowSource {
  readonly tickers = new TickerTable();
  readonly memories = new Set<ArrayBuffer>();
  isEnded = false;
  readonly #blocks: readonly (readonly Row[])[];

  readonly #isShared: boolean;

  constructor(blocks: readonly (readonly Row[])[], isShared = true) {
    this.#blocks = blocks;
    this.#isShared = isShared;
  }

  get facts(): never {
    throw new Error('facts are not used');
  }

  close(): void {}

  *readBlocks({ memory: room }: RowRange = {}): Generator<RowBlock> {
    try {
      for (const rows of this.#blocks) {
        const bytes = rows.length * COLUMNS * Float64Array.BYTES_PER_ELEMENT;
        const reused = this.#isShared ? room?.bufferOf(bytes) : undefined;
        const memory = reused ?? new ArrayBuffer(bytes);
        this.memories.add(memory);
        new Uint8Array(memory).fill(GARBAGE);
        yield blockIn(memory, rows);
      }
    } finally {
      this.isEnded = true;
    }
  }
}

function blockIn(memory: ArrayBuffer, rows: readonly Row[]): RowBlock {
  const count = rows.length;
  const start = (column: number): number => column * count * Float64Array.BYTES_PER_ELEMENT;
  const block = {
    count,
    at: new Float64Array(memory, start(0), count),
    venueAt: new Float64Array(memory, start(1), count),
    qty: new Float64Array(memory, start(2), count),
    market: new Int32Array(memory, start(3), count),
    price: new Int32Array(memory, start(4), count),
    kind: new Uint8Array(memory, start(5), count),
    text: (row: number) => `text ${rows[row]?.at ?? ''}`,
  };
  for (const [index, { kind, at, venueAt, market, price, qty }] of rows.entries()) {
    block.kind[index] = kind;
    block.at[index] = at;
    block.venueAt[index] = venueAt;
    block.market[index] = market;
    block.price[index] = price;
    block.qty[index] = qty;
  }
  return block;
}

/** Everything that a cursor shows of its row and of the rows passed. */
const seen = (cursor: RowCursor): string => {
  const { block, row, passed, venueTime, learnedAt, recorderDelay, rowKind, market, price, qty, isOver } = cursor;
  const figures = [rowKind, market[row], price[row], qty[row], block.text(row)];
  return [passed, isOver, venueTime, learnedAt, recorderDelay, ...figures].join(' ');
};

/** Yields what a reader sees from its first row to its end, in steps of `step` rows. */
function* read(cursor: RowCursor, step: number): Generator<string> {
  while (!cursor.isOver) {
    yield seen(cursor);
    cursor.moveTo(Math.min(cursor.count, cursor.row + step));
  }
  yield seen(cursor);
}

const aRow = fc.record({
  kind: fc.constantFrom<RowKind>(RowKind.bid, RowKind.ask, RowKind.buy),
  after: fc.nat({ max: 50 }),
  late: fc.option(fc.constantFrom(0, 3, 30, -5, 70_000_000)),
  market: fc.nat({ max: 9 }),
  price: fc.nat({ max: 9999 }),
  qty: fc.integer(),
});

/** Blocks of any lengths, empty ones among them, with ascending times. */
const blocks = fc.array(fc.array(aRow, { maxLength: 6 }), { maxLength: 14 }).map((list) => {
  let at = 1_000_000_000;
  return list.map((rows) =>
    rows.map(({ after, late, ...rest }): Row => {
      at += after;
      return { ...rest, at, venueAt: late === null ? NO_VENUE_TIME : at - late };
    }),
  );
});

const blockOf = (...ats: readonly number[]): readonly Row[] =>
  ats.map((at) => ({ kind: RowKind.bid, at, venueAt: NO_VENUE_TIME, market: 0, price: 100, qty: 1 }));

describe('two readers of shared blocks', () => {
  it('two readers each see what a single reader sees, at their own pace', () => {
    fc.assert(
      fc.property(
        blocks,
        fc.array(fc.boolean()),
        fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
        (rows, turns, steps) => {
          const sharedBlocks = new SharedBlocks(new OverwritingSource(rows), {}, 2);
          const readers = steps.map((step) => read(new RowCursor(sharedBlocks), step)) as [
            Generator<string>,
            Generator<string>,
          ];
          const seenRows: [string[], string[]] = [[], []];
          const advance = (which: 0 | 1): boolean => {
            const next = readers[which].next();
            if (next.done !== true) seenRows[which].push(next.value);
            return next.done === true;
          };
          for (const isFirst of turns) advance(isFirst ? 0 : 1);
          while (!advance(1));
          while (!advance(0));
          for (const which of [0, 1] as const) {
            const alone = new RowCursor(new SharedBlocks(new OverwritingSource(rows, false), {}, 1));
            expect(seenRows[which]).toEqual([...read(alone, steps[which])]);
          }
        },
      ),
    );
  });

  it('blocks that both readers have left are reused: memory is needed for those between the readers and one more', () => {
    const source = new OverwritingSource(Array.from({ length: 40 }, (_, number) => blockOf(number, number)));
    const sharedBlocks = new SharedBlocks(source, {}, 2);
    const [first, second] = [new RowCursor(sharedBlocks), new RowCursor(sharedBlocks)];
    for (let rows = 0; rows < 6; rows++) first.nextRow();
    for (; !first.isOver; second.nextRow()) first.nextRow();
    expect(source.memories.size).toBe(5);
    while (!second.isOver) second.nextRow();
    expect(source.memories.size).toBe(5);
    expect([first.passed, second.passed]).toEqual([80, 80]);
  });

  it('no block that both readers have left is reachable', () => {
    const sharedBlocks = new SharedBlocks(
      new OverwritingSource(Array.from({ length: 12 }, (_, number) => blockOf(number))),
      {},
      2,
    );
    const [first, second] = [new RowCursor(sharedBlocks), new RowCursor(sharedBlocks)];
    for (let n = 0; n < 6; n++) first.nextRow();
    expect(sharedBlocks.firstBlock.next).toBeNull();
    const behind = second.block;
    expect(behind.next).not.toBeNull();
    for (let n = 0; n < 3; n++) second.nextRow();
    expect(behind.next).toBeNull();
    expect(second.block.next).not.toBeNull();
  });

  it('a block longer than the free memory gets new memory, and no more is kept for it', () => {
    const source = new OverwritingSource([blockOf(1), blockOf(2, 3), [], blockOf(4, 5, 6), blockOf(7), blockOf(8, 9)]);
    const sharedBlocks = new SharedBlocks(source, {}, 2);
    const [first, second] = [new RowCursor(sharedBlocks), new RowCursor(sharedBlocks)];
    const seenRows: number[] = [];
    for (; !first.isOver; first.nextRow(), second.nextRow()) seenRows.push(first.learnedAt, second.learnedAt);
    expect(seenRows).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((at) => [at, at]));
    expect(source.memories.size).toBeLessThanOrEqual(5);
  });

  it('when one reader ends the tape, the other stops where the first one was', () => {
    const source = new OverwritingSource([blockOf(1, 2), blockOf(3, 4), blockOf(5, 6)]);
    const sharedBlocks = new SharedBlocks(source, {}, 2);
    const [first, second] = [new RowCursor(sharedBlocks), new RowCursor(sharedBlocks)];
    first.moveTo(2);
    first.endTape();
    expect([first.isOver, first.passed, source.isEnded]).toEqual([true, 2, true]);
    const seenRows: number[] = [];
    for (; !second.isOver; second.nextRow()) seenRows.push(second.learnedAt);
    expect(seenRows).toEqual([1, 2, 3, 4]);
  });

  it('a row’s venue time depends on the blocks before it, even if they were left', () => {
    const rowWithVenueTime = (at: number, venueAt: number): Row => ({ ...blockOf(at)[0]!, venueAt });
    const source = new OverwritingSource([
      [rowWithVenueTime(100, 90)],
      [rowWithVenueTime(101, 80)],
      blockOf(102),
      [rowWithVenueTime(103, 70)],
    ]);
    const sharedBlocks = new SharedBlocks(source, {}, 2);
    const [first, second] = [new RowCursor(sharedBlocks), new RowCursor(sharedBlocks)];
    const times = (cursor: RowCursor): (readonly [number, number])[] => {
      const list: (readonly [number, number])[] = [];
      for (; !cursor.isOver; cursor.nextRow()) list.push([cursor.venueTime, cursor.recorderDelay]);
      return list;
    };
    expect(times(first)).toEqual([
      [90, -1],
      [90, 10],
      [102, 11],
      [102, 11],
    ]);
    expect(times(second)).toEqual([
      [90, -1],
      [90, 10],
      [102, 11],
      [102, 11],
    ]);
    expect([first.recorderDelay, second.recorderDelay]).toEqual([1, 1]);
  });
});
