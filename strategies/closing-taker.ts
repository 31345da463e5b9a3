// Takes quotes that have not moved while time ran out. Suppose that an outcome was 90 % likely twenty seconds before
// the close. If its price has not moved ten seconds later, it is 96 % likely. This follows when log-odds are a random
// walk: the log-odds of the old price are multiplied by the square root of a ratio. The ratio is the time left when the
// price was set, divided by the time left now.
//
// Loses when news comes last: one wrong outcome costs as much as twenty right outcomes bring. A quote may also stand
// still because no one trades there. Other losses come when the close is moved, or the outcome was known before the
// close.

// Sources: T. Foucault, A. Röell and P. Sandås 2003, “Market Making with Costly Monitoring”, on stale quotes. C. Bürgi,
// W. Deng and K. Whelan 2025, “Makers and Takers: The Economics of the Kalshi Prediction Market”: makers sell favorites
// too cheaply.
import {
  type Intent,
  type Market,
  MarketMemory,
  type StrategyView,
  Waits,
  contracts,
  defineStrategy,
  deniedMarket,
  fromMillis,
  impliedProbability,
  logistic,
  logit,
  micros,
  probability,
  qty,
  takeAt,
  waitsState,
  worthOf,
  z,
} from 'presage-trading';

/**
 * The mid of a market, and since when it has not moved. At `sureAt` the outcome is likely enough if the mid has still
 * not moved. Microseconds.
 */
interface UnmovedQuote {
  readonly mid: number;
  readonly since: number;
  readonly sureAt: number;
}

export default defineStrategy({
  name: 'closing-taker',
  description: 'Buys the nearly certain side at quotes that have not moved while the close came near.',
  params: z.strictObject({
    lastMs: z.number().positive().default(30_000).describe('trades only this long before the close'),
    sureMin: z.number().gt(0.5).lt(1).default(0.9).describe('least probability of the outcome, 0.5 to 1'),
    edgeCents: z.number().min(0).default(1).describe('least profit per contract, after fees'),
    qtyContractsMax: z.number().int().positive().default(10).describe('most contracts to hold in a market'),
    lookMs: z.number().positive().default(500).describe('how often an unmoved quote is checked once it is sure enough'),
    deniedWaitMs: z.number().int().min(0).default(10_000).describe('wait in a market after an order was denied'),
  }),
  saved: z.strictObject({
    stood: z.array(z.tuple([z.string(), z.strictObject({ mid: z.number(), since: z.number(), sureAt: z.number() })])),
    waits: waitsState,
  }),
  // Markets further from their close are not followed.
  markets: ({ lastMs }) => ({ timeLeftMsMax: 2 * lastMs }),
  setup({ params }) {
    const waits = new Waits();
    const unmoved = new MarketMemory<UnmovedQuote>({ begin: () => ({ mid: -1, since: 0, sureAt: 0 }) });

    /** The quote since the mid last moved; `null` without a live mid, or while the market is not active. */
    function unmovedQuote(market: Market, view: StrategyView): UnmovedQuote | null {
      const { mid, isLive } = view.book(market.index);
      if (mid === null || !isLive || market.status !== 'active') {
        unmoved.forget(market);
        return null;
      }
      const stored = unmoved.of(market);
      if (stored.mid === mid) return stored;
      const share = (logit(impliedProbability(mid)) / logit(probability(params.sureMin))) ** 2;
      const before = Math.min(fromMillis(params.lastMs), (market.closeAt - view.now) * share);
      return unmoved.set(market, { mid, since: view.now, sureAt: market.closeAt - before });
    }

    function checkMarket(market: Market, view: StrategyView): Intent[] {
      const quote = unmovedQuote(market, view);
      if (quote === null) return [];
      const isSure = view.now >= quote.sureAt;
      return [...(isSure ? takeQuote(market, quote, view) : []), ...nextCheck(market, quote, view)];
    }

    function takeQuote(market: Market, quote: UnmovedQuote, view: StrategyView): Intent[] {
      const { index, closeAt } = market;
      const left = closeAt - view.now;
      if (left <= 0 || waits.isWaiting(market.ticker, view.now) || view.orders(index).length > 0) return [];
      const fair = logistic(logit(impliedProbability(quote.mid)) * Math.sqrt((closeAt - quote.since) / left));
      if (Math.max(fair, 1 - fair) < params.sureMin) return []; // the close was moved
      const isYes = fair >= 0.5;
      const side = isYes ? 'buy' : 'sell';
      const held = isYes ? view.own(index).qty : -view.own(index).qty;
      const take = takeAt(view, index, { side, qtyMax: qty(contracts(params.qtyContractsMax) - held) });
      if (take === null) return [];
      const edge = (isYes ? worthOf(fair) - take.net : take.net - worthOf(fair)) / 100;
      if (edge < params.edgeCents) return [];
      const reason = `${(100 * fair).toFixed(1)}% with ${(left / 1e6).toFixed(1)} s left: ${edge.toFixed(2)}¢ after fees`;
      return [{ type: 'place', market: index, side, price: take.price, qty: take.qty, timeInForce: 'ioc', reason }];
    }

    /** Wakes the strategy although the book does not change: once the outcome is sure enough, and regularly from then on. */
    function nextCheck({ ticker, closeAt }: Market, { sureAt }: UnmovedQuote, { now }: StrategyView): Intent[] {
      const at = now < sureAt ? Math.ceil(sureAt) : now + fromMillis(params.lookMs);
      return at < closeAt ? [{ type: 'timer', name: ticker, at: micros(at) }] : [];
    }

    return {
      onTimer: ({ name }, view) => {
        const market = view.find(name);
        // The close of a market that was left has moved: its quotes are not seen until it joins again.
        return market !== undefined && view.markets.includes(market.index) ? checkMarket(market, view) : undefined;
      },
      onBook: ({ market, isTouch }, view) => (isTouch ? checkMarket(view.market(market), view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).ticker, view.now, params.deniedWaitMs);
      },
      onMarket: ({ market }) => {
        if (market.status === 'finalized') unmoved.forget(market);
      },
      onLeave: ({ market }) => unmoved.forget(market),
      save: () => ({ stood: unmoved.save((each) => each), waits: waits.state }),
      restore: (saved) => {
        unmoved.restore(saved.stood, (each) => each);
        waits.restore(saved.waits);
      },
    };
  },
});
