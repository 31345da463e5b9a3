// The latency link between a bot and a simulated venue. It has three legs: `order` carries commands to the venue;
// `feed` and `answer` carry events to the bot. Must never let a message overtake another of its leg, nor use randomness
// that the seed does not decide.
import type { RequestWay } from '../../../config/simulation-config.ts';
import { type Command, type OrderBatch, isFeedCommand } from '../../../domain/venue-command.ts';
import type { EngineEvent } from '../../../domain/event.ts';
import { EPOCH, type Micros, micros } from '../../../domain/units.ts';
import { must } from '../../../base/assert.ts';
import { Fifo } from '../fifo-queue.ts';
import type { UniformDraw, LatencyModel, MessageLeg, VenueEvent, VenueSink } from '../simulator-interfaces.ts';

export interface LatencyLinkOptions {
  readonly latency: LatencyModel;
  readonly draw: UniformDraw;
  readonly venueTime: () => Micros;
}

/** A message in flight, with its time of arrival. */
export type MessageInFlight =
  | {
      readonly leg: 'order';
      readonly at: Micros;
      /** Number by sending: a later message has a higher number. */
      readonly sequence: number;
      readonly sentAt: Micros;
      readonly command: Command | OrderBatch;
    }
  | {
      readonly leg: 'feed' | 'answer';
      readonly at: Micros;
      readonly sequence: number;
      readonly event: EngineEvent;
      /** True when a further event of the answers to the same batch follows. */
      readonly isFollowed: boolean;
    };

/** A batch whose orders are not all answered. */
interface BatchInFlight {
  readonly commands: OrderBatch['commands'];
  readonly way: RequestWay | undefined;
  /** Number of its orders without an answer. */
  unanswered: number;
  /** Arrival of its answer, once drawn. */
  answeredAt: Micros | null;
}

