// An unknown order that is sent once more under its own id: only while it is wanted, and never as a second order.
import { describe, expect, it } from 'vitest';
import type { Intent, PlaceIntent } from '../../../src/domain/intent.ts';
import { micros } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { BEGIN } from '../../support/engine/builders.ts';
import { EngineHarness, type EngineHarnessOptions, aStrategy } from '../../support/engine/engine-harness.ts';

const policy = (over: Partial<typeof CAREFUL_POLICY> = {}): EngineHarnessOptions['engine'] => ({
  policy: { ...CAREFUL_POLICY, ...over },
});
const stateOf = (harness: EngineHarness): string | undefined =>
  harness.engine.state.orders.get(harness.places()[0]!.clientOrderId)?.state;

describe('an order that waits to be sent once more', () => {
  /** Room for one order in fifteen seconds: a resent order has to wait that long. */
  const waiting = (intent: PlaceIntent = buy(), orderDelayMsMax = 20_000): EngineHarness => {
    let count = 0;
    const slow = { limit: { model: 'rolling-window', count: 11, windowMs: 15_000 }, guardMs: 0 } as const;
    const read = { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 } as const;
    const harness = new EngineHarness({
      strategies: [aStrategy(once([intent]))],
      engine: { ...policy({ canResend: true }), budgets: { read, trade: slow }, orderDelayMsMax },
    }).startTrading();
    harness.venue.script = { place: () => ((count += 1) === 1 ? 'vanish' : 'accept') };
    print(harness);
    return harness.run(5000);
  };

  it('a waiting resend is never sent when everything is canceled meanwhile', () => {
    const harness = waiting();
    expect(harness.engine.planner.load.waiting).toBe(1);
    const order = { type: 'cancel-all', scope: { type: 'account' }, reason: 'test' } as const;
    harness.step({ kind: 'operator', at: harness.now, order });
    harness.run(20_000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('an order that waits to be sent again is not given up, because it may still arrive', () => {
    const harness = waiting();
    harness.run(8000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('unknown');
    harness.run(5000);
    expect(harness.places()).toHaveLength(2);
    expect(stateOf(harness)).toBe('working');
    expect(harness.venue.resting()).toHaveLength(1);
  });

  it('a resent order is not given up while its answer is outstanding', () => {
    const harness = waiting();
    while (harness.places().length === 1) harness.run(0.1);
    while (harness.venue.takeNext() !== undefined);
    harness.venue.loseOrder(harness.venue.resting()[0]!);
    harness.run(8000);
    expect(stateOf(harness)).toBe('unknown');
  });

  it('a waiting resend that may not leave in time ends as not sent', () => {
    const harness = waiting(buy(), 2000);
    harness.run(20_000);
    expect(harness.places()).toHaveLength(1);
    expect(harness.noticesOf('order').at(-1)).toMatchObject({ to: 'not-sent', why: 'too late to send' });
  });

  it('a waiting resend does not leave after the time that its strategy named', () => {
    const harness = waiting(buy({ validUntil: micros(BEGIN + 10_000_000) }));
    expect(harness.engine.planner.load.waiting).toBe(1);
    harness.run(20_000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('a waiting resend does not leave after the order has expired', () => {
    const harness = waiting(buy({ timeInForce: 'gtd', expiresAt: micros(BEGIN + 10_000_000) }));
    expect(harness.engine.planner.load.waiting).toBe(1);
    harness.run(20_000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('a waiting resend is not sent once the venue shows the order', () => {
    const harness = waiting();
    harness.venue.restOrder(harness.places()[0]!);
    harness.run(20_000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('working');
  });
});

describe('an unknown order whose strategy named a time', () => {
  const vanishing = (validForMs: number): EngineHarness => {
    let count = 0;
    const handlers: Handlers = {
      onPrint: (_event, view) => (count > 0 ? [] : [buy({ validUntil: micros(view.now + validForMs * 1000) })]),
    };
    const harness = new EngineHarness({
      strategies: [aStrategy(handlers)],
      engine: policy({ canResend: true })!,
    }).startTrading();
    harness.venue.script = { place: () => ((count += 1) === 1 ? 'vanish' : 'accept') };
    print(harness);
    return harness.run(10_000);
  };

  it('an unknown order is not sent again after that time', () => {
    const harness = vanishing(500);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('an unknown order is sent again before that time, and counts as a message', () => {
    const harness = vanishing(60_000);
    expect(harness.places()).toHaveLength(2);
    expect(stateOf(harness)).toBe('working');
    expect(harness.engine.risk.rates.messagesPerMinute(null, harness.now)).toBe(2);
  });
});

describe('an unknown order that its strategy cancels', () => {
  it('an unknown order that its strategy cancels is not sent again', () => {
    const answers: (() => readonly Intent[])[] = [
      () => [buy()],
      () => [{ type: 'cancel', clientOrderId: harness.places()[0]!.clientOrderId }],
    ];
    const harness: EngineHarness = new EngineHarness({
      strategies: [aStrategy({ onPrint: () => answers.shift()?.() })],
      engine: policy({ canResend: true })!,
    }).startTrading();
    harness.venue.script = { place: () => 'vanish' };
    print(harness);
    harness.run(1000);
    expect(stateOf(harness)).toBe('unknown');
    print(harness);
    harness.run(10_000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('not-sent');
  });
});

describe('an unknown order that was to trade at once or not at all', () => {
  it.each(['ioc', 'fok'] as const)(
    'an unknown order that was to trade at once is not sent again after a long wait: %s',
    (timeInForce) => {
      const harness = new EngineHarness({
        strategies: [aStrategy(once([buy({ timeInForce })]))],
        engine: policy({ canResend: true })!,
      }).startTrading();
      harness.venue.script = { place: () => 'vanish' };
      print(harness);
      harness.run(10_000);
      expect(harness.places()).toHaveLength(1);
      expect(stateOf(harness)).toBe('not-sent');
    },
  );
});
