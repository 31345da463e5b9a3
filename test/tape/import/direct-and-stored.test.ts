// Rows written directly to the tape, and rows stored until all files are read, give the same tape.
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

const listed = (name: string, isSettled: boolean): Definitions['markets'][number] => ({
  ticker: ticker(name),
  eventTicker: eventTicker('EVENT'),
  title: name,
  status: isSettled ? 'finalized' : 'active',
  openAt: micros(MS * 1000 - 1_000_000),
  closeAt: micros(MS * 1000 + 1_000_000),
  canCloseEarly: false,
  grid: CENT_GRID,
  result: isSettled ? 'yes' : null,
  settlementValue: null,
  determinedAt: null,
  settledAt: null,
  settlementDelay: micros(1000),
});

/** A market without rows whose listed result makes the import store the rows; it changes nothing else. */
const KEEPING = listed('ELSEWHERE-1', true);

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
const named = ({ facts, nameOf }: ImportResult): unknown =>
  facts.map(({ row }) => {
    if ('market' in row && typeof row.market === 'number') return { ...row, market: nameOf(row.market) };
    if ('market' in row && 'index' in row.market)
      return { ...row, market: { ...row.market, index: nameOf(row.market.index) } };
    if ('markets' in row) return { ...row, markets: row.markets.map((market: MarketIndex) => nameOf(market)) };
    return row;
  });

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-straight-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ways extends TestImportOptions {
  readonly format: string;
  readonly known: Definitions['markets'];
}

/** The tape of a file with rows written directly, and with rows stored first. */
async function bothWays(text: string, { format, known, ...options }: Ways) {
  const file = join(folder, format === 'feed-jsonl' ? 'capture.jsonl' : 'trades.csv');
  writeFileSync(file, text);
  const ways = [known, [...known, KEEPING]].map((of) =>
    importFiles(format, [file], { ...options, definitions: { markets: of, groups: [], series: [] } }),
  );
  return (await Promise.all(ways)).map((imported) => ({ report: imported.report, facts: named(imported) }));
}

it('a capture gives the same tape, whether its rows are written directly or stored first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(messages, { maxLength: 40 }), fc.subarray(['M-1', 'N-1']), async (steps, described) => {
      const known = described.map((name) => listed(name, false));
      const [straight, kept] = await bothWays(linesFrom(steps), { format: 'feed-jsonl', known, dialect: 'dollars' });
      expect(straight).toEqual(kept);
    }),
    { numRuns: runCount(60) },
  );
});

it('trades give the same tape both ways, with empty books before them', async () => {
  const text = 'ticker,ts,yes_price,count,taker_side\nM-2,1795000000,40,1,yes\nM-1,1795000001,41,2,no\n';
  const [straight, kept] = await bothWays(text, { format: 'trades-csv', known: [], emptyBooks: true });
  expect(straight).toEqual(kept);
  expect(straight?.report.facts.counts).toMatchObject({ snapshot: 2, print: 2 });
});
