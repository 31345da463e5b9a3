// Sends the commands that the planner has let go, one queue for reads and one for trades, best lane first.
// Must never decide whether something may be sent: admission is the budgets' alone.
import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import {
  type Command,
  type Lane,
  type PlaceCommand,
  type RequestCommand,
  budgetOf,
  isFeedCommand,
} from '../domain/command.ts';
import type { Micros } from '../domain/units.ts';
import type { Answer, Feed, Gateway } from '../venue.ts';

export interface ExecutorOptions {
  readonly gateway: Gateway;
  readonly feed: Feed;
  /** Requests of each queue at once. Cancels are few and must not wait for a place: see `CANCEL_PLACES`. */
  readonly concurrency: { readonly read: number; readonly trade: number };
  readonly onAnswer: (answer: Answer) => void;
  /** Something broke that never should: the session must stop. */
  readonly onFault: (fault: unknown) => void;
  readonly now: () => Micros;
  /**
   * Asked at the last moment before a new order leaves: a reason not to send it, or `null`. What strategies and engine
   * believe does not matter here.
   */
  readonly gate?: (command: PlaceCommand) => string | null;
}

const PRIORITY: Readonly<Record<Lane, number>> = {
  cancel: 3,
  reduce: 2,
  new: 1,
  probe: 2,
  read: 1,
  care: 0,
};
/** Places beyond the planner's in-flight limit, which does not count cancels. */
const CANCEL_PLACES = 16;

/** Carries commands out. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #reads: PQueue;
  readonly #trades: PQueue;
  readonly #abort = new AbortController();

  constructor(options: ExecutorOptions) {
    this.#options = options;
    // Each request under way listens; more than ten are no leak.
    setMaxListeners(0, this.#abort.signal);
    this.#reads = new PQueue({ concurrency: options.concurrency.read });
    this.#trades = new PQueue({ concurrency: options.concurrency.trade + CANCEL_PLACES });
  }

  /** Takes a command; its answer comes later, through `onAnswer`. */
  execute(command: Command): void {
    if (isFeedCommand(command)) return this.#options.feed.send(command);
    const queue = budgetOf(command) === 'read' ? this.#reads : this.#trades;
    queue
      .add(() => this.#send(command), { priority: PRIORITY[command.lane] })
      .catch((fault: unknown) => this.#options.onFault(fault));
  }

  async #send(command: RequestCommand): Promise<void> {
    const closed = command.type === 'place' ? this.#closedTo(command) : null;
    this.#options.onAnswer(
      closed === null ? await this.#options.gateway.send(command, this.#abort.signal) : this.#notSent(command, closed),
    );
  }

  /** Why an order may not leave any more, for all that was decided before; `null` when it may. */
  #closedTo(command: PlaceCommand): string | null {
    const { now, gate } = this.#options;
    // Many cancels at once hold up what comes after them.
    if (command.validUntil !== null && now() > command.validUntil) return 'it waited beyond its deadline';
    return gate?.(command) ?? null;
  }

  #notSent(command: RequestCommand, reason: string): Answer {
    const at = this.#options.now();
    return { type: 'answer', at, askedAt: at, command, outcome: { type: 'not-sent', reason } };
  }

  /** Gives up what is unanswered and waits until nothing is under way. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#reads.onIdle(), this.#trades.onIdle()]);
  }
}
