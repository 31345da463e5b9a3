// Sends the commands that the planner has released. Reads and trades each have a queue, in which the most urgent
// request leaves first. Must never hold a request back because of its rate: the planner has seen to that. Only a new
// order may still be stopped here, by its deadline or by `blockReason`.
import { setMaxListeners } from 'node:events';
import {
  type Command,
  type FeedCommand,
  type Lane,
  type PlaceCommand,
  type RequestCommand,
  budgetOf,
  isFeedCommand,
} from '../../domain/venue-command.ts';
import type { Micros } from '../../domain/units.ts';
import type { Answer, Feed, Gateway } from '../../venue.ts';
import { RequestPlaces } from './request-places.ts';
import type { SessionMeter } from './session-meter.ts';

export interface CommandExecutorOptions {
  readonly gateway: Gateway;
  readonly feed: Feed;
  /** Most requests in flight, for each queue. Cancels have extra places: see `CANCEL_PLACES`. */
  readonly concurrency: { readonly read: number; readonly trade: number };
  readonly onAnswer: (answer: Answer) => void;
  /** Called when an internal error occurs. The session must stop. */
  readonly onFault: (fault: unknown) => void;
  readonly now: () => Micros;
  /**
   * Called just before a new order is sent. Returns a reason not to send it, or `null`. The reason must not depend on
   * the state of strategies or engine.
   */
  readonly blockReason?: (command: PlaceCommand) => string | null;
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

/** Executes commands. */
export class CommandExecutor {
  readonly #options: CommandExecutorOptions;
  readonly #reads: RequestPlaces;
  readonly #trades: RequestPlaces;
  readonly #abort = new AbortController();

  constructor(options: CommandExecutorOptions) {
    this.#options = options;
    // Each request in flight listens to this signal; more than ten listeners are no leak.
    setMaxListeners(0, this.#abort.signal);
    const { concurrency, onFault } = options;
    this.#reads = new RequestPlaces(concurrency.read, onFault);
    this.#trades = new RequestPlaces(concurrency.trade + CANCEL_PLACES, onFault);
  }

  /** Executes a command. Its answer arrives later, through `onAnswer`. */
  executeCommand(command: Command): void {
    if (isFeedCommand(command)) return this.#sendToFeed(command);
    const decidedAt = this.#options.meter?.decidedAt(command) ?? 0;
    const places = budgetOf(command) === 'read' ? this.#reads : this.#trades;
    places.run(PRIORITY[command.lane], () => this.#send(command, decidedAt));
  }

  #sendToFeed(command: FeedCommand): void {
    this.#options.meter?.onFeedCommand(command);
    this.#options.feed.send(command);
  }

  async #send(command: RequestCommand, decidedAt: number): Promise<void> {
    const { meter, gateway, onAnswer, now } = this.#options;
    const blocked = command.type === 'place' ? this.#blockReason(command) : null;
    if (blocked !== null) return onAnswer(this.#notSent(command, blocked));
    meter?.onSend(command, decidedAt, now());
    const answer = await gateway.send(command, this.#abort.signal);
    meter?.onAnswer(answer);
    onAnswer(answer);
  }

  #blockReason(command: PlaceCommand): string | null {
    const { now, blockReason } = this.#options;
    // Many cancels at once delay the new orders behind them.
    if (command.validUntil !== null && now() > command.validUntil) return 'it waited beyond its deadline';
    return blockReason?.(command) ?? null;
  }

  #notSent(command: RequestCommand, reason: string): Answer {
    const at = this.#options.now();
    return { type: 'answer', at, askedAt: at, command, outcome: { type: 'not-sent', reason } };
  }

  /** Aborts unanswered requests, and waits until no request is queued or in flight. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all([this.#reads.untilIdle(), this.#trades.untilIdle()]);
  }
}
