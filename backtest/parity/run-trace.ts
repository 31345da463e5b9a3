// The trace of a run: every order and trade, for a comparison of two runs. Must never be used for runs without an end:
// it keeps every order.
import type { DenialCode } from '../../src/domain/denial.ts';
import type { FillReport } from '../../src/domain/event.ts';
import type { TickerTable } from '../../src/domain/ids.ts';
import { type Liquidity, type Order, isFinished } from '../../src/domain/orders/order.ts';
import type { Halt, HaltScope } from '../../src/domain/operator-order.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import { scopeKey } from '../../src/execution/operator/halts.ts';
import type { OrderNote } from '../../src/report/record/run-record.ts';
import type { OwnChange } from './tape-without-own.ts';

/**
 * One trade. Money is in millionths of a dollar, prices in ten-thousandths, quantities in hundredths of a contract,
 * times in microseconds.
 */
export interface TracedFill {
  readonly at: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
}

/** One order with its trades. */
export interface TracedOrder extends Omit<OrderNote, 'reason'> {
  /** True once it has rested in the venue's book. */
  readonly hasRested: boolean;
  /** The terms that amends and decreases gave it, in the sequence of time. `price` and `qty` are its first ones. */
  readonly moves: readonly { readonly at: number; readonly price: number; readonly qty: number }[];
  readonly fills: readonly TracedFill[];
}

/** A halt, and the time for which it was in force: `to` is infinite when it was never lifted. Microseconds. */
export interface TracedHalt {
  readonly halt: Halt;
  readonly from: number;
  readonly to: number;
}

