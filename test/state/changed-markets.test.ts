// Changed markets: cash, positions and orders report every market that changed.
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { strategyName } from '../../src/domain/ids.ts';
import { NO_MONEY, contracts, dollars, price } from '../../src/domain/units.ts';
import { ChangedMarkets } from '../../src/state/changed-markets.ts';
import { Orders } from '../../src/state/account/orders.ts';
import { Portfolio } from '../../src/state/account/portfolio.ts';
import { StrategyLedgers } from '../../src/state/strategies/strategy-ledgers.ts';
import { M0, M1, aFill, aPlace } from '../support/engine/builders.ts';

const YES = price(10_000);

/** The markets that change during an action. */
function watchChanges(changed: ChangedMarkets): (act: () => unknown) => MarketIndex[] {
  const stale = new Set<MarketIndex>();
  changed.addConsumer(stale);
  return (act) => {
    stale.clear();
    act();
    return [...stale];
  };
}

describe('Moved', () => {
  it('every follower receives changed markets until it takes them out', () => {
    const moved = new ChangedMarkets();
    const [first, second] = [new Set<MarketIndex>(), new Set<MarketIndex>()];
    moved.addConsumer(first);
    moved.markChanged(M0);
    moved.addConsumer(second);
    moved.markChanged(M1);
    moved.markChanged(M1);
    expect([[...first], [...second]]).toEqual([[M0, M1], [M1]]);
    first.clear();
    expect([[...first], [...second]]).toEqual([[], [M1]]);
  });

  it('a follower that leaves receives nothing more; the others do', () => {
    const moved = new ChangedMarkets();
    const [first, second] = [new Set<MarketIndex>(), new Set<MarketIndex>()];
    moved.addConsumer(first);
    moved.addConsumer(second);
    moved.removeConsumer(first);
    moved.markChanged(M0);
    expect([[...first], [...second]]).toEqual([[], [M0]]);
  });
});

describe('changed markets', () => {
  it('the portfolio reports markets that it opens, trades, pays out and evicts', () => {
    const portfolio = new Portfolio();
    const after = watchChanges(portfolio.changedMarkets);
    const held = { qty: contracts(3), cost: dollars(1), realized: NO_MONEY, fees: NO_MONEY };
    expect(after(() => portfolio.setOpeningPositions([{ market: M0, ...held }]))).toEqual([M0]);
    expect(after(() => portfolio.setOpeningPositions([{ market: M1, ...held }]))).toEqual([M0, M1]);
    expect(after(() => portfolio.applyFill(aFill({ market: M0 })))).toEqual([]);
    portfolio.openAccount();
    expect(after(() => portfolio.applyFill(aFill({ market: M0 })))).toEqual([]);
    expect(after(() => portfolio.settleMarket(M1, YES))).toEqual([M1]);
    expect(after(() => portfolio.settleMarket(M1, YES))).toEqual([]);
    expect(after(() => portfolio.evictMarkets(new Set([M1])))).toEqual([M1]);
  });

  it('the strategy ledgers report markets with fills of their own and settlements', () => {
    const ledgers = new StrategyLedgers();
    const after = watchChanges(ledgers.changedMarkets);
    const strategy = strategyName('one');
    expect(after(() => ledgers.applyFill(strategy, aFill({ market: M0 })))).toEqual([M0]);
    expect(after(() => ledgers.applyFill(strategy, aFill({ market: M1 })))).toEqual([M1]);
    expect(after(() => ledgers.settleMarket(M0, YES))).toEqual([M0]);
    expect(after(() => ledgers.disownMarket(M1))).toEqual([M1]);
    expect(after(() => ledgers.evictMarkets(new Set([M0, M1])))).toEqual([M0, M1]);
  });

  it('the orders report markets whose open orders or quantities change', () => {
    const orders = new Orders();
    const after = watchChanges(orders.changedMarkets);
    const place = aPlace();
    expect(after(() => orders.addOrder(place, 'test'))).toEqual([place.market]);
    expect(after(() => orders.applyChange(place.clientOrderId, 'send', place.createdAt))).toEqual([]);
    const since = { at: place.createdAt, exchangeAt: null };
    expect(after(() => orders.applyTerms(place.clientOrderId, { qty: contracts(1) }, since))).toEqual([place.market]);
    expect(after(() => orders.applyChange(place.clientOrderId, 'cancel', place.createdAt))).toEqual([place.market]);
  });
});
