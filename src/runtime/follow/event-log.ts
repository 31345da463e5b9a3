// The latest events of a session, numbered from 1. Must never hold more than `EVENTS_MAX`.
import type { LiveEvent } from './follow-messages.ts';

/** Number of events kept. */
export const EVENTS_MAX = 2000;

/** The events kept. */
export class EventLog {
  readonly #ring: LiveEvent[] = [];
  #count = 0;

  addEvent(event: Omit<LiveEvent, 'number'>): void {
    this.#count += 1;
    this.#ring[this.#count % EVENTS_MAX] = { number: this.#count, ...event };
  }

  /** Number of the oldest event kept; 1 for an empty log. */
  get first(): number {
    return Math.max(1, this.#count - EVENTS_MAX + 1);
  }

  /** Number of the latest event; 0 for an empty log. */
  get last(): number {
    return this.#count;
  }

  /** Returns at most `max` events from `number` on, the oldest first. */
  eventsFrom(number: number, max: number): LiveEvent[] {
    const found: LiveEvent[] = [];
    for (let next = Math.max(number, this.first); next <= this.#count && found.length < max; next++) {
      const event = this.#ring[next % EVENTS_MAX];
      if (event !== undefined) found.push(event);
    }
    return found;
  }
}
