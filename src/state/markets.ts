// What we know of markets, event groups and series. Moved only by events.
import { must } from '../domain/assert.ts';
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
  movesByClockAt,
} from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';

interface Gathered {
  readonly all: readonly Market[];
  readonly open: readonly Market[];
  readonly movesAt: number;
}

/** The catalogue of markets. */
export class Markets {
  readonly #tickers: TickerTable;
  readonly #markets: (Market | undefined)[] = [];
  #count = 0;
  #revision = 0;
  /** The known markets of each event group, in the order heard of. */
  readonly #byGroup = new Map<EventTicker, Set<MarketIndex>>();
  readonly #groups = new Map<EventTicker, EventGroup>();
  /** The markets of each, as they were found; forgotten when any market changes, or the group. */
  readonly #members = new Map<EventTicker, readonly Market[]>();
  readonly #series = new Map<SeriesTicker, Series>();
  /** What is planned for the fees of series, in the order of time. */
  readonly #feeChanges = new Map<SeriesTicker, readonly FeeChange[]>();
  /** When anything but a list last told that a market's life went on. */
  readonly #changedAt = new Map<MarketIndex, Micros>();
  /** When we learned that a market was settled. */
  readonly #settledAt = new Map<MarketIndex, Micros>();

  /** Every known market, and when the clock moves the first of them on; `null` when not gathered since one changed. */
  #gathered: Gathered | null = null;

  constructor(tickers: TickerTable) {
    this.#tickers = tickers;
  }

  /** Takes a market as the venue describes it now. */
  define(market: Market): void {
    this.#revision += 1;
    const before = this.#markets[market.index];
    if (!before) this.#count += 1;
    else if (before.eventTicker !== market.eventTicker) this.#leaveGroup(before);
    const members = this.#byGroup.get(market.eventTicker);
    if (members) members.add(market.index);
    else this.#byGroup.set(market.eventTicker, new Set([market.index]));
    this.#markets[market.index] = market;
    this.#marketsChanged();
  }

