// The private part of the feed between the simulated venue and the bot: events that only we receive, in sequence with
// the tape's rows. It holds the events; the rows stay on the tape. Must never let an event overtake a row that left
// before it.
import type { EngineEvent } from '../src/domain/event.ts';
import type { Micros } from '../src/domain/units.ts';
import { withArrivalTime } from '../src/venues/simulated/models/latency-link.ts';
import { Fifo } from '../src/venues/simulated/fifo-queue.ts';
import type { VenueEvent } from '../src/venues/simulated/simulator-interfaces.ts';

interface PrivateEvent {
  readonly event: VenueEvent;
  readonly at: Micros;
  /** Number of rows that left before it. */
  readonly after: number;
}

/** Private events in flight. */
export class PrivateFeed {
  readonly #events = new Fifo<PrivateEvent>();
  /** Number of rows before the next event; infinite when there is none. */
  rowsBefore = Number.POSITIVE_INFINITY;
  /** When the next event arrives, provided that the rows before it have arrived; infinite when there is none. */
  arrivesAt = Number.POSITIVE_INFINITY;

  /** Queues an event that leaves after `after` rows and arrives at `at`. */
  pushEvent(event: VenueEvent, at: Micros, after: number): void {
    this.#events.push({ event, at, after });
    this.#updateNext();
  }

  #updateNext(): void {
    const { first } = this.#events;
    this.rowsBefore = first?.after ?? Number.POSITIVE_INFINITY;
    this.arrivesAt = first?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Removes and returns the next event, with its time of arrival. */
  takeEvent(at: Micros): EngineEvent | null {
    const next = this.#events.shift();
    this.#updateNext();
    if (next === undefined) return null;
    const event = withArrivalTime(next.event, at);
    // All rows of a tape are one sequence, and a snapshot belongs to it, too: the tape marks its own gaps.
    if (event.kind === 'book-snapshot') event.stream = TAPE_STREAM;
    return event;
  }
}

/** The number of the one sequence to which all rows of a tape belong. */
export const TAPE_STREAM = 1;
