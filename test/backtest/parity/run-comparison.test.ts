// Comparison of two runs over the same time range: orders are paired once, and every difference has its true cause.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompareOptions, compareRuns } from '../../../backtest/parity/run-comparison.ts';
import { pairOrders } from '../../../backtest/parity/order-pairs.ts';
import { strategyName, ticker as tickerName } from '../../../src/domain/ids.ts';
import type { HaltScope } from '../../../src/domain/operator-order.ts';
import { micros } from '../../../src/domain/units.ts';
import type { RunTrace, TracedFill, TracedOrder } from '../../../backtest/parity/run-trace.ts';

const SECOND = 1_000_000;
const WINDOW = { windowMicros: 2 * SECOND };

const anOrder = (over: Partial<TracedOrder> = {}): TracedOrder => ({
  clientOrderId: 'a',
  strategy: 'quoter',
  ticker: 'M-0',
  side: 'buy',
  price: 4500,
  qty: 500,
  createdAt: 10 * SECOND,
  endedAt: 60 * SECOND,
  state: 'canceled',
  filledQty: 0,
  hasRested: true,
  moves: [],
  fills: [],
  ...over,
});

const aFill = (over: Partial<TracedFill> = {}): TracedFill => ({
  at: 20 * SECOND,
  price: 4500,
  qty: 500,
  fee: 10_000,
  liquidity: 'maker',
  ...over,
});

const filledOrder = (over: Partial<TracedFill> = {}): TracedOrder => {
  const fill = aFill(over);
  return anOrder({ filledQty: fill.qty, state: 'filled', endedAt: 20 * SECOND, fills: [fill] });
};

const GROUPS = new Map([
  ['M-0', 'E'],
  ['M-1', 'E'],
]);
const aRun = (over: Partial<RunTrace>): RunTrace => ({
  orders: [],
  rateDenials: [],
  groups: GROUPS,
  changes: [],
  taken: new Set(),
  tradesFrom: 0,
  halts: [],
  ...over,
});

const compare = (live: Partial<RunTrace>, simulated: Partial<RunTrace>, over: Partial<CompareOptions> = {}) => {
  const none = { codeDiffersAt: null, gaps: [], openingTickers: new Set<string>() };
  return compareRuns({ live: aRun(live), simulated: aRun(simulated), ...WINDOW, ...none, ...over });
};

describe('pairing', () => {
  it('pairing prefers the same price and quantity over the nearest in time', () => {
    const live = [anOrder({ clientOrderId: 'live' })];
    const near = anOrder({ clientOrderId: 'near', price: 4400 });
    const same = anOrder({ clientOrderId: 'same', createdAt: 11 * SECOND });
    const pairs = pairOrders(live, [near, same], WINDOW);
    expect(pairs.map(({ live: a, simulated: b }) => [a?.clientOrderId, b?.clientOrderId])).toEqual([
      ['live', 'same'],
      [undefined, 'near'],
    ]);
  });

  it('an order that only one run had does not shift the pairs after it', () => {
    const each = (prefix: string, seconds: readonly number[]) =>
      seconds.map((at) => anOrder({ clientOrderId: `${prefix}${Math.floor(at)}`, createdAt: at * SECOND }));
    const idsOf = (a: readonly TracedOrder[], b: readonly TracedOrder[]) =>
      pairOrders(a, b, WINDOW).map(({ live, simulated }) => [live?.clientOrderId, simulated?.clientOrderId]);
    const pairs = [
      ['l1', 's1'],
      ['l2', 's2'],
      ['l3', 's3'],
    ];
    expect(idsOf(each('l', [0, 1, 2, 3]), each('s', [1.05, 2.05, 3.05]))).toEqual([['l0', undefined], ...pairs]);
    expect(idsOf(each('l', [1.05, 2.05, 3.05]), each('s', [0, 1, 2, 3]))).toEqual([[undefined, 's0'], ...pairs]);
  });

  const orders = (prefix: string) =>
    fc
      .array(
        fc.record({
          strategy: fc.constantFrom('quoter', 'taker'),
          ticker: fc.constantFrom('M-0', 'M-1'),
          side: fc.constantFrom('buy' as const, 'sell' as const),
          price: fc.constantFrom(4400, 4500),
          createdAt: fc.integer({ min: 0, max: 20 * SECOND }),
        }),
        { maxLength: 30 },
      )
      .map((all) => all.map((each, i) => anOrder({ ...each, clientOrderId: `${prefix}${i}` })));

  it('pairing lists every order of both runs once, and pairs none beyond the window or of another strategy, market or side', () => {
    fc.assert(
      fc.property(orders('l'), orders('s'), (a, b) => {
        const pairs = pairOrders(a, b, WINDOW);
        const ids = pairs
          .flatMap(({ live, simulated }) => [live, simulated])
          .flatMap((order) => order?.clientOrderId ?? []);
        expect([...ids].sort()).toEqual([...a, ...b].map(({ clientOrderId }) => clientOrderId).sort());
        for (const { live, simulated } of pairs) {
          if (!live || !simulated) continue;
          expect([live.strategy, live.ticker, live.side]).toEqual([
            simulated.strategy,
            simulated.ticker,
            simulated.side,
          ]);
          expect(Math.abs(live.createdAt - simulated.createdAt)).toBeLessThanOrEqual(WINDOW.windowMicros);
        }
      }),
    );
  });

  it('pairing takes the two alike orders that are nearest in time first, as a search of all pairs does', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 6 * SECOND }), { maxLength: 8 });
    const ordersAt = (prefix: string, all: readonly number[]): TracedOrder[] =>
      all.map((createdAt, i) => anOrder({ clientOrderId: `${prefix}${i}`, createdAt }));
    fc.assert(
      fc.property(times, times, (a, b) => {
        const apart = ([x = 0, y = 0]: readonly number[]): number => Math.abs(x - y);
        const near = a.flatMap((x) => b.map((y) => [x, y])).filter((pair) => apart(pair) <= WINDOW.windowMicros);
        // Either of two equal distances may come first.
        fc.pre(new Set(near.map(apart)).size === near.length);
        const [ours, theirs] = [new Set<number>(), new Set<number>()];
        const expected: number[] = [];
        for (const [x = 0, y = 0] of near.sort((p, q) => apart(p) - apart(q))) {
          if (ours.has(x) || theirs.has(y)) continue;
          ours.add(x);
          theirs.add(y);
          expected.push(apart([x, y]));
        }
        const found = pairOrders(ordersAt('l', a), ordersAt('s', b), WINDOW).flatMap(({ live, simulated }) =>
          live && simulated ? [apart([live.createdAt, simulated.createdAt])] : [],
        );
        expect(found.sort((x, y) => x - y)).toEqual(expected);
      }),
    );
  });
});