/** The data by which two runs are compared. */
export interface RunTrace {
  readonly orders: readonly TracedOrder[];
  /** Denials by a rule about rates. A strategy may be denied by others at each change of a book. */
  readonly rateDenials: readonly { readonly at: number; readonly strategy: string }[];
  /** The event group of each market. */
  readonly groups: ReadonlyMap<string, string>;
  /** The run's own changes of the public books, as its feed should show them. */
  readonly changes: readonly OwnChange[];
  /** Ids of the trades in which an order of the run was the taker. */
  readonly taken: ReadonlySet<string>;
  /** Time at which the run began to trade; infinite if it never did. Microseconds. */
  readonly tradesFrom: number;
  readonly halts: readonly TracedHalt[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface MutableOrder extends Mutable<Omit<TracedOrder, 'fills' | 'moves'>> {
  readonly fills: TracedFill[];
  readonly moves: TracedOrder['moves'][number][];
}

const RATE_CODES: ReadonlySet<DenialCode> = new Set(['order-rate-above-limit', 'message-rate-above-limit']);

/** States in which the unfilled quantity of an order is taken to rest in the venue's book. */
const RESTING_STATES: ReadonlySet<string> = new Set(['working', 'pending-cancel', 'pending-amend', 'unknown']);

interface Resting {
  readonly price: number;
  readonly qty: number;
}

/** Records the trace of one engine. */
export class RunTracer {
  readonly #tickers: TickerTable;
  readonly #orders = new Map<string, MutableOrder>();
  readonly #rateDenials: RunTrace['rateDenials'][number][] = [];
  readonly #groups = new Map<string, string>();
  readonly #changes: OwnChange[] = [];
  readonly #taken = new Set<string>();
  readonly #resting = new Map<string, Resting>();
  #tradesFrom = Number.POSITIVE_INFINITY;
  readonly #halts: Mutable<TracedHalt>[] = [];
  /** Time at which the latest amend of each order was requested: its effect cannot show earlier. */
  readonly #amendedAt = new Map<string, number>();

  constructor(tickers: TickerTable) {
    this.#tickers = tickers;
  }

  /** @param at the engine's time. */
  onNotice(notice: Notice, at: number): void {
    switch (notice.type) {
      case 'order':
        return void this.#recordOrder(notice.order, at);
      case 'fill': {
        if (notice.order === null) return;
        this.#recordFill(notice.order, notice.fill, at);
        return;
      }
      case 'market':
        this.#groups.set(notice.market.ticker, notice.market.eventTicker);
        return;
      case 'denied':
        if (RATE_CODES.has(notice.denial.code)) this.#rateDenials.push({ at, strategy: notice.strategy });
        return;
      case 'phase':
        if (notice.phase === 'trading') this.#tradesFrom = Math.min(this.#tradesFrom, at);
        return;
      case 'halt':
        this.#halts.push({ halt: notice.halt, from: at, to: Number.POSITIVE_INFINITY });
        return;
      case 'resumed':
        this.#endHalts(notice.scope, at);
        return;
      case 'trust':
      case 'private-feed':
      case 'feed':
      case 'evicted':
      case 'settled':
      case 'unexpected-order':
      case 'canceled-for-us':
      case 'surprise':
      case 'alarm':
      case 'losses':
      case 'books':
      case 'override':
      case 'barred':
      case 'approved':
      case 'withdrawn':
      case 'flattening':
      case 'flattened':
      case 'saved':
      case 'forecast':
      case 'rate-limited':
      case 'read-failed':
      case 'suspicion':
      case 'position-drift':
      case 'cash-drift':
      case 'reconciled':
    }
  }

  #endHalts(scope: HaltScope, at: number): void {
    const key = scopeKey(scope);
    for (const traced of this.#halts) if (scopeKey(traced.halt.scope) === key) traced.to = Math.min(traced.to, at);
  }

  #recordFill(order: Order, fill: FillReport, at: number): void {
    const { exchangeAt, price, qty, fee, liquidity } = fill;
    const traced = this.#recordOrder(order, at);
    traced.fills.push({ at: exchangeAt ?? at, price, qty, fee, liquidity });
    if (liquidity === 'maker') return;
    this.#taken.add(fill.tradeId);
    const level = { ticker: traced.ticker, isBid: order.side === 'sell', price };
    this.#changes.push({ at, sentAt: order.createdAt, ...level, change: -qty, isTaken: true });
  }

  #recordResting(order: Order, traced: MutableOrder, at: number): void {
    const before = this.#resting.get(order.clientOrderId);
    const mayRest = RESTING_STATES.has(order.state) && order.timeInForce !== 'ioc' && order.timeInForce !== 'fok';
    const qty = mayRest ? order.qty - order.filledQty : 0;
    if (qty > 0) traced.hasRested = true;
    if (before?.qty === qty && before.price === order.price) return;
    const sentAt = this.#amendedAt.get(order.clientOrderId) ?? order.createdAt;
    const level = { at, sentAt, ticker: traced.ticker, isBid: order.side === 'buy' };
    if (before && before.price !== order.price)
      this.#changes.push({ ...level, price: before.price, change: -before.qty });
    const change = before?.price === order.price ? qty - before.qty : qty;
    if (change !== 0) this.#changes.push({ ...level, price: order.price, change });
    if (qty === 0) this.#resting.delete(order.clientOrderId);
    else this.#resting.set(order.clientOrderId, { price: order.price, qty });
  }

  #recordOrder(order: Order, at: number): MutableOrder {
    const traced = this.#orders.get(order.clientOrderId) ?? this.#addOrder(order);
    traced.state = order.state;
    traced.filledQty = order.filledQty;
    if (order.state === 'pending-amend' && order.amend !== null)
      this.#amendedAt.set(order.clientOrderId, order.changedAt);
    const { price, qty } = order;
    const last = traced.moves.at(-1) ?? traced;
    if (price !== last.price || qty !== last.qty) traced.moves.push({ at, price, qty });
    if (isFinished(order.state)) traced.endedAt ??= at;
    this.#recordResting(order, traced, at);
    return traced;
  }

  #addOrder({ clientOrderId, strategy, market, side, price, qty, createdAt, state, filledQty }: Order): MutableOrder {
    const traced: MutableOrder = {
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
      hasRested: false,
      moves: [],
      fills: [],
    };
    this.#orders.set(clientOrderId, traced);
    return traced;
  }

  runTrace(): RunTrace {
    return {
      orders: [...this.#orders.values()],
      rateDenials: this.#rateDenials,
      groups: this.#groups,
      changes: this.#changes,
      taken: this.#taken,
      tradesFrom: this.#tradesFrom,
      halts: this.#halts,
    };
  }
}
