// Two runs of the same stretch side by side: orders are paired once, and every difference has the cause that it has.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../backtest/parity/compare.ts';
import { pairOrders } from '../../../backtest/parity/pairs.ts';
import type { Trace, TracedFill, TracedOrder } from '../../../backtest/parity/trace.ts';

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
const aRun = (over: Partial<Trace>): Trace => ({
  orders: [],
  denials: [],
  groups: GROUPS,
  changes: [],
  taken: new Set(),
  ...over,
});

const compare = (
  live: Partial<Trace>,
  simulated: Partial<Trace>,
  over: { readonly codeDiffersAt?: number; readonly gaps?: { from: number; to: number }[] } = {},
) => compareRuns({ live: aRun(live), simulated: aRun(simulated), ...WINDOW, codeDiffersAt: null, gaps: [], ...over });

describe('pairing', () => {
  it('prefers the same price and quantity to what is nearer in time', () => {
    const live = [anOrder({ clientOrderId: 'live' })];
    const near = anOrder({ clientOrderId: 'near', price: 4400 });
    const same = anOrder({ clientOrderId: 'same', createdAt: 11 * SECOND });
    const pairs = pairOrders(live, [near, same], WINDOW);
    expect(pairs.map(({ live: a, simulated: b }) => [a?.clientOrderId, b?.clientOrderId])).toEqual([
      ['live', 'same'],
      [undefined, 'near'],
    ]);
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

  it('shows every order of both runs once, and pairs none beyond the window or of another strategy, market or side', () => {
    fc.assert(
      fc.property(orders('l'), orders('s'), (a, b) => {
        const pairs = pairOrders(a, b, WINDOW);
        const ids = pairs
          .flatMap(({ live, simulated }) => [live, simulated])
          .flatMap((one) => one?.clientOrderId ?? []);
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
});

describe('two runs', () => {
  it('that did the same have no difference and agree wholly', () => {
    const run = { orders: [filledOrder()] };
    const report = compare(run, run);
    expect(report).toMatchObject({ differences: [], agreement: 1, byCause: {} });
    expect(report.cash).toEqual({ live: -4500 * 500 - 10_000, simulated: -4500 * 500 - 10_000 });
  });

  it('of which neither traded agree wholly', () => expect(compare({}, {}).agreement).toBe(1));

  it('agree by what both traded of what each traded', () => {
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

  it('between two that rested is the queue’s', () => expect(causeOf(traded, resting)).toEqual([['filled', 'queue']]));

  it('is latency where the one was not there when the other traded', () => {
    const early = { orders: [anOrder({ endedAt: 15 * SECOND })] };
    expect(causeOf(traded, early)).toEqual([['filled', 'latency']]);
  });

  it('is latency where an order took what was no longer there', () => {
    const taker = { orders: [filledOrder({ liquidity: 'taker' })] };
    expect(causeOf(taker, resting)).toEqual([['filled', 'latency']]);
  });

  it('of the fee alone is told as such', () => {
    const charged = { orders: [filledOrder({ fee: 20_000 })] };
    expect(causeOf(traded, charged)).toEqual([['fee', 'fee']]);
  });

  it('is the budget’s where the one was held back', () => {
    const held = { orders: [anOrder({ state: 'not-sent', endedAt: 12 * SECOND })] };
    expect(causeOf(traded, held)).toEqual([['filled', 'budget']]);
    const denials = [{ at: 11 * SECOND, strategy: 'quoter', code: 'order-rate-above-limit' }] as const;
    expect(causeOf(traded, { denials })).toEqual([['only-live', 'budget']]);
  });

  it('is the code’s from where the journal replays otherwise', () => {
    expect(causeOf(traded, resting, { codeDiffersAt: 5 * SECOND })).toEqual([['filled', 'code']]);
    expect(causeOf(traded, resting, { codeDiffersAt: 50 * SECOND })).toEqual([['filled', 'queue']]);
  });

  it('within a gap of the tape is the tape’s', () => {
    expect(causeOf(traded, resting, { gaps: [{ from: 0, to: 15 * SECOND }] })).toEqual([['filled', 'tape']]);
  });

  it('of a wish that only one run had follows from an earlier one in the group, or is said to be unexplained', () => {
    const later = anOrder({ clientOrderId: 'b', ticker: 'M-1', createdAt: 30 * SECOND });
    const alone = { orders: [...traded.orders, later] };
    expect(causeOf(alone, resting)).toEqual([
      ['filled', 'queue'],
      ['only-live', 'follows'],
    ]);
    expect(causeOf({ orders: [later] }, {})).toEqual([['only-live', 'unexplained']]);
  });

  it('is said with both ids and its figures', () => {
    const [difference] = compare(traded, { orders: [anOrder({ clientOrderId: 'z' })] }).differences;
    expect(difference).toMatchObject({ live: 'a', simulated: 'z', strategy: 'quoter', ticker: 'M-0', at: 10 * SECOND });
    expect(difference?.what).toBe('buy 5 at 45¢: the session filled 5, the backtest 0');
  });
});
