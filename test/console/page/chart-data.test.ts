// The chart's columns: the live series with the history before it. Each time and each fill is there once.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chart } from '../../../src/console/api/api-schemas.ts';
import { breakAtGaps, joinCharts } from '../../../src/console/page/market/chart-data.ts';

/** A chart with a bid at each time. */
const chartAt = (times: readonly number[], more: Partial<Chart> = {}): Chart => {
  const none = times.map(() => null);
  return { atUs: [...times], bid: [...times], ask: none, ownBid: none, ownAsk: none, fills: [], gaps: [], ...more };
};

const fillAt = (atUs: number): Chart['fills'][number] => ({
  atUs,
  side: 'buy',
  price: 4000,
  qty: 100,
  clientOrderId: 'a',
});

describe('a chart joined with its past', () => {
  it('has the past until the first live price, and each fill once', () => {
    const past = chartAt([10, 20, 30, 40], { fills: [12, 22, 32].map(fillAt), gaps: [{ fromUs: 14, toUs: 50 }] });
    const live = chartAt([30, 35], { fills: [22, 32].map(fillAt), gaps: [{ fromUs: 36, toUs: 38 }] });
    const joined = joinCharts(past, live);
    expect(joined.atUs).toEqual([10, 20, 30, 35]);
    expect(joined.bid).toEqual([10, 20, 30, 35]);
    expect(joined.fills.map(({ atUs }) => atUs)).toEqual([12, 22, 32]);
    expect(joined.gaps).toEqual([
      { fromUs: 14, toUs: 30 },
      { fromUs: 36, toUs: 38 },
    ]);
  });

  it('is the past alone while the console knows nothing of the market', () => {
    const past = chartAt([10, 20], { fills: [fillAt(12)], gaps: [{ fromUs: 14, toUs: 16 }] });
    expect(joinCharts(past, chartAt([]))).toEqual(past);
  });

  it('never shows a time twice, and keeps its columns of equal length', () => {
    const times = fc.uniqueArray(fc.nat(1000)).map((each) => each.sort((a, b) => a - b));
    fc.assert(
      fc.property(times, times, (before, after) => {
        const joined = joinCharts(chartAt(before), chartAt(after));
        expect(joined.atUs).toEqual([...new Set(joined.atUs)].sort((a, b) => a - b));
        expect([joined.bid.length, joined.ownAsk.length]).toEqual([joined.atUs.length, joined.atUs.length]);
        expect(joined.bid).toEqual(joined.atUs);
      }),
    );
  });
});

describe('the lines of a chart', () => {
  const bids = (chart: Chart): unknown[] => chart.atUs.map((atUs, place) => [atUs, chart.bid[place]]);

  it('break at a gap: the price holds until it begins, and again from its end', () => {
    const chart = chartAt([10, 20, 60], { gaps: [{ fromUs: 30, toUs: 50 }] });
    const broken = breakAtGaps(chart);
    expect(bids(broken)).toEqual([
      [10, 10],
      [20, 20],
      [30, 20],
      [31, null],
      [50, 20],
      [60, 60],
    ]);
    expect(broken.ownBid).toEqual(Array.from({ length: 6 }, () => null));
  });

  it('begin after a gap in which the chart begins, with the price that holds there', () => {
    const chart = chartAt([10, 20, 60], { gaps: [{ fromUs: 5, toUs: 50 }] });
    expect(bids(breakAtGaps(chart))).toEqual([
      [10, null],
      [20, null],
      [50, 20],
      [60, 60],
    ]);
  });

  it('end with a gap that has no end, and stay as they are beside the gaps', () => {
    const open = { fromUs: 20, toUs: Number.MAX_SAFE_INTEGER };
    expect(breakAtGaps(chartAt([10, 20], { gaps: [open] }))).toEqual(chartAt([10, 20], { gaps: [open] }));
    const early = chartAt([10, 20], { gaps: [{ fromUs: 2, toUs: 4 }] });
    expect(breakAtGaps(early)).toEqual(early);
  });

  it('never have a price within a gap, nor a time twice', () => {
    const times = fc.uniqueArray(fc.nat(200)).map((each) => each.sort((a, b) => a - b));
    const gap = fc.tuple(fc.nat(200), fc.nat(50)).map(([fromUs, span]) => ({ fromUs, toUs: fromUs + span }));
    fc.assert(
      fc.property(times, fc.array(gap, { maxLength: 4 }), (atUs, gaps) => {
        const broken = breakAtGaps(chartAt(atUs, { gaps }));
        expect(broken.atUs).toEqual([...new Set(broken.atUs)].sort((a, b) => a - b));
        for (const { fromUs, toUs } of gaps.slice(-1))
          expect(broken.atUs.filter((us, at) => us > fromUs && us < toUs && broken.bid[at] !== null)).toEqual([]);
      }),
    );
  });
});
