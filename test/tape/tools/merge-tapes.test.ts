// Merged tapes: at every time every book is one that a source knew; no gap is bridged, and nothing is written twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EPOCH, type Micros, cents, qty } from '../../../src/domain/units.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { type MergeReport, type MergedTapeCounts, mergeTapes } from '../../../src/tape/tools/merge-tapes.ts';
import { type RowFact, rowFacts, writeFact } from '../../../src/tape/tools/row-facts.ts';
import { TapeState } from '../../../src/tape/tools/tape-state.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';
import { at, booksAt, randomFacts, withTape, writeTape, withTapeFolder } from '../../support/tapes/random-facts.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { cutAt, print, slice, timesOf } from './tape-pieces.ts';
import { allSteps } from '../../support/tapes/all-steps.ts';

function merge(paths: readonly string[], to: string): MergeReport {
  const open = (rest: readonly string[], sources: Parameters<typeof mergeTapes>[0]['sources']): MergeReport => {
    const [first, ...others] = rest;
    if (first === undefined)
      return allSteps(mergeTapes({ sources, names: paths, writer: new BakedWriter(to, { blockRows: 8 }) }));
    return withTape(first, (source) => open(others, [...sources, source]));
  };
  return open(paths, []);
}

const snapshot = (after: number, count: number, market = M0): RowFact => ({
  kind: 'snapshot',
  row: { at: at(after), exchangeAt: null, market, bids: [[cents(40), qty(count)]], asks: [] },
});
const gapOf = (after: number, markets = [M0]): RowFact => ({
  kind: 'other',
  row: { kind: 'feed-gap', at: at(after), markets, reason: 'lost' },
});

const gapAt = (from: number, to: number, tickers: readonly string[]) => ({ from: at(from), to: at(to), tickers });

interface OneMarket {
  readonly notes?: readonly string[];
  readonly ticker: string;
  readonly to: number;
  readonly gap?: readonly [from: number, to: number];
}

/** Writes a tape of one market, which is market 0 in the facts. */
function writeMarket(path: string, facts: readonly RowFact[], { ticker, to, gap, notes = [] }: OneMarket): void {
  const writer = new BakedWriter(path, { blockRows: 8 });
  writer.marketNumber(ticker);
  for (const fact of facts) writeFact(writer, fact);
  if (gap !== undefined) writer.listGap({ ...gapAt(...gap, [ticker]), reason: 'lost' });
  for (const note of notes) writer.addAssumption(note);
  writer.finish({ source: 'service', venue: 'service', sourceHash: '', to: at(to) });
}

type Books = ReturnType<typeof booksAt>;

/** Events received by a recorder whose connection is lost and restored at these times, in turn. */
function recordedOf(truth: readonly RowFact[], outages: readonly number[]): RowFact[] {
  const switches = outages.map((after) => at(after)).sort((x, y) => x - y);
  const state = new TapeState();
  const received: RowFact[] = [];
  let isUp = true;
  const turn = (when: Micros): void => {
    isUp = !isUp;
    if (!isUp)
      return void received.push({ kind: 'other', row: { kind: 'feed-gap', at: when, markets: [], reason: 'lost' } });
    for (const market of state.marketsWithBooks())
      received.push({ kind: 'snapshot', row: { at: when, exchangeAt: null, market, ...state.bookOf(market)! } });
  };
  for (const fact of truth) {
    for (; (switches[0] ?? Infinity) < fact.row.at;) turn(switches.shift()!);
    state.applyFact(fact);
    if (isUp) received.push(fact);
  }
  return received;
}

