// The bounded set against a list of all items.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatestItems } from '../../src/base/latest-items.ts';

const NAMES = Array.from({ length: 25 }, (_, number) => String(number));

/** The latest `count` different names, the latest first. */
const latestOf = (pushed: readonly string[], count: number): string[] =>
  [...new Set(pushed.toReversed())].slice(0, count);

describe('the latest items', () => {
  it('are remembered, and at most twice as many as asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.constantFrom(...NAMES)), (max, pushed) => {
        const latest = new LatestItems<string>(max);
        for (const name of pushed) latest.push(name);
        const remembered = NAMES.filter((name) => latest.has(name));
        expect(remembered).toEqual(expect.arrayContaining(latestOf(pushed, max)));
        expect(remembered.length).toBeLessThanOrEqual(2 * max);
        expect(pushed).toEqual(expect.arrayContaining(remembered));
      }),
    );
  });
});
