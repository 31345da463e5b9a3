// Results that are inserted once all files are read: each is at its time, and all other rows stay as they are.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
import { micros } from '../../../src/domain/units.ts';
import type { Definitions } from '../../../src/tape/import/import-formats.ts';
import { MS, changeOf, linesOf, snapshotOf, subscribedTo, tradeOf } from '../../support/tapes/captured-messages.ts';
import { type ImportResult, type TestImportOptions, importFiles } from '../../support/tapes/imported-tape.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const CLOSE = micros(MS * 1000 + 6000);
const PAID = micros(CLOSE + 5000);

/** The definition of a market, with its result or without. */
const listed = (name: string, isSettled: boolean): Definitions['markets'][number] => ({
  ticker: ticker(name),
  eventTicker: eventTicker('EVENT'),
  title: name,
  status: isSettled ? 'finalized' : 'active',
  openAt: micros(MS * 1000 - 1_000_000),
  closeAt: CLOSE,
  canCloseEarly: false,
  grid: CENT_GRID,
  result: isSettled ? 'yes' : null,
  settlementValue: null,
  determinedAt: null,
  settledAt: null,
  settlementDelay: micros(PAID - CLOSE),
});

const markets = fc.constantFrom('M-1', 'M-2', 'N-1');
const messages = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      market: markets,
      cent: fc.integer({ min: 1, max: 99 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('book' as const), market: markets }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trade' as const), market: markets }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'lost' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'starts over' as const }) },
);

function linesFrom(steps: readonly (typeof messages extends fc.Arbitrary<infer T> ? T : never)[]): string {
  let seq = 0;
  const first = snapshotOf((seq += 1), { market: 'M-2' });
  let trades = 0;
  const lines = steps.flatMap((each): object[] => {
    switch (each.kind) {
      case 'change':
        return [changeOf((seq += 1), { market: each.market, price: `0.${String(each.cent).padStart(2, '0')}00` })];
      case 'book':
        return [snapshotOf((seq += 1), { market: each.market, yes: [['0.4000', '3.00']], no: [['0.5000', '2.00']] })];
      case 'trade':
        return [tradeOf((trades += 1), { market_ticker: each.market })];
      case 'lost':
        seq += 1;
        return [];
      case 'starts over':
        seq = 0;
        return [subscribedTo(1)];
    }
  });
  // At least one line needs a time.
  return linesOf(subscribedTo(1), first, ...lines, changeOf((seq += 1), { market: 'M-2' }));
}

/** Rows by market names: the numbers are each tape's own. */
const named = ({ facts, nameOf }: ImportResult) =>
  facts.map(({ row }) => {
    if ('market' in row && typeof row.market === 'number') return { ...row, market: nameOf(row.market) };
    if ('market' in row && 'index' in row.market)
      return { ...row, market: { ...row.market, index: nameOf(row.market.index) } };
    if ('markets' in row) return { ...row, markets: row.markets.map((market: MarketIndex) => nameOf(market)) };
    return row;
  });

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-results-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Described extends TestImportOptions {
  readonly format: string;
  /** Tickers of the defined markets. */
  readonly names: readonly string[];
}

/** The tape of a file whose markets were defined without their results, and with them. */
async function bothTapes(text: string, { format, names, ...options }: Described) {
  const file = join(folder, format === 'feed-jsonl' ? 'capture.jsonl' : 'trades.csv');
  writeFileSync(file, text);
  const tapes = [false, true].map((isSettled) => {
    const definitions = { markets: names.map((name) => listed(name, isSettled)), groups: [], series: [] };
    return importFiles(format, [file], { ...options, definitions });
  });
  return (await Promise.all(tapes)).map((imported) => named(imported));
}

type Row = ReturnType<typeof named>[number];

const isDefinition = (row: Row): boolean => 'kind' in row && /^(market|event-group|series)$/.test(row.kind);

interface Timed {
  readonly at: number;
}

/** The place before the first row that is not earlier, after results of the same time. */
const placeIn = (rows: readonly Timed[], { at }: Timed): number =>
  rows.findIndex((row) => row.at > at || (row.at === at && !('status' in row)));

/** The tape with the results of these markets, in their order, each before the first row that is not earlier. */
function withResults(plain: readonly Row[], names: readonly string[]): readonly object[] {
  const [from, to] = [plain[0]?.at ?? 0, plain.at(-1)?.at ?? 0];
  const change = (market: string, at: number) => ({
    kind: 'market-changed',
    at: Math.max(from, at),
    exchangeAt: null,
    market,
  });
  const results = names
    .flatMap((name) => [
      { ...change(name, CLOSE), status: 'determined', result: 'yes', settlementValue: null },
      { ...change(name, PAID), status: 'finalized' },
    ])
    .toSorted((a, b) => a.at - b.at);
  const left = results.filter(({ at }) => at > to);
  const definitions = plain.filter(isDefinition);
  const rows: Timed[] = plain.slice(definitions.length);
  for (const result of results.filter(({ at }) => at <= to)) rows.splice(placeIn(rows, result), 0, result);
  const gap = { kind: 'feed-gap', at: to, markets: [], reason: 'the files end here' };
  return [...definitions, ...rows, ...(left.length > 0 ? [gap] : []), ...left];
}

it('a capture has the results of its markets at their times, and is otherwise the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(messages, { maxLength: 40 }),
      fc.subarray(['M-1', 'N-1', 'M-2']),
      async (steps, described) => {
        const options = { format: 'feed-jsonl', names: described, dialect: 'dollars' };
        const [plain = [], settled = []] = await bothTapes(linesFrom(steps), options);
        const seen = plain.flatMap((row) => ('market' in row && typeof row.market === 'string' ? [row.market] : []));
        const names = [...new Set(seen)].filter((name) => described.includes(name));
        expect(settled).toEqual(withResults(plain, names));
      },
    ),
    { numRuns: runCount(30) },
  );
});

it('trades have the results of their markets at their times, after empty books', async () => {
  const text = 'ticker,ts,yes_price,count,taker_side\nM-2,1795000000,40,1,yes\nM-1,1795000001,41,2,no\n';
  const [plain = [], settled = []] = await bothTapes(text, { format: 'trades-csv', names: ['M-2'], emptyBooks: true });
  expect(settled).toEqual(withResults(plain, ['M-2']));
  expect(plain.filter((row) => 'bids' in row)).toHaveLength(2);
});
