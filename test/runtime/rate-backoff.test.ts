// How long to wait after a refusal for rate: the same for the same command, longer each time, within bounds.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMillis } from '../../src/domain/units.ts';
import { rateBackoff } from '../../src/runtime/rate-backoff.ts';

const attempt = fc.integer({ min: 1, max: 60 });
const command = fc.integer({ min: 1, max: 1_000_000 });

it('waits the same for the same command and attempt, whenever it is asked', () => {
  fc.assert(
    fc.property(attempt, command, (at, id) => {
      expect(rateBackoff(at, id)).toBe(rateBackoff(at, id));
    }),
  );
});

it('doubles from a quarter of a second to ten, with at most half of it left to chance', () => {
  fc.assert(
    fc.property(attempt, command, (at, id) => {
      const most = fromMillis(Math.min(10_000, 250 * 2 ** (at - 1)));
      expect(rateBackoff(at, id)).toBeLessThanOrEqual(most);
      expect(rateBackoff(at, id)).toBeGreaterThanOrEqual(most / 2);
    }),
  );
});

it('does not let commands that were refused together come back together', () => {
  const waits = new Set(Array.from({ length: 20 }, (_, id) => rateBackoff(3, id + 1)));
  expect(waits.size).toBeGreaterThan(15);
});