describe('a merged tape', () => {
  it('a merge of the pieces of a tape has the same books at every later time, wherever it was cut', () => {
    fc.assert(
      fc.property(randomFacts, fc.uniqueArray(cutAt, { minLength: 1, maxLength: 3 }), (list, cuts) => {
        withTapeFolder((folder) => {
          const whole = join(folder, 'whole.arrow');
          writeTape(whole, list);
          const times = timesOf(whole);
          const ordered = cuts.filter((cut) => cut > times[0]! && cut <= times.at(-1)!).sort((a, b) => a - b);
          const bounds = [undefined, ...ordered, undefined];
          const pieces = bounds.slice(1).map((to, number) => {
            const path = join(folder, `${number}.arrow`);
            const from = bounds[number];
            slice(whole, path, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
            return path;
          });
          const merged = join(folder, 'merged.arrow');
          const report = merge(pieces, merged);
          expect(report.doubledPrints).toBe(0);
          for (const time of times)
            expect(
              withTape(merged, (source) => booksAt(source, time)),
              `at ${time - at(0)}`,
            ).toEqual(withTape(whole, (source) => booksAt(source, time)));
          const printsOf = (path: string) =>
            withTape(path, (source) => [...rowFacts(source)].filter(({ kind }) => kind === 'print').length);
          expect(printsOf(merged)).toBe(printsOf(whole));
        });
      }),
      { numRuns: runCount(100) },
    );
  });

  it('a tape without rows, as of an import that read nothing, changes neither the times nor the rows', () => {
    withTapeFolder((folder) => {
      const [empty, whole] = [join(folder, 'empty.arrow'), join(folder, 'whole.arrow')];
      writeTape(empty, [], { from: EPOCH, to: EPOCH });
      const { from, to, rows } = writeTape(whole, [snapshot(1, 100)], { from: at(1), to: at(9) });
      expect(merge([empty, whole], join(folder, 'a.arrow')).facts).toMatchObject({ from, to, rows });
      expect(merge([whole, empty], join(folder, 'b.arrow')).facts).toMatchObject({ from, to, rows });
      expect(merge([empty, empty], join(folder, 'c.arrow')).facts).toMatchObject({ from: EPOCH, to: EPOCH, rows: 0 });
    });
  });

  it('a merge of pieces knows no book that was lost at the time of the cut, with which a piece ends', () => {
    withTapeFolder((folder) => {
      const [whole, merged] = [join(folder, 'whole.arrow'), join(folder, 'merged.arrow')];
      const pieces = [join(folder, 'one.arrow'), join(folder, 'two.arrow')];
      const level = { at: at(30), exchangeAt: null, market: M0, side: 'ask' as const, price: cents(50) };
      const wrong: RowFact = { kind: 'delta', row: { ...level, change: qty(-1) } };
      writeTape(whole, [snapshot(1, 100), { kind: 'print', row: print(30, 't1') }, wrong]);
      slice(whole, pieces[0]!, { to: at(30) });
      slice(whole, pieces[1]!, { from: at(30) });
      merge(pieces, merged);
      for (const path of [whole, merged]) {
        expect([...withTape(path, (source) => booksAt(source, at(30))).keys()]).toEqual([]);
        expect(withTape(path, ({ facts }) => facts.counts['print'])).toBe(1);
      }
    });
  });

  it('a merge of the pieces of a tape has all of its rows except repeated definitions, which it counts', () => {
    withTapeFolder((folder) => {
      const [whole, merged] = [join(folder, 'whole.arrow'), join(folder, 'merged.arrow')];
      const describes = (after: number, title: string): RowFact => ({
        kind: 'other',
        row: { kind: 'market', at: at(after), market: aMarket(0, { title }) },
      });
      const status = (after: number, isTrading: boolean): RowFact => ({
        kind: 'other',
        row: { kind: 'exchange-status', at: at(after), isActive: true, isTrading },
      });
      const facts = [
        status(0, true),
        describes(0, 'a'),
        snapshot(1, 100),
        { kind: 'print', row: print(2, 't1') } as const,
      ];
      const [repeated, news] = [
        [status(3, true), describes(3, 'a')],
        [describes(4, 'b'), status(4, false)],
      ];
      writeTape(whole, [...facts, ...repeated, ...news, describes(5, 'b'), describes(6, 'a')]);
      const { tapes } = merge([whole], merged);
      expect(tapes).toEqual([{ name: whole, rows: 10, taken: 7, repeated: 3, leftOut: 0 }]);
      expect(withTape(merged, (source) => [...rowFacts(source)])).toEqual([...facts, ...news, describes(6, 'a')]);
    });
  });

  it('a merge reports the rows taken from a tape without gaps', () => {
    fc.assert(
      fc.property(randomFacts, (list) => {
        withTapeFolder((folder) => {
          const [whole, merged] = [join(folder, 'whole.arrow'), join(folder, 'merged.arrow')];
          const unbroken = list.filter(({ row }) => !('kind' in row && row.kind === 'feed-gap'));
          writeTape(whole, unbroken);
          const { tapes } = merge([whole], merged);
          const [{ rows, taken, repeated, leftOut }] = tapes as [MergedTapeCounts];
          expect({ rows, leftOut }).toEqual({ rows: unbroken.length, leftOut: 0 });
          expect(taken + repeated).toBe(rows);
          expect(withTape(merged, (source) => [...rowFacts(source)].length)).toBe(taken);
        });
      }),
    );
  });

  it('a merge of two equal tapes writes everything once', () => {
    fc.assert(
      fc.property(randomFacts, (list) => {
        withTapeFolder((folder) => {
          const [one, two, merged] = ['one', 'two', 'merged'].map((name) => join(folder, `${name}.arrow`)) as [
            string,
            string,
            string,
          ];
          writeTape(one, list);
          writeTape(two, list);
          merge([one, two], merged);
          const counted = (path: string, kind: string) => withTape(path, ({ facts }) => facts.counts[kind] ?? 0);
          expect(counted(merged, 'print')).toBe(counted(one, 'print'));
          for (const time of timesOf(one))
            expect(withTape(merged, (source) => booksAt(source, time))).toEqual(
              withTape(one, (source) => booksAt(source, time)),
            );
        });
      }),
    );
  });

  it('a merge of two recorders with different gaps knows every book that one of them knows, correctly', () => {
    const outages = fc.uniqueArray(fc.integer({ min: 0, max: 1500 }), { maxLength: 6 });
    fc.assert(
      fc.property(randomFacts, outages, outages, (list, ofA, ofB) => {
        withTapeFolder((folder) => {
          const truth = list.filter(({ row }) => !('kind' in row && row.kind === 'feed-gap'));
          const [whole, a, b, merged] = ['whole', 'a', 'b', 'merged'].map((name) => join(folder, `${name}.arrow`)) as [
            string,
            string,
            string,
            string,
          ];
          writeTape(whole, truth);
          const times = timesOf(whole);
          // Both run until the end, whatever they receive then.
          const to = times.at(-1)!;
          writeTape(a, recordedOf(truth, ofA), { to });
          writeTape(b, recordedOf(truth, ofB), { to });
          merge([a, b], merged);
          for (const time of times) {
            const [really, heardA, heardB, known] = [whole, a, b, merged].map((path) =>
              withTape(path, (source) => booksAt(source, time)),
            ) as [Books, Books, Books, Books];
            for (const [name, book] of known) expect(book, `${name} at ${time - at(0)}`).toEqual(really.get(name));
            expect([...known.keys()].sort()).toEqual([...new Set([...heardA.keys(), ...heardB.keys()])].sort());
          }
        });
      }),
      { numRuns: runCount(150) },
    );
  });

  it('a merge switches to the other recorder where one lost the book, and reports it', () => {
    withTapeFolder((folder) => {
      const [a, b, merged] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'merged.arrow')];
      writeTape(a, [snapshot(0, 100), { kind: 'print', row: print(5, 't1') }, gapOf(10), snapshot(40, 900)]);
      writeTape(b, [
        snapshot(2, 100),
        { kind: 'print', row: print(12, 't1') },
        snapshot(20, 300),
        { kind: 'print', row: print(30, 't2') },
      ]);
      const report = merge([a, b], merged);
      expect(report.stretches).toEqual([
        { ticker: 'M-0', tape: a, from: at(0), to: at(10) },
        { ticker: 'M-0', tape: b, from: at(10), to: at(30) },
        { ticker: 'M-0', tape: a, from: at(40), to: at(40) },
      ]);
      expect(report.doubledPrints).toBe(1);
      expect(report.facts.counts).toMatchObject({ print: 2 });
      withTape(merged, (source) => {
        expect(booksAt(source, at(15)).get('M-0')?.bids).toEqual([[cents(40), qty(100)]]);
        expect(booksAt(source, at(25)).get('M-0')?.bids).toEqual([[cents(40), qty(300)]]);
      });
    });
  });

  it.each([
    ['ends with the other', [], 5],
    ['ends before the other, which does not know the book', [gapOf(4)], 9],
    ['loses the book when no other tape knows it', [gapOf(4)], 5],
  ])('a merge has the print that only one recorder received where the source tape %s', (_what, lost, to) => {
    withTapeFolder((folder) => {
      const [one, two, merged] = [join(folder, 'one.arrow'), join(folder, 'two.arrow'), join(folder, 'merged.arrow')];
      const ends = lost.length > 0 && to === 5 ? [gapOf(5)] : [];
      writeTape(one, [snapshot(1, 100), ...ends], { to: at(5) });
      writeTape(two, [snapshot(2, 100), { kind: 'print', row: print(3, 't1') }, ...lost], { to: at(to) });
      const { tapes } = merge([one, two], merged);
      expect(withTape(merged, ({ facts }) => facts.counts['print'])).toBe(1);
      expect(tapes.map(({ leftOut }) => leftOut)).toEqual([0, 1]);
    });
  });

  it('a merge writes each print of a sweep once when the other recorder receives them later', () => {
    withTapeFolder((folder) => {
      const [one, two, merged] = [join(folder, 'one.arrow'), join(folder, 'two.arrow'), join(folder, 'merged.arrow')];
      const sweep = (after: number): RowFact[] =>
        Array.from({ length: 300 }, (_, i) => ({ kind: 'print', row: print(after, `t${i}`) }));
      writeTape(one, [snapshot(0, 100), ...sweep(1000)], { to: at(20_000) });
      writeTape(two, [snapshot(0, 100), ...sweep(11_000)], { to: at(20_000) });
      const { doubledPrints } = merge([one, two], merged);
      expect(withTape(merged, ({ facts }) => facts.counts['print'])).toBe(300);
      expect(doubledPrints).toBe(300);
    });
  });

  it('a merge counts as taken the rows of two pieces that are on it', () => {
    withTapeFolder((folder) => {
      const [whole, merged] = [join(folder, 'whole.arrow'), join(folder, 'merged.arrow')];
      const pieces = [join(folder, 'one.arrow'), join(folder, 'two.arrow')];
      const described: RowFact = { kind: 'other', row: { kind: 'market', at: at(0), market: aMarket(0) } };
      writeTape(whole, [described, { kind: 'print', row: print(1, 't1') }, { kind: 'print', row: print(50, 't2') }]);
      slice(whole, pieces[0]!, { to: at(30) });
      slice(whole, pieces[1]!, { from: at(30) });
      const { tapes } = merge(pieces, merged);
      expect(tapes.map(({ taken, repeated }) => [taken, repeated])).toEqual([
        [2, 0],
        [1, 1],
      ]);
      expect(withTape(merged, (source) => [...rowFacts(source)].length)).toBe(3);
    });
  });

  it('a merge bridges no stretch that no tape covers', () => {
    withTapeFolder((folder) => {
      const [a, b, merged] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'merged.arrow')];
      writeTape(a, [snapshot(0, 100), snapshot(0, 50, M1)]);
      writeTape(b, [snapshot(100, 300)]);
      const { facts } = merge([a, b], merged);
      expect(facts.gaps).toEqual([{ from: at(0), to: at(100), reason: `${a} ends`, tickers: [] }]);
      expect(withTape(merged, (source) => booksAt(source, at(99))).size).toBe(0);
      expect(withTape(merged, (source) => [...booksAt(source, at(100)).keys()])).toEqual(['M-0']);
    });
  });

  it('the time between tapes of other markets is a gap of all markets, also when merged a second time', () => {
    withTapeFolder((folder) => {
      const [a, b, c] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'c.arrow')];
      writeMarket(a, [snapshot(0, 100)], { ticker: 'M-0', to: 10 });
      // The recording ends at 45; the result of the market comes later.
      writeMarket(b, [snapshot(30, 100), gapOf(45)], { ticker: 'M-1', to: 50, gap: [45, 50] });
      writeMarket(c, [snapshot(80, 300)], { ticker: 'M-2', to: 120 });
      const [merged, first, again] = [join(folder, 'm.arrow'), join(folder, 'ab.arrow'), join(folder, 'abc.arrow')];
      const gaps = [gapAt(10, 30, []), gapAt(45, 80, [])];
      expect(merge([a, b, c], merged).facts.gaps).toMatchObject([
        { ...gaps[0], reason: `${a} ends` },
        gapAt(10, 120, ['M-0']),
        { ...gaps[1], reason: 'lost' },
        gapAt(45, 120, ['M-1']),
      ]);
      merge([a, b], first);
      expect(merge([first, c], again).facts.gaps.filter(({ tickers }) => tickers.length === 0)).toMatchObject(gaps);
    });
  });

  it('a gap of all markets of one tape is none while another tape records', () => {
    withTapeFolder((folder) => {
      const [a, b, merged] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'merged.arrow')];
      writeMarket(a, [snapshot(0, 100), gapOf(20, []), snapshot(60, 100)], { ticker: 'M-0', to: 90, gap: [20, 60] });
      writeMarket(b, [snapshot(10, 100)], { ticker: 'M-1', to: 40 });
      const { facts } = merge([a, b], merged);
      expect(facts.gaps.filter(({ tickers }) => tickers.length === 0)).toMatchObject([gapAt(40, 60, [])]);
    });
  });

  it('the counts in the notes of a merge are those of all of its tapes', () => {
    withTapeFolder((folder) => {
      const [a, b, merged] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'merged.arrow')];
      const notes = ['The fees of 1 event group have no definition.'];
      writeMarket(a, [snapshot(0, 100)], { ticker: 'M-0', to: 10, notes });
      writeMarket(b, [snapshot(30, 100)], { ticker: 'M-1', to: 50, notes });
      expect(merge([a, b], merged).facts.assumptions).toEqual([
        'The fees of 2 event groups have no definition.',
        'Merged from 2 tapes; where several cover a market, one of them is used for each stretch.',
      ]);
      writeMarket(join(folder, 'c.arrow'), [snapshot(60, 100)], { ticker: 'M-1', to: 70, notes });
      expect(merge([merged, join(folder, 'c.arrow')], join(folder, 'all.arrow')).facts.assumptions).toEqual([
        'The fees of at most 3 event groups have no definition.',
        'Merged from 3 tapes; where several cover a market, one of them is used for each stretch.',
      ]);
    });
  });

  it('a merge of two venues is refused', () => {
    withTapeFolder((folder) => {
      const [a, b, merged] = [join(folder, 'a.arrow'), join(folder, 'b.arrow'), join(folder, 'merged.arrow')];
      writeTape(a, [snapshot(0, 100)]);
      writeTape(b, [snapshot(100, 300)], { venue: 'other' });
      expect(() => merge([a, b], merged)).toThrow(/expected tapes of one venue, found service in .* and other in/);
      expect(existsSync(merged)).toBe(false);
    });
  });
});
