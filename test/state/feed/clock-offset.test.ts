// The venue's clock, estimated from dates of whole seconds.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { ClockOffset, type ClockSample } from '../../../src/state/feed/clock-offset.ts';

const SECOND = 1_000_000;
const START = 1_795_000_000 * SECOND;

/**
 * An answer as we see it, stamped at one of our times by a clock that is `offset` behind ours, with both transit times.
 */
function sample(stampedAt: number, offset: number, [before, after]: readonly [number, number]): ClockSample {
  return {
    sentAt: micros(stampedAt - before),
    receivedAt: micros(stampedAt + after),
    venueAt: micros(Math.floor((stampedAt - offset) / SECOND) * SECOND),
  };
}

test('the offset is unknown before the first answer', () => {
  const clock = new ClockOffset();
  expect(clock.estimate(micros(START))).toBeNull();
  expect(clock.venueTime(micros(START))).toBe(START);
});

test('one answer gives the offset to half a second plus half the round trip', () => {
  const clock = new ClockOffset();
  clock.observeAnswer(sample(START + 300_000, 0, [10_000, 10_000]));
  const estimate = clock.estimate(micros(START + 310_000));
  expect(estimate).toEqual({ offset: -200_000, bound: 510_000 });
});

test('answers on both sides of a second narrow the offset', () => {
  const clock = new ClockOffset();
  clock.observeAnswer(sample(START + 990_000, 0, [5000, 5000]));
  clock.observeAnswer(sample(START + SECOND + 10_000, 0, [5000, 5000]));
  const { offset, bound } = clock.estimate(micros(START + SECOND + 20_000))!;
  expect(bound).toBeLessThan(16_000);
  expect(Math.abs(offset)).toBeLessThanOrEqual(bound);
});

test('an answer received before it was sent is ignored', () => {
  const clock = new ClockOffset();
  clock.observeAnswer({ sentAt: micros(START), receivedAt: micros(START - 1), venueAt: micros(START) });
  expect(clock.estimate(micros(START))).toBeNull();
});

test('a clock that was set restarts the estimate and is counted', () => {
  const clock = new ClockOffset();
  clock.observeAnswer(sample(START, 0, [1000, 1000]));
  clock.observeAnswer(sample(START + 2 * SECOND, 60 * SECOND, [1000, 1000]));
  expect(clock.stepCount).toBe(1);
  const { offset, bound } = clock.estimate(micros(START + 2 * SECOND))!;
  expect(Math.abs(offset - 60 * SECOND)).toBeLessThanOrEqual(bound);
});

test('the range always contains the true offset, and more answers never widen it', () => {
  const arrival = fc.record({
    gap: fc.integer({ min: 0, max: 20 * SECOND }),
    before: fc.integer({ min: 0, max: 2 * SECOND }),
    after: fc.integer({ min: 0, max: 2 * SECOND }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: -100 * SECOND, max: 100 * SECOND }),
      fc.array(arrival, { minLength: 1, maxLength: 50 }),
      (offset, arrivals) => {
        const clock = new ClockOffset();
        let at = START;
        for (const { gap, before, after } of arrivals) {
          at += gap + before;
          clock.observeAnswer(sample(at, offset, [before, after]));
          at += after;
          const alone = new ClockOffset();
          alone.observeAnswer(sample(at - after, offset, [before, after]));
          const estimate = clock.estimate(micros(at))!;
          expect(Math.abs(estimate.offset - offset)).toBeLessThanOrEqual(estimate.bound);
          const earliest = clock.venueTimeBefore(micros(at), micros(at));
          expect(earliest).toBeLessThanOrEqual(Math.min(at, at - offset));
          expect(estimate.bound).toBeLessThanOrEqual(alone.estimate(micros(at))!.bound + 1);
        }
        expect(clock.stepCount).toBe(0);
      },
    ),
  );
});