  #marketsChanged(): void {
    this.#gathered = null;
    this.#members.clear();
  }

  #leaveGroup({ eventTicker, index }: Market): void {
    const members = this.#byGroup.get(eventTicker);
    members?.delete(index);
    if (members?.size === 0) this.#byGroup.delete(eventTicker);
  }

  /** Takes what changed; `undefined` when the market is not known. */
  change(event: MarketChanged): Market | undefined {
    const market = this.#markets[event.market];
    if (!market) return undefined;
    const changed: Market = {
      ...market,
      status: event.status ?? market.status,
      closeAt: event.closeAt ?? market.closeAt,
      grid: event.grid ?? market.grid,
      result: event.result === undefined ? market.result : event.result,
      settlementValue: event.settlementValue === undefined ? market.settlementValue : event.settlementValue,
    };
    this.#markets[event.market] = changed;
    this.#marketsChanged();
    this.#changedAt.set(event.market, event.at);
    return changed;
  }

  /** Whether a list asked for at a time tells of a market as it was before what we know. */
  isOutdated({ index, status }: Market, askedAt: Micros): boolean {
    const known = this.#markets[index];
    if (!known) return false;
    // Lists lag behind, and are kept for a while on their way: a life never goes back.
    return !canBecome(known.status, status) || (this.#changedAt.get(index) ?? 0) >= askedAt;
  }

  /** Takes an event group as the venue describes it now. */
  defineGroup(group: EventGroup): void {
    const known = this.#groups.get(group.eventTicker);
    // Lists tell the same of most groups again and again.
    if (known !== undefined && isSameGroup(known, group)) return;
    this.#revision += 1;
    this.#groups.set(group.eventTicker, group);
    this.#members.delete(group.eventTicker);
  }

  /** An event group is charged otherwise from now on. */
  changeFees(eventTicker: EventTicker, fees: EventGroup['fees']): void {
    const group = this.#groups.get(eventTicker);
    if (group) this.defineGroup({ ...group, fees: fees ?? null });
  }

  /** The fees of a series are to change. */
  scheduleFees(series: SeriesTicker, changes: readonly FeeChange[]): void {
    this.#revision += 1;
    this.#feeChanges.set(series, changes);
  }

  /** How trades of an event group are charged at a time; `undefined` while its series is not known. */
  feesOf(eventTicker: EventTicker, at: Micros): FeeTerms | undefined {
    return this.feesEverOf(eventTicker).findLast((change) => change.at <= at)?.terms;
  }

  /** How trades of an event group are charged now and as it is planned, in the order of time; empty while unknown. */
  feesEverOf(eventTicker: EventTicker): readonly FeeChange[] {
    const group = this.#groups.get(eventTicker);
    const series = group && this.#series.get(group.seriesTicker);
    if (!group || !series) return [];
    return feeTimeline(series, this.#feeChanges.get(series.ticker) ?? [], group.fees);
  }

  defineSeries(series: Series): void {
    this.#revision += 1;
    this.#series.set(series.ticker, series);
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

  /** Every known market, in the order heard of. What changes later is not in it. */
  all(): readonly Market[] {
    return this.#gather().all;
  }

  /** When the clock alone next moves a market on; infinite when it moves none. */
  movesAt(): number {
    return this.#gather().movesAt;
  }

  /** Every known market that trades, or may soon: few of all where many are known long before. */
  open(): readonly Market[] {
    return this.#gather().open;
  }

  #gather(): Gathered {
    if (this.#gathered !== null) return this.#gathered;
    const all = this.#markets.filter((market) => market !== undefined);
    const movesAt = all.reduce((earliest, market) => Math.min(earliest, movesByClockAt(market)), Infinity);
    this.#gathered = { all, open: all.filter(({ status }) => isOpen(status)), movesAt };
    return this.#gathered;
  }

  /** How many markets are known. */
  get count(): number {
    return this.#count;
  }

  /** How often a market, group or series was described anew: what was made of descriptions holds as long as this does. */
  get revision(): number {
    return this.#revision;
  }

  groups(): EventGroup[] {
    return [...this.#groups.values()];
  }

  /**
   * The known markets of an event group, in the venue's order; those listed since it was described come last. Borrowed:
   * the same list until one of them changes.
   */
  membersOf(eventTicker: EventTicker): readonly Market[] {
    const told = this.#members.get(eventTicker);
    if (told !== undefined) return told;
    const members = this.#findMembers(eventTicker);
    if (members.length > 0) this.#members.set(eventTicker, members);
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

  /** The numbers of the known markets of each event group, whether it is described or not. Borrowed. */
  byGroup(): ReadonlyMap<EventTicker, ReadonlySet<MarketIndex>> {
    return this.#byGroup;
  }

  /** Learns that a market is settled; the first time counts. */
  noteSettled(market: MarketIndex, at: Micros): void {
    if (!this.#settledAt.has(market)) this.#settledAt.set(market, at);
  }

  /** The markets that are known to be settled, and since when. */
  settledAt(): ReadonlyMap<MarketIndex, Micros> {
    return this.#settledAt;
  }

  /** Forgets settled markets, the event groups of which none is left, and the series of which no group is left. */
  evict(markets: Iterable<MarketIndex>): void {
    this.#revision += 1;
    this.#marketsChanged();
    for (const market of markets) {
      const known = this.#markets[market];
      if (known) this.#leaveGroup(known);
      if (known) this.#count -= 1;
      this.#markets[market] = undefined;
      this.#changedAt.delete(market);
      this.#settledAt.delete(market);
    }
    for (const name of this.#groups.keys()) if (!this.#byGroup.has(name)) this.#groups.delete(name);
    const series = new Set(this.groups().map((group) => group.seriesTicker));
    for (const known of [this.#series, this.#feeChanges])
      for (const name of known.keys()) if (!series.has(name)) known.delete(name);
  }
}
