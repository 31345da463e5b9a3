// Books of a capture: snapshots that differ from the maintained book, and numbers of a larger stream.
import { describe, expect, it } from 'vitest';
import { MS, changeOf, linesOf, snapshotOf, subscribedTo, tradeOf } from '../../../support/tapes/captured-messages.ts';
import {
  type TestImportOptions,
  countsOf,
  importTexts,
  kindsOf,
  marketRows,
} from '../../../support/tapes/imported-tape.ts';

const importing = (text: string, options: TestImportOptions = {}) =>
  importTexts('feed-jsonl', [text], { ending: '.jsonl', ...options });

type Cents = readonly (readonly number[])[];

/** Messages in whole cents, without numbers. */
const at = (ms: number) => ({ ts: new Date(MS + ms).toISOString() });
const wholeBook = (ms: number, yes: Cents, src = 'wire'): object => ({
  type: 'orderbook_snapshot',
  ...at(ms),
  src,
  msg: { market_ticker: 'M-1', yes, no: [] },
});
const oneChange = (ms: number, price: number, delta: number): object => ({
  type: 'orderbook_delta',
  ...at(ms),
  msg: { market_ticker: 'M-1', price, delta, side: 'yes' },
});

describe('a snapshot at the boundary of two files', () => {
  it('a boundary snapshot that differs in one level becomes the book, and is counted', async () => {
    const imported = await importing(
      linesOf(
        wholeBook(0, [[40, 3]]),
        oneChange(1, 41, 2),
        // The change of the level at 42 is in this snapshot alone.
        wholeBook(
          2,
          [
            [40, 3],
            [41, 2],
            [42, 7],
          ],
          'chunk_boundary',
        ),
        oneChange(3, 42, -7),
      ),
    );
    const { report } = imported;
    expect(report.findings).toMatchObject([
      {
        kind: 'boundary-change',
        count: 1,
        resolution: 'taken for the book: the snapshot alone holds the change of one level',
        examples: [{ line: 3, what: 'M-1: 1 of 3 levels differs, such as 4200: expected 0, found 700' }],
      },
    ]);
    expect(marketRows(imported)[2]).toMatchObject({
      kind: 'snapshot',
      row: {
        bids: [
          [4000, 300],
          [4100, 200],
          [4200, 700],
        ],
      },
    });
    expect(report.facts.gaps).toEqual([]);
  });

  it('a boundary snapshot that equals the book, or has no book to compare with, is no finding', async () => {
    const { report } = await importing(
      linesOf(
        wholeBook(0, [[40, 3]], 'chunk_boundary'),
        oneChange(1, 41, 2),
        wholeBook(
          2,
          [
            [40, 3],
            [41, 2],
          ],
          'chunk_boundary',
        ),
      ),
    );
    expect(report.findings).toEqual([]);
    expect(report.facts.counts).toMatchObject({ snapshot: 2 });
  });

  it('a boundary snapshot that differs in more levels becomes the book too, and the time since the row before is a gap', async () => {
    const { report } = await importing(
      linesOf(wholeBook(0, [[40, 3]]), oneChange(1, 41, 2), wholeBook(9, [[10, 1]], 'chunk_boundary')),
    );
    expect(countsOf(report)).toEqual({ 'snapshot-differs': 1 });
    expect(report.facts.gaps).toMatchObject([{ from: (MS + 1) * 1000, to: (MS + 9) * 1000, tickers: ['M-1'] }]);
  });
});

