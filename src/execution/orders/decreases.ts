// Decreases of resting orders, from the request until the venue's answer. An order that cannot be decreased is
// canceled. Must never count on the smaller size before the venue confirms it, nor have two changes of one order in
// flight.
import { assert, must } from '../../base/assert.ts';
import type { DecreaseCommand } from '../../domain/venue-command.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../../domain/orders/order.ts';
import type { Qty } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import { latestSend } from './send-deadline.ts';

export interface DecreasesOptions {
  readonly state: State;
  /** True when the venue can decrease a resting order in place. */
  readonly canShrink: boolean;
  readonly qtyStep: number;
  readonly orderDelayMsMax: number;
  readonly nextCommandId: () => number;
  readonly cancel: (id: ClientOrderId) => void;
  readonly onRequested: (order: Order) => void;
  readonly enqueue: (order: Order, command: DecreaseCommand) => void;
}

/** Decreases orders in place. */
export class Decreases {
  readonly #options: DecreasesOptions;
  /**
   * Quantity that should remain of each order with a decrease queued or in flight. Added when the decrease is queued;
   * removed when the order is working again or has ended.
   */
  readonly #pending = new Map<ClientOrderId, Qty>();
  /**
   * Quantity that should remain of each order that cannot be decreased yet. Added at the request; removed when the
   * order rests or has ended.
   */
  readonly #waiting = new Map<ClientOrderId, Qty>();
  /**
   * Orders that a decrease left larger than requested: their next decrease becomes a cancel. Added when the order rests
   * again; removed when it has ended.
   */
  readonly #ineffective = new Set<ClientOrderId>();

  constructor(options: DecreasesOptions) {
    this.#options = options;
  }

  /** Decreases an order now, or as soon as it rests. Cancels it when it is unsent or cannot be decreased. */
  requestDecrease(id: ClientOrderId, left: Qty): void {
    const { state, canShrink } = this.#options;
    const order = must(state.orders.get(id), `order ${id}`);
    assert(left >= 0, 'a decrease must not leave less than nothing');
    if (order.state === 'working' && canShrink) return this.sendDecrease(id, left);
    if (canShrink && ANSWER_OUTSTANDING.has(order.state)) this.#waiting.set(id, left);
    else this.#options.cancel(id);
  }

  /** Sends the decrease of a resting order, or cancels the order when a decrease is impossible. */
  sendDecrease(id: ClientOrderId, left: Qty): void {
    const { state, qtyStep } = this.#options;
    const order = must(state.orders.get(id), `order ${id}`);
    const isValid = left > 0 && left % qtyStep === 0;
    // An order that only lacks fills has ended at the venue.
    const isResting = order.state === 'working' && !state.orders.isAwaitingFills(id);
    if (order.venueOrderId === null || !isValid || !isResting || this.#ineffective.has(id))
      return this.#options.cancel(id);
    this.#pending.set(id, left);
    this.#options.onRequested(order);
    this.#options.enqueue(order, this.#decreaseCommand(order, left));
  }

  #decreaseCommand({ clientOrderId: id, venueOrderId, market }: Order, left: Qty): DecreaseCommand {
    const { state, nextCommandId, orderDelayMsMax } = this.#options;
    const { now, tickers } = state;
    assert(left > 0, 'a decrease must leave something of the order');
    return {
      type: 'decrease',
      lane: 'reduce',
      id: nextCommandId(),
      clientOrderId: id,
      venueOrderId: must(venueOrderId, `venue id of ${id}`),
      ticker: tickers.tickerOf(market),
      leavesQty: left,
      createdAt: now,
      validUntil: latestSend(now, orderDelayMsMax),
    };
  }

  onOrderChange(order: Order): void {
    const { clientOrderId: id } = order;
    if (isFinished(order.state)) {
      this.#pending.delete(id);
      this.#waiting.delete(id);
      this.#ineffective.delete(id);
      return;
    }
    const left = this.#pending.get(id);
    if (left === undefined || order.state !== 'working') return;
    this.#pending.delete(id);
    if (leavesQty(order) > left) this.#ineffective.add(id);
  }

  /**
   * Removes and returns the waiting decrease of an order that rests again. Returns `undefined` when no decrease is due.
   */
  takeWaitingDecrease(order: Order): Qty | undefined {
    const left = this.#waiting.get(order.clientOrderId);
    if (left === undefined || order.state !== 'working') return undefined;
    this.#waiting.delete(order.clientOrderId);
    return left < leavesQty(order) ? left : undefined;
  }

  get size(): number {
    return new Set([...this.#pending.keys(), ...this.#waiting.keys(), ...this.#ineffective]).size;
  }
}

/** States in which the venue has not answered yet. Its answer shows if the order rests. */
const ANSWER_OUTSTANDING: ReadonlySet<Order['state']> = new Set(['in-flight', 'pending-amend', 'unknown']);
