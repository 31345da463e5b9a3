// Deltas written as runs against the same deltas written one by one: the same rows, times and facts.
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { micros, price, qty } from '../../../src/domain/units.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { BakedWriter, type DeltaRow } from '../../../src/tape/baked/baked-writer.ts';
import { RowKind, type RowBlock, type TapeFacts } from '../../../src/tape/baked/tape-rows.ts';
import { type PlainRow, rowsOf, withTemporaryFolder } from '../../support/tapes/baked-rows.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const AT = 1_795_000_000_000_000;
const ORIGIN = { source: 'test', venue: 'test', sourceHash: '' };
const NAMES = ['M-0', 'M-1', 'M-2'];

const deltas: fc.Arbitrary<DeltaRow[]> = fc.array(
  fc.record({
    at: fc.integer({ min: AT, max: AT + 20 }).map(micros),
    exchangeAt: fc.option(fc.integer({ min: 1, max: AT }).map(micros)),
    market: fc.nat(2).map((number) => number as MarketIndex),
    side: fc.constantFrom('bid' as const, 'ask' as const),
    price: fc.nat(10_000).map(price),
    change: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map(qty),
  }),
  { minLength: 1, maxLength: 60 },
);

/** Writes a file, and returns its rows and its facts. */
function written(file: string, blockRows: number, write: (writer: BakedWriter) => void): [PlainRow[], TapeFacts] {
  const writer = new BakedWriter(file, { isDurable: false, blockRows });
  for (const name of NAMES) writer.marketNumber(name);
  write(writer);
  const facts = writer.finish(ORIGIN);
  const source = openBakedFile(file);
  try {
    return [rowsOf(source), facts];
  } finally {
    source.close();
  }
}

const blockOf = (rows: readonly DeltaRow[]): RowBlock => ({
  count: rows.length,
  kind: Uint8Array.from(rows, ({ side }) => (side === 'bid' ? RowKind.bid : RowKind.ask)),
  at: Float64Array.from(rows, ({ at }) => at),
  venueAt: Float64Array.from(rows, ({ exchangeAt }) => exchangeAt ?? 0),
  market: Int32Array.from(rows, ({ market }) => market),
  price: Int32Array.from(rows, (row) => row.price),
  qty: Float64Array.from(rows, ({ change }) => change),
  text: () => '',
});

it('writes runs of deltas as it writes single deltas, across blocks, with times that go back', () => {
  withTemporaryFolder((folder) => {
    fc.assert(
      fc.property(deltas, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (rows, length, blockRows) => {
        const numbers = [2, 0, 1].map((number) => number as MarketIndex);
        const single = written(join(folder, 'single.arrow'), blockRows, (writer) => {
          for (const row of rows) writer.writeDelta({ ...row, market: numbers[row.market] ?? row.market });
        });
        const block = blockOf(rows);
        const runs = written(join(folder, 'runs.arrow'), blockRows, (writer) => {
          for (let from = 0; from < rows.length; from += length)
            writer.writeDeltas({ block, from, to: Math.min(rows.length, from + length), numbers });
        });
        expect(runs).toStrictEqual(single);
      }),
      { numRuns: runCount(60) },
    );
  });
});
