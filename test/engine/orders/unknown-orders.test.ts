// Orders in an unknown state: how they are resolved, what they block meanwhile, and what a session takes over from one
// that died.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { NOTHING_RESTORED, type UnresolvedOrder } from '../../../src/domain/operator-order.ts';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { M0, aPlace, tickerOf } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { EngineHarness, type EngineHarnessOptions, aStrategy } from '../../support/engine/engine-harness.ts';

const policy = (over: Partial<typeof CAREFUL_POLICY> = {}): EngineHarnessOptions['engine'] => ({
  policy: { ...CAREFUL_POLICY, ...over },
});

function asking(script: EngineHarness['venue']['script'], over: Partial<typeof CAREFUL_POLICY> = {}): EngineHarness {
  const harness = new EngineHarness({ strategies: [aStrategy(once([buy()]))], engine: policy(over)! }).startTrading();
  harness.venue.script = script;
  print(harness);
  return harness;
}
const stateOf = (harness: EngineHarness): string | undefined =>
  harness.engine.state.orders.get(harness.places()[0]!.clientOrderId)?.state;
const alarms = (harness: EngineHarness): string[] =>
  harness.noticesOf('alarm').flatMap(({ code }) => (code === 'unknown-too-long' ? [code] : []));

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

function restart(harness: EngineHarness, unresolved = [LEFT]): EngineHarness {
  harness.step({ kind: 'start', at: harness.now, session: 's', carried: { ...NOTHING_RESTORED, unresolved } });
  harness.venue.feedUp();
  return harness;
}

describe('an unknown order', () => {
  it('an unknown order that no list can settle raises one alarm and closes its market to new orders until it is settled', () => {
    const harness = asking({ place: () => 'vanish', read: ({ target }) => (target.what === 'orders' ? 'fail' : 'do') });
    harness.run(29_000);
    expect(alarms(harness)).toEqual([]);
    harness.run(20_000);
    expect(alarms(harness)).toEqual(['unknown-too-long']);
    expect(harness.engine.state.orders.openCount).toBe(1);
    harness.engine.step({ kind: 'timer', at: harness.now });
    expect(harness.engine.session.orders.blockingDenial(M0)).toMatchObject({
      code: 'market-unresolved',
      unknownMsMax: 30_000,
    });
    harness.venue.script = {};
    harness.run(15_000);
    expect(stateOf(harness)).toBe('not-sent');
    expect(harness.engine.session.orders.blockingDenial(M0)).toBeNull();
    expect(alarms(harness)).toEqual(['unknown-too-long']);
  });

  it('an unknown order denies new orders in its market, with the figures', () => {
    const again = aStrategy({ onPrint: () => [buy()] });
    const harness = new EngineHarness({ strategies: [again] }).startTrading();
    harness.venue.script = { place: () => 'vanish', read: ({ target }) => (target.what === 'orders' ? 'fail' : 'do') };
    print(harness);
    harness.run(40_000);
    print(harness);
    harness.run(10);
    expect(harness.places()).toHaveLength(1);
    expect(harness.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'market-unresolved' });
  });

  it('an order whose answer never arrives becomes unknown', () => {
    const harness = asking({ place: () => 'vanish' });
    harness.run(0.7);
    expect(stateOf(harness)).toBe('in-flight');
    // Not even the loss of the answer is reported.
    while (harness.venue.takeNext() !== undefined);
    harness.run(20_000);
    expect(stateOf(harness)).toBe('in-flight');
    harness.run(15_000);
    expect(harness.noticesOf('order').map(({ to, why }) => `${to}: ${why}`)).toContain('unknown: no answer came');
    expect(stateOf(harness)).toBe('not-sent');
    expect(harness.places()).toHaveLength(1);
  });

  it('an order whose id the venue says is taken is never given up because no list shows it', () => {
    const harness = asking({ place: () => 'vanish' });
    harness.run(2);
    const { clientOrderId: id } = harness.places()[0]!;
    harness.step({ kind: 'order-unknown', at: harness.now, clientOrderId: id, reason: '409 taken', isTaken: true });
    harness.run(60_000);
    expect(stateOf(harness)).toBe('unknown');
    expect(alarms(harness)).toEqual(['unknown-too-long']);
  });

  it('an unknown order is not sent again unless the venue refuses known ids and the config allows it', () => {
    const harness = asking({ place: () => 'vanish' });
    harness.run(10_000);
    expect(harness.places()).toHaveLength(1);
  });

  it('an unknown order may be sent once more, exactly the same, when a complete list does not show it', () => {
    let count = 0;
    const harness = asking({ place: () => ((count += 1) === 1 ? 'vanish' : 'accept') }, { canResend: true });
    harness.run(10_000);
    const [first, second, ...more] = harness.places();
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
    expect(stateOf(harness)).toBe('working');
    expect(harness.venue.countOf(first!.clientOrderId)).toBe(1);
  });

  it('the refusal of its id proves that an unseen order arrived, and it never becomes two', () => {
    let hidden = true;
    const harness = asking(
      {
        place: () => 'lose',
        reportsOrder: () => false,
        answers: (_, truth) => (truth.kind === 'orders' && hidden ? { ...truth, rows: [] } : truth),
      },
      { canResend: true },
    );
    harness.run(12_000);
    expect(harness.places()).toHaveLength(2);
    expect(stateOf(harness)).toBe('unknown');
    expect(harness.venue.countOf(harness.places()[0]!.clientOrderId)).toBe(1);
    hidden = false;
    harness.run(3000);
    expect(stateOf(harness)).toBe('working');
  });

  it('an unknown order is not sent again once it is unwanted', () => {
    const harness = asking({ place: () => 'vanish' }, { canResend: true });
    harness.run(10);
    harness.stop();
    expect(harness.places()).toHaveLength(1);
    expect(harness.engine.session.phase).toBe('stopped');
  });
});

