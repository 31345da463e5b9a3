// Finds the markets of the session's universe: the tickers, event groups and series that the config names. Must never
// follow a market that is not known to belong to the universe.
import { must } from '../../base/assert.ts';
import type { UnnumberedFeedCommand, ReadTarget } from '../../domain/venue-command.ts';
import type { MarketsAppeared } from '../../domain/event.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker } from '../../domain/ids.ts';
import { type Market, isSettled } from '../../domain/market.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { VenueReader } from './venue-reader.ts';

/** The markets that a session is about. */
export interface Universe {
  readonly tickers: readonly Ticker[];
  readonly events: readonly EventTicker[];
  /** Follows every market of these series, even of event groups that appear later. */
  readonly series: readonly SeriesTicker[];
}

export interface MarketDiscoveryOptions {
  readonly state: State;
  readonly reader: VenueReader;
  readonly universe: Universe;
  readonly sendFeed: (command: UnnumberedFeedCommand) => void;
}

/** The most markets in one list request: their tickers are part of its address. */
export const TICKERS_PER_LIST = 50;
const SECOND = 1_000_000;

/** Finds markets and subscribes to them. */
export class MarketDiscovery {
  readonly #options: MarketDiscoveryOptions;
  readonly #state: State;
  readonly #tickers: ReadonlySet<Ticker>;
  readonly #events: ReadonlySet<EventTicker>;
  readonly #series: ReadonlySet<SeriesTicker>;
  /** Number of lists requested at the start that are not complete yet. */
  #listings = 0;
  /**
   * Event groups requested and not yet received. Added at the request; removed when received or refused, or at a
   * refresh.
   */
  readonly #awaited = new Set<EventTicker>();
  /** The markets that are streamed; `null` until all markets of the start are known. */
  #followed: Set<MarketIndex> | null = null;
  /**
   * Number of lookups of unknown markets with a position. These markets take turns, because the venue may refuse some
   * of them.
   */
  #strayCount = 0;

  constructor(options: MarketDiscoveryOptions) {
    this.#options = options;
    this.#state = options.state;
    const { tickers, events, series } = options.universe;
    this.#tickers = new Set(tickers);
    this.#events = new Set(events);
    this.#series = new Set(series);
  }

  startListing(): void {
    for (const name of this.#events) this.#requestGroup(name);
    const lists = this.#lists();
    this.#listings = lists.length;
    for (const list of lists) this.#request(list);
  }

  #request(target: ReadTarget): void {
    this.#options.reader.requestRead(target, this.#state.now);
  }

