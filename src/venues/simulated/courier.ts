// The ways between a bot and a simulated venue: commands there, answers and streamed news back, each way in order.
// Pure: it is told the time with everything, and draws delays from the model alone. Must never let a message overtake
// another one of its way, nor decide anything by chance that the seed does not.
import type { Command } from '../../domain/command.ts';
import type { EngineEvent } from '../../domain/event.ts';
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import { Fifo } from './fifo.ts';
import type { Draw, LatencyModel, Leg, VenueEvent, VenueSink } from './ports.ts';

export interface CourierOptions {
  readonly latency: LatencyModel;
  readonly draw: Draw;
  /** The venue's time, at which what it says sets out. */
  readonly venueTime: () => Micros;
}

/** Something on its way: a command to the venue, or one event to the bot, which carries its time of arrival. */
export type Parcel =
  | {
      readonly leg: 'order';
      readonly at: Micros;
      /** How many parcels set out before it. */
      readonly sequence: number;
      /** When it left the bot. */
      readonly sentAt: Micros;
      readonly command: Command;
    }
  | { readonly leg: 'feed' | 'answer'; readonly at: Micros; readonly sequence: number; readonly event: EngineEvent };

/** All three ways. What arrives at one time comes in the order in which it was sent. */
export class Courier implements VenueSink {
  readonly #options: CourierOptions;
  readonly #ways: Readonly<Record<Leg, Fifo<Parcel>>> = {
    feed: new Fifo<Parcel>(),
    order: new Fifo<Parcel>(),
    answer: new Fifo<Parcel>(),
  };
  /** When the last message of each way arrives: the next one does not before. */
  readonly #lastAt: Record<Leg, Micros> = { feed: EPOCH, order: EPOCH, answer: EPOCH };
  #sequence = 0;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** A command leaves the bot. Returns when it arrives at the venue. */
  send(command: Command, sentAt: Micros): Micros {
    const at = this.arrivalOf('order', sentAt);
    this.#ways.order.push({ leg: 'order', at, sequence: this.#next(), sentAt, command });
    return at;
  }

  /** The venue streams something. */
  feed(event: VenueEvent): void {
    const at = this.arrivalOf('feed', this.#options.venueTime());
    this.#ways.feed.push({ leg: 'feed', at, sequence: this.#next(), event: timed(event, at) });
  }

  /** The venue answers one request: its events arrive together. */
  answer(events: readonly VenueEvent[]): void {
    const venueAt = this.#options.venueTime();
    const at = this.arrivalOf('answer', venueAt);
    for (const event of events) {
      const clockOffset = at - venueAt;
      const told = event.kind === 'answered' ? Object.assign(event, { at, clockOffset }) : timed(event, at);
      this.#ways.answer.push({ leg: 'answer', at, sequence: this.#next(), event: told });
    }
  }

  /**
   * When a message that sets out now on a way arrives, which nobody else's on that way will before: also for what the
   * courier does not carry itself, as the rows of a tape.
   */
  arrivalOf(leg: Leg, sentAt: Micros): Micros {
    const { latency, draw } = this.#options;
    return this.hold(leg, micros(sentAt + latency.delay(leg, sentAt, draw)));
  }

  /** Something else arrives on a way at a time, or as soon after as its order allows; returns when. */
  hold(leg: Leg, at: Micros): Micros {
    if (at > this.#lastAt[leg]) this.#lastAt[leg] = at;
    return this.#lastAt[leg];
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** When the next parcel arrives; infinite when none is on its way. */
  nextAt(): number {
    const { feed, order, answer } = this.#ways;
    return Math.min(
      feed.first?.at ?? Number.POSITIVE_INFINITY,
      order.first?.at ?? Number.POSITIVE_INFINITY,
      answer.first?.at ?? Number.POSITIVE_INFINITY,
    );
  }

  /** The next parcel, taken off its way; `undefined` when none is on any. */
  next(): Parcel | undefined {
    const { feed, order, answer } = this.#ways;
    let earliest = feed;
    for (const way of [order, answer]) if (isBefore(way.first, earliest.first)) earliest = way;
    return earliest.shift();
  }

  /** How many parcels are on their way. */
  get count(): number {
    const { feed, order, answer } = this.#ways;
    return feed.length + order.length + answer.length;
  }
}

/** What the venue says, as it arrives: nobody else has it, and to copy it would take several times as long. */
export const timed = (event: VenueEvent, at: Micros): EngineEvent => Object.assign(event, { at });

function isBefore(one: Parcel | undefined, other: Parcel | undefined): boolean {
  if (one === undefined) return false;
  if (other === undefined) return true;
  return one.at < other.at || (one.at === other.at && one.sequence < other.sequence);
}
