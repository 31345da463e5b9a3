// Cancels orders and makes sure that they end. Must never forget a cancel before its order has ended, nor send two
// cancels of an order at once.
import { assert } from '../../base/assert.ts';
import type { CancelCommand, RequestCommand } from '../../domain/venue-command.ts';
import type { ClientOrderId, StrategyName } from '../../domain/ids.ts';
import { type Order, type OrderState, isFinished } from '../../domain/orders/order.ts';
import type { State } from '../../state/state.ts';
import type { Planner } from './planner.ts';

export interface OrderCancelsOptions {
  readonly state: State;
  readonly planner: Planner;
  readonly nextCommandId: () => number;
  /** Changes the state of an order and reports the change. */
  readonly changeState: (order: Order, change: 'request-cancel' | 'drop', why: string) => void;
  /** Counts a cancel toward the strategy's message rate. */
  readonly onCancel: (strategy: StrategyName) => void;
}

/** Cancels orders until they have ended. */
export class OrderCancels {
  readonly #options: OrderCancelsOptions;
  readonly #state: State;
  readonly #planner: Planner;
  /** Orders that must end. Added when a cancel is requested; removed when the order has ended. */
  readonly #unwanted = new Set<ClientOrderId>();
  /**
   * Orders with a cancel that waits or is in flight. Added when the cancel is queued; removed at its answer, when it is
   * given up, or with the order's end.
   */
  readonly #pending = new Set<ClientOrderId>();
  /** Number of failed cancels of an order. Counted at each failure; removed when the order has ended. */
  readonly #failures = new Map<ClientOrderId, number>();
  /**
   * Probes to let pass before the next cancel of an order. Added at a failure; removed when a cancel leaves, or with
   * the order's end.
   */
  readonly #pauses = new Map<ClientOrderId, number>();

  constructor(options: OrderCancelsOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#planner = options.planner;
  }

