// Canonical JSON: equivalent to JSON, and the same text for equal values.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../../src/tape/format/canonical-json.ts';
import { runCount } from '../../support/runner/property-runs.ts';

/** The same value with the members of its objects in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

it('canonical JSON parses to the same value and does not depend on the order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(turned(value))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
    { numRuns: runCount(300) },
  );
});

it('canonical JSON writes every text as JSON does', () => {
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
    { numRuns: runCount(300) },
  );
});

it('canonical JSON keeps objects apart that begin alike', () => {
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
  // Sorted by name, not by the number a name looks like.
  [{ 9: 'nine', 10: 'ten', a: 'letter' }, '{"10":"ten","9":"nine","a":"letter"}'],
  [{ gone: undefined, kept: [undefined, Number.NaN, -0] }, '{"kept":[null,null,0]}'],
  [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  [[], '[]'],
  [{}, '{}'],
])('canonical JSON writes %j as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it.each([undefined, () => 1, Symbol('no'), 1n])('canonical JSON refuses values that JSON cannot hold', (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});
