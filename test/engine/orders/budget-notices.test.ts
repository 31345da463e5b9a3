// Notices to strategies about rate budgets: exhausted, recovered, refused.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/domain/intent.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { EngineOptions } from '../../../src/engine.ts';
import type { BudgetMoved, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { buy, print } from '../../support/engine/intents.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';

const window = (count: number, windowMs: number) => ({
  limit: { model: 'rolling-window', count, windowMs } as const,
  guardMs: 0,
});
/** Room for three orders a second, and for two more cancels. */
const NARROW: Partial<EngineOptions> = {
  budgets: { read: window(100, 1000), trade: window(5, 1000) },
  cancelReserve: 2,
};
const orders = (count: number): Intent[] =>
  Array.from({ length: count }, (_, i) => buy({ price: cents(30 + i), qty: contracts(1) }));

/** A strategy that answers public trades with orders, and records the notices it gets. */
function spending(answers: readonly (readonly Intent[])[], engine = NARROW, handlers: Handlers = {}) {
  const moved: BudgetMoved[] = [];
  let turn = 0;
  const harness = new EngineHarness({
    strategies: [
      aStrategy({
        onPrint: () => answers[turn++],
        onBudget: (event) => void moved.push(event),
        ...handlers,
      }),
    ],
    engine,
  }).startTrading();
  const next = (milliseconds = 5): void => {
    print(harness);
    harness.run(milliseconds);
  };
  return { harness, moved, next, types: () => moved.map(({ budget, type }) => `${budget} ${type}`) };
}

describe('budget notices', () => {
  it('a budget with enough room causes no notice', () => {
    const { next, types } = spending([orders(3)]);
    next(5000);
    expect(types()).toEqual([]);
  });

  it('an exhausted budget causes one notice with what is left, and another when there is room', () => {
    const { harness, next, moved } = spending([orders(5), orders(2)]);
    next();
    next();
    expect(moved).toEqual([{ budget: 'trade', type: 'exhausted', available: 0, capacity: 3 }]);
    harness.run(4000);
    expect(moved.slice(1)).toMatchObject([{ budget: 'trade', type: 'recovered', capacity: 3 }]);
    expect(moved[1]!.available).toBeGreaterThan(0);
    expect(harness.places()).toHaveLength(7);
  });

  it('a budget used up exactly by the last order is short of nothing', () => {
    const { next, types } = spending([orders(3), orders(1)]);
    next();
    expect(types()).toEqual([]);
    next();
    expect(types()).toEqual(['trade exhausted']);
  });

  it('a budget recovers when what waited is no longer wanted and a unit is free', () => {
    const { harness, next, types } = spending([orders(5), [{ type: 'cancel-all' }]]);
    next();
    expect(types()).toEqual(['trade exhausted']);
    next(1);
    // The two waiting orders are canceled. The cancels of the others use the reserve, and then wait themselves.
    harness.run(5000);
    expect(types()).toEqual(['trade exhausted', 'trade recovered']);
    expect(harness.venue.resting()).toEqual([]);
  });

  it('every rate refusal causes a notice', () => {
    let refusals = 2;
    const { harness, next, moved, types } = spending([orders(1)]);
    harness.venue.script = { place: () => ((refusals -= 1) >= 0 ? 'limit' : 'accept') };
    next(5000);
    expect(types()).toEqual(['trade refused', 'trade recovered', 'trade refused', 'trade recovered']);
    expect(moved[0]).toMatchObject({ available: 0, capacity: 3 });
    expect(harness.venue.resting()).toHaveLength(1);
  });

  it('the read budget causes a notice where the session waits for it, not where care does', () => {
    const { harness, types } = spending([], {
      budgets: { read: window(4, 2000), trade: window(100, 1000) },
      careReserve: 2,
      timetable: { fills: 60_000, compare: 300, probe: 60_000, audit: 300, markets: 60_000 },
    });
    harness.run(10_000);
    const before = types().length;
    harness.run(10_000);
    expect(types().slice(before)).toEqual([]);
    // The return of the feed requests everything at once.
    harness.venue.feedDown();
    harness.run(5);
    harness.venue.feedUp();
    harness.run(10_000);
    expect(types().slice(before)).toEqual(['read exhausted', 'read recovered']);
  });

  it('a strategy that may answer gets the notice, and its answer leaves at once, cancels first', () => {
    const cancel = [{ type: 'cancel-all' } as const];
    const { harness, next } = spending([orders(5)], NARROW, {
      onBudget: ({ type }) => (type === 'exhausted' ? cancel : undefined),
    });
    next(0.7);
    expect(harness.commands('cancel').length + harness.engine.state.orders.openCount).toBeLessThanOrEqual(5);
    expect(harness.engine.planner.load.waiting).toBeLessThanOrEqual(3);
    harness.run(3000);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.places()).toHaveLength(3);
  });

  it('a budget can be read at any time', () => {
    const seen: unknown[] = [];
    const { next } = spending([], NARROW, {
      onBudget: undefined as never,
      onPrint: (_, view) => {
        seen.push(view.budget('trade'));
        return orders(2);
      },
    });
    next();
    next();
    expect(seen).toEqual([
      { available: 3, capacity: 3 },
      { available: 1, capacity: 3 },
    ]);
  });

  it('no notice wakes the engine when no strategy listens', () => {
    const quiet = spending([orders(5), [{ type: 'cancel-all' }]], NARROW, { onBudget: undefined as never });
    quiet.next();
    quiet.next();
    expect(quiet.harness.engine.computeWakeAt()).toBe(quiet.harness.engine.wakeAt());
    quiet.harness.run(5000);
    expect(quiet.types()).toEqual([]);
    expect(quiet.harness.venue.resting()).toEqual([]);
  });

  it('the same events cause the same notices', () => {
    const run = (): unknown => {
      const { harness, next, moved } = spending([orders(5), orders(4), orders(3)]);
      for (let i = 0; i < 3; i++) next(700);
      harness.run(5000);
      return [moved, harness.sent];
    };
    expect(run()).toEqual(run());
  });
});