/** The three legs of the link. Messages of the same arrival time come in the sequence in which they were sent. */
export class LatencyLink implements VenueSink {
  readonly #options: LatencyLinkOptions;
  readonly #legs: Readonly<Record<MessageLeg, Fifo<MessageInFlight>>> = {
    feed: new Fifo<MessageInFlight>(),
    order: new Fifo<MessageInFlight>(),
    answer: new Fifo<MessageInFlight>(),
  };
  /** Arrival of the last message of each leg: the next message does not arrive earlier. */
  readonly #lastAt: Record<MessageLeg, Micros> = { feed: EPOCH, order: EPOCH, answer: EPOCH };
  /**
   * Kinds of unanswered requests, by id, for models whose delays differ by kind. Added when a request is sent; removed
   * by its answer.
   */
  readonly #ways = new Map<number, RequestWay>();
  /**
   * The batch of each unanswered command that left in one, by command id. Added when a batch is sent; removed by the
   * answer.
   */
  readonly #batches = new Map<number, BatchInFlight>();
  /** Commands whose batch was refused for its rate. Entries go with their commands. */
  readonly #refusedInBatch = new WeakSet<Command>();
  #sequence = 0;

  constructor(options: LatencyLinkOptions) {
    this.#options = options;
  }

  /** Sends a command, or a batch, from the bot. Returns its time of arrival at the venue. */
  sendCommand(command: Command | OrderBatch, sentAt: Micros): Micros {
    const way = wayOf(command.type === 'batch' ? must(command.commands[0], 'a command of the batch') : command);
    this.#keepWay(command, way);
    const at = this.arrivalOf('order', sentAt, way);
    this.#legs.order.push({ leg: 'order', at, sequence: this.#next(), sentAt, command });
    return at;
  }

  #keepWay(command: Command | OrderBatch, way: RequestWay | undefined): void {
    if (command.type === 'batch') {
      const { commands } = command;
      const batch: BatchInFlight = { commands, way, unanswered: commands.length, answeredAt: null };
      for (const { id } of commands) this.#batches.set(id, batch);
      return;
    }
    const { differsByWay = false } = this.#options.latency;
    if (differsByWay && way !== undefined && !isFeedCommand(command)) this.#ways.set(command.id, way);
  }

  publish(event: VenueEvent): void {
    const at = this.arrivalOf('feed', this.#options.venueTime());
    const timedEvent = withArrivalTime(event, at);
    this.#legs.feed.push({ leg: 'feed', at, sequence: this.#next(), event: timedEvent, isFollowed: false });
  }

  /** The events of one answer arrive together, and so do the answers to a batch. */
  sendAnswer(events: readonly VenueEvent[]): void {
    const venueAt = this.#options.venueTime();
    const batch = this.#takeBatch(events);
    const at =
      batch === null
        ? this.arrivalOf('answer', venueAt, this.#answeredWay(events[0]))
        : (batch.answeredAt ??= this.arrivalOf('answer', venueAt, batch.way));
    const last = events.at(-1);
    for (const event of events) {
      const clockOffset = at - venueAt;
      const timedEvent =
        event.kind === 'answered' ? Object.assign(event, { at, clockOffset }) : withArrivalTime(event, at);
      const isFollowed = batch !== null && (batch.unanswered > 0 || event !== last);
      this.#legs.answer.push({ leg: 'answer', at, sequence: this.#next(), event: timedEvent, isFollowed });
    }
  }

  /**
   * Returns the arrival of a message that leaves at `sentAt`; later messages of the leg do not arrive earlier. Also
   * called for messages that the link does not carry, such as rows of a tape.
   */
  arrivalOf(leg: MessageLeg, sentAt: Micros, way?: RequestWay): Micros {
    const { latency, draw } = this.#options;
    return this.keepBehind(leg, micros(sentAt + latency.drawDelay(leg, { at: sentAt, way }, draw)));
  }

  /** The batch of an answered command, for which one delay is drawn. `null` for other answers. */
  #takeBatch([first, second]: readonly VenueEvent[]): BatchInFlight | null {
    if (first?.kind !== 'answered' || this.#batches.size === 0) return null;
    const batch = this.#batches.get(first.commandId);
    if (batch === undefined) return null;
    this.#batches.delete(first.commandId);
    batch.unanswered -= 1;
    if (second?.kind === 'rate-limited') this.#markRefused(batch, first.commandId);
    return batch;
  }

  /** True for a command whose batch was refused for its rate: it leaves alone next time, as live. */
  wasRefusedInBatch(command: Command): boolean {
    return this.#refusedInBatch.has(command);
  }

  #markRefused({ commands }: BatchInFlight, id: number): void {
    for (const command of commands) if (command.id === id) this.#refusedInBatch.add(command);
  }

  #answeredWay(first: VenueEvent | undefined): RequestWay | undefined {
    if (first?.kind !== 'answered' || this.#ways.size === 0) return undefined;
    const way = this.#ways.get(first.commandId);
    this.#ways.delete(first.commandId);
    return way;
  }

  /**
   * Makes later messages of a leg arrive at `at` or later. Returns `at`, or the arrival of an earlier message if that
   * is later.
   */
  keepBehind(leg: MessageLeg, at: Micros): Micros {
    if (at > this.#lastAt[leg]) this.#lastAt[leg] = at;
    return this.#lastAt[leg];
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Arrival of the next message; infinite when none is in flight. */
  nextAt(): number {
    const { feed, order, answer } = this.#legs;
    return Math.min(
      feed.first?.at ?? Number.POSITIVE_INFINITY,
      order.first?.at ?? Number.POSITIVE_INFINITY,
      answer.first?.at ?? Number.POSITIVE_INFINITY,
    );
  }

  takeNext(): MessageInFlight | undefined {
    const { feed, order, answer } = this.#legs;
    let earliest = feed;
    for (const messages of [order, answer]) if (isBefore(messages.first, earliest.first)) earliest = messages;
    return earliest.shift();
  }

  get inFlightCount(): number {
    const { feed, order, answer } = this.#legs;
    return feed.length + order.length + answer.length;
  }
}

/** Returns the kind of a request; `undefined` for a command to the feed. */
export function wayOf(command: Command): RequestWay | undefined {
  if (isFeedCommand(command)) return undefined;
  return command.type === 'place' ? 'order' : command.type;
}

/** Adds the arrival time to an event in place: nothing else holds the event, and a copy is slow. */
export const withArrivalTime = (event: VenueEvent, at: Micros): EngineEvent => Object.assign(event, { at });

function isBefore(first: MessageInFlight | undefined, second: MessageInFlight | undefined): boolean {
  if (first === undefined) return false;
  if (second === undefined) return true;
  return first.at < second.at || (first.at === second.at && first.sequence < second.sequence);
}
