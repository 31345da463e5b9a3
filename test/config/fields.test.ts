// Config fields in internal units: accepted text is exact, other text is refused.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  durationField,
  intervalField,
  momentField,
  moneyField,
  nameField,
  priceField,
  qtyField,
} from '../../src/config/fields.ts';
import { formatMoney, formatPrice, formatQty, money, price, qty } from '../../src/domain/units.ts';

describe('a figure', () => {
  it('a figure is read back exactly as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_007_199_254_740_991 }), (units) => {
        expect(moneyField.parse(formatMoney(money(units)))).toBe(units);
        if (units > 0) expect(qtyField.parse(formatQty(qty(units)))).toBe(units);
      }),
    );
    for (let at = 1; at < 10_000; at++) expect(priceField.parse(formatPrice(price(at)))).toBe(at);
  });

  it.each([
    ['money', moneyField, ['-0.01', '1e3', '0.0000001', '', ' 1', '1,000', 'NaN', true, null, [1], {}]],
    ['price', priceField, ['0', '1', '1.5', '-0.5', '0.00001', 0, 1]],
    ['quantity', qtyField, ['0', '-1', '0.001', Number.NaN, Number.POSITIVE_INFINITY]],
    ['name', nameField, ['', '-A', 'A B', 'a/b', '..', 'x'.repeat(65), 'É']],
    ['moment', momentField, ['2026-12-31', '2026-13-01T00:00:00Z', '2026-12-31T23:00:00', 'now', 0]],
    [
      'day',
      momentField,
      ['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-10T00:00:00Z'],
    ],
    ['time of day', momentField, ['2026-12-31T24:00:00Z', '2026-12-31T23:60:00Z', '2026-12-31T23:59:60Z']],
    ['whole microsecond', momentField, ['2026-12-31T23:00:00.0000001Z', '2026-12-31T23:00:00.Z']],
    ['offset', momentField, ['2026-12-31T23:00:00+24:00', '2026-12-31T23:00:00+01:60', '2026-12-31T23:00:00+01']],
    ['duration', durationField, ['', '5', '5 s', '-5s', '1.2345s', '1w', '1s1m', '3651d']],
    ['interval', intervalField, ['0s', '9ms', '9.999ms', '5']],
  ] as const)('a figure is refused when it is no %s', (_, field, wrong) => {
    for (const value of wrong) expect(field.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });

  it.each([
    ['250ms', 250_000],
    ['0.5s', 500_000],
    ['1.001s', 1_001_000],
    ['5m', 300_000_000],
    ['2h', 7_200_000_000],
    ['1d', 86_400_000_000],
    ['3650d', 315_360_000_000_000],
  ])('a duration is read as microseconds: %s', (text, expected) => {
    expect(durationField.parse(text)).toBe(expected);
    expect(intervalField.parse(text)).toBe(expected);
  });

  it.each([
    ['2026-12-31T23:00Z', 0],
    ['2026-12-31T23:00:00.25Z', 250_000],
    ['2026-12-31T23:00:00.250006Z', 250_006],
    ['2026-12-31T23:00:00.000001000Z', 1],
  ])('a time is read to the microsecond: %s', (text, beyond) => {
    expect(momentField.parse(text)).toBe(Date.UTC(2026, 11, 31, 23) * 1000 + beyond);
  });

  it('a time is read with its offset', () => {
    expect(momentField.parse('2026-12-31T23:00:00+01:00')).toBe(Date.UTC(2026, 11, 31, 22) * 1000);
  });
});
