// Known markets, event groups and series. Must never change except by events.
import { assert, must } from '../base/assert.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker, TickerTable } from '../domain/ids.ts';
import type { MarketChanged } from '../domain/event.ts';
import {
  type EventGroup,
  type FeeChange,
  type FeeTerms,
  type Market,
  type Series,
  canBecome,
  feeTimeline,
  isOpen,
  isSameGroup,
  isSettled,
  nextClockStatusAt,
} from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';

interface Lists {
  readonly all: readonly Market[];
  readonly open: readonly Market[];
  readonly movesAt: number;
}

/** The catalog of markets. */
export class Markets {
  readonly #tickers: TickerTable;
  readonly #markets: (Market | undefined)[] = [];
  #count = 0;
  #revision = 0;
  #settlementRevision = 0;
  /**
   * The known markets of each event group, the first defined at the head. Added when a market is defined; removed when
   * the market is evicted or changes its group.
   */
  readonly #byGroup = new Map<EventTicker, Set<MarketIndex>>();
  /** Added when a group is described; removed when its last market is evicted. */
  readonly #groups = new Map<EventTicker, EventGroup>();
  /** The markets of each group, cached. Added when first requested; removed when the group or any market changes. */
  readonly #membersByGroup = new Map<EventTicker, readonly Market[]>();
  /** Added when a series is described; removed when its last group is evicted. */
  readonly #series = new Map<SeriesTicker, Series>();
  /**
   * Scheduled fee changes of series, earliest first. Added when a schedule arrives; removed when the last group of the
   * series is evicted.
   */
  readonly #feeSchedules = new Map<SeriesTicker, readonly FeeChange[]>();
  /**
   * The fee terms of event groups over time, cached: strategies ask for fees at every change of a book. Added when first
   * requested; all are removed when a group, a series or a schedule changes.
   */
  readonly #feeTimelines = new Map<EventTicker, readonly FeeChange[]>();
  /**
   * Time of the last change that no list of markets reported. Added when a market changes; removed when it is evicted.
   */
  readonly #changedAt = new Map<MarketIndex, Micros>();
  /** Time at which we learned that a market was settled. Added at settlement; removed when the market is evicted. */
  readonly #settledAt = new Map<MarketIndex, Micros>();

  /** Lists of markets, cached until a market changes. */
  #lists: Lists | null = null;

  constructor(tickers: TickerTable) {
    this.#tickers = tickers;
  }

  /** Stores a market as the venue describes it now. */
  defineMarket(market: Market): void {
    this.#revision += 1;
    const before = this.#markets[market.index];
    if ((before?.settlementValue ?? null) !== market.settlementValue) this.#settlementRevision += 1;
    if (!before) this.#count += 1;
    else if (before.eventTicker !== market.eventTicker) this.#leaveGroup(before);
    const members = this.#byGroup.get(market.eventTicker);
    if (members) members.add(market.index);
    else this.#byGroup.set(market.eventTicker, new Set([market.index]));
    this.#markets[market.index] = market;
    this.#clearCaches();
  }

