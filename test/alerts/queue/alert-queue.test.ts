// The queue of alerts: repetitions, reminders, limits, quiet hours, retries, bounds, and its restart.
import { describe, expect, it } from 'vitest';
import { RECORDS_MAX } from '../../../src/alerts/queue/alert-queue.ts';
import { stateAfter } from '../../../src/alerts/queue/queue-changes.ts';
import { NOON, QueueHarness, aPolicy } from '../../support/alerts/queue-harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const minutesOf = ({ sent }: QueueHarness): number[] => sent.map(({ atMs }) => Math.round((atMs - NOON) / MINUTE));

describe('a condition', () => {
  it('is sent at once, and its repetitions after 15 minutes, an hour, six hours and every six hours', () => {
    const harness = new QueueHarness();
    for (let minute = 0; minute < 19 * 60; minute += 1) {
      harness.fire();
      harness.pass(MINUTE, MINUTE / 2);
    }
    expect(minutesOf(harness).map((minute) => Math.round(minute / 5) * 5)).toEqual([0, 15, 60, 360, 720, 1080]);
    expect(harness.sent.map(({ message }) => message.count)).toEqual([1, 15, 60, 360, 720, 1080]);
  });

  it('that fired twice is reported by its reminder although it fires no more', () => {
    const harness = new QueueHarness();
    harness.fire();
    harness.step();
    harness.fire();
    harness.pass(20 * MINUTE);
    expect(minutesOf(harness)).toEqual([0, 15]);
    expect(harness.sent[1]?.message.count).toBe(2);
    harness.pass(10 * HOUR, MINUTE);
    expect(harness.sent).toHaveLength(2);
  });

  it('is sent again at once when it becomes more severe', () => {
    const harness = new QueueHarness();
    harness.fire();
    harness.pass(2000);
    harness.fire({ severity: 'critical' });
    harness.pass(2000);
    expect(harness.sent.map(({ message }) => message.severity)).toEqual(['warning', 'critical']);
  });

  it('that ends is sent as over once, with its duration, and not when it never fired', () => {
    const harness = new QueueHarness();
    harness.end();
    harness.fire();
    harness.pass(5 * MINUTE);
    harness.end();
    harness.end();
    harness.pass(MINUTE);
    expect(harness.codes).toEqual(['feed-down', 'over feed-down']);
    expect(harness.sent[1]?.message).toMatchObject({
      did: 'It ended 5 min after the first message.',
      severity: 'warning',
    });
  });

  it('that ended unseen is sent as over, and is sent when it begins again; those of kept scopes and other codes stay', () => {
    const harness = new QueueHarness();
    for (const scope of ['account', 'market=A', 'market=B']) harness.fire({ code: 'halt', scope });
    harness.fire({ code: 'halting' });
    harness.pass(MINUTE);
    harness.endExcept('halt', ['market=A']);
    for (const scope of ['account', 'market=A']) harness.fire({ code: 'halt', scope });
    harness.pass(MINUTE);
    expect(harness.sent.slice(4).map(({ message }) => `${message.state} ${message.key}`)).toEqual([
      'over demo/halt/account',
      'over demo/halt/market=B',
      'firing demo/halt/account',
    ]);
  });

  it('of another scope is another condition', () => {
    const harness = new QueueHarness();
    harness.fire({ scope: 'A' });
    harness.fire({ scope: 'B' });
    harness.fire({ scope: 'A' });
    harness.pass(5000);
    expect(harness.sent.map(({ message }) => message.key)).toEqual(['demo/feed-down/A', 'demo/feed-down/B']);
  });
});

