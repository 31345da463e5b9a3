// The executor has two queues and sends the highest lane first. Every outcome is reported, and nothing is thrown.
import { describe, expect, it } from 'vitest';
import {
  type Command,
  type OrderBatch,
  type RequestCommand,
  isFeedCommand,
} from '../../../src/domain/venue-command.ts';
import { ticker, venueOrderId } from '../../../src/domain/ids.ts';
import type { Micros } from '../../../src/domain/units.ts';
import { CommandExecutor } from '../../../src/runtime/session/command-executor.ts';
import type { Answer, AnswerOutcome, BatchAnswers, LastLook } from '../../../src/venue.ts';
import { BEGIN, aPlace, after } from '../../support/engine/builders.ts';

const place = (id: number, lane: 'new' | 'reduce' = 'new'): Command => aPlace({ id, lane });
const base = { createdAt: BEGIN, validUntil: null };
const read = (id: number): Command => ({
  ...base,
  type: 'read',
  lane: 'read',
  id,
  target: { what: 'status' },
  cursor: null,
});
const cancel = (id: number): Command => {
  const { clientOrderId } = aPlace();
  return {
    ...base,
    type: 'cancel',
    lane: 'cancel',
    id,
    clientOrderId,
    venueOrderId: venueOrderId('v'),
    ticker: ticker('M'),
  };
};

const DONE: AnswerOutcome = { type: 'answered', status: 200, body: '', retryAfter: null, venueAt: null };

/** An executor whose requests the test answers. */
class Bench {
  readonly sent: number[] = [];
  readonly answers: Answer[] = [];
  readonly faults: unknown[] = [];
  readonly fed: Command[] = [];
  /** The last look that the gateway was given. */
  lastLook: LastLook | undefined;
  now: Micros = BEGIN;
  readonly #open = new Map<number, () => void>();
  send: (command: RequestCommand, signal: AbortSignal) => Promise<AnswerOutcome>;
  readonly executor: CommandExecutor;
  readonly batches: (readonly number[])[] = [];
  readonly refusedBatches: string[] = [];
  /** Batches are answered after it. */
  batchEnd: Promise<void> = Promise.resolve();
  /** The venue's answer to batches; `null` where each order gets its own. */
  batchRefusal: { readonly cause: 'rate' | 'batch'; readonly outcome: AnswerOutcome } | null = null;

  constructor(
    concurrency = { read: 1, trade: 1 },
    onAnswers?: (answers: readonly Answer[]) => void,
    blockReason?: (command: RequestCommand) => string | null,
  ) {
    this.send = (command, signal) =>
      new Promise((resolve) => {
        this.#open.set(command.id, () => resolve(DONE));
        const giveUp = (): void => resolve({ type: 'not-sent', reason: 'aborted' });
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp);
      });
    const gateway = {
      warmUp: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      send: async (command: RequestCommand, signal: AbortSignal, lastLook?: LastLook): Promise<Answer> => {
        this.lastLook = lastLook;
        this.sent.push(command.id);
        return { type: 'answer', at: BEGIN, askedAt: BEGIN, command, outcome: await this.send(command, signal) };
      },
      sendBatch: ({ commands }: OrderBatch, _signal: AbortSignal, lastLook?: LastLook): Promise<BatchAnswers> => {
        this.lastLook = lastLook;
        this.batches.push(commands.map(({ id }) => id));
        const { cause, outcome = DONE } = this.batchRefusal ?? {};
        const answers = commands.map((command) => {
          return { type: 'answer', at: BEGIN, askedAt: BEGIN, command, outcome } as const;
        });
        const refusal = cause === undefined ? null : { cause, reason: 'the venue says so' };
        return this.batchEnd.then(() => ({ answers, refusal }));
      },
    };
    const feed = {
      start: () => undefined,
      stop: () => Promise.resolve(),
      send: (command: Command) => void this.fed.push(command),
    };
    this.executor = new CommandExecutor({
      gateway,
      feed,
      concurrency,
      onAnswers: onAnswers ?? ((answers) => void this.answers.push(...answers)),
      onFault: (fault) => void this.faults.push(fault),
      batchMax: 3,
      onBatchRefused: (reason) => void this.refusedBatches.push(reason),
      now: () => this.now,
      ...(blockReason && { blockReason }),
    });
  }

  /** Executes commands, each released by a step of its own. */
  execute(...commands: readonly Command[]): void {
    for (const command of commands) this.executor.executeCommands([command]);
  }

  /** Executes commands that one step released. */
  executeTogether(...commands: readonly Command[]): void {
    this.executor.executeCommands(commands);
  }

  /** Answers a request and waits for the consequences. */
  async answer(id: number): Promise<void> {
    this.#open.get(id)?.();
    await settle();
  }
}

