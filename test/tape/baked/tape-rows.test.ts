// Rows read back equal the rows written, wherever a block ends; any Arrow reader reads them too.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradeId } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts, micros, price, qty } from '../../../src/domain/units.ts';
import { BakedFault } from '../../../src/tape/baked/baked-fault.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { type OtherEvent, RowKind } from '../../../src/tape/baked/tape-rows.ts';
import { verifyBakedFile } from '../../../src/tape/baked/verify-baked.ts';
import { BakedWriter, type RowWriter } from '../../../src/tape/baked/baked-writer.ts';
import { type PlainRow, withTemporaryFolder, rowsOf } from '../../support/tapes/baked-rows.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const AT = 1_795_000_000_000_000;
const ORIGIN = { source: 'test', venue: 'test', sourceHash: 'ab' };

/** One item to write, and the rows expected of it. */
interface Step {
  readonly write: (rows: RowWriter, at: Micros) => void;
  readonly rows: (at: Micros) => readonly PlainRow[];
}

const venueTime = fc.option(fc.integer({ min: 1, max: AT }).map(micros));
const market = fc.nat(4);
const prices = fc.nat(10_000).map(price);
const amounts = fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map(qty);
const levels = fc.array(fc.tuple(prices, fc.integer({ min: 1, max: 2 ** 40 }).map(qty)), { maxLength: 6 });
const plain = { market: 0, price: 0, qty: 0, text: '' };

const deltas: fc.Arbitrary<Step> = fc
  .record({ venueTime, market, price: prices, change: amounts, side: fc.constantFrom('bid' as const, 'ask' as const) })
  .map(({ venueTime: exchangeAt, market: index, side, ...row }) => ({
    write: (rows, at) => rows.writeDelta({ at, exchangeAt, market: rows.marketNumber(`M-${index}`), side, ...row }),
    rows: (at) => [
      {
        kind: side === 'bid' ? RowKind.bid : RowKind.ask,
        at,
        venueAt: exchangeAt ?? 0,
        market: index,
        price: row.price,
        qty: row.change,
        text: '',
      },
    ],
  }));

const prints: fc.Arbitrary<Step> = fc
  .record({
    venueTime,
    market,
    price: prices,
    qty: amounts,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    id: fc.string({ unit: 'grapheme', maxLength: 12 }),
  })
  .map(({ venueTime: exchangeAt, market: index, side, id, ...row }) => ({
    write: (rows, at) =>
      rows.writePrint({ at, exchangeAt, market: rows.marketNumber(`M-${index}`), side, tradeId: id, ...row }),
    rows: (at) => [
      {
        kind: side === 'buy' ? RowKind.buy : RowKind.sell,
        at,
        venueAt: exchangeAt ?? 0,
        market: index,
        ...row,
        text: id,
      },
    ],
  }));

const snapshots: fc.Arbitrary<Step> = fc
  .record({ venueTime, market, bids: levels, asks: levels })
  .map(({ venueTime: exchangeAt, market: index, bids, asks }) => ({
    write: (rows, at) => rows.writeSnapshot({ at, exchangeAt, market: rows.marketNumber(`M-${index}`), bids, asks }),
    rows: (at) => {
      const same = { at, venueAt: exchangeAt ?? 0, market: index, text: '' };
      return [
        { ...same, kind: RowKind.snapshot, price: 0, qty: bids.length + asks.length },
        ...bids.map(([each, held]) => ({ ...same, kind: RowKind.bidLevel, price: each, qty: held })),
        ...asks.map(([each, held]) => ({ ...same, kind: RowKind.askLevel, price: each, qty: held })),
      ];
    },
  }));

const others: fc.Arbitrary<Step> = fc.string({ unit: 'grapheme' }).map((reason) => ({
  write: (rows, at) => rows.writeOther({ kind: 'feed-gap', at, markets: [], reason }),
  rows: (at) => [
    {
      ...plain,
      kind: RowKind.other,
      at,
      venueAt: 0,
      text: JSON.stringify({ kind: 'feed-gap', at, markets: [], reason }),
    },
  ],
}));

/** Steps, each a given time after the one before. */
const stepLists = fc.array(fc.record({ later: fc.nat(3), step: fc.oneof(deltas, prints, snapshots, others) }), {
  maxLength: 40,
});
type Steps = typeof stepLists extends fc.Arbitrary<infer T> ? T : never;

