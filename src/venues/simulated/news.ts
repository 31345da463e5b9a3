// What the bot is told on the feed: that it is connected, its own orders, fills and positions, and the snapshots that
// answer a subscription. Knows which markets are streamed, and since when.
// Must never say that it is connected but when told to.
import { grownCopy } from '../../domain/columns.ts';
import type { FeedCommand } from '../../domain/command.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex, Ticker, TickerTable } from '../../domain/ids.ts';
import { type Micros, fromSeconds } from '../../domain/units.ts';
import type { Listing } from './listing.ts';
import type { Floor, VenueEvent, VenueSink } from './ports.ts';
import { type MarketRecord, type OrderRecord, reportOf } from './records.ts';

export interface NewsOptions {
  readonly clock: { readonly now: Micros };
  readonly sink: VenueSink;
  readonly floor: Floor;
  readonly listing: Listing;
  readonly tickers: TickerTable;
}

const PRIVATE = ['fills', 'orders', 'positions'] as const;
/** A feed gives a sign of life so often, as the field's does. */
const HEARTBEAT: Micros = fromSeconds(10);
const MARKETS_MIN = 64;

/** The feed's end at the venue. */
export class News {
  readonly #options: NewsOptions;
  #connection = 0;
  #streamedFrom: Float64Array<ArrayBuffer>;
  /** The latest of those times while they and the markets stay as they are, and of how many markets it is. */
  #latestFrom = Number.POSITIVE_INFINITY;
  #latestOf = -1;
  /** When the next sign of life is due; `null` before the connection. */
  heartbeatAt: Micros | null = null;

  constructor(options: NewsOptions) {
    this.#options = options;
    this.#streamedFrom = new Float64Array(Math.max(MARKETS_MIN, options.tickers.size)).fill(Number.POSITIVE_INFINITY);
  }

  get streamedFrom(): Float64Array {
    return this.#streamedFrom;
  }

  get allStreamedFrom(): number {
    const { size } = this.#options.tickers;
    if (this.#latestOf !== size) {
      this.makeRoom();
      this.#latestOf = size;
      this.#latestFrom = this.#streamedFrom.subarray(0, size).reduce((latest, from) => Math.max(latest, from), 0);
    }
    return this.#latestFrom;
  }

  #stream(market: MarketIndex, from: number): void {
    this.#streamedFrom[market] = from;
    this.#latestOf = -1;
  }

  /** There may be more markets than there were. */
  makeRoom(): void {
    const { size } = this.#options.tickers;
    if (size <= this.#streamedFrom.length) return;
    const wider = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
    this.#streamedFrom = grownCopy(this.#streamedFrom, wider);
  }

  connect(): void {
    this.#connection += 1;
    this.heartbeatAt = (this.#options.clock.now + HEARTBEAT) as Micros;
    this.#tell({ kind: 'feed-up', connection: this.#connection });
    this.#grantPrivate();
  }

  #tell(event: VenueEvent): void {
    this.#options.sink.feed(event);
  }

  #grantPrivate(): void {
    for (const channel of PRIVATE) this.#tell({ kind: 'feed-channel', channel, isUp: true, reason: 'subscribed' });
  }

  /** Gives a sign of life when one is due. */
  pass(): void {
    const { now } = this.#options.clock;
    if (this.heartbeatAt === null || now < this.heartbeatAt) return;
    this.#tell({ kind: 'feed-heard' });
    this.heartbeatAt = (now + HEARTBEAT) as Micros;
  }

  /** An order of ours changed. */
  tellOrder(order: OrderRecord): void {
    this.#tell({ kind: 'order-updated', order: reportOf(order) });
  }

  tellFill(fill: FillReport): void {
    this.#tell({ kind: 'fill', fill });
  }

  tellPosition({ index, position }: MarketRecord): void {
    const { qty, realized, fees, cost } = position;
    this.#tell({ kind: 'position-updated', position: { market: index, qty, realized, fees, cost } });
  }

  take(command: FeedCommand): void {
    switch (command.type) {
      case 'subscribe':
      case 'resync':
      case 'renew':
        return this.#follow(command.tickers);
      case 'unsubscribe':
        for (const ticker of command.tickers) this.#silence(ticker);
        return;
      case 'renew-private':
        return this.#grantPrivate();
      case 'reconnect':
        return this.#reconnect(command.reason);
    }
  }

  #reconnect(reason: string): void {
    const { tickers } = this.#options;
    this.#tell({ kind: 'feed-down', reason });
    this.connect();
    // The feed asks anew for all that it followed.
    const names = tickers.names().filter((_, index) => this.#streamedFrom[index] !== Number.POSITIVE_INFINITY);
    this.#follow(names.filter((ticker) => ticker !== undefined));
  }

  /**
   * From now on the markets' rows reach us: after their books. Where the tape does not know a book it comes with the tape's
   * next, and that is said: an exchange would have answered with the book, and nobody may take us for dead.
   */
  #follow(names: readonly Ticker[]): void {
    const { clock, floor, tickers } = this.#options;
    const untold: MarketIndex[] = [];
    this.makeRoom();
    for (const market of names.map((ticker) => tickers.indexOf(ticker))) {
      if (market === undefined) continue;
      this.#stream(market, clock.now);
      if (floor.isKnown(market))
        this.#tell({ kind: 'book-snapshot', exchangeAt: clock.now, market, ...floor.levels(market) });
      else untold.push(market);
    }
    if (untold.length > 0) this.#tell({ kind: 'feed-untold', markets: untold });
  }

  #silence(ticker: Ticker): void {
    const market = this.#options.tickers.indexOf(ticker);
    if (market !== undefined) this.#end(market);
  }

  /** A market's rows reach us no more: nobody but us has its book any longer. */
  #end(market: MarketIndex): void {
    if (market >= this.#streamedFrom.length) return;
    this.#options.floor.recall(market);
    this.#stream(market, Number.POSITIVE_INFINITY);
  }

  /** A number is another market's from now on. */
  forget({ index }: MarketRecord): void {
    this.#end(index);
  }
}
