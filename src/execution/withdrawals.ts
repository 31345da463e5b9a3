// Cancels, from the wish that an order goes until it is gone: taken back while unsent, sent once the venue has named it,
// sent again when lost. Must never forget a wish before its order has ended, nor have two cancels of one order out.
import type { CancelCommand, RequestCommand } from '../domain/command.ts';
import type { ClientOrderId, StrategyName } from '../domain/ids.ts';
import { type Order, type OrderState, isFinished } from '../domain/order.ts';
import type { State } from '../state/state.ts';
import type { Planner } from './planner.ts';

export interface WithdrawalsOptions {
  readonly state: State;
  readonly planner: Planner;
  readonly nextCommandId: () => number;
  /** Moves an order along its life, and tells it. */
  readonly move: (order: Order, change: 'request-cancel' | 'drop', why: string) => void;
  /** Counts a cancel of a strategy's. */
  readonly onCancel: (strategy: StrategyName) => void;
}

/** The orders that must go. */
export class Withdrawals {
  readonly #options: WithdrawalsOptions;
  readonly #state: State;
  readonly #planner: Planner;
  /** Orders that must go, until they are gone. */
  readonly #unwanted = new Set<ClientOrderId>();
  /** Cancels on their way, by order. */
  readonly #out = new Set<ClientOrderId>();
  /** Orders of which a cancel came to nothing, and those among them whose next one waits for its time. */
  readonly #failedOnce = new Set<ClientOrderId>();
  readonly #patient = new Set<ClientOrderId>();

  constructor(options: WithdrawalsOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#planner = options.planner;
  }

  /** Withdraws an order, wherever it is: takes it back if unsent, cancels it once the venue has named it. */
  cancel(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (!order || isFinished(order.state)) return;
    this.#unwanted.add(id);
    if (order.state === 'queued') return this.takeBack(order);
    // It may wait to be sent once more.
    if (order.state === 'unknown') this.takeOut('place', id);
    this.#send(order);
  }

  isUnwanted(id: ClientOrderId): boolean {
    return this.#unwanted.has(id);
  }

  /** Ends an order that waits to be sent. */
  takeBack(order: Order): void {
    if (this.takeOut('place', order.clientOrderId)) this.#options.move(order, 'drop', 'withdrawn before it was sent');
  }

  /** Takes an order's waiting command out of the planner. `false` when none waits. */
  takeOut(type: 'place' | 'cancel' | 'decrease', id: ClientOrderId): boolean {
    const isIt = (command: RequestCommand): boolean => command.type === type && command.clientOrderId === id;
    return this.#planner.withdraw(isIt).length > 0;
  }

  #send(order: Order): void {
    const { clientOrderId: id, venueOrderId } = order;
    if (venueOrderId === null || this.#out.has(id) || this.#state.orders.isEnding(id)) return;
    this.#out.add(id);
    this.#options.onCancel(order.strategy);
    // Smaller or not, it goes.
    if (order.state === 'pending-amend') this.takeOut('decrease', id);
    this.#options.move(order, 'request-cancel', 'cancel wanted');
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
    this.#planner.enqueue(command);
  }

  /**
   * A cancel may not have arrived, or found nothing. The first time it is sent again as soon as the order is known to
   * rest; after that when `insistAll` says so: a list that lags must not drive a storm of cancels.
   */
  failed(id: ClientOrderId): void {
    this.#out.delete(id);
    // Its order has ended meanwhile, and nothing is to be remembered of it.
    if (!this.#unwanted.has(id)) return;
    if (this.#failedOnce.has(id)) this.#patient.add(id);
    this.#failedOnce.add(id);
    this.insist(id);
  }

  /** A cancel was answered: it did what it should. */
  done(id: ClientOrderId): void {
    this.#out.delete(id);
    this.insist(id);
  }

  /** No answer will come to what was asked of an order; what still waits to be asked is asked once it is looked up. */
  giveUp(id: ClientOrderId): void {
    if (this.#out.delete(id)) this.takeOut('cancel', id);
  }

  /** Sends again every cancel that failed more than once: called at the pace of the upkeep. */
  insistAll(): void {
    const waiting = [...this.#patient];
    this.#patient.clear();
    for (const id of waiting) this.insist(id);
  }

  /** Sends the cancel of an order that must go, if it can be sent now and none is on its way. */
  insist(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (!order || !this.#unwanted.has(id) || this.#patient.has(id)) return;
    if (CANCELABLE.has(order.state)) this.#send(order);
  }

  /** An order lives on in another state. Nobody counts on one that was given up for gone: if it rests, it goes. */
  livesOn({ clientOrderId: id }: Order, from: OrderState): void {
    if (isFinished(from)) this.#unwanted.add(id);
    this.insist(id);
  }

  /** How many orders something is remembered of. */
  get size(): number {
    return new Set([...this.#unwanted, ...this.#out, ...this.#failedOnce]).size;
  }

  /** An order has ended. Returns whether it was to go. */
  ended({ clientOrderId: id }: Order): boolean {
    this.#failedOnce.delete(id);
    this.#patient.delete(id);
    // A cancel that has not left yet has become needless.
    if (this.#out.delete(id)) this.takeOut('cancel', id);
    return this.#unwanted.delete(id);
  }
}

/** States of which it is known that the order may rest: what is unknown is looked up first. */
const CANCELABLE: ReadonlySet<OrderState> = new Set([
  'queued',
  'in-flight',
  'working',
  'pending-cancel',
  'pending-amend',
]);