function writeTape(path: string, steps: Steps, blockRows: number): PlainRow[] {
  const rows = newRows(path, blockRows);
  const expected = writeSteps(rows, steps, AT);
  rows.finish(ORIGIN);
  return expected;
}

function newRows(path: string, blockRows: number): RowWriter {
  const rows = new BakedWriter(path, { blockRows });
  for (let number = 0; number < 5; number++) rows.marketNumber(`M-${number}`);
  return rows;
}

function writeSteps(rows: RowWriter, steps: Steps, begin: number): PlainRow[] {
  const expected: PlainRow[] = [];
  let at = begin;
  for (const { later, step } of steps) {
    at += later;
    step.write(rows, micros(at));
    expected.push(...step.rows(micros(at)));
  }
  return expected;
}

type Status = Extract<OtherEvent, { kind: 'exchange-status' }>;

const statusOf = (at: Micros, isActive: boolean): Status => ({
  kind: 'exchange-status',
  at,
  isActive,
  isTrading: true,
});

const rowOfStatus = (event: Status): PlainRow => ({
  ...plain,
  kind: RowKind.other,
  at: event.at,
  venueAt: 0,
  text: JSON.stringify(event),
});

/** The rows with each event before the first row that is not earlier. */
function withEvents(rows: readonly PlainRow[], events: readonly Status[]): PlainRow[] {
  const left = [...events];
  const due = (at: number): PlainRow[] =>
    left.splice(0, left.filter((event) => event.at <= at).length).map((event) => rowOfStatus(event));
  return [...rows.flatMap((row) => [...due(row.at), row]), ...due(Infinity)];
}

/** The rows of a file as Arrow's own reader has them. */
const arrowRowsOf = (path: string): unknown[] =>
  tableFromIPC(readFileSync(path))
    .toArray()
    .map((row) => {
      const { venue_at: venueAt, text, ...rest } = row.toJSON();
      return { ...rest, venueAt, text: text ?? '' };
    });

