// Requests start at once while places are free; the others wait by urgency and age.
import { expect, test } from 'vitest';
import { RequestPlaces } from '../../../src/runtime/session/request-places.ts';

/** Places whose requests the test ends by name. */
function setUp(count: number) {
  const faults: unknown[] = [];
  const started: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(fault: unknown): void }>();
  const places = new RequestPlaces(count, (fault) => faults.push(fault));
  const run = (name: string, priority = 0): void =>
    places.run(priority, () => {
      started.push(name);
      return new Promise((resolve, reject) => ends.set(name, { resolve, reject }));
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string, fault?: unknown): Promise<void> => {
    if (fault === undefined) ends.get(name)?.resolve();
    else ends.get(name)?.reject(fault);
    await settled();
  };
  return { places, run, end, started, faults, settled };
}

test('a request starts within the call while a place is free', async () => {
  const { run, end, started } = setUp(2);
  run('a');
  run('b');
  run('c');
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
});

test('the most urgent request goes first, and among equals the oldest', async () => {
  const { run, end, started } = setUp(1);
  run('first');
  run('low 1', 1);
  run('high 1', 3);
  run('middle', 2);
  run('high 2', 3);
  run('low 2', 1);
  for (let turn = 0; turn < 6; turn++) await end(started.at(-1) ?? '');
  expect(started).toEqual(['first', 'high 1', 'high 2', 'middle', 'low 1', 'low 2']);
});

test('a request that rejects is reported and leaves its place', async () => {
  const { run, end, started, faults } = setUp(1);
  run('a');
  run('b');
  await end('a', 'broken');
  expect(faults).toEqual(['broken']);
  expect(started).toEqual(['a', 'b']);
});

test('is idle when no request waits or is in flight', async () => {
  const { places, run, end, settled } = setUp(1);
  await places.untilIdle();
  run('a');
  run('b');
  let isIdle = false;
  void places.untilIdle().then(() => (isIdle = true));
  await end('a');
  expect(isIdle).toBe(false);
  await end('b');
  await settled();
  expect(isIdle).toBe(true);
});
