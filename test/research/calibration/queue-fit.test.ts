// The choice of the queue model, on orders whose fate under each model is given.
import { describe, expect, it } from 'vitest';
import type { RestingSpell } from '../../../src/research/calibration/calibration-facts.ts';
import type { ProbedOrder, ProbedSession } from '../../../src/research/calibration/order-probe.ts';
import {
  type QueueCandidate,
  FILLED_MIN,
  ORDERS_MIN,
  fitQueue,
  tooFewOrders,
} from '../../../src/research/calibration/queue-fit.ts';

const QTY = 100;
const ORDERS = 20;
const MODELS: readonly QueueCandidate[] = [
  { queue: { model: 'pessimistic' }, printWindow: null, fillWhenCrossed: true },
  { queue: { model: 'power', power: 0.5 }, printWindow: null, fillWhenCrossed: true },
  { queue: { model: 'power', power: 1 }, printWindow: null, fillWhenCrossed: true },
];

const filling = (at: number, isFilled: boolean): ProbedOrder['fills'] => (isFilled ? [{ at: at + 5, qty: QTY }] : []);

/** A canceled order. Every other one fills in the session. */
const spell = (n: number, positions: RestingSpell['positions'] = []): RestingSpell => ({
  orderId: `o-${n}`,
  ticker: 'A',
  side: 'buy',
  price: 4000,
  qty: QTY,
  arrivedAt: 1000 * n,
  endedAt: 1000 * n + 10,
  endedBy: 'canceled',
  fills: filling(1000 * n, n % 2 === 0),
  cuts: [],
  positions,
});

/** Orders of a session. Each model says which of them fill. */
function sessionOf(fillsBy: readonly ((n: number) => boolean)[], ahead: readonly number[] = []): ProbedSession {
  const numbers = Array.from({ length: ORDERS * (ahead.length > 0 ? 20 : 1) }, (_, n) => n);
  const positions = ahead.length > 0 ? [{ at: 1, ahead: 0 }] : [];
  return {
    spells: numbers.map((n) => spell(n, positions)),
    byModel: fillsBy.map((isFilled, model) =>
      numbers.map((n) => ({
        fills: filling(1000 * n, isFilled(n)),
        ahead: ahead.length > 0 ? [ahead[model] ?? 0] : [],
      })),
    ),
    leftOut: 0,
  };
}

const chosenOf = (session: ProbedSession) => fitQueue([session], MODELS, () => 1);

const none = (): boolean => false;
/** As many orders as in the session, and never the same ones. */
const others = (n: number): boolean => n % 2 === 1;
/** The orders of the session, and a few more. */
const nearly = (n: number): boolean => n % 2 === 0 || n % 9 === 0;

describe('the queue model', () => {
  it('is the one that fills the same orders, although another fills as large a share of all', () => {
    const { by, chosen, candidates } = chosenOf(sessionOf([none, others, nearly]));
    expect(by).toBe('fills');
    expect(chosen.queue).toEqual({ model: 'power', power: 1 });
    const [, second, third] = candidates.map(({ earlier }) => earlier);
    expect(second).toMatchObject({ modelRate: 0.5, liveRate: 0.5, fillError: 1 });
    expect(third?.modelRate).toBeGreaterThan(0.5);
    expect(third?.fillError).toBeLessThan(0.2);
  });

  it('is the default where no other describes the orders better', () => {
    expect(chosenOf(sessionOf([nearly, nearly, nearly])).chosen.queue).toEqual({ model: 'pessimistic' });
  });

  it('is the one closest to the venue’s positions where there are enough', () => {
    const { by, chosen } = chosenOf(sessionOf([none, others, nearly], [300, 100, 200]));
    expect(by).toBe('positions');
    expect(chosen.queue).toEqual({ model: 'power', power: 0.5 });
  });

  it('has the time to the first fill of the orders that filled, in part too, as the session has', () => {
    const part = (n: number): ProbedOrder => ({ fills: [{ at: 1000 * n + 7, qty: QTY / 10 }], ahead: [] });
    const numbers = Array.from({ length: ORDERS }, (_, n) => n);
    const spells = numbers.map((n) => ({ ...spell(n), fills: part(n).fills }));
    const { default: byDefault } = fitQueue(
      [{ spells, byModel: MODELS.map(() => numbers.map(part)), leftOut: 0 }],
      MODELS,
      () => 1,
    );
    expect(byDefault.later).toMatchObject({ liveTimeToFill: 7, modelTimeToFill: 7 });
  });

  it('has no time to fill of an order that was canceled before', () => {
    const late = (n: number): ProbedOrder => ({ fills: [{ at: 1000 * n + 50, qty: QTY }], ahead: [] });
    const numbers = Array.from({ length: ORDERS }, (_, n) => n);
    const probed = { spells: numbers.map((n) => spell(n)), byModel: MODELS.map(() => numbers.map(late)), leftOut: 0 };
    expect(fitQueue([probed], MODELS, () => 1).default.later.modelTimeToFill).toBeNull();
  });
});

describe('orders', () => {
  it.each([
    [0, 0, 'expected at least 200 orders that could be placed again, found 0'],
    [ORDERS_MIN - 1, ORDERS_MIN - 1, 'expected at least 200 orders that could be placed again, found 199'],
    [ORDERS_MIN, FILLED_MIN - 1, 'expected at least 50 orders with a fill that could be placed again, found 49'],
    [ORDERS_MIN, FILLED_MIN, null],
  ])('%i in number, %i of them with a fill, are enough, or the counts say why not', (count, filled, refusal) => {
    const spells = Array.from({ length: count }, (_, n) => ({ ...spell(n), fills: filling(n, n < filled) }));
    expect(tooFewOrders(spells, 'that could be placed again')).toBe(refusal);
  });
});
