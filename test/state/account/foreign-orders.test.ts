// Orders of other programs and earlier sessions: only reports change them, also where others have made them larger.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { contracts, dollars, qty } from '../../../src/domain/units.ts';
import { reservedCash } from '../../../src/state/account/equity.ts';
import { ADOPTED, FOREIGN } from '../../../src/state/account/orders.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aFill, aReport, after } from '../../support/engine/builders.ts';

const at = after(1);

function apply(state: State, ...events: readonly EngineEvent[]): StateChange[] {
  const changes: StateChange[] = [];
  for (const event of events) state.applyEvent(event, changes);
  return changes;
}

describe('an order that is not ours', () => {
  const foreign = aReport({
    clientOrderId: null,
    venueOrderId: venueOrderId('f-1'),
    filledQty: contracts(4),
    leavesQty: contracts(6),
  });
  it('a foreign order is reported when it is working, and only then', () => {
    expect(apply(new State(), { kind: 'order-updated', at, order: foreign })).toEqual([
      { type: 'unexpected-order', report: foreign },
    ]);
    expect(apply(new State(), { kind: 'order-updated', at, order: { ...foreign, status: 'canceled' } })).toEqual([]);
  });
  it.each([FOREIGN, ADOPTED])(
    'an order that others made larger, and that has traded more than it was for: %s',
    (owner) => {
      const state = new State();
      state.portfolio.setOpeningCash(dollars(100));
      state.portfolio.openAccount();
      const order = state.orders.adoptOrder(aReport({ clientOrderId: null }), at, owner);
      const larger = aReport({ clientOrderId: null, filledQty: contracts(12), leavesQty: contracts(8) });
      apply(state, { kind: 'order-updated', at: after(2), order: larger });
      expect(order).toMatchObject({ state: 'working', qty: contracts(20), filledQty: contracts(12) });
      expect(reservedCash(state)).toBe(dollars(3.2));
    },
  );

  it('only reports change a foreign order, because they may already contain its fills', () => {
    const state = new State();
    state.portfolio.openAccount();
    const order = state.orders.adoptOrder(foreign, at);
    expect(order).toMatchObject({ strategy: FOREIGN, state: 'working', filledQty: contracts(4), qty: contracts(10) });
    const fill = aFill({ venueOrderId: venueOrderId('f-1'), clientOrderId: null, qty: contracts(4) });
    apply(state, { kind: 'fill', at, fill }, { kind: 'fill', at, fill: { ...fill, tradeId: tradeId('t-9') } });
    expect(order).toMatchObject({ state: 'working', filledQty: contracts(4) });
    expect(state.portfolio.position(M0).qty).toBe(800);
    apply(state, { kind: 'order-updated', at, order: { ...foreign, status: 'filled', leavesQty: qty(0) } });
    expect(order.state).toBe('filled');
    expect(state.orders.openCount).toBe(0);
  });
});
