// A cancel sweep without an engine runs until the venue's own list is empty twice, whatever the venue answers
// meanwhile.
import { describe, expect, it } from 'vitest';
import { isMintedBySession } from '../../../src/domain/orders/client-order-id.ts';
import type { CancelCommand, RequestCommand } from '../../../src/domain/venue-command.ts';
import type { EngineEvent, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { fromMillis, qty } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import {
  type CancelSweepResult,
  type CancelSweepOptions,
  listResting,
  runCancelSweep,
} from '../../../src/runtime/session/cancel-sweep.ts';
import type { Answer } from '../../../src/venue.ts';
import { BEGIN, aReport, tickerTable } from '../../support/engine/builders.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';

type Said = readonly EngineEvent[];

/** A venue whose every answer a test may decide. */
class Desk {
  readonly scheduler = new FakeScheduler();
  readonly orders = new Map<string, OrderReport>();
  readonly asked: RequestCommand[] = [];
  /** Replaces the true answer; `null` for the true one. */
  says: (command: RequestCommand, count: number) => Said | null = () => null;
  /** Called just before a request is answered. */
  before: (command: RequestCommand, count: number) => void = () => undefined;
  readonly #answers = new Map<RequestCommand, Said>();

  rests(id: string, client: string | null = `s-0-${id}`): void {
    const own = client === null ? null : clientOrderId(client);
    this.orders.set(id, aReport({ venueOrderId: venueOrderId(id), clientOrderId: own }));
  }

  options(over: Partial<CancelSweepOptions> = {}): CancelSweepOptions {
    return {
      venue: {
        tickers: tickerTable(1),
        gateway: {
          send: (command) => this.#send(command),
          warmUp: () => Promise.resolve(),
          stop: () => Promise.resolve(),
        },
        normalizer: {
          normalize: (input, emit) => {
            if (input.type === 'answer') for (const event of this.#answers.get(input.command) ?? []) emit(event);
          },
        },
      },
      now: () => BEGIN,
      scheduler: this.scheduler,
      log: logTo({ write: () => undefined }, 'silent'),
      isOurs: (order) => isMintedBySession('s', order.clientOrderId),
      graceMs: 1000,
      withinMs: 60_000,
      ...over,
    };
  }

  #send(command: RequestCommand): Promise<Answer> {
    this.asked.push(command);
    this.before(command, this.asked.length);
    this.#answers.set(command, this.says(command, this.asked.length) ?? this.#truth(command));
    const outcome = { type: 'answered', status: 200, body: '', retryAfter: null, venueAt: null } as const;
    return Promise.resolve({ type: 'answer', at: BEGIN, askedAt: BEGIN, command, outcome });
  }

  #truth(command: RequestCommand): Said {
    if (command.type === 'read') return [page(command.id, [...this.orders.values()])];
    return command.type === 'cancel' ? [this.#cancel(command)] : [];
  }

  #cancel({ venueOrderId: id, clientOrderId: own }: CancelCommand): EngineEvent {
    return this.orders.delete(id)
      ? { kind: 'cancel-accepted', at: BEGIN, clientOrderId: own, reducedBy: qty(100) }
      : { kind: 'cancel-refused', at: BEGIN, clientOrderId: own, code: 'not_found' };
  }

  /** Advances virtual time until the sweep ends. */
  async through(ending: Promise<CancelSweepResult>): Promise<CancelSweepResult> {
    const ends: CancelSweepResult[] = [];
    void ending.then((one) => ends.push(one));
    for (let turn = 0; turn < 20_000 && ends.length === 0; turn++) {
      await Promise.resolve();
      if (turn % 20 === 19) this.scheduler.advance(this.scheduler.nextInMs ?? 0);
    }
    return ending;
  }

  cancels(): string[] {
    return this.asked.flatMap((command) => (command.type === 'cancel' ? [command.venueOrderId as string] : []));
  }
}

const page = (commandId: number, rows: readonly OrderReport[], cursor: string | null = null): EngineEvent => ({
  kind: 'orders',
  at: BEGIN,
  askedAt: BEGIN,
  commandId,
  rows,
  cursor,
});
const failed = (commandId: number): EngineEvent => ({
  kind: 'read-failed',
  at: BEGIN,
  commandId,
  reason: 'status 500',
  isRefused: false,
});
const busy = (commandId: number, retryAfterMs: number | null): EngineEvent => ({
  kind: 'rate-limited',
  at: BEGIN,
  commandId,
  budget: 'trade',
  retryAfter: retryAfterMs === null ? null : fromMillis(retryAfterMs),
});

