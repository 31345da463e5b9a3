// The venue's end of the feed: the connection, private events, and the snapshots that answer a subscription. Each
// market has a time since which it is streamed. Must never report a connection before `connectFeed`.
import { grownCopy } from '../../../base/typed-columns.ts';
import type { FeedCommand } from '../../../domain/venue-command.ts';
import type { FillReport } from '../../../domain/event.ts';
import type { MarketIndex, Ticker, TickerTable } from '../../../domain/ids.ts';
import type { Micros } from '../../../domain/units.ts';
import type { TapeListing } from './tape-listing.ts';
import type { FillSimulator, VenueEvent, VenueSink } from '../simulator-interfaces.ts';
import { type VenueMarket, type VenueOrder, orderReportOf } from '../account/venue-records.ts';

export interface SimulatedFeedOptions {
  readonly clock: { readonly now: Micros };
  readonly sink: VenueSink;
  readonly matching: FillSimulator;
  readonly listing: TapeListing;
  readonly tickers: TickerTable;
}

const PRIVATE = ['fills', 'orders', 'positions'] as const;
const MARKETS_MIN = 64;

/** Publishes events to the bot. */
export class SimulatedFeed {
  readonly #options: SimulatedFeedOptions;
  #connection = 0;
  #streamedFrom: Float64Array<ArrayBuffer>;
  /**
   * The latest time in `#streamedFrom`. `#latestSize` is the number of markets when this time was computed; -1 when it
   * must be computed again.
   */
  #latestFrom = Number.POSITIVE_INFINITY;
  #latestSize = -1;

  constructor(options: SimulatedFeedOptions) {
    this.#options = options;
    this.#streamedFrom = new Float64Array(Math.max(MARKETS_MIN, options.tickers.size)).fill(Number.POSITIVE_INFINITY);
  }

  get streamedFrom(): Float64Array {
    return this.#streamedFrom;
  }

  get allStreamedFrom(): number {
    const { size } = this.#options.tickers;
    if (this.#latestSize !== size) {
      this.growMarkets();
      this.#latestSize = size;
      this.#latestFrom = this.#streamedFrom.subarray(0, size).reduce((latest, from) => Math.max(latest, from), 0);
    }
    return this.#latestFrom;
  }

  #setStreamedFrom(market: MarketIndex, from: number): void {
    this.#streamedFrom[market] = from;
    this.#latestSize = -1;
  }

  growMarkets(): void {
    const { size } = this.#options.tickers;
    if (size <= this.#streamedFrom.length) return;
    const grown = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
    this.#streamedFrom = grownCopy(this.#streamedFrom, grown);
  }

  connectFeed(): void {
    this.#connection += 1;
    this.#emit({ kind: 'feed-up', connection: this.#connection });
    this.#grantPrivate();
  }

  #emit(event: VenueEvent): void {
    this.#options.sink.publish(event);
  }

  #grantPrivate(): void {
    for (const channel of PRIVATE) this.#emit({ kind: 'feed-channel', channel, isUp: true, reason: 'subscribed' });
  }

  publishOrder(order: VenueOrder): void {
    this.#emit({ kind: 'order-updated', order: orderReportOf(order) });
  }

  publishFill(fill: FillReport): void {
    this.#emit({ kind: 'fill', fill });
  }

  publishPosition({ index, position }: VenueMarket): void {
    const { qty, realized, fees, cost } = position;
    this.#emit({ kind: 'position-updated', position: { market: index, qty, realized, fees, cost } });
  }

  handleCommand(command: FeedCommand): void {
    switch (command.type) {
      case 'subscribe':
      case 'resync':
      case 'renew':
        return this.#stream(command.tickers);
      case 'unsubscribe':
        for (const ticker of command.tickers) this.#unsubscribe(ticker);
        return;
      case 'renew-private':
        return this.#grantPrivate();
      case 'reconnect':
        return this.#reconnect(command.reason);
    }
  }

  #reconnect(reason: string): void {
    const { tickers } = this.#options;
    this.#emit({ kind: 'feed-down', reason });
    this.connectFeed();
    const names = tickers.tickersByIndex().filter((_, index) => this.#streamedFrom[index] !== Number.POSITIVE_INFINITY);
    this.#stream(names.filter((ticker) => ticker !== undefined));
  }

  /**
   * Streams the markets' rows from now on, after a snapshot of each book. An unknown book comes with the tape's next
   * snapshot. `feed-untold` names the markets whose book is unknown, so that the silence does not look like a dead
   * feed.
   */
  #stream(names: readonly Ticker[]): void {
    const { clock, matching, tickers } = this.#options;
    const withoutBook: MarketIndex[] = [];
    this.growMarkets();
    for (const market of names.map((ticker) => tickers.indexOf(ticker))) {
      if (market === undefined) continue;
      this.#setStreamedFrom(market, clock.now);
      if (matching.isBookKnown(market))
        this.#emit({ kind: 'book-snapshot', exchangeAt: clock.now, market, ...matching.levelsOf(market) });
      else withoutBook.push(market);
    }
    if (withoutBook.length > 0) this.#emit({ kind: 'feed-untold', markets: withoutBook });
  }

  #unsubscribe(ticker: Ticker): void {
    const market = this.#options.tickers.indexOf(ticker);
    if (market !== undefined) this.#stopStreaming(market);
  }

  /**
   * Stops streaming a market's rows. From then on the matching keeps its own copy of the book: the engine's copy no
   * longer follows the rows.
   */
  #stopStreaming(market: MarketIndex): void {
    if (market >= this.#streamedFrom.length) return;
    this.#options.matching.reclaimBook(market);
    this.#setStreamedFrom(market, Number.POSITIVE_INFINITY);
  }

  dropMarket({ index }: VenueMarket): void {
    this.#stopStreaming(index);
  }
}
