// Markets as they live at the simulated venue: described and moved by the tape's facts, opened and closed by the clock, paid
// out when the tape says that they are settled. What the tape never says does not happen: nothing is paid out by guess.
// Must never pay a market out twice, leave an order resting in one that is over, or show an outcome before it is told.
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
  readonly floor: Floor;
  readonly listing: Listing;
  readonly account: Account;
  readonly desk: Desk;
  readonly news: News;
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

  /** A market is described, for the first time or again. */
  describe({ market, at, askedAt = at }: MarketDefined): void {
    const { listing, news } = this.#options;
    const holder = listing.byIndex(market.index);
    // The number has changed hands: who follows the one does not follow the other.
    if (holder !== undefined && holder.market.ticker !== market.ticker) news.forget(holder);
    const record = listing.describe(market, askedAt);
    if (record === null || record.isPaid) return;
    news.makeRoom();
    this.#become(
      record,
      AFTER_OUTCOME.has(market.status) ? market : { ...market, result: null, settlementValue: null },
    );
  }

  /** Its life went on. */
  change(event: MarketChanged): void {
    const record = this.#options.listing.byIndex(event.market);
    if (record === undefined || record.isPaid) return;
    const { market } = record;
    record.changedAt = event.at;
    this.#become(record, {
      ...market,
      status: event.status ?? market.status,
      closeAt: event.closeAt ?? market.closeAt,
      grid: event.grid ?? market.grid,
      result: event.result === undefined ? market.result : event.result,
      settlementValue: event.settlementValue === undefined ? market.settlementValue : event.settlementValue,
    });
  }

  #become(record: MarketRecord, next: Market): void {
    const { clock, desk } = this.#options;
    const before = record.market.status;
    // Of equal grids there is one: a book is begun anew only where prices have changed.
    record.market = { ...next, grid: priceGrid(next.grid.ranges), status: statusByClock(next, clock.now) };
    const { status } = record.market;
    this.#arm(record);
    // Trading resumes with empty queues.
    if (before === 'inactive' && status === 'active') desk.sweep(record, 'HaltCancel');
    if (BEFORE_CLOSE.has(status)) this.#openFloor(record);
    else this.#closeFloor(record);
    if (isSettled(status)) this.#pay(record);
  }

  #openFloor(record: MarketRecord): void {
    const { grid } = record.market;
    if (record.floorGrid === grid) return;
    record.floorGrid = grid;
    for (const id of this.#options.floor.open(record.index, grid)) this.#options.desk.ended(id, 'HaltCancel');
  }

  #closeFloor(record: MarketRecord): void {
    if (record.floorGrid === null) return;
    record.floorGrid = null;
    this.#options.floor.close(record.index);
    this.#options.desk.closed(record);
  }

  /** Paid once, when it is settled and the value is known; with an opening after the fact it is only noted. */
  #pay(record: MarketRecord): void {
    const { account, clock, listing } = this.#options;
    const { result, settlementValue } = record.market;
    if (result === null || settlementValue === null) return;
    account.settle(record, { result, settlementValue }, clock.now);
    listing.paidOut(record);
  }

  /** Sees to it that the clock's next step in its life is not missed. */
  #arm(record: MarketRecord): void {
    const { timers } = this.#options;
    const { armed, market } = record;
    if (!BEFORE_CLOSE.has(market.status)) return;
    const tick = (): void => this.#tick(record);
    if (market.status === 'initialized' && armed.openAt !== market.openAt) timers.set(market.openAt, tick);
    if (armed.closeAt !== market.closeAt) timers.set(market.closeAt, tick);
    armed.openAt = market.openAt;
    armed.closeAt = market.closeAt;
  }

  #tick(record: MarketRecord): void {
    const { market } = record;
    if (statusByClock(market, this.#options.clock.now) !== market.status) this.#become(record, market);
  }
}
