// The live loop handles one input at a time, in order and unchanged; wakes when the engine asks; stops at a fault.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type Micros, fromMillis, micros } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import type { CommandExecutor } from '../../../src/runtime/session/command-executor.ts';
import { LiveLoop } from '../../../src/runtime/session/live-loop.ts';
import type { Answer, Input, Normalizer, RawInput } from '../../../src/venue.ts';
import { aPlace } from '../../support/engine/builders.ts';
import type { Scheduler, Timer } from '../../../src/transport/scheduler.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const frame = (content: string): Input & { type: 'frame' } => ({
  type: 'frame',
  at: fromMillis(0),
  bytes: Buffer.from(content),
});
const surprise = (detail: string): EngineEvent => ({ kind: 'unrecognized', at: fromMillis(0), what: 'frame', detail });

/** A loop over an engine and a normalizer that only record their inputs. */
class Bench {
  readonly log: string[] = [];
  readonly executed: Command[] = [];
  readonly executedTogether: (readonly number[])[] = [];
  readonly faults: unknown[] = [];
  readonly recorded: string[] = [];
  wakeAt: Micros | null = null;
  onStep: (event: EngineEvent) => readonly Command[] = () => [];
  readonly loop: LiveLoop;

  constructor(awake: { readonly scheduler?: Scheduler; readonly awakeMs?: number } = {}) {
    const normalizer: Normalizer = {
      normalize: (input, emit) => {
        this.log.push(`begin ${this.#name(input)}`);
        emit(surprise(this.#name(input)));
        this.log.push(`end ${this.#name(input)}`);
      },
    };
    const step = (event: EngineEvent): readonly Command[] => {
      this.log.push(event.kind === 'unrecognized' ? `step ${event.detail}` : `step ${event.kind}`);
      return this.onStep(event);
    };
    this.loop = new LiveLoop({
      engine: { step, wakeAt: () => this.wakeAt } as unknown as Engine,
      normalizer,
      clock: { now: () => micros(Date.now() * 1000) },
      journal: {
        writeInput: (input) => this.recorded.push(input.type === 'event' ? input.event.kind : this.#name(input)),
        writeNotices: (notices) => this.recorded.push(...notices.map(({ type }) => type)),
        writeCommands: (commands) => this.recorded.push(...commands.map(({ type }) => type)),
      },
      onFault: (fault) => this.faults.push(fault),
      ...awake,
    });
    this.loop.setExecutor({
      executeCommands: (commands: readonly Command[]) => {
        this.executed.push(...commands);
        this.executedTogether.push(commands.map(({ id }) => id));
      },
    } as unknown as CommandExecutor);
  }

  #name(input: RawInput): string {
    return input.type === 'frame' ? text(input.bytes) : input.type;
  }
}

/** A scheduler without timers, whose turns the test makes. */
class TurnScheduler implements Scheduler {
  turns: (() => void)[] = [];
  readonly now = (): number => 0;
  readonly after = (): Timer => ({});
  readonly cancel = (): void => {};
  readonly soon = (act: () => void): void => void this.turns.push(act);

  turn(): void {
    for (const act of this.turns.splice(0)) act();
  }
}

describe('the loop', () => {
  it('passes an input to the engine and the engine’s commands to the executor', () => {
    const bench = new Bench();
    const command = aPlace();
    bench.onStep = () => [command];
    bench.loop.acceptInput(frame('a'));
    expect(bench.log).toEqual(['begin a', 'step a', 'end a']);
    expect(bench.executed).toEqual([command]);
  });

  it('executes the commands that the answers to a batch release together, and none after a fault', () => {
    const bench = new Bench();
    const answerTo = (id: number): Answer => ({
      type: 'answer',
      at: fromMillis(0),
      askedAt: fromMillis(0),
      command: aPlace({ id }),
      outcome: { type: 'unknown', reason: 'lost' },
    });
    let steps = 0;
    bench.onStep = () => [aPlace({ id: (steps += 1) })];
    bench.loop.acceptAnswers([answerTo(1)]);
    bench.loop.acceptAnswers([answerTo(2), answerTo(3)]);
    expect(bench.executedTogether).toEqual([[1], [2, 3]]);
    bench.onStep = () => {
      if (steps === 4) throw new Error('an invariant');
      return [aPlace({ id: (steps += 1) })];
    };
    bench.loop.acceptAnswers([answerTo(4), answerTo(5)]);
    expect(bench.executedTogether).toHaveLength(2);
    expect(bench.faults).toHaveLength(1);
  });

  it('queues inputs that arrive while it is busy, in order', () => {
    const bench = new Bench();
    bench.onStep = (event) => {
      if (event.kind !== 'unrecognized' || event.detail !== 'a') return [];
      bench.loop.acceptInput(frame('b'));
      bench.loop.acceptInput({ type: 'feed-heard', at: fromMillis(0) });
      return [];
    };
    bench.loop.acceptInput(frame('a'));
    expect(bench.log).toEqual([
      'begin a',
      'step a',
      'end a',
      'begin b',
      'step b',
      'end b',
      'begin feed-heard',
      'step feed-heard',
      'end feed-heard',
    ]);
  });

  it('copies a frame that must wait, because its bytes are borrowed', () => {
    const bench = new Bench();
    const borrowed = frame('one');
    bench.onStep = (event) => {
      if (event.kind === 'unrecognized' && event.detail === 'first') {
        bench.loop.acceptInput(borrowed);
        borrowed.bytes.fill('x'.charCodeAt(0));
      }
      return [];
    };
    bench.loop.acceptInput(frame('first'));
    expect(bench.log).toContain('step one');
    expect(bench.log).not.toContain('step xxx');
  });

  it('stays awake after a message of the feed, and only then, until it stops', () => {
    const scheduler = new TurnScheduler();
    const bench = new Bench({ scheduler, awakeMs: 60_000 });
    bench.loop.acceptInput({ type: 'feed-heard', at: fromMillis(0) });
    scheduler.turn();
    expect(scheduler.turns).toHaveLength(0);
    bench.loop.acceptInput(frame('a'));
    for (let turn = 0; turn < 3; turn++) scheduler.turn();
    expect(scheduler.turns).toHaveLength(1);
    bench.loop.stop();
    scheduler.turn();
    expect(scheduler.turns).toHaveLength(0);
  });

  it('records every input before it is handled, in the order of handling', () => {
    const bench = new Bench();
    bench.onStep = (event) => {
      if (event.kind === 'unrecognized' && event.detail === 'a') bench.loop.acceptInput(frame('b'));
      return [];
    };
    bench.loop.acceptInput(frame('a'));
    bench.loop.acceptInput({ type: 'event', event: { kind: 'timer', at: fromMillis(0) } });
    expect(bench.recorded).toEqual(['a', 'b', 'timer']);
  });

  it('records alarms and halts before the commands of their step, and no halt that was ordered', () => {
    const bench = new Bench();
    const alarm = { type: 'alarm', code: 'drift', at: fromMillis(0), text: '', figures: {} } as const;
    const halt = { scope: { type: 'account' }, by: 'risk', reason: 'loss', since: fromMillis(0) } as const;
    bench.onStep = () => {
      bench.loop.noteForJournal(alarm);
      bench.loop.noteForJournal({ type: 'halt', halt });
      return [aPlace()];
    };
    bench.loop.acceptInput(frame('a'));
    const order = { type: 'halt', scope: halt.scope, by: 'operator', reason: 'by hand' } as const;
    bench.loop.acceptInput({ type: 'event', event: { kind: 'operator', at: fromMillis(0), order } });
    expect(bench.recorded).toEqual(['a', 'alarm', 'halt', 'place', 'operator', 'alarm', 'place']);
  });

  it('handles nothing once stopped, not even waiting inputs', () => {
    const bench = new Bench();
    bench.onStep = () => {
      bench.loop.acceptInput(frame('b'));
      bench.loop.stop();
      return [];
    };
    bench.loop.acceptInput(frame('a'));
    bench.loop.acceptInput(frame('c'));
    expect(bench.log).toEqual(['begin a', 'step a', 'end a']);
  });

  it('reports a fault once, and handles nothing after it', () => {
    const bench = new Bench();
    const fault = new Error('boom');
    bench.onStep = () => {
      bench.loop.acceptInput(frame('b'));
      throw fault;
    };
    bench.loop.acceptInput(frame('a'));
    bench.loop.acceptInput(frame('c'));
    expect(bench.faults).toEqual([fault]);
    expect(bench.log).toEqual(['begin a', 'step a']);
  });
});

describe('the loop and time', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
  afterEach(() => void vi.useRealTimers());

  const timers = (bench: Bench): number => bench.log.filter((line) => line === 'step timer').length;
  const tick = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

  it('wakes the engine at the time it asked for, and not before', async () => {
    const bench = new Bench();
    bench.wakeAt = fromMillis(1500);
    bench.onStep = (event) => {
      if (event.kind === 'timer') bench.wakeAt = null;
      return [];
    };
    bench.loop.acceptInput(frame('a'));
    await tick(499);
    expect(timers(bench)).toBe(0);
    await tick(2);
    expect(timers(bench)).toBe(1);
    await tick(100_000);
    expect(timers(bench)).toBe(1);
  });

  it('wakes earlier when the engine asks for an earlier time', async () => {
    const bench = new Bench();
    bench.wakeAt = fromMillis(60_000);
    bench.loop.acceptInput(frame('a'));
    await tick(10);
    bench.wakeAt = fromMillis(1100);
    bench.onStep = () => {
      bench.wakeAt = null;
      return [];
    };
    bench.wakeAt = fromMillis(1100);
    bench.onStep = (event) => {
      if (event.kind === 'timer') bench.wakeAt = null;
      return [];
    };
    bench.loop.acceptInput(frame('b'));
    await tick(100);
    expect(timers(bench)).toBe(1);
  });

  it('waits for a time beyond the longest timer of the platform', async () => {
    const bench = new Bench();
    const monthMs = 30 * 86_400_000;
    bench.wakeAt = fromMillis(1000 + monthMs);
    bench.loop.acceptInput(frame('a'));
    await tick(10);
    expect(timers(bench)).toBe(0);
    await tick(180_000);
    expect(timers(bench)).toBeLessThanOrEqual(3);
  });

  it('leaves no timer behind when stopped', async () => {
    const bench = new Bench();
    bench.wakeAt = fromMillis(1500);
    bench.loop.acceptInput(frame('a'));
    await tick(10);
    bench.loop.stop();
    expect(vi.getTimerCount()).toBe(0);
    await tick(10_000);
    expect(timers(bench)).toBe(0);
  });
});
