// Checks of a space, and the map between values and the unit interval.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Domain, SearchSpace } from '../../../../src/research/search/search-space.ts';
import {
  countValues,
  unitOfValue,
  valueAt,
  valueFromUnit,
} from '../../../../src/research/search/space/param-values.ts';
import { checkSpace, spaceFaults } from '../../../../src/research/search/space/space-check.ts';
import { groupParams } from '../../../../src/research/search/space/space-conditions.ts';

const QUOTER: SearchSpace = [
  { name: 'edgeCents', domain: { kind: 'int', low: 1, high: 6 } },
  { name: 'halfLifeS', domain: { kind: 'float', low: 1, high: 600, log: true } },
  { name: 'skew', domain: { kind: 'float', low: 0, high: 2, step: 0.1 } },
  { name: 'mode', domain: { kind: 'choice', options: ['plain', 'inventory'] } },
  { name: 'target', domain: { kind: 'int', low: 10, high: 200 }, when: { mode: 'inventory' } },
  { name: 'cap', domain: { kind: 'int', low: 1, high: 3 }, when: { target: 50 } },
];

const faultsOf = (domain: Domain): readonly string[] => spaceFaults([{ name: 'x', domain }]);

describe('a space', () => {
  it('passes with ranges, steps, logarithms, choices and conditions', () => {
    expect(spaceFaults(QUOTER)).toEqual([]);
  });

  it.each<[Domain, string]>([
    [{ kind: 'int', low: 1.5, high: 3 }, 'space.x: expected whole numbers as ends, found 1.5 and 3'],
    [{ kind: 'float', low: 0, high: NaN }, 'space.x: expected numbers as ends, found 0 and NaN'],
    [{ kind: 'float', low: 2, high: 2 }, 'space.x: expected the low end below the high one, found 2 and 2'],
    [{ kind: 'int', low: 1, high: 6, step: 2 }, 'space.x: expected whole steps of 2 from 1 to 6, found 2.5 steps'],
    [{ kind: 'int', low: 1, high: 6, step: 0.5 }, 'space.x: expected a whole step above 0, found 0.5'],
    [{ kind: 'float', low: 0, high: 1, step: -0.1 }, 'space.x: expected a step above 0, found -0.1'],
    [{ kind: 'float', low: 0, high: 1, log: true }, 'space.x: expected a low end above 0 with log, found 0'],
    [{ kind: 'float', low: 1, high: 3, step: 1, log: true }, 'space.x: expected no step with log, found 1'],
    [{ kind: 'int', low: 1, high: 5, step: 2, log: true }, 'space.x: expected a step of 1 with log, found 2'],
    [
      { kind: 'choice', options: ['a'] },
      'space.x: expected two options or more, found 1; a fixed value is no parameter',
    ],
    [{ kind: 'choice', options: ['a', 'b', 'a'] }, 'space.x: expected each option once, found "a" twice'],
  ])('is refused with %j', (domain, fault) => {
    expect(faultsOf(domain)).toEqual([fault]);
  });

  it('is refused when a condition names a later parameter, or a value that never occurs', () => {
    const [first, second] = [
      { name: 'a', domain: { kind: 'choice', options: [1, 2] }, when: { b: 1 } },
      { name: 'b', domain: { kind: 'choice', options: [1, 2] }, when: { a: 3 } },
    ] as const;
    expect(spaceFaults([first, second])).toEqual([
      'space.a.when.b: expected an earlier parameter, found "b"',
      'space.b.when.a: expected a value of a, found 3',
    ]);
  });

  it('is refused when a condition names a continuous parameter, or contradicts another', () => {
    const x = { name: 'x', domain: { kind: 'float', low: 0, high: 1 } } as const;
    const mode = { name: 'mode', domain: { kind: 'choice', options: ['a', 'b'] } } as const;
    const inner = { name: 'inner', domain: mode.domain, when: { mode: 'a' } };
    const never = { name: 'never', domain: x.domain, when: { inner: 'a', mode: 'b' } };
    expect(spaceFaults([x, { ...never, when: { x: 0.5 } }])).toEqual([
      'space.never.when.x: expected a parameter with options or a step',
    ]);
    expect(spaceFaults([mode, inner, never])).toEqual([
      'space.never.when: expected conditions that can hold together, found a contradiction',
    ]);
  });

  it('is refused without a parameter, and with one name twice', () => {
    expect(spaceFaults([])).toEqual(['space: expected one parameter or more, found none']);
    const [twice] = QUOTER;
    expect(() => checkSpace(twice ? [twice, twice] : [])).toThrow('expected each name once');
  });

  it('has groups of parameters that apply together, parents first', () => {
    expect(groupParams(QUOTER).map((group) => group.map(({ name }) => name))).toEqual([
      ['edgeCents', 'halfLifeS', 'skew', 'mode'],
      ['target'],
      ['cap'],
    ]);
  });
});

describe('the unit interval', () => {
  const domains = fc.oneof(
    fc
      .tuple(fc.integer({ min: -100, max: 100 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5 }))
      .map(([low, steps, step]): Domain => ({ kind: 'int', low, high: low + steps * step, step })),
    fc
      .tuple(fc.integer({ min: -100, max: 100 }), fc.integer({ min: 1, max: 50 }))
      .map(([low, steps]): Domain => ({ kind: 'float', low: low / 10, high: (low + steps) / 10, step: 0.1 })),
    fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }))
      .map(([low, more]): Domain => ({ kind: 'int', low, high: low + more, log: true })),
    fc.constant<Domain>({ kind: 'choice', options: ['a', 2, true] }),
  );

  it('gives back every value of a stepped domain', () => {
    fc.assert(
      fc.property(domains, (domain) => {
        for (let i = 0; i < countValues(domain); i++) {
          const value = valueAt(domain, i);
          expect(valueFromUnit(domain, unitOfValue(domain, value))).toBe(value);
        }
      }),
    );
  });

  it('gives values as a person writes them', () => {
    const domain = { kind: 'float', low: -1, high: 1, step: 0.1 } as const;
    expect([3, 9, 10, 13].map((i) => valueAt(domain, i))).toEqual([-0.7, -0.1, 0, 0.3]);
  });

  it('reaches both ends of every domain', () => {
    fc.assert(
      fc.property(domains, (domain) => {
        expect(valueFromUnit(domain, 0)).toBe(valueAt(domain, 0));
        expect(valueFromUnit(domain, 1 - 1e-12)).toBe(valueAt(domain, countValues(domain) - 1));
      }),
    );
  });

  it('gives each decade of a logarithmic range the same share', () => {
    const domain = { kind: 'float', low: 0.001, high: 10, log: true } as const;
    [0.001, 0.01, 0.1, 1].forEach((value, i) => expect(valueFromUnit(domain, i / 4)).toBeCloseTo(value, 12));
  });
});
