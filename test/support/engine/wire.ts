// Events on their way from a scripted venue: each arrives at its time, and of one time in the order sent.
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Micros } from '../../../src/domain/units.ts';

interface Sent {
  readonly sequence: number;
  readonly isFeed: boolean;
  readonly event: EngineEvent;
}

/** What has been said and not yet heard. */
export class Wire {
  #sent: Sent[] = [];
  #sequence = 0;

  push(event: EngineEvent, isFeed: boolean): void {
    this.#sequence += 1;
    this.#sent.push({ sequence: this.#sequence, isFeed, event });
  }

  /** Loses what the feed has said; answers arrive all the same. */
  cutFeed(): void {
    this.#sent = this.#sent.filter(({ isFeed }) => !isFeed);
  }

  /** When the next event comes; `null` when none is on its way. */
  nextAt(): Micros | null {
    return this.#first()?.event.at ?? null;
  }

  /** The next event, taken off. */
  next(): EngineEvent | undefined {
    const first = this.#first();
    this.#sent = this.#sent.filter((one) => one !== first);
    return first?.event;
  }

  #first(): Sent | undefined {
    let first: Sent | undefined;
    for (const one of this.#sent) if (!first || isBefore(one, first)) first = one;
    return first;
  }
}

const isBefore = (a: Sent, b: Sent): boolean =>
  a.event.at < b.event.at || (a.event.at === b.event.at && a.sequence < b.sequence);
