// Reads the series of every event group once, and its planned fee changes from time to time. Fees are part of an
// order's cost. Until a series is known, risk assumes the highest fees.
import type { EventTicker, SeriesTicker } from '../../domain/ids.ts';
import { type Micros, fromSeconds } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { VenueReader } from './venue-reader.ts';

export interface SeriesReaderOptions {
  readonly state: State;
  readonly reader: Pick<VenueReader, 'requestRead'>;
  /** True when planned fee changes of a series can be read. Default: false. */
  readonly canReadFeeChanges?: boolean;
}

/** Interval of reading planned fees, which are announced long before they apply. */
const PLANS_EVERY = fromSeconds(3600);

/** Reads series and their planned fees. */
export class SeriesReader {
  readonly #options: SeriesReaderOptions;
  /** Series that were requested and are not known yet. Added at the request; removed when known. */
  readonly #requested = new Set<SeriesTicker>();
  /**
   * Time at which the planned fees of each series were last requested. Added at the request; removed when the series
   * itself is requested.
   */
  readonly #plansRequestedAt = new Map<SeriesTicker, Micros>();

  constructor(options: SeriesReaderOptions) {
    this.#options = options;
  }

  onGroupKnown(name: EventTicker): void {
    const { state, reader, canReadFeeChanges = false } = this.#options;
    const series = state.markets.group(name)?.seriesTicker;
    if (series === undefined) return;
    // A series is forgotten with its last event group, and read again when another appears.
    if (state.markets.series(series)) this.#requested.delete(series);
    else if (!this.#requested.has(series)) {
      this.#requested.add(series);
      this.#plansRequestedAt.delete(series);
      reader.requestRead({ what: 'series', seriesTicker: series }, state.now);
    }
    if (canReadFeeChanges) this.#requestPlans(series);
  }

  #requestPlans(series: SeriesTicker): void {
    const { state, reader } = this.#options;
    const askedAt = this.#plansRequestedAt.get(series);
    if (askedAt !== undefined && state.now - askedAt < PLANS_EVERY) return;
    this.#plansRequestedAt.set(series, state.now);
    reader.requestRead({ what: 'fee-changes', seriesTicker: series }, state.now);
  }
}
