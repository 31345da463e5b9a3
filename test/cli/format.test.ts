// How figures look to a person: no figure is rounded, none shows decimals it does not have.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  centsText,
  clockText,
  columns,
  contractsText,
  dollarsText,
  signedContracts,
  signedDollars,
} from '../../src/cli/format.ts';
import { money, price, qty } from '../../src/domain/units.ts';

describe('a figure', () => {
  it.each([
    [4200, '42¢'],
    [4250, '42.5¢'],
    [4201, '42.01¢'],
    [1, '0.01¢'],
    [100, '1¢'],
    [1000, '10¢'],
    [0, '0¢'],
    [10_000, '100¢'],
  ])('is shown in cents: %i as %s', (value, text) => {
    expect(centsText(price(value))).toBe(text);
  });

  it.each([
    [500, '5', '+5'],
    [-300, '-3', '-3'],
    [0, '0', '0'],
    [1, '0.01', '+0.01'],
    [-50, '-0.5', '-0.5'],
    [12_340, '123.4', '+123.4'],
    [10_000, '100', '+100'],
  ])('is shown in contracts: %i as %s and %s', (value, text, signed) => {
    expect(contractsText(qty(value))).toBe(text);
    expect(signedContracts(qty(value))).toBe(signed);
  });

  it.each([
    [12_500_000, '$12.50', '+$12.50'],
    [-17_500, '$-0.0175', '-$0.0175'],
    [0, '$0.00', '+$0.00'],
    [1, '$0.000001', '+$0.000001'],
    [-1, '$-0.000001', '-$0.000001'],
    [1_000_000, '$1.00', '+$1.00'],
    [100_000, '$0.10', '+$0.10'],
    [-10_000_000_000, '$-10000.00', '-$10000.00'],
    [16_130, '$0.01613', '+$0.01613'],
  ])('is shown in dollars: %i as %s and %s', (value, text, signed) => {
    expect(dollarsText(money(value))).toBe(text);
    expect(signedDollars(money(value))).toBe(signed);
  });

  it('loses nothing: dollars read back are the same millionths', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (value) => {
        const [whole = '', fraction = ''] = dollarsText(money(value)).replace('$', '').split('.');
        expect(fraction.length).toBeGreaterThanOrEqual(2);
        expect(Number(`${whole}${fraction.padEnd(6, '0')}`) + 0).toBe(value);
      }),
    );
  });

  it.each([
    [0, '0:00'],
    [999, '0:00'],
    [65_000, '1:05'],
    [3_599_999, '59:59'],
    [3_600_000, '1:00:00'],
    [7_389_000, '2:03:09'],
    [360_000_000, '100:00:00'],
  ])('is shown as a time: %i ms as %s', (milliseconds, text) => {
    expect(clockText(milliseconds)).toBe(text);
  });
});

describe('columns', () => {
  it('align the first to the left and the rest to the right', () => {
    expect(
      columns([
        ['market', 'bid'],
        ['M', '42.5¢'],
        ['LONG-ONE', '-'],
      ]),
    ).toEqual(['market      bid', 'M         42.5¢', 'LONG-ONE      -']);
  });

  it('are nothing when there are no rows', () => {
    expect(columns([])).toEqual([]);
  });
});
