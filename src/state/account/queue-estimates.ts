// Estimates the quantity ahead of our resting orders. It starts from the venue's figure, or from the quantity at the
// price when the order arrived. Later prints reduce it. Must never give too small a figure, so every cancel is taken to
// be behind our order.
import { assert } from '../../base/assert.ts';
import type { BookSide, Print, QueuePositions } from '../../domain/event.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../../domain/orders/order.ts';
import { EPOCH, type Micros, NO_QTY, type Price, type Qty, addQty, subtractQty } from '../../domain/units.ts';
import type { OrderBooks } from '../books/order-books.ts';
import type { ClockOffset } from '../feed/clock-offset.ts';
import type { Orders } from './orders.ts';

/** Source of a figure: the venue, or our own estimate (`reckoned`). */
export type QueueSource = 'venue' | 'reckoned';

/** Upper bound on the quantity ahead of an order, in hundredths of a contract. */
export interface QueueEstimate {
  readonly aheadQty: Qty;
  readonly source: QueueSource;
}

interface QueueInputs {
  readonly books: OrderBooks;
  readonly orders: Orders;
  readonly clock: ClockOffset;
  readonly now: Micros;
}

interface Estimate {
  readonly price: Price;
  /** The order's quantity. A larger one costs the order its place. */
  qty: Qty;
  aheadQty: Qty;
  source: QueueSource;
  /** Prints after this venue time are not in the figure yet. */
  since: Micros;
  /** Recent fall of the estimate because the level shrank, and its time. A later print may explain the fall. */
  unexplained: Qty;
  unexplainedAt: Micros;
}

/** Assumed age of a print without a time of the venue. Microseconds. */
const UNTIMED_AGE = 1_000_000;
/** Most time between a level change and the print that caused it. Microseconds. */
const EXPLAIN_WITHIN = 1_000_000;

/** The estimates of our resting orders. Added when an order rests; removed when it ends. */
export class QueueEstimates {
  readonly #inputs: QueueInputs;
  readonly #byOrder = new Map<ClientOrderId, Estimate>();

  constructor(inputs: QueueInputs) {
    this.#inputs = inputs;
  }

  onOrderChange(order: Order): void {
    if (isFinished(order.state)) this.#byOrder.delete(order.clientOrderId);
    else if (order.state === 'working' && this.#estimateInPlace(order) === null) this.#startEstimate(order);
  }

  /** The estimate of an order that kept its place. A new price or a larger quantity puts it behind all others. */
  #estimateInPlace({ clientOrderId, price, qty }: Order): Estimate | null {
    const known = this.#byOrder.get(clientOrderId);
    if (known?.price !== price || qty > known.qty) return null;
    known.qty = qty;
    return known;
  }

