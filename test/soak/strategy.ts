// The strategy of a soak: quotes both sides of every market of a series, and now and then takes what is offered. It keeps
// a little of each market by its number, and lets go of it when the market is over, as every strategy must.
import { strategyName } from '../../src/domain/ids.ts';
import type { MarketIndex, SeriesTicker } from '../../src/domain/ids.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { ceilToGrid, floorToGrid } from '../../src/domain/price-grid.ts';
import { type Price, contracts, price } from '../../src/domain/units.ts';
import type { StrategyView } from '../../src/state/view.ts';
import type { BoundStrategy } from '../../src/strategy/strategy.ts';

/** Quotes stand this far from the middle, and may be off by so much before they move. Ten-thousandths of a dollar. */
const HALF_SPREAD = 100;
const TOLERANCE = 500;
/** It takes what is offered at every so many-th look at a market. */
const TAKES_EVERY = 12;
const HELD_MAX = contracts(20);

/** The strategy, and how many markets it remembers. */
export interface SoakStrategy {
  readonly bound: BoundStrategy;
  readonly remembered: () => number;
}

/** Makes it. */
export function soakStrategy(series: SeriesTicker): SoakStrategy {
  const looks = new Map<MarketIndex, number>();
  const handlers: BoundStrategy['handlers'] = {
    onBook: ({ market, isTouch }, view) => {
      if (!isTouch) return undefined;
      const look = (looks.get(market) ?? 0) + 1;
      looks.set(market, look);
      return [...quotes(market, view), ...(look % TAKES_EVERY === 0 ? takes(market, view) : [])];
    },
    onMarket: ({ market }) => {
      if (market.status === 'finalized') looks.delete(market.index);
    },
  };
  const name = strategyName('soak');
  return { bound: { name, selector: { series: [series] }, handlers }, remembered: () => looks.size };
}

const clamp = (value: number): Price => price(Math.min(9800, Math.max(200, Math.round(value))));

function quotes(market: MarketIndex, view: StrategyView): Intent[] {
  // Our own quotes must not pull the middle that they are set from: they would chase themselves.
  const mid = view.othersMid(market);
  if (mid === null) return [{ type: 'quote', market, bid: null, ask: null }];
  const { grid } = view.market(market);
  const held = view.position(market).qty;
  const bid = floorToGrid(grid, clamp(mid - HALF_SPREAD));
  const ask = ceilToGrid(grid, clamp(mid + HALF_SPREAD));
  const qty = contracts(2);
  return [
    {
      type: 'quote',
      market,
      bid: bid !== null && held < HELD_MAX ? { price: bid, qty } : null,
      ask: ask !== null && held > -HELD_MAX ? { price: ask, qty } : null,
      priceTolerance: TOLERANCE,
      qtyTolerance: 150,
    },
  ];
}

function takes(market: MarketIndex, view: StrategyView): Intent[] {
  const { bestAsk } = view.book(market);
  if (bestAsk === null || view.position(market).qty >= HELD_MAX) return [];
  return [{ type: 'place', market, side: 'buy', price: bestAsk, qty: contracts(1), timeInForce: 'ioc' }];
}
