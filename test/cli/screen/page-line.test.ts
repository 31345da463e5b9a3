// Lines of the terminal page: colors, cuts, alignment.
import { describe, expect, it } from 'vitest';
import {
  alignedRows,
  cutLine,
  isColored,
  joinedParts,
  lineWidth,
  pageLine,
  paintLine,
  plainText,
  span,
} from '../../../src/cli/screen/page-line.ts';

describe('colors', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ])('with %j on a terminal: %s, are used: %s', (env, isTTY, isUsed) => {
    expect(isColored(env, isTTY)).toBe(isUsed);
  });

  it('surround the text of a tone, and no empty text', () => {
    const line = [span('a '), span('b', 'alarm'), span('  ', 'strong')];
    expect(paintLine(line, true)).toBe('a \u001B[1;31mb\u001B[0m  ');
    expect(paintLine(line, false)).toBe('a b  ');
  });
});

describe('a line', () => {
  it('shows control characters escaped, on one line', () => {
    expect(plainText(pageLine('a\u001B[2J\nb'))).toBe('a\\u001b[2J b');
  });

  it('is cut by columns with an ellipsis, within any piece', () => {
    const line = [span('ab'), span('市場', 'bid'), span('cd')];
    expect(lineWidth(line)).toBe(8);
    expect(plainText(cutLine(line, 8))).toBe('ab市場cd');
    expect([7, 6, 5, 3, 2, 1, 0].map((width) => plainText(cutLine(line, width)))).toEqual([
      'ab市場…',
      'ab市…',
      'ab市…',
      'ab…',
      'a…',
      '…',
      '',
    ]);
  });
});

describe('rows', () => {
  it('are aligned: the first column to the left, the others to the right', () => {
    const rows = alignedRows([
      [span('name'), span('n')],
      [span('a'), span('100')],
    ]);
    expect(rows.map(plainText)).toEqual(['name    n', 'a     100']);
  });
});

describe('joined parts', () => {
  it('continue on indented lines, and never share a line that is too narrow', () => {
    const parts = ['one', 'two', 'three'].map((text) => pageLine(text));
    expect(joinedParts(parts, 100).map(plainText)).toEqual(['one   two   three']);
    expect(joinedParts(parts, 10).map(plainText)).toEqual(['one   two', ' three']);
    expect(joinedParts(parts, 48).map(plainText)).toEqual(['one   two   three']);
  });
});