describe('lists of the past', () => {
  it('lists of the past are requested from a time by the venue’s clock, however far ahead ours is', () => {
    const harness = asking({ place: () => 'vanish' });
    const { now: at } = harness;
    // Our clock is nine seconds ahead: what the venue dates one second ago was sent eight seconds from now by ours.
    const ahead = 9_000_000;
    harness.step({ kind: 'answered', at, commandId: 0, ok: true, clockOffset: ahead, askedAt: at });
    const before = harness.sent.length;
    harness.run(4000);
    const sinceOf = (what: 'orders' | 'fills'): number[] =>
      harness.sent.slice(before).flatMap(({ command }) => {
        if (command.type !== 'read' || command.target.what !== what || !('since' in command.target)) return [];
        return command.target.since === null ? [] : [command.target.since];
      });
    const lookback = 10_000_000;
    const [orders, fills] = [sinceOf('orders'), sinceOf('fills')];
    expect(orders.length).toBeGreaterThan(0);
    expect(fills.length).toBeGreaterThan(0);
    expect(Math.max(...orders)).toBeLessThanOrEqual(harness.places()[0]!.createdAt - ahead - lookback);
    expect(Math.max(...fills)).toBeLessThanOrEqual(harness.now - ahead - lookback);
  });
});

describe('orders of an earlier session', () => {
  it('a resting order of an earlier session is canceled before anything is traded, and the opening figures include its fills', () => {
    const harness = new EngineHarness({ strategies: [aStrategy({})] });
    harness.venue.restOrder(arrived);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    restart(harness).run(10_000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.commands('cancel').map((command) => command.clientOrderId)).toEqual([LEFT.clientOrderId]);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(300);
    harness.run(10_000).stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an order that traded just before keeps the account closed until no figure can be older, whatever our clock shows', () => {
    const ahead = 9_000_000;
    const harness = new EngineHarness();
    harness.venue.restOrder(arrived);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 1000);
    harness.venue.script.answers = (_, truth) => {
      if (truth.kind !== 'fills') return truth;
      return { ...truth, rows: truth.rows.map((row) => ({ ...row, exchangeAt: micros(row.exchangeAt! - ahead) })) };
    };
    const { now: at } = harness;
    harness.step({ kind: 'answered', at, commandId: 0, ok: true, clockOffset: ahead, askedAt: at });
    restart(harness, []).run(1900);
    expect(harness.engine.session.phase).toBe('loading');
    harness.run(3000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(10));
  });

  it('an order that never arrived is given up by a complete list, and trading begins', () => {
    const harness = restart(new EngineHarness()).run(10_000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.orders.get(LEFT.clientOrderId)?.state).toBe('not-sent');
    expect(harness.places()).toEqual([]);
  });

  it('an unresolved order counts against the limits and keeps the session from trading', () => {
    const harness = new EngineHarness();
    harness.venue.script.read = ({ target }) => (target.what === 'orders' && target.status === 'any' ? 'fail' : 'do');
    restart(harness).run(5000);
    expect(harness.engine.session.phase).toBe('clearing');
    expect(harness.engine.state.orders.openIn(M0).map(({ qty }) => qty)).toEqual([contracts(10)]);
  });

  it('an order that nothing can settle raises an alarm at its deadline, and trading begins in other markets', () => {
    const harness = new EngineHarness();
    harness.venue.script.read = ({ target }) => (target.what === 'orders' && target.status === 'any' ? 'fail' : 'do');
    restart(harness).run(40_000);
    expect(alarms(harness)).toEqual(['unknown-too-long']);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.session.orders.blockingDenial(M0)).not.toBeNull();
    expect(harness.engine.state.orders.openCount).toBe(1);
  });

  it('an order that arrives after it was given up is canceled', () => {
    const harness = restart(new EngineHarness()).run(10_000);
    harness.venue.restOrder(arrived);
    harness.run(5000);
    expect(harness.venue.resting()).toEqual([]);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an order that appears after trading began without it causes no false alarm', () => {
    const harness = new EngineHarness();
    let isBlind = true;
    harness.venue.script.answers = (_, truth) => (truth.kind === 'orders' && isBlind ? { ...truth, rows: [] } : truth);
    harness.venue.script.read = ({ target }) =>
      target.what === 'orders' && target.status === 'any' && isBlind ? 'fail' : 'do';
    harness.venue.script.reportsOrder = () => !isBlind;
    harness.venue.restOrder(arrived);
    restart(harness).run(40_000);
    expect(harness.engine.session.phase).toBe('trading');
    isBlind = false;
    harness.run(20_000);
    expect(harness.venue.resting()).toEqual([]);
    harness.stop();
    expect(harness.noticesOf('cash-drift')).toEqual([]);
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });
});

