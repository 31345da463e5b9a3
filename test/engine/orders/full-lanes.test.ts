// More commands at once than may wait in a lane. No cancel is ever dropped; a decrease beyond the bound is reported as
// not sent, and its order goes on.
import { describe, expect, it } from 'vitest';
import type { IntentOutcome } from '../../../src/domain/event.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { M0, wideLimits } from '../../support/engine/builders.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';
import { buy, print } from '../../support/engine/intents.ts';

/** More than a lane holds. */
const COUNT = 1200;
const WAITING_MAX = 1000;

/** A harness with many resting orders, which answers each further public trade by decreasing all of them. */
function crowded() {
  const limit = { model: 'rolling-window', count: COUNT, windowMs: 1000 } as const;
  const outcomes: IntentOutcome[] = [];
  const half = Array.from({ length: COUNT / 2 }, () => buy({ price: cents(10), qty: contracts(2) }));
  const answers = [half, half];
  const harness = new EngineHarness({
    strategies: [
      aStrategy({
        onPrint: (_, view): readonly Intent[] =>
          answers.pop() ??
          view.orders(M0).map(({ clientOrderId }) => ({ type: 'decrease', clientOrderId, leavesQty: contracts(1) })),
        onIntentOutcome: (outcome) => void outcomes.push(outcome),
      }),
    ],
    engine: {
      budgets: { read: { limit, guardMs: 0 }, trade: { limit, guardMs: 0 } },
      cancelReserve: 0,
      inFlightMax: { read: 10, trade: COUNT },
      policy: { ...CAREFUL_POLICY, canShrink: true },
      limits: wideLimits({ workingOrdersMax: 5000 }),
    },
  }).startTrading();
  for (let turn = 0; turn < 2; turn++) {
    print(harness);
    harness.run(20);
  }
  expect(harness.venue.resting()).toHaveLength(COUNT);
  return { harness, outcomes };
}

describe('more commands than a lane holds', () => {
  it('cancels all wait, and leave as the budget allows', () => {
    const { harness } = crowded();
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    expect(harness.engine.planner.waitingByLane().cancel).toBeGreaterThan(WAITING_MAX);
    harness.run(5000);
    expect(harness.commands('cancel')).toHaveLength(COUNT);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.session.phase).toBe('stopped');
  });

  it('decreases beyond the bound are not sent, are reported so, and leave their orders working', () => {
    const { harness, outcomes } = crowded();
    outcomes.length = 0;
    print(harness);
    harness.run(1);
    const refused = outcomes.filter(({ kind }) => kind === 'not-sent');
    expect(refused).toHaveLength(COUNT - WAITING_MAX);
    expect(refused[0]).toMatchObject({ why: 'too many reducing orders wait to be sent' });
    expect(harness.engine.state.orders.openIn(M0).filter(({ state }) => state === 'working')).toHaveLength(
      COUNT - WAITING_MAX,
    );
  });
});
