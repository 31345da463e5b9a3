// The bounded set against a list that is cut.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LatestItems } from '../../src/base/latest-items.ts';

describe('Latest', () => {
  it('Latest keeps the latest items, each once, and returns the dropped one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(8)), (max, numbers) => {
        const latest = new LatestItems<string>(max);
        let model: string[] = [];
        for (const name of numbers.map(String)) {
          const isNew = !model.includes(name);
          const forgotten = isNew && model.length === max ? model[0] : undefined;
          if (isNew) model = [...model, name].slice(-max);
          expect(latest.push(name)).toBe(forgotten);
          expect(latest.size).toBe(model.length);
          for (let number = 0; number <= 8; number++)
            expect(latest.has(String(number))).toBe(model.includes(String(number)));
        }
      }),
    );
  });
});
