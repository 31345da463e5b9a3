// Mix-ups of units that the compiler must refuse. None of it runs: each marked line is an error to tsc, and a mark on a
// line without an error is an error, too.
import {
  type BookView,
  type ClientOrderId,
  type EventTicker,
  type Intent,
  type Market,
  type Micros,
  type Money,
  type NoPrice,
  type Order,
  type Price,
  type Probability,
  type Qty,
  type StrategyView,
  type Ticker,
  Candles,
  Ewma,
  addMoney,
  bidOnGrid,
  cents,
  complement,
  contracts,
  defineStrategy,
  dollars,
  fairProbabilities,
  feeSchedule,
  floorToGrid,
  formatMoney,
  formatPrice,
  formatQty,
  fromMillis,
  fromSeconds,
  groupFairValues,
  impliedProbability,
  kellyFraction,
  kellyQty,
  later,
  leavesQty,
  logit,
  micros,
  modelFee,
  money,
  nearestPrice,
  notional,
  parityGap,
  price,
  probability,
  qty,
  valueOf,
  worthOf,
  z,
} from 'presage-trading';
import { describe, expect, it } from 'vitest';

interface World {
  readonly view: StrategyView;
  readonly book: BookView;
  readonly market: Market;
  readonly order: Order;
}
const p = cents(40);
const q = contracts(5);
const m = dollars(2);
const chance = probability(0.4);
const no: NoPrice = complement(p);

/** Valid intents, as a strategy would write them. */
export const fits = ({ view, book, market, order }: World): readonly unknown[] => [
  { type: 'place', market: market.index, side: 'buy', price: p, qty: q } satisfies Intent,
  {
    type: 'quote',
    market: market.index,
    bid: { price: p, qty: q },
    ask: null,
    priceTolerance: cents(1),
  } satisfies Intent,
  {
    type: 'quote',
    market: market.index,
    bid: null,
    ask: null,
    priceTolerance: 100,
    qtyTolerance: q - 1,
  } satisfies Intent,
  { type: 'timer', name: 'look', at: later(view.now, fromSeconds(5)) } satisfies Intent,
  { type: 'forecast', market: market.index, probability: nearestPrice(chance) } satisfies Intent,
  { type: 'decrease', clientOrderId: order.clientOrderId, leavesQty: contracts(1) } satisfies Intent,
  price(p + 100),
  qty(leavesQty(order) - q),
  money(m * 2),
  micros(view.now + 1),
  complement(no) === p,
  parityGap(p, no),
  bidOnGrid(market.grid, worthOf(chance) - 50),
  bidOnGrid(market.grid, book.mid ?? p),
  fairProbabilities([impliedProbability(p), impliedProbability(6020.5)]),
  kellyQty({ probability: chance, touch: book, bankroll: view.available, fraction: 0.25, fees: feeSchedule('free') }),
];