  #clearCaches(): void {
    this.#lists = null;
    this.#membersByGroup.clear();
  }

  #leaveGroup({ eventTicker, index }: Market): void {
    const members = this.#byGroup.get(eventTicker);
    members?.delete(index);
    if (members?.size === 0) this.#byGroup.delete(eventTicker);
  }

  /** Applies a change; `undefined` when the market is not known. */
  applyChange(event: MarketChanged): Market | undefined {
    const market = this.#markets[event.market];
    if (!market) return undefined;
    const changed = isSettled(market.status) ? withMissingResult(market, event) : changedBy(market, event);
    assert(changed.ticker === market.ticker, 'a change must not replace a market by another');
    this.#markets[event.market] = changed;
    if (changed.settlementValue !== market.settlementValue) this.#settlementRevision += 1;
    this.#clearCaches();
    this.#changedAt.set(event.market, event.at);
    return changed;
  }

  /**
   * True when a list shows a market in an outdated state.
   * @param askedAt Time of the request for the list.
   */
  isOutdated({ index, status }: Market, askedAt: Micros): boolean {
    const known = this.#markets[index];
    if (!known) return false;
    // A market's life never goes back.
    return !canBecome(known.status, status) || (this.#changedAt.get(index) ?? 0) >= askedAt;
  }

  /** Stores an event group as the venue describes it now. */
  defineGroup(group: EventGroup): void {
    const known = this.#groups.get(group.eventTicker);
    // Lists repeat most groups unchanged.
    if (known !== undefined && isSameGroup(known, group)) return;
    this.#revision += 1;
    this.#groups.set(group.eventTicker, group);
    this.#membersByGroup.delete(group.eventTicker);
    this.#feeTimelines.clear();
  }

  changeFees(eventTicker: EventTicker, fees: EventGroup['fees']): void {
    const group = this.#groups.get(eventTicker);
    if (group) this.defineGroup({ ...group, fees: fees ?? null });
  }

  scheduleFees(series: SeriesTicker, changes: readonly FeeChange[]): void {
    this.#revision += 1;
    this.#feeSchedules.set(series, changes);
    this.#feeTimelines.clear();
  }

  /** The fee terms of an event group at a time; `undefined` while its series is not known. */
  feesOf(eventTicker: EventTicker, at: Micros): FeeTerms | undefined {
    return this.feeTimelineOf(eventTicker).findLast((change) => change.at <= at)?.terms;
  }

  /** Present and scheduled fee terms of an event group, earliest first; empty while unknown. */
  feeTimelineOf(eventTicker: EventTicker): readonly FeeChange[] {
    const known = this.#feeTimelines.get(eventTicker);
    if (known !== undefined) return known;
    const group = this.#groups.get(eventTicker);
    const series = group && this.#series.get(group.seriesTicker);
    if (!group || !series) return [];
    const timeline = feeTimeline(series, this.#feeSchedules.get(series.ticker) ?? [], group.fees);
    this.#feeTimelines.set(eventTicker, timeline);
    return timeline;
  }

  defineSeries(series: Series): void {
    this.#revision += 1;
    this.#series.set(series.ticker, series);
    this.#feeTimelines.clear();
  }

  get(market: MarketIndex): Market | undefined {
    return this.#markets[market];
  }

  byTicker(ticker: Ticker): Market | undefined {
    const index = this.#tickers.indexOf(ticker);
    return index === undefined ? undefined : this.#markets[index];
  }

  group(eventTicker: EventTicker): EventGroup | undefined {
    return this.#groups.get(eventTicker);
  }

  series(ticker: SeriesTicker): Series | undefined {
    return this.#series.get(ticker);
  }

  /** Every known market, sorted by index. */
  allMarkets(): readonly Market[] {
    return this.#buildLists().all;
  }

  /** Next time at which the clock alone changes a market's status; infinite when it changes none. */
  nextClockStatusAt(): number {
    return this.#buildLists().movesAt;
  }

  openMarkets(): readonly Market[] {
    return this.#buildLists().open;
  }

  #buildLists(): Lists {
    if (this.#lists !== null) return this.#lists;
    const all = this.#markets.filter((market) => market !== undefined);
    assert(all.length === this.#count, 'the number of known markets must be right');
    const movesAt = all.reduce((earliest, market) => Math.min(earliest, nextClockStatusAt(market)), Infinity);
    this.#lists = { all, open: all.filter(({ status }) => isOpen(status)), movesAt };
    return this.#lists;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * A number that changes with every definition of a market, group, series or fee schedule, and with every eviction.
   */
  get revision(): number {
    return this.#revision;
  }

  /** A number that changes whenever the settlement value of a market becomes known, or is amended. */
  get settlementRevision(): number {
    return this.#settlementRevision;
  }

  groups(): EventGroup[] {
    return [...this.#groups.values()];
  }

  /**
   * The known markets of an event group, in the venue's sequence; markets listed after the group's description come
   * last. Borrowed: the list stays the same until the group or any market changes.
   */
  membersOf(eventTicker: EventTicker): readonly Market[] {
    const cached = this.#membersByGroup.get(eventTicker);
    if (cached !== undefined) return cached;
    const members = this.#findMembers(eventTicker);
    if (members.length > 0) this.#membersByGroup.set(eventTicker, members);
    return members;
  }

  #findMembers(eventTicker: EventTicker): readonly Market[] {
    const tickers = this.#groups.get(eventTicker)?.tickers ?? [];
    const described = tickers.map((ticker) => this.byTicker(ticker)).filter((market) => market !== undefined);
    const numbers = this.#byGroup.get(eventTicker);
    if (numbers === undefined || numbers.size === described.length) return described;
    const known = [...numbers].map((index) => must(this.#markets[index], 'member'));
    return [...described, ...known.filter(({ ticker }) => !tickers.includes(ticker))];
  }

  /** The numbers of the known markets of each event group, described or not. Borrowed. */
  byGroup(): ReadonlyMap<EventTicker, ReadonlySet<MarketIndex>> {
    return this.#byGroup;
  }

  /** Records that a market is settled. Only the first call for a market sets the time. */
  markSettled(market: MarketIndex, at: Micros): void {
    assert(this.#markets[market] !== undefined, 'only a known market can be settled');
    if (!this.#settledAt.has(market)) this.#settledAt.set(market, at);
  }

  /** The settled markets, each with the time at which we learned of the settlement. */
  settledAt(): ReadonlyMap<MarketIndex, Micros> {
    return this.#settledAt;
  }

  /** Evicts settled markets. An event group without markets is evicted, too, and a series without groups. */
  evictMarkets(markets: Iterable<MarketIndex>): void {
    this.#revision += 1;
    this.#clearCaches();
    this.#feeTimelines.clear();
    for (const market of markets) this.#evictMarket(market);
    assert(this.#count >= 0, 'the number of known markets must not fall below 0');
    for (const name of this.#groups.keys()) if (!this.#byGroup.has(name)) this.#groups.delete(name);
    const series = new Set(this.groups().map((group) => group.seriesTicker));
    for (const known of [this.#series, this.#feeSchedules])
      for (const name of known.keys()) if (!series.has(name)) known.delete(name);
  }

  #evictMarket(market: MarketIndex): void {
    const known = this.#markets[market];
    if (known) this.#leaveGroup(known);
    if (known) this.#count -= 1;
    this.#markets[market] = undefined;
    this.#changedAt.delete(market);
    this.#settledAt.delete(market);
  }
}

const changedBy = (market: Market, { status, closeAt, grid, result, settlementValue }: MarketChanged): Market => ({
  ...market,
  status: status ?? market.status,
  closeAt: closeAt ?? market.closeAt,
  grid: grid ?? market.grid,
  result: result === undefined ? market.result : result,
  settlementValue: settlementValue === undefined ? market.settlementValue : settlementValue,
});

/** A settled market takes only what is still missing: a list may have shown its end before the feed's earlier messages. */
const withMissingResult = (market: Market, { result, settlementValue }: MarketChanged): Market =>
  market.settlementValue === null
    ? { ...market, result: result ?? market.result, settlementValue: settlementValue ?? null }
    : market;
