// Asks for the series of every event group, once each, and for what is planned for its fees, where the venue tells: what a
// series charges is part of what an order may cost. Until it is known, risk assumes the dearest that is.
import type { EventTicker, SeriesTicker } from '../domain/ids.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

export interface SeriesReaderOptions {
  readonly state: State;
  readonly reader: Reader;
  /** Whether what is planned for a series' fees can be read. */
  readonly tellsFeeChanges?: boolean;
}

/** Reads series. */
export class SeriesReader {
  readonly #state: State;
  readonly #reader: Reader;
  readonly #tellsFeeChanges: boolean;
  /** Those that have been asked for and were not known since. */
  readonly #asked = new Set<SeriesTicker>();

  constructor({ state, reader, tellsFeeChanges = false }: SeriesReaderOptions) {
    this.#state = state;
    this.#reader = reader;
    this.#tellsFeeChanges = tellsFeeChanges;
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
    if (this.#tellsFeeChanges) this.#reader.ask({ what: 'fee-changes', seriesTicker: series }, now);
  }
}