describe('a target', () => {
  it('gets only what is severe enough for it', () => {
    const harness = new QueueHarness([aPolicy({ name: 'all' }), aPolicy({ name: 'night', severity: 'critical' })]);
    harness.fire({ severity: 'warning', scope: 'a' });
    harness.fire({ severity: 'critical', scope: 'b' });
    harness.pass(5000);
    expect(harness.sent.map(({ target, message }) => `${target} ${message.severity}`)).toEqual([
      'all critical',
      'night critical',
      'all warning',
    ]);
  });

  it('gets one message a second and twenty in ten minutes, and then one digest of the rest', () => {
    const harness = new QueueHarness();
    for (let i = 0; i < 57; i += 1) harness.fire({ scope: `s${i}` });
    harness.pass(9 * MINUTE);
    expect(harness.sent).toHaveLength(20);
    for (const [i, { atMs }] of harness.sent.entries())
      if (i > 0) expect(atMs - harness.sent[i - 1]!.atMs).toBeGreaterThanOrEqual(1000);
    harness.pass(2 * MINUTE);
    expect(harness.sent).toHaveLength(21);
    expect(harness.sent[20]).toMatchObject({
      records: 37,
      message: { code: 'digest', title: 'demo: 37 alerts in one message' },
    });
    expect(harness.sent[20]?.message.happened).toContain('and 17 more');
    expect(harness.queue.size).toBe(0);
  });

  it('gets critical records although the limit of the others is used up', () => {
    const harness = new QueueHarness();
    for (let i = 0; i < 30; i += 1) harness.fire({ scope: `s${i}` });
    harness.pass(MINUTE);
    harness.fire({ severity: 'critical', scope: 'x' });
    harness.pass(2000);
    expect(harness.sent.at(-1)?.message.severity).toBe('critical');
  });

  it('gets a digest at the end of its quiet hours, and critical records within them', () => {
    const quiet = { from: 11 * 60, to: 14 * 60, zone: 'UTC' };
    const harness = new QueueHarness([aPolicy({ quiet })]);
    harness.fire({ scope: 'a' });
    harness.fire({ severity: 'info', scope: 'b' });
    harness.fire({ severity: 'critical', scope: 'c' });
    harness.pass(10_000);
    expect(harness.sent.map(({ message }) => message.key)).toEqual(['demo/feed-down/c']);
    expect(harness.queue.size).toBe(2);
    harness.pass(2 * HOUR, 10_000);
    expect(harness.sent.slice(1)).toMatchObject([{ records: 2, atMs: NOON + 2 * HOUR }]);
  });
});

describe('the number of records to send now', () => {
  const quiet = { from: 11 * 60, to: 14 * 60, zone: 'UTC' };

  it('leaves out what waits for the end of quiet hours alone', () => {
    const harness = new QueueHarness([aPolicy({ quiet }), aPolicy({ name: 'awake' })]);
    harness.answer = () => ({ type: 'failed', afterMs: null });
    harness.fire({ scope: 'a' });
    harness.fire({ severity: 'critical', scope: 'b' });
    expect([harness.queue.countDue(NOON), harness.queue.countDue(NOON + 2 * HOUR)]).toEqual([2, 2]);
    const asleep = new QueueHarness([aPolicy({ quiet })]);
    asleep.answer = harness.answer;
    asleep.fire({ scope: 'a' });
    asleep.fire({ severity: 'critical', scope: 'b' });
    expect([asleep.queue.countDue(NOON), asleep.queue.countDue(NOON + 2 * HOUR)]).toEqual([1, 2]);
  });
});

describe('a receiver that fails', () => {
  it('is tried again after 5 seconds, doubling to ten minutes, and gets everything once when it is back', () => {
    const harness = new QueueHarness();
    harness.answer = () => ({ type: 'failed', afterMs: null });
    harness.fire({ scope: 'a' });
    harness.pass(3 * HOUR);
    const waits = harness.attempts.slice(1).map(({ atMs }, i) => (atMs - harness.attempts[i]!.atMs) / 1000);
    // Half of the jitter's range: three quarters of 5, 10, 20 … 600 seconds.
    expect(waits.slice(0, 8)).toEqual([4, 8, 15, 30, 60, 120, 240, 450]);
    expect(Math.max(...waits)).toBe(450);
    harness.answer = () => ({ type: 'sent' });
    harness.fire({ scope: 'b' });
    harness.pass(HOUR);
    expect(harness.sent.map(({ message }) => message.key)).toEqual(['demo/feed-down/a', 'demo/feed-down/b']);
  });

  it('gets a digest under the same id when it is sent again, and a digest of other records under another', () => {
    const harness = new QueueHarness();
    harness.answer = () => ({ type: 'failed', afterMs: null });
    for (let i = 0; i < 3; i += 1) harness.fire({ scope: `s${i}` });
    const state = harness.changes;
    const later = new QueueHarness(undefined, state);
    later.answer = () => ({ type: 'failed', afterMs: null });
    later.pass(MINUTE);
    const ids = later.attempts.map(({ message }) => message.id);
    expect(ids.length).toBeGreaterThan(2);
    expect(new Set(ids).size).toBe(1);
    later.fire({ scope: 'other' });
    later.pass(HOUR);
    expect(new Set(later.attempts.map(({ message }) => message.id)).size).toBe(2);
  });

  it('is left alone for as long as it asks, but for an hour at most', () => {
    const harness = new QueueHarness();
    harness.answer = () => ({ type: 'failed', afterMs: 90_000 });
    harness.fire();
    harness.pass(2 * MINUTE);
    expect(harness.attempts.map(({ atMs }) => atMs - harness.attempts[0]!.atMs)).toEqual([0, 90_000]);
    harness.answer = () => ({ type: 'failed', afterMs: 999_999_000 });
    harness.pass(4 * HOUR);
    const last = harness.attempts.slice(-2).map(({ atMs }) => atMs);
    expect(last[1]! - last[0]!).toBe(HOUR);
  });

  it('waits as after any failure when it asks for a shorter wait', () => {
    const attemptsIn = (afterMs: number | null): readonly number[] => {
      const harness = new QueueHarness();
      harness.answer = () => ({ type: 'failed', afterMs });
      harness.fire();
      harness.pass(HOUR);
      return harness.attempts.map(({ atMs }) => atMs);
    };
    expect(attemptsIn(0)).toEqual(attemptsIn(null));
    expect(attemptsIn(0).length).toBeLessThan(30);
  });

  it('is given up after a day, and the other targets get a message about it', () => {
    const harness = new QueueHarness([aPolicy({ name: 'dead' }), aPolicy({ name: 'alive' })]);
    harness.answer = ({ target }) => (target === 'dead' ? { type: 'failed', afterMs: null } : { type: 'sent' });
    harness.fire();
    harness.pass(25 * HOUR, 10_000);
    expect(harness.sent.map(({ target, message }) => `${target} ${message.code}`)).toEqual([
      'alive feed-down',
      'alive alerts-given-up',
    ]);
    expect(harness.queue.size).toBe(0);
    expect(harness.changes).toContainEqual({ type: 'settled', id: 'id-1', target: 'dead', outcome: 'given-up' });
  });

  it('is not sent again what it refuses', () => {
    const harness = new QueueHarness();
    harness.answer = () => ({ type: 'refused' });
    harness.fire();
    harness.pass(MINUTE);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.queue.size).toBe(0);
  });

  it('is tried again soon although the clock was set back by a year', () => {
    const harness = new QueueHarness();
    harness.answer = () => ({ type: 'failed', afterMs: null });
    harness.fire();
    harness.pass(HOUR);
    harness.nowMs -= 365 * 24 * HOUR;
    harness.answer = () => ({ type: 'sent' });
    harness.pass(2000);
    expect(harness.sent).toHaveLength(1);
  });
});

