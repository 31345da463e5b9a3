// Orders in an unknown state: how they are resolved, what they block meanwhile, and what a session takes over from one
// that died.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { NOTHING_RESTORED, type UnresolvedOrder } from '../../../src/domain/operator-order.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { M0, aPlace, tickerOf } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { World, type WorldOptions, aStrategy } from '../../support/engine/world.ts';

const policy = (over: Partial<typeof CAREFUL_POLICY> = {}): WorldOptions['engine'] => ({
  policy: { ...CAREFUL_POLICY, ...over },
});

function asking(script: World['venue']['script'], over: Partial<typeof CAREFUL_POLICY> = {}): World {
  const world = new World({ strategies: [aStrategy(once([buy()]))], engine: policy(over)! }).startTrading();
  world.venue.script = script;
  print(world);
  return world;
}
const stateOf = (world: World): string | undefined =>
  world.engine.state.orders.get(world.places()[0]!.clientOrderId)?.state;
const alarms = (world: World): string[] =>
  world.noticesOf('alarm').flatMap(({ code }) => (code === 'unknown-too-long' ? [code] : []));

/** An order that a session sent a moment before it died. */
const LEFT: UnresolvedOrder = {
  clientOrderId: clientOrderId('dead-0-1'),
  ticker: tickerOf(0),
  side: 'buy',
  price: cents(40),
  qty: contracts(10),
  sentAt: micros(999_000_000),
};
const arrived = aPlace({ clientOrderId: LEFT.clientOrderId });

function restart(world: World, unresolved = [LEFT]): World {
  world.step({ kind: 'start', at: world.now, session: 's', carried: { ...NOTHING_RESTORED, unresolved } });
  world.venue.feedUp();
  return world;
}

describe('an unknown order', () => {
  it('an unknown order that no list can settle raises one alarm and closes its market to new orders until it is settled', () => {
    const world = asking({ place: () => 'vanish', read: ({ target }) => (target.what === 'orders' ? 'fail' : 'do') });
    world.run(29_000);
    expect(alarms(world)).toEqual([]);
    world.run(20_000);
    expect(alarms(world)).toEqual(['unknown-too-long']);
    expect(world.engine.state.orders.openCount).toBe(1);
    world.engine.step({ kind: 'timer', at: world.now });
    expect(world.engine.session.orders.blockingDenial(M0)).toMatchObject({
      code: 'market-unresolved',
      unknownMsMax: 30_000,
    });
    world.venue.script = {};
    world.run(15_000);
    expect(stateOf(world)).toBe('not-sent');
    expect(world.engine.session.orders.blockingDenial(M0)).toBeNull();
    expect(alarms(world)).toEqual(['unknown-too-long']);
  });

  it('an unknown order denies new orders in its market, with the figures', () => {
    const again = aStrategy({ onPrint: () => [buy()] });
    const world = new World({ strategies: [again] }).startTrading();
    world.venue.script = { place: () => 'vanish', read: ({ target }) => (target.what === 'orders' ? 'fail' : 'do') };
    print(world);
    world.run(40_000);
    print(world);
    world.run(10);
    expect(world.places()).toHaveLength(1);
    expect(world.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'market-unresolved' });
  });

  it('an order whose answer never arrives becomes unknown', () => {
    const world = asking({ place: () => 'vanish' });
    world.run(0.7);
    expect(stateOf(world)).toBe('in-flight');
    // Not even the loss of the answer is reported.
    while (world.venue.takeNext() !== undefined);
    world.run(20_000);
    expect(stateOf(world)).toBe('in-flight');
    world.run(15_000);
    expect(world.noticesOf('order').map(({ to, why }) => `${to}: ${why}`)).toContain('unknown: no answer came');
    expect(stateOf(world)).toBe('not-sent');
    expect(world.places()).toHaveLength(1);
  });

  it('an order whose id the venue says is taken is never given up because no list shows it', () => {
    const world = asking({ place: () => 'vanish' });
    world.run(2);
    const { clientOrderId: id } = world.places()[0]!;
    world.step({ kind: 'order-unknown', at: world.now, clientOrderId: id, reason: '409 taken', isTaken: true });
    world.run(60_000);
    expect(stateOf(world)).toBe('unknown');
    expect(alarms(world)).toEqual(['unknown-too-long']);
  });

  it('an unknown order is not sent again unless the venue refuses known ids and the config allows it', () => {
    const world = asking({ place: () => 'vanish' });
    world.run(10_000);
    expect(world.places()).toHaveLength(1);
  });

  it('an unknown order may be sent once more, exactly the same, when a complete list does not show it', () => {
    let count = 0;
    const world = asking({ place: () => ((count += 1) === 1 ? 'vanish' : 'accept') }, { canResend: true });
    world.run(10_000);
    const [first, second, ...more] = world.places();
    expect(more).toEqual([]);
    const body = ({ clientOrderId: id, ticker, side, price, qty, timeInForce, postOnly }: typeof arrived): unknown => [
      id,
      ticker,
      side,
      price,
      qty,
      timeInForce,
      postOnly,
    ];
    expect(body(second!)).toEqual(body(first!));
    expect(second!.createdAt - first!.createdAt).toBeGreaterThanOrEqual(2_000_000);
    expect(stateOf(world)).toBe('working');
    expect(world.venue.countOf(first!.clientOrderId)).toBe(1);
  });

  it('the refusal of its id proves that an unseen order arrived, and it never becomes two', () => {
    let hidden = true;
    const world = asking(
      {
        place: () => 'lose',
        reportsOrder: () => false,
        answers: (_, truth) => (truth.kind === 'orders' && hidden ? { ...truth, rows: [] } : truth),
      },
      { canResend: true },
    );
    world.run(12_000);
    expect(world.places()).toHaveLength(2);
    expect(stateOf(world)).toBe('unknown');
    expect(world.venue.countOf(world.places()[0]!.clientOrderId)).toBe(1);
    hidden = false;
    world.run(3000);
    expect(stateOf(world)).toBe('working');
  });

  it('an unknown order is not sent again once it is unwanted', () => {
    const world = asking({ place: () => 'vanish' }, { canResend: true });
    world.run(10);
    world.stop();
    expect(world.places()).toHaveLength(1);
    expect(world.engine.session.phase).toBe('stopped');
  });
});

