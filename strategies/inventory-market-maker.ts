// A market maker that manages its inventory. It quotes around the price at which the inventory does not matter to it:
// below the market's price when long, above when short. The distance grows with the market's volatility, and with the
// time for which the inventory must be held.
//
// Loses to better-informed traders, as every market maker does. A price that jumps is worse than one that wanders. Near
// the close it mostly jumps, so quotes are canceled before.

// Source: M. Avellaneda and S. Stoikov 2008, “High-frequency trading in a limit order book”, adapted to prices between
// nothing and a dollar. The market's log-odds follow a random walk. A small move of the log-odds moves the price by p(1
// − p) times as much, so quotes stay in that range. The remaining variance is never more than p(1 − p), the variance of
// the outcome itself.
import {
  EwmaVariance,
  type Intent,
  MarketMemory,
  type MarketIndex,
  type Qty,
  type QuoteLevel,
  type StrategyView,
  askOnGrid,
  bidOnGrid,
  contracts,
  contractsText,
  defineStrategy,
  ewmaVarianceState,
  fromMillis,
  impliedProbability,
  logistic,
  logit,
  micros,
  qty,
  worthOf,
  z,
} from 'presage-trading';

export default defineStrategy({
  name: 'inventory-market-maker',
  description: 'Quotes both sides around a price that leans against its inventory, after Avellaneda and Stoikov.',
  params: z.strictObject({
    events: z.array(z.string()).optional().describe('event groups to quote in; all of the session when absent'),
    series: z.array(z.string()).optional().describe('series to quote in, new markets included; all when absent'),
    riskAversion: z.number().positive().default(0.3).describe('γ, per dollar: how much a variance of money costs'),
    fillDecay: z.number().positive().default(40).describe('κ, per dollar: fills are e times rarer 1/κ further out'),
    volatilityMin: z.number().min(0).default(0.2).describe('of the log-odds, per root minute, when little is known'),
    halfLifeMs: z.number().positive().default(60_000).describe('half-life of the measured volatility'),
    horizonMs: z.number().positive().default(60_000).describe('how long inventory is expected to be held'),
    qtyContracts: z.number().int().positive().default(5).describe('contracts quoted on each side'),
    inventoryMaxContracts: z.number().int().positive().default(30).describe('most contracts held, long or short'),
    toleranceCents: z.number().min(0).default(1).describe('leave a resting quote alone if it is this close'),
    withdrawMs: z.number().min(0).default(10_000).describe('no quotes this shortly before the close'),
    lookMs: z.number().positive().default(1000).describe('how often the time to the close is checked'),
  }),
  saved: z.strictObject({ moves: z.array(z.tuple([z.string(), ewmaVarianceState])) }),
  markets: ({ events, series }) => ({ ...(events && { events }), ...(series && { series }) }),
  setup({ params }) {
    const [size, inventoryMax] = [contracts(params.qtyContracts), contracts(params.inventoryMaxContracts)];
    const { riskAversion: gamma, fillDecay: kappa } = params;
    /** Measured moves of the log-odds of each market's mid. */
    const moves = new MarketMemory({ begin: () => new EwmaVariance(params) });

    function quote(index: MarketIndex, view: StrategyView): Intent[] {
      const market = view.market(index);
      if (!view.book(index).isLive) return []; // resting quotes are canceled for us
      const [bid, ask] = [view.othersBest(index, 'bid'), view.othersBest(index, 'ask')];
      const left = market.closeAt - view.now;
      if (bid === null || ask === null || left <= fromMillis(params.withdrawMs))
        return [noQuotes(index, bid && ask ? 'the close is near' : 'one-sided book')];
      const chance = impliedProbability((bid + ask) / 2);
      const belief = logit(chance);
      const move = moves.of(market);
      move.add(view.now, belief);

      const seconds = Math.min(left / 1e6, params.horizonMs / 1000);
      const perSecond = Math.max(params.volatilityMin ** 2 / 60, move.perSecond ?? 0);
      const spread = chance * (1 - chance);
      const variance = Math.min(spread, spread ** 2 * perSecond * seconds);
      const held = view.own(index).qty;
      const reservation = worthOf(logistic(belief - (held / 100) * gamma * (variance / spread)));
      const half = 10_000 * ((gamma * variance) / 2 + Math.log1p(gamma / kappa) / gamma);
      const { bestBid, bestAsk } = view.book(index);
      const below = bidOnGrid(market.grid, Math.min(reservation - half, (bestAsk ?? 10_000) - 1));
      const above = askOnGrid(market.grid, Math.max(reservation + half, (bestBid ?? 0) + 1));
      return [
        {
          type: 'quote',
          market: index,
          bid: level(below, inventoryMax - held),
          ask: level(above, inventoryMax + held),
          priceTolerance: params.toleranceCents * 100,
          qtyTolerance: size - 1, // a partly filled quote keeps its place in the queue
          reason: `fair ${(reservation / 100).toFixed(1)} ± ${(half / 100).toFixed(1)}¢, held ${contractsText(held)}`,
        },
      ];
    }

    const level = (price: QuoteLevel['price'] | null, room: number): QuoteLevel | null => {
      const roomQty = wholeContracts(Math.min(size, room));
      return price === null || roomQty <= 0 ? null : { price, qty: roomQty };
    };

    const looks = new CloseLooks(params);
    const isNearClose = (index: MarketIndex, view: StrategyView): boolean =>
      view.market(index).closeAt - view.now <= fromMillis(params.withdrawMs) && view.orders(index).length > 0;

    return {
      onTimer: (_event, view) => {
        looks.onTimer();
        const near = view.markets.filter((market) => isNearClose(market, view));
        return [...near.flatMap((market) => quote(market, view)), ...looks.timersFor(view.markets, view)];
      },
      onBook: ({ market }, view) => quote(market, view),
      onFill: ({ fill }, view) => quote(fill.market, view),
      onMarket: ({ market }, view) => {
        if (market.status === 'finalized') moves.forget(market);
        return looks.timersFor([market.index], view);
      },
      onLeave: ({ market }) => moves.forget(market),
      save: () => ({ moves: moves.save((move) => move.state) }),
      restore: (saved) => moves.restore(saved.moves, (state) => new EwmaVariance(params, state)),
    };
  },
});

/**
 * Wakes the strategy when the close of a market comes near, which may happen without any change of its book: at the first
 * such time, and then regularly.
 */
class CloseLooks {
  readonly #params: { readonly lookMs: number; readonly withdrawMs: number };
  #nextAt = Infinity;

  constructor(params: { readonly lookMs: number; readonly withdrawMs: number }) {
    this.#params = params;
  }

  onTimer(): void {
    this.#nextAt = Infinity;
  }

  /** Returns the timer to set for these markets; none when an earlier one is set, or all of them are closed. */
  timersFor(markets: readonly MarketIndex[], view: StrategyView): Intent[] {
    const { lookMs, withdrawMs } = this.#params;
    const soonest = view.now + fromMillis(lookMs);
    let at = Infinity;
    for (const market of markets) {
      const { closeAt } = view.market(market);
      if (closeAt > view.now) at = Math.min(at, Math.max(soonest, closeAt - fromMillis(withdrawMs)));
    }
    if (at >= this.#nextAt) return [];
    this.#nextAt = at;
    return [{ type: 'timer', name: 'look', at: micros(at) }];
  }
}

const noQuotes = (market: MarketIndex, reason: string): Intent => {
  return { type: 'quote', market, bid: null, ask: null, reason };
};

const wholeContracts = (value: number): Qty => qty(Math.floor(value / 100) * 100);
