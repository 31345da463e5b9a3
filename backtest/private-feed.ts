// The private events in flight between the simulated venue and the bot. Must never let an event overtake a row that
// left before it.
import type { EngineEvent } from '../src/domain/event.ts';
import type { Micros } from '../src/domain/units.ts';
import { withArrivalTime } from '../src/venues/simulated/models/latency-link.ts';
import { Fifo } from '../src/venues/simulated/fifo-queue.ts';
import type { VenueEvent } from '../src/venues/simulated/simulator-interfaces.ts';

interface PrivateEvent {
  readonly event: VenueEvent;
  readonly at: Micros;
  /** Number of rows that left before the event. */
  readonly after: number;
}

/** Private events in flight. */
export class PrivateFeed {
  readonly #events = new Fifo<PrivateEvent>();
  /** Number of rows before the next event, or infinity. */
  rowsBefore = Number.POSITIVE_INFINITY;
  /** Earliest arrival of the next event, or infinity. The rows before it must have arrived as well. */
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

  /** @param at the time of arrival. */
  takeEvent(at: Micros): EngineEvent | null {
    const next = this.#events.shift();
    this.#updateNext();
    if (next === undefined) return null;
    const event = withArrivalTime(next.event, at);
    // The tape marks its own gaps: all its rows and snapshots are one sequence.
    if (event.kind === 'book-snapshot') event.stream = TAPE_STREAM;
    return event;
  }
}

/** The number of the one sequence that all rows of a tape form. */
export const TAPE_STREAM = 1;
