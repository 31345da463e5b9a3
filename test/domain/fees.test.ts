// Fees against hand-worked examples, a recorded charge, and rational arithmetic.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chargeable, chargeFill, feeSchedule, modelFee } from '../../src/domain/fees.ts';
import { cents, contracts, money, price, qty } from '../../src/domain/units.ts';

const direct = feeSchedule('quadratic');

describe('modelFee', () => {
  it.each([
    // price in 1e-4 dollars, qty in 1e-2 contracts, fee in 1e-6 dollars: worked by hand from 0.07 · C · P · (1 − P)
    { price: 5200, qty: 100, fee: 17_472 },
    { price: 550, qty: 100, fee: 3_639 },
    { price: 5000, qty: 100, fee: 17_500 },
    { price: 100, qty: 10_000, fee: 69_300 },
    { price: 9900, qty: 1, fee: 7 },
  ])('charges a taker $fee millionths for $qty at $price', (row) => {
    const fill = { price: price(row.price), qty: qty(row.qty), liquidity: 'taker' } as const;
    expect(modelFee(direct, fill)).toBe(row.fee);
  });

  it('charges a maker a quarter of it where makers pay', () => {
    const fill = { price: cents(50), qty: contracts(100), liquidity: 'maker' } as const;
    expect(modelFee(direct, fill)).toBe(0);
    expect(modelFee(feeSchedule('quadratic_with_maker_fees'), fill)).toBe(437_500);
  });

  it('equals the formula in rational arithmetic, rounded up to the step', () => {
    const anyFill = fc.record({ at: fc.integer({ min: 1, max: 9999 }), size: fc.integer({ min: 1, max: 1e9 }) });
    fc.assert(
      fc.property(anyFill, fc.integer({ min: 0, max: 1000 }), ({ at, size }, percent) => {
        const schedule = feeSchedule('quadratic', percent);
        const numerator = BigInt(percent) * 700n * BigInt(at) * BigInt(10_000 - at) * BigInt(size);
        const exact = (numerator + 10n ** 10n - 1n) / 10n ** 10n;
        const fee = modelFee(schedule, { price: price(at), qty: qty(size), liquidity: 'taker' });
        expect(BigInt(fee)).toBe(exact);
      }),
    );
  });
});

describe('chargeFill', () => {
  const fill: Chargeable = {
    price: cents(52),
    qty: contracts(1),
    liquidity: 'taker',
    cash: money(-520_000),
    gathered: money(0),
  };

  it('floors the balance to a hundredth of a cent, as the venue was seen to do', () => {
    expect(chargeFill(direct, fill)).toEqual({ fee: 17_500, gathered: 28 });
    const cheap = { ...fill, price: price(550), cash: money(-55_000) };
    expect(chargeFill(direct, cheap).fee).toBe(3_700);
  });

  it('floors it to a cent for an account that does not clear directly', () => {
    const indirect = { ...direct, balanceStep: 10_000 };
    const cheap = { ...fill, price: price(550), cash: money(-55_000) };
    expect(chargeFill(indirect, cheap).fee).toBe(5_000);
  });

  it('gives a cent back once more than a cent of rounding has gathered', () => {
    expect(chargeFill(direct, { ...fill, gathered: money(9_973) })).toEqual({ fee: 7_500, gathered: 1 });
    expect(chargeFill(direct, { ...fill, gathered: money(9_972) })).toEqual({ fee: 17_500, gathered: 10_000 });
  });
});
