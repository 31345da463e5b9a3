// The columns of a market's chart, from history, memory and live book. Pure. Must never show a time twice.
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
