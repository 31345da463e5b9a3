// Sums over our orders by market and strategy, and a sample of the orders. Must never count an order twice: an order
// reported again after its end is still the same order.
import { must } from '../../base/assert.ts';
import type { FillReport } from '../../domain/event.ts';
import { type Order, type OrderState, isFinished } from '../../domain/orders/order.ts';
import type { StateChange } from '../../state/state-change.ts';
import type { OrderNote, OrdersNote } from './run-record.ts';
import { EvenSample } from './even-sample.ts';

interface Sum {
  readonly ticker: string;
  readonly strategy: string;
  orders: number;
  qty: number;
  traded: number;
  /** Number of finished orders by state. Open orders are counted when the sums are read. */
  readonly ended: Map<OrderState, number>;
}

interface Open {
  readonly order: Order;
  readonly ticker: string;
  readonly sum: Sum;
  state: OrderState;
  qty: number;
  hasTraded: boolean;
}

export class OrderSums {
  readonly #sums: Sum[] = [];
  readonly #byTicker = new Map<string, Map<string, Sum>>();
  readonly #open = new Map<string, Open>();
  readonly #ended: EvenSample<OrderNote>;

  constructor(keptMax: number) {
    this.#ended = new EvenSample(keptMax);
  }

  onOrderChange({ order, from, to }: Extract<StateChange, { type: 'order' }>, ticker: string): void {
    const known = this.#open.get(order.clientOrderId);
    const open = known ?? this.#opened(order, { ticker, hasTraded: isFinished(from) && order.filledQty > 0 });
    const { sum } = open;
    const isNew = known === undefined && !isFinished(from);
    if (isNew) sum.orders += 1;
    if (isFinished(from)) addTo(sum.ended, from, -1);
    if (isFinished(to)) addTo(sum.ended, to, 1);
    open.state = to;
    // An order that was never sent requested nothing from the venue.
    const sentQty = to === 'not-sent' ? 0 : order.qty;
    if (isNew || known !== undefined || from === 'not-sent') sum.qty += sentQty - open.qty;
    open.qty = sentQty;
    if (!isFinished(to)) {
      if (known === undefined) this.#open.set(order.clientOrderId, open);
    } else if (this.#open.delete(order.clientOrderId) || isNew) this.#ended.push(noteOf(order, ticker));
  }

  #opened(order: Order, { ticker, hasTraded }: Pick<Open, 'ticker' | 'hasTraded'>): Open {
    return { order, ticker, sum: this.#sumOf(ticker, order.strategy), state: order.state, qty: 0, hasTraded };
  }

  onFill(order: Order, fill: FillReport, ticker: string): void {
    const open = this.#open.get(order.clientOrderId);
    const isFirst = open === undefined ? order.filledQty === fill.qty : !open.hasTraded;
    if (open !== undefined) open.hasTraded = true;
    if (isFirst) this.#sumOf(ticker, order.strategy).traded += 1;
  }

  #sumOf(ticker: string, strategy: string): Sum {
    const known = this.#byTicker.get(ticker)?.get(strategy);
    if (known) return known;
    const sum: Sum = { ticker, strategy, orders: 0, qty: 0, traded: 0, ended: new Map() };
    this.#sums.push(sum);
    const ofTicker = this.#byTicker.get(ticker);
    if (ofTicker) ofTicker.set(strategy, sum);
    else this.#byTicker.set(ticker, new Map([[strategy, sum]]));
    return sum;
  }

  sums(): OrdersNote[] {
    const openOf = new Map(this.#sums.map((sum) => [sum, new Map<OrderState, number>()]));
    for (const { sum, state } of this.#open.values())
      addTo(must(openOf.get(sum), 'the sum of an open order'), state, 1);
    return this.#sums.map((sum) => {
      const { ended, ...figures } = sum;
      const counts = [...must(openOf.get(sum), 'the open orders of a sum'), ...ended].filter(([, count]) => count > 0);
      return { ...figures, byState: Object.fromEntries(counts) };
    });
  }

  /** Returns the sampled orders, and all open ones. */
  notes(): OrderNote[] {
    const open = [...this.#open.values()].map(({ order, ticker }) => noteOf(order, ticker));
    return [...this.#ended.items, ...open];
  }
}

const addTo = (counts: Map<OrderState, number>, state: OrderState, change: 1 | -1): void =>
  void counts.set(state, (counts.get(state) ?? 0) + change);

const noteOf = (order: Order, ticker: string): OrderNote => ({
  clientOrderId: order.clientOrderId,
  strategy: order.strategy,
  ticker,
  side: order.side,
  price: order.price,
  qty: order.qty,
  createdAt: order.createdAt,
  endedAt: isFinished(order.state) ? order.changedAt : null,
  state: order.state,
  filledQty: order.filledQty,
  reason: order.reason,
});
