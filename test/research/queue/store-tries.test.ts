// Tries to get a study from a store that fails: how often the store is asked, and what a worker reports meanwhile.
import { expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { StoreFault } from '../../../src/research/artifacts/artifact-store.ts';
import { StoreTries } from '../../../src/research/queue/store-tries.ts';

const FAULT = new StoreFault('the store has another file of this name');

/** Tries of one study each second, and the seconds in which the store was asked. */
async function askedIn(seconds: number, get: (second: number) => Promise<string>): Promise<number[]> {
  let second = 0;
  const asked: number[] = [];
  const tries = new StoreTries({ nowMs: () => second * 1000, random: () => 1 - Number.EPSILON });
  const ask = (): Promise<string> => {
    asked.push(second);
    return get(second);
  };
  for (; second < seconds; second++)
    await tries.tryStudy('study', ask).catch((fault: unknown) => expect(fault).toBe(FAULT));
  return asked;
}

it('asks a store that fails ever more rarely, at least once a minute, and gives its fault meanwhile', async () => {
  const asked = await askedIn(600, () => Promise.reject(FAULT));
  expect(asked.slice(0, 6)).toEqual([0, 1, 3, 7, 15, 31]);
  const pauses = asked.map((second, at) => second - (asked[at - 1] ?? 0));
  expect(Math.max(...pauses)).toBe(60);
});

it('asks again at once where the store has served the study since', async () => {
  const get = (second: number): Promise<string> => (second < 3 ? Promise.reject(FAULT) : Promise.resolve('plan'));
  expect(await askedIn(7, get)).toEqual([0, 1, 3, 4, 5, 6]);
});

it('holds back neither another study nor a try that failed for another reason', async () => {
  const tries = new StoreTries({ nowMs: () => 0, random: () => 0 });
  await expect(tries.tryStudy('bad', () => Promise.reject(FAULT))).rejects.toBe(FAULT);
  expect(await tries.tryStudy('good', () => Promise.resolve('plan'))).toBe('plan');
  const refusal = new UsageError('not allowed');
  await expect(tries.tryStudy('other', () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(await tries.tryStudy('other', () => Promise.resolve('plan'))).toBe('plan');
});
