// Baked tapes for tests: random facts of three markets written to a file, and the books that are known after them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { tradeId } from '../../../src/domain/ids.ts';
import { type Micros, type Price, type Qty, cents, micros, qty } from '../../../src/domain/units.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import type { RowSource, TapeFacts } from '../../../src/tape/baked/tape-rows.ts';
import { BakedWriter, type TapeOrigin } from '../../../src/tape/baked/baked-writer.ts';
import { type RowFact, rowFacts, writeFact } from '../../../src/tape/tools/row-facts.ts';
import { TapeState } from '../../../src/tape/tools/tape-state.ts';
import { aMarket, index, tickerOf } from '../engine/builders.ts';

const BEGUN = 1_763_700_000_000_000;
export const at = (microsLater: number): Micros => micros(BEGUN + microsLater);

/** Runs a function with a temporary folder, and deletes the folder afterwards. */
export function withTapeFolder<T>(act: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'presage-tapes-'));
  try {
    return act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const levels = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 900 })), {
    maxLength: 5,
    selector: ([price]) => price,
  })
  .map((list) => list.map(([price, count]): readonly [Price, Qty] => [cents(price), qty(count)]));

/** One step of a random tape: the time since the step before, its market and its kind. */
interface Step {
  readonly afterUs: number;
  readonly market: number;
  readonly what: 'delta' | 'snapshot' | 'print' | 'gap' | 'gap-all' | 'close' | 'describe';
  readonly price: number;
  readonly count: number;
  readonly isBid: boolean;
  readonly levels: readonly (readonly [Price, Qty])[];
}

const step: fc.Arbitrary<Step> = fc.record({
  afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 })),
  market: fc.integer({ min: 0, max: 2 }),
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constant('delta' as const) },
    { weight: 4, arbitrary: fc.constant('snapshot' as const) },
    { weight: 3, arbitrary: fc.constant('print' as const) },
    fc.constantFrom('gap' as const, 'gap-all' as const, 'close' as const, 'describe' as const),
  ),
  price: fc.integer({ min: 1, max: 40 }),
  count: fc.integer({ min: -300, max: 600 }).filter((count) => count !== 0),
  isBid: fc.boolean(),
  levels,
});

/** Generates random facts: three markets that are defined at the start, then rows of any kind. */
export const randomFacts: fc.Arbitrary<RowFact[]> = fc.array(step, { minLength: 1, maxLength: 60 }).map((steps) => {
  let now = 0;
  const begun: RowFact[] = [0, 1, 2].map((market) => described(market, at(0)));
  return begun.concat(
    steps.map((each, number) => {
      now += each.afterUs;
      return factOf(each, number, at(now));
    }),
  );
});

const described = (market: number, when: Micros, title = 'first'): RowFact => ({
  kind: 'other',
  row: { kind: 'market', at: when, market: aMarket(market, { title, closeAt: at(1_000_000) }) },
});

function factOf(
  { market: number, what, price, count, isBid, levels: side }: Step,
  serial: number,
  when: Micros,
): RowFact {
  const market = index(number);
  const base = { at: when, exchangeAt: serial % 3 === 0 ? null : micros(when - 7), market };
  switch (what) {
    case 'delta':
      return { kind: 'delta', row: { ...base, side: isBid ? 'bid' : 'ask', price: cents(price), change: qty(count) } };
    case 'snapshot': {
      const asks = side.slice(2).map(([p, q]): readonly [Price, Qty] => [cents(p / 100 + 50), q]);
      return { kind: 'snapshot', row: { ...base, bids: side.slice(0, 2), asks } };
    }
    case 'print': {
      const id = tradeId(`t${serial}`);
      return {
        kind: 'print',
        row: { ...base, side: isBid ? 'buy' : 'sell', price: cents(price), qty: qty(100), tradeId: id },
      };
    }
    case 'gap':
      return { kind: 'other', row: { kind: 'feed-gap', at: when, markets: [market], reason: 'a number is missing' } };
    case 'gap-all':
      return { kind: 'other', row: { kind: 'feed-gap', at: when, markets: [], reason: 'the connection was lost' } };
    case 'close':
      return { kind: 'other', row: { kind: 'market-changed', ...base, status: isBid ? 'inactive' : 'active' } };
    case 'describe':
      return described(number, when, `${serial}`);
  }
}

const ORIGIN: TapeOrigin = { source: 'service', venue: 'service', sourceHash: 'a0' };

/** Writes facts into a file, in small blocks. */
export function writeTape(path: string, list: readonly RowFact[], origin: Partial<TapeOrigin> = {}): TapeFacts {
  const writer = new BakedWriter(path, { blockRows: 8 });
  for (const number of [0, 1, 2]) writer.marketNumber(tickerOf(number));
  for (const fact of list) writeFact(writer, fact);
  return writer.finish({ ...ORIGIN, ...origin });
}

/** The known book of one market. */
export interface KnownBook {
  readonly bids: readonly (readonly [Price, Qty])[];
  readonly asks: readonly (readonly [Price, Qty])[];
}

/** Returns every book that is known after all facts up to and including a time, by ticker. */
export function booksAt(source: RowSource, when: Micros): Map<string, KnownBook> {
  const state = stateAt(source, when);
  return new Map(state.marketsWithBooks().map((market) => [source.tickers.tickerOf(market), state.bookOf(market)!]));
}

export function stateAt(source: RowSource, when: Micros): TapeState {
  const state = new TapeState();
  for (const fact of rowFacts(source)) if (fact.row.at <= when) state.applyFact(fact);
  return state;
}

/** Opens a tape, passes it to a function and closes it. */
export function withTape<T>(path: string, act: (source: RowSource) => T): T {
  const source = openBakedFile(path);
  try {
    return act(source);
  } finally {
    source.close();
  }
}
