// A piece of a tape: every book is what it was, at every time in it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, cents, qty } from '../../src/domain/units.ts';
import { BakedWriter } from '../../src/tape/baked/writer.ts';
import { type SliceOptions, sliceTape } from '../../src/tape/slice.ts';
import { index, tickerOf } from '../support/engine/builders.ts';
import { at, booksAt, facts, reading, stateAt, tapeOf, withFolder } from '../support/row-tapes.ts';
import { cutAt, print, slice, timesOf } from './pieces.ts';

/** Random facts are longer or shorter: a cut behind the end is one at the end. */
const within = (path: string, cut: Micros): Micros =>
  reading(path, (source) => Math.min(cut, source.facts.to) as Micros);

/** Cuts what random facts make a tape of, wherever, and looks at the tape and at its piece. */
function everyPiece(
  look: (cut: { whole: string; piece: string; from: Micros }) => void,
  only: Partial<SliceOptions> = {},
) {
  fc.assert(
    fc.property(facts, cutAt, (list, at) => {
      withFolder((folder) => {
        const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
        tapeOf(whole, list);
        const from = within(whole, at);
        slice(whole, piece, { from, ...only });
        look({ whole, piece, from });
      });
    }),
  );
}

describe('a slice', () => {
  it('has the same books at every time in it', () => {
    everyPiece(({ whole, piece }) => {
      for (const time of timesOf(piece))
        expect(reading(piece, (source) => booksAt(source, time))).toEqual(
          reading(whole, (source) => booksAt(source, time)),
        );
    });
  });

  it('describes every market as it was at the cut', () => {
    everyPiece(({ whole, piece, from }) => {
      const then = Math.max(from, at(0)) as Micros;
      for (const number of [0, 1, 2]) {
        const before = reading(whole, (source) => stateAt(source, then).market(index(number)));
        const after = reading(piece, (source) => {
          const own = source.tickers.indexOf(tickerOf(number));
          return own === undefined ? null : stateAt(source, then).market(own);
        });
        expect({ ...after, index: number }).toEqual(before);
      }
    });
  });

  it('holds only the markets that were asked for, and no gap of others', () => {
    everyPiece(
      ({ whole, piece }) => {
        reading(piece, (source) => {
          expect(source.tickers.names()).toEqual([tickerOf(1)]);
          const wanted = reading(whole, (all) => booksAt(all, source.facts.to).get(tickerOf(1)));
          expect(booksAt(source, source.facts.to).get(tickerOf(1))).toEqual(wanted);
        });
      },
      { tickers: new Set([tickerOf(1)]) },
    );
  });

  it('says which stretch of a gap lies in it', () => {
    withFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      const writer = new BakedWriter(whole);
      const market = writer.market('M-0');
      writer.snapshot({ at: at(0), exchangeAt: null, market, bids: [[cents(40), qty(100)]], asks: [] });
      writer.gap({ from: at(10), to: at(100), reason: 'lost', tickers: [] });
      writer.print({
        at: at(200),
        exchangeAt: null,
        market,
        side: 'buy',
        price: cents(41),
        qty: qty(100),
        tradeId: '',
      });
      writer.finish({ source: 's', venue: 's', sourceHash: '' });
      const told = slice(whole, piece, { from: at(50), to: at(70) });
      expect(told).toMatchObject({
        from: at(50),
        to: at(70),
        gaps: [{ from: at(50), to: at(70), reason: 'lost', tickers: [] }],
      });
      expect(reading(piece, (source) => booksAt(source, at(70))).size).toBe(0);
    });
  });

  it('leaves nothing behind when the tape cannot be believed', () => {
    withFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      tapeOf(whole, [{ kind: 'print', row: print(0, 't1') }]);
      const broken = reading(whole, (source) => ({
        ...source,
        facts: source.facts,
        tickers: source.tickers,
        blocks: () => {
          throw new Error('damaged');
        },
      }));
      expect(() => sliceTape({ source: broken, writer: new BakedWriter(piece) })).toThrow('damaged');
      expect(existsSync(piece)).toBe(false);
    });
  });
});
