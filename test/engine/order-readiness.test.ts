// When orders may leave.
import { expect, it } from 'vitest';
import { OrderReadiness } from '../../src/engine/order-readiness.ts';
import type { Readiness } from '../../src/risk/rules/proposal.ts';

it('orders become ready once, at the moment at which session and feed both allow them', () => {
  let [phase, fault]: [Readiness, string | null] = [{ type: 'not-ready', reason: 'opening' }, 'the feed is down'];
  const readiness = new OrderReadiness({
    session: { readiness: () => phase },
    feedWatch: { blockingFault: () => fault },
  });
  expect(readiness.current()).toEqual({ type: 'not-ready', reason: 'opening' });
  expect(readiness.hasBecomeReady()).toBe(false);
  phase = { type: 'ready' };
  expect(readiness.current()).toEqual({ type: 'not-ready', reason: 'the feed is down' });
  expect(readiness.hasBecomeReady()).toBe(false);
  fault = null;
  expect([readiness.hasBecomeReady(), readiness.hasBecomeReady()]).toEqual([true, false]);
  fault = 'the clocks differ';
  expect(readiness.hasBecomeReady()).toBe(false);
  fault = null;
  expect(readiness.hasBecomeReady()).toBe(true);
});
