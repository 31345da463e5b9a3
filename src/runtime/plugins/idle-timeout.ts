// A timeout that counts only time in which the event loop is idle. Must never count time in which the process works or waits
// for a processor: on a busy machine, the same work takes many times as long.
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds. */
const LOOK_EVERY_MS = 50;
/** Share of active time from which on the event loop counts as working. It is active, too, while it waits for a processor. */
const WORKING_FROM = 0.5;

/** Result when a promise does not settle in time. */
export const IDLE_TIMEOUT = Symbol('idle timeout');

/**
 * Settles as the promise does. Resolves to `IDLE_TIMEOUT` once the event loop was idle for `idleMs` milliseconds before that.
 */
export async function withIdleTimeout<T>(promise: Promise<T>, idleMs: number): Promise<T | typeof IDLE_TIMEOUT> {
  const done = new AbortController();
  const limit = idleFor(idleMs, done.signal);
  // Aborting the timer rejects its promise.
  limit.catch(() => undefined);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    done.abort();
  }
}

async function idleFor(ms: number, signal: AbortSignal): Promise<typeof IDLE_TIMEOUT> {
  for (let idleMs = 0; idleMs < ms;) {
    const before = performance.eventLoopUtilization();
    await setTimeout(LOOK_EVERY_MS, null, { signal });
    // A machine without a free processor is late with files, too: the round then takes longer, and counts the same.
    await stat(tmpdir()).catch(() => undefined);
    const { utilization } = performance.eventLoopUtilization(before);
    if (utilization < WORKING_FROM) idleMs += LOOK_EVERY_MS;
  }
  return IDLE_TIMEOUT;
}
