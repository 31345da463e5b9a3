// A limit of the time that a promise may keep an idle event loop waiting. Must never count time in which the process works or
// lacks a processor: on a busy machine, the same work takes many times as long.
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds. */
const LOOK_EVERY_MS = 50;
/** Share of time from which on the event loop counts as working. It also works while it waits for a processor. */
const WORKING_FROM = 0.5;

/** Result of a promise that is waited for in vain. */
export const IN_VAIN = Symbol('in vain');

/**
 * Resolves as the promise does, or to `IN_VAIN` once the event loop was idle for a time and the promise still waits.
 * @param idleMs Milliseconds.
 */
export async function withIdleLimit<T>(promise: Promise<T>, idleMs: number): Promise<T | typeof IN_VAIN> {
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

async function idleFor(ms: number, signal: AbortSignal): Promise<typeof IN_VAIN> {
  for (let idleMs = 0; idleMs < ms;) {
    const before = performance.eventLoopUtilization();
    await setTimeout(LOOK_EVERY_MS, null, { signal });
    // A machine without a free processor is late with files, too: the round then takes longer, and counts the same.
    await stat(tmpdir()).catch(() => undefined);
    const { utilization } = performance.eventLoopUtilization(before);
    if (utilization < WORKING_FROM) idleMs += LOOK_EVERY_MS;
  }
  return IN_VAIN;
}
