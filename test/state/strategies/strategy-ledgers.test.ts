// Strategy ledgers over random fills and settlements: each strategy as if it were alone, and all together with the
// unowned rest exactly the account's positions, fees and profit at any price.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, strategyName, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { type Money, type Price, cents, contracts, dollars, money, price, qty } from '../../../src/domain/units.ts';
import { FOREIGN, OPERATOR } from '../../../src/state/account/orders.ts';
import { Portfolio } from '../../../src/state/account/portfolio.ts';
import { State } from '../../../src/state/state.ts';
import { StrategyLedger, StrategyLedgers } from '../../../src/state/strategies/strategy-ledgers.ts';
import { M0, M1, aFill, aMarket, aPlace, after, index, levels, tickerTable } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const NAMES = ['one', 'two', 'three'].map(strategyName);
const [ONE, TWO] = NAMES as [(typeof NAMES)[0], (typeof NAMES)[0]];
const MARKETS = 3;

const aStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('fill' as const),
      who: fc.constantFrom(...NAMES, OPERATOR),
      market: fc.nat(MARKETS - 1),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.integer({ min: 1, max: 9999 }),
      qty: fc.integer({ min: 1, max: 5000 }),
      fee: fc.integer({ min: -10_000, max: 50_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      market: fc.nat(MARKETS - 1),
      value: fc.integer({ min: 0, max: 10_000 }),
    }),
  },
);

type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Profit of the account if everything were sold at a price. */
const earnedAt = (portfolio: Portfolio, market: number, yes: Price): number => {
  const { qty: held, cost, realized, fees } = portfolio.position(index(market));
  return realized - fees - cost + (held >= 0 ? held * yes : -held * (10_000 - yes));
};

/** Applies steps to an account and to its strategy ledgers, unowned trades apart from the rest. */
function booked(steps: readonly Step[]): { portfolio: Portfolio; books: StrategyLedgers; unowned: StrategyLedger } {
  const [portfolio, books, unowned] = [new Portfolio(), new StrategyLedgers(), new StrategyLedger()];
  portfolio.openAccount();
  steps.forEach((step, i) => {
    const market = index(step.market);
    if (step.type === 'settle') {
      portfolio.settleMarket(market, price(step.value));
      books.settleMarket(market, price(step.value));
      unowned.settleMarket(market, price(step.value));
      return;
    }
    const { side, fee } = step;
    const terms = { market, side, price: price(step.price), qty: qty(step.qty), fee: money(fee) };
    portfolio.applyFill(aFill({ ...terms, tradeId: tradeId(`t-${i}`), venueOrderId: venueOrderId(`v-${i}`) }));
    const heldBefore = books.heldIn(market);
    const feesBefore = feesOf(books);
    books.applyFill(step.who, terms);
    if (step.who !== OPERATOR) return;
    const moved = Math.abs(books.heldIn(market) - heldBefore);
    if (moved === terms.qty) return;
    unowned.applyTrade(market, {
      ...terms,
      qty: qty(terms.qty - moved),
      fee: money(fee - (feesOf(books) - feesBefore)),
    });
  });
  return { portfolio, books, unowned };
}

const feesOf = (books: StrategyLedgers): number => [...books.all().values()].reduce((sum, { fees }) => sum + fees, 0);

describe('strategy ledgers', () => {
  it('strategy ledgers add up to the account’s positions, fees and profit at any price', () => {
    const steps = fc.array(aStep, { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.nat(10_000), (list, at) => {
        const { portfolio, books, unowned } = booked(list);
        const all = [...books.all().values(), unowned];
        for (let market = 0; market < MARKETS; market++) {
          const sum = (of: (book: StrategyLedger) => number): number =>
            all.reduce((total, book) => total + of(book), 0);
          const account = portfolio.position(index(market));
          expect(sum((book) => book.position(index(market)).qty)).toBe(account.qty);
          expect(sum((book) => book.position(index(market)).fees)).toBe(account.fees);
          expect(sum((book) => book.profitAt(index(market), price(at)))).toBe(earnedAt(portfolio, market, price(at)));
        }
        for (const book of all)
          expect(book.heldCount).toBe([...book.positions().values()].filter(({ qty }) => qty !== 0).length);
      }),
      { numRuns: runCount(200) },
    );
  });

  it('a strategy ledger equals an account in which no other strategy traded', () => {
    const steps = fc.array(aStep, { maxLength: 60 });
    fc.assert(
      fc.property(steps, (list) => {
        const own = list.filter((step) => step.type === 'settle' || step.who !== OPERATOR);
        const { books } = booked(own);
        for (const name of NAMES) {
          const alone = booked(own.filter((step) => step.type === 'settle' || step.who === name)).portfolio;
          const book = books.ledgerOf(name);
          let [realized, fees] = [0, 0];
          for (const [market, position] of alone.positions()) {
            expect(book.position(market)).toEqual(position);
            realized += position.realized;
            fees += position.fees;
          }
          expect([book.realized, book.fees, book.earned]).toEqual([realized, fees, realized - fees]);
        }
      }),
      { numRuns: runCount(100) },
    );
  });

  it('an operator’s fill closes strategies’ positions, splits the fee, and closes no more than they hold', () => {
    const books = new StrategyLedgers();
    books.applyFill(ONE, aFill({ qty: contracts(10), price: cents(40), fee: dollars(0) }));
    books.applyFill(TWO, aFill({ qty: contracts(5), price: cents(50), fee: dollars(0) }));
    books.applyFill(OPERATOR, aFill({ side: 'sell', qty: contracts(20), price: cents(45), fee: dollars(0.2) }));
    expect(books.ledgerOf(ONE).position(M0)).toEqual({ ...FLAT, realized: dollars(0.5), fees: dollars(0.1) });
    expect(books.ledgerOf(TWO).position(M0)).toEqual({ ...FLAT, realized: dollars(-0.25), fees: dollars(0.05) });
  });

  it('strategy ledgers drop a paid-out market, and keep its result', () => {
    const books = new StrategyLedgers();
    books.applyFill(ONE, aFill({ qty: contracts(10), price: cents(40), fee: dollars(0.01) }));
    expect(() => books.evictMarkets(new Set([M0]))).toThrow('holds a position');
    books.settleMarket(M0, price(10_000));
    books.evictMarkets(new Set([M0, M1]));
    expect(books.ledgerOf(ONE).positions().size).toBe(0);
    expect(books.ledgerOf(ONE).earned).toBe(dollars(5.99));
  });
});

