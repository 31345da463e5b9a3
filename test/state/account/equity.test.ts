// The account's value and available cash, and the view that shows them to strategies.
import { describe, expect, it } from 'vitest';
import { clientOrderId, strategyName, tradeId } from '../../../src/domain/ids.ts';
import { type Price, cents, contracts, dollars, price } from '../../../src/domain/units.ts';
import {
  availableCash,
  costIn,
  equity,
  markOf,
  reservedCash,
  reservedIn,
  reachablePosition,
  unrealized,
} from '../../../src/state/account/equity.ts';
import { State } from '../../../src/state/state.ts';
import { StrategyView } from '../../../src/state/strategy-view.ts';
import {
  BEGIN,
  M0,
  M1,
  MAKER,
  aFill,
  aMarket,
  aPlace,
  index,
  levels,
  tickerTable,
} from '../../support/engine/builders.ts';

type Pairs = readonly (readonly [number, number])[];

function opened(bids: Pairs, asks: Pairs): State {
  const state = new State(tickerTable(2));
  for (const market of [M0, M1]) {
    state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(market) }, []);
    state.applyEvent(
      { kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market, bids: levels(...bids), asks: levels(...asks) },
      [],
    );
  }
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  return state;
}
const trade = (state: State, side: 'buy' | 'sell', size: number): boolean =>
  state.portfolio.applyFill(
    aFill({ side, qty: contracts(size), fee: dollars(0), tradeId: tradeId(`${side} ${size}`) }),
  );
const order = (state: State, name: string, over: Parameters<typeof aPlace>[0]): unknown =>
  state.orders.addOrder(aPlace({ clientOrderId: clientOrderId(name), ...over }), '');

describe('the mark', () => {
  it.each([
    ['the middle of the touch', [[40, 1]], [[60, 1]], 5000],
    ['the middle, rounded down', [[40, 1]], [[41, 1]], 4050],
    ['the bid alone', [[40, 1]], [], 4000],
    ['the ask alone', [], [[60, 1]], 6000],
    ['half a dollar', [], [], 5000],
  ] as const)('the mark is %s', (_, bids, asks, mark) => {
    expect(markOf(opened([...bids], [...asks]), M0)).toBe(mark);
  });
  it.each([
    ['the last mid of a book that a snapshot empties', [[10, 1]], [[20, 1]], 1500],
    ['the last price of the side that was left', [], [[1, 1]], 100],
  ] as const)('the mark is %s', (_, bids, asks, mark) => {
    const state = opened([...bids], [...asks]);
    state.applyEvent({ kind: 'book-snapshot', at: BEGIN, exchangeAt: null, market: M0, bids: [], asks: [] }, []);
    expect(markOf(state, M0)).toBe(mark);
  });
  it('the mark is the last one of a book that changes of levels empty', () => {
    const state = opened([[10, 1]], [[20, 1]]);
    const change = { kind: 'book-delta', at: BEGIN, exchangeAt: null, market: M0, change: contracts(-1) } as const;
    state.applyEvent({ ...change, side: 'bid', price: cents(10) }, []);
    expect(markOf(state, M0)).toBe(2000);
    state.applyEvent({ ...change, side: 'ask', price: cents(20) }, []);
    expect(markOf(state, M0)).toBe(2000);
  });
  it('the mark is the settlement value once that is known', () => {
    const state = opened([[40, 1]], [[60, 1]]);
    state.applyEvent(
      {
        kind: 'market-changed',
        at: BEGIN,
        exchangeAt: null,
        market: M0,
        status: 'determined',
        settlementValue: price(10_000),
      },
      [],
    );
    expect(markOf(state, M0)).toBe(10_000);
  });
});

describe('equity', () => {
  it('equity is cash plus long and short positions at their marks', () => {
    const long = opened([[49, 1]], [[51, 1]]);
    trade(long, 'buy', 10);
    expect(equity(long)).toBe(dollars(101));
    expect(unrealized(long, M0)).toBe(dollars(1));
    const short = opened([[49, 1]], [[51, 1]]);
    trade(short, 'sell', 10);
    expect(equity(short)).toBe(dollars(99));
    expect(unrealized(short, M0)).toBe(dollars(-1));
  });
});

