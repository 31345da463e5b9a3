// What the real exchange charged, fill by fill: exact with the rounding of its day, which was another than today's.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { must } from '../../src/domain/assert.ts';
import { type FeeRounding, chargeFill, feeSchedule, roundingAt } from '../../src/domain/fees.ts';
import {
  type Micros,
  NO_MONEY,
  PAYOUT,
  PRICE_DECIMALS,
  QTY_DECIMALS,
  fromMillis,
  money,
  notional,
  parseScaled,
  price,
  qty,
} from '../../src/domain/units.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi.ts';

const RECORDED = fileURLToPath(
  new URL('../../../shared/data/kalshi-fees-2026-08/fills_fee_sample.csv', import.meta.url),
);

interface RecordedFill {
  readonly at: Micros;
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
    const [at, , count, noPrice, fee, isTaker] = row.split(',');
    return {
      at: fromMillis(Date.parse(must(at, 'cell'))),
      qty: scaled(count, QTY_DECIMALS),
      noPrice: scaled(noPrice, PRICE_DECIMALS),
      fee: scaled(fee, 6),
      isTaker: isTaker === 'true',
    };
  });
}

function chargeOf(row: RecordedFill, rounding: FeeRounding): number {
  return chargeFill(feeSchedule('quadratic_with_combo_maker_fees', 100, rounding), {
    // The fills bought NO: the curve is the same for both outcomes.
    price: price(PAYOUT - row.noPrice),
    qty: qty(row.qty),
    liquidity: row.isTaker ? 'taker' : 'maker',
    cash: money(-notional(price(row.noPrice), qty(row.qty))),
    gathered: NO_MONEY,
  }).fee;
}

describe('a recorded charge', () => {
  const isThere = existsSync(RECORDED);
  const name = 'of a combo market is what the schedule of its time gives, on all twenty fills';

  it.skipIf(!isThere)(isThere ? name : `${name} (skipped: the recordings are not beside the project)`, () => {
    const recorded = readRecorded();
    expect(recorded.length).toBe(20);
    const roundings = kalshiProfile.feeRounding;
    expect(recorded.map((row) => chargeOf(row, roundingAt(roundings, row.at)))).toEqual(recorded.map(({ fee }) => fee));
    // The rounding of today gives others, so that it is the date which makes them right.
    const today = roundingAt(roundings, fromMillis(Date.parse('2026-11-21T00:00:00Z')));
    expect(recorded.filter((row) => chargeOf(row, today) !== row.fee).length).toBeGreaterThan(0);
  });
});

describe('the rounding of fees', () => {
  const at = (text: string): Micros => fromMillis(Date.parse(text));
  const first: FeeRounding = { since: at('2026-01-01T00:00:00Z'), feeStep: money(100), balanceStep: money(100) };
  const second: FeeRounding = { ...first, since: at('2026-02-01T00:00:00Z'), feeStep: money(1) };

  it('is the last that has begun, and the first before any has', () => {
    expect(roundingAt([first, second], at('2025-01-01T00:00:00Z'))).toBe(first);
    expect(roundingAt([first, second], at('2026-01-31T23:59:59Z'))).toBe(first);
    expect(roundingAt([first, second], second.since)).toBe(second);
  });
});
