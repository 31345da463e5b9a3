// The account in numbers: every sum is exact, whatever was traded, marked and settled.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Money, cents, contracts, dollars, money, price, qty } from '../../../src/domain/units.ts';
import { accountSummary } from '../../../src/report/account/account-summary.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, M0, M1, aFill, aMarket, aPlace, index, levels, tickerTable } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const DEPOSIT = dollars(10_000);
const MARKET_COUNT = 3;

/** An account with nothing but cash, in three markets. */
function begin(): State {
  const state = new State(tickerTable(MARKET_COUNT));
  for (let number = 0; number < MARKET_COUNT; number++)
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(number) }, []);
  state.portfolio.setOpeningCash(DEPOSIT);
  state.portfolio.openAccount();
  return state;
}

const market = fc.integer({ min: 0, max: MARKET_COUNT - 1 }).map(index);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('fill' as const),
      market,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.integer({ min: 1, max: 9999 }).map(price),
      qty: fc.integer({ min: 1, max: 50_000 }).map(qty),
      fee: fc.integer({ min: -20_000, max: 2_000_000 }).map(money),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('book' as const),
      market,
      bid: fc.integer({ min: 0, max: 50 }),
      ask: fc.integer({ min: 51, max: 100 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      market,
      value: fc.integer({ min: 0, max: 10_000 }).map(price),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The change of cash, calculated in the simplest way: contracts bought and sold for their price, less fees. */
class PlainBook {
  cash: number = DEPOSIT;
  fees = 0;
  readonly held = new Map<number, number>();

  fill({ market: at, side, price: paid, qty: size, fee }: Extract<Step, { type: 'fill' }>): void {
    // A sale of YES that opens costs the complement: the dollar behind it is cash spent, and held as NO.
    const before = this.held.get(at) ?? 0;
    const after = before + (side === 'buy' ? size : -size);
    const backing = (Math.max(0, -after) - Math.max(0, -before)) * 10_000;
    this.cash += (side === 'buy' ? -paid : paid) * size - backing - fee;
    this.fees += fee;
    this.held.set(at, after);
  }

  settle(at: number, value: number): void {
    const held = this.held.get(at) ?? 0;
    this.cash += held >= 0 ? held * value : -held * (10_000 - value);
    this.held.set(at, 0);
  }
}

function play(state: State, steps: readonly Step[]): PlainBook {
  const plain = new PlainBook();
  const settled = new Set<number>();
  for (const [number, step] of steps.entries()) {
    if (settled.has(step.market)) continue;
    if (step.type === 'fill') {
      state.portfolio.applyFill(aFill({ ...step, tradeId: tradeId(`t-${number}`) }));
      plain.fill(step);
    } else if (step.type === 'book') {
      const bids = step.bid === 0 ? [] : levels([step.bid, 5]);
      const asks = step.ask === 100 ? [] : levels([step.ask, 5]);
      state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: step.market, bids, asks }, []);
    } else {
      settled.add(step.market);
      plain.settle(step.market, step.value);
      const change = { status: 'finalized', result: 'scalar', settlementValue: step.value } as const;
      state.applyEvent({ kind: 'market-changed', at: BEGIN, exchangeAt: null, market: step.market, ...change }, []);
    }
  }
  return plain;
}

describe('the account', () => {
  it('adds up to the last millionth after any fills, marks and settlements', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const state = begin();
        const plain = play(state, steps);
        const account = accountSummary(state);
        const sum = (of: (line: (typeof account.positions)[number]) => Money): number =>
          account.positions.reduce((total, line) => total + of(line), 0);
        expect(account.cash).toBe(plain.cash);
        expect(account.fees).toBe(plain.fees);
        expect(account.equity).toBe(account.cash + account.positionsValue);
        expect(account.positionsValue).toBe(sum((line) => line.value));
        expect(account.profit).toBe(account.realized + account.unrealized - account.fees);
        expect(account.profit).toBe(account.equity - DEPOSIT);
        for (const line of account.positions) {
          expect(line.unrealized).toBe(line.value - line.cost);
          expect(line.qty).toBe(plain.held.get(state.tickers.indexOf(line.ticker)!));
        }
      }),
      { numRuns: runCount(300) },
    );
  });

  it('shows each position with its cost, its mark and its value', () => {
    const state = begin();
    const book = { at: BEGIN, exchangeAt: null, bids: levels([44, 1]), asks: levels([47, 1]) };
    state.applyEvent({ kind: 'book-snapshot', market: M0, ...book }, []);
    state.portfolio.applyFill(aFill({ qty: contracts(10), fee: money(12_345) }));
    state.portfolio.applyFill(aFill({ tradeId: tradeId('t-2'), side: 'sell', price: cents(50), qty: contracts(4) }));
    expect(accountSummary(state).positions).toEqual([
      {
        ticker: 'M-0',
        status: 'active',
        qty: contracts(6),
        cost: dollars(2.4),
        mark: price(4550),
        value: dollars(2.73),
        realized: dollars(0.4),
        unrealized: dollars(0.33),
        fees: money(22_345),
      },
    ]);
  });

  it('holds NO at the complement, and marks a market without a book at half a dollar', () => {
    const state = begin();
    state.portfolio.applyFill(aFill({ market: M1, side: 'sell', price: cents(30), qty: contracts(2), fee: money(0) }));
    const account = accountSummary(state);
    expect(account.positions[0]).toMatchObject({ qty: contracts(-2), cost: dollars(1.4), value: dollars(1) });
    expect(account).toMatchObject({ cash: dollars(9998.6), equity: dollars(9999.6), profit: dollars(-0.4) });
  });

  it('separates the collateral of orders from cash that can be spent', () => {
    const state = begin();
    state.orders.addOrder(aPlace({ qty: contracts(10), price: cents(40) }), 'test');
    const second = { clientOrderId: clientOrderId('c-2'), side: 'sell', price: cents(70) } as const;
    state.orders.addOrder(aPlace({ ...second, qty: contracts(10) }), 'test');
    expect(accountSummary(state)).toMatchObject({
      cash: DEPOSIT,
      pledged: dollars(7),
      available: dollars(9993),
      equity: DEPOSIT,
      profit: money(0),
      positions: [],
    });
  });

  it('counts a fill that is reported twice once', () => {
    const state = begin();
    for (let reports = 0; reports < 2; reports++)
      state.portfolio.applyFill(aFill({ venueOrderId: venueOrderId('v-9') }));
    expect(accountSummary(state)).toMatchObject({ fees: dollars(0.01), cash: money(DEPOSIT - 1_610_000) });
  });
});
