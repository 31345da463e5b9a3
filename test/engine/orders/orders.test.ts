// Orders in the whole engine: unknown orders, rate refusals, cancels that must wait, and failing strategies.
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { type Micros, cents, contracts, fromMillis } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0, aFill, aReport, after } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { World, aStrategy } from '../../support/engine/world.ts';

/** A trading world with a strategy that has just given some intents. */
function trading(intents: readonly Intent[], script: World['venue']['script'] = {}, handlers: Handlers = {}): World {
  const world = new World({ strategies: [aStrategy(once(intents, handlers))] }).startTrading();
  world.venue.script = script;
  print(world);
  return world;
}

const stateOf = (world: World): string | undefined =>
  world.engine.state.orders.get(world.places()[0]!.clientOrderId)?.state;

describe('the lane of an order', () => {
  it('an order uses the reduce lane only when all of it closes a position', () => {
    const answers = [
      [buy({ price: cents(55), qty: contracts(5) })],
      [buy({ side: 'sell', price: cents(60), qty: contracts(6) })],
      [buy({ side: 'sell', price: cents(61), qty: contracts(5) })],
    ];
    const world = new World({ strategies: [aStrategy({ onPrint: () => answers.shift() })] }).startTrading();
    world.venue.script = { place: ({ side }) => (side === 'buy' ? 'take' : 'accept') };
    for (let i = 0; i < 3; i++) {
      print(world);
      world.run(100);
    }
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
    expect(world.places().map(({ lane }) => lane)).toEqual(['new', 'new', 'reduce']);
  });
});

