// Notifies strategies of their orders' progress in the queue. Reads queue positions from venues that report them. Must
// never do work while no strategy listens, nor at every book change.
import type { QueuePositions } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex, StrategyName } from '../../domain/ids.ts';
import { type Order, isFinished } from '../../domain/orders/order.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { StrategyRunner } from '../../strategy/strategy-runner.ts';
import type { VenueReader } from '../session/venue-reader.ts';

export interface QueueNotifierOptions {
  readonly state: State;
  readonly reader: VenueReader;
  readonly roster: StrategyRunner;
  readonly canReadQueue: boolean;
}

/** Interval of the check of all orders, because cancels by others move our orders up. Microseconds. */
const CHECK_EVERY = 1_000_000;
/** Shortest time between two requests for queue positions. Microseconds. */
const READ_EVERY = 5_000_000;
const MARKETS_PER_READ = 50;

/** Notifies strategies that listen to queue positions. */
export class QueueNotifier {
  readonly #options: QueueNotifierOptions;
  readonly #listeners: ReadonlySet<StrategyName>;
  /** The quantity ahead of each order as last reported. Added at the first report; removed when the order has ended. */
  readonly #reported = new Map<ClientOrderId, Qty>();
  #checkAt: Micros | null = null;
  /** The time from which the venue may be asked again; infinite once it has refused. */
  #readAt = 0;

  constructor(options: QueueNotifierOptions) {
    this.#options = options;
    const listening = options.roster.allStrategies().filter(({ handlers }) => handlers.onQueue !== undefined);
    this.#listeners = new Set(listening.map(({ name }) => name));
  }

  /** The time of the next check; `null` while no listening strategy has orders. */
  dueAt(): Micros | null {
    return this.#checkAt;
  }

  onOrderChange(order: Order): void {
    if (!this.#listeners.has(order.strategy)) return;
    if (isFinished(order.state)) this.#reported.delete(order.clientOrderId);
    else this.#notify(order);
    const { now } = this.#options.state;
    this.#checkAt ??= (now + CHECK_EVERY) as Micros;
  }

  onPrint(market: MarketIndex): void {
    if (this.#listeners.size === 0) return;
    for (const order of this.#options.state.orders.openIn(market).slice()) this.#notify(order);
  }

  onQueuePositions(event: QueuePositions): void {
    for (const { venueOrderId } of event.rows) {
      const order = this.#options.state.orders.byVenueId(venueOrderId);
      if (order) this.#notify(order);
    }
  }

  onReadRefused(): void {
    this.#readAt = Number.POSITIVE_INFINITY;
  }

  #notify(order: Order): void {
    const { state, roster } = this.#options;
    if (!this.#listeners.has(order.strategy)) return;
    const place = state.queueEstimates.estimateFor(order);
    if (place === null || this.#reported.get(order.clientOrderId) === place.aheadQty) return;
    const { aheadQty, source } = place;
    this.#reported.set(order.clientOrderId, aheadQty);
    roster.callNamed(order.strategy, (handlers, view) => handlers.onQueue?.({ order, aheadQty, source }, view));
  }

  /** Checks the orders of the listening strategies, when due. Asks venues that report queue positions. */
  checkQueues(now: Micros): void {
    if (this.#checkAt === null || now < this.#checkAt) return;
    const { orders } = this.#options.state;
    const watched = orders.allOpen().filter(({ strategy }) => this.#listeners.has(strategy));
    this.#checkAt = watched.length === 0 ? null : ((now + CHECK_EVERY) as Micros);
    for (const order of watched) this.#notify(order);
    if (this.#options.canReadQueue && now >= this.#readAt) this.#readPositions(watched, now);
  }

  #readPositions(watched: readonly Order[], now: Micros): void {
    const { state, reader } = this.#options;
    const resting = watched.filter((order) => state.queueEstimates.estimateFor(order) !== null);
    const markets = new Set(resting.map(({ market }) => market));
    if (markets.size === 0 || reader.isPending('queue-positions')) return;
    this.#readAt = now + READ_EVERY;
    const tickers = [...markets].map((market) => state.tickers.tickerOf(market));
    for (let from = 0; from < tickers.length; from += MARKETS_PER_READ)
      reader.requestRead(
        { what: 'queue-positions', tickers: tickers.slice(from, from + MARKETS_PER_READ) },
        now,
        'care',
      );
  }

  get size(): number {
    return this.#reported.size;
  }
}