/** Waits until the microtask queue is empty. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Trades in flight at once: one of ours, and the places for cancels. */
const TRADES_AT_ONCE = 17;

describe('the executor', () => {
  it('reports the outcome of a request, whatever it is', async () => {
    const bench = new Bench();
    const outcome = { type: 'unknown', reason: 'the connection was cut' } as const;
    bench.send = () => Promise.resolve(outcome);
    bench.execute(place(1));
    await settle();
    expect(bench.answers).toMatchObject([{ command: { id: 1 }, outcome }]);
    expect(bench.faults).toEqual([]);
  });

  it('sends feed commands to the feed at once', () => {
    const bench = new Bench();
    const command: Command = { ...base, type: 'resync', lane: 'read', id: 9, tickers: [ticker('M')] };
    expect(isFeedCommand(command)).toBe(true);
    bench.execute(command);
    expect(bench.fed).toEqual([command]);
    expect(bench.sent).toEqual([]);
  });

  it('does not send an order that waited in its queue beyond its deadline', async () => {
    const bench = new Bench();
    const held = Array.from({ length: TRADES_AT_ONCE }, (_, id) => cancel(id + 10));
    bench.execute(...held, aPlace({ id: 1, validUntil: after(2000) }), aPlace({ id: 2, validUntil: after(9000) }));
    await settle();
    bench.now = after(5000);
    await bench.answer(10);
    await bench.answer(11);
    expect(bench.sent).toEqual([...held.map(({ id }) => id), 2]);
    const outcome = { type: 'not-sent', reason: 'it waited beyond its deadline' };
    expect(bench.answers.find(({ command }) => command.id === 1)).toMatchObject({ at: after(5000), outcome });
  });

  it.each([[[place(1)]], [[place(1), place(2)]]])(
    'lets the gateway look at the halts and at deadlines once more after a wait of its own',
    async (commands) => {
      let halt: string | null = null;
      const bench = new Bench({ read: 1, trade: 1 }, undefined, () => halt);
      bench.executeTogether(...commands);
      await settle();
      const order = aPlace({ id: 1, validUntil: after(2000) });
      expect(bench.lastLook?.(order)).toBeNull();
      halt = 'halted by operator';
      expect(bench.lastLook?.(order)).toBe('halted by operator');
      bench.now = after(5000);
      expect(bench.lastLook?.(order)).toBe('it waited beyond its deadline');
    },
  );

  it('does not let reads delay trades, nor trades delay reads', async () => {
    const bench = new Bench();
    bench.execute(read(1), read(2), place(3), place(4));
    await settle();
    expect(bench.sent).toEqual([1, 3, 4]);
    await bench.answer(1);
    expect(bench.sent).toEqual([1, 3, 4, 2]);
  });

  it('sends cancels before reducing orders, and those before new ones, when all must wait', async () => {
    const bench = new Bench();
    for (let id = 1; id <= TRADES_AT_ONCE; id++) bench.execute(place(id));
    await settle();
    expect(bench.sent).toHaveLength(TRADES_AT_ONCE);
    bench.execute(place(101), place(102, 'reduce'), cancel(103), place(104), cancel(105));
    for (let id = 1; id <= 5; id++) await bench.answer(id);
    expect(bench.sent.slice(TRADES_AT_ONCE)).toEqual([103, 105, 102, 101, 104]);
  });

  it('aborts unanswered and waiting requests when it stops, and reports each', async () => {
    const bench = new Bench();
    bench.execute(read(1), read(2), place(3));
    await settle();
    await bench.executor.stop();
    expect(bench.answers.map(({ command, outcome }) => [command.id, outcome.type])).toEqual(
      expect.arrayContaining([
        [1, 'not-sent'],
        [2, 'not-sent'],
        [3, 'not-sent'],
      ]),
    );
    expect(bench.faults).toEqual([]);
  });

  it('allows more listeners for its end than Node takes for a leak', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    const bench = new Bench({ read: 20, trade: 1 });
    for (let id = 1; id <= 20; id++) bench.execute(read(id));
    await settle();
    expect(bench.sent).toHaveLength(20);
    await bench.executor.stop();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('stops at once when nothing is in flight', async () => {
    await expect(new Bench().executor.stop()).resolves.toBeUndefined();
  });

  it('reports a gateway that throws as a fault and continues with the others', async () => {
    const bench = new Bench();
    const fault = new Error('a gateway never rejects');
    bench.send = (command) => (command.id === 1 ? Promise.reject(fault) : Promise.resolve(DONE));
    bench.execute(read(1), read(2));
    await settle();
    expect(bench.faults).toEqual([fault]);
    expect(bench.answers.map(({ command }) => command.id)).toEqual([2]);
  });

  it('reports a fault of the code that receives the answer', async () => {
    const fault = new Error('boom');
    const bench = new Bench({ read: 1, trade: 1 }, () => {
      throw fault;
    });
    bench.execute(place(1));
    await bench.answer(1);
    expect(bench.faults).toEqual([fault]);
  });
});

describe('batches', () => {
  it('carry the new orders of one step, and its cancels, and report an answer for each', async () => {
    const bench = new Bench();
    bench.executeTogether(cancel(1), cancel(2), read(3), place(4), place(5));
    await settle();
    expect(bench.batches).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(bench.sent).toEqual([3]);
    expect(bench.answers.map(({ command, outcome }) => [command.id, outcome])).toEqual(
      [1, 2, 4, 5].map((id) => [id, DONE]),
    );
  });

  it('are not made of orders of different steps', async () => {
    const bench = new Bench();
    bench.execute(place(1), place(2));
    await settle();
    expect([bench.batches, bench.sent]).toEqual([[], [1, 2]]);
  });

  it('leave without an order that must not leave any more, which is reported as not sent', async () => {
    const bench = new Bench({ read: 1, trade: 1 }, undefined, ({ id }) => (id === 2 ? 'halted' : null));
    bench.executeTogether(place(1), place(2), place(3));
    await settle();
    expect(bench.batches).toEqual([[1, 3]]);
    expect(bench.answers.find(({ command }) => command.id === 2)?.outcome).toEqual({
      type: 'not-sent',
      reason: 'halted',
    });
  });

  it('become a single request when one order is left', async () => {
    const bench = new Bench({ read: 1, trade: 1 }, undefined, ({ id }) => (id === 2 ? 'halted' : null));
    bench.executeTogether(place(1), place(2));
    await settle();
    expect([bench.batches, bench.sent]).toEqual([[], [1]]);
  });

  it('are split after a refusal for their rate: each of their orders leaves alone next time', async () => {
    const bench = new Bench();
    const outcome = { ...DONE, status: 429 } as const;
    const orders = [place(1), place(2)];
    bench.batchRefusal = { cause: 'rate', outcome };
    bench.executeTogether(...orders);
    await settle();
    expect(bench.answers.map((answer) => answer.outcome)).toEqual([outcome, outcome]);
    bench.batchRefusal = null;
    bench.executeTogether(...orders, place(3), place(4));
    await settle();
    expect([bench.batches, bench.sent]).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
      [1, 2],
    ]);
    expect(bench.refusedBatches).toEqual([]);
  });

  it('are given up once the venue has refused one as a whole, and the reason is reported once', async () => {
    const bench = new Bench();
    const outcome = { type: 'not-sent', reason: 'the venue refused the batch: 403 not_allowed' } as const;
    bench.batchRefusal = { cause: 'batch', outcome };
    bench.executeTogether(cancel(1), cancel(2), place(3), place(4));
    await settle();
    expect(bench.refusedBatches).toEqual(['the venue says so']);
    bench.executeTogether(place(5), place(6));
    await settle();
    expect([bench.batches.length, bench.sent]).toEqual([2, [5, 6]]);
  });

  it('leave as single requests when another batch was refused while they waited', async () => {
    const bench = new Bench();
    const held = Array.from({ length: TRADES_AT_ONCE - 1 }, (_, id) => cancel(id + 100));
    bench.execute(...held);
    let answerBatches = (): void => undefined;
    bench.batchEnd = new Promise((resolve) => (answerBatches = resolve));
    bench.batchRefusal = { cause: 'batch', outcome: { type: 'not-sent', reason: 'refused' } };
    bench.executeTogether(cancel(1), cancel(2), place(3), place(4));
    await settle();
    expect(bench.batches).toEqual([[1, 2]]);
    answerBatches();
    await settle();
    expect([bench.batches, bench.sent.slice(held.length)]).toEqual([[[1, 2]], [3, 4]]);
  });

  it('leave without an order that waited beyond its deadline', async () => {
    const bench = new Bench();
    bench.now = after(5000);
    bench.executeTogether(aPlace({ id: 1, validUntil: after(2000) }), place(2), place(3));
    await settle();
    expect(bench.batches).toEqual([[2, 3]]);
  });

  it('report a gateway that throws as a fault', async () => {
    const bench = new Bench();
    const fault = new Error('a gateway never rejects');
    bench.batchEnd = Promise.reject(fault);
    bench.executeTogether(place(1), place(2));
    await settle();
    expect(bench.faults).toEqual([fault]);
  });

  it('are awaited by the stop', async () => {
    const bench = new Bench();
    let answerBatches = (): void => undefined;
    bench.batchEnd = new Promise((resolve) => (answerBatches = resolve));
    bench.executeTogether(place(1), place(2));
    await settle();
    let isStopped = false;
    const stopped = bench.executor.stop().then(() => (isStopped = true));
    await settle();
    expect(isStopped).toBe(false);
    answerBatches();
    await stopped;
    expect(bench.answers).toHaveLength(2);
  });
});
