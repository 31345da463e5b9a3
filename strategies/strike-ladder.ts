// Takes the mispricing of nested thresholds: “above 18” cannot be worth less than “above 20”. When the higher strike's
// bid is above the lower strike's ask, it buys the lower strike and sells the higher. Between the strikes both pay.
//
// Loses when a leg is missed: the other leg is closed at the touch, which costs the spread and fees. Also loses when
// two strikes of a group are not thresholds of the same number. Earns rarely and little: fees and the spread hide most
// mispricing.

// Source: D. Breeden and R. Litzenberger 1978, “Prices of State-Contingent Claims Implicit in Option Prices”: the price
// of a digital option falls with its strike.
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
  description: 'Buys a lower threshold and sells a higher one where the higher is more expensive.',
  params: z.strictObject({
    qtyContractsMax: z.number().int().positive().default(5).describe('most contracts of each leg'),
    edgeCents: z.number().min(0).default(1).describe('least profit per pair, after fees'),
    cooldownMs: z.number().int().min(0).default(1000).describe('wait after trading in a group'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('the same after an order was denied'),
  }),
  saved: z.strictObject({ waits: waitsState }),
  setup({ params }) {
    const waits = new Waits();

    function checkLadder(market: MarketIndex, view: StrategyView): Intents {
      const changed = view.market(market);
      const { eventTicker } = changed;
      if (floorOf(changed) === null || waits.isWaiting(eventTicker, view.now)) return undefined;
      const rungs = view.groupMarkets(eventTicker).filter((each) => floorOf(each) !== null);
      if (!rungs.every(({ status }) => status === 'active')) return undefined;
      const intents =
        closeUnpaired(rungs, view) ??
        bestOf(
          rungs.flatMap((each) => pairOf(each, changed) ?? []),
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

    /**
     * Returns the profit of trading a pair at the touch, in cents a pair after fees. Returns `null` unless the higher
     * strike's bid is above the lower strike's ask, and at least one contract can be traded.
     */
    function offerOf({ lower, higher }: Pair, view: StrategyView): { edge: number; intents: Intent[] } | null {
      if ((view.book(higher.index).bestBid ?? 0) <= (view.book(lower.index).bestAsk ?? PAYOUT)) return null;
      const wanted = (side: Side, qtyMax: Qty) => ({ side, qtyMax });
      const atMost = takeAt(view, lower.index, wanted('buy', contracts(params.qtyContractsMax)));
      const sold = atMost && takeAt(view, higher.index, wanted('sell', atMost.qty));
      const bought = sold && takeAt(view, lower.index, wanted('buy', sold.qty));
      if (!bought) return null;
      const edge = (sold.net - bought.net) / 100;
      const prices = `${higher.ticker} bid ${sold.price / 100}¢, ${lower.ticker} asked ${bought.price / 100}¢`;
      const reason = `${prices}: ${edge.toFixed(2)}¢ a pair`;
      return { edge, intents: [orderOf(bought, reason), orderOf(sold, reason)] };
    }

    return {
      onBook: ({ market, isTouch }, view) => (isTouch ? checkLadder(market, view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).eventTicker, view.now, params.deniedWaitMs);
      },
      save: () => ({ waits: waits.state }),
      restore: (saved) => waits.restore(saved.waits),
    };
  },
});

/** Returns the strike above which a market pays; `null` for any other market. */
const floorOf = ({ strike }: Market): number | null => (strike && strike.cap === null ? strike.floor : null);

function pairOf(a: Market, b: Market): Pair | null {
  const [first, second] = [floorOf(a) ?? 0, floorOf(b) ?? 0];
  if (first === second) return null;
  return first < second ? { lower: a, higher: b } : { lower: b, higher: a };
}

/**
 * Closes contracts without a partner once no order is working. Of unpaired longs, it sells the highest strike, which
 * covers least. Of unpaired shorts, it buys back the lowest strike.
 */
function closeUnpaired(rungs: readonly Market[], view: StrategyView): Intent[] | null {
  const held = rungs.map((rung) => ({ rung, qty: view.own(rung.index).qty })).filter(({ qty }) => qty !== 0);
  const unpaired = held.reduce((sum, { qty }) => sum + qty, 0);
  if (unpaired === 0 || rungs.some(({ index }) => view.orders(index).length > 0)) return null;
  const isLong = unpaired > 0;
  const byFloor = held
    .filter(({ qty }) => qty > 0 === isLong)
    .sort((a, b) => (floorOf(a.rung) ?? 0) - (floorOf(b.rung) ?? 0));
  const worst = isLong ? byFloor.at(-1) : byFloor[0];
  if (worst === undefined) return null;
  const qtyMax = qty(Math.min(Math.abs(unpaired), Math.abs(worst.qty)));
  const take = takeAt(view, worst.rung.index, { side: isLong ? 'sell' : 'buy', qtyMax });
  return take && [orderOf(take, `${unpaired / 100} contracts of the ladder have no partner`)];
}

const orderOf = ({ market, side, price, qty: size }: Take, reason: string): Intent => {
  return { type: 'place', market, side, price, qty: size, timeInForce: 'ioc', reason };
};
