// The queue of state changes.
import { expect, it } from 'vitest';
import { ChangeQueue } from '../../src/engine/change-queue.ts';
import type { StateChange } from '../../src/state/state-change.ts';

const surprise = (what: string): StateChange => ({ type: 'surprise', what, detail: '' });

it('a drain passes on every change in order, also one that a reaction adds, and empties the queue', () => {
  const queue = new ChangeQueue();
  const seen: string[] = [];
  queue.push(surprise('first'));
  queue.push(surprise('second'));
  queue.drain((change) => {
    if (change.type !== 'surprise') return;
    seen.push(change.what);
    if (change.what === 'first') queue.push(surprise('third'));
  });
  expect(seen).toEqual(['first', 'second', 'third']);
  expect(queue.isEmpty).toBe(true);
});

it('the changes that wait before a change are none for the current one, and all for one outside the queue', () => {
  const queue = new ChangeQueue();
  const [first, second, third] = ['first', 'second', 'third'].map(surprise) as [StateChange, StateChange, StateChange];
  queue.push(first);
  queue.push(second);
  expect(queue.waitingBefore(third)).toEqual([first, second]);
  const found: (readonly StateChange[])[] = [];
  queue.drain((change) => found.push(queue.waitingBefore(change), queue.waitingBefore(third)));
  expect(found).toEqual([[], [second], [], []]);
  expect(queue.waitingBefore(first)).toEqual([]);
});
