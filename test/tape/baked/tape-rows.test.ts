// Rows read back equal the rows written, wherever a block ends; any Arrow reader reads them too.
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { BakedFault } from '../../../src/tape/baked/baked-fault.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { withTemporaryFolder, rowsOf } from '../../support/tapes/baked-rows.ts';
import { AT, ORIGIN, arrowRowsOf, stepLists, writeTape } from '../../support/tapes/baked-steps.ts';
import { runCount } from '../../support/runner/property-runs.ts';

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

  it('an abandoned baked file does not touch a file that got its number', () => {
    withTemporaryFolder((folder) => {
      const rows = new BakedWriter(join(folder, 'rows.arrow'), { blockRows: 1 });
      rows.abandon();
      const other = openSync(join(folder, 'other'), 'w');
      expect(() => {
        for (const isTrading of [true, false])
          rows.writeOther({ kind: 'exchange-status', at: micros(AT), isActive: true, isTrading });
      }).toThrow(/rows\.arrow: is closed/);
      closeSync(other);
      expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
    });
  });

  it('a baked file that cannot be created is a fault that names it', () => {
    withTemporaryFolder((folder) => {
      writeFileSync(join(folder, 'file'), '');
      expect(() => new BakedWriter(join(folder, 'file', 'rows.arrow'))).toThrow(BakedFault);
    });
  });
});
