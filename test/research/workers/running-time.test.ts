// A limit of the time in which the process runs: a stop of the process does not use it up.
import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { afterRunning } from '../../../src/research/workers/running-time.ts';

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
