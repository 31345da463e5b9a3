// Which markets a session follows: those of its universe, whether they are there at the start or appear while it runs,
// until they are settled and forgotten. Must never follow a market of which nothing says that it belongs.
import { must } from '../domain/assert.ts';
import type { FeedAsk, ReadTarget } from '../domain/command.ts';
import type { MarketsAppeared } from '../domain/event.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker } from '../domain/ids.ts';
import { type Market, isSettled } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

/** Which markets a session is about. */
export interface Universe {
  readonly tickers: readonly Ticker[];
  /** Every market of these event groups. */
  readonly events: readonly EventTicker[];
  /** Every market of every event group of these series, also of groups that appear while the session runs. */
  readonly series: readonly SeriesTicker[];
}

export interface DiscoveryOptions {
  readonly state: State;
  readonly reader: Reader;
  readonly universe: Universe;
  readonly sendFeed: (ask: FeedAsk) => void;
}

/** Markets that one list names at the most: they stand in the address of the request. */
const TICKERS_PER_LIST = 50;
const SECOND = 1_000_000;

/** Finds markets, and has them streamed. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #state: State;
  readonly #tickers: ReadonlySet<Ticker>;
  readonly #events: ReadonlySet<EventTicker>;
  readonly #series: ReadonlySet<SeriesTicker>;
  /** Lists of the start that have not come in whole. */
  #listings = 0;
  /** Event groups that have been asked for and not come. */
  readonly #awaited = new Set<EventTicker>();
  /** The markets that are streamed; `null` until all of the start are known. */
  #followed: Set<MarketIndex> | null = null;
  /** How many strays have been looked up: each is its turn, should the venue refuse to tell of one. */
  #strayCount = 0;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#state = options.state;
    const { tickers, events, series } = options.universe;
    this.#tickers = new Set(tickers);
    this.#events = new Set(events);
    this.#series = new Set(series);
  }

  /** Asks for all that the universe names. */
  begin(): void {
    for (const name of this.#events) this.#askGroup(name);
    const lists = this.#lists();
    this.#listings = lists.length;
    for (const list of lists) this.#ask(list);
  }

  #ask(target: ReadTarget): void {
    this.#options.reader.ask(target, this.#state.now);
  }

  /** What shows every market of the universe: of a series, only those that have not closed, or there were no end to it. */
  #lists(): ReadTarget[] {
    const closesAfter = (Math.floor(this.#state.now / SECOND) * SECOND) as Micros;
    return [
      ...[...this.#events].map((name): ReadTarget => ({ what: 'markets', by: { eventTicker: name } })),
      ...this.#byName([...this.#tickers]),
      ...[...this.#series].map((name): ReadTarget => ({ what: 'events', seriesTicker: name, closesAfter })),
    ];
  }

  #byName(tickers: readonly Ticker[]): ReadTarget[] {
    const lists: ReadTarget[] = [];
    for (let from = 0; from < tickers.length; from += TICKERS_PER_LIST)
      lists.push({ what: 'markets', by: { tickers: tickers.slice(from, from + TICKERS_PER_LIST) } });
    return lists;
  }

  /** A list of markets has come in whole. */
  listed(): void {
    this.#listings -= 1;
  }

  /** Whether all that the start asked for has come. */
  get isComplete(): boolean {
    return this.#listings <= 0 && this.#awaited.size === 0;
  }

  /** Whether a market belongs to the universe, as far as is known: of a series it is known by its event group alone. */
  includes({ ticker, eventTicker }: Pick<Market, 'ticker' | 'eventTicker'>): boolean {
    if (this.#tickers.has(ticker) || this.#events.has(eventTicker)) return true;
    const group = this.#state.markets.group(eventTicker);
    return group !== undefined && this.#series.has(group.seriesTicker);
  }

  /** Has every known market of the universe streamed, and from now on every one that joins. Returns how many. */
  follow(): number {
    this.#followed = new Set();
    return this.#followNew(this.#state.markets.all());
  }

  #followNew(markets: readonly Market[]): number {
    const followed = this.#followed;
    if (followed === null) return 0;
    const fresh = markets.filter(
      (market) => !isSettled(market.status) && !followed.has(market.index) && this.includes(market),
    );
    for (const { index } of fresh) followed.add(index);
    if (fresh.length > 0) this.#options.sendFeed({ type: 'subscribe', tickers: fresh.map((market) => market.ticker) });
    return fresh.length;
  }

  /** A market is new. */
  joined(market: Market): void {
    if (isSettled(market.status)) return;
    const mayBelong = this.#series.size > 0 || this.includes(market);
    if (mayBelong && !this.#state.markets.group(market.eventTicker)) this.#askGroup(market.eventTicker);
    this.#followNew([market]);
  }

  #askGroup(name: EventTicker): void {
    if (this.#awaited.has(name)) return;
    this.#awaited.add(name);
    this.#ask({ what: 'event', eventTicker: name });
  }

  /** The venue does not know an event group: it is no longer waited for. A later read of the markets may still find it. */
  groupRefused(name: EventTicker): void {
    this.#awaited.delete(name);
  }

  /** An event group has been described: its markets may be found to belong. */
  groupKnown(name: EventTicker): void {
    this.#awaited.delete(name);
    this.#followNew(this.#state.markets.membersOf(name));
  }

  /** Markets are followed no more. */
  evicted(markets: readonly Market[]): void {
    if (markets.length === 0) return;
    const followed = markets.filter(({ index }) => this.#followed?.delete(index) ?? false);
    if (followed.length > 0)
      this.#options.sendFeed({ type: 'unsubscribe', tickers: followed.map((market) => market.ticker) });
  }

  /** Reads every market of the universe again: what the feed may not have told of their lives. */
  refresh(): void {
    const { reader } = this.#options;
    // The start counts the lists that it asked for: none may come in between.
    if (this.#followed === null || reader.isPending('markets') || reader.isPending('events')) return;
    // What was refused is asked for again, once.
    if (!reader.isPending('event')) this.#awaited.clear();
    for (const market of this.#groupless()) this.joined(market);
    for (const list of [...this.#lists(), ...this.#byName(this.#unlisted())]) this.#ask(list);
    this.#lookUpStrays();
  }

  /** Known markets whose event group nobody has described. */
  #groupless(): Market[] {
    const { markets } = this.#state;
    return this.#ofGroups((name) => (markets.group(name) ? null : () => true));
  }

  /** Known markets that no list shows: of a series those that have closed, and those that are not of the universe. */
  #unlisted(): Ticker[] {
    const { markets, now } = this.#state;
    const isOver = ({ closeAt, status }: Market): boolean => closeAt <= now || status === 'closed';
    const isNamed = ({ ticker }: Market): boolean => this.#tickers.has(ticker);
    const unlisted = this.#ofGroups((name) => {
      if (this.#events.has(name)) return null;
      const group = markets.group(name);
      const isOfSeries = group !== undefined && this.#series.has(group.seriesTicker);
      return (market) => !isSettled(market.status) && (!isOfSeries || isOver(market)) && !isNamed(market);
    });
    return unlisted.map((market) => market.ticker);
  }

  /**
   * Known markets, by their numbers, which are looked for group by group: of thousands of markets most are of few groups.
   * @param wanted which of a group's are meant; `null` for none.
   */
  #ofGroups(wanted: (name: EventTicker) => ((market: Market) => boolean) | null): Market[] {
    const { markets } = this.#state;
    const found: Market[] = [];
    for (const [name, numbers] of markets.byGroup()) {
      const isWanted = wanted(name);
      if (isWanted === null) continue;
      for (const number of numbers) {
        const market = must(markets.get(number), `market ${number}`);
        if (isWanted(market)) found.push(market);
      }
    }
    return found.sort((a, b) => a.index - b.index);
  }

  /** Something is held in a market that is not known, of another session's doing: what becomes of it must be learned. */
  #lookUpStrays(): void {
    const { state } = this.#options;
    const strays = [...state.portfolio.positions().keys()].filter((market) => !state.markets.get(market));
    const stray = strays[this.#strayCount % Math.max(1, strays.length)];
    if (stray === undefined) return;
    this.#strayCount += 1;
    this.traded(stray);
  }

  /** We traded in a market: one that is not known is looked up. */
  traded(market: MarketIndex): void {
    const { state, reader } = this.#options;
    if (!state.markets.get(market))
      reader.askOnce({ what: 'market', ticker: state.tickers.tickerOf(market) }, state.now);
  }

  /** Whether what the feed told to be new may belong to the universe: where it does not say, by the look of the name. */
  mayConcern({ ticker, eventTicker, seriesTicker }: MarketsAppeared): boolean {
    if (seriesTicker !== null) return this.#series.has(seriesTicker);
    if (eventTicker !== null && this.#events.has(eventTicker)) return true;
    const name: string = ticker ?? eventTicker ?? '';
    return [...this.#events, ...this.#series].some((whole) => name.startsWith(whole));
  }
}
