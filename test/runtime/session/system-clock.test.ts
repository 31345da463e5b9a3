// The clock of a live session shows whole microseconds, never goes back, and follows the wall clock when the venue
// agrees with it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { type ClockLeap, SystemClock } from '../../../src/runtime/session/system-clock.ts';

it('the clock never goes back and counts whole microseconds', () => {
  const clock = new SystemClock();
  const times = Array.from({ length: 1000 }, () => clock.now());
  for (const [at, time] of times.entries()) {
    expect(Number.isSafeInteger(time)).toBe(true);
    expect(time).toBeGreaterThanOrEqual(times[at - 1] ?? 0);
  }
});

const HOUR_MS = 3_600_000;
const START_MS = 1_000_000_000;

/** A clock over a wall clock and a monotonic clock that the test sets. */
function handSet() {
  const hands = { wall: START_MS, monotonic: 50 };
  const clock = new SystemClock({ wallMs: () => hands.wall, monotonicMs: () => hands.monotonic });
  const leaps: ClockLeap[] = [];
  clock.onLeap((leap) => leaps.push(leap));
  const pass = (ms: number): Micros => {
    hands.wall += ms;
    hands.monotonic += ms;
    return clock.now();
  };
  /** Simulates an answer of the venue within 20 ms of both clocks, with the venue's time in whole seconds. */
  const answered = (venueMs: number, sentAt: Micros = clock.now()): void => {
    const venueAt = micros(Math.floor(venueMs / 1000) * 1_000_000);
    clock.observeAnswer({ sentAt, receivedAt: pass(20), venueAt });
  };
  const types = async (): Promise<string[]> => {
    await Promise.resolve();
    return leaps.map(({ type }) => type);
  };
  return { hands, clock, leaps, pass, answered, types };
}

it('the clock does not go back when the machine’s clock is set back', () => {
  const { hands, clock } = handSet();
  const before = clock.now();
  hands.wall = 0;
  hands.monotonic += 200;
  expect(clock.now()).toBe(before + 200_000);
});

it('the clock ignores the small corrections that every machine clock gets', async () => {
  const { hands, pass, clock, types } = handSet();
  const before = clock.now();
  hands.wall += 999;
  expect(pass(200)).toBe(before + 200_000);
  expect(await types()).toEqual([]);
});

describe('a wall clock that leaps ahead', () => {
  it('the clock follows a leap once the venue agrees with it, as after a sleep of the machine', async () => {
    const { hands, pass, clock, leaps, answered, types } = handSet();
    const before = clock.now();
    hands.wall += HOUR_MS;
    expect(pass(200)).toBe(before + 200_000);
    expect(leaps).toEqual([]);
    expect(await types()).toEqual(['noticed']);
    answered(START_MS + HOUR_MS + 200);
    expect(clock.now()).toBe(before + (HOUR_MS + 220) * 1000);
    expect(await types()).toEqual(['noticed', 'followed']);
    expect(leaps.map(({ by }) => by)).toEqual([HOUR_MS * 1000, HOUR_MS * 1000]);
  });

  it('the clock ignores a leap while the venue agrees with the clock, and shows no trace once the wall clock is back', async () => {
    const { hands, pass, clock, answered, types } = handSet();
    const before = clock.now();
    hands.wall += 2 * HOUR_MS;
    for (let ms = 0; ms < 5000; ms += 200) pass(200);
    answered(START_MS + 5000);
    answered(START_MS + 5020);
    expect(await types()).toEqual(['noticed', 'refused']);
    hands.wall -= 2 * HOUR_MS;
    expect(pass(200)).toBe(before + 5_240_000);
    expect(await types()).toEqual(['noticed', 'refused', 'over']);
  });

  it('a leap is not judged by the answer to a request from before it was noticed', async () => {
    const { hands, pass, clock, answered, types } = handSet();
    const askedBefore = clock.now();
    hands.wall += HOUR_MS;
    pass(200);
    answered(START_MS, askedBefore);
    expect(await types()).toEqual(['noticed']);
  });

  it('a leap is noticed again when the machine sleeps while the wall clock is wrong', async () => {
    const { hands, pass, clock, answered, types } = handSet();
    hands.wall += HOUR_MS;
    pass(200);
    answered(START_MS + 200);
    hands.wall += HOUR_MS;
    pass(200);
    expect(await types()).toEqual(['noticed', 'refused', 'noticed']);
    answered(START_MS + 2 * HOUR_MS);
    expect(await types()).toEqual(['noticed', 'refused', 'noticed', 'followed']);
    expect(clock.now()).toBe(hands.wall * 1000);
  });
});

it('the clock never goes back and never stands still, whatever the wall clock and the venue show', () => {
  const move = fc.record({ wall: fc.integer(), passed: fc.nat(100_000), venue: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.array(move), (moves) => {
      const { hands, clock } = handSet();
      let last = clock.now();
      for (const { wall, passed, venue } of moves) {
        hands.wall = Math.abs(wall);
        hands.monotonic += passed;
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(last + passed * 1000);
        if (venue !== null) clock.observeAnswer({ sentAt: now, receivedAt: now, venueAt: micros(venue * 1_000_000) });
        last = clock.now();
        expect(last).toBeGreaterThanOrEqual(now);
      }
    }),
  );
});
