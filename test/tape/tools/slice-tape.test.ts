// A slice of a tape: at every time in it, every book is the tape's.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, cents, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { type SliceOptions, sliceTape } from '../../../src/tape/tools/slice-tape.ts';
import { index, tickerOf } from '../../support/engine/builders.ts';
import {
  at,
  booksAt,
  randomFacts,
  withTape,
  stateAt,
  writeTape,
  withTapeFolder,
} from '../../support/tapes/random-facts.ts';
import { cutAt, print, slice, timesOf } from './tape-pieces.ts';
import { allSteps } from '../../support/tapes/all-steps.ts';

/** Random facts vary in length: a cut behind the end is a cut at the end. */
const within = (path: string, cut: Micros): Micros =>
  withTape(path, (source) => Math.min(cut, source.facts.to) as Micros);

/** Makes a tape of random facts, cuts it at any place, and compares the tape with the slice. */
function everyPiece(
  look: (cut: { whole: string; piece: string; from: Micros }) => void,
  only: Partial<SliceOptions> = {},
) {
  fc.assert(
    fc.property(randomFacts, cutAt, (list, at) => {
      withTapeFolder((folder) => {
        const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
        writeTape(whole, list);
        const from = within(whole, at);
        slice(whole, piece, { from, ...only });
        look({ whole, piece, from });
      });
    }),
  );
}

describe('a slice', () => {
  it('a slice has the same books at every time in it', () => {
    everyPiece(({ whole, piece }) => {
      for (const time of timesOf(piece))
        expect(withTape(piece, (source) => booksAt(source, time))).toEqual(
          withTape(whole, (source) => booksAt(source, time)),
        );
    });
  });

  it('a slice defines every market as it was at the cut', () => {
    everyPiece(({ whole, piece, from }) => {
      const then = Math.max(from, at(0)) as Micros;
      for (const number of [0, 1, 2]) {
        const before = withTape(whole, (source) => stateAt(source, then).definitionOf(index(number)));
        const after = withTape(piece, (source) => {
          const own = source.tickers.indexOf(tickerOf(number));
          return own === undefined ? null : stateAt(source, then).definitionOf(own);
        });
        expect({ ...after, index: number }).toEqual(before);
      }
    });
  });

  it('a slice holds only the requested markets, and no gap of others', () => {
    everyPiece(
      ({ whole, piece }) => {
        withTape(piece, (source) => {
          expect(source.tickers.tickersByIndex()).toEqual([tickerOf(1)]);
          const wanted = withTape(whole, (all) => booksAt(all, source.facts.to).get(tickerOf(1)));
          expect(booksAt(source, source.facts.to).get(tickerOf(1))).toEqual(wanted);
        });
      },
      { tickers: new Set([tickerOf(1)]) },
    );
  });

  it('a slice lists the part of a gap that lies in it', () => {
    withTapeFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      const writer = new BakedWriter(whole);
      const market = writer.marketNumber('M-0');
      writer.writeSnapshot({ at: at(0), exchangeAt: null, market, bids: [[cents(40), qty(100)]], asks: [] });
      writer.writeGap({ from: at(10), to: at(100), reason: 'lost', tickers: [] });
      writer.writePrint({
        at: at(200),
        exchangeAt: null,
        market,
        side: 'buy',
        price: cents(41),
        qty: qty(100),
        tradeId: '',
      });
      writer.finish({ source: 's', venue: 's', sourceHash: '' });
      const facts = slice(whole, piece, { from: at(50), to: at(70) });
      expect(facts).toMatchObject({
        from: at(50),
        to: at(70),
        gaps: [{ from: at(50), to: at(70), reason: 'lost', tickers: [] }],
      });
      expect(withTape(piece, (source) => booksAt(source, at(70))).size).toBe(0);
    });
  });

  it('a slice leaves no file when the tape is damaged', () => {
    withTapeFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      writeTape(whole, [{ kind: 'print', row: print(0, 't1') }]);
      const broken = withTape(whole, (source) => ({
        ...source,
        facts: source.facts,
        tickers: source.tickers,
        readBlocks: () => {
          throw new Error('damaged');
        },
      }));
      expect(() => allSteps(sliceTape({ source: broken, writer: new BakedWriter(piece) }))).toThrow('damaged');
      expect(existsSync(piece)).toBe(false);
    });
  });
});