/** Invalid intents. */
export const intents = ({ view, book, market, order }: World): readonly unknown[] => [
  // @ts-expect-error a quantity for a price
  { type: 'place', market: market.index, side: 'buy', price: q, qty: q } satisfies Intent,
  // @ts-expect-error a price for a quantity
  { type: 'place', market: market.index, side: 'buy', price: p, qty: p } satisfies Intent,
  // @ts-expect-error a plain number for a price
  { type: 'place', market: market.index, side: 'buy', price: 4000, qty: q } satisfies Intent,
  // @ts-expect-error a plain number for a quantity
  { type: 'place', market: market.index, side: 'buy', price: p, qty: 5 } satisfies Intent,
  // @ts-expect-error a plain number for a market
  { type: 'place', market: 0, side: 'buy', price: p, qty: q } satisfies Intent,
  // @ts-expect-error a ticker for a market
  { type: 'place', market: market.ticker, side: 'buy', price: p, qty: q } satisfies Intent,
  // @ts-expect-error a price on the NO scale
  { type: 'place', market: market.index, side: 'buy', price: book.bestNoBid ?? p, qty: q } satisfies Intent,
  // @ts-expect-error a ratio for a price
  { type: 'place', market: market.index, side: 'buy', price: book.mid ?? p, qty: q } satisfies Intent,
  // @ts-expect-error the result of arithmetic has no unit
  { type: 'place', market: market.index, side: 'buy', price: p + cents(1), qty: q } satisfies Intent,
  // @ts-expect-error a duration for an expiry time
  { type: 'place', market: market.index, side: 'buy', price: p, qty: q, expiresAt: fromSeconds(5) } satisfies Intent,
  // @ts-expect-error a side of the book for a side of an order
  { type: 'place', market: market.index, side: 'bid', price: p, qty: q } satisfies Intent,
  // @ts-expect-error price and quantity swapped
  { type: 'quote', market: market.index, bid: { price: q, qty: p }, ask: null } satisfies Intent,
  // @ts-expect-error a quantity for a distance of prices
  { type: 'quote', market: market.index, bid: null, ask: null, priceTolerance: q } satisfies Intent,
  // @ts-expect-error a distance of prices for a quantity
  { type: 'quote', market: market.index, bid: null, ask: null, qtyTolerance: p } satisfies Intent,
  // @ts-expect-error a market for an order
  { type: 'cancel', clientOrderId: market.ticker } satisfies Intent,
  // @ts-expect-error the venue’s order id for ours
  { type: 'cancel', clientOrderId: order.venueOrderId ?? '' } satisfies Intent,
  // @ts-expect-error a price for the remaining quantity
  { type: 'decrease', clientOrderId: order.clientOrderId, leavesQty: p } satisfies Intent,
  // @ts-expect-error a duration for a time
  { type: 'timer', name: 'look', at: fromMillis(500) } satisfies Intent,
  // @ts-expect-error the result of arithmetic is not a time
  { type: 'timer', name: 'look', at: view.now + fromMillis(500) } satisfies Intent,
  // @ts-expect-error a probability for a price
  { type: 'forecast', market: market.index, probability: chance } satisfies Intent,
];

/** Conversions from one unit to another. */
export const made = ({ view, market }: World): readonly unknown[] => [
  // @ts-expect-error
  price(q),
  // @ts-expect-error
  price(m),
  // @ts-expect-error
  price(no),
  // @ts-expect-error
  price(chance),
  // @ts-expect-error
  qty(p),
  // @ts-expect-error
  money(p),
  // @ts-expect-error
  micros(fromSeconds(5)),
  // @ts-expect-error
  micros(q),
  // @ts-expect-error
  contracts(q),
  // @ts-expect-error
  contracts(market.index),
  // @ts-expect-error
  cents(p),
  // @ts-expect-error
  dollars(m),
  // @ts-expect-error
  fromMillis(view.now),
  // @ts-expect-error
  probability(p),
];

/** Computations. */
export const reckoned = ({ view, book, market }: World): readonly unknown[] => [
  // @ts-expect-error quantity and price swapped
  notional(q, p),
  // @ts-expect-error
  valueOf(p, q),
  // @ts-expect-error
  addMoney(m, p),
  // @ts-expect-error
  complement(q),
  // @ts-expect-error two prices of YES
  parityGap(p, p),
  // @ts-expect-error
  modelFee(feeSchedule('free'), { price: q, qty: p, liquidity: 'taker' }),
  // @ts-expect-error
  modelFee(feeSchedule('free'), { price: no, qty: q, liquidity: 'taker' }),
  // @ts-expect-error
  formatPrice(m),
  // @ts-expect-error
  formatQty(p),
  // @ts-expect-error
  formatMoney(q),
  // @ts-expect-error a ratio is not a price
  floorToGrid(market.grid, book.microprice ?? p),
  // @ts-expect-error 0…1 is not a price scale
  bidOnGrid(market.grid, chance),
  // @ts-expect-error
  bidOnGrid(market.grid, q),
  // @ts-expect-error
  impliedProbability(chance),
  // @ts-expect-error
  impliedProbability(no),
  // @ts-expect-error prices are no probabilities
  fairProbabilities([p, p]),
  // @ts-expect-error plain numbers are no probabilities either
  fairProbabilities([0.5, 0.6]),
  // @ts-expect-error
  logit(p),
  // @ts-expect-error
  worthOf(p),
  // @ts-expect-error
  nearestPrice(4000),
  // @ts-expect-error
  kellyFraction({ probability: p, price: p }),
  // @ts-expect-error
  kellyFraction({ probability: 0.4, price: p }),
  // @ts-expect-error
  kellyFraction({ probability: chance, price: p, feePerContract: p }),
  // @ts-expect-error
  kellyQty({ probability: chance, touch: book, bankroll: 1000, fraction: 1, fees: feeSchedule('free') }),
  // @ts-expect-error
  later(view.now, 5000),
  // @ts-expect-error
  new Ewma({ halfLifeMs: 100 }).add(5, 1),
  // @ts-expect-error
  new Candles({ intervalMs: 100, capacity: 1 }).add({ at: view.now, price: q, qty: p }),
];

