// A limit of the time in which the process runs: a stop of the process does not use it up.
import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RunningClock, afterRunning } from '../../../src/research/workers/running-time.ts';

/** Stops this thread as a signal stops a process: its timers stand still. */
const stopFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a limit of running time', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([100, 4000, 600_000])('is over after %d ms', (limitMs) => {
    vi.useFakeTimers();
    const onOver = vi.fn<() => void>();
    afterRunning(limitMs, onOver);
    vi.advanceTimersByTime(limitMs - 1);
    expect(onOver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onOver).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not used up by a stop that is longer', async () => {
    const onOver = vi.fn<() => void>();
    const end = afterRunning(200, onOver);
    stopFor(400);
    await untilNextTurn();
    await untilNextTurn();
    expect(onOver).not.toHaveBeenCalled();
    end();
  });

  it('ends when it is ended', () => {
    vi.useFakeTimers();
    afterRunning(100, vi.fn<() => void>())();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a clock of running time', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('counts the time that passes, also while it is not read', () => {
    vi.useFakeTimers();
    const clock = new RunningClock();
    vi.advanceTimersByTime(90_500);
    expect(clock.readMs()).toBe(90_500);
    vi.advanceTimersByTime(700);
    expect(clock.readMs()).toBe(91_200);
    clock.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts two seconds of a stop of an hour', () => {
    vi.useFakeTimers();
    const clock = new RunningClock();
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000);
    expect(clock.readMs()).toBe(2000);
    expect(clock.readMs()).toBe(2000);
    now.mockRestore();
    clock.close();
  });
});