describe('lists of the past', () => {
  it('lists of the past are requested from a time by the venue’s clock, however far ahead ours is', () => {
    const world = asking({ place: () => 'vanish' });
    const { now: at } = world;
    // Our clock is nine seconds ahead: what the venue dates one second ago was sent eight seconds from now by ours.
    const ahead = 9_000_000;
    world.step({ kind: 'answered', at, commandId: 0, ok: true, clockOffset: ahead, askedAt: at });
    const before = world.sent.length;
    world.run(4000);
    const sinceOf = (what: 'orders' | 'fills'): number[] =>
      world.sent.slice(before).flatMap(({ command }) => {
        if (command.type !== 'read' || command.target.what !== what || !('since' in command.target)) return [];
        return command.target.since === null ? [] : [command.target.since];
      });
    const lookback = 10_000_000;
    const [orders, fills] = [sinceOf('orders'), sinceOf('fills')];
    expect(orders.length).toBeGreaterThan(0);
    expect(fills.length).toBeGreaterThan(0);
    expect(Math.max(...orders)).toBeLessThanOrEqual(world.places()[0]!.createdAt - ahead - lookback);
    expect(Math.max(...fills)).toBeLessThanOrEqual(world.now - ahead - lookback);
  });
});

describe('orders of an earlier session', () => {
  it('a resting order of an earlier session is canceled before anything is traded, and the opening figures include its fills', () => {
    const world = new World({ strategies: [aStrategy({})] });
    world.venue.restOrder(arrived);
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    restart(world).run(10_000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.venue.resting()).toEqual([]);
    expect(world.commands('cancel').map((command) => command.clientOrderId)).toEqual([LEFT.clientOrderId]);
    expect(world.engine.state.portfolio.position(M0).qty).toBe(300);
    world.run(10_000).stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an order that traded just before keeps the account closed until no figure can be older, whatever our clock shows', () => {
    const ahead = 9_000_000;
    const world = new World();
    world.venue.restOrder(arrived);
    world.venue.tradeOrder(world.venue.resting()[0]!, 1000);
    world.venue.script.answers = (_, truth) => {
      if (truth.kind !== 'fills') return truth;
      return { ...truth, rows: truth.rows.map((row) => ({ ...row, exchangeAt: micros(row.exchangeAt! - ahead) })) };
    };
    const { now: at } = world;
    world.step({ kind: 'answered', at, commandId: 0, ok: true, clockOffset: ahead, askedAt: at });
    restart(world, []).run(1900);
    expect(world.engine.session.phase).toBe('loading');
    world.run(3000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(10));
  });

  it('an order that never arrived is given up by a complete list, and trading begins', () => {
    const world = restart(new World()).run(10_000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.orders.get(LEFT.clientOrderId)?.state).toBe('not-sent');
    expect(world.places()).toEqual([]);
  });

  it('an unresolved order counts against the limits and keeps the session from trading', () => {
    const world = new World();
    world.venue.script.read = ({ target }) => (target.what === 'orders' && target.status === 'any' ? 'fail' : 'do');
    restart(world).run(5000);
    expect(world.engine.session.phase).toBe('clearing');
    expect(world.engine.state.orders.openIn(M0).map(({ qty }) => qty)).toEqual([contracts(10)]);
  });

  it('an order that nothing can settle raises an alarm at its deadline, and trading begins in other markets', () => {
    const world = new World();
    world.venue.script.read = ({ target }) => (target.what === 'orders' && target.status === 'any' ? 'fail' : 'do');
    restart(world).run(40_000);
    expect(alarms(world)).toEqual(['unknown-too-long']);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.session.orders.blockingDenial(M0)).not.toBeNull();
    expect(world.engine.state.orders.openCount).toBe(1);
  });

  it('an order that arrives after it was given up is canceled', () => {
    const world = restart(new World()).run(10_000);
    world.venue.restOrder(arrived);
    world.run(5000);
    expect(world.venue.resting()).toEqual([]);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an order that appears after trading began without it causes no false alarm', () => {
    const world = new World();
    let isBlind = true;
    world.venue.script.answers = (_, truth) => (truth.kind === 'orders' && isBlind ? { ...truth, rows: [] } : truth);
    world.venue.script.read = ({ target }) =>
      target.what === 'orders' && target.status === 'any' && isBlind ? 'fail' : 'do';
    world.venue.script.reportsOrder = () => !isBlind;
    world.venue.restOrder(arrived);
    restart(world).run(40_000);
    expect(world.engine.session.phase).toBe('trading');
    isBlind = false;
    world.run(20_000);
    expect(world.venue.resting()).toEqual([]);
    world.stop();
    expect(world.noticesOf('cash-drift')).toEqual([]);
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('an unexpected order', () => {
  const found = (unexpected: 'adopt' | 'refuse' | 'cancel'): World => {
    const world = new World({
      strategies: [aStrategy(once([buy({ price: cents(41) })]))],
      engine: policy({ unexpected })!,
    });
    world.venue.foreignOrder(M0, 'buy', cents(30));
    return world.startTrading().run(1000);
  };

  it('an unexpected order is canceled by default', () => {
    const world = found('cancel');
    expect(world.venue.resting()).toEqual([]);
  });

  it('an adopted order is left alone, counts, and still rests after the stop', () => {
    const world = found('adopt');
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.orders.openIn(M0).map(({ strategy, qty }) => [strategy, qty])).toEqual([
      ['adopted', 500],
    ]);
    print(world);
    world.run(100);
    expect(world.venue.resting()).toHaveLength(2);
    world.run(10_000).stop();
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.venue.resting().map(({ report }) => report.price)).toEqual([cents(30)]);
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(world.noticesOf('cash-drift')).toEqual([]);
  });

  it('an adopted order that trades is counted once, and its remainder still counts', () => {
    const world = found('adopt');
    const [order] = world.venue.resting();
    world.venue.tradeOrder(order!, 200);
    world.run(20_000);
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
    expect(world.engine.state.orders.openIn(M0).map(({ qty, filledQty }) => qty - filledQty)).toEqual([300]);
    world.venue.tradeOrder(order!, 300);
    world.run(20_000);
    expect(world.engine.state.orders.openCount).toBe(0);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an unexpected order halts the account under `refuse`, and the reason names it', () => {
    const world = found('refuse');
    expect(world.venue.resting()).toHaveLength(1);
    expect(world.noticesOf('halt')[0]?.halt).toMatchObject({ scope: { type: 'account' } });
    expect(world.noticesOf('halt')[0]?.halt.reason).toContain('v-1, buy 5 of M-0 at 30¢');
    print(world);
    world.run(100);
    expect(world.places()).toEqual([]);
  });

  it('an adopted order is canceled when the operator cancels everything', () => {
    const world = found('adopt');
    const order = { type: 'cancel-all', scope: { type: 'account' }, reason: 'test' } as const;
    world.step({ kind: 'operator', at: world.now, order });
    world.run(1000);
    expect(world.venue.resting()).toEqual([]);
  });
});

describe('a stop before the resting orders are known', () => {
  it('a stop waits for the list, and cancels what it shows', () => {
    const world = new World();
    world.venue.foreignOrder(M0, 'buy', cents(30));
    world.venue.answerDelay = 400_000;
    world.start();
    while (world.engine.session.phase !== 'clearing') world.run(100);
    world.step({ kind: 'stop', at: world.now, reason: 'early' });
    expect(world.engine.session.phase).toBe('stopping');
    world.run(5000);
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.venue.resting()).toEqual([]);
  });

  it('a stop ends and says so when the venue refuses the list', () => {
    const world = new World();
    world.venue.script.read = ({ target }) => (target.what === 'orders' ? 'refuse' : 'do');
    world.start();
    while (world.engine.session.phase !== 'clearing') world.run(1);
    world.step({ kind: 'stop', at: world.now, reason: 'early' });
    world.run(20_000);
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.engine.session.hasReadOrders).toBe(false);
    expect(world.noticesOf('phase').at(-1)?.why).toContain('could not be read');
  });
});
