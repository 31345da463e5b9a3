// Figures as text for people: signs, decimals and dashes.
import { expect, it } from 'vitest';
import { centsEach } from '../../../src/report/text/figure-text.ts';

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
