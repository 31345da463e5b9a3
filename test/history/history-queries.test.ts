// Questions to the history of one simulated bot: pages, filters, an order's life, the timeline, sums and files.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { TRADE_COLUMNS, profitColumns } from '../../src/history/export/history-columns.ts';
import { csvLines, jsonRecord, writeParquet } from '../../src/history/export/history-files.ts';
import {
  type TradeRow,
  findOrder,
  listOrders,
  listSessions,
  listTimeline,
  listTrades,
} from '../../src/history/queries/history-queries.ts';
import { listHeld, readAccount } from '../../src/history/queries/account-query.ts';
import { readMarketPast } from '../../src/history/queries/market-past.ts';
import { sumFees, sumProfit } from '../../src/history/queries/profit-queries.ts';
import { HistoryFolder, simulateJournal } from './simulated-history.ts';

/** Patience for a simulation on a busy machine. */
const PATIENCE_MS = 60_000;

describe('questions to the history', () => {
  const folder = new HistoryFolder();
  const files = mkdtempSync(join(tmpdir(), 'presage-history-export-'));
  let trades: readonly TradeRow[] = [];

  beforeAll(async () => {
    const { storage } = await simulateJournal(1);
    await folder.update(storage);
    trades = folder.read((store) => listTrades(store).rows);
  }, PATIENCE_MS);
  afterAll(() => {
    folder.remove();
    rmSync(files, { recursive: true, force: true });
  });

  it('pages through all rows once, the newest first', () => {
    const paged: TradeRow[] = [];
    for (let cursor: string | undefined; ;) {
      const page = folder.read((store) => listTrades(store, {}, { limit: 7, ...(cursor && { cursor }) }));
      paged.push(...page.rows);
      if (page.next === null) break;
      cursor = page.next;
    }
    expect(paged).toEqual(trades);
    expect(trades.length).toBeGreaterThan(20);
    const times = trades.map(({ venueUs, atUs }) => venueUs ?? atUs);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(() => folder.read((store) => listTrades(store, {}, { cursor: '1 OR 1' }))).toThrow('cursor');
  });

  it('filters by strategy, market and time', () => {
    const { strategy, ticker } = must(trades[0], 'a trade');
    const times = trades.map(({ venueUs, atUs }) => venueUs ?? atUs).toSorted((a, b) => a - b);
    const middle = must(times[Math.floor(times.length / 2)], 'a time');
    const count = (filter: Parameters<typeof listTrades>[1]): number =>
      folder.read((store) => listTrades(store, filter).rows.length);
    expect(count({ strategy })).toBe(trades.filter((row) => row.strategy === strategy).length);
    expect(count({ market: ticker })).toBe(trades.filter((row) => row.ticker === ticker).length);
    expect(count({ toUs: middle }) + count({ fromUs: middle })).toBe(trades.length);
    expect(count({ market: "x' OR '1" })).toBe(0);
  });

  it('shows the life of an order with its states and fills', () => {
    const [filled] = folder.read((store) => listOrders(store, { state: 'filled' }).rows);
    const order = must(
      folder.read((store) => findOrder(store, must(filled, 'a filled order').clientOrderId)),
      'the order',
    );
    expect(order.states.map(({ state }) => state)[0]).toBe('in-flight');
    expect(order.states.at(-1)?.state).toBe('filled');
    expect(order.fills.reduce((sum, { qty }) => sum + qty, 0)).toBe(order.filledQty);
    expect(order.filledQty).toBeGreaterThanOrEqual(order.qty);
    expect(folder.read((store) => findOrder(store, 'no such order'))).toBeNull();
  });

  it('lists the orders that have not ended as open', () => {
    const { all, open } = folder.read((store) => ({
      all: listOrders(store).rows,
      open: listOrders(store, { state: 'open' }).rows,
    }));
    expect(open).toEqual(all.filter(({ endedUs }) => endedUs === null));
    expect(open.length).toBeLessThan(all.length);
  });

  it('lists the positions that are held, with their value at the mark', () => {
    const { held, account, lastUs } = folder.read((store) => ({
      held: listHeld(store),
      account: readAccount(store),
      lastUs: Math.max(...listSessions(store).rows.map((row) => row.lastUs)),
    }));
    expect(held.map(({ ticker, qty }) => [ticker, qty])).toEqual(
      account.positions.filter(({ qty }) => qty !== 0).map(({ ticker, qty }) => [ticker, qty]),
    );
    const first = must(held[0], 'a position that is held');
    expect(first.valueMicros).toBe(first.qty > 0 ? first.qty * first.mark : -first.qty * (10_000 - first.mark));
    expect(held.map(({ atUs }) => atUs)).toEqual(held.map(() => lastUs));
    expect(folder.read((store) => listHeld(store, { market: first.ticker }))).toEqual([first]);
    expect(folder.read((store) => listHeld(store, { market: 'none' }))).toEqual([]);
  });

  it('lists sessions with crashes, and a timeline with their starts and ends', () => {
    const sessions = folder.read((store) => listSessions(store).rows);
    expect(sessions.map(({ how }) => how)).toContain('crashed');
    expect(sessions[0]?.how).toBe('the run is over');
    expect(sessions.reduce((sum, { fills }) => sum + fills, 0)).toBe(trades.length);
    const realized = sessions.reduce((sum, { realizedMicros }) => sum + realizedMicros, 0);
    expect(realized).toBe(folder.read(readAccount).realizedMicros);
    // Payouts count, too.
    expect(realized).not.toBe(trades.reduce((sum, { realizedMicros }) => sum + realizedMicros, 0));
    const timeline = folder.read((store) => listTimeline(store, { kinds: ['session'] }).rows);
    const codes = timeline.map(({ code }) => code);
    expect(codes.filter((code) => code === 'start')).toHaveLength(sessions.length);
    expect(codes).toContain('crash');
    const first = folder.read((store) => listTimeline(store, {}, { limit: 3 }));
    const second = folder.read((store) => listTimeline(store, {}, { limit: 3, cursor: first.next ?? '' }));
    const both = folder.read((store) => listTimeline(store, {}, { limit: 6 }).rows);
    expect([...first.rows, ...second.rows]).toEqual(both);
  });

  it('sums the same profit and the same fees by every group', () => {
    const groups = ['day', 'strategy', 'market', 'series'] as const;
    const profits = groups.map((by) =>
      folder.read((store) => sumProfit(store, by).reduce((sum, { profitMicros }) => sum + profitMicros, 0)),
    );
    expect(new Set(profits).size).toBe(1);
    const fees = trades.reduce((sum, { feeMicros }) => sum + feeMicros, 0);
    for (const by of groups)
      expect(
        folder.read((store) =>
          sumFees(store, by).reduce((sum, row) => sum + row.makerFeeMicros + row.takerFeeMicros, 0),
        ),
      ).toBe(fees);
  });

  it("gives a market's fills and the spans of its orders for a chart", () => {
    const { ticker } = must(trades[0], 'a trade');
    const always = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER };
    const past = folder.read((store) => readMarketPast(store, ticker, always));
    expect(past.fills).toHaveLength(trades.filter((row) => row.ticker === ticker).length);
    expect(past.orders.length).toBeGreaterThan(0);
    expect(past.quotes.length).toBeGreaterThan(0);
    expect(past.quotes.map(({ atUs }) => atUs)).toEqual(past.quotes.map(({ atUs }) => atUs).toSorted((a, b) => a - b));
    // A later span begins with the prices that held when it began.
    const middle = must(past.quotes.at(-1), 'a quote').atUs + 1;
    const later = folder.read((store) => readMarketPast(store, ticker, { fromUs: middle, toUs: middle + 1000 }));
    expect(later.quotes).toEqual([past.quotes.at(-1)]);
    expect(folder.read((store) => readMarketPast(store, 'none', always))).toMatchObject({ quotes: [], fills: [] });
  });

  it('writes CSV with all digits, and no text that a spreadsheet would run', () => {
    const row = must(trades[0], 'a trade');
    const cellOf = (strategy: string): string => {
      const [header, line] = [...csvLines(TRADE_COLUMNS, [{ ...row, strategy, feeMicros: -1, realizedMicros: -2 }])];
      expect(header).toBe(TRADE_COLUMNS.map(({ name }) => name).join(','));
      expect(line).toContain(',-0.000001,');
      return must(parse(must(line, 'a line'))[0], 'a record')[1] ?? '';
    };
    for (const evil of ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=HYPERLINK("x","y")'])
      expect(cellOf(evil)).toBe(`'${evil}`);
    for (const harmless of ['quoter', '-5', '+0.25', "'", '', 'a=b', '–']) expect(cellOf(harmless)).toBe(harmless);
  });

  it('writes JSON with whole numbers and Parquet with the same values', async () => {
    const rows = folder.read((store) => sumProfit(store, 'market'));
    const columns = profitColumns('market');
    const file = join(files, 'pnl.parquet');
    writeParquet(file, columns, rows);
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
    expect(read.map(({ market }) => market)).toEqual(rows.map(({ group }) => group));
    expect(read.map(({ profit }) => Math.round(Number(profit) * 1e6))).toEqual(rows.map((row) => row.profitMicros));
    expect(jsonRecord(columns, must(rows[0], 'a row'))).toMatchObject({ profitMicros: rows[0]?.profitMicros });
    expect(() => writeParquet(join(files, 'none', 'x.parquet'), columns, rows)).toThrow('cannot be written');
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('PAR1');
  });
});