describe('reserved collateral', () => {
  it('each order reserves its own cost, and a closing order reserves nothing', () => {
    const state = opened([], []);
    order(state, 'a', { qty: contracts(10), price: cents(40) });
    order(state, 'b', { qty: contracts(10), price: cents(70), side: 'sell' });
    order(state, 'c', { qty: contracts(10), price: cents(20), market: M1 });
    expect([reservedIn(state, M0), reservedIn(state, M1), reservedCash(state)]).toEqual([
      dollars(7),
      dollars(2),
      dollars(9),
    ]);
    expect(availableCash(state)).toBe(dollars(91));
    trade(state, 'buy', 6);
    expect(reservedIn(state, M0)).toBe(dollars(5.2));
    expect(costIn(state, M0)).toBe(dollars(7.6));
    expect([reachablePosition(state, M0, 'buy'), reachablePosition(state, M0, 'sell')]).toEqual([
      contracts(16),
      contracts(-4),
    ]);
  });
});

describe('the reachable position', () => {
  it.each([
    ['queued', []],
    ['in flight', ['send']],
    ['working', ['send', 'accept']],
    ['awaiting its cancel', ['send', 'accept', 'request-cancel']],
    ['unknown', ['send', 'lose']],
  ] as const)('the reachable position counts an order that is %s', (_, changes) => {
    const state = opened([], []);
    order(state, 'a', { qty: contracts(10) });
    for (const change of changes) expect(state.orders.applyChange(clientOrderId('a'), change, BEGIN)).toBe(true);
    expect(reachablePosition(state, M0, 'buy')).toBe(contracts(10));
    expect(reachablePosition(state, M0, 'sell')).toBe(contracts(0));
  });
});

describe('the strategy view', () => {
  const viewOf = (state: State): StrategyView => new StrategyView(state, [], { strategy: MAKER, markets: [M0] });
  it('a view shows the present without being made again', () => {
    const state = opened([[40, 2]], [[60, 3]]);
    const book = viewOf(state).book(M0);
    expect([
      book.bestBid,
      book.bestBidQty,
      book.bestAsk,
      book.bestAskQty,
      book.mid,
      book.spread,
      book.bestNoBid,
    ]).toEqual([4000, 200, 6000, 300, 5000, 2000, 4000]);
    state.applyEvent(
      {
        kind: 'book-delta',
        at: BEGIN,
        exchangeAt: null,
        market: M0,
        side: 'bid',
        price: 4500 as Price,
        change: contracts(1),
      },
      [],
    );
    expect([book.bestBid, book.bestBidQty, book.mid]).toEqual([4500, 100, 5250]);
    expect(book.levels('bid', 1)).toEqual([[4500, 100]]);
    state.books.distrust(M0);
    expect([book.isLive, book.trust]).toEqual([false, 'suspect']);
  });
  it('a view shows no book figures where there are none', () => {
    const book = viewOf(opened([], [])).book(M0);
    expect([
      book.bestBid,
      book.bestBidQty,
      book.bestAsk,
      book.bestAskQty,
      book.mid,
      book.spread,
      book.bestNoBid,
    ]).toEqual([null, 0, null, 0, null, null, null]);
  });
  it('a view shows a strategy its own orders and the whole account’s money', () => {
    const state = opened([], []);
    order(state, 'mine', {});
    order(state, 'theirs', { strategy: strategyName('other') });
    const view = viewOf(state);
    expect(view.orders(M0).map((one) => one.clientOrderId)).toEqual(['mine']);
    expect(view.available).toBe(dollars(92));
    expect(view.find('M-1')?.index).toBe(M1);
    expect(view.find('M-9')).toBeUndefined();
    expect(() => view.market(index(9))).toThrow('market 9 is missing');
  });
});
