// What the venue lists: markets, event groups, series, exactly as its tape has told them by now.
// Where the tape tells less than a venue would, it says what follows from what is told, and nothing of the future.
import type { FeesChanged, FeesScheduled } from '../../domain/event.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker, TickerTable } from '../../domain/ids.ts';
import { seriesTicker } from '../../domain/ids.ts';
import {
  type EventGroup,
  type FeeChange,
  type FeeTerms,
  type Market,
  type Series,
  canBecome,
  feeTimeline,
} from '../../domain/market.ts';
import { FLAT } from '../../domain/position.ts';
import { EPOCH, type Micros, NO_MONEY } from '../../domain/units.ts';
import { Fifo } from './fifo.ts';
import type { MarketRecord } from './records.ts';

/** So many markets that were paid out are remembered. */
const PAID_MAX = 10_000;

/** An event group as it is listed: the markets that it names first, then the others that are told to be of it. */
export interface Listed {
  readonly group: EventGroup;
  readonly members: readonly MarketRecord[];
}

/** How trades are charged, and until when nothing that is planned changes it; infinite where nothing is planned. */
export interface FeesInForce {
  readonly terms: FeeTerms;
  readonly until: number;
}

/** The series that an event group is taken to be of which nobody described. */
export function seriesByName(eventTicker: string): SeriesTicker {
  const [prefix = eventTicker] = eventTicker.split('-');
  return seriesTicker(prefix === '' ? eventTicker : prefix);
}

/** The catalogue. */
export class Listing {
  readonly #tickers: TickerTable;
  readonly #fallback: FeeTerms;
  readonly #clock: { readonly now: Micros };
  readonly #markets = new Map<Ticker, MarketRecord>();
  readonly #byIndex: (MarketRecord | undefined)[] = [];
  readonly #byGroup = new Map<EventTicker, Set<Ticker>>();
  readonly #groups = new Map<EventTicker, EventGroup>();
  readonly #series = new Map<SeriesTicker, Series>();
  /** What is planned for the fees of series, in the order of time. */
  readonly #feeChanges = new Map<SeriesTicker, readonly FeeChange[]>();
  /** Those that were paid out, the longest ago first. */
  readonly #paid = new Fifo<MarketRecord>();
  /** What was listed of each event group and of each series: the very same as long as no group and no market is new. */
  readonly #listed = new Map<EventTicker, Listed>();
  readonly #listedOf = new Map<SeriesTicker, readonly Listed[]>();
  /** How often anything was told that fees depend on: what was made of it holds as long as this does. */
  feesRevision = 0;

  /** @param fallback how a series is charged of which the tape does not say. */
  constructor(tickers: TickerTable, fallback: FeeTerms, clock: { readonly now: Micros }) {
    this.#tickers = tickers;
    this.#fallback = fallback;
    this.#clock = clock;
  }

  market(ticker: Ticker): MarketRecord | undefined {
    return this.#markets.get(ticker);
  }

  byIndex(index: MarketIndex): MarketRecord | undefined {
    return this.#byIndex[index];
  }

  /** The number that a market has among the bot's now. */
  indexOf({ market }: MarketRecord): MarketIndex {
    return this.#tickers.intern(market.ticker);
  }

  markets(): IterableIterator<MarketRecord> {
    return this.#markets.values();
  }

  /**
   * Takes a market as described; returns its record, made when it is new, and leaves it to others to move its life on.
   * `null` when the description is older than what has been told since it was asked for.
   */
  describe(market: Market, askedAt: Micros): MarketRecord | null {
    const known = this.#markets.get(market.ticker);
    if (known === undefined || known.index !== market.index) return this.#admit(market, known);
    const isOutdated = !canBecome(known.market.status, market.status) || known.changedAt >= askedAt;
    return isOutdated ? null : known;
  }

  /** A market is new, or is heard of under a new number after it was forgotten. */
  #admit(market: Market, before: MarketRecord | undefined): MarketRecord {
    this.#relist();
    const record: MarketRecord = {
      index: market.index,
      market: before?.market ?? { ...market, status: 'initialized', result: null, settlementValue: null },
      changedAt: before?.changedAt ?? EPOCH,
      floorGrid: null,
      armed: { openAt: null, closeAt: null },
      position: before?.position ?? FLAT,
      resting: new Map(),
      reserved: NO_MONEY,
      isPaid: before?.isPaid ?? false,
    };
    if (before !== undefined && this.#byIndex[before.index] === before) this.#byIndex[before.index] = undefined;
    this.#markets.set(market.ticker, record);
    this.#byIndex[market.index] = record;
    const members = this.#byGroup.get(market.eventTicker);
    if (members) members.add(market.ticker);
    else this.#byGroup.set(market.eventTicker, new Set([market.ticker]));
    return record;
  }

