// Denials about fees, event groups, reference prices, rates and the venue's capabilities: each at its limit and a step
// beyond it. tidy: table
import { eventTicker, strategyName } from '../../src/domain/ids.ts';
import type { Strike } from '../../src/domain/market.ts';
import { cents, contracts, dollars, micros, money, price } from '../../src/domain/units.ts';
import { BEGIN, M0, M1, MAKER, aFill, after } from '../support/engine/builders.ts';
import { booksWithMid } from './fixed-books.ts';
import { type DenialRow, buy, addPosition, addResting, sell } from './denial-scene.ts';

const OTHER = strategyName('other');
const QUADRATIC = { feeType: 'quadratic' };
/** Ten at 40 cents: 0.07 · 10 · 0.4 · 0.6 dollars, and the rounding of each of ten fills. */
const FEE = 168_000 + 10 * 101;
const EXCLUSIVE = { isExclusive: true };

const above = (floor: number): Strike => ({ type: 'greater', floor, cap: null });

const FEES: readonly DenialRow[] = [
  {
    code: 'order-cost-above-limit',
    why: 'the fee that a taker pays',
    passes: [
      { series: QUADRATIC, limits: { orderCostMax: money(4_000_000 + FEE) } },
      { series: QUADRATIC, proposal: { postOnly: true }, limits: { orderCostMax: dollars(4) } },
    ],
    denied: { series: QUADRATIC, limits: { orderCostMax: money(4_000_000 + FEE - 1) } },
    figures: { cost: 4_000_000 + FEE },
  },
  {
    code: 'order-cost-above-limit',
    why: 'the fee of a series that doubles it',
    passes: [],
    denied: { series: { ...QUADRATIC, feeMultiplierPercent: 200 }, limits: { orderCostMax: dollars(4.2) } },
    figures: { cost: 4_000_000 + 2 * 168_000 + 1010 },
  },
  {
    code: 'order-cost-above-limit',
    why: 'the fee of an event group that differs from its series',
    passes: [{ series: QUADRATIC, group: { fees: { feeType: 'free' } }, limits: { orderCostMax: dollars(4) } }],
    denied: {
      series: QUADRATIC,
      group: { fees: { feeMultiplierPercent: 200 } },
      limits: { orderCostMax: dollars(4.2) },
    },
    figures: { cost: 4_000_000 + 2 * 168_000 + 1010 },
  },
  {
    code: 'order-cost-above-limit',
    why: 'a fee that was changed, until it is the series’ again',
    passes: [
      {
        series: QUADRATIC,
        limits: { orderCostMax: dollars(4.2) },
        before: (state) => {
          const change = { kind: 'fees-changed', at: BEGIN, eventTicker: eventTicker('EVENT') } as const;
          state.applyEvent({ ...change, fees: { feeMultiplierPercent: 200 } }, []);
          state.applyEvent({ ...change, fees: null }, []);
        },
      },
    ],
    denied: {
      series: QUADRATIC,
      limits: { orderCostMax: dollars(4.2) },
      before: (state) => {
        const change = { kind: 'fees-changed', at: BEGIN, eventTicker: eventTicker('EVENT') } as const;
        state.applyEvent({ ...change, fees: { feeMultiplierPercent: 200 } }, []);
      },
    },
    figures: { cost: 4_000_000 + 2 * 168_000 + 1010 },
  },
  {
    code: 'order-cost-above-limit',
    why: 'the most expensive fee, where the series is not known',
    passes: [],
    denied: { series: null, limits: { orderCostMax: dollars(4) } },
    figures: { cost: 4_000_000 + FEE },
  },
  {
    code: 'order-cost-above-limit',
    why: 'the most expensive fee, where the fee type of the series is not known',
    passes: [],
    denied: { series: { feeType: 'flat' }, limits: { orderCostMax: dollars(4) } },
    figures: { cost: 4_000_000 + FEE },
  },
  {
    code: 'market-cost-above-limit',
    why: 'fees of resting orders and of the proposal',
    passes: [
      {
        series: QUADRATIC,
        limits: { marketCostMax: money(8_000_000 + 2 * FEE) },
        before: (state) => addResting(state),
      },
    ],
    denied: {
      series: QUADRATIC,
      limits: { marketCostMax: money(8_000_000 + 2 * FEE - 1) },
      before: (state) => addResting(state),
    },
    figures: { cost: 8_000_000 + 2 * FEE },
  },
  {
    code: 'cash-short',
    why: 'fees of resting orders and of the proposal',
    passes: [
      { series: QUADRATIC, cash: (8_000_000 + 2 * FEE) / 1e6, before: (state) => addResting(state, { market: M1 }) },
    ],
    denied: {
      series: QUADRATIC,
      cash: (8_000_000 + 2 * FEE - 1) / 1e6,
      before: (state) => addResting(state, { market: M1 }),
    },
    figures: { needed: 4_000_000 + FEE, available: 4_000_000 + FEE - 1 },
  },
];

