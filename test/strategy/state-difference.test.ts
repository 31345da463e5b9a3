// A saved state is compared with what its JSON restores: what JSON does not have must not get lost in silence.
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../src/strategy/state-difference.ts';

class Count {
  readonly fills = 3;
}

const restored = (state: unknown): unknown => JSON.parse(JSON.stringify(state));

describe('a state and what its JSON restores', () => {
  it.each([
    ['plain JSON', { fills: 3, seen: ['A', { at: 1.5 }], note: null, isOn: true }],
    ['a missing member', { fills: 3, note: undefined }],
    ['a negative zero', { at: -0 }],
    ['members of a class', new Count()],
    ['a large list', Array.from({ length: 1000 }, (_, at) => at)],
  ])('%s is the same', (_what, state) => {
    expect(firstDifference(state, restored(state))).toBe(null);
  });

  it.each([
    ['a Map', { n: new Map([[1, 2]]) }, 'n: a Map became a mapping'],
    ['a Set within a list', { seen: [new Set(['A'])] }, 'seen.0: a Set became a mapping'],
    ['NaN', { a: { mean: Number.NaN } }, 'a.mean: NaN became null'],
    ['a function', { next: () => 3 }, 'next: a function became nothing'],
    ['a date', { at: new Date(0) }, 'at: a Date became "1970-01-01T00:00:00.000Z"'],
    ['a symbol', { key: Symbol('odd') }, 'key: a symbol became nothing'],
    ['the whole state', new Map(), 'the whole value: a Map became a mapping'],
  ])('%s is named', (_what, state, difference) => {
    expect(firstDifference(state, restored(state))).toBe(difference);
  });

  it('a schema may restore a date, but no schema restores a Set', () => {
    expect(firstDifference({ at: new Date(5) }, { at: new Date(5) })).toBe(null);
    expect(firstDifference({ at: new Date(5) }, { at: new Date(6) })).toBe('at: a Date is not JSON');
    expect(firstDifference({ seen: new Set(['A']) }, { seen: new Set() })).toBe('seen: a Set is not JSON');
  });
});
