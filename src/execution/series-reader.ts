// Asks for the series of every event group, once each, and now and then for what is planned for its fees, where the venue
// tells: what a series charges is part of what an order may cost. Until it is known, risk assumes the dearest that is.
import type { EventTicker, SeriesTicker } from '../domain/ids.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

export interface SeriesReaderOptions {
  readonly state: State;
  readonly reader: Pick<Reader, 'ask'>;
  /** Whether what is planned for a series' fees can be read. */
  readonly tellsFeeChanges?: boolean;
}

/** Plans are announced long before they begin. */
const PLANS_EVERY = fromSeconds(3600);

/** Reads series. */
export class SeriesReader {
  readonly #options: SeriesReaderOptions;
  /** Those that have been asked for and were not known since. */
  readonly #asked = new Set<SeriesTicker>();
  /** When the plans of each were last asked for. */
  readonly #plansAskedAt = new Map<SeriesTicker, Micros>();

  constructor(options: SeriesReaderOptions) {
    this.#options = options;
  }

  /** An event group has been described. */
  groupKnown(name: EventTicker): void {
    const { state, reader, tellsFeeChanges = false } = this.#options;
    const series = state.markets.group(name)?.seriesTicker;
    if (series === undefined) return;
    // Forgotten with its last event group, it is asked for again when there is another.
    if (state.markets.series(series)) this.#asked.delete(series);
    else if (!this.#asked.has(series)) {
      this.#asked.add(series);
      this.#plansAskedAt.delete(series);
      reader.ask({ what: 'series', seriesTicker: series }, state.now);
    }
    if (tellsFeeChanges) this.#askPlans(series);
  }

  #askPlans(series: SeriesTicker): void {
    const { state, reader } = this.#options;
    const askedAt = this.#plansAskedAt.get(series);
    if (askedAt !== undefined && state.now - askedAt < PLANS_EVERY) return;
    this.#plansAskedAt.set(series, state.now);
    reader.ask({ what: 'fee-changes', seriesTicker: series }, state.now);
  }
}