describe('an unexpected order', () => {
  const found = (unexpected: 'adopt' | 'refuse' | 'cancel'): EngineHarness => {
    const harness = new EngineHarness({
      strategies: [aStrategy(once([buy({ price: cents(41) })]))],
      engine: policy({ unexpected })!,
    });
    harness.venue.foreignOrder(M0, 'buy', cents(30));
    return harness.startTrading().run(1000);
  };

  it('an unexpected order is canceled by default', () => {
    const harness = found('cancel');
    expect(harness.venue.resting()).toEqual([]);
  });

  it('an adopted order is left alone, counts, and still rests after the stop', () => {
    const harness = found('adopt');
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.orders.openIn(M0).map(({ strategy, qty }) => [strategy, qty])).toEqual([
      ['adopted', 500],
    ]);
    print(harness);
    harness.run(100);
    expect(harness.venue.resting()).toHaveLength(2);
    harness.run(10_000).stop();
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.venue.resting().map(({ report }) => report.price)).toEqual([cents(30)]);
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(harness.noticesOf('cash-drift')).toEqual([]);
  });

  it('an adopted order that trades is counted once, and its remainder still counts', () => {
    const harness = found('adopt');
    const [order] = harness.venue.resting();
    harness.venue.tradeOrder(order!, 200);
    harness.run(20_000);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(harness.engine.state.orders.openIn(M0).map(({ qty, filledQty }) => qty - filledQty)).toEqual([300]);
    harness.venue.tradeOrder(order!, 300);
    harness.run(20_000);
    expect(harness.engine.state.orders.openCount).toBe(0);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an unexpected order halts the account under `refuse`, and the reason names it', () => {
    const harness = found('refuse');
    expect(harness.venue.resting()).toHaveLength(1);
    expect(harness.noticesOf('halt')[0]?.halt).toMatchObject({ scope: { type: 'account' } });
    expect(harness.noticesOf('halt')[0]?.halt.reason).toContain('v-1, buy 5 of M-0 at 30¢');
    print(harness);
    harness.run(100);
    expect(harness.places()).toEqual([]);
  });

  it('an adopted order is canceled when the operator cancels everything', () => {
    const harness = found('adopt');
    const order = { type: 'cancel-all', scope: { type: 'account' }, reason: 'test' } as const;
    harness.step({ kind: 'operator', at: harness.now, order });
    harness.run(1000);
    expect(harness.venue.resting()).toEqual([]);
  });
});

describe('a stop before the resting orders are known', () => {
  it('a stop waits for the list, and cancels what it shows', () => {
    const harness = new EngineHarness();
    harness.venue.foreignOrder(M0, 'buy', cents(30));
    harness.venue.answerDelay = 400_000;
    harness.start();
    while (harness.engine.session.phase !== 'clearing') harness.run(100);
    harness.step({ kind: 'stop', at: harness.now, reason: 'early' });
    expect(harness.engine.session.phase).toBe('stopping');
    harness.run(5000);
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.venue.resting()).toEqual([]);
  });

  it('a stop ends and says so when the venue refuses the list', () => {
    const harness = new EngineHarness();
    harness.venue.script.read = ({ target }) => (target.what === 'orders' ? 'refuse' : 'do');
    harness.start();
    while (harness.engine.session.phase !== 'clearing') harness.run(1);
    harness.step({ kind: 'stop', at: harness.now, reason: 'early' });
    harness.run(20_000);
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.engine.session.hasReadOrders).toBe(false);
    expect(harness.noticesOf('phase').at(-1)?.why).toContain('could not be read');
  });
});
