// Formats of times and columns.
import { describe, expect, it } from 'vitest';
import { clockText, columns } from '../../../src/cli/output/text-format.ts';

describe('clockText', () => {
  it.each([
    [0, '0:00'],
    [999, '0:00'],
    [65_000, '1:05'],
    [3_599_999, '59:59'],
    [3_600_000, '1:00:00'],
    [7_389_000, '2:03:09'],
    [360_000_000, '100:00:00'],
  ])('formats %i ms as %s', (milliseconds, text) => {
    expect(clockText(milliseconds)).toBe(text);
  });
});

describe('columns', () => {
  it('align the first column to the left and the others to the right', () => {
    expect(
      columns([
        ['market', 'bid'],
        ['M', '42.5¢'],
        ['LONG-ONE', '-'],
      ]),
    ).toEqual(['market      bid', 'M         42.5¢', 'LONG-ONE      -']);
  });

  it('are empty without rows', () => {
    expect(columns([])).toEqual([]);
  });
});