  /**
   * The lists that show the markets of the universe. For a series, event groups whose markets have all closed are left
   * out: there are ever more of them.
   */
  #lists(): ReadTarget[] {
    const closesAfter = (Math.floor(this.#state.now / SECOND) * SECOND) as Micros;
    return [
      ...[...this.#events].map((name): ReadTarget => ({ what: 'markets', by: { eventTicker: name } })),
      ...this.#listsByTicker([...this.#tickers]),
      ...[...this.#series].map((name): ReadTarget => ({ what: 'events', seriesTicker: name, closesAfter })),
    ];
  }

  #listsByTicker(tickers: readonly Ticker[]): ReadTarget[] {
    const lists: ReadTarget[] = [];
    for (let from = 0; from < tickers.length; from += TICKERS_PER_LIST)
      lists.push({ what: 'markets', by: { tickers: tickers.slice(from, from + TICKERS_PER_LIST) } });
    return lists;
  }

  onListComplete(): void {
    this.#listings -= 1;
  }

  /** True when every read of the start is complete. */
  get isComplete(): boolean {
    return this.#listings <= 0 && this.#awaited.size === 0;
  }

  /** True when a market is known to belong to the universe. For a series, only its event group shows this. */
  includesMarket({ ticker, eventTicker }: Pick<Market, 'ticker' | 'eventTicker'>): boolean {
    if (this.#tickers.has(ticker) || this.#events.has(eventTicker)) return true;
    const group = this.#state.markets.group(eventTicker);
    return group !== undefined && this.#series.has(group.seriesTicker);
  }

  /**
   * Subscribes to every known market of the universe, and from now on to every new one. Returns the number of new
   * subscriptions.
   */
  followKnown(): number {
    this.#followed = new Set();
    return this.#followNew(this.#state.markets.allMarkets());
  }

  #followNew(markets: readonly Market[]): number {
    const followed = this.#followed;
    if (followed === null) return 0;
    const added = markets.filter(
      (market) => !isSettled(market.status) && !followed.has(market.index) && this.includesMarket(market),
    );
    for (const { index } of added) followed.add(index);
    if (added.length > 0) this.#options.sendFeed({ type: 'subscribe', tickers: added.map((market) => market.ticker) });
    return added.length;
  }

  /**
   * Handles a new market. Follows a market of the universe. Reads an unknown event group first, if the market may
   * belong to the universe.
   */
  onMarketAdded(market: Market): void {
    if (isSettled(market.status)) return;
    const mayBelong = this.#series.size > 0 || this.includesMarket(market);
    if (mayBelong && !this.#state.markets.group(market.eventTicker)) this.#requestGroup(market.eventTicker);
    this.#followNew([market]);
  }

  #requestGroup(name: EventTicker): void {
    if (this.#awaited.has(name)) return;
    this.#awaited.add(name);
    this.#request({ what: 'event', eventTicker: name });
  }

  /**
   * Stops waiting for an event group that the venue does not know. A later `refreshMarkets` may request the group
   * again.
   */
  onGroupRefused(name: EventTicker): void {
    this.#awaited.delete(name);
  }

  /** Handles the description of an event group. It may show that the group's markets belong to the universe. */
  onGroupKnown(name: EventTicker): void {
    this.#awaited.delete(name);
    this.#followNew(this.#state.markets.membersOf(name));
  }

  onEvicted(markets: readonly Market[]): void {
    if (markets.length === 0) return;
    const followed = markets.filter(({ index }) => this.#followed?.delete(index) ?? false);
    if (followed.length > 0)
      this.#options.sendFeed({ type: 'unsubscribe', tickers: followed.map((market) => market.ticker) });
  }

  /** Reads every market of the universe again, because the feed may have missed changes. */
  refreshMarkets(): void {
    const { reader } = this.#options;
    // While the lists of the start are being counted, no other list may complete.
    if (this.#followed === null || reader.isPending('markets') || reader.isPending('events')) return;
    // Event groups without a description are requested again, once in each refresh.
    if (!reader.isPending('event')) this.#awaited.clear();
    for (const market of this.#groupless()) this.onMarketAdded(market);
    for (const list of [...this.#lists(), ...this.#listsByTicker(this.#unlisted())]) this.#request(list);
    this.#lookUpStrays();
  }

  #groupless(): Market[] {
    const { markets } = this.#state;
    return this.#selectByGroup((name) => (markets.group(name) ? null : () => true));
  }

  /** Known markets that the lists may not show: closed markets of a series, and markets outside the universe. */
  #unlisted(): Ticker[] {
    const { markets, now } = this.#state;
    const isOver = ({ closeAt, status }: Market): boolean => closeAt <= now || status === 'closed';
    const isNamed = ({ ticker }: Market): boolean => this.#tickers.has(ticker);
    const unlisted = this.#selectByGroup((name) => {
      if (this.#events.has(name)) return null;
      const group = markets.group(name);
      const isOfSeries = group !== undefined && this.#series.has(group.seriesTicker);
      return (market) => !isSettled(market.status) && (!isOfSeries || isOver(market)) && !isNamed(market);
    });
    return unlisted.map((market) => market.ticker);
  }

  /**
   * Selects known markets by event group, sorted by index. The filter is chosen once for each group, because thousands
   * of markets belong to few groups.
   * @param filterFor returns the filter for a group's markets, or `null` for none of them.
   */
  #selectByGroup(filterFor: (name: EventTicker) => ((market: Market) => boolean) | null): Market[] {
    const { markets } = this.#state;
    const found: Market[] = [];
    for (const [name, numbers] of markets.byGroup()) {
      const filter = filterFor(name);
      if (filter === null) continue;
      for (const number of numbers) {
        const market = must(markets.get(number), `market ${number}`);
        if (filter(market)) found.push(market);
      }
    }
    return found.sort((a, b) => a.index - b.index);
  }

  /** Looks up one unknown market with a position of ours: its settlement must be known. */
  #lookUpStrays(): void {
    const { state } = this.#options;
    const strays = [...state.portfolio.positions().keys()].filter((market) => !state.markets.get(market));
    const stray = strays[this.#strayCount % Math.max(1, strays.length)];
    if (stray === undefined) return;
    this.#strayCount += 1;
    this.lookUpTraded(stray);
  }

  lookUpTraded(market: MarketIndex): void {
    const { state, reader } = this.#options;
    if (!state.markets.get(market))
      reader.requestOnce({ what: 'market', ticker: state.tickers.tickerOf(market) }, state.now);
  }

  /**
   * True when an announced market may belong to the universe. Without a series, the event group or the prefix of the
   * ticker decides.
   */
  mayInclude({ ticker, eventTicker, seriesTicker }: MarketsAppeared): boolean {
    if (seriesTicker !== null) return this.#series.has(seriesTicker);
    if (eventTicker !== null && this.#events.has(eventTicker)) return true;
    const name: string = ticker ?? eventTicker ?? '';
    return [...this.#events, ...this.#series].some((prefix) => name.startsWith(prefix));
  }
}
