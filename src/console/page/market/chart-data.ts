// The columns of a market's chart, from history, memory and live book. Pure. Must never show a time twice, nor a price in
// a gap.
import type { Chart } from '../../api/api-schemas.ts';
import type { MarketDetail } from '../../../runtime/follow/follow-messages.ts';

export type SeriesName = 'bid' | 'ask' | 'ownBid' | 'ownAsk';
type Quotes = Readonly<Record<SeriesName, number | null>>;

function quotesOf({ bids, asks, orders }: MarketDetail): Quotes {
  const own = (side: 'buy' | 'sell'): number[] =>
    orders.filter((order) => order.isOpen && order.side === side).map(({ price }) => price);
  const [buys, sells] = [own('buy'), own('sell')];
  return {
    bid: bids[0]?.[0] ?? null,
    ask: asks[0]?.[0] ?? null,
    ownBid: buys.length > 0 ? Math.max(...buys) : null,
    ownAsk: sells.length > 0 ? Math.min(...sells) : null,
  };
}

/** Adds the live book as the last point of a chart. A book older than the chart's end changes nothing. */
export function extendChart(chart: Chart, atUs: number, market: MarketDetail): Chart {
  if (atUs <= (chart.atUs.at(-1) ?? 0)) return chart;
  const { bid, ask, ownBid, ownAsk } = quotesOf(market);
  return {
    ...chart,
    atUs: [...chart.atUs, atUs],
    bid: [...chart.bid, bid],
    ask: [...chart.ask, ask],
    ownBid: [...chart.ownBid, ownBid],
    ownAsk: [...chart.ownAsk, ownAsk],
  };
}

/**
 * Puts the past before the live chart. Past prices are used before the first live price. Past fills are used before the
 * first live price or fill.
 */
export function joinCharts(past: Chart, live: Chart): Chart {
  const startUs = live.atUs[0] ?? Number.POSITIVE_INFINITY;
  const fillsUs = Math.min(startUs, live.fills[0]?.atUs ?? Number.POSITIVE_INFINITY);
  const count = past.atUs.filter((atUs) => atUs < startUs).length;
  const joined = (name: SeriesName): (number | null)[] => [...past[name].slice(0, count), ...live[name]];
  return {
    atUs: [...past.atUs.slice(0, count), ...live.atUs],
    bid: joined('bid'),
    ask: joined('ask'),
    ownBid: joined('ownBid'),
    ownAsk: joined('ownAsk'),
    fills: [...past.fills.filter(({ atUs }) => atUs < fillsUs), ...live.fills],
    gaps: [
      ...past.gaps
        .filter(({ fromUs }) => fromUs < startUs)
        .map(({ fromUs, toUs }) => ({ fromUs, toUs: Math.min(toUs, startUs) })),
      ...live.gaps,
    ],
  };
}

interface Row {
  readonly atUs: number;
  readonly quotes: Quotes;
}

const NO_QUOTES: Quotes = { bid: null, ask: null, ownBid: null, ownAsk: null };

/** Breaks the lines at the gaps: prices hold until a gap begins, and again from its end. */
export function breakAtGaps(chart: Chart): Chart {
  let rows = chart.atUs.map((atUs, place): Row => {
    const at = (name: SeriesName): number | null => chart[name][place] ?? null;
    return { atUs, quotes: { bid: at('bid'), ask: at('ask'), ownBid: at('ownBid'), ownAsk: at('ownAsk') } };
  });
  for (const gap of chart.gaps) rows = brokenRows(rows, gap);
  const column = (name: SeriesName): (number | null)[] => rows.map(({ quotes }) => quotes[name]);
  return {
    ...chart,
    atUs: rows.map(({ atUs }) => atUs),
    bid: column('bid'),
    ask: column('ask'),
    ownBid: column('ownBid'),
    ownAsk: column('ownAsk'),
  };
}

function brokenRows(rows: readonly Row[], { fromUs, toUs }: Chart['gaps'][number]): Row[] {
  if (toUs - fromUs < 2) return [...rows];
  const before = rows.filter(({ atUs }) => atUs <= fromUs);
  const inside = rows.filter(({ atUs }) => atUs > fromUs && atUs < toUs);
  const after = rows.filter(({ atUs }) => atUs >= toUs && atUs > fromUs);
  if (inside.length + after.length === 0) return [...rows];
  const held = before.at(-1);
  const heldAtEnd = inside.at(-1) ?? held;
  const [next] = after;
  const broken = inside.map(({ atUs }) => ({ atUs, quotes: NO_QUOTES }));
  return [
    ...before,
    ...(held !== undefined && held.atUs < fromUs ? [{ ...held, atUs: fromUs }] : []),
    ...(held !== undefined && fromUs + 1 < (broken[0]?.atUs ?? toUs) ? [{ atUs: fromUs + 1, quotes: NO_QUOTES }] : []),
    ...broken,
    ...(heldAtEnd !== undefined && next !== undefined && next.atUs > toUs ? [{ ...heldAtEnd, atUs: toUs }] : []),
    ...after,
  ];
}
