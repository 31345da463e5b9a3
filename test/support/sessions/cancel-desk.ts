// A venue for cancel sweeps: it keeps working orders, cancels them, and gives the answers that a test decides. Its time is
// that of a fake scheduler.
import { isMintedBySession } from '../../../src/domain/orders/client-order-id.ts';
import type { RateLimit } from '../../../src/domain/rate-budget.ts';
import type { BatchedCommand, CancelCommand, RequestCommand } from '../../../src/domain/venue-command.ts';
import type { EngineEvent, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { cents, fromMillis, qty } from '../../../src/domain/units.ts';
import { logTo } from '../../../src/log.ts';
import type { CancelSweepResult, CancelSweepOptions } from '../../../src/runtime/session/cancel-sweep.ts';
import type { Answer, AnswerOutcome, BatchAnswers, BatchRefusal } from '../../../src/venue.ts';
import { BEGIN, aReport, tickerTable } from '../engine/builders.ts';
import { FakeScheduler } from '../transport/fake-scheduler.ts';

type Said = readonly EngineEvent[];

/** A venue whose every answer a test may decide. */
export class Desk {
  readonly scheduler = new FakeScheduler();
  readonly orders = new Map<string, OrderReport>();
  readonly asked: RequestCommand[] = [];
  /** Replaces the true answer; `null` for the true one. */
  says: (command: RequestCommand, count: number) => Said | null = () => null;
  /** Called just before a request is answered. */
  before: (command: RequestCommand, count: number) => void = () => undefined;
  /** The most cancels in a batch; 1 for a venue without batches. */
  batchMax = 1;
  /** Sizes of the batches that were sent. */
  readonly batches: number[] = [];
  /** True while a request of its own is answered, and not one of a batch. */
  isAlone = true;
  /** Refuses the next batch as a whole, or gives it no known outcome; `null` for neither. */
  troubles: (size: number) => BatchRefusal | 'unknown' | null = () => null;
  /** Trade requests that the venue takes, each cancel of a batch counted. */
  limit: RateLimit = { model: 'rolling-window', count: 1000, windowMs: 1000 };
  readonly #takenAtMs: number[] = [];
  readonly #answers = new Map<RequestCommand, Said>();

  /** Takes cancels if the limit has room for all of them. */
  hasRoom(count = 1): boolean {
    const nowMs = this.scheduler.now();
    const { limit } = this;
    const max = limit.model === 'rolling-window' ? limit.count : limit.capacity;
    if (this.#takenAtMs.filter((at) => at > nowMs - 1000).length + count > max) return false;
    for (let each = 0; each < count; each++) this.#takenAtMs.push(nowMs);
    return true;
  }

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
          ...(this.batchMax > 1 && {
            sendBatch: ({ commands }: { commands: readonly BatchedCommand[] }) => this.#sendBatch(commands),
          }),
          warmUp: () => Promise.resolve(),
          stop: () => Promise.resolve(),
        },
        capabilities: {
          canAmend: false,
          canDecrease: false,
          batchMax: this.batchMax,
          dedupesClientIds: true,
          canPostOnly: true,
          canReduceOnly: true,
          timeInForce: ['gtc'],
          qtyStep: 100,
          priceMin: cents(1),
          priceMax: cents(99),
          limits: { read: this.limit, trade: this.limit },
          cost: () => 1,
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

  async #sendBatch(commands: readonly BatchedCommand[]): Promise<BatchAnswers> {
    this.batches.push(commands.length);
    const trouble = this.troubles(commands.length);
    if (trouble === null) {
      this.isAlone = false;
      const answers = commands.map((command) => this.#send(command));
      this.isAlone = true;
      return { answers: await Promise.all(answers), refusal: null };
    }
    const refusal = trouble === 'unknown' ? null : trouble;
    const answers = commands.map((command) => this.#failedAnswer(command, refusal));
    return Promise.resolve({ answers, refusal });
  }

  #failedAnswer(command: BatchedCommand, refusal: BatchRefusal | null): Answer {
    const { clientOrderId: own } = command;
    const isRate = refusal?.cause === 'rate';
    const said: EngineEvent = isRate
      ? busy(command.id, 1000)
      : { kind: 'cancel-lost', at: BEGIN, clientOrderId: own, reason: 'the batch failed' };
    this.#answers.set(command, [said]);
    const answered: AnswerOutcome = { type: 'answered', status: 429, body: '', retryAfter: null, venueAt: null };
    const type = refusal === null ? 'unknown' : 'not-sent';
    return {
      type: 'answer',
      at: BEGIN,
      askedAt: BEGIN,
      command,
      outcome: isRate ? answered : { type, reason: 'the batch failed' },
    };
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

/** A page of the list of working orders. */
export const page = (commandId: number, rows: readonly OrderReport[], cursor: string | null = null): EngineEvent => ({
  kind: 'orders',
  at: BEGIN,
  askedAt: BEGIN,
  commandId,
  rows,
  cursor,
});
/** A page that could not be read. */
export const failed = (commandId: number): EngineEvent => ({
  kind: 'read-failed',
  at: BEGIN,
  commandId,
  reason: 'status 500',
  isRefused: false,
});
/** A refusal for the rate of trade requests. */
export const busy = (commandId: number, retryAfterMs: number | null): EngineEvent => ({
  kind: 'rate-limited',
  at: BEGIN,
  commandId,
  budget: 'trade',
  retryAfter: retryAfterMs === null ? null : fromMillis(retryAfterMs),
});