const GROUPS: readonly DenialRow[] = [
  {
    code: 'group-cost-above-limit',
    why: 'the joint loss of independent markets of a group',
    passes: [
      { limits: { groupCostMax: dollars(8) }, before: (state) => addResting(state, { market: M1 }) },
      {
        // An order that closes a position passes, however far the group is above its limit.
        proposal: sell(5),
        limits: { groupCostMax: dollars(1) },
        before: (state) => addPosition(state, 'buy', { size: 10 }),
      },
    ],
    denied: { limits: { groupCostMax: dollars(7.999999) }, before: (state) => addResting(state, { market: M1 }) },
    figures: { cost: 8_000_000, groupCostMax: 7_999_999, eventTicker: 'EVENT' },
  },
  {
    code: 'group-cost-above-limit',
    why: 'buys of exclusive outcomes: none of them may come true',
    passes: [],
    denied: {
      group: EXCLUSIVE,
      limits: { groupCostMax: dollars(7) },
      before: (state) => addResting(state, { market: M1 }),
    },
    figures: { cost: 8_000_000 },
  },
  {
    code: 'group-cost-above-limit',
    why: 'sales of exclusive outcomes: only one can come true',
    passes: [
      {
        group: EXCLUSIVE,
        proposal: sell(10),
        limits: { groupCostMax: dollars(4) },
        before: (state) => addResting(state, { market: M1, side: 'sell', price: cents(60), qty: contracts(9) }),
      },
      {
        // Sold for 60 and 60 cents: whatever comes true, at most ten dollars are paid for twelve.
        group: EXCLUSIVE,
        proposal: sell(10),
        limits: { groupCostMax: dollars(4) },
        before: (state) => addPosition(state, 'sell', { size: 10, market: M1, at: 60 }),
      },
    ],
    denied: {
      group: EXCLUSIVE,
      proposal: sell(10),
      limits: { groupCostMax: dollars(3.999999) },
      before: (state) => addResting(state, { market: M1, side: 'sell', price: cents(60), qty: contracts(9) }),
    },
    figures: { cost: 4_000_000 },
  },
  {
    code: 'group-cost-above-limit',
    why: 'two thresholds of one number, unless their strikes are known',
    passes: [
      {
        // Above 30 held for 40, above 40 sold for 60: whatever the number, one of the two gains.
        strikes: [above(40), above(30)],
        proposal: sell(10),
        limits: { groupCostMax: dollars(4) },
        before: (state) => addPosition(state, 'buy', { size: 10, market: M1 }),
      },
    ],
    denied: {
      proposal: sell(10),
      limits: { groupCostMax: dollars(4) },
      before: (state) => addPosition(state, 'buy', { size: 10, market: M1 }),
    },
    figures: { cost: 8_000_000 },
  },
  {
    code: 'account-cost-above-limit',
    why: 'both sides of one market, of which only one can lose',
    passes: [
      {
        limits: { accountCostMax: dollars(4) },
        before: (state) => addResting(state, { side: 'sell', price: cents(60), qty: contracts(9) }),
      },
    ],
    denied: {
      limits: { accountCostMax: dollars(3.999999) },
      before: (state) => addResting(state, { side: 'sell', price: cents(60), qty: contracts(9) }),
    },
    figures: { cost: 4_000_000 },
  },
];

