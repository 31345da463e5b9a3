// How times and columns look to a person.
import { describe, expect, it } from 'vitest';
import { clockText, columns } from '../../../src/cli/output/text-format.ts';

describe('a figure', () => {
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
