// The event loop turns for the given time after the last message, and then sleeps.
import { expect, test } from 'vitest';
import { AwakeLoop } from '../../../src/runtime/session/awake-loop.ts';
import type { Scheduler } from '../../../src/transport/scheduler.ts';

/** A loop whose turns the test makes, at times that it names. */
function setUp(awakeMs: number) {
  let now = 0;
  const turns: (() => void)[] = [];
  const scheduler: Scheduler = {
    now: () => now,
    after: () => {
      throw new Error('no timer is needed');
    },
    cancel: () => {},
    soon: (act) => void turns.push(act),
  };
  return {
    awake: new AwakeLoop(scheduler, awakeMs),
    turns,
    turnAt: (at: number): void => {
      now = at;
      for (const act of turns.splice(0)) act();
    },
  };
}

test('sleeps until a message comes', () => {
  const { turns } = setUp(100);
  expect(turns).toHaveLength(0);
});

test('turns until the time after a message is over, and again after the next', () => {
  const { awake, turns, turnAt } = setUp(100);
  awake.noteMessage();
  for (const at of [10, 50, 109]) {
    turnAt(at);
    expect(turns).toHaveLength(1);
  }
  turnAt(110);
  expect(turns).toHaveLength(0);
  awake.noteMessage();
  turnAt(500);
  expect(turns).toHaveLength(1);
});

test('counts the time from the last message, and makes one turn for all', () => {
  const { awake, turns, turnAt } = setUp(100);
  awake.noteMessage();
  turnAt(10);
  awake.noteMessage();
  awake.noteMessage();
  turnAt(80);
  expect(turns).toHaveLength(1);
  turnAt(179);
  expect(turns).toHaveLength(1);
  turnAt(180);
  expect(turns).toHaveLength(0);
});

test('sleeps for good after `stop`', () => {
  const { awake, turns, turnAt } = setUp(100);
  awake.noteMessage();
  awake.stop();
  turnAt(10);
  awake.noteMessage();
  expect(turns).toHaveLength(0);
});
