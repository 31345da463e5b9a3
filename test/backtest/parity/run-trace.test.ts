// The trace of a run: an order that an amend moves changes two levels, never before its request; halts have their end.
import { expect, it } from 'vitest';
import { RunTracer } from '../../../backtest/parity/run-trace.ts';
import type { OrderState } from '../../../src/domain/orders/order.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import { Orders } from '../../../src/state/account/orders.ts';
import { aQuote } from '../../support/engine/engine-harness.ts';
import { BEGIN, aHalt, aPlace, after, tickerTable } from '../../support/engine/builders.ts';

it('takes a moved order from its old level and adds it to its new one, from the time of the amend', () => {
  const tracer = new RunTracer(tickerTable(1));
  const orders = new Orders();
  const order = orders.addOrder(aPlace({ side: 'buy', price: cents(40), qty: contracts(5), createdAt: BEGIN }), '');
  const id = order.clientOrderId;
  const notice = (from: OrderState, at: number): void =>
    tracer.onNotice({ type: 'order', order, from, to: order.state, why: '' }, after(at));
  orders.applyChange(id, 'send', after(1));
  orders.applyChange(id, 'accept', after(2));
  notice('in-flight', 2);
  orders.recordAmend(id, { price: cents(42), qty: contracts(7) });
  orders.applyChange(id, 'request-amend', after(1000));
  notice('working', 1000);
  orders.applyTerms(id, { price: cents(42), qty: contracts(7) }, { at: after(1003), exchangeAt: null });
  orders.applyChange(id, 'amend', after(1003));
  notice('pending-amend', 1003);
  expect(tracer.runTrace().orders).toMatchObject([
    { price: cents(40), moves: [{ at: after(1003), price: cents(42), qty: contracts(7) }] },
  ]);
  const level = { ticker: 'M-0', isBid: true };
  expect(tracer.runTrace().changes).toEqual([
    { ...level, at: after(2), sentAt: BEGIN, price: cents(40), change: contracts(5) },
    { ...level, at: after(1003), sentAt: after(1000), price: cents(40), change: -contracts(5) },
    { ...level, at: after(1003), sentAt: after(1000), price: cents(42), change: contracts(7) },
  ]);
});

it('records a halt until its own scope is resumed', () => {
  const tracer = new RunTracer(tickerTable(1));
  const halt = aHalt();
  tracer.onNotice({ type: 'halt', halt, isCarried: true }, 10);
  tracer.onNotice({ type: 'resumed', scope: { type: 'account' }, reason: '', lifted: [] }, 20);
  expect(tracer.runTrace().halts).toEqual([{ halt, from: 10, to: Number.POSITIVE_INFINITY }]);
  tracer.onNotice({ type: 'resumed', scope: halt.scope, reason: '', lifted: [halt] }, 30);
  tracer.onNotice({ type: 'resumed', scope: halt.scope, reason: '', lifted: [] }, 40);
  expect(tracer.runTrace().halts).toEqual([{ halt, from: 10, to: 30 }]);
});

it('keeps the denials by rates alone: others may come with each change of a book', () => {
  const tracer = new RunTracer(tickerTable(1));
  const intent = aQuote();
  const denials = [
    { code: 'not-ready', reason: 'loading' },
    { code: 'order-rate-above-limit', of: 'account', orders: 51, ordersPerSecondMax: 50 },
    { code: 'message-rate-above-limit', of: 'account', messages: 9, messagesPerMinuteMax: 8 },
  ] as const;
  denials.forEach((denial, i) =>
    tracer.onNotice({ type: 'denied', strategy: strategyName('maker'), intent, denial }, i),
  );
  expect(tracer.runTrace().rateDenials.map(({ at }) => at)).toEqual([1, 2]);
});
