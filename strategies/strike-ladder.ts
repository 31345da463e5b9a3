// Takes the mispricing of nested thresholds: “above 18” can be worth no less than “above 20”. Where the higher strike is bid
// for more than the lower is offered at, it buys the lower and sells the higher; between the strikes both pay.
//
// Loses when a leg is missed: what was traded alone is closed again at the touch, spread and fees lost. Loses too where two
// strikes of a group are not of the same number. Earns rarely and little: fees and the spread hide most mispricing.

// Source: that the price of a digital option falls with its strike, D. Breeden and R. Litzenberger 1978, “Prices of
// State-Contingent Claims Implicit in Option Prices”.
import {
  type Intent,
  type Intents,
  type Market,
  type MarketIndex,
  PAYOUT,
  type Qty,
  type Side,
  type StrategyView,
  type Take,
  Waits,
  contracts,
  defineStrategy,
  deniedMarket,
  qty,
  takeAt,
  waitsState,
  z,
} from 'presage-trading';

/** Two thresholds: if the higher one pays, so does the lower. */
interface Pair {
  readonly lower: Market;
  readonly higher: Market;
}

export default defineStrategy({
  name: 'strike-ladder',
  description: 'Buys a lower threshold and sells a higher one where the higher is dearer.',
  params: z.strictObject({
    qtyContractsMax: z.number().int().positive().default(5).describe('contracts of each leg at the most'),
    edgeCents: z.number().min(0).default(1).describe('profit to insist on, per pair, after fees'),
    cooldownMs: z.number().int().min(0).default(1000).describe('wait after trading in a group, before all else there'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('the same after an order was denied'),
  }),
  saved: z.strictObject({ waits: waitsState }),
  setup({ params }) {
    const waits = new Waits();

    function look(market: MarketIndex, view: StrategyView): Intents {
      const moved = view.market(market);
      const { eventTicker } = moved;
      if (floorOf(moved) === null || waits.isWaiting(eventTicker, view.now)) return undefined;
      const rungs = view.groupMarkets(eventTicker).filter((each) => floorOf(each) !== null);
      if (!rungs.every(({ status }) => status === 'active')) return undefined;
      const intents =
        mend(rungs, view) ??
        bestOf(
          rungs.flatMap((each) => pairOf(each, moved) ?? []),
          view,
        );
      if (intents) waits.begin(eventTicker, view.now, params.cooldownMs);
      return intents ?? undefined;
    }

    function bestOf(pairs: readonly Pair[], view: StrategyView): Intent[] | null {
      const offers = pairs.flatMap((pair) => offerOf(pair, view) ?? []).filter(({ edge }) => edge >= params.edgeCents);
      const best = offers.reduce<(typeof offers)[number] | null>((a, b) => (a && a.edge >= b.edge ? a : b), null);
      return best && best.intents;
    }

    /** What trading a pair at the touch would bring in cents a pair, after fees; `null` where it cannot be had. */
    function offerOf({ lower, higher }: Pair, view: StrategyView): { edge: number; intents: Intent[] } | null {
      if ((view.book(higher.index).bestBid ?? 0) <= (view.book(lower.index).bestAsk ?? PAYOUT)) return null;
      const wanted = (side: Side, qtyMax: Qty) => ({ side, qtyMax });
      const most = takeAt(view, lower.index, wanted('buy', contracts(params.qtyContractsMax)));
      const sold = most && takeAt(view, higher.index, wanted('sell', most.qty));
      const bought = sold && takeAt(view, lower.index, wanted('buy', sold.qty));
      if (!bought) return null;
      const edge = (sold.net - bought.net) / 100;
      const prices = `${higher.ticker} bid ${sold.price / 100}¢, ${lower.ticker} asked ${bought.price / 100}¢`;
      const reason = `${prices}: ${edge.toFixed(2)}¢ a pair`;
      return { edge, intents: [orderOf(bought, reason), orderOf(sold, reason)] };
    }

    return {
      onBook: ({ market, isTouch }, view) => (isTouch ? look(market, view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).eventTicker, view.now, params.deniedWaitMs);
      },
      save: () => ({ waits: waits.state }),
      restore: (saved) => waits.restore(saved.waits),
    };
  },
});

/** The strike above which a market pays; `null` where it is no such market. */
const floorOf = ({ strike }: Market): number | null => (strike && strike.cap === null ? strike.floor : null);

function pairOf(a: Market, b: Market): Pair | null {
  const [first, second] = [floorOf(a) ?? 0, floorOf(b) ?? 0];
  if (first === second) return null;
  return first < second ? { lower: a, higher: b } : { lower: b, higher: a };
}

/** Closes what has no partner, once nothing is under way: of longs the highest strike, which covers least; of shorts the lowest. */
function mend(rungs: readonly Market[], view: StrategyView): Intent[] | null {
  const held = rungs.map((rung) => ({ rung, qty: view.own(rung.index).qty })).filter(({ qty }) => qty !== 0);
  const alone = held.reduce((sum, { qty }) => sum + qty, 0);
  if (alone === 0 || rungs.some(({ index }) => view.orders(index).length > 0)) return null;
  const isLong = alone > 0;
  const byFloor = held
    .filter(({ qty }) => qty > 0 === isLong)
    .sort((a, b) => (floorOf(a.rung) ?? 0) - (floorOf(b.rung) ?? 0));
  const worst = isLong ? byFloor.at(-1) : byFloor[0];
  if (worst === undefined) return null;
  const qtyMax = qty(Math.min(Math.abs(alone), Math.abs(worst.qty)));
  const take = takeAt(view, worst.rung.index, { side: isLong ? 'sell' : 'buy', qtyMax });
  return take && [orderOf(take, `${alone / 100} contracts of the ladder have no partner`)];
}

const orderOf = ({ market, side, price, qty: size }: Take, reason: string): Intent => {
  return { type: 'place', market, side, price, qty: size, timeInForce: 'ioc', reason };
};
