// Orders in the whole engine: unknown orders, rate refusals, cancels that must wait, and failing strategies.
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { type Micros, cents, contracts, fromMillis } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0, aFill, aReport, after } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { EngineHarness, aStrategy } from '../../support/engine/engine-harness.ts';

/** A trading harness with a strategy that has just given some intents. */
function trading(
  intents: readonly Intent[],
  script: EngineHarness['venue']['script'] = {},
  handlers: Handlers = {},
): EngineHarness {
  const harness = new EngineHarness({ strategies: [aStrategy(once(intents, handlers))] }).startTrading();
  harness.venue.script = script;
  print(harness);
  return harness;
}

const stateOf = (harness: EngineHarness): string | undefined =>
  harness.engine.state.orders.get(harness.places()[0]!.clientOrderId)?.state;

describe('the lane of an order', () => {
  it('an order uses the reduce lane only when all of it closes a position', () => {
    const answers = [
      [buy({ price: cents(55), qty: contracts(5) })],
      [buy({ side: 'sell', price: cents(60), qty: contracts(6) })],
      [buy({ side: 'sell', price: cents(61), qty: contracts(5) })],
    ];
    const harness = new EngineHarness({ strategies: [aStrategy({ onPrint: () => answers.shift() })] }).startTrading();
    harness.venue.script = { place: ({ side }) => (side === 'buy' ? 'take' : 'accept') };
    for (let i = 0; i < 3; i++) {
      print(harness);
      harness.run(100);
    }
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
    expect(harness.places().map(({ lane }) => lane)).toEqual(['new', 'new', 'reduce']);
  });
});

