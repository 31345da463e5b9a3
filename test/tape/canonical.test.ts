// Canonical JSON says what JSON says, and the same of the same.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/tape/canonical.ts';
import { runs } from '../support/runs.ts';

/** The same value with the members of its objects the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

it('says what JSON says, whatever the order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(turned(value))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
    { numRuns: runs(300) },
  );
});

it('writes every text as JSON does', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(unit, fc.constantFrom('"', '\\', 'a', ' ', '\n', '\u007f', '\u2028', '\ud800', '\udc00')),
      }),
      (text) => {
        expect(canonicalJson(text)).toBe(JSON.stringify(text));
        expect(canonicalJson({ [text]: text })).toBe(JSON.stringify({ [text]: text }));
      },
    ),
    { numRuns: runs(300) },
  );
});

it('tells objects apart that begin alike', () => {
  const objects = [
    { b: 1, a: 2 },
    { b: 1, c: 2 },
    { b: 1, a: 3 },
    { b: 1, 'a,c': 2 },
  ];
  const texts = ['{"a":2,"b":1}', '{"b":1,"c":2}', '{"a":3,"b":1}', '{"a,c":2,"b":1}'];
  for (let again = 0; again < 2; again++) expect(objects.map(canonicalJson)).toEqual(texts);
});

it.each([
  [{ b: 1, a: { d: [{ z: 1, y: 'Ü"\n' }], c: null } }, '{"a":{"c":null,"d":[{"y":"Ü\\"\\n","z":1}]},"b":1}'],
  // By their names, not by the numbers that they look like.
  [{ 9: 'nine', 10: 'ten', a: 'letter' }, '{"10":"ten","9":"nine","a":"letter"}'],
  [{ gone: undefined, kept: [undefined, Number.NaN, -0] }, '{"kept":[null,null,0]}'],
  [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  [[], '[]'],
  [{}, '{}'],
])('writes %j as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it.each([undefined, () => 1, Symbol('no'), 1n])('refuses what JSON cannot say', (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});
