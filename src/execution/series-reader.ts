// Asks for the series of every event group, once each: what a series charges is part of what an order may cost.
// Until it is known, risk assumes the dearest that is.
import type { EventTicker, SeriesTicker } from '../domain/ids.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

/** Reads series. */
export class SeriesReader {
  readonly #state: State;
  readonly #reader: Reader;
  /** Those that have been asked for and were not known since. */
  readonly #asked = new Set<SeriesTicker>();

  constructor(state: State, reader: Reader) {
    this.#state = state;
    this.#reader = reader;
  }

  /** An event group has been described. */
  groupKnown(name: EventTicker): void {
    const { markets, now } = this.#state;
    const series = markets.group(name)?.seriesTicker;
    if (series === undefined) return;
    // Forgotten with its last event group, it is asked for again when there is another.
    if (markets.series(series)) return void this.#asked.delete(series);
    if (this.#asked.has(series)) return;
    this.#asked.add(series);
    this.#reader.ask({ what: 'series', seriesTicker: series }, now);
  }
}