describe('an unknown order', () => {
  it('an unknown order that arrived is found and continues, and was sent once', () => {
    const harness = trading([buy()], { place: () => 'lose' });
    harness.venue.feedDelay = 10_000_000;
    harness.run(20);
    expect(harness.places()).toHaveLength(1);
    harness.run(1000);
    expect(stateOf(harness)).toBe('working');
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(harness.venue.countOf(harness.places()[0]!.clientOrderId)).toBe(1);
  });

  it('an unknown order that never arrived counts against limits until the grace is over, and is then given up', () => {
    const harness = trading([buy()], { place: () => 'vanish' });
    harness.run(1500);
    expect(stateOf(harness)).toBe('unknown');
    expect(harness.engine.state.orders.openCount).toBe(1);
    harness.run(3000);
    expect(stateOf(harness)).toBe('not-sent');
    expect(harness.places()).toHaveLength(1);
    expect(harness.noticesOf('order').at(-1)?.why).toBe('the venue never had it');
  });

  it('an unknown order is resolved although probe and comparison fall due at the same times', () => {
    const timetable = { fills: 1000, compare: 1000, probe: 1000, audit: 1000, markets: 60_000 };
    const harness = new EngineHarness({ strategies: [aStrategy(once([buy()]))], engine: { timetable } }).startTrading();
    harness.venue.script.place = () => 'vanish';
    print(harness);
    harness.run(6000);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('an order that was given up and then appears is canceled', () => {
    const harness = trading([buy()], { place: () => 'vanish' });
    harness.run(5000);
    expect(stateOf(harness)).toBe('not-sent');
    const { clientOrderId: id } = harness.places()[0]!;
    harness.venue.restOrder(harness.places()[0]!);
    harness.run(5000);
    expect(harness.commands('cancel').map((command) => command.clientOrderId)).toEqual([id]);
    expect(harness.venue.resting()).toEqual([]);
    expect(stateOf(harness)).toBe('canceled');
  });

  it('a working order that the venue no longer knows becomes unknown, and ends when that is confirmed', () => {
    const harness = trading([buy()]);
    harness.run(20);
    harness.venue.loseOrder(harness.venue.resting()[0]!);
    harness.run(8000);
    expect(
      harness
        .noticesOf('order')
        .map(({ from, why }) => `${from}: ${why}`)
        .slice(-2),
    ).toEqual(['working: the venue knows no such order', 'unknown: the venue knows no such order']);
    expect(stateOf(harness)).toBe('not-sent');
  });

  it('an unknown order that had traded before its look-up waits for its fills, and requests them', () => {
    const harness = trading([buy()], { place: () => 'lose' });
    harness.run(0.8);
    harness.venue.feedDown();
    harness.run(0.3);
    const [order] = harness.venue.resting();
    harness.venue.tradeOrder(order!, 1000);
    harness.run(1200);
    expect(stateOf(harness)).toBe('filled');
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(harness.commands('read').length).toBeLessThan(40);
  });

  it('an order is looked up when a cancel finds nothing, and the look-ups end', () => {
    const harness = trading([buy()]);
    harness.run(20);
    const [order] = harness.venue.resting();
    harness.venue.feedDown();
    harness.venue.tradeOrder(order!, 1000);
    harness.run(1500);
    expect(stateOf(harness)).toBe('filled');
    expect(harness.commands('cancel')).toHaveLength(1);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('a rate refusal', () => {
  it('a rate refusal delays the order, which is sent under the same id and taken by the venue once', () => {
    let refusals = 2;
    const harness = trading([buy()], { place: () => (refusals-- > 0 ? 'limit' : 'accept') });
    harness.run(1000);
    const ids = new Set(harness.places().map((command) => command.clientOrderId));
    expect(harness.places()).toHaveLength(3);
    expect(ids.size).toBe(1);
    expect(harness.venue.countOf([...ids][0]!)).toBe(1);
    expect(stateOf(harness)).toBe('working');
    const times = harness.sent.filter(({ command }) => command.type === 'place').map(({ at }) => at);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(100_000);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(200_000);
  });

  it('a rate refusal is obeyed for as long as it says', () => {
    const harness = trading([buy()], { place: () => 'limit' });
    harness.run(0.7);
    const command = harness.places()[0]!;
    const at = harness.now;
    harness.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    const { id: commandId } = command;
    harness.step({ kind: 'rate-limited', at, commandId, budget: 'trade', retryAfter: fromMillis(700) });
    harness.run(699);
    expect(harness.places()).toHaveLength(1);
    harness.run(2);
    expect(harness.places()).toHaveLength(2);
  });

  it('a rate refusal reported twice puts the order back once', () => {
    const harness = trading([buy()]);
    harness.run(0.7);
    const command = harness.places()[0]!;
    const at = harness.now;
    const limited = { kind: 'rate-limited', at, commandId: command.id, budget: 'trade', retryAfter: null } as const;
    harness.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    harness.step(limited);
    harness.step(limited);
    expect(harness.engine.planner.load.waiting).toBe(1);
  });

  it('an order refused for rate is not sent again if the feed shows it all the same', () => {
    const harness = trading([buy()]);
    harness.run(0.7);
    const command = harness.places()[0]!;
    const at = harness.now;
    const report = aReport({ clientOrderId: command.clientOrderId, venueOrderId: venueOrderId('v-1') });
    harness.step({ kind: 'order-updated', at, order: report });
    harness.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    harness.step({ kind: 'rate-limited', at, commandId: command.id, budget: 'trade', retryAfter: null });
    harness.run(1000);
    expect(harness.places()).toHaveLength(1);
    expect(stateOf(harness)).toBe('working');
  });

  it.each(['report', 'fill'] as const)(
    'an order refused for rate is not sent again if the feed later shows it by a %s',
    (kind) => {
      const harness = trading([buy()], { place: () => 'limit' });
      harness.run(2);
      const { clientOrderId: id } = harness.places()[0]!;
      expect(stateOf(harness)).toBe('queued');
      const ids = { clientOrderId: id, venueOrderId: venueOrderId('v-1') };
      const { now: at } = harness;
      if (kind === 'report') harness.step({ kind: 'order-updated', at, order: aReport(ids) });
      else harness.step({ kind: 'fill', at, fill: aFill(ids) });
      expect(stateOf(harness)).toBe('working');
      harness.run(1000);
      expect(harness.places()).toHaveLength(1);
    },
  );

  it.each([after(600_000), Number.MAX_SAFE_INTEGER as Micros])(
    'an order refused for rate is dropped after the longest wait, whatever its strategy says: %s',
    (validUntil) => {
      const harness = trading([buy({ validUntil })], { place: () => 'limit' });
      harness.run(10_000);
      expect(stateOf(harness)).toBe('not-sent');
      expect(harness.sent.filter(({ command, at }) => command.type === 'place' && at > after(2100))).toEqual([]);
    },
  );

  it('an order refused for rate is dropped when its deadline passes', () => {
    const harness = trading([buy({ validUntil: after(150) })], { place: () => 'limit' });
    harness.run(3000);
    expect(harness.places().length).toBeLessThanOrEqual(2);
    expect(stateOf(harness)).toBe('not-sent');
    expect(harness.noticesOf('order').at(-1)?.why).toBe('too late to send');
  });

  it('a gtd order that waits until it expires is dropped, and is never sent as an expired order', () => {
    const terms = { timeInForce: 'gtd', expiresAt: after(150) } as const;
    const harness = trading([buy(terms)], { place: () => 'limit' });
    harness.run(3000);
    expect(stateOf(harness)).toBe('not-sent');
    expect(harness.noticesOf('order').at(-1)).toMatchObject({
      why: 'too late to send',
      order: { changedAt: after(150) },
    });
    expect(harness.places().every(({ validUntil }) => validUntil === after(150) - 1)).toBe(true);
  });

  it('a cancel refused for rate is sent again', () => {
    let refusals = 1;
    const harness = trading([buy()], { cancel: () => (refusals-- > 0 ? 'limit' : 'do') });
    harness.run(20);
    harness.stop();
    expect(harness.commands('cancel')).toHaveLength(2);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.session.phase).toBe('stopped');
  });
});

describe('a cancel', () => {
  it('a cancel requested while its order is in flight is sent once the venue has given the order an id', () => {
    const harness = trading([buy()]);
    harness.venue.feedDelay = 5_000_000;
    harness.venue.answerDelay = 300_000;
    harness.run(5);
    const place = harness.places()[0]!;
    expect(stateOf(harness)).toBe('in-flight');
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.run(200);
    expect(harness.commands('cancel')).toEqual([]);
    harness.run(200);
    expect(harness.commands('cancel').map((command) => command.clientOrderId)).toEqual([place.clientOrderId]);
    harness.run(5000);
    expect(harness.commands('cancel')).toHaveLength(1);
    expect(stateOf(harness)).toBe('canceled');
  });

  it('the cancel of an unsent order costs nothing', () => {
    const { name: _, ...handlers } = { name: '', ...once([buy(), { type: 'cancel-all' }]) };
    const harness = new EngineHarness({ strategies: [aStrategy(handlers)] }).startTrading();
    print(harness);
    harness.run(100);
    expect(harness.places()).toEqual([]);
    expect(harness.commands('cancel')).toEqual([]);
    expect(harness.noticesOf('order').map(({ order }) => order.state)).toEqual(['not-sent']);
  });

  it('a cancel that is lost is sent again', () => {
    let losses = 2;
    const harness = trading([buy()], { cancel: () => (losses-- > 0 ? 'vanish' : 'do') });
    harness.run(20);
    harness.stop();
    expect(harness.commands('cancel')).toHaveLength(3);
    expect(harness.venue.resting()).toEqual([]);
  });

  it('a cancel that is lost again and again is sent at the pace of the probes, not of the budget', () => {
    const harness = trading([buy()], { cancel: () => 'vanish' });
    harness.run(20);
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.run(20_000);
    const sent = harness.commands('cancel').length;
    expect(sent).toBeGreaterThan(3);
    expect(sent).toBeLessThan(30);
  });

  it('a cancel that still waits when its order ends is not sent', () => {
    const trade = { limit: { model: 'rolling-window', count: 2, windowMs: 1000 }, guardMs: 0 } as const;
    const read = { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 } as const;
    const harness = new EngineHarness({
      strategies: [aStrategy(once([buy(), buy({ price: cents(41) })]))],
      engine: { budgets: { read, trade }, cancelReserve: 0 },
    }).startTrading();
    print(harness);
    harness.run(20);
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    expect(harness.engine.planner.load.waiting).toBe(2);
    for (const order of harness.venue.resting()) harness.venue.tradeOrder(order, 1000);
    harness.run(3000);
    expect(harness.commands('cancel')).toEqual([]);
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a cancel that may not leave for long waits once, however often its order is found resting', () => {
    const harness = new EngineHarness({
      strategies: [aStrategy(once([buy()]))],
      engine: { backoff: () => fromMillis(100_000) },
    }).startTrading();
    harness.venue.script = { cancel: () => 'limit' };
    print(harness);
    harness.run(20);
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    for (let second = 0; second < 110; second++) {
      harness.run(1000);
      expect(harness.engine.planner.load.waiting).toBeLessThanOrEqual(1);
    }
    harness.venue.script = {};
    harness.run(30_000);
    expect(harness.commands('cancel').length).toBeLessThanOrEqual(3);
    expect(harness.venue.resting()).toEqual([]);
  });

  it('a cancel of another strategy’s order is not carried out', () => {
    const harness = new EngineHarness({
      strategies: [
        aStrategy(once([buy()])),
        aStrategy(
          {
            onTimer: () => [{ type: 'cancel', clientOrderId: clientOrderId('s-0-1') }],
            onStart: () => [{ type: 'timer', name: 't', at: after(100) }],
          },
          'other',
        ),
      ],
    }).startTrading();
    print(harness);
    harness.run(300);
    expect(harness.places().map((command) => command.clientOrderId)).toEqual(['s-0-1']);
    expect(harness.commands('cancel')).toEqual([]);
  });
});

describe('an immediate order', () => {
  it('an immediate order that traded in part ends canceled with its fills counted', () => {
    const harness = trading([buy({ timeInForce: 'ioc', price: cents(60) })], { place: () => 'take-half' });
    harness.run(20);
    expect(stateOf(harness)).toBe('canceled');
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });

  it('an immediate order ends canceled with its fills counted even when only its answer arrives, and the fills by list', () => {
    const harness = trading([buy({ timeInForce: 'ioc', price: cents(60) })], { place: () => 'take-half' });
    harness.venue.feedDelay = 60_000_000;
    harness.run(20);
    // Until then the order counts for the quantity that it traded unseen.
    expect(harness.engine.state.orders.openIn(M0).map(({ qty, filledQty }) => qty - filledQty)).toEqual([contracts(5)]);
    harness.run(2500);
    expect(stateOf(harness)).toBe('canceled');
    const order = harness.engine.state.orders.get(harness.places()[0]!.clientOrderId);
    expect(order?.filledQty).toBe(contracts(5));
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });
});