/** Reads from a view. */
export const seen = ({ view, book, market }: World): readonly unknown[] => [
  // @ts-expect-error
  view.book(0),
  // @ts-expect-error
  view.book(market.ticker),
  // @ts-expect-error
  view.market(p),
  // @ts-expect-error
  view.position(q),
  // @ts-expect-error
  view.group(market.ticker),
  // @ts-expect-error
  groupFairValues(view, market.ticker),
  // @ts-expect-error a side of an order for a side of the book
  view.othersBest(market.index, 'buy'),
  // @ts-expect-error
  book.qtyAt('bid', q),
  // @ts-expect-error a price of NO is not on the ladder of YES
  book.qtyAt('bid', no),
  // @ts-expect-error
  book.depth('bid', q),
  // @ts-expect-error
  book.imbalance(q),
];

/** Comparisons of values that can never be equal. */
export const comparisons = (order: Order, market: Market): readonly boolean[] => [
  // @ts-expect-error
  order.price === order.qty,
  // @ts-expect-error
  complement(p) === p,
  // @ts-expect-error
  market.ticker === market.eventTicker,
  // @ts-expect-error
  market.status === 'open',
];

/** Names and amounts swapped. */
export const names = (market: Market, order: Order): readonly unknown[] => [
  // @ts-expect-error
  market.ticker satisfies EventTicker,
  // @ts-expect-error
  'RAIN' satisfies Ticker,
  // @ts-expect-error
  order.strategy satisfies ClientOrderId,
  // @ts-expect-error
  market.closeAt satisfies Money,
  // @ts-expect-error
  order.price satisfies Qty,
  // @ts-expect-error
  order.qty satisfies Price,
  // @ts-expect-error
  order.price satisfies Probability,
  // @ts-expect-error
  fromSeconds(1) satisfies Micros,
];

/** Mix-ups in a strategy's own declaration. */
export const declarations = [
  // @ts-expect-error a selector bounds a quantity
  () => defineStrategy({ name: 'x', params: z.unknown(), markets: () => ({ volumeMin: 500 }), setup: () => ({}) }),
  // @ts-expect-error a selector bounds a distance of prices
  () => defineStrategy({ name: 'x', params: z.strictObject({}), markets: () => ({ spreadMax: q }), setup: () => ({}) }),
  // @ts-expect-error a strategy with a saved schema must have save and restore
  () => defineStrategy({ name: 'x', params: z.strictObject({}), saved: z.number(), setup: () => ({}) }),
  // @ts-expect-error a strategy that saves must have a schema of what it saves
  () => defineStrategy({ name: 'x', params: z.strictObject({}), setup: () => ({ save: () => 1, restore() {} }) }),
  () =>
    defineStrategy({
      name: 'x',
      params: z.strictObject({}),
      // @ts-expect-error a handler answers with intents
      setup: () => ({ onBook: () => [{ type: 'place', market: 0, price: 4000 }] }),
    }),
];

describe('a mix-up of units', () => {
  it('is refused by the compiler, and valid code has the expected values', () => {
    expect([p, q, m, no, chance]).toEqual([4000, 500, 2_000_000, 6000, 0.4]);
    expect(later(micros(5), fromMillis(-0.002))).toBe(3);
    expect(() => fromSeconds(Number.NaN)).toThrow('a span of NaN µs is not a whole number of microseconds');
  });
});
