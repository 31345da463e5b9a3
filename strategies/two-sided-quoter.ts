// A market maker at its simplest. It rests a bid below and an ask above the mid of others' quotes, and earns the spread
// when both fill. It moves both prices against its position, so that the position returns to zero.
//
// Loses when others know more: each side then fills just before the price moves through it. A wide spread, a small size
// and many uninformed takers help; news hurts.
import {
  type Intent,
  type MarketIndex,
  type Price,
  type StrategyView,
  ceilToGrid,
  contracts,
  contractsText,
  defineStrategy,
  floorToGrid,
  price,
  z,
} from 'presage-trading';

const CENT = 100; // prices are whole numbers of 1e-4 dollars

export default defineStrategy({
  name: 'two-sided-quoter',
  description: 'Quotes both sides around the mid of others, leaning against its inventory.',
  params: z.strictObject({
    events: z.array(z.string()).optional().describe('event groups to quote in; all of the session when absent'),
    series: z.array(z.string()).optional().describe('series to quote in, new markets included; all when absent'),
    qtyContracts: z.number().int().positive().default(5).describe('contracts quoted on each side'),
    halfSpreadCents: z.number().positive().default(2).describe('distance of each quote from the fair price'),
    skewCentsPerContract: z.number().min(0).default(0.1).describe('how far both quotes move per contract held'),
    inventoryMaxContracts: z.number().int().positive().default(40).describe('stop adding to a position of this size'),
    toleranceCents: z.number().min(0).default(1).describe('leave a resting quote alone if it is this close'),
  }),
  markets: ({ events, series }) => ({ ...(events && { events }), ...(series && { series }) }),
  setup({ params }) {
    const qty = contracts(params.qtyContracts);
    const inventoryMax = contracts(params.inventoryMaxContracts);

    function quote(market: MarketIndex, view: StrategyView): Intent[] {
      if (!view.book(market).isLive) return []; // resting quotes are canceled for us
      // The quotes of *others*: our own quotes must not move the price from which they are set.
      const othersBid = view.othersBest(market, 'bid');
      const othersAsk = view.othersBest(market, 'ask');
      if (othersBid === null || othersAsk === null)
        return [{ type: 'quote', market, bid: null, ask: null, reason: 'one-sided book' }];

      // A long position lowers both quotes: less eager to buy, more eager to sell. A short position raises both.
      const held = view.position(market).qty;
      const fair = (othersBid + othersAsk) / 2;
      const center = fair - (held / 100) * params.skewCentsPerContract * CENT;
      const half = params.halfSpreadCents * CENT;
      const { grid } = view.market(market);
      const bid = floorToGrid(grid, clamp(Math.min(center - half, othersAsk - 1)));
      const ask = ceilToGrid(grid, clamp(Math.max(center + half, othersBid + 1)));
      return [
        {
          type: 'quote',
          market,
          bid: bid !== null && held < inventoryMax ? { price: bid, qty } : null,
          ask: ask !== null && held > -inventoryMax ? { price: ask, qty } : null,
          priceTolerance: params.toleranceCents * CENT,
          qtyTolerance: qty - 1, // a partly filled quote keeps its place in the queue
          reason: `fair ${(fair / CENT).toFixed(1)}¢, held ${contractsText(held)}`,
        },
      ];
    }

    return {
      // The quotes of others may move behind ours while the touch stays.
      onOthersBest: ({ market }, view) => quote(market, view),
      onFill: ({ fill }, view) => quote(fill.market, view),
    };
  },
});

const clamp = (value: number): Price => price(Math.min(9999, Math.max(1, Math.round(value))));
