// The clock of a live session: whole microseconds, never back, and never left behind.
import * as fc from 'fast-check';
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

/** A clock over a wall and a monotonic clock that are set by hand. */
function handSet() {
  const hands = { wall: 1_000_000, monotonic: 50 };
  const clock = new SystemClock({ wall: () => hands.wall, monotonic: () => hands.monotonic });
  const steps: number[] = [];
  clock.onStep((by) => steps.push(by));
  return { hands, clock, steps };
}

it('is not turned back when the machine’s clock is', () => {
  const { hands, clock } = handSet();
  const before = clock.now();
  hands.wall = 0;
  hands.monotonic += 200;
  expect(clock.now()).toBe(before + 200_000);
});

it('follows the wall at once when the machine has slept, and tells by how much', async () => {
  const { hands, clock, steps } = handSet();
  const before = clock.now();
  hands.wall += 3_600_000;
  hands.monotonic += 200;
  expect(clock.now()).toBe(before + 3_600_000_000);
  expect(steps).toEqual([]);
  await Promise.resolve();
  expect(steps).toEqual([3_599_800_000]);
});

it('does not follow the small corrections that every clock is given', async () => {
  const { hands, clock, steps } = handSet();
  const before = clock.now();
  hands.wall += 200 + 999;
  hands.monotonic += 200;
  expect(clock.now()).toBe(before + 200_000);
  await Promise.resolve();
  expect(steps).toEqual([]);
});

it('never goes back whatever the two clocks do, as long as one of them is monotonic', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ wall: fc.integer(), passed: fc.nat(100_000) })), (moves) => {
      const { hands, clock } = handSet();
      let last = clock.now();
      for (const { wall, passed } of moves) {
        hands.wall = Math.abs(wall);
        hands.monotonic += passed;
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(last + passed * 1000);
        last = now;
      }
    }),
  );
});
