// The venue's listing: markets, event groups and series, as the tape has shown them by now. Missing descriptions are
// derived from what the tape has shown, never from the future.
import type { FeesChanged, FeesScheduled } from '../../../domain/event.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker, TickerTable } from '../../../domain/ids.ts';
import { seriesTicker } from '../../../domain/ids.ts';
import {
  type EventGroup,
  type FeeChange,
  type FeeTerms,
  type Market,
  type Series,
  canBecome,
  feeTimeline,
} from '../../../domain/market.ts';
import { FLAT } from '../../../domain/position.ts';
import { EPOCH, type Micros, NO_MONEY } from '../../../domain/units.ts';
import { Fifo } from '../fifo-queue.ts';
import type { VenueMarket } from '../account/venue-records.ts';

/** Maximum number of settled markets that are remembered. */
const PAID_MAX = 10_000;

/** An event group with its markets: first the markets that the group lists, then others that name the group. */
export interface ListedGroup {
  readonly group: EventGroup;
  readonly members: readonly VenueMarket[];
}

/** The fees in force. No planned change affects them before `until`, which may be infinite. */
export interface FeesInForce {
  readonly terms: FeeTerms;
  readonly until: number;
}

/** Returns the series of an event group that was never described: the prefix of its ticker. */
export function seriesOfGroup(eventTicker: string): SeriesTicker {
  const [prefix = eventTicker] = eventTicker.split('-');
  return seriesTicker(prefix === '' ? eventTicker : prefix);
}

/** The listing of markets, event groups and series. */
export class TapeListing {
  readonly #tickers: TickerTable;
  readonly #fallback: FeeTerms;
  readonly #clock: { readonly now: Micros };
  readonly #markets = new Map<Ticker, VenueMarket>();
  readonly #byIndex: (VenueMarket | undefined)[] = [];
  readonly #byGroup = new Map<EventTicker, Set<Ticker>>();
  readonly #groups = new Map<EventTicker, EventGroup>();
  readonly #series = new Map<SeriesTicker, Series>();
  /** Planned fee changes of series, earliest first. */
  readonly #feeChanges = new Map<SeriesTicker, readonly FeeChange[]>();
  readonly #settled = new Fifo<VenueMarket>();
  /** Caches, cleared when a market is added or removed, or a group is described. */
  readonly #listed = new Map<EventTicker, ListedGroup>();
  readonly #listedOf = new Map<SeriesTicker, readonly ListedGroup[]>();
  /** Counts changes of what fees depend on. Computed fees stay valid while the count stays the same. */
  feesRevision = 0;

  /** @param fallback fees of a series that the tape does not describe. */
  constructor(tickers: TickerTable, fallback: FeeTerms, clock: { readonly now: Micros }) {
    this.#tickers = tickers;
    this.#fallback = fallback;
    this.#clock = clock;
  }

  marketOf(ticker: Ticker): VenueMarket | undefined {
    return this.#markets.get(ticker);
  }

  byIndex(index: MarketIndex): VenueMarket | undefined {
    return this.#byIndex[index];
  }

  tickerIndexOf({ market }: VenueMarket): MarketIndex {
    return this.#tickers.internTicker(market.ticker);
  }

  markets(): IterableIterator<VenueMarket> {
    return this.#markets.values();
  }

  /**
   * Returns the market's record, new or known; `null` for an outdated description, such as one requested before the
   * market's last change.
   */
  addDescription(market: Market, askedAt: Micros): VenueMarket | null {
    const known = this.#markets.get(market.ticker);
    if (known === undefined || known.index !== market.index) return this.#addMarket(market, known);
    const isOutdated = !canBecome(known.market.status, market.status) || known.changedAt >= askedAt;
    return isOutdated ? null : known;
  }

  /** Adds a market that is new, or that now has another number. */
  #addMarket(market: Market, previous: VenueMarket | undefined): VenueMarket {
    this.#clearCaches();
    const record: VenueMarket = {
      index: market.index,
      market: previous?.market ?? { ...market, status: 'initialized', result: null, settlementValue: null },
      changedAt: previous?.changedAt ?? EPOCH,
      bookGrid: null,
      timersSet: { openAt: null, closeAt: null },
      position: previous?.position ?? FLAT,
      resting: new Map(),
      reserved: NO_MONEY,
      isPaid: previous?.isPaid ?? false,
    };
    if (previous !== undefined && this.#byIndex[previous.index] === previous) this.#byIndex[previous.index] = undefined;
    this.#markets.set(market.ticker, record);
    this.#byIndex[market.index] = record;
    const members = this.#byGroup.get(market.eventTicker);
    if (members) members.add(market.ticker);
    else this.#byGroup.set(market.eventTicker, new Set([market.ticker]));
    return record;
  }

  /** Records a settlement. The market is dropped after `PAID_MAX` more settlements. */
  onSettled(record: VenueMarket): void {
    this.#settled.push(record);
    const dropped = this.#settled.length > PAID_MAX ? this.#settled.shift() : undefined;
    if (dropped !== undefined) this.#dropMarket(dropped);
  }