describe('a snapshot in the middle of a capture', () => {
  const levels = (count: number, qty: string) =>
    Array.from({ length: count }, (_, level) => [`0.${String(10 + level)}00`, qty] as const);

  it('a snapshot that differs in most levels makes a gap, also where numbers are not checked', async () => {
    const text = linesOf(
      snapshotOf(100, { yes: levels(45, '5.00') }),
      changeOf(140, { price: '0.5400' }),
      snapshotOf(900, { yes: [...levels(44, '6.00'), ['0.5400', '6.00']] }),
      changeOf(950, { price: '0.1000' }),
    );
    const { report } = await importing(text, { dialect: 'dollars-unnumbered' });
    expect(report.findings).toMatchObject([
      {
        kind: 'snapshot-differs',
        count: 1,
        examples: [{ line: 3, what: expect.stringContaining('44 of 45 levels differ') as string }],
      },
    ]);
    expect(report.facts.gaps).toMatchObject([{ from: (MS + 140) * 1000, tickers: ['M-1'] }]);
  });

  it('a snapshot that empties the book, as at the close, is no finding', async () => {
    const text = linesOf(snapshotOf(1, { yes: levels(5, '5.00') }), changeOf(2), snapshotOf(3));
    const { report } = await importing(text);
    expect(report.findings).toEqual([]);
    expect(report.facts.gaps).toEqual([]);
    expect(report.facts.counts).toMatchObject({ snapshot: 2 });
  });
});

describe('a capture that begins in the middle', () => {
  it('a capture begins with the first number of each subscription', async () => {
    const imported = await importing(
      linesOf(
        snapshotOf(3_902_989, { yes: [['0.4000', '3.00']] }),
        tradeOf(77),
        changeOf(3_902_990),
        tradeOf(78, { ts_ms: MS + 3_902_991 }),
      ),
    );
    expect(imported.report.findings).toEqual([]);
    expect(imported.report.facts.gaps).toEqual([]);
    expect(kindsOf(imported).slice(2)).toEqual(['snapshot', 'print', 'delta', 'print']);
  });

  it('a capture from the middle has a gap where a number is missing later, and a missing print makes no book unknown', async () => {
    const { report } = await importing(
      linesOf(snapshotOf(500, { yes: [['0.4000', '3.00']] }), tradeOf(77), tradeOf(90), changeOf(501), changeOf(503)),
    );
    expect(countsOf(report)).toEqual({ 'lost-messages': 1, 'sequence-gap': 1 });
    expect(report.facts.gaps).toMatchObject([{ tickers: ['M-1'] }]);
  });

  it('a capture with lower numbers later has another connection, whose first snapshot counts', async () => {
    const changes = (from: number, count: number, ms: number): object[] =>
      Array.from({ length: count }, (_, each) => changeOf(from + each, { ms: MS + ms + each }));
    const book = { yes: [['0.4200', '3.00']] } as const;
    // Most deltas are read from their bytes: 900 is below their numbers, and above all that were read before.
    const lines = [snapshotOf(1, book), ...changes(2, 1500, 0), snapshotOf(900, book), ...changes(901, 1500, 2000)];
    const { report } = await importing(linesOf(...lines));
    expect(countsOf(report)).toEqual({ 'sequence-gap': 1 });
    expect(report.facts.counts).toMatchObject({ snapshot: 2, delta: 3000 });
    expect(report.coverage.share).toBeGreaterThan(0.8);
  });

  it('a capture whose subscription was confirmed begins with 1', async () => {
    const { report } = await importing(linesOf(subscribedTo(1), snapshotOf(4), changeOf(5)));
    expect(countsOf(report)).toEqual({ 'sequence-gap': 1 });
  });
});