const BOOK: readonly DenialRow[] = [
  {
    code: 'price-too-far',
    why: 'a buy far above the mid',
    passes: [
      { proposal: buy(1, 60), limits: { priceDistanceMax: 1000 } },
      { proposal: buy(1, 5), limits: { priceDistanceMax: 1000 } },
    ],
    denied: { proposal: buy(1, 61), limits: { priceDistanceMax: 1000 } },
    figures: { price: 6100, reference: 5000, priceDistanceMax: 1000 },
  },
  {
    code: 'price-too-far',
    why: 'a sale far below the mid',
    passes: [
      { proposal: sell(1, 40), limits: { priceDistanceMax: 1000 } },
      { proposal: sell(1, 95), limits: { priceDistanceMax: 1000 } },
    ],
    denied: { proposal: sell(1, 39), limits: { priceDistanceMax: 1000 } },
    figures: { price: 3900, reference: 5000 },
  },
  {
    code: 'price-too-far',
    why: 'a price far from the last trade, where there is no bid',
    passes: [
      {
        proposal: buy(1, 50),
        book: { bids: [], asks: [[55, 1]] },
        limits: { priceDistanceMax: 1000 },
        meanwhile: ({ watch }) => watch.onPrint(M0, cents(40), BEGIN),
      },
    ],
    denied: {
      proposal: buy(1, 51),
      book: { bids: [], asks: [[55, 1]] },
      limits: { priceDistanceMax: 1000 },
      meanwhile: ({ watch }) => watch.onPrint(M0, cents(40), BEGIN),
    },
    figures: { price: 5100, reference: 4000 },
  },
  {
    code: 'price-too-far',
    why: 'a quote far above the only side there is',
    passes: [
      {
        proposal: { ...buy(1, 55), postOnly: true },
        book: { bids: [[45, 1]], asks: [] },
        limits: { priceDistanceMax: 1000 },
      },
      { proposal: { ...buy(1, 90), postOnly: true }, book: { bids: [], asks: [] }, limits: { priceDistanceMax: 1000 } },
    ],
    denied: {
      proposal: { ...buy(1, 56), postOnly: true },
      book: { bids: [[45, 1]], asks: [] },
      limits: { priceDistanceMax: 1000 },
    },
    figures: { price: 5600, reference: 4500 },
  },
  {
    code: 'no-reference',
    why: 'an order that may trade at once where there is no bid and no print',
    passes: [{ proposal: { postOnly: true }, book: { bids: [], asks: [[55, 1]] } }],
    denied: { book: { bids: [], asks: [[55, 1]] } },
  },
  {
    code: 'no-reference',
    why: 'a last trade that is too old to say what the market is worth',
    passes: [
      {
        book: { bids: [], asks: [] },
        now: after(59_999),
        meanwhile: ({ watch }) => watch.onPrint(M0, cents(40), BEGIN),
      },
    ],
    denied: {
      book: { bids: [], asks: [] },
      now: after(60_000),
      meanwhile: ({ watch }) => watch.onPrint(M0, cents(40), BEGIN),
    },
  },
  {
    code: 'spread-too-wide',
    why: 'a spread a cent too wide',
    passes: [{ limits: { spreadMax: 1000 } }, { book: { bids: [], asks: [] }, proposal: { postOnly: true } }],
    denied: { limits: { spreadMax: 900 } },
    figures: { spread: 1000, spreadMax: 900 },
  },
  {
    code: 'spread-too-wide',
    why: 'a side without a bid',
    passes: [],
    denied: { limits: { spreadMax: 1000 }, book: { bids: [[45, 1]], asks: [] } },
    figures: { spread: 5500 },
  },
  {
    code: 'book-jumped',
    why: 'a touch that jumped without a trade, until the pause is over',
    passes: [
      { now: after(2000), limits: { touchJumpMax: 1000, jumpPauseMs: 2000 }, meanwhile: (context) => jump(context) },
      { limits: { touchJumpMax: 1050, jumpPauseMs: 2000 }, meanwhile: (context) => jump(context) },
      { limits: { touchJumpMax: null }, meanwhile: (context) => jump(context) },
    ],
    denied: {
      now: after(1999),
      limits: { touchJumpMax: 1000, jumpPauseMs: 2000 },
      meanwhile: (context) => jump(context),
    },
    figures: { jump: 1050, touchJumpMax: 1000, forMs: 1 },
  },
];

