// Fills whose orders are learned later: an answer may come after the fills that it explains. Every limit must count such
// fills as it counts any others.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent, OrderAccepted } from '../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import { cents, contracts, dollars, qty } from '../../src/domain/units.ts';
import { MAKER, aFill, aPlace, after } from '../support/engine/builders.ts';
import { runCount } from '../support/runner/property-runs.ts';
import { GuardScene } from './guard-scene.ts';

const DELAY_MAX = 3;

/** An order that fills at once, and the number of later orders that fill before its answer arrives. */
const anOrder = fc.record({
  side: fc.constantFrom('buy', 'sell'),
  price: fc.integer({ min: 30, max: 70 }).map(cents),
  qty: fc.integer({ min: 1, max: 4 }).map(contracts),
  fee: fc.constantFrom(dollars(0), dollars(0.01)),
  delay: fc.nat(DELAY_MAX),
});
type FilledOrder = typeof anOrder extends fc.Arbitrary<infer Value> ? Value : never;

const FILLS = { fillsPerMinuteMax: 1000, contractsPerMinuteMax: contracts(100_000) };
/** Limits that no test reaches. */
const HIGH = {
  limits: { ...FILLS, lossStreakMax: 1000, dailyLossMax: dollars(1000), drawdownMax: dollars(1000) },
  own: FILLS,
};

function sendOrder({ state }: GuardScene, number: number, terms: Pick<FilledOrder, 'side' | 'price' | 'qty'>): void {
  const id = clientOrderId(`late-${number}`);
  state.orders.addOrder(aPlace({ clientOrderId: id, strategy: MAKER, ...terms }), '');
  state.orders.applyChange(id, 'send', state.now);
}

/** Reports the fill of an order that its venue order id alone names. */
function fillEvent(number: number, terms: Pick<FilledOrder, 'side' | 'price' | 'qty' | 'fee'>): EngineEvent {
  const ids = { tradeId: tradeId(`late-${number}`), venueOrderId: venueOrderId(`late-${number}`) };
  return { kind: 'fill', at: after(10), fill: aFill({ ...terms, ...ids, clientOrderId: null }) };
}

const answerTo = (number: number, filledQty: FilledOrder['qty']): OrderAccepted => ({
  kind: 'order-accepted',
  at: after(10),
  exchangeAt: null,
  clientOrderId: clientOrderId(`late-${number}`),
  venueOrderId: venueOrderId(`late-${number}`),
  filledQty,
  leavesQty: qty(0),
  isFinished: true,
});

/** Sends, answers and fills the orders one by one. */
function timelyScene(orders: readonly FilledOrder[]): GuardScene {
  const scene = new GuardScene(HIGH);
  for (const [number, order] of orders.entries()) {
    sendOrder(scene, number, order);
    scene.apply(answerTo(number, order.qty)).apply(fillEvent(number, order));
  }
  return scene;
}

/** Sends and fills the orders one by one. Each answer comes later than its fill. */
function lateScene(orders: readonly FilledOrder[]): GuardScene {
  const scene = new GuardScene(HIGH);
  const answerDue = (number: number): void => {
    for (const [earlier, { delay, qty: size }] of orders.entries())
      if (earlier + delay === number) scene.apply(answerTo(earlier, size));
  };
  for (const [number, order] of orders.entries()) {
    sendOrder(scene, number, order);
    scene.apply(fillEvent(number, order));
    answerDue(number);
  }
  for (let late = 0; late < DELAY_MAX; late++) answerDue(orders.length + late);
  return scene;
}

const COUNTED = new Set(['lossStreakMax', 'fillsPerMinuteMax', 'contractsPerMinuteMax']);

const countsOf = ({ guard }: GuardScene): string[] =>
  guard
    .limitUses()
    .flatMap(({ limit, strategy, used }) => (COUNTED.has(limit) ? [`${strategy ?? 'account'} ${limit}: ${used}`] : []));

describe('a fill whose order is learned later', () => {
  it('counts once in the limits of its market, and once in those of its strategy', () => {
    const scene = new GuardScene({ limits: { fillsPerMinuteMax: 2 }, own: { contractsPerMinuteMax: contracts(4) } });
    for (const number of [0, 1]) {
      const order = { side: 'buy', price: cents(40), qty: contracts(2), fee: dollars(0) } as const;
      sendOrder(scene, number, order);
      scene.apply(fillEvent(number, order)).apply(answerTo(number, order.qty));
    }
    expect(countsOf(scene)).toEqual(['account fillsPerMinuteMax: 2', 'maker contractsPerMinuteMax: 400']);
    expect(scene.halted).toEqual([]);
    scene.trade({ qty: qty(1) });
    expect(scene.halted.map(({ scope }) => scope.type)).toEqual(['market', 'strategy']);
  });

  it('is no losing close by its fee when it closed with a profit', () => {
    const scene = new GuardScene({ limits: { lossStreakMax: 0 } });
    scene.trade({ price: cents(45), qty: contracts(10) });
    const close = { side: 'sell', price: cents(55), qty: contracts(4), fee: dollars(0.01) } as const;
    sendOrder(scene, 0, close);
    scene.apply(fillEvent(0, close)).apply(answerTo(0, close.qty));
    expect(scene.halted).toEqual([]);
  });

  it('has its fee checked once its order is known', () => {
    const scene = new GuardScene({ feeType: 'quadratic' });
    const order = { side: 'buy', price: cents(40), qty: contracts(4), fee: dollars(0.5) } as const;
    sendOrder(scene, 0, order);
    scene.apply(fillEvent(0, order));
    expect(scene.alarms()).toEqual([]);
    scene.apply(answerTo(0, order.qty));
    expect(scene.alarms()).toEqual([expect.stringMatching(/^fee-unexpected: M-0: a fill of 4 /)]);
  });

  it('counts in every limit as if its order had been known', () => {
    fc.assert(
      fc.property(fc.array(anOrder, { maxLength: 10 }), (orders) => {
        expect(countsOf(lateScene(orders))).toEqual(countsOf(timelyScene(orders)));
      }),
      { numRuns: runCount(200) },
    );
  });
});