describe('the bound of the queue', () => {
  it('drops the oldest record of the lowest severity first', () => {
    const harness = new QueueHarness();
    harness.fire({ severity: 'critical', scope: 'c' });
    harness.fire({ severity: 'info', scope: 'old' });
    harness.fire({ severity: 'info', scope: 'new' });
    for (let i = 3; i < RECORDS_MAX + 1; i += 1) harness.fire({ severity: 'warning', scope: `w${i}` });
    expect(harness.queue.size).toBe(RECORDS_MAX);
    const keys = [...stateAfter(harness.changes).pending.values()].map(({ record }) => record.key);
    expect(keys).toContain('demo/feed-down/c');
    expect(keys).toContain('demo/feed-down/new');
    expect(keys).not.toContain('demo/feed-down/old');
  });
});

describe('a message that a receiver refuses', () => {
  it('is reported to the other targets, once', () => {
    const harness = new QueueHarness([aPolicy({ name: 'chat' }), aPolicy({ name: 'phone' })]);
    harness.answer = ({ target }) => ({ type: target === 'chat' ? 'refused' : 'sent' });
    harness.fire({ scope: 'a' });
    harness.pass(5000);
    harness.fire({ scope: 'b' });
    harness.pass(5000);
    expect(harness.sent.map(({ target, message }) => `${target} ${message.code}`)).toEqual([
      'phone feed-down',
      'phone alerts-given-up',
      'phone feed-down',
    ]);
    expect(harness.sent[1]?.message).toMatchObject({
      severity: 'warning',
      title: 'demo: the target chat does not accept alerts',
      happened: 'The receiver of chat refused 1 alert for good.',
    });
  });
});

describe('a restart', () => {
  it('sends what was left, and does not send again what was sent', () => {
    const first = new QueueHarness();
    first.fire({ scope: 'sent' });
    first.step();
    first.fire({ scope: 'left', severity: 'critical' });
    const second = new QueueHarness([aPolicy()], first.changes);
    second.fire({ scope: 'sent' });
    second.pass(5000);
    expect(second.sent.map(({ message }) => message.key)).toEqual(['demo/feed-down/left']);
  });

  it('keeps the count of a condition', () => {
    const first = new QueueHarness();
    for (let i = 0; i < 3; i += 1) first.fire();
    first.step();
    first.queue.saveCounts();
    const second = new QueueHarness([aPolicy()], first.changes);
    second.pass(20 * MINUTE);
    second.fire();
    second.step();
    expect(second.sent.map(({ message }) => message.count)).toEqual([4]);
  });

  it('drops what waits for a target that the config no longer has', () => {
    const first = new QueueHarness([aPolicy({ name: 'gone' })]);
    first.fire();
    const second = new QueueHarness([aPolicy()], first.changes);
    expect(second.queue.size).toBe(0);
    expect(stateAfter(second.changes).pending.size).toBe(0);
  });
});
