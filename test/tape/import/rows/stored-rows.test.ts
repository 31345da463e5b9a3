// Stored rows are passed on unchanged, under the receiver's market numbers; and no file of them stays.
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import type { TapeEvent } from '../../../../src/domain/event-kinds.ts';
import { type MarketIndex, TickerTable, ticker, tradeId } from '../../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { micros, price, qty } from '../../../../src/domain/units.ts';
import { NO_VENUE_TIME, RowKind } from '../../../../src/tape/baked/tape-rows.ts';
import type { DeltaRun } from '../../../../src/tape/baked/row-columns.ts';
import { StoredRows } from '../../../../src/tape/import/rows/stored-rows.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const NAMES = ['M-0', 'M-1', 'M-2'].map(ticker);
const AT = 1_795_000_000_000_000;

const market = fc.nat(2).map((number) => number as MarketIndex);
const venueTime = fc.option(fc.integer({ min: 1, max: AT }).map(micros));
const prices = fc.nat(10_000).map(price);
const amounts = fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map(qty);
const levels = fc.array(fc.tuple(prices, amounts), { maxLength: 4 });
const at = fc.constant(micros(AT));

const events: fc.Arbitrary<TapeEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('book-delta' as const),
    at,
    exchangeAt: venueTime,
    market,
    side: fc.constantFrom('bid' as const, 'ask' as const),
    price: prices,
    change: amounts,
  }),
  fc.record({
    kind: fc.constant('book-snapshot' as const),
    at,
    exchangeAt: venueTime,
    market,
    bids: levels,
    asks: levels,
  }),
  fc.record({
    kind: fc.constant('print' as const),
    at,
    exchangeAt: venueTime,
    market,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    price: prices,
    qty: amounts,
    tradeId: fc.string({ minLength: 1, maxLength: 5 }).map(tradeId),
  }),
  fc.record({
    kind: fc.constant('feed-gap' as const),
    at,
    markets: fc.array(market, { maxLength: 2 }),
    reason: fc.string(),
  }),
  fc.record({
    kind: fc.constant('market-changed' as const),
    at,
    exchangeAt: venueTime,
    market,
    grid: fc.constant(CENT_GRID),
  }),
  fc.record({ kind: fc.constant('exchange-status' as const), at, isActive: fc.boolean(), isTrading: fc.boolean() }),
);

/** The same event where the markets are numbered in reverse. */
function renumbered(event: TapeEvent): TapeEvent {
  const other = (number: MarketIndex): MarketIndex => (2 - number) as MarketIndex;
  if (event.kind === 'feed-gap') return { ...event, markets: event.markets.map(other) };
  return 'market' in event && typeof event.market === 'number'
    ? ({ ...event, market: other(event.market) } as TapeEvent)
    : event;
}

/** Rows of deltas as events. */
function changesOf({ block, from, to, numbers }: DeltaRun): TapeEvent[] {
  return Array.from({ length: to - from }, (_, more) => from + more).map((row) => ({
    kind: 'book-delta',
    at: micros(block.at[row] ?? 0),
    exchangeAt: block.venueAt[row] === NO_VENUE_TIME ? null : micros(block.venueAt[row] ?? 0),
    market: must(numbers[block.market[row] ?? 0], 'a number for the market'),
    side: block.kind[row] === RowKind.bid ? 'bid' : 'ask',
    price: price(block.price[row] ?? 0),
    change: qty(block.qty[row] ?? 0),
  }));
}

it("stored rows are passed on unchanged, under the receiver's market numbers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(events, { maxLength: 30 }), async (stored) => {
      const staged = new StoredRows();
      for (const name of NAMES) staged.tickers.internTicker(name);
      for (const event of stored) staged.addEvent(event);
      const tickers = new TickerTable();
      for (const name of NAMES.toReversed()) tickers.internTicker(name);
      const received: TapeEvent[] = [];
      const shares: number[] = [];
      await staged.replayTo(
        tickers,
        {
          addEvent: (event) => received.push(structuredClone(event)),
          addDeltas: (run) => received.push(...changesOf(run)),
        },
        (share) => shares.push(share),
      );
      staged.deleteFiles();
      expect(received).toEqual(stored.map(renumbered));
      expect(shares.at(-1) ?? 1).toBe(1);
    }),
    { numRuns: runCount(100) },
  );
});

it('stored rows leave no file, whether they were passed on or not', () => {
  const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('presage-import-'));
  const before = new Set(folders());
  const staged = new StoredRows();
  const own = folders().filter((name) => !before.has(name));
  expect(own.length).toBeGreaterThan(0);
  staged.deleteFiles();
  expect(own.some((name) => !existsSync(`${tmpdir()}/${name}`))).toBe(true);
});
