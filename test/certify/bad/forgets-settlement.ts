// Checks every market with a timer that it never stops: it wants orders in settled markets again and again.
import {
  type MarketIndex,
  type StrategyView,
  contracts,
  defineStrategy,
  fromSeconds,
  micros,
  price,
  z,
} from 'presage-trading';

const SECOND = fromSeconds(1);

export default defineStrategy({
  name: 'forgets-settlement',
  params: z.strictObject({}),
  setup: () => ({
    onMarket: ({ market, before }, view) =>
      before === null ? [{ type: 'timer', name: `look ${market.index}`, at: micros(view.now + SECOND) }] : undefined,
    onTimer({ name }, view) {
      const market = Number(name.slice('look '.length)) as MarketIndex;
      const again = { type: 'timer', name, at: micros(view.now + SECOND) } as const;
      if (view.orders(market).length > 0 || !isUpdated(view, market)) return [again];
      return [{ type: 'place', market, side: 'buy', price: price(100), qty: contracts(1) }, again];
    },
  }),
});

/** True when the market's book is live or trading there is over: books of such markets are no longer updated. */
const isUpdated = (view: StrategyView, market: MarketIndex): boolean =>
  view.book(market).isLive || !view.markets.includes(market);
