// Sends the bot's commands over the latency link: those that leave together as batches, as a live session does. Must
// never change which commands leave.
import type { Command } from '../src/domain/venue-command.ts';
import type { Micros } from '../src/domain/units.ts';
import { type BatchRules, batchOrders } from '../src/execution/orders/order-batches.ts';
import type { LatencyLink } from '../src/venues/simulated/models/latency-link.ts';

/** The departures of one run's commands. */
export class CommandDepartures {
  readonly #link: LatencyLink;
  readonly #rules: BatchRules;
  /** Commands that the answers to a batch have released. They leave together after the last of these answers. */
  readonly #held: Command[] = [];
  #isHolding = false;

  /** @param batchMax The most orders, or cancels, in one request. */
  constructor(link: LatencyLink, batchMax: number) {
    this.#link = link;
    this.#rules = { batchMax, isAlone: (command) => link.wasRefusedInBatch(command) };
  }

  /** Sends the commands of one step, now or with those of the next answers. */
  sendCommands(commands: readonly Command[], now: Micros): void {
    if (this.#isHolding) this.#held.push(...commands);
    else this.#leave(commands, now);
  }

  /** Called before an event of an answer. `isFollowed`: another event of the answers to the same batch follows it. */
  beforeAnswer(isFollowed: boolean): void {
    this.#isHolding = isFollowed || this.#held.length > 0;
  }

  /** Called after such an event. */
  afterAnswer(isFollowed: boolean, now: Micros): void {
    if (this.#isHolding && !isFollowed) this.#leave(this.#held.splice(0), now);
    this.#isHolding = isFollowed;
  }

  #leave(commands: readonly Command[], now: Micros): void {
    for (const request of batchOrders(commands, this.#rules)) this.#link.sendCommand(request, now);
  }
}
