// Comparison of our orders with the venue's lists: the differences that are reported, and those that a list cannot
// prove.
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { contracts, dollars } from '../../../src/domain/units.ts';
import { missingOrders, neverArrived } from '../../../src/execution/session/reconciliation.ts';
import { Upkeep } from '../../../src/engine/upkeep.ts';
import { State } from '../../../src/state/state.ts';
import { aFill, aPlace, aReport, after } from '../../support/engine/builders.ts';

function stateHolding(): State {
  const state = new State();
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  state.portfolio.applyFill(aFill());
  return state;
}
describe('orders missing from a list of working orders', () => {
  function stateWorking(): State {
    const state = stateHolding();
    state.orders.addOrder(aPlace(), '');
    const id = clientOrderId('c-1');
    state.orders.applyChange(id, 'send', after(1));
    state.orders.setVenueId(id, venueOrderId('v-1'), after(2));
    state.orders.applyChange(id, 'accept', after(2));
    return state;
  }
  const missing = (askedMs: number, graceMs: number, rows = [aReport()].slice(1)): string[] =>
    missingOrders(stateWorking(), rows, { askedAt: after(askedMs), graceMs });
  it('reports an order missing when it rested before the list was requested', () => {
    expect(missing(3, 0)).toEqual(['v-1']);
    expect(missing(2, 0)).toEqual([]);
    expect(missing(3, 0, [aReport()])).toEqual([]);
  });
  it('does not report an order missing when the list may be older than its id', () => {
    expect(missing(301, 300)).toEqual([]);
    expect(missing(302, 300)).toEqual(['v-1']);
  });
  it('reports an order missing despite a recent change when its id is known for long', () => {
    const state = stateWorking();
    state.orders.applyChange(clientOrderId('c-1'), 'request-cancel', after(400));
    state.orders.applyChange(clientOrderId('c-1'), 'refuse-cancel', after(401));
    expect(missingOrders(state, [], { askedAt: after(402), graceMs: 300 })).toEqual(['v-1']);
  });
});

describe('unknown orders missing from a list of all orders', () => {
  function stateUnknown(): State {
    const state = stateHolding();
    state.orders.addOrder(aPlace(), '');
    const id = clientOrderId('c-1');
    state.orders.applyChange(id, 'send', after(0));
    state.orders.applyChange(id, 'lose', after(10));
    return state;
  }
  const arrived = (askedMs: number, rows = [aReport({ clientOrderId: null })]): string[] =>
    neverArrived(stateUnknown(), rows, { askedAt: after(askedMs), graceMs: 100 }).map((order) => order.clientOrderId);

  it('an unknown order never arrived once the grace is over, and not before', () => {
    expect(arrived(109)).toEqual([]);
    expect(arrived(110)).toEqual(['c-1']);
  });
  it('an unknown order arrived when the list shows it', () => {
    expect(arrived(1000, [aReport()])).toEqual([]);
  });
  it('an unknown order arrived when the venue has given it an id', () => {
    const state = stateUnknown();
    state.orders.setVenueId(clientOrderId('c-1'), venueOrderId('v-1'), after(20));
    expect(neverArrived(state, [], { askedAt: after(1000), graceMs: 100 })).toEqual([]);
  });
  it('says of no order in another state that it never arrived', () => {
    const state = stateHolding();
    state.orders.addOrder(aPlace({ qty: contracts(1) }), '');
    expect(neverArrived(state, [], { askedAt: after(1000), graceMs: 0 })).toEqual([]);
  });
});

describe('upkeep duties', () => {
  const timetable = { fills: 10, compare: 20, probe: 30, audit: 40, markets: 1000 };
  it('each duty falls due at its own interval, and a long silence does not pile duties up', () => {
    const upkeep = new Upkeep(timetable);
    expect(upkeep.dueAt()).toBeNull();
    expect(upkeep.takeDue(after(1000))).toEqual([]);
    upkeep.start(after(0));
    expect(upkeep.dueAt()).toBe(after(10));
    expect(upkeep.takeDue(after(9))).toEqual([]);
    expect(upkeep.takeDue(after(10))).toEqual(['fills']);
    expect(upkeep.takeDue(after(10))).toEqual([]);
    expect(new Set(upkeep.takeDue(after(500)))).toEqual(new Set(['fills', 'compare', 'probe', 'audit']));
    expect(upkeep.dueAt()).toBe(after(510));
  });

  it('beside a feed that loses nothing, is due when there is work or a list has changed, and else once a day', () => {
    let hasProbeWork = false;
    const known = { hasProbeWork: () => hasProbeWork, strategyWorkDueAt: () => Infinity };
    const upkeep = new Upkeep({ ...timetable, strategies: 1000 }, known);
    const day = 24 * 3_600_000;
    upkeep.start(after(0));
    expect(upkeep.dueAt()).toBe(after(day));
    hasProbeWork = true;
    upkeep.noteWork(after(5));
    expect(upkeep.dueAt()).toBe(after(35));
    expect(upkeep.takeDue(after(35))).toEqual(['probe']);
    expect(upkeep.dueAt()).toBe(after(65));
    hasProbeWork = false;
    upkeep.noteWork(after(40));
    expect(upkeep.dueAt()).toBe(after(day));
    upkeep.onListChanged(after(100));
    expect(upkeep.takeDue(after(600))).toEqual(['markets']);
    expect(new Set(upkeep.takeDue(after(day)))).toEqual(new Set(['fills', 'compare', 'audit']));
  });

  it('beside a feed that loses nothing, checks the strategies when their work begins, and at least an interval later', () => {
    let from = Infinity;
    const known = { hasProbeWork: () => false, strategyWorkDueAt: () => from };
    const upkeep = new Upkeep({ ...timetable, strategies: 1000 }, known);
    const day = 24 * 3_600_000;
    upkeep.start(after(0));
    const noteAt = (ms: number, workFrom: number): number => {
      from = workFrom;
      upkeep.noteStrategyWork(after(ms));
      return upkeep.dueAt() ?? Number.NaN;
    };
    expect(noteAt(0, Infinity)).toBe(after(day));
    expect(noteAt(0, after(90_000))).toBe(after(90_000));
    expect(noteAt(100, after(80_000))).toBe(after(80_000));
    expect(noteAt(200, -Infinity)).toBe(after(1200));
    // Neither later events nor later work puts off a check that is due soon.
    expect(noteAt(900, -Infinity)).toBe(after(1200));
    expect(noteAt(901, after(80_000))).toBe(after(1200));
    expect(upkeep.takeDue(after(1200))).toEqual(['strategies']);
    expect(noteAt(1200, after(80_000))).toBe(after(80_000));
    expect(upkeep.takeDue(after(80_000))).toEqual(['strategies']);
    expect(noteAt(80_000, Infinity)).toBe(after(day));
  });
});
