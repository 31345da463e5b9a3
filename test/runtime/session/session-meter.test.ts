// The meter of a session's edge, and the loop and the executor that it measures.
import { describe, expect, it } from 'vitest';
import { type Micros, fromMillis, micros } from '../../../src/domain/units.ts';
import { ticker, venueOrderId } from '../../../src/domain/ids.ts';
import type { CancelCommand, Command, RequestCommand } from '../../../src/domain/venue-command.ts';
import type { Engine } from '../../../src/engine.ts';
import { CommandExecutor } from '../../../src/runtime/session/command-executor.ts';
import {
  LATENCY_BOUNDS,
  type LatencyCounts,
  LatencyHistogram,
} from '../../../src/runtime/session/latency-histogram.ts';
import { LiveLoop } from '../../../src/runtime/session/live-loop.ts';
import { SessionMeter } from '../../../src/runtime/session/session-meter.ts';
import type { Answer, AnswerOutcome, Input } from '../../../src/venue.ts';
import { aPlace } from '../../support/engine/builders.ts';

const DONE: AnswerOutcome = { type: 'answered', status: 200, body: '', retryAfter: null, venueAt: null };

const countOf = ({ counts }: LatencyCounts): number => counts.reduce((sum, count) => sum + count, 0);

/** A cancel decided at a time. */
const cancelAt = (createdAt: Micros): CancelCommand => ({
  type: 'cancel',
  lane: 'cancel',
  id: 2,
  createdAt,
  validUntil: null,
  clientOrderId: aPlace().clientOrderId,
  venueOrderId: venueOrderId('v'),
  ticker: ticker('M'),
});

/** A loop and an executor on a clock that the test moves. */
class MeteredLoop {
  readonly meter = new SessionMeter();
  /** Time, in microseconds. */
  now = 1_000_000;
  /** Commands that the next step releases. */
  commands: readonly Command[] = [];
  outcome: AnswerOutcome = DONE;
  readonly loop: LiveLoop;

  constructor() {
    const clock = { now: () => micros(this.now) };
    const { meter } = this;
    this.loop = new LiveLoop({
      engine: {
        step: () => {
          this.now += 40;
          const { commands } = this;
          this.commands = [];
          return commands;
        },
        wakeAt: () => null,
      } as unknown as Engine,
      normalizer: {
        normalize: (input, emit) => emit({ kind: 'unrecognized', at: input.at, what: 'frame', detail: '' }),
      },
      clock,
      journal: { writeInput: () => undefined, writeNotices: () => undefined, writeCommands: () => (this.now += 300) },
      meter,
      onFault: (fault) => {
        throw fault;
      },
    });
    this.loop.setExecutor(
      new CommandExecutor({
        gateway: {
          warmUp: () => Promise.resolve(),
          stop: () => Promise.resolve(),
          send: (command: RequestCommand) => this.#answer(command),
        },
        feed: { start: () => undefined, send: () => undefined, stop: () => Promise.resolve() },
        concurrency: { read: 2, trade: 2 },
        onAnswers: (answers) => this.loop.acceptAnswers(answers),
        onFault: (fault) => {
          throw fault;
        },
        now: clock.now,
        meter,
      }),
    );
  }

