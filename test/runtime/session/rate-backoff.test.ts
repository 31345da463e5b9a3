// The wait after a refusal for rate: the same for the same command, longer each time, within bounds.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMillis } from '../../../src/domain/units.ts';
import { rateBackoff } from '../../../src/runtime/session/rate-backoff.ts';

const attempt = fc.integer({ min: 1, max: 60 });
const command = fc.integer({ min: 1, max: 1_000_000 });

it('the wait is the same for the same command and attempt, whenever it is calculated', () => {
  fc.assert(
    fc.property(attempt, command, (at, id) => {
      expect(rateBackoff(at, id)).toBe(rateBackoff(at, id));
    }),
  );
});

it('the wait doubles from a quarter of a second to ten seconds, with at most half of it random', () => {
  fc.assert(
    fc.property(attempt, command, (at, id) => {
      const most = fromMillis(Math.min(10_000, 250 * 2 ** (at - 1)));
      expect(rateBackoff(at, id)).toBeLessThanOrEqual(most);
      expect(rateBackoff(at, id)).toBeGreaterThanOrEqual(most / 2);
    }),
  );
});

it('commands that were refused together do not come back together', () => {
  const waits = new Set(Array.from({ length: 20 }, (_, id) => rateBackoff(3, id + 1)));
  expect(waits.size).toBeGreaterThan(15);
});