describe('two runs', () => {
  it('two equal runs have no difference and agree fully', () => {
    const run = { orders: [filledOrder()] };
    const report = compare(run, run);
    expect(report).toMatchObject({ differences: [], agreement: 1, byCause: {} });
    expect(report.cash).toEqual({ live: -4500 * 500 - 10_000, simulated: -4500 * 500 - 10_000 });
  });

  it('two runs without trades agree fully', () => expect(compare({}, {}).agreement).toBe(1));

  it('the share of the resting quantity that filled counts what amends added', () => {
    const fill = aFill({ qty: 900 });
    const moves = [
      { at: 15 * SECOND, price: 4500, qty: 1000 },
      { at: 30 * SECOND, price: 4500, qty: 900 },
    ];
    const order = anOrder({ filledQty: 900, state: 'filled', fills: [fill], moves });
    expect(compare({ orders: [order] }, {}).resting.live).toEqual({ orders: 1, qty: 1000, filledQty: 900 });
  });

  it('the agreement is the quantity that both traded, in proportion to what each traded', () => {
    const half = { orders: [filledOrder({ qty: 250 })] };
    const report = compare({ orders: [filledOrder()] }, half);
    expect(report.filledQty).toEqual({ live: 500, simulated: 250, same: 250 });
    expect(report.agreement).toBeCloseTo(500 / 750, 12);
  });
});

