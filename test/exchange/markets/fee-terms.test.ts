// A change of fee terms: new fills are charged by it, collateral of resting orders is recomputed, and it is published.
import { describe, expect, it } from 'vitest';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import { cents, contracts, money } from '../../../src/domain/units.ts';
import type { FeeTerms, Op } from '../../../src/exchange/machine/exchange-input.ts';
import { ExchangeHarness } from '../exchange-harness.ts';

const GROUP = eventTicker('RAIN-26');
const TENFOLD: FeeTerms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 1000 };
const setFees = (fees: FeeTerms | null): Op => ({ type: 'set-fees', eventTicker: GROUP, fees });

/** Taker fee of one contract at half a dollar. */
function feeOf(harness: ExchangeHarness): number {
  harness.placeOrder('bob', { side: 'sell', qty: contracts(1) });
  return harness.placeOrder('ann', { qty: contracts(1) }).takerFees;
}

describe('a change of the fee terms of an event group', () => {
  it('applies to fills from then on, until it is reverted', () => {
    const harness = new ExchangeHarness();
    const usual = feeOf(harness);
    harness.submit(setFees(TENFOLD));
    expect(feeOf(harness)).toBe(10 * usual);
    harness.submit(setFees({ feeType: 'free', feeMultiplierPercent: 100 }));
    expect(feeOf(harness)).toBe(0);
    harness.submit(setFees(null));
    expect(feeOf(harness)).toBe(usual);
    harness.exchange.audit();
  });

  it('recomputes the collateral of resting orders', () => {
    const harness = new ExchangeHarness();
    harness.placeOrder('ann', { qty: contracts(100) });
    const before = harness.exchange.balance('ann')?.reserved ?? money(0);
    harness.submit(setFees(TENFOLD));
    const after = harness.exchange.balance('ann')?.reserved ?? money(0);
    // 100 contracts at half a dollar: a maker pays 0.0175 · 0.25 · 100 in the plain schedule.
    expect(after - before).toBe(9 * 437_500);
    harness.submit(setFees(null));
    expect(harness.exchange.balance('ann')?.reserved).toBe(before);
    harness.exchange.audit();
  });

  it('cancels the newest of the orders that an account can no longer cover', () => {
    const harness = new ExchangeHarness({ cash: 100 });
    const first = harness.placeOrder('ann', { qty: contracts(98) });
    harness.at = harness.advance(1).at;
    const second = harness.placeOrder('ann', { price: cents(49), qty: contracts(90) });
    const facts = harness.facts(setFees(TENFOLD), 'order');
    expect(facts.map(({ order, reason }) => [order.orderId, reason])).toEqual([[second.orderId, 'HaltCancel']]);
    expect(harness.orderOf('ann', first.orderId)?.status).toBe('resting');
    harness.exchange.audit();
  });

  it('is published, and applies to markets listed later', () => {
    const harness = new ExchangeHarness();
    expect(harness.facts(setFees(TENFOLD), 'fees')).toMatchObject([{ eventTicker: GROUP, fees: TENFOLD }]);
    const [market] = harness.exchange.markets();
    if (market === undefined) throw new Error('no market is listed');
    harness.submit({ type: 'define-market', market: { ...market.definition, ticker: ticker('LATER') } });
    harness.advance(0);
    harness.placeOrder('bob', { ticker: ticker('LATER'), side: 'sell', qty: contracts(1) });
    const { takerFees } = harness.placeOrder('ann', { ticker: ticker('LATER'), qty: contracts(1) });
    harness.submit(setFees(null));
    expect(takerFees).toBe(10 * feeOf(harness));
  });

  it('is refused beyond its bounds, and for an unknown group', () => {
    const harness = new ExchangeHarness();
    expect(harness.codeOf(setFees({ feeType: 'quadratic', feeMultiplierPercent: 1001 }))).toBe('invalid_parameters');
    expect(harness.codeOf({ type: 'set-fees', eventTicker: eventTicker('NONE'), fees: null })).toBe(
      'invalid_parameters',
    );
  });
});
