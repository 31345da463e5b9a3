// The exchange's matching against the plain engine, over random orders, cancels, amends and decreases.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import type { StepResult } from '../../../src/exchange/machine/exchange-output.ts';
import { CENT_PRICES, type Step, WHOLE, anyChange, anyPlace, opOf } from '../exchange-arbitraries.ts';
import { ExchangeHarness } from '../exchange-harness.ts';
import { PlainBook, type PlainFill } from './plain-matching.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anyPlace({ prices: CENT_PRICES, reduceOnly: false, allIn: false, qtyMax: 6, unit: WHOLE }) },
  { weight: 1, arbitrary: anyChange(CENT_PRICES, 8, WHOLE) },
);

/** The maker fills of a step, as the plain engine would list them. */
const fillsOf = (result: StepResult): PlainFill[] =>
  result.facts.flatMap((fact) =>
    fact.type === 'fill' && fact.fill.liquidity === 'maker'
      ? [{ maker: fact.fill.orderId, price: fact.fill.price, qty: fact.fill.qty }]
      : [],
  );

/** The same operation on the plain engine; `null` when it refuses. */
function mirror(plain: PlainBook, op: Op, result: StepResult): PlainFill[] | null {
  const { answer } = result;
  if (op.type === 'place') {
    const { side, price, qty: leaves, postOnly, selfTrade, timeInForce } = op.order;
    const id = answer.type === 'order' ? answer.order.orderId : '';
    return plain.place({ id, account: op.account, side, price, leaves, postOnly, selfTrade }, timeInForce);
  }
  if (op.type === 'amend') return plain.amend(op.amendment.orderId, op.amendment.price, op.amendment.qty);
  if (op.type === 'cancel') plain.cancel(op.orderId);
  if (op.type === 'decrease' && 'reduceBy' in op.by) plain.decrease(op.orderId, op.by.reduceBy);
  return [];
}

describe('matching', () => {
  it('agrees with a plain matching engine, fill by fill and queue by queue', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 60, size: 'max' }), (steps) => {
        const harness = new ExchangeHarness({ cash: 1_000_000 });
        const plain = new PlainBook();
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op === null) continue;
          const result = harness.step(op);
          const fills = mirror(plain, op, result);
          expect(result.answer.type === 'refused').toBe(fills === null);
          expect(fillsOf(result)).toEqual(fills ?? []);
          for (const side of ['buy', 'sell'] as const) expect(queue(harness, side)).toEqual(plainQueue(plain, side));
        }
        harness.exchange.audit();
      }),
      { numRuns: runCount(200) },
    );
  });

  it('publishes deltas that add up to the book', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 60, size: 'max' }), (steps) => {
        const harness = new ExchangeHarness({ cash: 1_000_000 });
        const levels = new Map<string, number>();
        for (const step of steps) {
          const op = opOf(harness, step);
          if (op === null) continue;
          for (const fact of harness.step(op).facts) {
            if (fact.type !== 'book-delta') continue;
            const key = `${fact.side} ${fact.price}`;
            levels.set(key, (levels.get(key) ?? 0) + fact.change);
            expect(levels.get(key)).toBe(fact.total);
          }
        }
        const book = harness.exchange.book(ticker('A'));
        const published = [...levels].filter(([, total]) => total !== 0);
        const shown = [
          ...(book?.bids ?? []).map((level) => [`bid ${level.price}`, level.qty]),
          ...(book?.asks ?? []).map((level) => [`ask ${level.price}`, level.qty]),
        ];
        expect(new Map(published)).toEqual(new Map(shown as [string, number][]));
      }),
    );
  });
});

/** The queue of a side, with the quantity ahead of each order at its price. */
function queue(harness: ExchangeHarness, side: 'buy' | 'sell') {
  const orders = ['ann', 'bob', 'cat'].flatMap((account) =>
    harness.exchange
      .restingOrders(account)
      .filter((order) => order.side === side)
      .map((order) => ({
        id: order.orderId as string,
        price: order.price as number,
        leaves: order.leavesQty as number,
        ahead: harness.exchange.queueAhead(account, order.orderId) as number,
      })),
  );
  return orders.sort((a, b) => a.price - b.price || a.ahead - b.ahead);
}

function plainQueue(plain: PlainBook, side: 'buy' | 'sell') {
  const ahead = new Map<number, number>();
  const orders = plain.side(side).map(({ id, price, leaves }) => {
    const before = ahead.get(price) ?? 0;
    ahead.set(price, before + leaves);
    return { id, price, leaves, ahead: before };
  });
  return orders.sort((a, b) => a.price - b.price || a.ahead - b.ahead);
}
