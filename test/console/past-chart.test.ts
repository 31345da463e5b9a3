// The chart of a market's past: prices as steps, orders in their own spans, spans without data, a bounded number of points.
import { describe, expect, it } from 'vitest';
import { pastChart } from '../../src/console/bots/past-chart.ts';
import type { MarketPast } from '../../src/history/queries/market-past.ts';

const NOTHING: MarketPast = { quotes: [], fills: [], orders: [], gaps: [], lastUs: 0 };
const SPAN = { fromUs: 100, toUs: 1000, points: 100 };

describe('the chart of the past', () => {
  it('has the best prices, and ours while an order was open', () => {
    const past: MarketPast = {
      ...NOTHING,
      quotes: [
        { atUs: 50, bid: 4000, ask: 4200 },
        { atUs: 300, bid: null, ask: 4300 },
      ],
      orders: [
        { fromUs: 200, toUs: 400, side: 'buy', price: 3900 },
        { fromUs: 250, toUs: 350, side: 'buy', price: 3950 },
        { fromUs: 300, toUs: null, side: 'sell', price: 4300 },
      ],
      lastUs: 900,
    };
    expect(pastChart(past, SPAN)).toMatchObject({
      atUs: [100, 200, 250, 300, 350, 400, 900],
      bid: [4000, 4000, 4000, null, null, null, null],
      ask: [4200, 4200, 4200, 4300, 4300, 4300, 4300],
      ownBid: [null, 3900, 3950, 3950, 3900, null, null],
      ownAsk: [null, null, null, 4300, 4300, 4300, 4300],
    });
  });

  it('ends with the last entry of the journals, and has the fills and the gaps of the span', () => {
    const fills = [{ atUs: 500, side: 'sell', price: 4100, qty: 100, clientOrderId: 'a' }] as const;
    const gaps = [{ fromUs: 600, toUs: 1000 }];
    const chart = pastChart({ ...NOTHING, quotes: [{ atUs: 100, bid: 1, ask: 2 }], fills, gaps, lastUs: 600 }, SPAN);
    expect(chart.atUs).toEqual([100, 600]);
    expect([chart.fills, chart.gaps]).toEqual([fills, gaps]);
  });

  it('has no more points than asked for, and none where there is no data', () => {
    const quotes = Array.from({ length: 900 }, (_, index) => ({
      atUs: 100 + index,
      bid: 4000 + (index % 7),
      ask: 5000,
    }));
    const chart = pastChart({ ...NOTHING, quotes, lastUs: 1000 }, { ...SPAN, points: 20 });
    expect(chart.atUs.length).toBeLessThanOrEqual(20);
    expect(Math.max(...chart.bid.map((price) => price ?? 0))).toBe(4006);
    expect(chart.bid).toHaveLength(chart.atUs.length);
    expect(pastChart(NOTHING, SPAN).atUs).toEqual([]);
  });
});