describe('a difference', () => {
  const causeOf = (...args: Parameters<typeof compare>) =>
    compare(...args).differences.map(({ kind, cause }) => [kind, cause]);
  const traded = { orders: [filledOrder()] };
  const resting = { orders: [anOrder()] };

  it('a difference between two resting orders is caused by the queue', () =>
    expect(causeOf(traded, resting)).toEqual([['filled', 'queue']]));

  it('a difference is latency when one order was not there when the other traded', () => {
    const early = { orders: [anOrder({ endedAt: 15 * SECOND })] };
    expect(causeOf(traded, early)).toEqual([['filled', 'latency']]);
  });

  it('a difference is latency when an order took quantity that was gone for the other', () => {
    const taker = { orders: [filledOrder({ liquidity: 'taker' })] };
    expect(causeOf(taker, resting)).toEqual([['filled', 'latency']]);
  });

  it('a difference is latency when one order rested at another price while the other traded', () => {
    const moves = [
      { at: 15 * SECOND, price: 4600, qty: 500 },
      { at: 30 * SECOND, price: 4500, qty: 500 },
    ];
    expect(causeOf(traded, { orders: [anOrder({ moves })] })).toEqual([['filled', 'latency']]);
    expect(causeOf({ orders: [anOrder({ moves })] }, traded)).toEqual([['filled', 'latency']]);
    const both = { orders: [anOrder({ moves: [{ at: 30 * SECOND, price: 4600, qty: 500 }] })] };
    expect(causeOf(traded, both)).toEqual([['filled', 'queue']]);
  });

  it('a difference is latency when one order had become smaller than what the other traded', () => {
    const decreased = (at: number) => ({ orders: [anOrder({ moves: [{ at: at * SECOND, price: 4500, qty: 100 }] })] });
    expect(causeOf(traded, decreased(15))).toEqual([['filled', 'latency']]);
    expect(causeOf(decreased(15), traded)).toEqual([['filled', 'latency']]);
    expect(causeOf(traded, decreased(30))).toEqual([['filled', 'queue']]);
  });

  it('a difference in the fee alone is reported as such', () => {
    const charged = { orders: [filledOrder({ fee: 20_000 })] };
    expect(causeOf(traded, charged)).toEqual([['fee', 'fee']]);
  });

  it('a difference is caused by the budget when one order was held back', () => {
    const held = { orders: [anOrder({ state: 'not-sent', endedAt: 12 * SECOND })] };
    expect(causeOf(traded, held)).toEqual([['filled', 'budget']]);
    const rateDenials = [{ at: 11 * SECOND, strategy: 'quoter' }];
    expect(causeOf(traded, { rateDenials })).toEqual([['only-live', 'budget']]);
  });

  it('a difference is caused by the code from where the journal replays differently', () => {
    expect(causeOf(traded, resting, { codeDiffersAt: 5 * SECOND })).toEqual([['filled', 'code']]);
    expect(causeOf(traded, resting, { codeDiffersAt: 50 * SECOND })).toEqual([['filled', 'queue']]);
  });

  it('a difference within a gap of the tape is caused by the tape', () => {
    const gap = { from: 0, to: 15 * SECOND };
    expect(causeOf(traded, resting, { gaps: [{ ...gap, tickers: [] }] })).toEqual([['filled', 'tape']]);
    expect(causeOf(traded, resting, { gaps: [{ ...gap, tickers: ['M-0'] }] })).toEqual([['filled', 'tape']]);
    expect(causeOf(traded, resting, { gaps: [{ ...gap, tickers: ['M-1'] }] })).toEqual([['filled', 'queue']]);
  });

  it('a trade that only one order had is caused by a gap of the tape after the decision and before the trade, not by a later one', () => {
    const gapFrom = (from: number) => ({ gaps: [{ from: from * SECOND, to: (from + 2) * SECOND, tickers: ['M-0'] }] });
    expect(causeOf(traded, resting, gapFrom(15))).toEqual([['filled', 'tape']]);
    expect(causeOf(resting, traded, gapFrom(19))).toEqual([['filled', 'tape']]);
    expect(causeOf(traded, resting, gapFrom(5))).toEqual([['filled', 'queue']]);
    expect(causeOf(traded, resting, gapFrom(25))).toEqual([['filled', 'queue']]);
  });

  it('an order of the changed code is caused by the code where the backtest decides it a moment before the session', () => {
    const orders = [anOrder({ createdAt: 30 * SECOND })];
    expect(causeOf({}, { orders }, { codeDiffersAt: 30 * SECOND + 1 })).toEqual([['only-simulated', 'code']]);
    expect(causeOf({}, { orders }, { codeDiffersAt: 40 * SECOND })).toEqual([['only-simulated', 'unexplained']]);
  });

  it('a difference is caused by a refusal when the venue accepted only one of the orders', () => {
    const refused = { orders: [anOrder({ state: 'rejected', endedAt: 11 * SECOND, hasRested: false })] };
    expect(causeOf(traded, refused)).toEqual([['filled', 'refused']]);
    expect(causeOf(refused, traded)).toEqual([['filled', 'refused']]);
  });

  it('an unpaired order follows from an earlier difference in the group, or is unexplained', () => {
    const later = anOrder({ clientOrderId: 'b', ticker: 'M-1', createdAt: 30 * SECOND });
    const alone = { orders: [...traded.orders, later] };
    expect(causeOf(alone, resting)).toEqual([
      ['filled', 'queue'],
      ['only-live', 'follows'],
    ]);
    expect(causeOf({ orders: [later] }, {})).toEqual([['only-live', 'unexplained']]);
  });

  it('an unpaired order does not follow from a trade that came later, but from an order that was gone earlier', () => {
    const at = (seconds: number) => anOrder({ clientOrderId: 'b', ticker: 'M-1', createdAt: seconds * SECOND });
    const alone = (seconds: number) => ({ orders: [...traded.orders, at(seconds)] });
    expect(causeOf(alone(19), resting)).toEqual([
      ['filled', 'queue'],
      ['only-live', 'unexplained'],
    ]);
    expect(causeOf(alone(20), resting)).toEqual([
      ['filled', 'queue'],
      ['only-live', 'follows'],
    ]);
    const canceled = { orders: [anOrder({ endedAt: 15 * SECOND })] };
    expect(causeOf(alone(16), canceled)).toEqual([
      ['filled', 'latency'],
      ['only-live', 'follows'],
    ]);
    const refused = { orders: [anOrder({ state: 'rejected', hasRested: false })] };
    expect(causeOf(alone(11), refused)).toEqual([
      ['filled', 'refused'],
      ['only-live', 'follows'],
    ]);
  });

  it('an unpaired order is explained by the start of the other run while that does not trade yet', () => {
    const early = anOrder({ clientOrderId: 'b', createdAt: 10 * SECOND, endedAt: 15 * SECOND });
    const late = { tradesFrom: 20 * SECOND };
    expect(causeOf({ orders: [early] }, late)).toEqual([['only-live', 'start']]);
    expect(causeOf(late, { orders: [early] })).toEqual([['only-simulated', 'start']]);
    const orders = [early, anOrder({ createdAt: 20 * SECOND })];
    expect(causeOf(late, { orders })).toEqual([
      ['only-simulated', 'start'],
      ['only-simulated', 'follows'],
    ]);
  });

  describe('of a run that is halted', () => {
    const halt = { by: 'operator', reason: 'odd', since: micros(0) } as const;
    const halted = (scope: HaltScope): Partial<RunTrace> => ({
      halts: [{ halt: { ...halt, scope }, from: 20 * SECOND, to: 40 * SECOND }],
    });
    const orderAt = (at: number) => anOrder({ clientOrderId: 'b', createdAt: at * SECOND, endedAt: (at + 1) * SECOND });
    const { strategy, ticker } = orderAt(0);
    const scopes: readonly HaltScope[] = [
      { type: 'account' },
      { type: 'strategy', strategy: strategyName(strategy) },
      { type: 'market', ticker: tickerName(ticker) },
    ];

    it.each(scopes)('an unpaired order of the other run is explained by the halt of $type', (scope) => {
      expect(causeOf(halted(scope), { orders: [orderAt(30)] })).toEqual([['only-simulated', 'halt']]);
      expect(causeOf({ orders: [orderAt(30)] }, halted(scope))).toEqual([['only-live', 'halt']]);
      expect(causeOf(halted(scope), { orders: [orderAt(10)] })).toEqual([['only-simulated', 'unexplained']]);
      expect(causeOf(halted(scope), { orders: [orderAt(50)] })).toEqual([['only-simulated', 'unexplained']]);
    });

    it('an order of another strategy or market is not explained by it', () => {
      const others: readonly HaltScope[] = [
        { type: 'strategy', strategy: strategyName('other') },
        { type: 'market', ticker: tickerName('M-9') },
      ];
      for (const scope of others)
        expect(causeOf(halted(scope), { orders: [orderAt(30)] })).toEqual([['only-simulated', 'unexplained']]);
    });

    it('its own order is that of a flatten', () => {
      const flattened = { ...halted({ type: 'account' }), orders: [orderAt(30)] };
      expect(causeOf(flattened, {})).toEqual([['only-live', 'halt']]);
    });
  });

  it('an unpaired order is explained by a position that the session began with, in its event group alone', () => {
    const order = anOrder({ clientOrderId: 'b', ticker: 'M-1' });
    const began = { openingTickers: new Set(['M-0']) };
    expect(causeOf({ orders: [order] }, {}, began)).toEqual([['only-live', 'position']]);
    const elsewhere = { orders: [{ ...order, ticker: 'M-2' }] };
    expect(causeOf(elsewhere, {}, began)).toEqual([['only-live', 'unexplained']]);
  });

  it('a difference is reported with both ids and its figures', () => {
    const [difference] = compare(traded, { orders: [anOrder({ clientOrderId: 'z' })] }).differences;
    expect(difference).toMatchObject({ live: 'a', simulated: 'z', strategy: 'quoter', ticker: 'M-0', at: 10 * SECOND });
    expect(difference?.what).toBe('buy 5 at 45¢: the session filled 5, the backtest 0');
  });
});
