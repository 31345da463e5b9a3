// A change of fee terms: new fills are charged by it, collateral of resting orders is recomputed, and it is published.
import { describe, expect, it } from 'vitest';
import { eventTicker, ticker } from '../../src/domain/ids.ts';
import { cents, contracts, money } from '../../src/domain/units.ts';
import type { FeeTerms, Op } from '../../src/exchange/input.ts';
import { Hall } from './hall.ts';

const GROUP = eventTicker('RAIN-26');
const TENFOLD: FeeTerms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 1000 };
const setFees = (fees: FeeTerms | null): Op => ({ type: 'set-fees', eventTicker: GROUP, fees });

/** Taker fee of one contract at half a dollar. */
function feeOf(hall: Hall): number {
  hall.place('bob', { side: 'sell', qty: contracts(1) });
  return hall.place('ann', { qty: contracts(1) }).takerFees;
}

describe('a change of the fee terms of an event group', () => {
  it('applies to fills from then on, until it is reverted', () => {
    const hall = new Hall();
    const usual = feeOf(hall);
    hall.ask(setFees(TENFOLD));
    expect(feeOf(hall)).toBe(10 * usual);
    hall.ask(setFees({ feeType: 'free', feeMultiplierPercent: 100 }));
    expect(feeOf(hall)).toBe(0);
    hall.ask(setFees(null));
    expect(feeOf(hall)).toBe(usual);
    hall.exchange.audit();
  });

  it('recomputes the collateral of resting orders', () => {
    const hall = new Hall();
    hall.place('ann', { qty: contracts(100) });
    const before = hall.exchange.balance('ann')?.reserved ?? money(0);
    hall.ask(setFees(TENFOLD));
    const after = hall.exchange.balance('ann')?.reserved ?? money(0);
    // 100 contracts at half a dollar: a maker pays 0.0175 · 0.25 · 100 in the plain schedule.
    expect(after - before).toBe(9 * 437_500);
    hall.ask(setFees(null));
    expect(hall.exchange.balance('ann')?.reserved).toBe(before);
    hall.exchange.audit();
  });

  it('cancels the newest of the orders that an account can no longer cover', () => {
    const hall = new Hall({ cash: 100 });
    const first = hall.place('ann', { qty: contracts(98) });
    hall.at = hall.wait(1).at;
    const second = hall.place('ann', { price: cents(49), qty: contracts(90) });
    const told = hall.facts(setFees(TENFOLD), 'order');
    expect(told.map(({ order, reason }) => [order.orderId, reason])).toEqual([[second.orderId, 'HaltCancel']]);
    expect(hall.orderOf('ann', first.orderId)?.status).toBe('resting');
    hall.exchange.audit();
  });

  it('is published, and applies to markets listed later', () => {
    const hall = new Hall();
    expect(hall.facts(setFees(TENFOLD), 'fees')).toMatchObject([{ eventTicker: GROUP, fees: TENFOLD }]);
    const [market] = hall.exchange.markets();
    if (market === undefined) throw new Error('no market is listed');
    hall.ask({ type: 'define-market', market: { ...market.definition, ticker: ticker('LATER') } });
    hall.wait(0);
    hall.place('bob', { ticker: ticker('LATER'), side: 'sell', qty: contracts(1) });
    const { takerFees } = hall.place('ann', { ticker: ticker('LATER'), qty: contracts(1) });
    hall.ask(setFees(null));
    expect(takerFees).toBe(10 * feeOf(hall));
  });

  it('is refused beyond its bounds, and for an unknown group', () => {
    const hall = new Hall();
    expect(hall.codeOf(setFees({ feeType: 'quadratic', feeMultiplierPercent: 1001 }))).toBe('invalid_parameters');
    expect(hall.codeOf({ type: 'set-fees', eventTicker: eventTicker('NONE'), fees: null })).toBe('invalid_parameters');
  });
});
