// Sort, filter and window of the table of markets, and the series behind the charts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EQUITY_POINTS_MAX, EquityTrace } from '../../src/console/bots/equity-trace.ts';
import { isOurs, marketsPage } from '../../src/console/bots/markets-window.ts';
import { PriceSeries, decimate } from '../../src/console/bots/price-series.ts';
import { MARKET_SORTS } from '../../src/console/api/api-schemas.ts';
import type { MarketCells } from '../../src/runtime/follow/follow-messages.ts';
import { MadeBot, madeMarket } from './support/made-bot.ts';

const { state } = new MadeBot(10_000);
const ALL = { sort: 'ours', ours: false, from: 0, to: 100 } as const;

describe('the table of markets', () => {
  it('returns a window of the sorted rows: ours first', () => {
    const page = marketsPage(state, ALL);
    expect([page.total, page.from, page.rows.length]).toEqual([10_000, 0, 100]);
    expect(page.rows[0]).toMatchObject({ ticker: 'MARKET-00001', ownBid: 3900, position: 500, ownAsk: null });
    expect(page.rows[1]?.ticker).toBe('MARKET-00000');
    expect(marketsPage(state, { ...ALL, ours: true })).toMatchObject({ total: 1 });
  });

  it('filters by every word of the search, in ticker, title, series and group', () => {
    expect(marketsPage(state, { ...ALL, q: ' group-3 MARKET-0000 ' }).rows.map(({ ticker }) => ticker)).toEqual([
      'MARKET-00003',
    ]);
    expect(marketsPage(state, { ...ALL, q: 'nothing' })).toMatchObject({ total: 0, rows: [] });
  });

  it('shows every row exactly once, whatever the sort and the size of the windows', () => {
    const small = new MadeBot(97).state;
    fc.assert(
      fc.property(fc.constantFrom(...MARKET_SORTS), fc.integer({ min: 1, max: 40 }), (sort, size) => {
        const seen: string[] = [];
        for (let from = 0; from < 97; from += size)
          seen.push(...marketsPage(small, { ...ALL, sort, from, to: from + size }).rows.map(({ ticker }) => ticker));
        expect(seen).toHaveLength(97);
        expect(new Set(seen).size).toBe(97);
      }),
    );
  });

  it('never returns more than a thousand rows, nor any beyond the end', () => {
    expect(marketsPage(state, { ...ALL, to: 1_000_000 }).rows).toHaveLength(1000);
    expect(marketsPage(state, { ...ALL, from: 9_990, to: 20_000 }).rows).toHaveLength(10);
    expect(marketsPage(state, { ...ALL, from: 20_000, to: 20_100 })).toMatchObject({ from: 10_000, rows: [] });
    expect(marketsPage(state, { ...ALL, from: 50, to: 10 }).rows).toEqual([]);
  });

  it('sorts as its name says', () => {
    const bot = new MadeBot(0).state;
    [
      { bid: 500, day: 3 },
      { bid: 900, day: -5 },
      { bid: -1, position: -900 },
    ].forEach((figures, index) => {
      const { facts, cells } = madeMarket(index, figures);
      bot.facts.set(index, { ...facts, closesAtUs: [null, 5, 3][index] ?? null });
      bot.cells.set(index, cells);
    });
    const order = (sort: (typeof MARKET_SORTS)[number]): number[] =>
      marketsPage(bot, { ...ALL, sort }).rows.map(({ ticker }) => Number(ticker.slice(-1)));
    expect(order('bid')).toEqual([1, 0, 2]);
    expect(order('day')).toEqual([0, 2, 1]);
    expect(order('position')).toEqual([2, 0, 1]);
    expect(order('closes')).toEqual([2, 1, 0]);
    bot.cells.set(1, madeMarket(1).cells.with(2, 'suspect') as MarketCells);
    bot.cells.set(2, madeMarket(2).cells.with(1, 'finalized').with(2, 'rebuilding') as MarketCells);
    expect(order('trust')).toEqual([1, 0, 2]);
    expect(isOurs(madeMarket(0, { position: -1 }).cells)).toBe(true);
  });
});

