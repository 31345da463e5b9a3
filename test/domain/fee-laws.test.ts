// Laws of the fees of whole orders, checked against exact arithmetic on big integers.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { type Chargeable, type FeeSchedule, chargeFill, feeSchedule } from '../../src/domain/fee-schedule.ts';
import { type Money, NO_MONEY, PAYOUT, money, notional, price, qty } from '../../src/domain/units.ts';
import { ceilDiv, floorDiv } from '../support/reports/rational.ts';
import { runCount } from '../support/runner/property-runs.ts';

const CENT = 10_000n;

const schedules: fc.Arbitrary<FeeSchedule> = fc.record({
  takerRate: fc.constantFrom(0, 700),
  makerRate: fc.constantFrom(0, 175, 350),
  multiplierPercent: fc.constantFrom(0, 50, 100, 200),
  feeStep: fc.constantFrom(1, 100),
  balanceStep: fc.constantFrom(100, 10_000),
});

const fills: fc.Arbitrary<Omit<Chargeable, 'gathered'>> = fc
  .record({
    price: fc.integer({ min: 1, max: PAYOUT - 1 }).map(price),
    qty: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 10_000_000 })).map(qty),
    liquidity: fc.constantFrom('maker' as const, 'taker' as const),
    isPaid: fc.boolean(),
  })
  .map(({ isPaid, ...fill }) => ({ ...fill, cash: money(notional(fill.price, fill.qty) * (isPaid ? -1 : 1)) }));

const SCALE = 10n ** 10n;

/** A fee by the formula, unrounded, in 1e-10 of a millionth of a dollar. */
function exactFee(schedule: FeeSchedule, { price: at, qty: size, liquidity }: Omit<Chargeable, 'gathered'>): bigint {
  const rate = BigInt(liquidity === 'taker' ? schedule.takerRate : schedule.makerRate);
  return BigInt(schedule.multiplierPercent) * rate * BigInt(size) * BigInt(at) * BigInt(PAYOUT - at);
}

interface Told {
  readonly fee: bigint;
  readonly gathered: bigint;
}

/** The rules as the venue writes them, step by step, in big integers. */
function oracle(schedule: FeeSchedule, fill: Omit<Chargeable, 'gathered'>, gatheredBefore: bigint): Told {
  const feeStep = BigInt(schedule.feeStep);
  const balanceStep = BigInt(schedule.balanceStep);
  const tradeFee = ceilDiv(exactFee(schedule, fill), SCALE * feeStep) * feeStep;
  const change = BigInt(fill.cash) - tradeFee;
  const rounding = change - floorDiv(change, balanceStep) * balanceStep;
  let gathered = gatheredBefore + rounding;
  let fee = tradeFee + rounding;
  while (gathered > CENT && fee >= CENT) {
    gathered -= CENT;
    fee -= CENT;
  }
  return { fee, gathered };
}

function chargeAll(schedule: FeeSchedule, order: readonly Omit<Chargeable, 'gathered'>[]) {
  let gathered: Money = NO_MONEY;
  return order.map((fill) => {
    const charge = chargeFill(schedule, { ...fill, gathered });
    gathered = charge.gathered;
    return charge;
  });
}

describe('the fees of an order', () => {
  it('fees equal the venue’s rules in exact arithmetic, fill by fill', () => {
    fc.assert(
      fc.property(schedules, fc.array(fills, { maxLength: 60 }), (schedule, order) => {
        let gathered = 0n;
        for (const [i, charge] of chargeAll(schedule, order).entries()) {
          const exact = oracle(schedule, must(order[i], 'fill'), gathered);
          gathered = exact.gathered;
          expect([BigInt(charge.fee), BigInt(charge.gathered)]).toEqual([exact.fee, exact.gathered]);
        }
      }),
      { numRuns: runCount(200) },
    );
  });

  it('fees are never negative, whatever rounding has accumulated', () => {
    fc.assert(
      fc.property(schedules, fills, fc.integer({ min: 0, max: 50_000 }), (schedule, fill, gathered) => {
        expect(chargeFill(schedule, { ...fill, gathered: money(gathered) }).fee).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runCount(500) },
    );
  });

  it('a rebate above a fill’s charge waits for a fill that is charged as much', () => {
    const direct = feeSchedule('quadratic');
    const small = { price: price(100), qty: qty(100), liquidity: 'taker', cash: money(-10_000) } as const;
    const large = { ...small, qty: qty(10_001), cash: money(-1_000_100) };
    const kept = chargeFill(direct, { ...small, gathered: money(9_999) });
    expect(kept).toEqual({ fee: 700, gathered: 10_006 });
    expect(chargeFill(direct, { ...large, gathered: kept.gathered })).toEqual({ fee: 59_400, gathered: 99 });
  });

  it('every fee leaves the balance on its step', () => {
    fc.assert(
      fc.property(schedules, fc.array(fills, { maxLength: 20 }), (schedule, order) => {
        for (const [i, { fee }] of chargeAll(schedule, order).entries())
          expect(Math.abs((must(order[i], 'fill').cash - fee) % schedule.balanceStep)).toBe(0);
      }),
    );
  });

  it('fees are zero where the multiplier is zero and every balance is on its step', () => {
    const fill = { price: price(4200), qty: qty(300), liquidity: 'taker', cash: money(-1_260_000) } as const;
    expect(chargeFill(feeSchedule('quadratic', 0), { ...fill, gathered: NO_MONEY }).fee).toBe(0);
    expect(chargeFill(feeSchedule('free'), { ...fill, gathered: NO_MONEY }).fee).toBe(0);
  });

  it('a fill of zero quantity is refused', () => {
    const fill = { price: price(4200), qty: qty(0), liquidity: 'taker', cash: NO_MONEY, gathered: NO_MONEY } as const;
    expect(() => chargeFill(feeSchedule('quadratic'), fill)).toThrow('cannot charge a fill of qty 0');
  });

  it('the fees of an order are at least the formula’s, and exceed it by at most steps and unreturned rounding', () => {
    fc.assert(
      fc.property(schedules, fc.array(fills, { minLength: 1, maxLength: 40 }), (schedule, order) => {
        const charges = chargeAll(schedule, order);
        const paid = charges.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
        const unreturned = BigInt(must(charges.at(-1), 'charge').gathered);
        // In 1e-10 of a millionth: the formula before any rounding.
        const exact = order.reduce((sum, fill) => sum + exactFee(schedule, fill), 0n);
        const steps = BigInt(order.length * schedule.feeStep);
        expect(paid * SCALE >= exact).toBe(true);
        expect(paid * SCALE <= exact + (steps + unreturned) * SCALE).toBe(true);
      }),
      { numRuns: runCount(300) },
    );
  });

  it('splitting the same contracts differently changes the fees by at most the steps of the pieces', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(schedules, fills, pieces, (schedule, fill, sizes) => {
        const paidFor = (...cut: readonly number[]): number => {
          const order = cut.map((size) => ({ ...fill, qty: qty(size), cash: money(-notional(fill.price, qty(size))) }));
          return chargeAll(schedule, order).reduce((sum, { fee }) => sum + fee, 0);
        };
        const step = schedule.feeStep + schedule.balanceStep;
        const more = paidFor(...sizes) - paidFor(sizes.reduce((sum, size) => sum + size, 0));
        expect(more).toBeGreaterThanOrEqual(-step);
        expect(more).toBeLessThanOrEqual(sizes.length * step);
      }),
      { numRuns: runCount(300) },
    );
  });
});
