// The queue starts a request at once when a place is free, and otherwise the most urgent one first.
import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../../src/runtime/session/request-queue.ts';

function setUp(places: number) {
  const started: string[] = [];
  const faults: unknown[] = [];
  const ends = new Map<string, { done(): void; fail(): void }>();
  const queue = new RequestQueue(places, (fault) => void faults.push(fault));
  const add = (name: string, priority = 0): void =>
    queue.add(() => {
      started.push(name);
      return new Promise((resolve, reject) => ends.set(name, { done: resolve, fail: () => reject(new Error(name)) }));
    }, priority);
  const end = async (name: string, how: 'done' | 'fail' = 'done'): Promise<void> => {
    ends.get(name)?.[how]();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, started, faults, add, end };
}

describe('a queue of requests', () => {
  it('starts a request within the call when a place is free', () => {
    const { started, add } = setUp(2);
    add('a');
    add('b');
    add('c');
    expect(started).toEqual(['a', 'b']);
  });

  it('starts the most urgent one next, and the oldest of equals', async () => {
    const { started, add, end } = setUp(1);
    add('first');
    add('low', 1);
    add('high', 3);
    add('low too', 1);
    add('high too', 3);
    add('middle', 2);
    for (const name of ['first', 'high', 'high too', 'middle', 'low']) await end(name);
    expect(started).toEqual(['first', 'high', 'high too', 'middle', 'low', 'low too']);
  });

  it('reports a failure, and goes on', async () => {
    const { started, faults, add, end } = setUp(1);
    add('a');
    add('b');
    await end('a', 'fail');
    expect(faults).toEqual([new Error('a')]);
    expect(started).toEqual(['a', 'b']);
  });

  it('is idle when no request runs or waits', async () => {
    const { queue, add, end } = setUp(1);
    await queue.whenIdle();
    add('a');
    add('b');
    let isIdle = false;
    void queue.whenIdle().then(() => (isIdle = true));
    await end('a');
    expect(isIdle).toBe(false);
    await end('b');
    expect(isIdle).toBe(true);
  });
});