describe('the table of markets by close', () => {
  it('begins with the next close; closed markets come last, the latest close first', () => {
    const bot = new MadeBot(0).state;
    const rows = [
      ['closed', 20],
      ['active', 40],
      ['finalized', 10],
      ['active', null],
      ['finalized', null],
      ['inactive', 30],
      ['determined', 15],
    ] as const;
    rows.forEach(([status, closesAtUs], index) => {
      const { facts, cells } = madeMarket(index);
      bot.facts.set(index, { ...facts, closesAtUs });
      bot.cells.set(index, cells.with(1, status) as MarketCells);
    });
    const { rows: sorted } = marketsPage(bot, { ...ALL, sort: 'closes' });
    expect(sorted.map(({ ticker }) => Number(ticker.slice(-1)))).toEqual([5, 1, 3, 0, 6, 2, 4]);
  });
});

describe('a series of prices', () => {
  const cells = (bid: number, own = -1) => madeMarket(0, { bid, own }).cells;
  const span = { fromUs: 0, toUs: 1000, points: 100 };

  it('keeps the changes, and draws the last prices up to the last sign of the bot', () => {
    const series = new PriceSeries();
    for (const [atUs, bid] of [
      [10, 40],
      [20, 40],
      [30, 41],
    ] as const)
      series.addCells(atUs, cells(bid));
    series.extendTo(90);
    expect(series.chartOf(span)).toMatchObject({ atUs: [10, 30, 90], bid: [40, 41, 41], ownBid: [null, null, null] });
    expect(series.chartOf({ ...span, fromUs: 15, toUs: 50 })).toMatchObject({ atUs: [15, 30, 50], bid: [40, 41, 41] });
  });

  it('names the time without data, and draws nothing over it', () => {
    const series = new PriceSeries();
    series.addCells(10, cells(40));
    series.startGap();
    series.extendTo(50);
    expect(series.chartOf(span)).toMatchObject({ atUs: [10], gaps: [{ fromUs: 10 }] });
    series.addCells(70, cells(45));
    expect(series.chartOf(span)).toMatchObject({ atUs: [10, 70], gaps: [{ fromUs: 10, toUs: 70 }] });
  });

  it('keeps the extremes of each stretch when it draws fewer points', () => {
    const prices = fc.array(fc.integer({ min: 1, max: 9999 }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(prices, fc.integer({ min: 4, max: 60 }), (bids, max) => {
        const points = bids.map((bid, i) => ({ atUs: i, prices: [bid, bid, -1, -1] as const }));
        const drawn = decimate(points, max);
        const heights = drawn.map(({ prices: [bid] }) => bid);
        expect(drawn.length).toBeLessThanOrEqual(Math.max(2, max));
        expect([Math.min(...heights), Math.max(...heights)]).toEqual([Math.min(...bids), Math.max(...bids)]);
        expect(drawn.map(({ atUs }) => atUs)).toEqual(drawn.map(({ atUs }) => atUs).toSorted((a, b) => a - b));
        expect([drawn[0], drawn.at(-1)]).toEqual([points[0], points.at(-1)]);
      }),
    );
  });
});

describe('the trace of equity', () => {
  it('spans the whole time with at most 120 points, in order', () => {
    const trace = new EquityTrace();
    for (let second = 0; second < 100_000; second++) trace.addEquity(second * 1_000_000, second);
    const points = trace.points();
    expect(points.length).toBeLessThanOrEqual(EQUITY_POINTS_MAX);
    expect(points.length).toBeGreaterThanOrEqual(EQUITY_POINTS_MAX / 2);
    expect(points[0]?.micros).toBe(0);
    expect(points.at(-1)?.micros).toBeGreaterThan(98_000);
  });

  it('has a gap where the bot did not answer, also after points were dropped', () => {
    const trace = new EquityTrace();
    for (let second = 0; second < 10_000; second++) {
      trace.addEquity(second * 1_000_000, second);
      if (second === 5000) for (const atUs of [5e9, 5.1e9]) trace.startGap(atUs);
    }
    const points = trace.points();
    const gaps = points.flatMap(({ micros }, at) => (micros === null ? [at] : []));
    expect(gaps).toHaveLength(1);
    expect(points[(gaps[0] ?? 0) - 1]?.micros).toBeLessThanOrEqual(5000);
    expect(points[(gaps[0] ?? 0) + 1]?.micros).toBeGreaterThan(5000);
  });

  it('stays bounded when the bot answers only now and then', () => {
    const trace = new EquityTrace();
    for (let second = 0; second < 5000; second++) {
      trace.addEquity(second * 1_000_000, second);
      trace.startGap(second * 1_000_000 + 1);
      expect(trace.points().length).toBeLessThanOrEqual(EQUITY_POINTS_MAX);
    }
    const points = trace.points();
    expect(points.some(({ micros }, at) => micros === null && points[at - 1]?.micros === null)).toBe(false);
  });
});
