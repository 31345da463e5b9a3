// Cut and merged tapes for tests: slices of a file, files made from files, and the times of their rows.
import * as fc from 'fast-check';
import { tradeId } from '../../../src/domain/ids.ts';
import { type Micros, cents, micros, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { rowFacts } from '../../../src/tape/tools/row-facts.ts';
import { type SliceOptions, sliceTape } from '../../../src/tape/tools/slice-tape.ts';
import { M0 } from '../../support/engine/builders.ts';
import { at, withTape } from '../../support/tapes/random-facts.ts';
import { allSteps } from '../../support/tapes/all-steps.ts';

type Cut = Omit<SliceOptions, 'source' | 'writer'>;

/** Cuts a slice out of one file into another. */
export const slice = (from: string, to: string, cut: Cut) =>
  withTape(from, (source) => allSteps(sliceTape({ source, writer: new BakedWriter(to, { blockRows: 8 }), ...cut })));

/** Times of a file's rows. */
export const timesOf = (path: string): Micros[] =>
  withTape(path, (source) => [...new Set([...rowFacts(source)].map(({ row }) => row.at))]);

/** Places to cut: before, in or behind the time of random facts. */
export const cutAt = fc.integer({ min: -5, max: 1500 }).map((after) => micros(at(0) + after));

/** A print of one contract at 41 cents. */
export const print = (after: number, id: string, market = M0) => ({
  at: at(after),
  exchangeAt: null,
  market,
  side: 'buy' as const,
  price: cents(41),
  qty: qty(100),
  tradeId: tradeId(id),
});
