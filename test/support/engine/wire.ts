// Events in flight from a scripted venue: each arrives at its time, and events of one time in the order sent.
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Micros } from '../../../src/domain/units.ts';

interface Sent {
  readonly sequence: number;
  readonly isFeed: boolean;
  readonly event: EngineEvent;
}

/** The events sent and not yet received. */
export class Wire {
  #sent: Sent[] = [];
  #sequence = 0;

  push(event: EngineEvent, isFeed: boolean): void {
    this.#sequence += 1;
    this.#sent.push({ sequence: this.#sequence, isFeed, event });
  }

  /** Drops the feed messages in flight; answers still arrive. */
  cutFeed(): void {
    this.#sent = this.#sent.filter(({ isFeed }) => !isFeed);
  }

  /** The time of the next event; `null` when none is in flight. */
  nextAt(): Micros | null {
    return this.#first()?.event.at ?? null;
  }

  /** Removes and returns the next event. */
  takeNext(): EngineEvent | undefined {
    const first = this.#first();
    this.#sent = this.#sent.filter((sent) => sent !== first);
    return first?.event;
  }

  #first(): Sent | undefined {
    let first: Sent | undefined;
    for (const sent of this.#sent) if (!first || isBefore(sent, first)) first = sent;
    return first;
  }
}

const isBefore = (a: Sent, b: Sent): boolean =>
  a.event.at < b.event.at || (a.event.at === b.event.at && a.sequence < b.sequence);
