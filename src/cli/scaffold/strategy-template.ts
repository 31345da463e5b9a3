// The strategy that a new one begins as, and its test: short, working, and with a comment where a learner would ask.
// Both are for others to change: they must stand by themselves.

/** `strategy.ts`, of a strategy called NAME. */
const STRATEGY = `\
// The idea: where others leave a wide gap between bid and ask, stand inside it on both sides. Whoever is in a hurry then
// trades with us, at a better price than others gave them, and we keep what is left of the gap.
//
// Loses when those who trade with us know more: the price then moves through the side that filled. Therefore a small
// size, and nothing more on a side once enough is held.
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
  description: 'Stands inside a wide spread on both sides, until it holds enough.',

  // What a config may set. Whatever does not fit ends the run before it begins, with the line of the config.
  params: z.strictObject({
    qtyContracts: z.number().int().positive().default(5).describe('contracts of each order'),
    spreadMinCents: z.number().int().min(3).default(3).describe('a narrower gap is left alone'),
    inventoryMaxContracts: z.number().int().positive().default(20).describe('no more of a position than this'),
  }),

  // Called once for each running copy: what is kept between events is kept here. A strategy has no clock, no chance, no
  // network and no files: \`view\` and the events are all it sees, so that a backtest and live are the same to it.
  setup({ params }) {
    const qty = contracts(params.qtyContracts);
    const inventoryMax = contracts(params.inventoryMaxContracts);

    function quote(market: MarketIndex, view: StrategyView): Intent[] {
      // Others alone: our own orders are part of the book too, and would be chased.
      const bid = view.othersBest(market, 'bid');
      const ask = view.othersBest(market, 'ask');
      const isWide = bid !== null && ask !== null && ask - bid >= params.spreadMinCents * CENT;
      // A quote says what should rest; the framework places, leaves alone or withdraws to make it so.
      if (!isWide) return [{ type: 'quote', market, bid: null, ask: null, reason: 'no gap to stand in' }];

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
      // A book changed. It is told only while it can be believed; while it cannot, quotes are withdrawn for you.
      onBook: ({ market }, view) => quote(market, view),
      // We traded: what is held has changed, and with it what we want.
      onFill: ({ fill }, view) => quote(fill.market, view),
    };
  },
});
`;

/** `strategy.test.ts`, of the same. */
const TEST = `\
// What NAME does, seen on a stage: the real engine, and a script in place of the world. Cents and contracts.
import { cents, contracts } from 'presage-trading';
import { stage } from 'presage-trading/testing';
import { describe, expect, it } from 'vitest';
import strategy from './strategy.ts';

const params = { qtyContracts: 5, spreadMinCents: 4, inventoryMaxContracts: 8 };

/** A stage with one market, in which others bid 40 cents and ask 50. */
const wide = () =>
  stage(strategy, { params, markets: ['RAIN'] }).book('RAIN', { bids: [[40, 100]], asks: [[50, 100]] });

describe('NAME', () => {
  it('stands inside a wide gap, on both sides', () => {
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
    // Five more would be ten, of eight at the most: only the other side is left.
    expect(scene.orders('RAIN')).toMatchObject([{ side: 'sell' }]);
  });

  it('is never refused by risk, and lets go of a market that is paid out', () => {
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