describe('a state with two strategies', () => {
  const opened = (): State => {
    const state = new State(tickerTable(2));
    state.applyEvent({ kind: 'market', at: after(0), market: aMarket(0) }, []);
    const book = { bids: levels([45, 1]), asks: levels([55, 1]) };
    state.applyEvent({ kind: 'book-snapshot', at: after(0), exchangeAt: null, market: M0, ...book }, []);
    state.portfolio.setOpeningCash(dollars(100));
    state.portfolio.openAccount();
    return state;
  };
  const trade = (state: State, who: typeof ONE, side: 'buy' | 'sell'): void => {
    const id = clientOrderId(`${who}-${side}`);
    state.orders.addOrder(aPlace({ clientOrderId: id, strategy: who, side, qty: contracts(4) }), '');
    state.orders.applyChange(id, 'send', after(1));
    const named = { clientOrderId: id, venueOrderId: venueOrderId(id), tradeId: tradeId(id) };
    state.applyEvent({ kind: 'fill', at: after(2), fill: aFill({ ...named, side, fee: money(0) }) }, []);
  };
  const settle = (state: State): void => {
    const paid = { status: 'finalized', result: 'yes', settlementValue: price(10_000) } as const;
    state.applyEvent({ kind: 'market-changed', at: after(3), exchangeAt: null, market: M0, ...paid }, []);
  };
  const earned = (state: State): [Money, Money] => [
    state.strategyLedgers.ledgerOf(ONE).earned,
    state.strategyLedgers.ledgerOf(TWO).earned,
  ];

  it('a settlement pays both strategies whose positions net in the account', () => {
    const state = opened();
    trade(state, ONE, 'buy');
    trade(state, TWO, 'sell');
    expect(state.portfolio.position(M0).qty).toBe(0);
    settle(state);
    expect(earned(state)).toEqual([dollars(2.4), dollars(-2.4)]);
    expect(state.strategyLedgers.isHeld(M0)).toBe(false);
  });

  it('a foreign order’s fill, or one that names no order, belongs to no strategy', () => {
    const state = opened();
    trade(state, FOREIGN, 'buy');
    state.applyEvent({ kind: 'fill', at: after(2), fill: aFill({ tradeId: tradeId('other') }) }, []);
    expect(state.portfolio.position(M0).qty).toBe(contracts(8));
    expect(state.strategyLedgers.all().size).toBe(0);
  });

  it('a fill from before its order was known counts once its owner is known', () => {
    const state = opened();
    const [named, id] = [venueOrderId('late'), clientOrderId('one-late')];
    const fill = aFill({ venueOrderId: named, clientOrderId: null, fee: money(0) });
    state.orders.addOrder(aPlace({ clientOrderId: id, strategy: ONE }), '');
    state.orders.applyChange(id, 'send', after(1));
    state.applyEvent({ kind: 'fill', at: after(2), fill }, []);
    expect(state.strategyLedgers.ledgerOf(ONE).position(M0).qty).toBe(0);
    const accepted = { clientOrderId: id, venueOrderId: named, filledQty: qty(0), leavesQty: qty(6) };
    state.applyEvent({ kind: 'order-accepted', at: after(3), exchangeAt: null, isFinished: false, ...accepted }, []);
    expect(state.strategyLedgers.ledgerOf(ONE).position(M0).qty).toBe(contracts(4));
  });
});