  /** A market was paid out: some time later nobody asks for it any more. */
  paidOut(record: MarketRecord): void {
    this.#paid.push(record);
    const oldest = this.#paid.length > PAID_MAX ? this.#paid.shift() : undefined;
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(record: MarketRecord): void {
    const { ticker, eventTicker } = record.market;
    if (this.#markets.get(ticker) !== record) return;
    this.#relist();
    this.#markets.delete(ticker);
    if (this.#byIndex[record.index] === record) this.#byIndex[record.index] = undefined;
    const members = this.#byGroup.get(eventTicker);
    members?.delete(ticker);
    if (members?.size !== 0) return;
    this.#byGroup.delete(eventTicker);
    this.#groups.delete(eventTicker);
  }

  #relist(): void {
    this.#listed.clear();
    this.#listedOf.clear();
  }

  defineGroup(group: EventGroup): void {
    this.feesRevision += 1;
    this.#relist();
    this.#groups.set(group.eventTicker, group);
  }

  changeFees({ eventTicker, fees }: Pick<FeesChanged, 'eventTicker' | 'fees'>): void {
    const group = this.group(eventTicker);
    if (group) this.defineGroup({ ...group, fees });
  }

  defineSeries(series: Series): void {
    this.feesRevision += 1;
    this.#series.set(series.ticker, series);
  }

  /** An event group with its markets. */
  listed(eventTicker: EventTicker): Listed | undefined {
    const known = this.#listed.get(eventTicker);
    const group = known === undefined ? this.group(eventTicker) : undefined;
    if (group === undefined) return known;
    const names = new Set([...group.tickers, ...(this.#byGroup.get(eventTicker) ?? [])]);
    const members = [...names].map((ticker) => this.#markets.get(ticker)).filter((record) => record !== undefined);
    const tickers = members.map(({ market }) => market.ticker);
    const listed = { group: { ...group, tickers }, members };
    this.#listed.set(eventTicker, listed);
    return listed;
  }

  /** Every event group of a series with its markets, by name. */
  listedOf(name: SeriesTicker): readonly Listed[] {
    const known = this.#listedOf.get(name);
    if (known !== undefined) return known;
    const groups = this.groupsOf(name).map(({ eventTicker }) => this.listed(eventTicker));
    const listed = groups.filter((group) => group !== undefined);
    this.#listedOf.set(name, listed);
    return listed;
  }

  /**
   * An event group; one that the tape never described has the markets that it told of, of which more than one may come
   * true for all that is known, and belongs to the series that its name begins with.
   */
  group(eventTicker: EventTicker): EventGroup | undefined {
    const told = this.#groups.get(eventTicker);
    const members = this.#byGroup.get(eventTicker);
    if (told !== undefined || members === undefined) return told;
    return {
      eventTicker,
      seriesTicker: seriesByName(eventTicker),
      title: eventTicker,
      isExclusive: false,
      tickers: [...members],
    };
  }

  /** Every event group of a series, by name. */
  groupsOf(name: SeriesTicker): EventGroup[] {
    const names = new Set([...this.#groups.keys(), ...this.#byGroup.keys()]);
    return [...names]
      .sort()
      .map((eventTicker) => this.group(eventTicker))
      .filter((group) => group !== undefined)
      .filter((group) => group.seriesTicker === name);
  }

  /** All that is planned for a series' fees from now on. */
  scheduleFees({ seriesTicker: name, changes }: Pick<FeesScheduled, 'seriesTicker' | 'changes'>): void {
    this.feesRevision += 1;
    this.#feeChanges.set(name, changes);
  }

  /** What is planned for the fees of a series after now. */
  feeChangesOf(name: SeriesTicker): readonly FeeChange[] {
    return (this.#feeChanges.get(name) ?? []).filter(({ at }) => at > this.#clock.now);
  }

  /** A series, charged as it is now; one that the tape never described is charged by the config. */
  series(ticker: SeriesTicker): Series {
    const told = this.#series.get(ticker) ?? { ticker, title: ticker, category: '', frequency: '', ...this.#fallback };
    const { terms } = this.#inForce(feeTimeline(told, this.#feeChanges.get(ticker) ?? [], null));
    return { ...told, ...terms };
  }

  #inForce(timeline: readonly FeeChange[]): FeesInForce {
    const place = timeline.findLastIndex(({ at }) => at <= this.#clock.now);
    return { terms: timeline[place]?.terms ?? this.#fallback, until: timeline[place + 1]?.at ?? Infinity };
  }

  /** Whether anything told says that there is such a series. */
  hasSeries(ticker: SeriesTicker): boolean {
    return this.#series.has(ticker) || this.groupsOf(ticker).length > 0;
  }

  /** How the trades of an event group are charged now. */
  feesOf(eventTicker: EventTicker): FeesInForce {
    const group = this.group(eventTicker);
    if (group === undefined) return { terms: this.#fallback, until: Infinity };
    const { seriesTicker: name, fees } = group;
    const planned = this.#feeChanges.get(name) ?? [];
    return this.#inForce(feeTimeline(this.#series.get(name) ?? this.#fallback, planned, fees));
  }
}
