// Figures as text for people: signs, decimals and dashes.
import { expect, it } from 'vitest';
import { centsEach, decimalText } from '../../../src/report/text/figure-text.ts';

it.each([
  [4200, '+0.42¢'],
  [-4200, '−0.42¢'],
  [20, '+0.00¢'],
  [-20, '−0.00¢'],
  [0, '0.00¢'],
  [null, '–'],
])('%s millionths of a dollar per contract read %s', (value, text) => {
  expect(centsEach(value)).toBe(text);
});

it.each([
  [1_234_567.891, 2, '1,234,567.89'],
  [-12_345.6, 1, '−12,345.6'],
  [99_999.999, 2, '100,000.00'],
  [1234.5, 0, '1,235'],
  [999.99, 2, '999.99'],
  [-0.001, 2, '0.00'],
  [null, 2, '–'],
])('the decimal figure %s with %i decimals reads %s', (value, decimals, text) => {
  expect(decimalText(value, decimals)).toBe(text);
});
