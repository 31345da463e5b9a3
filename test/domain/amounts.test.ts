// Text forms of money, prices and quantities: nothing is rounded, no decimals are added, no sign is lost.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  centsText,
  contractsText,
  distanceText,
  dollarsText,
  signedContracts,
  signedDollars,
} from '../../src/domain/amounts.ts';
import { money, price, qty } from '../../src/domain/units.ts';

describe('text of an amount', () => {
  it.each([
    [4200, '42¢'],
    [4250, '42.5¢'],
    [4201, '42.01¢'],
    [1, '0.01¢'],
    [100, '1¢'],
    [1000, '10¢'],
    [0, '0¢'],
    [10_000, '100¢'],
  ])('price %i shows in cents as %s', (value, text) => {
    expect(centsText(price(value))).toBe(text);
  });

  it.each([
    [500, '5', '+5'],
    [-300, '−3', '−3'],
    [0, '0', '0'],
    [1, '0.01', '+0.01'],
    [-50, '−0.5', '−0.5'],
    [12_340, '123.4', '+123.4'],
    [10_000, '100', '+100'],
    [99_900, '999', '+999'],
    [123_400, '1,234', '+1,234'],
    [-123_456_701, '−1,234,567.01', '−1,234,567.01'],
    [123_456_700, '1,234,567', '+1,234,567'],
  ])('quantity %i shows in contracts as %s and with its sign as %s', (value, text, signed) => {
    expect(contractsText(qty(value))).toBe(text);
    expect(signedContracts(qty(value))).toBe(signed);
  });

  it.each([
    [12_500_000, '$12.50', '+$12.50'],
    [-17_500, '−$0.0175', '−$0.0175'],
    [0, '$0.00', '$0.00'],
    [1, '$0.000001', '+$0.000001'],
    [-1, '−$0.000001', '−$0.000001'],
    [1_000_000, '$1.00', '+$1.00'],
    [100_000, '$0.10', '+$0.10'],
    [-10_000_000_000, '−$10,000.00', '−$10,000.00'],
    [16_130, '$0.01613', '+$0.01613'],
  ])('amount %i shows in dollars as %s and with its sign as %s', (value, text, signed) => {
    expect(dollarsText(money(value))).toBe(text);
    expect(signedDollars(money(value))).toBe(signed);
  });

  it('dollar texts parse back to the same millionths', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (value) => {
        const [whole = '', fraction = ''] = dollarsText(money(value))
          .replace('−', '-')
          .replace('$', '')
          .replaceAll(',', '')
          .split('.');
        expect(fraction.length).toBeGreaterThanOrEqual(2);
        expect(Number(`${whole}${fraction.padEnd(6, '0')}`) + 0).toBe(value);
      }),
    );
  });

  it.each([
    [100, '1¢'],
    [2000, '20¢'],
    [250.5, '2.5¢'],
  ])('price distance %d shows as %s', (value, text) => {
    expect(distanceText(value)).toBe(text);
  });
});
