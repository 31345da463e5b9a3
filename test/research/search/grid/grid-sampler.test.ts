// The grid: every point once, in a seeded sequence, without a list of them.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PointGrid } from '../../../../src/research/search/grid/grid-points.ts';
import { GridSampler } from '../../../../src/research/search/grid/grid-sampler.ts';
import { placeInOrder } from '../../../../src/research/search/grid/seeded-order.ts';
import type { SearchSpace } from '../../../../src/research/search/search-space.ts';

const NESTED: SearchSpace = [
  { name: 'mode', domain: { kind: 'choice', options: ['a', 'b', 'c'] } },
  { name: 'size', domain: { kind: 'int', low: 1, high: 5 }, when: { mode: 'b' } },
  { name: 'skew', domain: { kind: 'float', low: 0, high: 1, step: 0.25 } },
  { name: 'inner', domain: { kind: 'choice', options: [true, false] }, when: { size: 3, skew: 0.5 } },
];

const allPoints = (sampler: GridSampler): string[] =>
  Array.from({ length: Number(sampler.size) }, (_, n) => JSON.stringify(sampler.propose({ n })));

describe('a grid', () => {
  it('counts conditional parameters only where they apply', () => {
    // Modes a and c have 5 points each, b has 5 × 5, and one of these has 2.
    expect(new PointGrid(NESTED).size).toBe(36n);
  });

  it.each([0, 1, 99])('has every point once with seed %i', (seed) => {
    const sampler = new GridSampler(NESTED, seed);
    expect(new Set(allPoints(sampler)).size).toBe(36);
    expect(sampler.propose({ n: 36 })).toBeNull();
  });

  it('has the same points in another sequence for another seed', () => {
    const [first, second] = [allPoints(new GridSampler(NESTED, 1)), allPoints(new GridSampler(NESTED, 2))];
    expect(first).not.toEqual(second);
    expect(first.toSorted()).toEqual(second.toSorted());
  });

  it('of 10⁵⁰ points needs no list of them', () => {
    const space = Array.from({ length: 10 }, (_, i) => ({
      name: `x${i}`,
      domain: { kind: 'int', low: 1, high: 100_000 } as const,
    }));
    const sampler = new GridSampler(space, 5);
    expect(sampler.size).toBe(10n ** 50n);
    expect(Object.keys(sampler.propose({ n: 123_456_789 }) ?? {})).toHaveLength(10);
    expect(new PointGrid(space).pointAt(sampler.size - 1n)).toEqual(
      Object.fromEntries(space.map(({ name }) => [name, 100_000])),
    );
  });

  it('is spread when it is cut off', () => {
    const space = [{ name: 'x', domain: { kind: 'int', low: 0, high: 999_999 } }] as const;
    const sampler = new GridSampler(space, 3);
    const values = Array.from({ length: 400 }, (_, n) => Number(sampler.propose({ n })?.['x']));
    const counts = [0, 1, 2, 3].map((part) => values.filter((x) => Math.floor(x / 250_000) === part).length);
    expect(Math.min(...counts)).toBeGreaterThan(70);
  });

  it('refuses a continuous parameter', () => {
    expect(() => new PointGrid([{ name: 'x', domain: { kind: 'float', low: 0, high: 1 } }])).toThrow(
      'space.x: expected a step for a grid, found a continuous range',
    );
  });
});

describe('a seeded sequence', () => {
  it('has every number once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (count, seed) => {
        const places = Array.from({ length: count }, (_, i) => placeInOrder(BigInt(i), BigInt(count), seed));
        expect(new Set(places).size).toBe(count);
        expect(places.every((place) => place >= 0n && place < BigInt(count))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