  #answer(command: RequestCommand): Promise<Answer> {
    const askedAt = micros(this.now + 10);
    this.now += 2000;
    return Promise.resolve({ type: 'answer', at: micros(this.now), askedAt, command, outcome: this.outcome });
  }

  /** Receives a frame 5 µs before it is handled, whose step releases commands. */
  async frame(make: (at: Micros) => readonly Command[]): Promise<void> {
    const at = micros(this.now - 5);
    this.commands = make(at);
    this.loop.acceptInput({ type: 'frame', at, bytes: new Uint8Array() });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the meter', () => {
  it('measures an order from its frame to its answer, stage by stage', async () => {
    const bench = new MeteredLoop();
    await bench.frame((createdAt) => [aPlace({ createdAt })]);
    const { stages, journalWrites } = bench.meter.read();
    expect(stages.frame_to_intent.sum).toBe(45);
    expect(stages.intent_to_send.sum).toBe(300);
    expect(stages.send_to_ack.sum).toBe(1990);
    expect(journalWrites.sum).toBe(300);
    expect(Object.values(stages).map(countOf)).toEqual([1, 1, 1, 0]);
  });

  it('measures a cancel from the event that caused it', async () => {
    const bench = new MeteredLoop();
    await bench.frame((at) => [cancelAt(at)]);
    const { stages } = bench.meter.read();
    expect(stages.cancel_to_ack.sum).toBe(5 + 40 + 300 + 2000);
    expect(Object.values(stages).map(countOf)).toEqual([1, 1, 0, 1]);
  });

  it('counts the wait for the budget into the time before the sending, and not into the step that ends it', async () => {
    const bench = new MeteredLoop();
    await bench.frame((at) => [aPlace({ createdAt: micros(at - 50_000) })]);
    const { stages } = bench.meter.read();
    expect(countOf(stages.frame_to_intent)).toBe(0);
    expect(stages.intent_to_send.sum).toBe(50_000 + 5 + 40 + 300);
  });

  it('measures no step of a timer as one of a frame', async () => {
    const bench = new MeteredLoop();
    await bench.frame(() => []);
    const at = micros(bench.now);
    bench.commands = [aPlace({ createdAt: at })];
    bench.loop.acceptInput({ type: 'event', event: { kind: 'timer', at } });
    await new Promise((resolve) => setImmediate(resolve));
    const { stages } = bench.meter.read();
    expect(Object.values(stages).map(countOf)).toEqual([0, 1, 1, 0]);
  });

  it.each([
    { type: 'unknown', reason: 'lost' },
    { type: 'not-sent', reason: 'aborted' },
  ] as const)('takes no answer of the venue from the outcome $type', async (outcome) => {
    const bench = new MeteredLoop();
    bench.outcome = outcome;
    await bench.frame((createdAt) => [aPlace({ createdAt })]);
    expect(countOf(bench.meter.read().stages.send_to_ack)).toBe(0);
  });

  it('counts inputs by kind, and repairs of the feed by step', () => {
    const meter = new SessionMeter();
    const at = fromMillis(1);
    const inputs: Input[] = [
      { type: 'frame', at, bytes: new Uint8Array() },
      { type: 'frame', at, bytes: new Uint8Array() },
      { type: 'feed-up', at, connection: 1 },
      { type: 'event', event: { kind: 'timer', at } },
    ];
    for (const input of inputs) meter.onInput(input);
    const base = { lane: 'read', id: 1, createdAt: at, validUntil: null } as const;
    meter.onFeedCommand({ ...base, type: 'resync', tickers: [] });
    meter.onFeedCommand({ ...base, type: 'reconnect', reason: 'silent' });
    meter.onFeedCommand({ ...base, type: 'subscribe', tickers: [] });
    const { inputs: counted, resyncs } = meter.read();
    expect(counted).toEqual({ frame: 2, signal: 1, answer: 0, event: 1 });
    expect(resyncs).toEqual({ resync: 1, renew: 0, 'renew-private': 0, reconnect: 1 });
  });
});

describe('a histogram', () => {
  it('counts each duration in the first bucket whose bound it does not exceed', () => {
    const histogram = new LatencyHistogram();
    for (const bound of LATENCY_BOUNDS) {
      histogram.addDuration(bound);
      histogram.addDuration(bound + 1);
    }
    const { counts, sum } = histogram.read();
    expect(counts).toEqual([1, ...LATENCY_BOUNDS.slice(1).map(() => 2), 1]);
    expect(sum).toBe(LATENCY_BOUNDS.reduce((total, bound) => total + 2 * bound + 1, 0));
  });

  it('counts a negative duration as nothing', () => {
    const histogram = new LatencyHistogram([10]);
    histogram.addDuration(-5);
    expect(histogram.read()).toEqual({ counts: [1, 0], sum: 0 });
  });
});
