// A watchdog strikes at silence and at death, never for its own sleep, and once for each.
import { describe, expect, it } from 'vitest';
import { type StrikeCause, BotWatchdog } from '../../../src/runtime/watchdog/bot-watchdog.ts';
import { type BotMessage, parseBotMessage } from '../../../src/runtime/watchdog/watchdog-messages.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';

const beat = (beats: number): BotMessage => ({ type: 'beat', session: 's', resting: 2, beats });

class Bench {
  readonly scheduler = new FakeScheduler();
  readonly struck: StrikeCause[] = [];
  readonly ended: string[] = [];
  readonly dog = new BotWatchdog({
    scheduler: this.scheduler,
    deadlineMs: 1000,
    strike: (cause) => {
      this.struck.push(cause);
      return Promise.resolve();
    },
    onEnd: (why) => this.ended.push(why),
  });

  /** Advances time one check at a time. */
  pass(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; passed += 50) this.scheduler.advance(50);
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

describe('a watchdog', () => {
  it('does not strike at a bot that sends heartbeats within the deadline', async () => {
    const bench = new Bench();
    for (let beats = 1; beats <= 20; beats++) {
      bench.dog.onMessage(beat(beats));
      bench.pass(900);
    }
    await bench.settle();
    expect(bench.struck).toEqual([]);
  });

  it('strikes once when the deadline passes without a heartbeat, and again at the next silence', async () => {
    const bench = new Bench();
    bench.dog.onMessage(beat(1));
    bench.pass(950);
    await bench.settle();
    expect(bench.struck).toEqual([]);
    bench.pass(100);
    await bench.settle();
    expect(bench.struck).toEqual(['hung']);
    bench.pass(10_000);
    await bench.settle();
    expect(bench.struck).toEqual(['hung']);
    bench.dog.onMessage(beat(2));
    bench.pass(1100);
    await bench.settle();
    expect(bench.struck).toEqual(['hung', 'hung']);
  });

  it('strikes at a bot that never sent a heartbeat', async () => {
    const bench = new Bench();
    bench.pass(1100);
    await bench.settle();
    expect(bench.struck).toEqual(['hung']);
  });

  it('strikes and ends when the connection closes without a goodbye', async () => {
    const bench = new Bench();
    bench.dog.onMessage(beat(1));
    bench.dog.onDisconnect();
    await bench.settle();
    expect([bench.struck, bench.ended]).toEqual([['died'], ['died']]);
    expect(bench.scheduler.pendingCount).toBe(0);
  });

  it('ends without striking after a goodbye', async () => {
    const bench = new Bench();
    bench.dog.onMessage({ type: 'bye' });
    bench.dog.onDisconnect();
    bench.pass(5000);
    await bench.settle();
    expect([bench.struck, bench.ended]).toEqual([[], ['bye']]);
  });

  it('does not strike for time during which it slept itself', async () => {
    const bench = new Bench();
    bench.dog.onMessage(beat(1));
    // The machine was suspended: the check that was due comes an hour late.
    bench.scheduler.jump(3_600_000);
    bench.pass(800);
    await bench.settle();
    expect(bench.struck).toEqual([]);
    bench.pass(300);
    await bench.settle();
    expect(bench.struck).toEqual(['hung']);
  });
});

describe('a heartbeat', () => {
  it('a heartbeat is one line of JSON, and any other line is ignored', () => {
    expect(parseBotMessage(JSON.stringify(beat(3)))).toEqual(beat(3));
    expect(parseBotMessage('{"type":"bye"}')).toEqual({ type: 'bye' });
    for (const line of ['', 'bye', '{}', '{"type":"beat"}', '[]', '{"type":"bye","more":1}'])
      expect(parseBotMessage(line)).toBeNull();
  });
});
