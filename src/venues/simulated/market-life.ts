// Life of markets at the simulated venue: described and moved by the tape's events, opened and closed by the clock,
// settled when the tape shows the settlement. What the tape never shows does not happen: no settlement is guessed. Must
// never settle a market twice, leave an order resting in one that is over, or show an outcome before the tape does.
import type { MarketChanged, MarketDefined } from '../../domain/event.ts';
import { type Market, type MarketStatus, isSettled, statusByClock } from '../../domain/market.ts';
import { priceGrid } from '../../domain/price-grid.ts';
import type { Micros } from '../../domain/units.ts';
import type { Account } from './account.ts';
import type { Desk } from './desk.ts';
import type { Listing } from './listing.ts';
import type { News } from './news.ts';
import type { Floor } from './ports.ts';
import type { MarketRecord } from './records.ts';
import type { Timers } from './timers.ts';

export interface MarketLifeOptions {
  readonly clock: { readonly now: Micros };
  readonly matching: Floor;
  readonly listing: Listing;
  readonly account: Account;
  readonly orders: Desk;
  readonly feed: News;
  readonly timers: Timers<() => void>;
}

/** Statuses in which an order may rest. */
const BEFORE_CLOSE: ReadonlySet<MarketStatus> = new Set(['initialized', 'active', 'inactive']);
/** Statuses in which the outcome is known. */
const AFTER_OUTCOME: ReadonlySet<MarketStatus> = new Set(['determined', 'disputed', 'amended', 'finalized']);

export class MarketLife {
  readonly #options: MarketLifeOptions;

  constructor(options: MarketLifeOptions) {
    this.#options = options;
  }

  /** Applies a market's description, the first or a later one. */
  describe({ market, at, askedAt = at }: MarketDefined): void {
    const { listing, feed } = this.#options;
    const previous = listing.byIndex(market.index);
    // The number now belongs to another market: subscriptions do not carry over.
    if (previous !== undefined && previous.market.ticker !== market.ticker) feed.forget(previous);
    const record = listing.describe(market, askedAt);
    if (record === null || record.isPaid) return;
    feed.makeRoom();
    this.#applyMarket(
      record,
      AFTER_OUTCOME.has(market.status) ? market : { ...market, result: null, settlementValue: null },
    );
  }

  /** Applies a change of a market. */
  change(event: MarketChanged): void {
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

  #applyMarket(record: MarketRecord, next: Market): void {
    const { clock, orders } = this.#options;
    const before = record.market.status;
    // Equal grids are one object: a book starts again only where prices have changed.
    record.market = { ...next, grid: priceGrid(next.grid.ranges), status: statusByClock(next, clock.now) };
    const { status } = record.market;
    this.#setTimers(record);
    // Trading resumes with empty queues.
    if (before === 'inactive' && status === 'active') orders.sweep(record, 'HaltCancel');
    if (BEFORE_CLOSE.has(status)) this.#openBook(record);
    else this.#closeBook(record);
    if (isSettled(status)) this.#settle(record);
  }

  #openBook(record: MarketRecord): void {
    const { grid } = record.market;
    if (record.floorGrid === grid) return;
    record.floorGrid = grid;
    for (const id of this.#options.matching.open(record.index, grid)) this.#options.orders.ended(id, 'HaltCancel');
  }

  #closeBook(record: MarketRecord): void {
    if (record.floorGrid === null) return;
    record.floorGrid = null;
    this.#options.matching.close(record.index);
    this.#options.orders.closed(record);
  }

  /** Settles the market once, when its status and value are final. A market that opens settled is only recorded. */
  #settle(record: MarketRecord): void {
    const { account, clock, listing } = this.#options;
    const { result, settlementValue } = record.market;
    if (result === null || settlementValue === null) return;
    account.settle(record, { result, settlementValue }, clock.now);
    listing.paidOut(record);
  }

  /** Sets timers for the next changes of status by the clock. */
  #setTimers(record: MarketRecord): void {
    const { timers } = this.#options;
    const { armed, market } = record;
    if (!BEFORE_CLOSE.has(market.status)) return;
    const onTimer = (): void => this.#onTimer(record);
    if (market.status === 'initialized' && armed.openAt !== market.openAt) timers.set(market.openAt, onTimer);
    if (armed.closeAt !== market.closeAt) timers.set(market.closeAt, onTimer);
    armed.openAt = market.openAt;
    armed.closeAt = market.closeAt;
  }

  #onTimer(record: MarketRecord): void {
    const { market } = record;
    if (statusByClock(market, this.#options.clock.now) !== market.status) this.#applyMarket(record, market);
  }
}
