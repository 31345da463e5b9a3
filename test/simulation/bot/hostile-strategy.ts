// A hostile strategy: quotes and reverses at once, crosses, posts, fills or kills, lets orders expire, and presses
// every limit. All its draws come from its own stream, so that the same events get the same answers.
import {
  type ClientOrderId,
  type Intent,
  type MarketIndex,
  type Side,
  type StrategyView,
  type TimeInForce,
  contracts,
  defineStrategy,
  fromMillis,
  micros,
  price,
  z,
} from '../../../src/index.ts';
import { Draws } from '../draws.ts';

/** Longest time between two actions. */
const EVERY_MS = 150;

/** The strategy. */
export const nastyStrategy = defineStrategy({
  name: 'nasty',
  params: z.strictObject({ seed: z.number() }),
  setup({ params }) {
    const draws = new Draws(params.seed, 'nasty');
    const placed: ClientOrderId[] = [];

    function wake(view: StrategyView): Intent[] {
      const next: Intent = {
        type: 'timer',
        name: 'wake',
        at: micros(view.now + fromMillis(draws.between(1, EVERY_MS))),
      };
      if (view.markets.length === 0) return [next];
      return [next, ...nextAction(draws.pick(view.markets), view)];
    }

    function nextAction(market: MarketIndex, view: StrategyView): Intent[] {
      const draw = draws.uniform();
      if (draw < 0.3) return [order(market, view)];
      if (draw < 0.4) return Array.from({ length: draws.integer(2, 8) }, () => order(market, view));
      if (draw < 0.6) return [quote(market, view)];
      if (draw < 0.75) return placed.length === 0 ? [] : [{ type: 'cancel', clientOrderId: draws.pick(placed) }];
      if (draw < 0.8) return [{ type: 'cancel-all', ...(draws.happens(0.5) && { market }) }];
      if (draw < 0.85 && placed.length > 0)
        return [{ type: 'decrease', clientOrderId: draws.pick(placed), leavesQty: contracts(draws.integer(0, 4)) }];
      return [];
    }

    function order(market: MarketIndex, view: StrategyView): Intent {
      const book = view.book(market);
      const side = draws.pick<Side>(['buy', 'sell']);
      const touch = (side === 'buy' ? book.bestAsk : book.bestBid) ?? 5000;
      const away = draws.integer(-3, 8) * 100 * (side === 'buy' ? -1 : 1);
      const timeInForce = draws.pick<TimeInForce>(['gtc', 'gtc', 'ioc', 'fok', 'gtd']);
      return {
        type: 'place',
        market,
        side,
        price: price(Math.min(9900, Math.max(100, touch + away))),
        qty: contracts(draws.pick([1, 2, 5, 20, 21])),
        timeInForce,
        ...(timeInForce === 'gtd' && { expiresAt: micros(view.now + fromMillis(draws.integer(300, 4000))) }),
        ...(timeInForce === 'gtc' && draws.happens(0.4) && { postOnly: true }),
        ...(draws.happens(0.1) && { reduceOnly: true }),
      };
    }

    function quote(market: MarketIndex, view: StrategyView): Intent {
      const { mid } = view.book(market);
      const center = Math.round((mid ?? 5000) / 100) * 100 + draws.integer(-2, 2) * 100;
      const level = (at: number) =>
        draws.happens(0.8)
          ? { price: price(Math.min(9800, Math.max(200, at))), qty: contracts(draws.integer(1, 6)) }
          : null;
      return { type: 'quote', market, bid: level(center - 300), ask: level(center + 300) };
    }

    return {
      onStart: (_, view) => wake(view),
      onTimer: (_, view) => wake(view),
      onIntentOutcome: (outcome) => {
        if (outcome.kind !== 'approved' || outcome.intent.type !== 'place') return;
        placed.push(outcome.clientOrderId);
        if (placed.length > 20) placed.shift();
        // Reverses itself before the order has even left.
        return draws.happens(0.1) ? [{ type: 'cancel', clientOrderId: outcome.clientOrderId }] : undefined;
      },
      onQueue: ({ order: { clientOrderId } }) => (draws.happens(0.1) ? [{ type: 'cancel', clientOrderId }] : undefined),
      onBudget: ({ type }) => (type === 'exhausted' && draws.happens(0.2) ? [{ type: 'cancel-all' }] : undefined),
    };
  },
});