  #startEstimate(order: Order): Estimate | null {
    const aheadMax = this.#aheadMax(order);
    if (aheadMax === null) return null;
    assert(aheadMax >= 0, 'the quantity ahead of an order must not be negative');
    return this.#setEstimate(order, { aheadQty: aheadMax, source: 'reckoned' });
  }

  #setEstimate(
    { clientOrderId: id, price, qty }: Order,
    { aheadQty, source }: Pick<Estimate, 'aheadQty' | 'source'>,
  ): Estimate {
    const since = this.#latestVenueTime();
    const estimate: Estimate = { price, qty, aheadQty, source, since, unexplained: NO_QTY, unexplainedAt: EPOCH };
    this.#byOrder.set(id, estimate);
    return estimate;
  }

  /** The latest time that the venue's clock can show now. */
  #latestVenueTime(): Micros {
    const { clock, now } = this.#inputs;
    const known = clock.estimate(now);
    return known === null ? now : ((now - known.offset + known.bound) as Micros);
  }

  /**
   * The most that can rest ahead of an order: its whole level, plus our older orders at the price. A book may not show
   * our own orders. `null` while the book is not live.
   */
  #aheadMax(order: Order): Qty | null {
    const { books, orders } = this.#inputs;
    const { market, price } = order;
    if (!books.isLive(market)) return null;
    let aheadMax = books.qtyAt(market, sideOf(order), price);
    for (const other of orders.openIn(market)) {
      if (other === order) break;
      if (other.side === order.side && other.price === price && RESTING.has(other.state))
        aheadMax = addQty(aheadMax, leavesQty(other));
    }
    return aheadMax;
  }

  /** Applies a print: orders ahead of ours at the price traded first. */
  onPrint({ market, side, price, qty, exchangeAt, at }: Print): void {
    const open = this.#inputs.orders.openIn(market);
    if (open.length === 0) return;
    const tradedAt = exchangeAt ?? at - UNTIMED_AGE;
    for (const order of open) {
      if (order.side === side || order.price !== price) continue;
      const estimate = this.#byOrder.get(order.clientOrderId);
      if (estimate?.price !== price || tradedAt <= estimate.since || estimate.aheadQty === 0) continue;
      this.#reduceAhead(estimate, qty);
    }
  }

  /**
   * Reduces the quantity ahead by a trade. A recent decrease of the level, perhaps by the same trade, is first
   * subtracted from the trade.
   */
  #reduceAhead(estimate: Estimate, traded: Qty): void {
    const unexplained = this.#unexplainedIn(estimate);
    const explained = traded < unexplained ? traded : unexplained;
    estimate.unexplained = subtractQty(unexplained, explained);
    const taken = subtractQty(traded, explained);
    estimate.aheadQty = taken < estimate.aheadQty ? subtractQty(estimate.aheadQty, taken) : NO_QTY;
    estimate.source = 'reckoned';
    assert(estimate.unexplained >= 0, 'an unexplained decrease must not be negative');
  }

  #unexplainedIn({ unexplained, unexplainedAt }: Estimate): Qty {
    return this.#inputs.now > unexplainedAt + EXPLAIN_WITHIN ? NO_QTY : unexplained;
  }

  onVenuePositions({ rows }: QueuePositions): void {
    for (const { venueOrderId, aheadQty } of rows) {
      const order = this.#inputs.orders.byVenueId(venueOrderId);
      if (!order || !RESTING.has(order.state)) continue;
      this.#setEstimate(order, { aheadQty, source: 'venue' });
    }
  }

  /** The estimate for an order. `null` when the order does not rest, or the first figure is still missing. */
  estimateFor(order: Order): QueueEstimate | null {
    if (!RESTING.has(order.state)) return null;
    const estimate = this.#estimateInPlace(order) ?? this.#startEstimate(order);
    if (estimate === null) return null;
    const aheadMax = this.#aheadMax(order);
    if (aheadMax === null || aheadMax >= estimate.aheadQty) return estimate;
    estimate.unexplained = addQty(this.#unexplainedIn(estimate), subtractQty(estimate.aheadQty, aheadMax));
    estimate.unexplainedAt = this.#inputs.now;
    estimate.aheadQty = aheadMax;
    estimate.source = 'reckoned';
    return estimate;
  }

  /** The estimate that `estimateFor` would give now. Changes nothing. */
  peekEstimate(order: Order): QueueEstimate | null {
    if (!RESTING.has(order.state)) return null;
    const aheadMax = this.#aheadMax(order);
    const known = this.#byOrder.get(order.clientOrderId);
    const estimate = known?.price === order.price && order.qty <= known.qty ? known : null;
    if (aheadMax === null) return estimate && { aheadQty: estimate.aheadQty, source: estimate.source };
    if (estimate !== null && aheadMax >= estimate.aheadQty)
      return { aheadQty: estimate.aheadQty, source: estimate.source };
    return { aheadQty: aheadMax, source: 'reckoned' };
  }

  get size(): number {
    return this.#byOrder.size;
  }
}

const RESTING: ReadonlySet<Order['state']> = new Set(['working', 'pending-cancel', 'pending-amend']);

const sideOf = ({ side }: Order): BookSide => (side === 'buy' ? 'bid' : 'ask');