type Context = Parameters<NonNullable<DenialRow['denied']['meanwhile']>>[0];

/** The mid moves from 50 to 60.5 cents. */
function jump({ watch, accountLimits }: Context): void {
  watch.onTouchChange(M0, booksWithMid(BEGIN, 2 * cents(50)), accountLimits);
  watch.onTouchChange(M0, booksWithMid(BEGIN, cents(60) + cents(61)), accountLimits);
}

/** Counts orders that a strategy sent at the beginning. */
const ordered =
  (count: number, strategy = MAKER) =>
  ({ rates }: Context): void => {
    for (let i = 0; i < count; i++) rates.countOrder(strategy, BEGIN);
  };
const canceled =
  (count: number) =>
  ({ rates }: Context): void => {
    for (let i = 0; i < count; i++) rates.countCancel(OTHER, BEGIN);
  };

const PACE: readonly DenialRow[] = [
  {
    code: 'order-rate-above-limit',
    why: 'one order of the account too many within a second',
    passes: [
      { limits: { ordersPerSecondMax: 3 }, meanwhile: ordered(2, OTHER) },
      { limits: { ordersPerSecondMax: 2 }, meanwhile: ordered(2, OTHER), now: after(1000) },
    ],
    denied: { limits: { ordersPerSecondMax: 2 }, meanwhile: ordered(2, OTHER), now: micros(after(1000) - 1) },
    figures: { of: 'account', orders: 3, ordersPerSecondMax: 2 },
  },
  {
    code: 'order-rate-above-limit',
    why: 'one order of the strategy too many within a second',
    passes: [{ own: { ordersPerSecondMax: 2 }, meanwhile: ordered(2, OTHER) }],
    denied: { own: { ordersPerSecondMax: 2 }, meanwhile: ordered(2) },
    figures: { of: 'strategy', orders: 3, ordersPerSecondMax: 2 },
  },
  {
    code: 'message-rate-above-limit',
    why: 'cancels and orders of the account within a minute',
    passes: [
      { limits: { messagesPerMinuteMax: 6 }, meanwhile: canceled(5) },
      { limits: { messagesPerMinuteMax: 5 }, meanwhile: canceled(5), now: after(60_000) },
    ],
    denied: { limits: { messagesPerMinuteMax: 5 }, meanwhile: canceled(5), now: micros(after(60_000) - 1) },
    figures: { of: 'account', messages: 6, messagesPerMinuteMax: 5 },
  },
  {
    code: 'message-rate-above-limit',
    why: 'orders of the strategy within a minute',
    passes: [
      { own: { messagesPerMinuteMax: 5 }, meanwhile: canceled(9) },
      { own: { messagesPerMinuteMax: 6 }, meanwhile: ordered(5), now: after(5000) },
    ],
    denied: { own: { messagesPerMinuteMax: 5 }, meanwhile: ordered(5), now: after(5000) },
    figures: { of: 'strategy', messages: 6 },
  },
  {
    code: 'duplicate-order',
    why: 'an equal order before the first has traded or ended',
    passes: [
      { limits: { duplicateWindowMs: 500 }, now: after(500), before: (state) => addResting(state) },
      { limits: { duplicateWindowMs: 500 }, proposal: buy(9), before: (state) => addResting(state) },
      { limits: { duplicateWindowMs: 500 }, proposal: buy(10, 41), before: (state) => addResting(state) },
      { limits: { duplicateWindowMs: 500 }, before: (state) => addResting(state, { strategy: OTHER }) },
      { limits: { duplicateWindowMs: 500 }, before: (state) => addResting(state, { market: M1 }) },
      { before: (state) => addResting(state) },
      {
        limits: { duplicateWindowMs: 500 },
        before: (state) => state.orders.applyChange(addResting(state), 'drop', BEGIN),
      },
      {
        limits: { duplicateWindowMs: 500 },
        before: (state) => state.orders.applyFill(addResting(state), aFill({ qty: contracts(1) }), BEGIN),
      },
    ],
    denied: { limits: { duplicateWindowMs: 500 }, now: after(499), before: (state) => addResting(state) },
    figures: { ageMs: 499, duplicateWindowMs: 500 },
  },
  {
    code: 'orders-above-limit',
    why: 'one order of the strategy too many',
    passes: [{ own: { workingOrdersMax: 1 }, before: (state) => addResting(state, { strategy: OTHER }) }],
    denied: { own: { workingOrdersMax: 1 }, before: (state) => addResting(state, { strategy: MAKER }) },
    figures: { orders: 2, workingOrdersMax: 1 },
  },
];

