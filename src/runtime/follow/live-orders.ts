// The orders of a session with their states. Must never drop an order that has not ended.
import type { ClientOrderId, TickerTable } from '../../domain/ids.ts';
import { type Order, type OrderState, isFinished } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import type { LiveOrder } from './follow-messages.ts';

/** Number of ended orders kept. */
export const ENDED_ORDERS_MAX = 2000;
const STATES_MAX = 20;

interface Entry {
  readonly order: Order;
  readonly ticker: string;
  readonly states: { readonly state: OrderState; readonly atUs: number; readonly why: string }[];
}

/** A change of an order's state. */
export interface OrderMove {
  readonly order: Order;
  readonly to: OrderState;
  readonly at: Micros;
  readonly why: string;
}

/** The orders and their states. */
export class LiveOrders {
  readonly #tickers: TickerTable;
  /** Added when the order is first seen; removed once too many later orders have ended. */
  readonly #entries = new Map<ClientOrderId, Entry>();
  /**
   * Ended orders, the oldest first. Added when an order ends; removed with its entry, or when its state changes again.
   */
  readonly #ended = new Set<ClientOrderId>();
  readonly #endedMax: number;

  constructor(tickers: TickerTable, endedMax = ENDED_ORDERS_MAX) {
    this.#tickers = tickers;
    this.#endedMax = endedMax;
  }

  /** Adds an order. Returns false when it was known. */
  addOrder(order: Order): boolean {
    if (this.#entries.has(order.clientOrderId)) return false;
    this.#addEntry(order);
    return true;
  }

  #addEntry(order: Order, state: OrderState = order.state): Entry {
    const first = { state, atUs: order.createdAt, why: order.reason };
    const entry: Entry = { order, ticker: this.#tickers.tickerOf(order.market), states: [first] };
    this.#entries.set(order.clientOrderId, entry);
    return entry;
  }

  /** Records a change of an order's state. Returns the id of the ended order dropped to make room, or `null`. */
  addMove({ order, to, at, why }: OrderMove, from: OrderState): ClientOrderId | null {
    const { clientOrderId: id } = order;
    const { states } = this.#entries.get(id) ?? this.#addEntry(order, from);
    states.push({ state: to, atUs: at, why });
    if (states.length > STATES_MAX) states.splice(1, 1);
    this.#ended.delete(id);
    if (!isFinished(to)) return null;
    this.#ended.add(id);
    return this.#dropOldest();
  }

  #dropOldest(): ClientOrderId | null {
    if (this.#ended.size <= this.#endedMax) return null;
    for (const oldest of this.#ended) {
      this.#ended.delete(oldest);
      this.#entries.delete(oldest);
      return oldest;
    }
    return null;
  }

  /** Returns the ids of all orders, the first seen first. */
  ids(): Iterable<ClientOrderId> {
    return this.#entries.keys();
  }

  /** Returns an order for followers; `null` for an unknown order. */
  liveOrder(id: ClientOrderId): LiveOrder | null {
    const entry = this.#entries.get(id);
    return entry === undefined ? null : liveOrder(entry);
  }
}

const liveOrder = ({ order, ticker, states }: Entry): LiveOrder => ({
  clientOrderId: order.clientOrderId,
  venueOrderId: order.venueOrderId,
  strategy: order.strategy,
  ticker,
  side: order.side,
  price: order.price,
  qty: order.qty,
  filled: order.filledQty,
  state: order.state,
  reason: order.reason,
  madeUs: order.createdAt,
  // The queue changes with every print, so only a watched market shows it.
  queueAhead: null,
  isOpen: !isFinished(order.state),
  states: [...states],
});
