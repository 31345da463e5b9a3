// The limit of idle waiting: work that takes longer does not reach it.
import { describe, expect, it } from 'vitest';
import { IN_VAIN, withIdleLimit } from '../../../src/runtime/plugins/idle-limit.ts';

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

describe('a limit of idle waiting', () => {
  it('ends the wait for what never comes', async () => {
    expect(await withIdleLimit(new Promise(() => undefined), IDLE_MS)).toBe(IN_VAIN);
  });

  it('is not reached by work that takes longer', async () => {
    expect(await withIdleLimit(work(5 * IDLE_MS), IDLE_MS)).toBe('done');
  });

  it('passes on what comes in time, and the fault of a promise that fails', async () => {
    expect(await withIdleLimit(Promise.resolve(7), IDLE_MS)).toBe(7);
    await expect(withIdleLimit(Promise.reject(new Error('it failed')), IDLE_MS)).rejects.toThrow('it failed');
  });
});
