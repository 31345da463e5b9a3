// Takes the mispricing of an event group whose outcomes exclude one another. At most one of them pays a dollar: when the
// best bids add up to more than that and the fees, sell one of each. When one of them must pay, buy one of each for less.
//
// Loses when a leg is missed: legs go at once as immediate-or-cancel orders, and whoever is faster leaves us with some of
// them only. Loses too when a group that is called complete is not. Small sizes keep both bearable.
import {
  type FeeType,
  type Intent,
  type Market,
  type MarketIndex,
  type Micros,
  PAYOUT,
  type Price,
  type Qty,
  type Side,
  type StrategyView,
  contracts,
  defineStrategy,
  feeSchedule,
  fromMillis,
  modelFee,
  qty,
  z,
} from 'presage';

interface Leg {
  readonly market: MarketIndex;
  readonly price: Price;
  readonly available: Qty;
}

export default defineStrategy({
  name: 'group-arbitrage',
  description:
    'Sells (or buys) every outcome of an exclusive group when together they cost more (or less) than a dollar.',
  params: z.strictObject({
    qtyContractsMax: z.number().int().positive().default(5).describe('contracts of each leg at the most'),
    edgeCents: z.number().min(0).default(1).describe('profit to insist on, per set, after fees'),
    isComplete: z.boolean().default(false).describe('one outcome must happen: buying every outcome is safe too'),
    cooldownMs: z.number().int().min(0).default(1000).describe('wait between two attempts at one group'),
    feeType: z
      .enum(['quadratic', 'quadratic_with_maker_fees', 'free'])
      .default('quadratic')
      .describe('what takers pay'),
  }),
  markets: () => ({ isExclusive: true }),
  setup({ params }) {
    const fees = feeSchedule(params.feeType satisfies FeeType);
    const tradedAt = new Map<string, Micros>();

    function look(event: { readonly market: MarketIndex }, view: StrategyView): Intent[] {
      const { eventTicker } = view.market(event.market);
      const last = tradedAt.get(eventTicker);
      if (last !== undefined && view.now - last < fromMillis(params.cooldownMs)) return [];
      const group = view.groupMarkets(eventTicker);
      const intents = trade(group, view, 'sell');
      // Buying is only safe with every outcome; selling some of them is as safe as selling all.
      const isWhole = params.isComplete && view.group(eventTicker)?.tickers.length === group.length;
      const found = intents.length === 0 && isWhole ? trade(group, view, 'buy') : intents;
      if (found.length > 0) tradedAt.set(eventTicker, view.now);
      return found;
    }

    function trade(group: readonly Market[], view: StrategyView, side: Side): Intent[] {
      const legs = group.map((market) => legOf(market, view, side));
      if (legs.length < 2 || !legs.every((leg) => leg !== null)) return [];
      const size = wholeContracts(Math.min(contracts(params.qtyContractsMax), ...legs.map((leg) => leg.available)));
      if (size === 0) return [];
      const edge = edgePerSet(legs, side, size);
      if (edge < params.edgeCents * 100) return [];
      const reason = `${side} ${legs.length} outcomes: ${(edge / 100).toFixed(2)}¢ a set after fees`;
      return legs.map(({ market, price }) => ({
        type: 'place',
        market,
        side,
        price,
        qty: size,
        timeInForce: 'ioc',
        reason,
      }));
    }

    /** Profit of one set in 1e-4 dollars, rounded down: what the legs bring over a dollar, less the fees. */
    function edgePerSet(legs: readonly Leg[], side: Side, size: Qty): number {
      const total = legs.reduce((sum, leg) => sum + leg.price, 0);
      const fee = legs.reduce(
        (sum, leg) => sum + modelFee(fees, { price: leg.price, qty: size, liquidity: 'taker' }),
        0,
      );
      const gross = side === 'sell' ? total - PAYOUT : PAYOUT - total;
      return gross - Math.ceil(fee / size);
    }

    return {
      onBook: (event, view) => (event.isTouch ? look(event, view) : undefined),
      onMarket: ({ market }) => {
        if (market.status === 'finalized') tradedAt.delete(market.eventTicker);
      },
    };
  },
});

/** What one leg could be traded at now; `null` when its book cannot be trusted or has nobody on the other side. */
function legOf(market: Market, view: StrategyView, side: Side): Leg | null {
  const book = view.book(market.index);
  const price = side === 'sell' ? book.bestBid : book.bestAsk;
  if (!book.isLive || price === null || market.status !== 'active') return null;
  return { market: market.index, price, available: side === 'sell' ? book.bestBidQty : book.bestAskQty };
}

const wholeContracts = (size: number): Qty => qty(Math.floor(size / 100) * 100);
