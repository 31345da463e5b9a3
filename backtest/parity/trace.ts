// All that a run ordered and traded, kept whole, so that two runs of the same stretch can be laid side by side.
// Must never be used for runs without an end: it keeps every order.
import type { Denial } from '../../src/domain/denial.ts';
import type { TickerTable } from '../../src/domain/ids.ts';
import { type Liquidity, type Order, type Side, isFinished } from '../../src/domain/order.ts';
import type { Notice } from '../../src/execution/notice.ts';

/** One trade. Money in millionths of a dollar, prices in ten-thousandths, quantities in hundredths, times in microseconds. */
export interface TracedFill {
  readonly at: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
}

/** One order, with what it traded. */
export interface TracedOrder {
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly createdAt: number;
  /** When it was over; `null` while it is not. */
  readonly endedAt: number | null;
  /** The state it ended in, or is in. */
  readonly state: string;
  readonly filledQty: number;
  readonly fills: readonly TracedFill[];
}

/** What two runs are compared by. */
export interface Trace {
  readonly orders: readonly TracedOrder[];
  readonly denials: readonly { readonly at: number; readonly strategy: string; readonly code: Denial['code'] }[];
  /** The event group of each market that was ordered in. */
  readonly groups: ReadonlyMap<string, string>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Kept extends Mutable<Omit<TracedOrder, 'fills'>> {
  readonly fills: TracedFill[];
}

/** Keeps the trace of one engine. */
export class Tracer {
  readonly #tickers: TickerTable;
  readonly #orders = new Map<string, Kept>();
  readonly #denials: Trace['denials'][number][] = [];
  readonly #groups = new Map<string, string>();

  constructor(tickers: TickerTable) {
    this.#tickers = tickers;
  }

  /** Takes what the engine observed. `at`: the engine's time. */
  take(notice: Notice, at: number): void {
    switch (notice.type) {
      case 'order':
        return void this.#note(notice.order, at);
      case 'fill': {
        if (notice.order === null) return;
        const { exchangeAt, price, qty, fee, liquidity } = notice.fill;
        this.#note(notice.order, at).fills.push({ at: exchangeAt ?? at, price, qty, fee, liquidity });
        return;
      }
      case 'market':
        this.#groups.set(notice.market.ticker, notice.market.eventTicker);
        return;
      case 'denied':
        this.#denials.push({ at, strategy: notice.strategy, code: notice.denial.code });
        return;
      default:
    }
  }

  #note(order: Order, at: number): Kept {
    const kept = this.#orders.get(order.clientOrderId) ?? this.#begin(order);
    kept.state = order.state;
    kept.filledQty = order.filledQty;
    if (isFinished(order.state)) kept.endedAt ??= at;
    return kept;
  }

  #begin({ clientOrderId, strategy, market, side, price, qty, createdAt, state, filledQty }: Order): Kept {
    const kept: Kept = {
      clientOrderId,
      strategy,
      ticker: this.#tickers.tickerOf(market),
      side,
      price,
      qty,
      createdAt,
      endedAt: null,
      state,
      filledQty,
      fills: [],
    };
    this.#orders.set(clientOrderId, kept);
    return kept;
  }

  trace(): Trace {
    return { orders: [...this.#orders.values()], denials: this.#denials, groups: this.#groups };
  }
}
