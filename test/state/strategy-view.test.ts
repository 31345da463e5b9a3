// Strategies' view of their own orders: only theirs, and the same list while nothing of it changes.
import { describe, expect, it } from 'vitest';
import { clientOrderId, strategyName } from '../../src/domain/ids.ts';
import { State } from '../../src/state/state.ts';
import { StrategyView } from '../../src/state/strategy-view.ts';
import { M0, M1, MAKER, aPlace, after } from '../support/engine/builders.ts';

const OTHER = strategyName('other');

function opened() {
  const state = new State();
  const own = state.orders.addOrder(aPlace(), '');
  state.orders.addOrder(aPlace({ clientOrderId: clientOrderId('c-2'), strategy: OTHER }), '');
  const view = (strategy = MAKER) => new StrategyView(state, [], { strategy, markets: [M0] });
  return { state, own, view };
}

describe('a strategy’s view of its orders', () => {
  it('a view has the strategy’s own orders of the market, and no others', () => {
    const { own, view } = opened();
    expect(view().orders(M0)).toEqual([own]);
    expect(
      view(OTHER)
        .orders(M0)
        .map((order) => order.clientOrderId),
    ).toEqual(['c-2']);
    expect(view().orders(M1)).toEqual([]);
  });

  it('a view returns the same list until one of its orders changes', () => {
    const { state, own, view } = opened();
    const maker = view();
    const before = maker.orders(M0);
    expect(maker.orders(M0)).toBe(before);
    state.orders.applyChange(own.clientOrderId, 'send', after(1));
    expect(maker.orders(M0)).toBe(before);
    state.orders.applyChange(own.clientOrderId, 'reject', after(2));
    expect(maker.orders(M0)).toEqual([]);
    expect(before).toEqual([own]);
  });
});
