// Records the life of each order in a replayed session: approval, wait for the budget, states and fills. Must never
// keep an order that has ended.
import { contractsText } from '../domain/amounts.ts';
import type { Print } from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { reasonText } from '../domain/orders/change-text.ts';
import { type Order, isFinished } from '../domain/orders/order.ts';
import { NO_QTY, type Qty, addQty } from '../domain/units.ts';
import type { Engine } from '../engine.ts';
import type { Notice } from '../execution/engine-notice.ts';
import type { State } from '../state/state.ts';
import type { Occasion } from './attempt-log.ts';
import type { FactStore } from './fact-store.ts';

type OrderNotice = Extract<Notice, { type: 'order' }>;

/** The orders of one session. */
export class OrderLog {
  readonly #store: FactStore;
  /** Orders approved during the event being handled. Emptied at its end. */
  readonly #approved: ClientOrderId[] = [];
  /** Changes during the event being handled: the quantity ahead of an order is known only at the event's end. */
  readonly #changes: OrderNotice[] = [];
  /** Quantity printed at the price of each resting order. Added when the order comes to rest; removed when it ends. */
  readonly #traded = new Map<ClientOrderId, Qty>();

  constructor(store: FactStore) {
    this.#store = store;
  }

  recordNotice({ state }: Engine, notice: Notice, occasion: Occasion): void {
    if (notice.type === 'order') this.#changes.push(notice);
    if (notice.type === 'approved') this.#onApproved(state, notice, occasion);
    if (notice.type === 'fill' && notice.order !== null)
      this.#onFill(state, { ...notice, order: notice.order }, occasion);
  }

  #onApproved(state: State, notice: Extract<Notice, { type: 'approved' }>, occasion: Occasion): void {
    const { strategy, intent, clientOrderId: order } = notice;
    if (intent.type !== 'place') return;
    this.#approved.push(order);
    const { side, price, qty, timeInForce = 'gtc', postOnly = false, reason = '' } = intent;
    const terms = `${timeInForce}${postOnly ? ', post-only' : ''}`;
    const ticker = state.tickers.tickerOf(intent.market);
    this.#store.addFact({
      kind: 'approved',
      strategy,
      ticker,
      order,
      ...occasion,
      data: { side, price, qty, reason, terms },
    });
  }

  #onFill(
    state: State,
    { fill, position, order }: Extract<Notice, { type: 'fill' }> & { readonly order: Order },
    occasion: Occasion,
  ): void {
    const { side, price, qty, fee: feeMicros, liquidity } = fill;
    const data = { side, price, qty, feeMicros, isTaker: liquidity === 'taker', positionQty: position.qty };
    this.#store.addFact({ kind: 'fill', ...subjectOf(state, order), ...occasion, data });
  }

  /** Counts a print at the prices of our resting orders. */
  onPrint(state: State, { market, price, qty }: Print): void {
    for (const order of state.orders.openIn(market))
      if (order.price === price && this.#traded.has(order.clientOrderId))
        this.#traded.set(order.clientOrderId, addQty(this.#traded.get(order.clientOrderId) ?? NO_QTY, qty));
  }

  /** Ends an event: writes the changes of orders, and the approved orders that could not leave. */
  endEvent(engine: Engine, occasion: Occasion): void {
    for (const change of this.#changes) this.#writeChange(engine.state, change, occasion);
    this.#changes.length = 0;
    for (const id of this.#approved) this.#writeWait(engine, id, occasion);
    this.#approved.length = 0;
  }

  #writeChange(state: State, change: OrderNotice, occasion: Occasion): void {
    const { order, from, to } = change;
    const { clientOrderId: id, side, price, qty, filledQty } = order;
    if (to === 'working' && !this.#traded.has(id)) this.#traded.set(id, NO_QTY);
    const ahead = to === 'working' ? (state.queueEstimates.estimateFor(order)?.aheadQty ?? null) : null;
    const traded = this.#traded.get(id) ?? NO_QTY;
    const data = { from, to, why: reasonText(change), side, price, qty, filledQty, ahead, traded };
    this.#store.addFact({ kind: 'order', ...subjectOf(state, order), ...occasion, data });
    if (isFinished(to)) this.#traded.delete(id);
  }

  #writeWait({ state, planner }: Engine, id: ClientOrderId, occasion: Occasion): void {
    const order = state.orders.get(id);
    if (order?.state !== 'queued') return;
    const { available, capacity } = planner.roomNow('trade', state.now);
    const isReducing = planner.isWaiting(
      (command) => command.type === 'place' && command.clientOrderId === id && command.lane === 'reduce',
    );
    const lane = isReducing ? 'reduce' : 'new';
    const data = { need: planner.shortfall('trade', state.now), available, capacity, lane };
    this.#store.addFact({ kind: 'wait', ...subjectOf(state, order), ...occasion, data });
  }
}

const subjectOf = (state: State, { strategy, market, clientOrderId: order }: Order) => ({
  strategy,
  ticker: state.tickers.tickerOf(market),
  order,
});

/** Text of a stored quantity, in contracts. */
export const storedQtyText = (hundredths: number): string => contractsText(hundredths as Qty);