  /**
   * Cancels an order: drops it if unsent, else sends a cancel once the venue order id is known. After a failed cancel,
   * a strategy may ask at each change of a book: the next cancel leaves at the end of the pause.
   */
  cancelOrder(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (!order || isFinished(order.state)) return;
    this.#unwanted.add(id);
    if (order.state === 'queued') return this.dropUnsent(order);
    // A command that sends the order once more may be waiting.
    if (order.state === 'unknown') this.removeWaiting('place', id);
    if (!this.#pauses.has(id)) this.#send(order);
  }

  /** Cancels an order without regard to the pause after a failed cancel, for a halt, a fault or the operator. */
  cancelAtOnce(id: ClientOrderId): void {
    this.#pauses.delete(id);
    this.cancelOrder(id);
  }

  isUnwanted(id: ClientOrderId): boolean {
    return this.#unwanted.has(id);
  }

  dropUnsent(order: Order): void {
    assert(order.state === 'queued', 'only an order that waits to be sent may be dropped');
    if (this.removeWaiting('place', order.clientOrderId))
      this.#options.changeState(order, 'drop', 'canceled before it was sent');
  }

  removeWaiting(type: 'place' | 'cancel' | 'decrease' | 'amend', id: ClientOrderId): boolean {
    const matches = (command: RequestCommand): boolean => command.type === type && command.clientOrderId === id;
    return this.#planner.removeWaiting(matches).length > 0;
  }

  #send(order: Order): void {
    const { clientOrderId: id, venueOrderId } = order;
    if (venueOrderId === null || this.#pending.has(id) || this.#state.orders.isAwaitingFills(id)) return;
    this.#pending.add(id);
    this.#pauses.delete(id);
    this.#options.onCancel(order.strategy);
    // A decrease or amend that still waits is pointless now.
    if (order.state === 'pending-amend') {
      this.removeWaiting('decrease', id);
      if (this.removeWaiting('amend', id)) this.#state.orders.dropAmend(id);
    }
    this.#options.changeState(order, 'request-cancel', 'cancel requested');
    const command: CancelCommand = {
      type: 'cancel',
      lane: 'cancel',
      id: this.#options.nextCommandId(),
      clientOrderId: id,
      venueOrderId,
      ticker: this.#state.tickers.tickerOf(order.market),
      createdAt: this.#state.now,
      validUntil: null,
    };
    const isQueued = this.#planner.enqueue(command);
    assert(isQueued, 'the planner must never refuse a cancel');
  }

  /**
   * Handles a cancel that was refused or may not have arrived. The first failure is followed by a new cancel as soon as
   * the order is known to rest. Each later cancel waits longer than the one before, because the venue's lists may lag.
   */
  onCancelFailed(id: ClientOrderId): void {
    this.#pending.delete(id);
    if (!this.#unwanted.has(id)) return;
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    const isUnknown = this.#state.orders.get(id)?.state === 'unknown';
    if (failures > 1 || isUnknown) this.#pauses.set(id, Math.max(probesToPass(failures), isUnknown ? 1 : 0));
    this.retryCancel(id);
  }

  /** Handles the confirmation of a cancel. An order that still rests is canceled again. */
  onCancelAccepted(id: ClientOrderId): void {
    this.#pending.delete(id);
    this.retryCancel(id);
  }

  onUnanswered(id: ClientOrderId): void {
    if (this.#pending.delete(id)) this.removeWaiting('cancel', id);
  }

  /** Repeats the cancels whose pause has ended, also of unknown orders. Called before the orders are looked up. */
  retryPaused(): void {
    for (const [id, left] of this.#pauses) {
      this.#pauses.set(id, left - 1);
      if (left > 0) continue;
      this.#pauses.delete(id);
      const order = this.#state.orders.get(id);
      if (order && this.#unwanted.has(id) && !isFinished(order.state)) this.#send(order);
    }
  }

  /** True when a cancel waits for `retryPaused`. */
  get hasPaused(): boolean {
    return this.#pauses.size > 0;
  }

  /**
   * Sends the cancel of an order that must end. Does nothing while a cancel is in flight or impossible, or pauses after
   * repeated failures.
   */
  retryCancel(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (!order || !this.#unwanted.has(id)) return;
    // The pause after the first failure ends as soon as the order is known to rest.
    if (this.#pauses.has(id) && this.#failures.get(id) !== 1) return;
    if (CANCELABLE.has(order.state)) this.#send(order);
  }

  /**
   * Handles an order that changes its state without ending. If it had ended before, it must be canceled: no part of the
   * engine counts on it.
   */
  onOrderAlive({ clientOrderId: id, state }: Order, from: OrderState): void {
    assert(!isFinished(state), 'an order that goes on must not be finished');
    if (isFinished(from)) this.#unwanted.add(id);
    this.retryCancel(id);
  }

  get size(): number {
    return new Set([...this.#unwanted, ...this.#pending, ...this.#failures.keys()]).size;
  }

  /** Clears all records of an order that has ended. Returns true when the order was to be canceled. */
  onOrderEnded({ clientOrderId: id, state }: Order): boolean {
    assert(isFinished(state), 'an order must be finished before its records are cleared');
    this.#failures.delete(id);
    this.#pauses.delete(id);
    // A cancel that has not left is pointless now.
    if (this.#pending.delete(id)) this.removeWaiting('cancel', id);
    return this.#unwanted.delete(id);
  }
}

/** Most probes that pass between two cancels of one order. */
const PROBES_PASSED_MAX = 3;

/** Probes that pass without a cancel: none after the second failure, one after the third, three after each later one. */
const probesToPass = (failures: number): number => Math.min(2 ** Math.max(failures - 2, 0) - 1, PROBES_PASSED_MAX);

/** States in which a cancel may be sent once the order has a venue order id. An unknown order is looked up first. */
const CANCELABLE: ReadonlySet<OrderState> = new Set([
  'queued',
  'in-flight',
  'working',
  'pending-cancel',
  'pending-amend',
]);
