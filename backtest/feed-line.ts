// The feed between the simulated venue and the bot: the tape's rows and what only we are told, in the order in which they
// set out. Holds the words; the rows stay on the tape. Must never let a word overtake a row that set out before it.
import type { EngineEvent } from '../src/domain/event.ts';
import type { Micros } from '../src/domain/units.ts';
import { timed } from '../src/venues/simulated/courier.ts';
import { Fifo } from '../src/venues/simulated/fifo.ts';
import type { VenueEvent } from '../src/venues/simulated/ports.ts';

interface Word {
  readonly event: VenueEvent;
  readonly at: Micros;
  /** How many rows set out before it. */
  readonly after: number;
}

/** Words on their way. */
export class FeedLine {
  readonly #words = new Fifo<Word>();
  /** How many rows come before the next word; infinite when there is none. */
  after = Number.POSITIVE_INFINITY;
  /** When the next word arrives, if the rows before it have. */
  at = Number.POSITIVE_INFINITY;

  /** A word sets out, after so many rows, to arrive at a time. */
  push(event: VenueEvent, at: Micros, after: number): void {
    this.#words.push({ event, at, after });
    this.#look();
  }

  #look(): void {
    const { first } = this.#words;
    this.after = first?.after ?? Number.POSITIVE_INFINITY;
    this.at = first?.at ?? Number.POSITIVE_INFINITY;
  }

  /** The next word, taken off, with the time of its arrival. */
  take(at: Micros): EngineEvent | null {
    const word = this.#words.shift();
    this.#look();
    if (word === undefined) return null;
    const event = timed(word.event, at);
    // The tape says where it has gaps: between them nothing is lost, for any market.
    if (event.kind === 'book-snapshot') event.stream = TAPE_STREAM;
    return event;
  }
}

/** The number of the one sequence that all rows of a tape belong to. */
export const TAPE_STREAM = 1;