describe('an unknown order', () => {
  it('an unknown order that arrived is found and continues, and was sent once', () => {
    const world = trading([buy()], { place: () => 'lose' });
    world.venue.feedDelay = 10_000_000;
    world.run(20);
    expect(world.places()).toHaveLength(1);
    world.run(1000);
    expect(stateOf(world)).toBe('working');
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(world.venue.countOf(world.places()[0]!.clientOrderId)).toBe(1);
  });

  it('an unknown order that never arrived counts against limits until the grace is over, and is then given up', () => {
    const world = trading([buy()], { place: () => 'vanish' });
    world.run(1500);
    expect(stateOf(world)).toBe('unknown');
    expect(world.engine.state.orders.openCount).toBe(1);
    world.run(3000);
    expect(stateOf(world)).toBe('not-sent');
    expect(world.places()).toHaveLength(1);
    expect(world.noticesOf('order').at(-1)?.why).toBe('the venue never had it');
  });

  it('an unknown order is resolved although probe and comparison fall due at the same times', () => {
    const timetable = { fills: 1000, compare: 1000, probe: 1000, audit: 1000, markets: 60_000 };
    const world = new World({ strategies: [aStrategy(once([buy()]))], engine: { timetable } }).startTrading();
    world.venue.script.place = () => 'vanish';
    print(world);
    world.run(6000);
    expect(stateOf(world)).toBe('not-sent');
  });

  it('an order that was given up and then appears is canceled', () => {
    const world = trading([buy()], { place: () => 'vanish' });
    world.run(5000);
    expect(stateOf(world)).toBe('not-sent');
    const { clientOrderId: id } = world.places()[0]!;
    world.venue.restOrder(world.places()[0]!);
    world.run(5000);
    expect(world.commands('cancel').map((command) => command.clientOrderId)).toEqual([id]);
    expect(world.venue.resting()).toEqual([]);
    expect(stateOf(world)).toBe('canceled');
  });

  it('a working order that the venue no longer knows becomes unknown, and ends when that is confirmed', () => {
    const world = trading([buy()]);
    world.run(20);
    world.venue.loseOrder(world.venue.resting()[0]!);
    world.run(8000);
    expect(
      world
        .noticesOf('order')
        .map(({ from, why }) => `${from}: ${why}`)
        .slice(-2),
    ).toEqual(['working: the venue knows no such order', 'unknown: the venue knows no such order']);
    expect(stateOf(world)).toBe('not-sent');
  });

  it('an unknown order that had traded before its look-up waits for its fills, and requests them', () => {
    const world = trading([buy()], { place: () => 'lose' });
    world.run(0.8);
    world.venue.feedDown();
    world.run(0.3);
    const [order] = world.venue.resting();
    world.venue.tradeOrder(order!, 1000);
    world.run(1200);
    expect(stateOf(world)).toBe('filled');
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
    expect(world.commands('read').length).toBeLessThan(40);
  });

  it('an order is looked up when a cancel finds nothing, and the look-ups end', () => {
    const world = trading([buy()]);
    world.run(20);
    const [order] = world.venue.resting();
    world.venue.feedDown();
    world.venue.tradeOrder(order!, 1000);
    world.run(1500);
    expect(stateOf(world)).toBe('filled');
    expect(world.commands('cancel')).toHaveLength(1);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('a rate refusal', () => {
  it('a rate refusal delays the order, which is sent under the same id and taken by the venue once', () => {
    let refusals = 2;
    const world = trading([buy()], { place: () => (refusals-- > 0 ? 'limit' : 'accept') });
    world.run(1000);
    const ids = new Set(world.places().map((command) => command.clientOrderId));
    expect(world.places()).toHaveLength(3);
    expect(ids.size).toBe(1);
    expect(world.venue.countOf([...ids][0]!)).toBe(1);
    expect(stateOf(world)).toBe('working');
    const times = world.sent.filter(({ command }) => command.type === 'place').map(({ at }) => at);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(100_000);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(200_000);
  });

  it('a rate refusal is obeyed for as long as it says', () => {
    const world = trading([buy()], { place: () => 'limit' });
    world.run(0.7);
    const command = world.places()[0]!;
    const at = world.now;
    world.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    const { id: commandId } = command;
    world.step({ kind: 'rate-limited', at, commandId, budget: 'trade', retryAfter: fromMillis(700) });
    world.run(699);
    expect(world.places()).toHaveLength(1);
    world.run(2);
    expect(world.places()).toHaveLength(2);
  });

  it('a rate refusal reported twice puts the order back once', () => {
    const world = trading([buy()]);
    world.run(0.7);
    const command = world.places()[0]!;
    const at = world.now;
    const limited = { kind: 'rate-limited', at, commandId: command.id, budget: 'trade', retryAfter: null } as const;
    world.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    world.step(limited);
    world.step(limited);
    expect(world.engine.planner.load.waiting).toBe(1);
  });

  it('an order refused for rate is not sent again if the feed shows it all the same', () => {
    const world = trading([buy()]);
    world.run(0.7);
    const command = world.places()[0]!;
    const at = world.now;
    const report = aReport({ clientOrderId: command.clientOrderId, venueOrderId: venueOrderId('v-1') });
    world.step({ kind: 'order-updated', at, order: report });
    world.step({ kind: 'answered', at, commandId: command.id, ok: false, clockOffset: null });
    world.step({ kind: 'rate-limited', at, commandId: command.id, budget: 'trade', retryAfter: null });
    world.run(1000);
    expect(world.places()).toHaveLength(1);
    expect(stateOf(world)).toBe('working');
  });

  it.each(['report', 'fill'] as const)(
    'an order refused for rate is not sent again if the feed later shows it by a %s',
    (kind) => {
      const world = trading([buy()], { place: () => 'limit' });
      world.run(2);
      const { clientOrderId: id } = world.places()[0]!;
      expect(stateOf(world)).toBe('queued');
      const ids = { clientOrderId: id, venueOrderId: venueOrderId('v-1') };
      const { now: at } = world;
      if (kind === 'report') world.step({ kind: 'order-updated', at, order: aReport(ids) });
      else world.step({ kind: 'fill', at, fill: aFill(ids) });
      expect(stateOf(world)).toBe('working');
      world.run(1000);
      expect(world.places()).toHaveLength(1);
    },
  );

  it.each([after(600_000), Number.NaN as Micros])(
    'an order refused for rate is dropped after the longest wait, whatever its strategy says: %s',
    (validUntil) => {
      const world = trading([buy({ validUntil })], { place: () => 'limit' });
      world.run(10_000);
      expect(stateOf(world)).toBe('not-sent');
      expect(world.sent.filter(({ command, at }) => command.type === 'place' && at > after(2100))).toEqual([]);
    },
  );

  it('an order refused for rate is dropped when its deadline passes', () => {
    const world = trading([buy({ validUntil: after(150) })], { place: () => 'limit' });
    world.run(3000);
    expect(world.places().length).toBeLessThanOrEqual(2);
    expect(stateOf(world)).toBe('not-sent');
    expect(world.noticesOf('order').at(-1)?.why).toBe('too late to send');
  });

  it('a cancel refused for rate is sent again', () => {
    let refusals = 1;
    const world = trading([buy()], { cancel: () => (refusals-- > 0 ? 'limit' : 'do') });
    world.run(20);
    world.stop();
    expect(world.commands('cancel')).toHaveLength(2);
    expect(world.venue.resting()).toEqual([]);
    expect(world.engine.session.phase).toBe('stopped');
  });
});

describe('a cancel', () => {
  it('a cancel requested while its order is in flight is sent once the venue has given the order an id', () => {
    const world = trading([buy()]);
    world.venue.feedDelay = 5_000_000;
    world.venue.answerDelay = 300_000;
    world.run(5);
    const place = world.places()[0]!;
    expect(stateOf(world)).toBe('in-flight');
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    world.run(200);
    expect(world.commands('cancel')).toEqual([]);
    world.run(200);
    expect(world.commands('cancel').map((command) => command.clientOrderId)).toEqual([place.clientOrderId]);
    world.run(5000);
    expect(world.commands('cancel')).toHaveLength(1);
    expect(stateOf(world)).toBe('canceled');
  });

  it('the cancel of an unsent order costs nothing', () => {
    const { name: _, ...handlers } = { name: '', ...once([buy(), { type: 'cancel-all' }]) };
    const world = new World({ strategies: [aStrategy(handlers)] }).startTrading();
    print(world);
    world.run(100);
    expect(world.places()).toEqual([]);
    expect(world.commands('cancel')).toEqual([]);
    expect(world.noticesOf('order').map(({ order }) => order.state)).toEqual(['not-sent']);
  });

  it('a cancel that is lost is sent again', () => {
    let losses = 2;
    const world = trading([buy()], { cancel: () => (losses-- > 0 ? 'vanish' : 'do') });
    world.run(20);
    world.stop();
    expect(world.commands('cancel')).toHaveLength(3);
    expect(world.venue.resting()).toEqual([]);
  });

  it('a cancel that is lost again and again is sent at the pace of the probes, not of the budget', () => {
    const world = trading([buy()], { cancel: () => 'vanish' });
    world.run(20);
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    world.run(20_000);
    const sent = world.commands('cancel').length;
    expect(sent).toBeGreaterThan(3);
    expect(sent).toBeLessThan(30);
  });

  it('a cancel that still waits when its order ends is not sent', () => {
    const trade = { limit: { model: 'rolling-window', count: 2, windowMs: 1000 }, guardMs: 0 } as const;
    const read = { limit: { model: 'rolling-window', count: 100, windowMs: 1000 }, guardMs: 0 } as const;
    const world = new World({
      strategies: [aStrategy(once([buy(), buy({ price: cents(41) })]))],
      engine: { budgets: { read, trade }, cancelReserve: 0 },
    }).startTrading();
    print(world);
    world.run(20);
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    expect(world.engine.planner.load.waiting).toBe(2);
    for (const order of world.venue.resting()) world.venue.tradeOrder(order, 1000);
    world.run(3000);
    expect(world.commands('cancel')).toEqual([]);
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('a cancel that may not leave for long waits once, however often its order is found resting', () => {
    const world = new World({
      strategies: [aStrategy(once([buy()]))],
      engine: { backoff: () => fromMillis(100_000) },
    }).startTrading();
    world.venue.script = { cancel: () => 'limit' };
    print(world);
    world.run(20);
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    for (let second = 0; second < 110; second++) {
      world.run(1000);
      expect(world.engine.planner.load.waiting).toBeLessThanOrEqual(1);
    }
    world.venue.script = {};
    world.run(30_000);
    expect(world.commands('cancel').length).toBeLessThanOrEqual(3);
    expect(world.venue.resting()).toEqual([]);
  });

  it('a cancel of another strategy’s order is not carried out', () => {
    const world = new World({
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
    print(world);
    world.run(300);
    expect(world.places().map((command) => command.clientOrderId)).toEqual(['s-0-1']);
    expect(world.commands('cancel')).toEqual([]);
  });
});

describe('an immediate order', () => {
  it('an immediate order that traded in part ends canceled with its fills counted', () => {
    const world = trading([buy({ timeInForce: 'ioc', price: cents(60) })], { place: () => 'take-half' });
    world.run(20);
    expect(stateOf(world)).toBe('canceled');
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });

  it('an immediate order ends canceled with its fills counted even when only its answer arrives, and the fills by list', () => {
    const world = trading([buy({ timeInForce: 'ioc', price: cents(60) })], { place: () => 'take-half' });
    world.venue.feedDelay = 60_000_000;
    world.run(20);
    // Until then the order counts for the quantity that it traded unseen.
    expect(world.engine.state.orders.openIn(M0).map(({ qty, filledQty }) => qty - filledQty)).toEqual([contracts(5)]);
    world.run(2500);
    expect(stateOf(world)).toBe('canceled');
    const order = world.engine.state.orders.get(world.places()[0]!.clientOrderId);
    expect(order?.filledQty).toBe(contracts(5));
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });
});
