// Tapes that are cut and put together, for tests: pieces of a file, files made of files, and when each tells something.
import * as fc from 'fast-check';
import { tradeId } from '../../src/domain/ids.ts';
import { type Micros, cents, micros, qty } from '../../src/domain/units.ts';
import { BakedWriter } from '../../src/tape/baked/writer.ts';
import { rowFacts } from '../../src/tape/row-facts.ts';
import { type SliceOptions, sliceTape } from '../../src/tape/slice.ts';
import { M0 } from '../support/engine/builders.ts';
import { at, reading } from '../support/row-tapes.ts';

type Cut = Omit<SliceOptions, 'source' | 'writer'>;

/** Cuts a piece out of one file into another. */
export const slice = (from: string, to: string, cut: Cut) =>
  reading(from, (source) => sliceTape({ source, writer: new BakedWriter(to, { blockRows: 8 }), ...cut }));

/** The times at which a file tells anything. */
export const timesOf = (path: string): Micros[] =>
  reading(path, (source) => [...new Set([...rowFacts(source)].map(({ row }) => row.at))]);

/** Where to cut: before, in or behind what random facts tell. */
export const cutAt = fc.integer({ min: -5, max: 1500 }).map((after) => micros(at(0) + after));

/** A trade of a contract at 41 cents. */
export const print = (after: number, id: string, market = M0) => ({
  at: at(after),
  exchangeAt: null,
  market,
  side: 'buy' as const,
  price: cents(41),
  qty: qty(100),
  tradeId: tradeId(id),
});
