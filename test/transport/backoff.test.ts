// Delays between attempts.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Backoff, type BackoffOptions } from '../../src/transport/backoff.ts';

const waits = (options: BackoffOptions, random: number, count: number): number[] => {
  const backoff = new Backoff(options, () => random);
  return Array.from({ length: count }, () => backoff.nextDelayMs());
};

test('doubles up to the cap and stays there', () => {
  const most = 1 - Number.EPSILON;
  expect(waits({ firstMs: 100, capMs: 1000, jitter: 'full' }, most, 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test('starts over after a success', () => {
  const backoff = new Backoff({ firstMs: 100, capMs: 1000, jitter: 'equal' }, () => 0);
  expect([backoff.nextDelayMs(), backoff.nextDelayMs(), backoff.failures]).toEqual([50, 100, 2]);
  backoff.recordSuccess();
  expect([backoff.failures, backoff.nextDelayMs()]).toEqual([0, 50]);
});

test('stays within the cap, and with equal jitter above half the delay, whatever is drawn', () => {
  const options = fc.record({
    firstMs: fc.integer({ min: 0, max: 10_000 }),
    more: fc.integer({ min: 0, max: 100_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    draws: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 2000 }),
  });
  fc.assert(
    fc.property(options, ({ firstMs, more, factor, draws }) => {
      const capMs = firstMs + more;
      let i = 0;
      const random = (): number => draws[i++ % draws.length]!;
      const full = new Backoff({ firstMs, capMs, factor, jitter: 'full' }, random);
      const equal = new Backoff({ firstMs, capMs, factor, jitter: 'equal' }, random);
      for (let n = 0; n < draws.length; n++) {
        const wait = full.nextDelayMs();
        const least = Math.floor(Math.min(capMs, firstMs * factor ** n) / 2);
        const atLeastHalf = equal.nextDelayMs();
        expect(Number.isInteger(wait) && wait >= 0 && wait <= capMs).toBe(true);
        expect(atLeastHalf >= least && atLeastHalf <= capMs).toBe(true);
      }
    }),
  );
});

test('refuses parameters that would shrink the delay or make it negative', () => {
  const make = (options: BackoffOptions) => () => new Backoff(options, () => 0);
  expect(make({ firstMs: -1, capMs: 5, jitter: 'full' })).toThrow('firstMs');
  expect(make({ firstMs: 6, capMs: 5, jitter: 'full' })).toThrow('capMs');
  expect(make({ firstMs: 1, capMs: 5, factor: 0.5, jitter: 'full' })).toThrow('factor');
});
