// Answers of the simulated venue about the account: orders, fills, positions, settlements, balance. Lists of orders,
// fills and settlements begin with the latest. Must never change the account, nor an order beyond its cached report.
import type { ReadCommand, ReadTarget } from '../../../domain/venue-command.ts';
import type { OrderReport, PositionReport, QueuePositionReport } from '../../../domain/event.ts';
import { type MarketIndex, type Ticker, type TickerTable, venueOrderId } from '../../../domain/ids.ts';
import { type Micros, addQty } from '../../../domain/units.ts';
import { type VenueAccount, type TickerRow, isFlat } from './venue-account.ts';
import type { TapeListing } from '../feed/tape-listing.ts';
import type { OrderStore } from './order-store.ts';
import { type ListPage, pageOf } from '../feed/simulated-pages.ts';
import { AHEAD_UNKNOWN, type FillSimulator, type VenueEvent } from '../simulator-interfaces.ts';
import { type VenueMarket, type VenueOrder, orderReportOf } from './venue-records.ts';

export interface AccountReadsOptions {
  readonly account: VenueAccount;
  readonly listing: TapeListing;
  readonly matching: Pick<FillSimulator, 'qtyAheadOf'>;
  readonly store: OrderStore;
  readonly tickers: TickerTable;
  readonly pageRows: number;
}

interface ReadOrigin {
  readonly askedAt: Micros;
  readonly commandId: number;
}

export class AccountReads {
  readonly #options: AccountReadsOptions;

  constructor(options: AccountReadsOptions) {
    this.#options = options;
  }

  answerRead({ target, id: commandId, cursor }: ReadCommand, askedAt: Micros): VenueEvent | null {
    const { account, store } = this.#options;
    const origin = { askedAt, commandId };
    switch (target.what) {
      case 'orders':
        return { kind: 'orders', ...origin, ...this.#orders(target, cursor) };
      case 'order': {
        const order = store.findOrder(target.venueOrderId);
        return { kind: 'order-found', ...origin, order: order === undefined ? null : this.#report(order) };
      }
      case 'fills':
        return { kind: 'fills', ...origin, ...this.#fills(target.since, cursor) };
      case 'settlements':
        return { kind: 'settlements', ...origin, ...this.#settlements(target.since, cursor) };
      case 'positions':
        return this.#positions(origin, cursor);
      case 'queue-positions':
        return { kind: 'queue-positions', ...origin, rows: target.tickers.flatMap((name) => this.#queuesOf(name)) };
      case 'balance':
        return { kind: 'balance', ...origin, available: account.available };
      case 'status':
      case 'limits':
      case 'market':
      case 'markets':
      case 'event':
      case 'events':
      case 'series':
      case 'fee-changes':
      case 'book':
        return null;
    }
  }

  /** Returns the same object until the order changes or its market gets another number. */
  #report(order: VenueOrder): OrderReport {
    const market = this.#indexOf(order.market.market.ticker);
    if (order.report?.market !== market) order.report = orderReportOf(order, market);
    return order.report;
  }

  #indexOf(ticker: Ticker): MarketIndex {
    return this.#options.tickers.internTicker(ticker);
  }

  #orders({ status, since }: Extract<ReadTarget, { what: 'orders' }>, cursor: string | null) {
    const { store, pageRows: size } = this.#options;
    const orders = store.latestFirst(status, cursor === null ? null : venueOrderId(cursor));
    const rows = since === null ? orders : untilTooOld(orders, ({ createdAt }) => createdAt < since);
    const page = pageOf(rows, { cursor: null, size, keyOf: ({ venueOrderId: id }) => id });
    return { rows: page.rows.map((order) => this.#report(order)), cursor: page.cursor };
  }

  /**
   * The quantity ahead of each resting order: other traders' by the queue model, plus our own earlier orders. An order
   * with an unknown queue position is left out.
   */
  #queuesOf(ticker: Ticker): QueuePositionReport[] {
    const { listing, matching } = this.#options;
    const resting = [...(listing.marketOf(ticker)?.resting.values() ?? [])];
    return resting.flatMap(({ venueOrderId: id, side, price }, place) => {
      const strangers = matching.qtyAheadOf(id);
      if (strangers === null || strangers >= AHEAD_UNKNOWN) return [];
      const before = resting.slice(0, place).filter((other) => other.side === side && other.price === price);
      return [{ venueOrderId: id, aheadQty: before.reduce((sum, one) => addQty(sum, one.leavesQty), strangers) }];
    });
  }

  #fills(since: Micros | null, cursor: string | null) {
    const { account, pageRows: size } = this.#options;
    const rows = untilTooOld(
      account.fillsLatestFirst(),
      ({ row: { exchangeAt } }) => since !== null && (exchangeAt ?? 0) < since,
    );
    return this.#renumbered(pageOf(rows, { cursor, size, keyOf: ({ row }) => row.tradeId }));
  }

  #settlements(since: Micros | null, cursor: string | null) {
    const { account, pageRows: size } = this.#options;
    const rows = untilTooOld(
      account.settlementsLatestFirst(),
      ({ row: { settledAt } }) => since !== null && settledAt < since,
    );
    return this.#renumbered(pageOf(rows, { cursor, size, keyOf: ({ ticker }) => ticker }));
  }

  #renumbered<Row extends object>({ rows, cursor }: ListPage<TickerRow<Row>>) {
    return { rows: rows.map(({ ticker, row }) => ({ ...row, market: this.#indexOf(ticker) })), cursor };
  }

  #positions(origin: ReadOrigin, cursor: string | null): VenueEvent {
    const { listing, pageRows: size } = this.#options;
    // A position that was closed since the page before still marks its place.
    const isListed = (record: VenueMarket): boolean => !isFlat(record);
    const page = pageOf(listing.markets(), { cursor, size, keyOf: ({ market }) => market.ticker, isListed });
    const rows = page.rows.map(({ market, position }): PositionReport => {
      const { qty, realized, fees, cost } = position;
      return { market: this.#indexOf(market.ticker), qty, realized, fees, cost };
    });
    return { kind: 'positions', ...origin, rows, cursor: page.cursor };
  }
}

/** Yields rows, latest first, up to the first that is too old. */
function* untilTooOld<Row>(rows: Iterable<Row>, isTooOld: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) {
    if (isTooOld(row)) return;
    yield row;
  }
}