describe('rows', () => {
  it('rows are read as they were written, in blocks of any length', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      fc.assert(
        fc.property(stepLists, fc.integer({ min: 1, max: 20 }), (steps, blockRows) => {
          const expected = writeTape(path, steps, blockRows);
          const source = openBakedFile(path);
          expect(rowsOf(source)).toEqual(expected);
          expect(source.facts.rows).toBe(expected.length);
          expect(source.tickers.tickersByIndex()).toEqual(['M-0', 'M-1', 'M-2', 'M-3', 'M-4']);
          source.close();
        }),
        { numRuns: runCount(300) },
      );
    });
  });

  it("rows are read the same by Arrow's own reader", () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      fc.assert(
        fc.property(stepLists, fc.integer({ min: 1, max: 20 }), (steps, blockRows) => {
          const expected = writeTape(path, steps, blockRows);
          expect(arrowRowsOf(path)).toEqual(expected);
        }),
        { numRuns: runCount(100) },
      );
    });
  });

  it('rows written to the front are there for every reader', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const blocks = fc.integer({ min: 1, max: 9 });
      fc.assert(
        fc.property(stepLists, stepLists, stepLists, blocks, (first, written, then, blockRows) => {
          const rows = newRows(path, blockRows);
          const middle = writeSteps(rows, written, AT);
          const expected: PlainRow[] = [];
          rows.writeToFront(() => expected.push(...writeSteps(rows, first, AT - 1000), ...middle));
          expected.push(...writeSteps(rows, then, AT + 1000));
          const facts = rows.finish(ORIGIN);
          const source = openBakedFile(path);
          expect(rowsOf(source)).toEqual(expected);
          expect(facts.rows).toBe(expected.length);
          expect([facts.from, facts.to]).toEqual([expected[0]?.at ?? 0, expected.at(-1)?.at ?? 0]);
          source.close();
          expect(arrowRowsOf(path)).toEqual(expected);
        }),
        { numRuns: runCount(100) },
      );
    });
  });

  it('events inserted between rows are before the first row that is not earlier, and other rows stay as they were', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const inserted = fc.array(fc.integer({ min: AT - 2, max: AT + 50 }).map(micros), { maxLength: 8 });
      const blocks = fc.integer({ min: 1, max: 9 });
      fc.assert(
        fc.property(stepLists, inserted, stepLists, blocks, (steps, times, then, blockRows) => {
          const rows = newRows(path, blockRows);
          const written = writeSteps(rows, steps, AT);
          const events = times.toSorted((a, b) => a - b).map((at, number) => statusOf(at, number % 2 === 0));
          rows.insertEvents(events);
          const expected = withEvents(written, events);
          expected.push(...writeSteps(rows, then, AT + 1000));
          rows.writeToFront(() => rows.writeOther(statusOf(micros(AT - 9), true)));
          expected.unshift(rowOfStatus(statusOf(micros(AT - 9), true)));
          const facts = rows.finish(ORIGIN);
          const source = openBakedFile(path);
          expect(rowsOf(source)).toEqual(expected);
          source.close();
          expect(facts.rows).toBe(expected.length);
          expect(facts.counts['exchange-status']).toBe(events.length + 1);
          expect(verifyBakedFile(path).rows).toBe(expected.length);
          expect(readdirSync(folder)).toEqual(['rows.arrow']);
        }),
        { numRuns: runCount(200) },
      );
    });
  });

  it('a file that is abandoned after an insertion leaves nothing', () => {
    withTemporaryFolder((folder) => {
      const rows = newRows(join(folder, 'rows.arrow'), 2);
      const status = statusOf(micros(AT), true);
      for (let row = 0; row < 5; row++) rows.writeOther(status);
      rows.insertEvents([status]);
      rows.abandon();
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  it('rows within a range of times are complete, and no others', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const bound = fc.option(fc.integer({ min: AT - 5, max: AT + 60 }).map(micros), { nil: undefined });
      fc.assert(
        fc.property(stepLists, fc.integer({ min: 1, max: 9 }), bound, bound, (steps, blockRows, from, to) => {
          const expected = writeTape(path, steps, blockRows);
          const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          const source = openBakedFile(path);
          const wanted = expected.filter(({ at }) => at >= (from ?? 0) && at < (to ?? Infinity));
          expect(rowsOf(source, range)).toEqual(wanted);
          source.close();
        }),
        { numRuns: runCount(300) },
      );
    });
  });

  it('rows of a snapshot stay in one block where they fit into one', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const rows = new BakedWriter(path, { blockRows: 8 });
      const index = rows.marketNumber('M-0');
      const at = micros(AT);
      for (let n = 0; n < 6; n++)
        rows.writeDelta({ at, exchangeAt: null, market: index, side: 'bid', price: cents(1), change: contracts(1) });
      const bids = [1, 2, 3].map((cent) => [cents(cent), contracts(1)] as const);
      rows.writeSnapshot({ at, exchangeAt: null, market: index, bids, asks: [] });
      rows.writeSnapshot({ at, exchangeAt: null, market: index, bids: [...bids, ...bids, ...bids], asks: [] });
      rows.finish(ORIGIN);
      const source = openBakedFile(path);
      expect([...source.readBlocks()].map(({ count }) => count)).toEqual([6, 4, 8, 2]);
      source.close();
    });
  });

  it('rows are read by two readers at a time, each at its own place', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const expected = writeTape(path, fc.sample(stepLists, { numRuns: 30, seed: 4 }).flat(), 5);
      const source = openBakedFile(path);
      const slow = source.readBlocks()[Symbol.iterator]();
      const first = slow.next().value;
      expect(rowsOf(source)).toEqual(expected);
      expect(first?.at[0]).toBe(expected[0]?.at);
      expect([...first!.price]).toEqual(expected.slice(0, first!.count).map((row) => row.price));
      source.close();
    });
  });

  it('rows with an earlier time get the time of the row before, and the facts count them', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const rows = new BakedWriter(path);
      const delta = {
        exchangeAt: null,
        market: rows.marketNumber('M-0'),
        side: 'bid',
        price: cents(1),
        change: contracts(1),
      } as const;
      rows.writeDelta({ ...delta, at: micros(AT) });
      rows.writeDelta({ ...delta, at: micros(AT - 7) });
      rows.writeOther({ kind: 'exchange-status', at: micros(AT - 1), isActive: true, isTrading: true });
      const facts = rows.finish(ORIGIN);
      const source = openBakedFile(path);
      const found = rowsOf(source);
      expect(found.map(({ at }) => at)).toEqual([AT, AT, AT]);
      expect(JSON.parse(found[2]?.text ?? '')).toMatchObject({ at: AT });
      expect(facts.assumptions).toEqual([
        "2 rows had a time before the row before them; they were given that one's time.",
      ]);
      expect(source.facts).toEqual(facts);
      source.close();
    });
  });

  it('rows written again are the same bytes', () => {
    withTemporaryFolder((folder) => {
      const steps = fc.sample(stepLists, { numRuns: 20, seed: 5 }).flat();
      const [one, other] = ['one.arrow', 'other.arrow'].map((name) => {
        writeTape(join(folder, name), steps, 7);
        return readFileSync(join(folder, name));
      });
      expect(one?.equals(other!)).toBe(true);
    });
  });

  it('rows are counted by kind', () => {
    withTemporaryFolder((folder) => {
      const rows = new BakedWriter(join(folder, 'rows.arrow'));
      const index = rows.marketNumber('M-0');
      const at = micros(AT);
      rows.writeSnapshot({ at, exchangeAt: null, market: index, bids: [[cents(4), contracts(1)]], asks: [] });
      rows.writeDelta({ at, exchangeAt: null, market: index, side: 'ask', price: cents(9), change: contracts(1) });
      rows.writePrint({
        at,
        exchangeAt: null,
        market: index,
        side: 'sell',
        price: cents(4),
        qty: contracts(1),
        tradeId: tradeId('t'),
      });
      rows.writeGap({ from: at, to: micros(AT + 5), reason: 'a hole', tickers: ['M-0'] });
      const { counts, gaps } = rows.finish(ORIGIN);
      expect(counts).toEqual({ delta: 1, print: 1, snapshot: 1, level: 1, 'feed-gap': 1 });
      expect(gaps).toEqual([{ from: AT, to: AT + 5, reason: 'a hole', tickers: ['M-0'] }]);
    });
  });
});

