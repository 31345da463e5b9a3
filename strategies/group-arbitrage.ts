// Takes the mispricing of an event group whose outcomes exclude one another. At most one outcome pays a dollar. When
// the best bids add up to more than a dollar and the fees, it sells every outcome. When one outcome must pay, it buys
// every outcome for less than a dollar.
//
// Loses when a leg is missed. All legs are sent at once as immediate-or-cancel orders, and a faster trader leaves us
// with only some of them. Also loses when a group is configured as complete and is not. Small sizes keep both losses
// bearable.

// Sources: a “Dutch book”, F. P. Ramsey 1926, “Truth and Probability”; B. de Finetti 1937.
import {
  type Intent,
  type Market,
  PAYOUT,
  type Qty,
  type Side,
  type StrategyView,
  Waits,
  contracts,
  defineStrategy,
  deniedMarket,
  qty,
  takeAt,
  waitsState,
  z,
} from 'presage-trading';

export default defineStrategy({
  name: 'group-arbitrage',
  description:
    'Sells (or buys) every outcome of an exclusive group when together they cost more (or less) than a dollar.',
  params: z.strictObject({
    qtyContractsMax: z.number().int().positive().default(5).describe('most contracts of each leg'),
    edgeCents: z.number().min(0).default(1).describe('least profit per set, after fees'),
    legsMax: z.number().int().min(2).default(40).describe('groups with more outcomes are left alone: each is an order'),
    isComplete: z.boolean().default(false).describe('one outcome must happen: buying every outcome is safe, too'),
    cooldownMs: z.number().int().min(0).default(1000).describe('wait between two attempts at one group'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('the same after an order was denied'),
  }),
  saved: z.strictObject({ waits: waitsState }),
  markets: () => ({ isExclusive: true }),
  setup({ params }) {
    const waits = new Waits();

    function checkGroup(eventTicker: Market['eventTicker'], view: StrategyView): Intent[] {
      if (waits.isWaiting(eventTicker, view.now)) return [];
      if ((view.group(eventTicker)?.tickers.length ?? 0) > params.legsMax) return [];
      const group = view.groupMarkets(eventTicker);
      const sold = trade(group, view, 'sell');
      // Buying is only safe with every outcome. Selling some of them is as safe as selling all.
      const isWhole = params.isComplete && view.group(eventTicker)?.tickers.length === group.length;
      const intents = sold.length === 0 && isWhole ? trade(group, view, 'buy') : sold;
      if (intents.length > 0) waits.begin(eventTicker, view.now, params.cooldownMs);
      return intents;
    }

    function trade(group: readonly Market[], view: StrategyView, side: Side): Intent[] {
      const legsOf = (qtyMax: Qty) => group.map(({ index }) => takeAt(view, index, { side, qtyMax }));
      const fullLegs = legsOf(contracts(params.qtyContractsMax));
      if (fullLegs.length < 2 || !fullLegs.every((leg) => leg !== null)) return [];
      // Every leg gets the quantity of the smallest leg.
      const legs = legsOf(qty(Math.min(...fullLegs.map((leg) => leg.qty)))).filter((leg) => leg !== null);
      const total = legs.reduce((sum, { net }) => sum + net, 0);
      const edge = (side === 'sell' ? total - PAYOUT : PAYOUT - total) / 100;
      if (edge < params.edgeCents) return [];
      const reason = `${side} ${legs.length} outcomes: ${edge.toFixed(2)}¢ a set after fees`;
      return legs.map(({ market, price, qty: size }) => {
        return { type: 'place', market, side, price, qty: size, timeInForce: 'ioc', reason };
      });
    }

    return {
      onBook: ({ market, isTouch }, view) => (isTouch ? checkGroup(view.market(market).eventTicker, view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).eventTicker, view.now, params.deniedWaitMs);
      },
      save: () => ({ waits: waits.state }),
      restore: (saved) => waits.restore(saved.waits),
    };
  },
});
