// The life of markets at the simulated venue: changed by the tape's events and by the clock, settled when the tape
// shows the settlement. Must never settle a market twice, leave an order in a closed market, or show an outcome before
// the tape does.
import type { MarketChanged, MarketDefined } from '../../../domain/event.ts';
import { type Market, type MarketStatus, isSettled, statusByClock } from '../../../domain/market.ts';
import { priceGrid } from '../../../domain/price-grid.ts';
import type { Micros } from '../../../domain/units.ts';
import type { VenueAccount } from '../account/venue-account.ts';
import type { OrderHandler } from '../account/order-handler.ts';
import type { TapeListing } from './tape-listing.ts';
import type { SimulatedFeed } from './simulated-feed.ts';
import type { FillSimulator } from '../simulator-interfaces.ts';
import type { VenueMarket } from '../account/venue-records.ts';
import type { DueTimers } from '../due-timers.ts';

export interface TapeMarketLifecycleOptions {
  readonly clock: { readonly now: Micros };
  readonly matching: FillSimulator;
  readonly listing: TapeListing;
  readonly account: VenueAccount;
  readonly orders: OrderHandler;
  readonly feed: SimulatedFeed;
  readonly timers: DueTimers<() => void>;
  /** Called when a market has opened or closed by the clock. The feed does not report it. */
  readonly onChangeByClock: () => void;
}

/** Statuses in which an order may rest. */
const BEFORE_CLOSE: ReadonlySet<MarketStatus> = new Set(['initialized', 'active', 'inactive']);
const AFTER_OUTCOME: ReadonlySet<MarketStatus> = new Set(['determined', 'disputed', 'amended', 'finalized']);

export class TapeMarketLifecycle {
  readonly #options: TapeMarketLifecycleOptions;

  constructor(options: TapeMarketLifecycleOptions) {
    this.#options = options;
  }

  applyDescription({ market, at, askedAt = at }: MarketDefined): void {
    const { listing, feed } = this.#options;
    const previous = listing.byIndex(market.index);
    // When the number now belongs to another market, the subscription does not carry over.
    if (previous !== undefined && previous.market.ticker !== market.ticker) feed.dropMarket(previous);
    const record = listing.addDescription(market, askedAt);
    if (record === null || record.isPaid) return;
    feed.growMarkets();
    this.#applyMarket(
      record,
      AFTER_OUTCOME.has(market.status) ? market : { ...market, result: null, settlementValue: null },
    );
  }

  /** Applies a change of a market. Values that the event does not name stay. */
  applyChange(event: MarketChanged): void {
    const record = this.#options.listing.byIndex(event.market);
    if (record === undefined || record.isPaid) return;
    const { market } = record;
    record.changedAt = event.at;
    this.#applyMarket(record, {
      ...market,
      status: event.status ?? market.status,
      closeAt: event.closeAt ?? market.closeAt,
      grid: event.grid ?? market.grid,
      result: event.result === undefined ? market.result : event.result,
      settlementValue: event.settlementValue === undefined ? market.settlementValue : event.settlementValue,
    });
  }

  #applyMarket(record: VenueMarket, next: Market): void {
    const { clock, orders } = this.#options;
    const before = record.market.status;
    // Equal grids are one object, so a book is opened again only when the grid changes.
    record.market = { ...next, grid: priceGrid(next.grid.ranges), status: statusByClock(next, clock.now) };
    const { status } = record.market;
    this.#setTimers(record);
    // When trading resumes, the queues are empty: our orders are canceled.
    if (before === 'inactive' && status === 'active') orders.cancelMarket(record, 'HaltCancel');
    if (BEFORE_CLOSE.has(status)) this.#openBook(record);
    else this.#closeBook(record);
    if (isSettled(status)) this.#settle(record);
  }

  #openBook(record: VenueMarket): void {
    const { grid } = record.market;
    if (record.bookGrid === grid) return;
    record.bookGrid = grid;
    for (const id of this.#options.matching.openMarket(record.index, grid))
      this.#options.orders.onCanceledByMatching(id, 'HaltCancel');
  }

  #closeBook(record: VenueMarket): void {
    if (record.bookGrid === null) return;
    record.bookGrid = null;
    this.#options.matching.closeMarket(record.index);
    this.#options.orders.onMarketClosed(record);
  }

  /** Settles the market once its result and value are known. */
  #settle(record: VenueMarket): void {
    const { account, clock, listing } = this.#options;
    const { result, settlementValue } = record.market;
    if (result === null || settlementValue === null) return;
    account.settleMarket(record, { result, settlementValue }, clock.now);
    listing.onSettled(record);
  }

  #setTimers(record: VenueMarket): void {
    const { timers } = this.#options;
    const { timersSet, market } = record;
    if (!BEFORE_CLOSE.has(market.status)) return;
    const onTimer = (): void => this.#onTimer(record);
    if (market.status === 'initialized' && timersSet.openAt !== market.openAt) timers.set(market.openAt, onTimer);
    if (timersSet.closeAt !== market.closeAt) timers.set(market.closeAt, onTimer);
    timersSet.openAt = market.openAt;
    timersSet.closeAt = market.closeAt;
  }

  #onTimer(record: VenueMarket): void {
    const { market } = record;
    if (statusByClock(market, this.#options.clock.now) === market.status) return;
    this.#applyMarket(record, market);
    this.#options.onChangeByClock();
  }
}
