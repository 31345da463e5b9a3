// Counts orders, fills, contracts, fees and denials from the engine's notices, for metrics. Must never keep a ticker,
// an id or a reason.
import type { Notice } from '../execution/engine-notice.ts';
import { StrategyCounts } from './strategy-counts.ts';

/** Fills whose order is not known when they are reported count under this name. Their order may be learned later. */
const NO_STRATEGY = 'none';

/** Series of each table, without those of `other`. */
export const TRADE_SERIES_MAX = { orders: 200, fills: 80, contracts: 80, fees: 80, denials: 150 } as const;

/** Counted states of an order: `approved` by risk, each end, and `unknown`. */
export const COUNTED_STATES = ['approved', 'filled', 'canceled', 'expired', 'rejected', 'not-sent', 'unknown'] as const;

/** Counts of one session. */
export class TradeCounts {
  /** By strategy and state. */
  readonly orders = new StrategyCounts(TRADE_SERIES_MAX.orders);
  /** By strategy and liquidity. */
  readonly fills = new StrategyCounts(TRADE_SERIES_MAX.fills);
  /** By strategy and liquidity, in hundredths of a contract. */
  readonly quantities = new StrategyCounts(TRADE_SERIES_MAX.contracts);
  /** Fees paid, by strategy and liquidity. Millionths of a dollar. */
  readonly fees = new StrategyCounts(TRADE_SERIES_MAX.fees);
  /** By strategy and code. */
  readonly denials = new StrategyCounts(TRADE_SERIES_MAX.denials);

  countNotice(notice: Notice): void {
    if (notice.type === 'approved') this.orders.addCount(notice.strategy, 'approved', 1);
    else if (notice.type === 'denied') this.denials.addCount(notice.strategy, notice.denial.code, 1);
    else if (notice.type === 'order') this.#countOrder(notice);
    else if (notice.type === 'fill') this.#countFill(notice);
  }

  #countOrder({ order, from, to }: Extract<Notice, { type: 'order' }>): void {
    if (from !== to && COUNTED.has(to)) this.orders.addCount(order.strategy, to, 1);
  }

  #countFill({ order, fill, isCounted }: Extract<Notice, { type: 'fill' }>): void {
    if (isCounted === true) return;
    const strategy = order?.strategy ?? NO_STRATEGY;
    this.fills.addCount(strategy, fill.liquidity, 1);
    this.quantities.addCount(strategy, fill.liquidity, fill.qty);
    // A rebate is a negative fee, but a counter must never fall.
    if (fill.fee > 0) this.fees.addCount(strategy, fill.liquidity, fill.fee);
  }
}

const COUNTED: ReadonlySet<string> = new Set(COUNTED_STATES);
