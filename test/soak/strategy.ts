// The strategy of a soak: quotes both sides of every market of a series, and takes the offer now and then. It stores
// one figure per market number, and drops it when the market is over, as every strategy must.
import { strategyName } from '../../src/domain/ids.ts';
import type { MarketIndex, SeriesTicker } from '../../src/domain/ids.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { ceilToGrid, floorToGrid } from '../../src/domain/price-grid.ts';
import { type Price, contracts, price } from '../../src/domain/units.ts';
import type { StrategyView } from '../../src/state/strategy-view.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';

/** Distance of quotes from the mid, and the deviation allowed before they move. Ten-thousandths of a dollar. */
const HALF_SPREAD = 100;
const TOLERANCE = 500;
/** It takes the offer at every twelfth book event of a market. */
const TAKES_EVERY = 12;
const HELD_MAX = contracts(20);

/** The strategy, and the number of markets it remembers. */
export interface SoakStrategy {
  readonly bound: BoundStrategy;
  readonly remembered: () => number;
}

/** Makes the strategy. */
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
  // Our own quotes must not move the mid that they are set from: they would chase themselves.
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
