// Takes quotes that have stood still while time ran out: what is 90 % sure with twenty seconds left, and has not moved, is
// 96 % sure with ten. The log-odds of a price that wanders grow with the root of the time that was left over what is left.
//
// Loses when news comes last: one wrong outcome costs what twenty right ones bring. Loses too where a quote stands still
// because nobody looks, the close is moved, or what decides was known before the close.

// Sources: stale quotes, T. Foucault, A. Röell and P. Sandås 2003, “Market Making with Costly Monitoring”; that makers give
// favorites away too cheaply, C. Bürgi, W. Deng and K. Whelan 2025, “Makers and Takers: The Economics of the Kalshi
// Prediction Market”.
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

/** Markets looked at at once: where hundreds close together, no look must take long. */
const LOOKS_MAX = 100;

/** The mid of a market, since when it has stood there, and when it will be sure if it still does. Microseconds. */
interface Standing {
  readonly mid: number;
  readonly since: number;
  readonly sureAt: number;
}

export default defineStrategy({
  name: 'closing-taker',
  description: 'Buys the nearly sure side at quotes that stood still while the close came near.',
  params: z.strictObject({
    lastMs: z.number().positive().default(30_000).describe('trades so long before the close, and not earlier'),
    sureMin: z.number().gt(0.5).lt(1).default(0.9).describe('how sure the outcome must be, 0.5 to 1'),
    edgeCents: z.number().min(0).default(1).describe('profit to insist on, per contract, after fees'),
    qtyContractsMax: z.number().int().positive().default(10).describe('contracts to hold in a market at the most'),
    lookMs: z.number().positive().default(500).describe('how often quotes that stand still are looked at'),
    deniedWaitMs: z.number().int().min(0).default(10_000).describe('wait in a market after an order was denied'),
  }),
  saved: z.strictObject({
    stood: z.array(z.tuple([z.string(), z.strictObject({ mid: z.number(), since: z.number(), sureAt: z.number() })])),
    waits: waitsState,
  }),
  // What is further from its close is not even looked at.
  markets: ({ lastMs }) => ({ timeLeftMsMax: 2 * lastMs }),
  setup({ params }) {
    const waits = new Waits();
    const stood = new MarketMemory<Standing>({ begin: () => ({ mid: -1, since: 0, sureAt: 0 }) });

    /** Where a market stands; `null` where its book tells nothing. */
    function standing(market: Market, view: StrategyView): Standing | null {
      const { mid, isLive } = view.book(market.index);
      if (mid === null || !isLive || market.status !== 'active') {
        stood.forget(market);
        return null;
      }
      const known = stood.of(market);
      if (known.mid === mid) return known;
      const share = (logit(impliedProbability(mid)) / logit(probability(params.sureMin))) ** 2;
      const before = Math.min(fromMillis(params.lastMs), (market.closeAt - view.now) * share);
      return stood.set(market, { mid, since: view.now, sureAt: market.closeAt - before });
    }

    function look(market: Market, view: StrategyView): Intent[] {
      const stands = standing(market, view);
      const { index, closeAt } = market;
      const left = closeAt - view.now;
      const isBusy = waits.isWaiting(market.ticker, view.now) || view.orders(index).length > 0;
      if (stands === null || view.now < stands.sureAt || left <= 0 || isBusy) return [];
      const fair = logistic(logit(impliedProbability(stands.mid)) * Math.sqrt((closeAt - stands.since) / left));
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

    /** What is sure by now, though nothing was heard of it: a few each time, those first that were looked at longest ago. */
    function lookAll(view: StrategyView): Intent[] {
      const sure = Array.from(stood.entries()).filter(([, { sureAt }]) => sureAt <= view.now);
      return sure.slice(0, LOOKS_MAX).flatMap(([ticker]) => {
        const market = view.find(ticker);
        return market === undefined ? [] : look(market, view);
      });
    }

    const nextLook = ({ now }: StrategyView): Intent => {
      return { type: 'timer', name: 'look', at: micros(now + fromMillis(params.lookMs)) };
    };

    return {
      onStart: (_event, view) => [nextLook(view)],
      onTimer: (_event, view) => [...lookAll(view), nextLook(view)],
      onBook: ({ market, isTouch }, view) => (isTouch ? look(view.market(market), view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).ticker, view.now, params.deniedWaitMs);
      },
      onMarket: ({ market }) => {
        if (market.status === 'finalized') stood.forget(market);
      },
      onLeave: ({ market }) => stood.forget(market),
      save: () => ({ stood: stood.save((each) => each), waits: waits.state }),
      restore: (saved) => {
        stood.restore(saved.stood, (each) => each);
        waits.restore(saved.waits);
      },
    };
  },
});
