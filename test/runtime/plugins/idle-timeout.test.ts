// A timeout that counts only idle time: work that takes longer does not reach it.
import { describe, expect, it } from 'vitest';
import { IDLE_TIMEOUT, withIdleTimeout } from '../../../src/runtime/plugins/idle-timeout.ts';

const IDLE_MS = 200;

/** Works for a time, in parts between which the event loop turns. */
async function work(forMs: number): Promise<string> {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const partEndMs = performance.now() + 20;
    while (performance.now() < partEndMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return 'done';
}

describe('an idle timeout', () => {
  it('ends the wait for a promise that never settles', async () => {
    expect(await withIdleTimeout(new Promise(() => undefined), IDLE_MS)).toBe(IDLE_TIMEOUT);
  });

  it('is not reached by work that takes longer', async () => {
    expect(await withIdleTimeout(work(5 * IDLE_MS), IDLE_MS)).toBe('done');
  });

  it('gives the value or the error of a promise that settles in time', async () => {
    expect(await withIdleTimeout(Promise.resolve(7), IDLE_MS)).toBe(7);
    await expect(withIdleTimeout(Promise.reject(new Error('it failed')), IDLE_MS)).rejects.toThrow('it failed');
  });
});
