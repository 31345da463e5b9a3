// The clock of a live session: whole microseconds, never back.
import { expect, it } from 'vitest';
import { SystemClock } from '../../src/runtime/clock.ts';

it('never goes back, and counts whole microseconds', () => {
  const clock = new SystemClock();
  const times = Array.from({ length: 1000 }, () => clock.now());
  for (const [at, time] of times.entries()) {
    expect(Number.isSafeInteger(time)).toBe(true);
    expect(time).toBeGreaterThanOrEqual(times[at - 1] ?? 0);
  }
});

it('is not turned back when the machine’s clock is', () => {
  const clock = new SystemClock();
  const before = clock.now();
  const original = Date.now;
  Date.now = () => 0;
  const after = clock.now();
  Date.now = original;
  expect(after).toBeGreaterThanOrEqual(before);
});
