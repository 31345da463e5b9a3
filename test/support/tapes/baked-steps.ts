// Rows of every kind at random, as steps that a test writes to a baked file, with the rows expected of them.
import { readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import * as fc from 'fast-check';
import { type Micros, micros, price, qty } from '../../../src/domain/units.ts';
import { BakedWriter, type RowWriter } from '../../../src/tape/baked/baked-writer.ts';
import { RowKind } from '../../../src/tape/baked/tape-rows.ts';
import type { PlainRow } from './baked-rows.ts';

export const AT = 1_795_000_000_000_000;
export const ORIGIN = { source: 'test', venue: 'test', sourceHash: 'ab' };

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
/** The columns that only some kinds of rows use. */
export const plain = { market: 0, price: 0, qty: 0, text: '' };

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
export const stepLists = fc.array(fc.record({ later: fc.nat(3), step: fc.oneof(deltas, prints, snapshots, others) }), {
  maxLength: 40,
});
type Steps = typeof stepLists extends fc.Arbitrary<infer T> ? T : never;

/** Writes a tape of steps from `AT` on, in blocks of the given number of rows. Returns the rows expected of it. */
export function writeTape(path: string, steps: Steps, blockRows: number): PlainRow[] {
  const rows = newRows(path, blockRows);
  const expected = writeSteps(rows, steps, AT);
  rows.finish(ORIGIN);
  return expected;
}

/** A new file with the tickers M-0 to M-4. */
export function newRows(path: string, blockRows: number): RowWriter {
  const rows = new BakedWriter(path, { blockRows });
  for (let number = 0; number < 5; number++) rows.marketNumber(`M-${number}`);
  return rows;
}

/** Writes steps from a time on. Returns the rows expected of them. */
export function writeSteps(rows: RowWriter, steps: Steps, begin: number): PlainRow[] {
  const expected: PlainRow[] = [];
  let at = begin;
  for (const { later, step } of steps) {
    at += later;
    step.write(rows, micros(at));
    expected.push(...step.rows(micros(at)));
  }
  return expected;
}

/** The rows of a file as Arrow's own reader has them. */
export const arrowRowsOf = (path: string): unknown[] =>
  tableFromIPC(readFileSync(path))
    .toArray()
    .map((row) => {
      const { venue_at: venueAt, text, ...rest } = row.toJSON();
      return { ...rest, venueAt, text: text ?? '' };
    });