describe('a capture split by market from a shared subscription', () => {
  /** Every third number is of this market. */
  const split = (count: number): object[] => [
    snapshotOf(1000, { yes: [['0.4200', '3.00']] }),
    ...Array.from({ length: count }, (_, each) => changeOf(1003 + 3 * each)),
    tradeOf(5, { ts_ms: MS + 1900 }),
    tradeOf(9, { ts_ms: MS + 1900 }),
  ];

  it('a split capture is recognized by its numbers, which are then not checked', async () => {
    const imported = await importing(linesOf(...split(40)));
    const { report } = imported;
    expect(report.findings).toEqual([]);
    expect(report.facts.gaps).toEqual([]);
    expect(report.facts.counts).toMatchObject({ delta: 40, print: 2 });
    expect(report.facts.assumptions.join(' ')).toContain('40 of the first 41 numbers of books do not follow');
  });

  it('a split capture has gaps where its numbers are checked by request', async () => {
    const { report } = await importing(linesOf(...split(40)), { dialect: 'dollars' });
    expect(countsOf(report)).toMatchObject({ 'sequence-gap': 40 });
  });

  it('a capture is read without its numbers by request, with or without them', async () => {
    for (const count of [1, 40]) {
      const { report } = await importing(linesOf(...split(count)), { dialect: 'dollars-unnumbered' });
      expect(report.findings).toEqual([]);
      expect(report.facts.counts).toMatchObject({ delta: count });
      expect(report.facts.assumptions.join(' ')).toContain('The numbers of messages are ignored');
    }
  });

  it('a split capture has a new connection where its numbers go back', async () => {
    const { report } = await importing(
      linesOf(...split(40), snapshotOf(12, { yes: [['0.9000', '1.00']] }), changeOf(20, { ms: MS + 2000 })),
    );
    expect(countsOf(report)).toEqual({ reconnect: 1 });
    expect(report.facts.gaps).toMatchObject([{ reason: 'the recorder connected again' }]);
  });

  it('a gap of all books ends at the first snapshot after it, though a closed market never has one again', async () => {
    const { report } = await importing(
      linesOf(
        subscribedTo(1),
        snapshotOf(1, { yes: [['0.4000', '3.00']] }),
        changeOf(2),
        subscribedTo(1),
        snapshotOf(1, { market: 'M-2', yes: [['0.4000', '3.00']] }),
        changeOf(2, { market: 'M-2', ms: MS + 1000 }),
        changeOf(3, { market: 'M-2', ms: MS + 9000 }),
      ),
    );
    const gap = { from: (MS + 2) * 1000, reason: 'the recorder connected again' };
    expect(report.facts.gaps).toEqual([
      { ...gap, to: (MS + 2) * 1000, tickers: [] },
      { ...gap, to: (MS + 9000) * 1000, tickers: ['M-1'] },
    ]);
  });

  it('a capture with a few missing numbers is not taken for a split one', async () => {
    const whole = Array.from({ length: 200 }, (_, each) => changeOf(2 + each + (each > 100 ? 5 : 0)));
    const { report } = await importing(linesOf(snapshotOf(1, { yes: [['0.4200', '3.00']] }), ...whole));
    expect(countsOf(report)).toEqual({ 'sequence-gap': 1 });
  });

  it('a capture with a level below zero has lost a message: its book is unknown until the next snapshot', async () => {
    const { report } = await importing(
      linesOf(
        ...split(40),
        changeOf(2000, { price: '0.9900', change: '-5.00', ms: MS + 2000 }),
        changeOf(2003, { ms: MS + 3000 }),
      ),
    );
    expect(countsOf(report)).toEqual({ 'negative-level': 1 });
    expect(report.facts.gaps).toMatchObject([{ from: (MS + 2000) * 1000, to: (MS + 3000) * 1000, tickers: ['M-1'] }]);
  });
});

describe('a subscription to an unknown channel', () => {
  it('an unknown channel is counted, and makes no book unknown, nor does a missing number in it', async () => {
    const weather = (seq: number): object => ({ type: 'weather', sid: 7, seq, msg: {} });
    const { report } = await importing(
      linesOf(
        subscribedTo(1),
        snapshotOf(1, { yes: [['0.4000', '3.00']] }),
        subscribedTo(7, 'weather'),
        weather(1),
        weather(9),
        changeOf(2),
      ),
    );
    expect(report.facts.gaps).toEqual([]);
    expect(countsOf(report)).toEqual({ 'unread-message': 1, 'unknown-message': 2, 'lost-messages': 1 });
    const [unread] = report.findings;
    expect(unread).toMatchObject({
      kind: 'unread-message',
      resolution: 'left out: it could not be read; it concerns no book',
      examples: [{ line: 3 }],
    });
  });
});
