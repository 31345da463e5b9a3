// A price grid that changes while a market trades: orders keep their prices and queue positions; new prices follow the
// new grid.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import {
  CENT_GRID,
  DECI_CENT_GRID,
  type PriceGrid,
  type PriceRange,
  TAPERED_DECI_CENT_GRID,
} from '../../../src/domain/price-grid.ts';
import { cents, price } from '../../../src/domain/units.ts';
import { GRID_NAMES } from '../../../src/config/grid-names.ts';
import { namedGrid } from '../../../src/exchange/markets/named-grids.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import { CENT_PRICES, WHOLE, anyPlace, opOf } from '../exchange-arbitraries.ts';
import { ExchangeHarness, definitionOf, placeOp, seconds } from '../exchange-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const A = ticker('A');
const setGrid = (grid: Pick<PriceGrid, 'ranges'>, gridName = 'other'): Op => ({
  type: 'set-grid',
  ticker: A,
  gridName,
  gridRanges: grid.ranges,
});

describe('a change of the price grid', () => {
  it("makes the market accept the new grid's prices only", () => {
    const harness = new ExchangeHarness();
    expect(harness.codeOf(placeOp('ann', { price: 5010 }))).toBe('invalid_price');
    harness.submit(setGrid(DECI_CENT_GRID));
    expect(harness.placeOrder('ann', { price: 5010 }).status).toBe('resting');
    for (const coarser of [CENT_GRID, TAPERED_DECI_CENT_GRID])
      expect(harness.codeOf(setGrid(coarser))).toBe('invalid_price');
    harness.submit({ type: 'cancel-all', account: 'ann', ticker: null });
    harness.submit(setGrid(CENT_GRID));
    expect(harness.codeOf(placeOp('ann', { price: 5010 }))).toBe('invalid_price');
    harness.exchange.audit();
  });

  it("is published with its name and ranges, and appears in the market's view", () => {
    const harness = new ExchangeHarness();
    const [change] = harness.facts(setGrid(DECI_CENT_GRID, 'deci_cent'), 'market');
    expect(change).toMatchObject({ word: 'price_level_structure_updated', from: 'active', to: 'active' });
    expect(change?.market.definition).toMatchObject({ gridName: 'deci_cent', gridRanges: DECI_CENT_GRID.ranges });
    expect(harness.exchange.market(A)).toEqual(change?.market);
    expect(harness.exchange.market(A)?.grid).toBe(DECI_CENT_GRID);
  });

  it('is refused while a resting order would be off the new grid, and then changes nothing', () => {
    const harness = new ExchangeHarness({ markets: [definitionOf('A', { gridRanges: DECI_CENT_GRID.ranges })] });
    harness.placeOrder('ann', { price: 4990 });
    harness.placeOrder('bob', { side: 'sell', price: cents(52) });
    const before = harness.bookText();
    expect(harness.codeOf(setGrid(CENT_GRID))).toBe('invalid_price');
    expect(harness.bookText()).toBe(before);
    expect(harness.exchange.market(A)?.grid).toBe(DECI_CENT_GRID);
  });

  it.each<[string, readonly PriceRange[]]>([
    ['a grid without ranges', []],
    ['a grid without a step', [{ start: price(0), end: price(10_000), step: 0 }]],
    [
      'a grid beyond a dollar',
      [
        { start: price(0), end: price(9_000), step: 100 },
        { start: price(9_000), end: 10_100 as never, step: 100 },
      ],
    ],
  ])('refuses %s', (_what, ranges) => {
    expect(new ExchangeHarness().codeOf(setGrid({ ranges }))).toBe('invalid_parameters');
  });

  it('is refused for an unknown market, and for one with a result', () => {
    const harness = new ExchangeHarness();
    expect(harness.codeOf({ ...setGrid(CENT_GRID), ticker: ticker('NONE') } as Op)).toBe('market_not_found');
    harness.submit({ type: 'close', ticker: A });
    harness.submit(setGrid(DECI_CENT_GRID));
    harness.submit({ type: 'determine', ticker: A, result: 'yes', settlementValue: null });
    expect(harness.codeOf(setGrid(CENT_GRID))).toBe('wrong_status');
  });

  it("keeps every order's price and queue position, and later trades are the same", () => {
    const prices = CENT_PRICES;
    const anyOrder = anyPlace({ prices, reduceOnly: false, allIn: false, qtyMax: 6, unit: WHOLE });
    const anyOrders = fc.array(anyOrder, { maxLength: 30 });
    fc.assert(
      fc.property(anyOrders, anyOrders, (before, after) => {
        const markets = [definitionOf('A', { closeAt: seconds(3600) })];
        const [changed, kept] = [new ExchangeHarness({ markets }), new ExchangeHarness({ markets })];
        const place = (steps: typeof before): void => {
          for (const step of steps)
            for (const harness of [changed, kept]) {
              const op = opOf(harness, step);
              if (op !== null) harness.step(op);
            }
        };
        place(before);
        changed.submit(setGrid(DECI_CENT_GRID));
        kept.submit({ type: 'tick' });
        changed.exchange.audit();
        expect(queues(changed)).toEqual(queues(kept));
        place(after);
        expect(changed.exchange.book(A)).toEqual(kept.exchange.book(A));
        expect(changed.exchange.ledger()).toEqual(kept.exchange.ledger());
        for (const account of ['ann', 'bob', 'cat'])
          expect(changed.exchange.orders(account)).toEqual(kept.exchange.orders(account));
        changed.exchange.audit();
      }),
      { numRuns: runCount(100) },
    );
  });
});

/** Every resting order, with the quantity ahead of it. */
const queues = ({ exchange }: ExchangeHarness): unknown =>
  ['ann', 'bob', 'cat'].map((account) =>
    exchange
      .restingOrders(account)
      .map(({ orderId, price: at }) => [orderId, at, exchange.queueAhead(account, orderId)]),
  );

describe('named price grids', () => {
  it('match their names: one step in the middle, and a finer one at the edges', () => {
    const steps = (name: Parameters<typeof namedGrid>[0]): number[][] =>
      namedGrid(name).ranges.map(({ start, end, step }) => [start, end, step]);
    expect(namedGrid('linear_cent')).toBe(CENT_GRID);
    expect(namedGrid('deci_cent')).toBe(DECI_CENT_GRID);
    expect(namedGrid('tapered_deci_cent')).toBe(TAPERED_DECI_CENT_GRID);
    expect(steps('center_half_edge_quint_cent')).toEqual([
      [0, 1000, 20],
      [1000, 9000, 50],
      [9000, 10_000, 20],
    ]);
    expect(steps('center_deci_edge_centi_cent')).toEqual([
      [0, 100, 1],
      [100, 9900, 10],
      [9900, 10_000, 1],
    ]);
    for (const name of GRID_NAMES) expect(namedGrid(name).cellCount).toBeGreaterThanOrEqual(99);
  });
});
