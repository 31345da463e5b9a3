// Orders that are made smaller where they stand, from the wish until the venue has answered; what cannot be is withdrawn.
// Must never count on the smaller size before the venue has said so, nor have two changes of one order out at once.
import { must } from '../domain/assert.ts';
import type { DecreaseCommand } from '../domain/command.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../domain/order.ts';
import type { Micros, Qty } from '../domain/units.ts';
import type { State } from '../state/state.ts';

export interface DecreasesOptions {
  readonly state: State;
  /** Whether the venue can make a resting order smaller in its place. */
  readonly canShrink: boolean;
  readonly qtyStep: number;
  readonly orderDelayMsMax: number;
  readonly nextCommandId: () => number;
  readonly cancel: (id: ClientOrderId) => void;
  /** Books that an order is being made smaller. */
  readonly request: (order: Order) => void;
  /** Lets the command wait its turn. */
  readonly enqueue: (order: Order, command: DecreaseCommand) => void;
}

/** The orders that are to be smaller. */
export class Decreases {
  readonly #options: DecreasesOptions;
  /** What should remain of those that are being made smaller. */
  readonly #out = new Map<ClientOrderId, Qty>();
  /** The same of those whose state does not allow it yet. */
  readonly #waiting = new Map<ClientOrderId, Qty>();
  /** Those of which it came to nothing: they are withdrawn instead. */
  readonly #stubborn = new Set<ClientOrderId>();

  constructor(options: DecreasesOptions) {
    this.#options = options;
  }

  /** Makes an order smaller now, or as soon as it is known to rest; what has not been sent is withdrawn. */
  want(id: ClientOrderId, left: Qty): void {
    const { state, canShrink } = this.#options;
    const order = must(state.orders.get(id), `order ${id}`);
    if (order.state === 'working' && canShrink) return this.begin(id, left);
    if (canShrink && LATER.has(order.state)) this.#waiting.set(id, left);
    else this.#options.cancel(id);
  }

  /** Makes a resting order smaller in its place; withdraws it where that cannot be. */
  begin(id: ClientOrderId, left: Qty): void {
    const { state, qtyStep } = this.#options;
    const order = must(state.orders.get(id), `order ${id}`);
    const isPossible = order.state === 'working' && left > 0 && left % qtyStep === 0 && !this.#stubborn.has(id);
    if (order.venueOrderId === null || !isPossible) return this.#options.cancel(id);
    this.#out.set(id, left);
    this.#options.request(order);
    this.#options.enqueue(order, this.#command(order, left));
  }

  #command({ clientOrderId: id, venueOrderId, market }: Order, left: Qty): DecreaseCommand {
    const { state, nextCommandId, orderDelayMsMax } = this.#options;
    const { now, tickers } = state;
    return {
      type: 'decrease',
      lane: 'reduce',
      id: nextCommandId(),
      clientOrderId: id,
      venueOrderId: must(venueOrderId, `venue id of ${id}`),
      ticker: tickers.tickerOf(market),
      leavesQty: left,
      createdAt: now,
      validUntil: (now + orderDelayMsMax * 1000) as Micros,
    };
  }

  /** An order moved along its life: what it was to become is judged. */
  afterChange(order: Order): void {
    const { clientOrderId: id } = order;
    if (isFinished(order.state)) {
      this.#out.delete(id);
      this.#waiting.delete(id);
      this.#stubborn.delete(id);
      return;
    }
    const left = this.#out.get(id);
    if (left === undefined || order.state !== 'working') return;
    this.#out.delete(id);
    if (leavesQty(order) > left) this.#stubborn.add(id);
  }

  /** What an order that rests again was to become meanwhile; `undefined` when nothing waits, or it is as small already. */
  takeWaiting(order: Order): Qty | undefined {
    const left = this.#waiting.get(order.clientOrderId);
    if (left === undefined || order.state !== 'working') return undefined;
    this.#waiting.delete(order.clientOrderId);
    return left < leavesQty(order) ? left : undefined;
  }

  /** How many orders something is remembered of. */
  get size(): number {
    return new Set([...this.#out.keys(), ...this.#waiting.keys(), ...this.#stubborn]).size;
  }
}

/** States in which an answer is owed that tells whether the order rests. */
const LATER: ReadonlySet<Order['state']> = new Set(['in-flight', 'pending-amend', 'unknown']);