describe('a baked file', () => {
  const steps = fc.sample(stepLists, { numRuns: 12, seed: 6 }).flat();

  it('a baked file that is cut short anywhere is not opened', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      writeTape(path, steps, 16);
      const bytes = readFileSync(path);
      const short = join(folder, 'short.arrow');
      for (let length = 0; length < bytes.length; length += 1 + (length % 97)) {
        writeFileSync(short, bytes.subarray(0, length));
        expect(() => openBakedFile(short), `${length} bytes`).toThrow(BakedFault);
      }
    });
  });

  it('a baked file with a flipped bit is refused, or has the same rows as before', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const expected = writeTape(path, steps, 16);
      const bytes = readFileSync(path);
      let refused = 0;
      fc.assert(
        fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
          const broken = Buffer.from(bytes);
          broken[bit >> 3]! ^= 1 << (bit & 7);
          writeFileSync(path, broken);
          try {
            const source = openBakedFile(path);
            expect(rowsOf(source)).toEqual(expected);
            source.close();
          } catch (fault) {
            if (!(fault instanceof BakedFault)) throw fault;
            refused += 1;
          }
        }),
        { numRuns: runCount(400) },
      );
      expect(refused).toBeGreaterThan(200);
    });
  });

  it('a file that is no Arrow file, or of another program, is reported as such', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'other.arrow');
      writeFileSync(path, 'a text that is long enough to be one');
      expect(() => openBakedFile(path)).toThrow(/other\.arrow: is no Arrow file/);
      expect(() => openBakedFile(join(folder, 'none.arrow'))).toThrow(/none\.arrow: cannot be opened: ENOENT/);
    });
  });

  it('a baked file has its name only when it is complete, and is removed when it is abandoned', () => {
    withTemporaryFolder((folder) => {
      const path = join(folder, 'rows.arrow');
      const rows = new BakedWriter(path, { blockRows: 1 });
      rows.writeOther({ kind: 'exchange-status', at: micros(AT), isActive: true, isTrading: true });
      rows.writeOther({ kind: 'exchange-status', at: micros(AT), isActive: true, isTrading: true });
      expect(readdirSync(folder)).not.toContain('rows.arrow');
      expect(readdirSync(folder)).toHaveLength(1);
      rows.abandon();
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  it('a baked file that cannot be created is a fault that names it', () => {
    withTemporaryFolder((folder) => {
      writeFileSync(join(folder, 'file'), '');
      expect(() => new BakedWriter(join(folder, 'file', 'rows.arrow'))).toThrow(BakedFault);
    });
  });
});
