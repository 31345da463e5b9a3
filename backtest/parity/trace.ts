// All that a run ordered and traded, kept whole, so that two runs of the same stretch can be laid side by side.
// Must never be used for runs without an end: it keeps every order.
import type { Denial } from '../../src/domain/denial.ts';
import type { FillReport } from '../../src/domain/event.ts';
import type { TickerTable } from '../../src/domain/ids.ts';
import { type Liquidity, type Order, isFinished } from '../../src/domain/order.ts';
import type { Notice } from '../../src/execution/notice.ts';
import type { OrderNote } from '../../src/report/run-record.ts';
import type { OwnChange } from './without-own.ts';

/** One trade. Money in millionths of a dollar, prices in ten-thousandths, quantities in hundredths, times in microseconds. */
export interface TracedFill {
  readonly at: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
}

/** One order, with what it traded. */
export interface TracedOrder extends Omit<OrderNote, 'reason'> {
  readonly fills: readonly TracedFill[];
}

/** What two runs are compared by. */
export interface Trace {
  readonly orders: readonly TracedOrder[];
  readonly denials: readonly { readonly at: number; readonly strategy: string; readonly code: Denial['code'] }[];
  /** The event group of each market. */
  readonly groups: ReadonlyMap<string, string>;
  /** What the run itself did to the books, as its feed must have told it. */
  readonly changes: readonly OwnChange[];
  /** Trades in which an order of the run took what others offered. */
  readonly taken: ReadonlySet<string>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Kept extends Mutable<Omit<TracedOrder, 'fills'>> {
  readonly fills: TracedFill[];
}

/** States in which the venue holds what is left of an order in its book. */
const RESTS: ReadonlySet<string> = new Set(['working', 'pending-cancel', 'pending-amend', 'unknown']);

/** What of an order rests where. */
interface Resting {
  readonly price: number;
  readonly qty: number;
}

/** Keeps the trace of one engine. */
export class Tracer {
  readonly #tickers: TickerTable;
  readonly #orders = new Map<string, Kept>();
  readonly #denials: Trace['denials'][number][] = [];
  readonly #groups = new Map<string, string>();
  readonly #changes: OwnChange[] = [];
  readonly #taken = new Set<string>();
  readonly #resting = new Map<string, Resting>();

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
        this.#fill(notice.order, notice.fill, at);
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

  #fill(order: Order, fill: FillReport, at: number): void {
    const { exchangeAt, price, qty, fee, liquidity } = fill;
    const kept = this.#note(order, at);
    kept.fills.push({ at: exchangeAt ?? at, price, qty, fee, liquidity });
    if (liquidity === 'maker') return;
    this.#taken.add(fill.tradeId);
    this.#changes.push({ at, ticker: kept.ticker, isBid: order.side === 'sell', price, change: -qty, isTaken: true });
  }

  /** What rests of an order, against what did. */
  #follow(order: Order, { ticker }: Kept, at: number): void {
    const before = this.#resting.get(order.clientOrderId);
    const mayRest = RESTS.has(order.state) && order.timeInForce !== 'ioc' && order.timeInForce !== 'fok';
    const qty = mayRest ? order.qty - order.filledQty : 0;
    if (before?.qty === qty && before.price === order.price) return;
    const level = { at, ticker, isBid: order.side === 'buy' };
    if (before && before.price !== order.price)
      this.#changes.push({ ...level, price: before.price, change: -before.qty });
    const change = before?.price === order.price ? qty - before.qty : qty;
    if (change !== 0) this.#changes.push({ ...level, price: order.price, change });
    if (qty === 0) this.#resting.delete(order.clientOrderId);
    else this.#resting.set(order.clientOrderId, { price: order.price, qty });
  }

  #note(order: Order, at: number): Kept {
    const kept = this.#orders.get(order.clientOrderId) ?? this.#begin(order);
    kept.state = order.state;
    kept.filledQty = order.filledQty;
    if (isFinished(order.state)) kept.endedAt ??= at;
    this.#follow(order, kept, at);
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
    const orders = [...this.#orders.values()];
    return { orders, denials: this.#denials, groups: this.#groups, changes: this.#changes, taken: this.#taken };
  }
}
