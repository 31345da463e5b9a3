// The template of a new strategy and its test: short and working, with comments for a learner. Both must be
// understandable without this package's sources.

/** `strategy.ts` of a strategy called NAME. */
const STRATEGY = `\
// The idea: where others leave a wide gap between bid and ask, quote inside it on both sides. A trader in a hurry then
// trades with us, at a better price than others offer, and we earn part of the gap.
//
// Loses when traders who know more trade with us: the price then moves against the position. Therefore orders are small,
// and a side is not quoted once the position is large enough.
import {
  type Intent,
  type MarketIndex,
  type StrategyView,
  ceilToGrid,
  contracts,
  defineStrategy,
  floorToGrid,
  price,
  z,
} from 'presage-trading';

const CENT = 100; // prices are whole numbers of ten-thousandths of a dollar: 5000 is 50 cents

export default defineStrategy({
  name: 'NAME',
  description: 'Quotes inside a wide spread on both sides, until its position is large enough.',

  // Parameters that a config may set. A value that does not fit ends the run before it starts, with the config's line.
  params: z.strictObject({
    qtyContracts: z.number().int().positive().default(5).describe('contracts of each order'),
    spreadMinCents: z.number().int().min(3).default(3).describe('least gap to quote in, cents'),
    inventoryMaxContracts: z.number().int().positive().default(20).describe('largest position, contracts'),
  }),

  // Called once for each running copy; state between events lives here. A strategy has no clock, no random numbers, no
  // network and no files: it sees only \`view\` and events, so that a backtest and a live run are the same to it.
  setup({ params }) {
    const qty = contracts(params.qtyContracts);
    const inventoryMax = contracts(params.inventoryMaxContracts);

    function quote(market: MarketIndex, view: StrategyView): Intent[] {
      // Quotes of others only: our own orders are part of the book too, and we would chase them.
      const bid = view.othersBest(market, 'bid');
      const ask = view.othersBest(market, 'ask');
      const isWide = bid !== null && ask !== null && ask - bid >= params.spreadMinCents * CENT;
      // A quote says what should rest; the framework places, keeps or cancels orders accordingly.
      if (!isWide) return [{ type: 'quote', market, bid: null, ask: null, reason: 'gap too narrow' }];

      const held = view.position(market).qty; // above 0: YES, below 0: NO
      const { grid } = view.market(market);
      const ourBid = floorToGrid(grid, price(bid + CENT));
      const ourAsk = ceilToGrid(grid, price(ask - CENT));
      return [
        {
          type: 'quote',
          market,
          bid: ourBid !== null && held + qty <= inventoryMax ? { price: ourBid, qty } : null,
          ask: ourAsk !== null && held - qty >= -inventoryMax ? { price: ourAsk, qty } : null,
          priceTolerance: CENT, // what rests this close keeps its place in the queue
          qtyTolerance: qty - 1, // and so does what is partly filled
          reason: \`gap of \${(ask - bid) / CENT}¢, held \${held / 100}\`,
        },
      ];
    }

    return {
      // A book changed. Called only while the book is live; otherwise the framework cancels the quotes.
      onBook: ({ market }, view) => quote(market, view),
      // We traded: the position has changed, and with it the quotes that we want.
      onFill: ({ fill }, view) => quote(fill.market, view),
    };
  },
});
`;

/** `strategy.test.ts` of the same strategy. */
const TEST = `\
// Tests of NAME on a stage: the real engine, with scripted events in place of a venue. Cents and contracts.
import { cents, contracts } from 'presage-trading';
import { stage } from 'presage-trading/testing';
import { describe, expect, it } from 'vitest';
import strategy from './strategy.ts';

const params = { qtyContracts: 5, spreadMinCents: 4, inventoryMaxContracts: 8 };

/** A stage with one market, in which others bid 40 cents and ask 50. */
const wide = () =>
  stage(strategy, { params, markets: ['RAIN'] }).book('RAIN', { bids: [[40, 100]], asks: [[50, 100]] });

describe('NAME', () => {
  it('quotes inside a wide gap, on both sides', () => {
    expect(wide().orders('RAIN')).toMatchObject([
      { side: 'buy', price: cents(41), qty: contracts(5) },
      { side: 'sell', price: cents(49), qty: contracts(5) },
    ]);
  });

  it('leaves a narrow gap alone', () => {
    const scene = wide()
      .book('RAIN', { bids: [[44, 100]], asks: [[47, 100]] })
      .advance(1000);
    expect(scene.orders('RAIN')).toEqual([]);
  });

  it('buys no more once it holds enough', () => {
    const scene = wide();
    scene.fill(scene.orders('RAIN')[0]!);
    expect(scene.position('RAIN').qty).toBe(contracts(5));
    // Five more would be ten, above the limit of eight: only the other side is quoted.
    expect(scene.orders('RAIN')).toMatchObject([{ side: 'sell' }]);
  });

  it('is never denied by risk, and has no orders in a settled market', () => {
    const scene = wide().settle('RAIN', 'yes');
    expect(scene.denials).toEqual([]);
    expect(scene.orders()).toEqual([]);
  });
});
`;

/** `strategy.ts` */
export const strategyText = (name: string): string => STRATEGY.replaceAll('NAME', name);

/** `strategy.test.ts` */
export const testText = (name: string): string => TEST.replaceAll('NAME', name);
