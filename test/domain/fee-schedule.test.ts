// Fees against hand-worked examples, a recorded charge, and rational arithmetic.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Chargeable,
  FEE_RATES,
  type FeeType,
  chargeFill,
  feeSchedule,
  modelFee,
} from '../../src/domain/fee-schedule.ts';
import { cents, contracts, money, price, qty } from '../../src/domain/units.ts';
import { runCount } from '../support/runner/property-runs.ts';

const direct = feeSchedule('quadratic');

describe('modelFee', () => {
  it.each([
    // price in 1e-4 dollars, qty in 1e-2 contracts, fee in 1e-6 dollars: worked by hand from 0.07 · C · P · (1 − P)
    { price: 5200, qty: 100, fee: 17_472 },
    { price: 550, qty: 100, fee: 3_639 },
    { price: 5000, qty: 100, fee: 17_500 },
    { price: 100, qty: 10_000, fee: 69_300 },
    { price: 9900, qty: 1, fee: 7 },
  ])('modelFee charges a taker $fee millionths for $qty at $price', (row) => {
    const fill = { price: price(row.price), qty: qty(row.qty), liquidity: 'taker' } as const;
    expect(modelFee(direct, fill)).toBe(row.fee);
  });

  it('modelFee charges a maker a quarter of the taker fee where makers pay', () => {
    const fill = { price: cents(50), qty: contracts(100), liquidity: 'maker' } as const;
    expect(modelFee(direct, fill)).toBe(0);
    expect(modelFee(feeSchedule('quadratic_with_maker_fees'), fill)).toBe(437_500);
  });

  it('modelFee equals the formula in rational arithmetic, rounded up to the step', () => {
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

  it('chargeFill rounds the balance down to a hundredth of a cent, as the venue does', () => {
    expect(chargeFill(direct, fill)).toEqual({ fee: 17_500, gathered: 28 });
    const cheap = { ...fill, price: price(550), cash: money(-55_000) };
    expect(chargeFill(direct, cheap).fee).toBe(3_700);
  });

  it('chargeFill rounds the balance of an indirectly clearing account down to a cent', () => {
    const indirect = { ...direct, balanceStep: 10_000 };
    const cheap = { ...fill, price: price(550), cash: money(-55_000) };
    expect(chargeFill(indirect, cheap).fee).toBe(5_000);
  });

  it('chargeFill gives a cent back once more than a cent of rounding has accumulated', () => {
    expect(chargeFill(direct, { ...fill, gathered: money(9_973) })).toEqual({ fee: 7_500, gathered: 1 });
    expect(chargeFill(direct, { ...fill, gathered: money(9_972) })).toEqual({ fee: 17_500, gathered: 10_000 });
  });

  it('chargeFill equals rational arithmetic over the fills of an order, for every rounding', () => {
    fc.assert(
      fc.property(anOrder, ({ type, percent, feeStep, balanceStep, fills }) => {
        const schedule = { ...feeSchedule(type, percent), feeStep, balanceStep };
        const rational = new RationalOrder(schedule);
        let gathered = money(0);
        let [charged, due] = [0, 0];
        for (const { at, size, liquidity, isBuy } of fills) {
          const cash = money(isBuy ? -at * size : at * size);
          const one = { price: price(at), qty: qty(size), liquidity };
          const charge = chargeFill(schedule, { ...one, cash, gathered });
          expect(charge).toEqual(rational.charge({ at, size, liquidity, cash }));
          expect(charge.fee).toBeGreaterThanOrEqual(0);
          expect(Math.abs(cash - charge.fee) % balanceStep).toBe(0);
          ({ gathered } = charge);
          charged += charge.fee;
          due += modelFee(schedule, one);
        }
        // Rounding is returned, not lost: the charge above the formula is what the order has still accumulated.
        expect(charged - due).toBe(gathered);
      }),
      { numRuns: runCount(500) },
    );
  });
});

const anOrder = fc.record({
  type: fc.constantFrom(...(Object.keys(FEE_RATES) as FeeType[])),
  percent: fc.integer({ min: 0, max: 1000 }),
  feeStep: fc.constantFrom(1, 100),
  balanceStep: fc.constantFrom(100, 10_000),
  fills: fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 9999 }),
      size: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 1e8 })),
      liquidity: fc.constantFrom('maker', 'taker'),
      isBuy: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  ),
});

/** The venue's rules again, step by step, in whole numbers of 1e-16 dollars, which represent every fee exactly. */
class RationalOrder {
  readonly #schedule: ReturnType<typeof feeSchedule>;
  #gathered = 0n;

  constructor(schedule: ReturnType<typeof feeSchedule>) {
    this.#schedule = schedule;
  }

  charge(fill: { at: number; size: number; liquidity: 'maker' | 'taker'; cash: number }) {
    const { takerRate, makerRate, multiplierPercent, feeStep, balanceStep } = this.#schedule;
    const rate = fill.liquidity === 'taker' ? takerRate : makerRate;
    const model =
      BigInt(multiplierPercent) * BigInt(rate) * BigInt(fill.at) * BigInt(10_000 - fill.at) * BigInt(fill.size);
    const fee = -floorTo(-model, BigInt(feeStep) * MILLIONTH);
    const change = BigInt(fill.cash) * MILLIONTH - fee;
    const rounding = change - floorTo(change, BigInt(balanceStep) * MILLIONTH);
    this.#gathered += rounding;
    let charged = fee + rounding;
    while (this.#gathered > CENT && charged >= CENT) {
      this.#gathered -= CENT;
      charged -= CENT;
    }
    return { fee: Number(charged / MILLIONTH), gathered: Number(this.#gathered / MILLIONTH) };
  }
}

const MILLIONTH = 10n ** 10n;
const CENT = 10n ** 14n;

/** The highest multiple of a step that is not above a value. */
function floorTo(value: bigint, step: bigint): bigint {
  const rest = value % step;
  return value - (rest < 0n ? rest + step : rest);
}
