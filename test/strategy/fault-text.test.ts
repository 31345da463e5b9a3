// The description of a thrown value never throws, whatever was thrown.
import { describe, expect, it } from 'vitest';
import { describeFault } from '../../src/strategy/fault-text.ts';

const NO_TEXT = 'a value that cannot be shown as text';

class Silent extends Error {
  override get message(): string {
    throw new Error('no message');
  }
}

describe('the description of a thrown value', () => {
  it.each([
    ['an error', new TypeError('odd'), 'TypeError: odd'],
    ['a text', 'odd', 'odd'],
    ['an empty text', '', '"", which is not an Error'],
    ['nothing', undefined, 'undefined, which is not an Error'],
    ['an object', { code: 5 }, '{"code":5}, which is not an Error'],
    ['a list', ['odd'], '["odd"], which is not an Error'],
    ['an object without a prototype', Object.create(null), NO_TEXT],
    [
      'an object whose text throws',
      {
        toString: (): string => {
          throw new Error('no text');
        },
      },
      NO_TEXT,
    ],
    ['a symbol', Symbol('odd'), 'Symbol(odd), which is not an Error'],
    ['an error whose message throws', new Silent(), NO_TEXT],
  ])('%s is described', (_what, thrown: unknown, text) => {
    expect(describeFault(thrown)).toBe(text);
  });

  it.each([
    ['an object', { rows: 'x'.repeat(50_000) }, ', which is not an Error'],
    ['an error', new Error('x'.repeat(50_000)), ''],
    ['a text', 'x'.repeat(50_000), ''],
  ])('%s that is long is cut, and says how long it is', (_what, thrown: unknown, end) => {
    const text = describeFault(thrown);
    expect(text.length).toBeLessThan(1100);
    expect(text).toMatch(new RegExp(`x… \\(50\\d{3} characters\\)${end}$`));
  });
});
