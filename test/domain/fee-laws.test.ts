// What holds of the fees of whole orders, against exact arithmetic on big integers and against recorded fills.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../src/domain/assert.ts';
import { type Chargeable, type FeeSchedule, FEE_RATES, chargeFill, feeSchedule } from '../../src/domain/fees.ts';
import {
  type Money,
  NO_MONEY,
  PAYOUT,
  PRICE_DECIMALS,
  QTY_DECIMALS,
  money,
  notional,
  parseScaled,
  price,
  qty,
} from '../../src/domain/units.ts';
import { ceilDiv, floorDiv } from '../support/rational.ts';

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

interface Told {
  readonly fee: bigint;
  readonly gathered: bigint;
}

/** The rules as the venue writes them, step by step, in big integers. */
function oracle(schedule: FeeSchedule, fill: Omit<Chargeable, 'gathered'>, gatheredBefore: bigint): Told {
  const rate = BigInt(fill.liquidity === 'taker' ? schedule.takerRate : schedule.makerRate);
  const model =
    BigInt(schedule.multiplierPercent) * rate * BigInt(fill.qty) * BigInt(fill.price) * BigInt(PAYOUT - fill.price);
  const feeStep = BigInt(schedule.feeStep);
  const balanceStep = BigInt(schedule.balanceStep);
  const tradeFee = ceilDiv(model, 10n ** 10n * feeStep) * feeStep;
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
  it('are what the venue’s rules give in exact arithmetic, fill by fill', () => {
    fc.assert(
      fc.property(schedules, fc.array(fills, { maxLength: 60 }), (schedule, order) => {
        let gathered = 0n;
        for (const [i, charge] of chargeAll(schedule, order).entries()) {
          const told = oracle(schedule, must(order[i], 'fill'), gathered);
          gathered = told.gathered;
          expect([BigInt(charge.fee), BigInt(charge.gathered)]).toEqual([told.fee, told.gathered]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are never negative, whatever has gathered', () => {
    fc.assert(
      fc.property(schedules, fills, fc.integer({ min: 0, max: 50_000 }), (schedule, fill, gathered) => {
        expect(chargeFill(schedule, { ...fill, gathered: money(gathered) }).fee).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });

  it('keep a rebate that is more than the fill is charged until a fill is charged as much', () => {
    const direct = feeSchedule('quadratic');
    const small = { price: price(100), qty: qty(100), liquidity: 'taker', cash: money(-10_000) } as const;
    const large = { ...small, qty: qty(10_001), cash: money(-1_000_100) };
    const kept = chargeFill(direct, { ...small, gathered: money(9_999) });
    expect(kept).toEqual({ fee: 700, gathered: 10_006 });
    expect(chargeFill(direct, { ...large, gathered: kept.gathered })).toEqual({ fee: 59_400, gathered: 99 });
  });

  it('leave every balance on its step', () => {
    fc.assert(
      fc.property(schedules, fc.array(fills, { maxLength: 20 }), (schedule, order) => {
        for (const [i, { fee }] of chargeAll(schedule, order).entries())
          expect(Math.abs((must(order[i], 'fill').cash - fee) % schedule.balanceStep)).toBe(0);
      }),
    );
  });

  it('are free where the multiplier is nothing and no balance is off its step', () => {
    const fill = { price: price(4200), qty: qty(300), liquidity: 'taker', cash: money(-1_260_000) } as const;
    expect(chargeFill(feeSchedule('quadratic', 0), { ...fill, gathered: NO_MONEY }).fee).toBe(0);
    expect(chargeFill(feeSchedule('free'), { ...fill, gathered: NO_MONEY }).fee).toBe(0);
  });

  it('are refused for a fill of nothing', () => {
    const fill = { price: price(4200), qty: qty(0), liquidity: 'taker', cash: NO_MONEY, gathered: NO_MONEY } as const;
    expect(() => chargeFill(feeSchedule('quadratic'), fill)).toThrow('cannot charge a fill of qty 0');
  });
});

const RECORDED = fileURLToPath(
  new URL('../../../shared/data/kalshi-fees-2026-08/fills_fee_sample.csv', import.meta.url),
);

interface RecordedFill {
  readonly qty: number;
  readonly noPrice: number;
  readonly fee: number;
  readonly isTaker: boolean;
}

function readRecorded(): RecordedFill[] {
  const scaled = (text: string | undefined, decimals: number): number =>
    must(parseScaled(must(text, 'cell'), decimals), `number ${text}`);
  const [, ...rows] = readFileSync(RECORDED, 'utf8').trim().split(/\r?\n/);
  return rows.map((row) => {
    const [, , count, noPrice, fee, isTaker] = row.split(',');
    return {
      qty: scaled(count, QTY_DECIMALS),
      noPrice: scaled(noPrice, PRICE_DECIMALS),
      fee: scaled(fee, 6),
      isTaker: isTaker === 'true',
    };
  });
}

describe('a recorded charge', () => {
  const isThere = existsSync(RECORDED);
  const name = 'of a combo market is what the schedule of its time gives, on all twenty fills';

  it.skipIf(!isThere)(isThere ? name : `${name} (skipped: the recordings are not beside the project)`, () => {
    const schedule: FeeSchedule = {
      ...FEE_RATES.quadratic_with_combo_maker_fees,
      multiplierPercent: 100,
      feeStep: 100,
      balanceStep: 100,
    };
    const recorded = readRecorded();
    expect(recorded.length).toBe(20);
    for (const row of recorded) {
      const charge = chargeFill(schedule, {
        // The fills bought NO: the curve is the same for both outcomes.
        price: price(PAYOUT - row.noPrice),
        qty: qty(row.qty),
        liquidity: row.isTaker ? 'taker' : 'maker',
        cash: money(-notional(price(row.noPrice), qty(row.qty))),
        gathered: NO_MONEY,
      });
      expect(charge.fee).toBe(row.fee);
    }
  });
});
