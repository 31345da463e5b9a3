// A live session's own orders removed from the tape of its feed: the remainder is the book as others made it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OwnChange, tapeWithoutOwn } from '../../../backtest/parity/tape-without-own.ts';
import { SharedBlocks } from '../../../backtest/shared-blocks.ts';
import { TickerTable, ticker } from '../../../src/domain/ids.ts';
import { NO_VENUE_TIME, RowKind, type RowBlock, type RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { micros } from '../../../src/domain/units.ts';

const SECOND = 1_000_000;
type Row = { kind: RowKind; at: number; venueAt?: number; price: number; qty: number; text?: string };

function sourceOf(rows: readonly Row[]): RowSource {
  const tickers = new TickerTable();
  tickers.internTicker(ticker('M-0'));
  const block: RowBlock = {
    count: rows.length,
    kind: Uint8Array.from(rows, ({ kind }) => kind),
    at: Float64Array.from(rows, ({ at }) => at),
    venueAt: Float64Array.from(rows, ({ venueAt = NO_VENUE_TIME }) => venueAt),
    market: new Int32Array(rows.length),
    price: Int32Array.from(rows, ({ price }) => price),
    qty: Float64Array.from(rows, ({ qty }) => qty),
    text: (row) => rows[row]?.text ?? '',
  };
  const facts = {
    source: 'test',
    venue: 'test',
    from: micros(0),
    to: micros(0),
    rows: rows.length,
    counts: {},
    gaps: [],
    assumptions: [],
    sourceHash: '',
    bakerVersion: 0,
  };
  return { facts, tickers, readBlocks: () => [block], close: () => undefined };
}

const qtys = (rows: readonly Row[], own: readonly OwnChange[]): number[] =>
  [
    ...tapeWithoutOwn(sourceOf(rows), { changes: own, taken: new Set(['mine']), takenLater: SECOND / 2 }).readBlocks(),
  ].flatMap(({ qty }) => [...qty]);

const ownBid = (at: number, change: number, sentAt = 0): OwnChange => {
  return { at, sentAt, ticker: 'M-0', isBid: true, price: 4500, change };
};
const bid = (at: number, qty: number, price = 4500): Row => ({ kind: RowKind.bid, at, price, qty });

describe('own orders', () => {
  it("own changes are removed from the feed's rows, slightly before or after we learned of them", () => {
    const rows = [bid(9 * SECOND, 500), bid(10 * SECOND, 300), bid(20 * SECOND, -500)];
    expect(qtys(rows, [ownBid(9.2 * SECOND, 500), ownBid(19.9 * SECOND, -500)])).toEqual([0, 300, 0]);
  });

  it('own changes are not matched with others’ of another price, side or time', () => {
    const rows = [bid(9 * SECOND, 500, 4400), { ...bid(9 * SECOND, 500), kind: RowKind.ask }, bid(30 * SECOND, 500)];
    expect(qtys(rows, [ownBid(9 * SECOND, 500)])).toEqual([500, 500, 500]);
  });

  it('a change of the same quantity before the order left is not taken for ours', () => {
    const rows = [bid(8 * SECOND, 500), bid(8.1 * SECOND, -500), bid(9 * SECOND, 500), bid(10 * SECOND, -500)];
    const sentAt = 8.9 * SECOND;
    const own = [ownBid(9 * SECOND, 500, sentAt), ownBid(10 * SECOND, -500, sentAt)];
    expect(qtys(rows, own)).toEqual([500, -500, 0, 0]);
  });

  it('the others’ part of a trade that took both remains', () => {
    const rows = [bid(8 * SECOND, 500), bid(9 * SECOND, -800)];
    expect(qtys(rows, [ownBid(8 * SECOND, 500), ownBid(9 * SECOND, -500)])).toEqual([0, -300]);
  });

  it("others' cancellations before an order of ours rested are not taken for ours", () => {
    const rows = [bid(8 * SECOND, -800), bid(9 * SECOND, 500), bid(10 * SECOND, -500)];
    expect(qtys(rows, [ownBid(9 * SECOND, 500), ownBid(10 * SECOND, -500)])).toEqual([-800, 0, 0]);
  });

  it('own resting quantity is removed from snapshots', () => {
    const rows = [
      bid(9 * SECOND, 500),
      { kind: RowKind.bidLevel, at: 20 * SECOND, price: 4500, qty: 700 },
      { kind: RowKind.bidLevel, at: 40 * SECOND, price: 4500, qty: 200 },
    ];
    expect(qtys(rows, [ownBid(9 * SECOND, 500), ownBid(30 * SECOND, -500)])).toEqual([0, 200, 200]);
  });

  it('a row that was wrongly taken for ours never makes a decrease exceed its level', () => {
    const rows: Row[] = [
      { kind: RowKind.snapshot, at: SECOND, price: 0, qty: 1 },
      { kind: RowKind.bidLevel, at: SECOND, price: 4500, qty: 200 },
      bid(9 * SECOND, 500),
      bid(9.1 * SECOND, 500),
      bid(20 * SECOND, -1200),
      bid(30 * SECOND, 100),
    ];
    // Another trader adds as much as two orders of ours, and takes it away at once. A feed that showed ours would go on.
    expect(qtys(rows, [ownBid(9 * SECOND, 500), ownBid(9.2 * SECOND, 500)])).toEqual([1, 200, 0, 0, -200, 100]);
  });

  const took = {
    at: 9 * SECOND,
    sentAt: 0,
    ticker: 'M-0',
    isBid: false,
    price: 5500,
    change: -300,
    isTaken: true,
  } as const;

  it('own taking leaves no print, and its quantity disappears a moment later', () => {
    const rows: Row[] = [
      { kind: RowKind.buy, at: 9 * SECOND, price: 5500, qty: 300, text: 'mine' },
      { kind: RowKind.ask, at: 9 * SECOND, price: 5500, qty: -300 },
      { kind: RowKind.buy, at: 9 * SECOND, price: 5500, qty: 200, text: 'theirs' },
      { kind: RowKind.ask, at: 10 * SECOND, price: 5600, qty: 100 },
    ];
    expect(qtys(rows, [took])).toEqual([0, 200, -300, 100]);
    const marks = { changes: [took], taken: new Set(['mine']), takenLater: SECOND / 2 };
    const [block] = [...tapeWithoutOwn(sourceOf(rows), marks).readBlocks()];
    expect([0, 1, 2, 3].map((row) => block?.text(row))).toEqual(['', 'theirs', '', '']);
    expect([...(block?.price ?? [])]).toEqual([5500, 5500, 5500, 5600]);
  });

  describe('a snapshot and own taking', () => {
    const snapshotAt = (at: number, qty: number): Row[] => [
      { kind: RowKind.snapshot, at, price: 0, qty: 1 },
      { kind: RowKind.askLevel, at, price: 5500, qty },
    ];
    const ask = (at: number, qty: number, price = 5500): Row => ({ kind: RowKind.ask, at, price, qty });

    it('a snapshot no longer has what we took: it does not disappear once more', () => {
      const rows = [
        ...snapshotAt(SECOND, 500),
        ask(9 * SECOND, -300),
        ...snapshotAt(9.1 * SECOND, 200),
        ask(11 * SECOND, 50),
      ];
      expect(qtys(rows, [took])).toEqual([1, 500, 0, 1, 200, 50]);
    });

    it('what we took disappears from the level: no later decrease exceeds the rest', () => {
      const rows = [
        ...snapshotAt(SECOND, 500),
        ask(9 * SECOND, -300),
        ask(10 * SECOND, 100, 5600),
        ask(11 * SECOND, -500),
      ];
      // The last row does not fit the book: it was wrongly taken for a change of others.
      expect(qtys(rows, [took])).toEqual([1, 500, 0, -300, 100, -200]);
    });
  });

  it('the disappearance of what we took delays no later row at the venue', () => {
    const rows: Row[] = [
      { kind: RowKind.ask, at: 9.2 * SECOND, venueAt: 9 * SECOND, price: 5500, qty: -300 },
      { kind: RowKind.ask, at: 10.2 * SECOND, venueAt: 10 * SECOND, price: 5600, qty: 100 },
      { kind: RowKind.ask, at: 10.3 * SECOND, venueAt: 10.1 * SECOND, price: 5600, qty: 200 },
    ];
    const others = tapeWithoutOwn(sourceOf(rows), { changes: [took], taken: new Set(), takenLater: SECOND / 2 });
    const blocks = new SharedBlocks(others, {}, 1);
    expect([...(blocks.nextBlock(blocks.firstBlock)?.time ?? [])]).toEqual([9, 10, 10, 10.1].map((at) => at * SECOND));
  });

  it("own changes inserted among others’ and removed again leave the others' unchanged", () => {
    const change = fc.record({ isOwn: fc.boolean(), qty: fc.integer({ min: 1, max: 9 }), isAdd: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const rows: Row[] = [];
        const own: OwnChange[] = [];
        changes.forEach(({ isOwn, qty, isAdd }, i) => {
          // Own quantities differ from others' because they are odd.
          const signed = (isAdd || isOwn ? 1 : -1) * (isOwn ? qty * 100 + 50 : qty * 100);
          rows.push(bid(i * 10 * SECOND, signed));
          if (isOwn) own.push(ownBid(i * 10 * SECOND + 1000, signed));
        });
        expect(qtys(rows, own)).toEqual(changes.map(({ isOwn }, i) => (isOwn ? 0 : (rows[i]?.qty ?? 0))));
      }),
    );
  });
});
