// Sends the commands that the planner has released. Reads and trades each have a queue, in which the most urgent
// request leaves first. Must never hold a request back because of its rate: the planner has seen to that. A command may
// still be stopped here by its deadline, and one that may add risk by `blockReason`.
import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import { assert, must } from '../../base/assert.ts';
import {
  type BatchedCommand,
  type Command,
  type FeedCommand,
  type Lane,
  type OrderBatch,
  type RequestCommand,
  type TermsCommand,
  budgetOf,
  givesTerms,
  isFeedCommand,
} from '../../domain/venue-command.ts';
import type { Micros } from '../../domain/units.ts';
import { batchOrders } from '../../execution/orders/order-batches.ts';
import type { Answer, BatchAnswers, Feed, Gateway, LastLook } from '../../venue.ts';
import type { SessionMeter } from './session-meter.ts';

export interface CommandExecutorOptions {
  readonly gateway: Gateway;
  readonly feed: Feed;
  /** Most requests in flight, for each queue. Cancels have extra places: see `CANCEL_PLACES`. */
  readonly concurrency: { readonly read: number; readonly trade: number };
  /** The most orders, or cancels, that leave in one request. Default: 1. */
  readonly batchMax?: number;
  /** Called when the venue refuses a whole batch for another reason than its rate. No further batch is sent. */
  readonly onBatchRefused?: (reason: string) => void;
  /** Receives the answers to one request: one, or those to the orders of a batch. */
  readonly onAnswers: (answers: readonly Answer[]) => void;
  /** Called when an internal error occurs. The session must stop. */
  readonly onFault: (fault: unknown) => void;
  readonly now: () => Micros;
  /**
   * Called just before a new order or an amend is sent, and again when the gateway has had to wait. Returns a reason not
   * to send it, or `null`. The reason must not depend on what strategies or engine decide now: only the strategy of an
   * amended order is looked up there.
   */
  readonly blockReason?: (command: TermsCommand) => string | null;
  readonly meter?: SessionMeter;
}

const PRIORITY: Readonly<Record<Lane, number>> = {
  cancel: 3,
  reduce: 2,
  new: 1,
  probe: 2,
  read: 1,
  care: 0,
};
/** Extra places in the queue of trades: the planner's in-flight limit does not count cancels. */
const CANCEL_PLACES = 16;

/** An order of a batch, and the time at which it was decided. */
interface DecidedOrder {
  readonly command: BatchedCommand;
  readonly decidedAt: number;
}

/** Executes commands. */
export class CommandExecutor {
  readonly #options: CommandExecutorOptions;
  readonly #reads: PQueue;
  readonly #trades: PQueue;
  readonly #abort = new AbortController();
  #batchMax: number;
  /** Commands whose batch was refused for its rate. They leave alone next time, because one may fit where all do not. */
  readonly #alone = new WeakSet<Command>();
  readonly #isAlone = (command: Command): boolean => this.#alone.has(command);
  readonly #lastLook: LastLook = (command) => this.#blockReason(command);

  constructor(options: CommandExecutorOptions) {
    this.#options = options;
    // Each request in flight listens to this signal; more than ten listeners are no leak.
    setMaxListeners(0, this.#abort.signal);
    this.#reads = new PQueue({ concurrency: options.concurrency.read });
    this.#trades = new PQueue({ concurrency: options.concurrency.trade + CANCEL_PLACES });
    this.#batchMax = options.batchMax ?? 1;
    assert(this.#batchMax === 1 || options.gateway.sendBatch !== undefined, 'a gateway without batches was given some');
  }

  /** Executes the commands of one step. Their answers arrive later, through `onAnswers`. */
  executeCommands(commands: readonly Command[]): void {
    for (const request of batchOrders(commands, { batchMax: this.#batchMax, isAlone: this.#isAlone }))
      if (request.type === 'batch') this.#executeBatch(request);
      else this.#executeCommand(request);
  }

  #executeCommand(command: Command): void {
    if (isFeedCommand(command)) return this.#sendToFeed(command);
    const decidedAt = this.#options.meter?.decidedAt(command) ?? 0;
    const queue = budgetOf(command) === 'read' ? this.#reads : this.#trades;
    queue
      .add(() => this.#send(command, decidedAt), { priority: PRIORITY[command.lane] })
      .catch((fault: unknown) => this.#options.onFault(fault));
  }

  #executeBatch({ commands }: OrderBatch): void {
    const { meter, onFault } = this.#options;
    const decided = commands.map((command) => ({ command, decidedAt: meter?.decidedAt(command) ?? 0 }));
    const priority = Math.max(...commands.map(({ lane }) => PRIORITY[lane]));
    this.#trades.add(() => this.#sendBatch(decided), { priority }).catch(onFault);
  }

  #sendToFeed(command: FeedCommand): void {
    this.#options.meter?.onFeedCommand(command);
    this.#options.feed.send(command);
  }

  async #send(command: RequestCommand, decidedAt: number): Promise<void> {
    const { meter, gateway, onAnswers, now } = this.#options;
    if (!this.#mayLeave(command)) return;
    meter?.onSend(command, decidedAt, now());
    const answer = await gateway.send(command, this.#abort.signal, this.#lastLook);
    meter?.onAnswer(answer);
    onAnswers([answer]);
  }

  /** Sends the orders of a batch that may still leave. */
  async #sendBatch(decided: readonly DecidedOrder[]): Promise<void> {
    const { meter, gateway, now } = this.#options;
    const leaving = decided.filter(({ command }) => this.#mayLeave(command));
    // The venue may have refused another batch while this one waited.
    if (leaving.length < 2 || this.#batchMax === 1) return this.#sendEach(leaving);
    const commands = leaving.map(({ command }) => command);
    for (const { command, decidedAt } of leaving) meter?.onSend(command, decidedAt, now());
    const sent = gateway.sendBatch?.({ type: 'batch', commands }, this.#abort.signal, this.#lastLook);
    this.#onBatchAnswered(await must(sent, 'a gateway that takes batches'));
  }

  async #sendEach(decided: readonly DecidedOrder[]): Promise<void> {
    await Promise.all(decided.map(({ command, decidedAt }) => this.#send(command, decidedAt)));
  }

  /** Looks at a command just before it is sent. One that must not leave any more is answered as not sent. */
  #mayLeave(command: RequestCommand): boolean {
    const blocked = this.#blockReason(command);
    if (blocked !== null) this.#options.onAnswers([this.#notSent(command, blocked)]);
    return blocked === null;
  }

  #onBatchAnswered({ answers, refusal }: BatchAnswers): void {
    const { meter, onAnswers, onBatchRefused } = this.#options;
    if (refusal?.cause === 'rate') for (const { command } of answers) this.#alone.add(command);
    if (refusal?.cause === 'batch' && this.#batchMax > 1) {
      this.#batchMax = 1;
      onBatchRefused?.(refusal.reason);
    }
    for (const answer of answers) meter?.onAnswer(answer);
    onAnswers(answers);
  }

  #blockReason(command: RequestCommand): string | null {
    const { now, blockReason } = this.#options;
    // Many cancels at once delay the new orders behind them.
    if (command.validUntil !== null && now() > command.validUntil) return 'it waited beyond its deadline';
    return givesTerms(command) ? (blockReason?.(command) ?? null) : null;
  }

  #notSent(command: RequestCommand, reason: string): Answer {
    const at = this.#options.now();
    return { type: 'answer', at, askedAt: at, command, outcome: { type: 'not-sent', reason } };
  }

  /** Aborts unanswered requests, and waits until no request is queued or in flight. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#reads.onIdle(), this.#trades.onIdle()]);
  }
}