  #dropMarket(record: VenueMarket): void {
    const { ticker, eventTicker } = record.market;
    if (this.#markets.get(ticker) !== record) return;
    this.#clearCaches();
    this.#markets.delete(ticker);
    if (this.#byIndex[record.index] === record) this.#byIndex[record.index] = undefined;
    const members = this.#byGroup.get(eventTicker);
    members?.delete(ticker);
    if (members?.size !== 0) return;
    this.#byGroup.delete(eventTicker);
    this.#groups.delete(eventTicker);
  }

  #clearCaches(): void {
    this.#listed.clear();
    this.#listedOf.clear();
  }

  defineGroup(group: EventGroup): void {
    this.feesRevision += 1;
    this.#clearCaches();
    this.#groups.set(group.eventTicker, group);
  }

  changeFees({ eventTicker, fees }: Pick<FeesChanged, 'eventTicker' | 'fees'>): void {
    const group = this.groupOf(eventTicker);
    if (group) this.defineGroup({ ...group, fees });
  }

  defineSeries(series: Series): void {
    this.feesRevision += 1;
    this.#series.set(series.ticker, series);
  }

  listedGroup(eventTicker: EventTicker): ListedGroup | undefined {
    const known = this.#listed.get(eventTicker);
    const group = known === undefined ? this.groupOf(eventTicker) : undefined;
    if (group === undefined) return known;
    const names = new Set([...group.tickers, ...(this.#byGroup.get(eventTicker) ?? [])]);
    const members = [...names].map((ticker) => this.#markets.get(ticker)).filter((record) => record !== undefined);
    const tickers = members.map(({ market }) => market.ticker);
    const listed = { group: { ...group, tickers }, members };
    this.#listed.set(eventTicker, listed);
    return listed;
  }

  /** Returns the event groups of a series with their markets, sorted by name. */
  listedGroupsOf(name: SeriesTicker): readonly ListedGroup[] {
    const known = this.#listedOf.get(name);
    if (known !== undefined) return known;
    const groups = this.groupsOf(name).map(({ eventTicker }) => this.listedGroup(eventTicker));
    const listed = groups.filter((group) => group !== undefined);
    this.#listedOf.set(name, listed);
    return listed;
  }

  /**
   * Returns an event group. A group without a description consists of the markets that name it. Such a group is not
   * exclusive.
   */
  groupOf(eventTicker: EventTicker): EventGroup | undefined {
    const described = this.#groups.get(eventTicker);
    const members = this.#byGroup.get(eventTicker);
    if (described !== undefined || members === undefined) return described;
    return {
      eventTicker,
      seriesTicker: seriesOfGroup(eventTicker),
      title: eventTicker,
      isExclusive: false,
      tickers: [...members],
    };
  }

  groupsOf(name: SeriesTicker): EventGroup[] {
    const names = new Set([...this.#groups.keys(), ...this.#byGroup.keys()]);
    return [...names]
      .sort()
      .map((eventTicker) => this.groupOf(eventTicker))
      .filter((group) => group !== undefined)
      .filter((group) => group.seriesTicker === name);
  }

  scheduleFees({ seriesTicker: name, changes }: Pick<FeesScheduled, 'seriesTicker' | 'changes'>): void {
    this.feesRevision += 1;
    this.#feeChanges.set(name, changes);
  }

  feeChangesOf(name: SeriesTicker): readonly FeeChange[] {
    return (this.#feeChanges.get(name) ?? []).filter(({ at }) => at > this.#clock.now);
  }

  /**
   * Returns a series with the fees in force now. An undescribed series has the config's fees until a planned change.
   */
  seriesOf(ticker: SeriesTicker): Series {
    const described = this.#series.get(ticker) ?? {
      ticker,
      title: ticker,
      category: '',
      frequency: '',
      ...this.#fallback,
    };
    const { terms } = this.#inForce(feeTimeline(described, this.#feeChanges.get(ticker) ?? [], null));
    return { ...described, ...terms };
  }

  #inForce(timeline: readonly FeeChange[]): FeesInForce {
    const place = timeline.findLastIndex(({ at }) => at <= this.#clock.now);
    return { terms: timeline[place]?.terms ?? this.#fallback, until: timeline[place + 1]?.at ?? Infinity };
  }

  /** True when the tape has shown the series or an event group of it. */
  hasSeries(ticker: SeriesTicker): boolean {
    return this.#series.has(ticker) || this.groupsOf(ticker).length > 0;
  }

  feesOf(eventTicker: EventTicker): FeesInForce {
    const group = this.groupOf(eventTicker);
    if (group === undefined) return { terms: this.#fallback, until: Infinity };
    const { seriesTicker: name, fees } = group;
    const planned = this.#feeChanges.get(name) ?? [];
    return this.#inForce(feeTimeline(this.#series.get(name) ?? this.#fallback, planned, fees));
  }
}
