// Changes of an order that the rate limit refused: they leave again only while the order still needs them.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/domain/intent.ts';
import type { CancelCommand, DecreaseCommand } from '../../../src/domain/venue-command.ts';
import { contracts } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { must } from '../../../src/base/assert.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';
import { buy, print } from '../../support/engine/intents.ts';

/** A resting order of ten contracts, and a strategy that gives these intents one after the other. */
function resting(...later: readonly ('cancel' | 'decrease')[]): EngineHarness {
  const answers: (() => readonly Intent[])[] = [
    () => [buy()],
    ...later.map((type) => (): readonly Intent[] => {
      const { clientOrderId } = must(harness.places()[0], 'an order');
      return [type === 'cancel' ? { type, clientOrderId } : { type, clientOrderId, leavesQty: contracts(1) }];
    }),
  ];
  const harness: EngineHarness = new EngineHarness({
    strategies: [aStrategy({ onPrint: () => answers.shift()?.() })],
    engine: { policy: { ...CAREFUL_POLICY, canShrink: true } },
  }).startTrading();
  print(harness);
  harness.run(10);
  harness.venue.answerDelay = 1_000_000_000;
  return harness;
}

function refuseForRate(harness: EngineHarness, { id: commandId }: CancelCommand | DecreaseCommand): void {
  const { now: at } = harness;
  harness.step({ kind: 'answered', at, commandId, ok: false, clockOffset: null });
  harness.step({ kind: 'rate-limited', at, commandId, budget: 'trade', retryAfter: null });
}

function ask(harness: EngineHarness): void {
  print(harness);
  harness.run(5);
}

describe('a change of an order that the rate limit refused', () => {
  it('a cancel is not sent again once its order has filled', () => {
    const harness = resting('cancel');
    harness.venue.script = { cancel: () => 'vanish' };
    ask(harness);
    const cancel = must(harness.commands('cancel')[0], 'a cancel');
    const order = must(harness.venue.resting()[0], 'an order at the venue');
    harness.venue.tradeOrder(order, order.total);
    harness.run(5);
    refuseForRate(harness, cancel);
    expect(harness.engine.planner.load.waiting).toBe(0);
    harness.run(2000);
    expect(harness.commands('cancel')).toHaveLength(1);
  });

  it('a cancel of an order that rests is sent again', () => {
    const harness = resting('cancel');
    harness.venue.script = { cancel: () => 'vanish' };
    ask(harness);
    refuseForRate(harness, must(harness.commands('cancel')[0], 'a cancel'));
    expect(harness.engine.planner.load.waiting).toBe(1);
    harness.run(2000);
    expect(harness.commands('cancel')).toHaveLength(2);
  });

  it('a decrease is not sent again once its order is being canceled', () => {
    const harness = resting('decrease', 'cancel');
    harness.venue.script = { decrease: () => 'vanish', cancel: () => 'vanish' };
    ask(harness);
    ask(harness);
    expect([harness.commands('decrease').length, harness.commands('cancel').length]).toEqual([1, 1]);
    refuseForRate(harness, must(harness.commands('decrease')[0], 'a decrease'));
    expect(harness.engine.planner.load.waiting).toBe(0);
    harness.run(1000);
    expect(harness.commands('decrease')).toHaveLength(1);
  });
});