const VENUE: readonly DenialRow[] = [
  {
    code: 'not-offered',
    why: 'a post-only order',
    passes: [{ venue: { canPostOnly: false } }, { proposal: { postOnly: true } }],
    denied: { venue: { canPostOnly: false }, proposal: { postOnly: true } },
    figures: { feature: 'post-only orders' },
  },
  {
    code: 'not-offered',
    why: 'a reduce-only order',
    passes: [{ venue: { canReduceOnly: false } }],
    denied: { venue: { canReduceOnly: false }, proposal: { reduceOnly: true } },
    figures: { feature: 'reduce-only orders' },
  },
  {
    code: 'nothing-to-reduce',
    why: 'a reduce-only order of an account that holds nothing',
    passes: [
      { proposal: { reduceOnly: false } },
      { before: (state) => addPosition(state, 'buy', { size: 1 }), proposal: { ...sell(10), reduceOnly: true } },
      { before: (state) => addPosition(state, 'sell', { size: 1 }), proposal: { ...buy(10), reduceOnly: true } },
    ],
    denied: { proposal: { reduceOnly: true } },
    figures: { side: 'buy', position: 0 },
  },
  {
    code: 'nothing-to-reduce',
    why: 'a reduce-only order that would add to what the account holds',
    passes: [],
    denied: { before: (state) => addPosition(state, 'buy', { size: 5 }), proposal: { ...buy(1), reduceOnly: true } },
    figures: { side: 'buy', position: 500 },
  },
  {
    code: 'not-offered',
    why: 'a time in force',
    passes: [{ venue: { timeInForce: ['gtc'] } }],
    denied: { venue: { timeInForce: ['gtc'] }, proposal: { timeInForce: 'fok' } },
    figures: { feature: 'orders fok' },
  },
  ...(['ioc', 'fok'] as const).map((timeInForce): DenialRow => ({
    code: 'not-offered',
    why: `a post-only order ${timeInForce}`,
    passes: [{ proposal: { timeInForce } }, { proposal: { postOnly: true } }],
    denied: { proposal: { postOnly: true, timeInForce } },
    figures: { feature: `post-only orders ${timeInForce}` },
  })),
  {
    code: 'price-outside-band',
    why: "outside the venue's price range",
    passes: [{ venue: { priceMin: cents(40) } }],
    denied: { venue: { priceMin: price(4001) } },
    figures: { priceMin: 4001 },
  },
  {
    code: 'order-qty-invalid',
    why: "finer than the venue's quantity step",
    passes: [{ venue: { qtyStep: 500 } }],
    denied: { venue: { qtyStep: 300 } },
    figures: { qty: 1000, qtyStep: 300 },
  },
  {
    code: 'order-qty-above-limit',
    why: 'above the strategy’s own limit',
    passes: [{ own: { orderQtyMax: contracts(10) } }],
    denied: { own: { orderQtyMax: contracts(9) } },
    figures: { orderQtyMax: 900 },
  },
];

/** Every row of this file. */
export const MARKET_DENIALS: readonly DenialRow[] = [...FEES, ...GROUPS, ...BOOK, ...PACE, ...VENUE];
