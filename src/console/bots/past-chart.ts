// Makes the chart of a market from the history. Pure. Must never draw an order before its start or after its end.
import type { MarketPast, TimeSpan } from '../../history/queries/market-past.ts';
import type { Chart } from '../api/api-schemas.ts';
import { type Prices, decimate } from './price-series.ts';

/** Best prices of the market, and counts of our open orders by price. */
interface Moment {
  bid: number;
  ask: number;
  readonly buys: Map<number, number>;
  readonly sells: Map<number, number>;
}

interface Change {
  readonly atUs: number;
  readonly apply: (moment: Moment) => void;
}

const NONE = -1;

/** Makes the chart of a time span, with at most `points` points. */
export function pastChart(past: MarketPast, { fromUs, toUs, points }: TimeSpan & { readonly points: number }): Chart {
  const moment: Moment = { bid: NONE, ask: NONE, buys: new Map(), sells: new Map() };
  const all: { atUs: number; prices: Prices }[] = [];
  const addPoint = (at: number): void => {
    const point = { atUs: at, prices: pricesOf(moment) };
    if (all.at(-1)?.atUs === at) all.pop();
    all.push(point);
  };
  for (const { atUs, apply } of changesOf(past)) {
    if (atUs > toUs) break;
    apply(moment);
    addPoint(Math.max(fromUs, atUs));
  }
  if (all.length > 0) addPoint(past.lastUs);
  const shown = decimate(all, points);
  const column = (index: 0 | 1 | 2 | 3): (number | null)[] =>
    shown.map(({ prices }) => (prices[index] < 0 ? null : prices[index]));
  return {
    atUs: shown.map(({ atUs }) => atUs),
    bid: column(0),
    ask: column(1),
    ownBid: column(2),
    ownAsk: column(3),
    fills: past.fills.map((fill) => ({ ...fill })),
    gaps: past.gaps.map((gap) => ({ ...gap })),
  };
}

function changesOf({ quotes, orders }: MarketPast): Change[] {
  const changes: Change[] = quotes.map(({ atUs, bid, ask }) => ({
    atUs,
    apply: (moment) => {
      moment.bid = bid ?? NONE;
      moment.ask = ask ?? NONE;
    },
  }));
  for (const { fromUs, toUs, side, price } of orders) {
    const count = (by: 1 | -1) => (moment: Moment) =>
      countPrice(side === 'buy' ? moment.buys : moment.sells, price, by);
    changes.push({ atUs: fromUs, apply: count(1) });
    if (toUs !== null) changes.push({ atUs: toUs, apply: count(-1) });
  }
  return changes.toSorted((a, b) => a.atUs - b.atUs);
}

function countPrice(counts: Map<number, number>, price: number, by: 1 | -1): void {
  const count = (counts.get(price) ?? 0) + by;
  if (count > 0) counts.set(price, count);
  else counts.delete(price);
}

function pricesOf({ bid, ask, buys, sells }: Moment): Prices {
  let ownBid = NONE;
  let ownAsk = NONE;
  for (const price of buys.keys()) ownBid = Math.max(ownBid, price);
  for (const price of sells.keys()) ownAsk = ownAsk === NONE ? price : Math.min(ownAsk, price);
  return [bid, ask, ownBid, ownAsk];
}
