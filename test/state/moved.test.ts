// Changed markets: cash, positions and orders report every market that changed.
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { strategyName } from '../../src/domain/ids.ts';
import { NO_MONEY, contracts, dollars, price } from '../../src/domain/units.ts';
import { Moved } from '../../src/state/moved.ts';
import { Orders } from '../../src/state/orders.ts';
import { Portfolio } from '../../src/state/portfolio.ts';
import { StrategyBooks } from '../../src/state/strategy-books.ts';
import { M0, M1, aFill, aPlace } from '../support/engine/builders.ts';

const YES = price(10_000);

/** The markets that change during an action. */
function watchChanges(changed: Moved): (act: () => unknown) => MarketIndex[] {
  const stale = new Set<MarketIndex>();
  changed.follow(stale);
  return (act) => {
    stale.clear();
    act();
    return [...stale];
  };
}

describe('Moved', () => {
  it('every follower receives changed markets until it takes them out', () => {
    const moved = new Moved();
    const [first, second] = [new Set<MarketIndex>(), new Set<MarketIndex>()];
    moved.follow(first);
    moved.add(M0);
    moved.follow(second);
    moved.add(M1);
    moved.add(M1);
    expect([[...first], [...second]]).toEqual([[M0, M1], [M1]]);
    first.clear();
    expect([[...first], [...second]]).toEqual([[], [M1]]);
  });
});

describe('changed markets', () => {
  it('the portfolio reports markets that it opens, trades, pays out and evicts', () => {
    const portfolio = new Portfolio();
    const after = watchChanges(portfolio.moved);
    const held = { qty: contracts(3), cost: dollars(1), realized: NO_MONEY, fees: NO_MONEY };
    expect(after(() => portfolio.openPositions([{ market: M0, ...held }]))).toEqual([M0]);
    expect(after(() => portfolio.openPositions([{ market: M1, ...held }]))).toEqual([M0, M1]);
    expect(after(() => portfolio.book(aFill({ market: M0 })))).toEqual([]);
    portfolio.open();
    expect(after(() => portfolio.book(aFill({ market: M0 })))).toEqual([]);
    expect(after(() => portfolio.settle(M1, YES))).toEqual([M1]);
    expect(after(() => portfolio.settle(M1, YES))).toEqual([]);
    expect(after(() => portfolio.evict(new Set([M1])))).toEqual([M1]);
  });

  it('the strategy ledgers report markets with fills of their own and settlements', () => {
    const ledgers = new StrategyBooks();
    const after = watchChanges(ledgers.moved);
    const strategy = strategyName('one');
    expect(after(() => ledgers.take(strategy, aFill({ market: M0 })))).toEqual([M0]);
    expect(after(() => ledgers.take(strategy, aFill({ market: M1 })))).toEqual([M1]);
    expect(after(() => ledgers.settle(M0, YES))).toEqual([M0]);
    expect(after(() => ledgers.disown(M1))).toEqual([M1]);
    expect(after(() => ledgers.evict(new Set([M0, M1])))).toEqual([M0, M1]);
  });

  it('the orders report markets whose open orders or quantities change', () => {
    const orders = new Orders();
    const after = watchChanges(orders.moved);
    const place = aPlace();
    expect(after(() => orders.add(place, 'test'))).toEqual([place.market]);
    expect(after(() => orders.move(place.clientOrderId, 'send', place.createdAt))).toEqual([]);
    expect(after(() => orders.amend(place.clientOrderId, { qty: contracts(1) }))).toEqual([place.market]);
    expect(after(() => orders.move(place.clientOrderId, 'cancel', place.createdAt))).toEqual([place.market]);
  });
});
