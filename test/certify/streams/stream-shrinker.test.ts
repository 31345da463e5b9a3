// Streams: equal for equal seeds, valid whatever is left out of them, and shrunk to what a fault needs.
import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EFFORTS, type Finding } from '../../../src/certify/check-verdict.ts';
import { mixedStream } from '../../../src/certify/streams/stream-generator.ts';
import { shrink } from '../../../src/certify/streams/stream-shrinker.ts';
import type { Stream } from '../../../src/certify/streams/stream.ts';
import { streamRows } from '../../../src/certify/streams/stream-rows.ts';
import { type RowBlock, RowKind } from '../../../src/tape/baked/tape-rows.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const SHORT = { ...EFFORTS.quick, seconds: 60 };

/** Books as a tape's rows make them, and their faults: negative quantities, crossed books, and time that goes back. */
class Books {
  readonly faults: string[] = [];
  readonly #levels = new Map<string, Map<number, number>>();
  #last = 0;

  #side(market: number, side: 'bid' | 'ask'): Map<number, number> {
    const name = `${market} ${side}`;
    const levels = this.#levels.get(name) ?? new Map<number, number>();
    this.#levels.set(name, levels);
    return levels;
  }

  take({ kind, at, market, price, qty }: RowBlock, row: number): void {
    const [what, where] = [kind[row]!, market[row]!];
    if (at[row]! < this.#last) this.faults.push(`time goes back at row ${row}`);
    this.#last = at[row]!;
    if (what === RowKind.snapshot) for (const side of ['bid', 'ask'] as const) this.#side(where, side).clear();
    if (!LEVELS.has(what)) return;
    const levels = this.#side(where, what === RowKind.bid || what === RowKind.bidLevel ? 'bid' : 'ask');
    const left = (levels.get(price[row]!) ?? 0) + qty[row]!;
    if (left < 0) this.faults.push(`a negative quantity at row ${row}`);
    if (left === 0) levels.delete(price[row]!);
    else levels.set(price[row]!, left);
    const [bid, ask] = [Math.max(...this.#side(where, 'bid').keys()), Math.min(...this.#side(where, 'ask').keys())];
    if (bid >= ask) this.faults.push(`crossed at row ${row}`);
  }
}

const LEVELS: ReadonlySet<number> = new Set([RowKind.bid, RowKind.ask, RowKind.bidLevel, RowKind.askLevel]);

function faultsOf(stream: Stream): string[] {
  const books = new Books();
  for (const block of streamRows(stream).readBlocks())
    for (let row = 0; row < block.count; row++) books.take(block, row);
  return books.faults;
}

describe('a generated stream', () => {
  it('is equal for an equal seed and differs for another seed', () => {
    expect(mixedStream(SHORT, 5, {})).toEqual(mixedStream(SHORT, 5, {}));
    expect(mixedStream(SHORT, 5, {})).not.toEqual(mixedStream(SHORT, 6, {}));
  });

  it('has the names that a strategy asks for', () => {
    const { markets } = mixedStream(SHORT, 1, { series: ['SNOW'], events: ['SNOW-1', 'SNOW-2'], tickers: ['X', 'Y'] });
    expect(new Set(markets.map(({ seriesTicker }) => seriesTicker))).toEqual(new Set(['SNOW']));
    expect(new Set(markets.map(({ eventTicker }) => eventTicker))).toEqual(new Set(['SNOW-1', 'SNOW-2']));
    expect(markets.slice(0, 2).map(({ ticker }) => ticker)).toEqual(['X', 'Y']);
  });

  it('makes a valid tape whatever is left out of it', () => {
    assert(
      property(integer({ min: 1, max: 1000 }), integer({ min: 2, max: 9 }), (seed, every) => {
        const whole = mixedStream(SHORT, seed, {});
        const happenings = whole.happenings.filter((_, at) => at % every !== 0);
        return faultsOf({ ...whole, happenings }).length === 0;
      }),
      { numRuns: runCount(8) },
    );
  });
});

describe('shrinking a stream', () => {
  it('leaves the events that a fault needs, with their markets, and nothing else', () => {
    const whole = mixedStream(SHORT, 3, {});
    const trades = whole.happenings.filter(({ type }) => type === 'trade');
    const needed = [trades[2], trades[trades.length - 4]];
    const shows = ({ happenings }: Stream): Finding | null =>
      needed.every((each) => happenings.includes(each!)) ? { words: 'both', atMs: needed[1]!.atMs } : null;
    const finding = shows(whole)!;
    const budget = { runsMax: 2000, isOver: () => false };
    const { stream } = shrink(whole, { finding, findFault: shows }, budget);
    expect(stream.happenings).toEqual(needed);
    expect(new Set(stream.markets.map(({ ticker }) => ticker))).toEqual(new Set(needed.map((each) => each!.market)));
  });

  it('ends when its budget is spent, with a stream that still shows the fault', () => {
    const whole = mixedStream(SHORT, 3, {});
    let runs = 0;
    const shows = ({ happenings }: Stream): Finding | null => {
      runs += 1;
      return happenings.length > 10 ? { words: 'many', atMs: whole.untilMs } : null;
    };
    const { stream } = shrink(whole, { finding: shows(whole)!, findFault: shows }, { runsMax: 5, isOver: () => false });
    expect(runs).toBe(6);
    expect(stream.happenings.length).toBeGreaterThan(10);
  });
});