describe('a cancel sweep', () => {
  it('cancels our orders, leaves the others, and repeats until the list was empty twice after the grace', async () => {
    const desk = new Desk();
    for (const id of ['1', '2', '3']) desk.rests(id);
    desk.rests('4', 'other-0-1');
    desk.rests('5', null);
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toEqual({ isDone: true, canceled: 3, left: [], trouble: null });
    expect([...desk.orders.keys()]).toEqual(['4', '5']);
    expect(desk.scheduler.now()).toBeGreaterThanOrEqual(1000);
  });

  it('finds an order that arrives within the grace', async () => {
    const desk = new Desk();
    desk.before = (_, count) => {
      if (count === 6) desk.rests('late');
    };
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toMatchObject({ isDone: true, canceled: 1 });
    expect(desk.orders.size).toBe(0);
  });

  it('waits for the grace again after each order that arrives', async () => {
    const desk = new Desk();
    const arrivesAtMs = [900, 1800, 2700];
    desk.before = () => {
      while (desk.scheduler.now() >= (arrivesAtMs[0] ?? Infinity)) desk.rests(`late${arrivesAtMs.shift()}`);
    };
    const end = await desk.through(runCancelSweep(desk.options()));
    expect(end).toMatchObject({ isDone: true, canceled: 3, left: [] });
    expect(desk.scheduler.now()).toBeGreaterThanOrEqual(3700);
  });

  it('never treats a failed list, or one that lacks a page, as an empty one', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command, count) => {
      if (command.type !== 'read' || count > 8) return null;
      return command.cursor === null ? [page(command.id, [], 'more')] : [failed(command.id)];
    };
    const end = await desk.through(runCancelSweep(desk.options({ graceMs: 0 })));
    expect(end).toMatchObject({ isDone: true, canceled: 1, trouble: 'status 500' });
    expect(desk.cancels()).toEqual(['1']);
  });

  it('waits as long as the venue says after a refusal for rate, and continues', async () => {
    const desk = new Desk();
    for (let id = 0; id < 20; id++) desk.rests(`${id}`);
    desk.says = (command) =>
      command.type === 'cancel' && desk.scheduler.now() < 3000 ? [busy(command.id, 3000)] : null;
    const end = await desk.through(runCancelSweep(desk.options({ graceMs: 0 })));
    expect(end).toMatchObject({ isDone: true, canceled: 20, trouble: 'the venue refused for rate' });
    // Eight at once were refused, and no request was repeated before the time.
    expect(desk.cancels()).toHaveLength(28);
  });

  it('repeats a cancel that was lost', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command) =>
      command.type === 'cancel' && desk.cancels().length === 1
        ? [{ kind: 'cancel-lost', at: BEGIN, clientOrderId: command.clientOrderId, reason: 'timed out' }]
        : null;
    expect(await desk.through(runCancelSweep(desk.options()))).toMatchObject({ isDone: true, trouble: 'timed out' });
    expect(desk.cancels()).toEqual(['1', '1']);
  });

  it('gives up at its deadline and reports what it saw last', async () => {
    const desk = new Desk();
    desk.rests('1');
    desk.says = (command) => (command.type === 'cancel' ? [busy(command.id, null)] : null);
    const end = await desk.through(runCancelSweep(desk.options({ withinMs: 5000 })));
    expect(end).toEqual({
      isDone: false,
      canceled: 0,
      left: [{ clientOrderId: 's-0-1', venueOrderId: '1', ticker: 'M-0' }],
      trouble: 'the venue refused for rate',
    });
    expect(desk.scheduler.now()).toBeLessThanOrEqual(5000);
  });

  it('reports when it never received a list', async () => {
    const desk = new Desk();
    desk.says = (command) => [failed(command.id)];
    expect(await desk.through(runCancelSweep(desk.options({ withinMs: 5000 })))).toMatchObject({
      isDone: false,
      left: null,
    });
  });
});

describe('listing resting orders', () => {
  it('lists once and cancels nothing', async () => {
    const desk = new Desk();
    desk.rests('1');
    const end = await desk.through(listResting(desk.options()));
    expect(end).toMatchObject({ isDone: false, left: [{ venueOrderId: '1' }] });
    expect(desk.asked).toHaveLength(1);
  });
});
