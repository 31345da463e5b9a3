// An unknown order that is sent once more under its own id: only while it is wanted, and never as a second order.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/domain/intent.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { World, type WorldOptions, aStrategy } from '../../support/engine/world.ts';

const policy = (over: Partial<typeof CAREFUL_POLICY> = {}): WorldOptions['engine'] => ({
  policy: { ...CAREFUL_POLICY, ...over },
});
const stateOf = (world: World): string | undefined =>
  world.engine.state.orders.get(world.places()[0]!.clientOrderId)?.state;

describe('an order that waits to be sent once more', () => {
  /** Room for one order in fifteen seconds: a resent order has to wait that long. */
  const waiting = (): World => {
    let count = 0;
    const slow = { limit: { model: 'rolling-window', count: 11, windowMs: 15_000 }, guardMs: 0 } as const;
    const read = { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 } as const;
    const world = new World({
      strategies: [aStrategy(once([buy()]))],
      engine: { ...policy({ canResend: true }), budgets: { read, trade: slow } },
    }).startTrading();
    world.venue.script = { place: () => ((count += 1) === 1 ? 'vanish' : 'accept') };
    print(world);
    return world.run(5000);
  };

  it('a waiting resend is never sent when everything is canceled meanwhile', () => {
    const world = waiting();
    expect(world.engine.planner.load.waiting).toBe(1);
    const order = { type: 'cancel-all', scope: { type: 'account' }, reason: 'test' } as const;
    world.step({ kind: 'operator', at: world.now, order });
    world.run(20_000);
    expect(world.places()).toHaveLength(1);
    expect(stateOf(world)).toBe('not-sent');
  });

  it('an order that waits to be sent again is not given up, because it may still arrive', () => {
    const world = waiting();
    world.run(8000);
    expect(world.places()).toHaveLength(1);
    expect(stateOf(world)).toBe('unknown');
    world.run(5000);
    expect(world.places()).toHaveLength(2);
    expect(stateOf(world)).toBe('working');
    expect(world.venue.resting()).toHaveLength(1);
  });

  it('a resent order is not given up while its answer is outstanding', () => {
    const world = waiting();
    while (world.places().length === 1) world.run(0.1);
    while (world.venue.takeNext() !== undefined);
    world.venue.loseOrder(world.venue.resting()[0]!);
    world.run(8000);
    expect(stateOf(world)).toBe('unknown');
  });

  it('a waiting resend is not sent once the venue shows the order', () => {
    const world = waiting();
    world.venue.restOrder(world.places()[0]!);
    world.run(20_000);
    expect(world.places()).toHaveLength(1);
    expect(stateOf(world)).toBe('working');
  });
});

describe('an unknown order that its strategy cancels', () => {
  it('an unknown order that its strategy cancels is not sent again', () => {
    const answers: (() => readonly Intent[])[] = [
      () => [buy()],
      () => [{ type: 'cancel', clientOrderId: world.places()[0]!.clientOrderId }],
    ];
    const world: World = new World({
      strategies: [aStrategy({ onPrint: () => answers.shift()?.() })],
      engine: policy({ canResend: true })!,
    }).startTrading();
    world.venue.script = { place: () => 'vanish' };
    print(world);
    world.run(1000);
    expect(stateOf(world)).toBe('unknown');
    print(world);
    world.run(10_000);
    expect(world.places()).toHaveLength(1);
    expect(stateOf(world)).toBe('not-sent');
  });
});

describe('an unknown order that was to trade at once or not at all', () => {
  it.each(['ioc', 'fok'] as const)(
    'an unknown order that was to trade at once is not sent again after a long wait: %s',
    (timeInForce) => {
      const world = new World({
        strategies: [aStrategy(once([buy({ timeInForce })]))],
        engine: policy({ canResend: true })!,
      }).startTrading();
      world.venue.script = { place: () => 'vanish' };
      print(world);
      world.run(10_000);
      expect(world.places()).toHaveLength(1);
      expect(stateOf(world)).toBe('not-sent');
    },
  );
});
