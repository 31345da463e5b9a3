// Handles order requests at the simulated venue. Books, account and feed change together. Must never refuse a request
// once anything has changed. Two exceptions: a refused order may use up its order number, and an unfilled fill-or-kill
// order also uses up its client order id.
import { assert, must } from '../../../base/assert.ts';
import type { FillReport } from '../../../domain/event.ts';
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  OrderCommand,
  PlaceCommand,
} from '../../../domain/venue-command.ts';
import { tradeId, venueOrderId } from '../../../domain/ids.ts';
import { termsOf } from '../../../domain/orders/order-terms.ts';
import { cashOfTrade } from '../../../domain/position.ts';
import { type Micros, NO_MONEY, NO_QTY, type Qty, addQty, qty, subtractQty } from '../../../domain/units.ts';
import type { VenueAccount } from './venue-account.ts';
import { type OrderChecks, reducibleQty } from './order-checks.ts';
import type { FillFees } from './fill-fees.ts';
import type { TapeListing } from '../feed/tape-listing.ts';
import type { SimulatedFeed } from '../feed/simulated-feed.ts';
import type { OrderStore } from './order-store.ts';
import {
  type Execution,
  type FillSimulator,
  type ArrivingOrder,
  WOULD_MEET_OWN_ORDER,
  type PlacementOutcome,
  type VenueEvent,
} from '../simulator-interfaces.ts';
import type { VenueMarket, VenueOrder } from './venue-records.ts';
import {
  type SimulatedRefusal,
  refusalText,
  messageOf,
  venueRefusal,
  refusalOf,
  statusOf,
} from './simulated-refusal.ts';
import type { DueTimers } from '../due-timers.ts';

export interface OrderHandlerOptions {
  readonly clock: { readonly now: Micros };
  readonly matching: FillSimulator;
  readonly listing: TapeListing;
  readonly account: VenueAccount;
  readonly fees: FillFees;
  readonly feed: SimulatedFeed;
  readonly store: OrderStore;
  readonly checks: OrderChecks;
  readonly timers: DueTimers<() => void>;
  /** Prefix of order and trade numbers that no other run uses. */
  readonly prefix: string;
}

/** The outcome of a request: `ok` when granted, with the events that answer it. */
export interface RequestOutcome {
  readonly ok: boolean;
  readonly events: readonly VenueEvent[];
}

export const granted = (...events: readonly VenueEvent[]): RequestOutcome => ({ ok: true, events });
export const refused = (...events: readonly VenueEvent[]): RequestOutcome => ({ ok: false, events });

type Taken = Extract<PlacementOutcome, { type: 'taken' }>;

/** The venue's words for why it canceled an order. */
export type CancelReason = 'CloseCancel' | 'HaltCancel' | 'ExpiryCancel' | 'ReduceOnlyCancel' | 'SelfTradeCancel';

/** Handles order requests, and the fills and cancellations of resting orders. */
export class OrderHandler {
  readonly #options: OrderHandlerOptions;
  #trades = 0;
  /**
   * Markets whose position has changed while reduce-only orders rest there. Added by a fill; removed by
   * `trimReduceOnly` or when the market closes.
   */
  readonly #marketsToTrim = new Set<VenueMarket>();

  constructor(options: OrderHandlerOptions) {
    this.#options = options;
  }

  handleOrder(command: OrderCommand): RequestOutcome {
    switch (command.type) {
      case 'place':
        return this.#place(command);
      case 'cancel':
        return this.#cancel(command);
      case 'decrease':
        return this.#decrease(command);
      case 'amend':
        return this.#amend(command);
    }
  }

  #place(command: PlaceCommand): RequestOutcome {
    const { listing, checks } = this.#options;
    const market = listing.marketOf(command.ticker);
    const rejection = checks.checkPlace(command, market);
    if (rejection !== null || market === undefined)
      return notPlaced(command, rejection ?? venueRefusal('market_not_found'));
    const { side, price, reduceOnly } = command;
    const leavesQty = reduceOnly ? qty(Math.min(command.qty, reducibleQty(market, side, null))) : command.qty;
    if (leavesQty === 0)
      return notPlaced(command, venueRefusal('invalid_order', 'reduce only without a position to reduce'));
    const unfunded = checks.checkFunds(market, { side, price, leavesQty });
    return unfunded === null ? this.#placeAdmitted(command, market, leavesQty) : notPlaced(command, unfunded);
  }

  #placeAdmitted(command: PlaceCommand, market: VenueMarket, leavesQty: Qty): RequestOutcome {
    const { matching, store, clock } = this.#options;
    const order = this.#record(command, market, leavesQty);
    const placed = matching.placeOrder(floorOrderOf(order));
    if (placed.type === 'rejected') {
      if (placed.code === 'fill_or_kill_unfilled') store.useClientId(command.clientOrderId);
      return notPlaced(command, refusalOf(placed.code, placed.message));
    }
    store.useClientId(command.clientOrderId);
    if (command.timeInForce === 'gtd' && command.expiresAt !== null)
      this.#options.timers.set(command.expiresAt, () => this.#cancelIfWorking(order, 'ExpiryCancel'));
    this.#applyPlacement(order, placed, null);
    return granted({
      kind: 'order-accepted',
      exchangeAt: clock.now,
      clientOrderId: order.clientOrderId,
      venueOrderId: order.venueOrderId,
      filledQty: order.filledQty,
      leavesQty: order.leavesQty,
      isFinished: order.status !== 'working',
    });
  }

  #record(command: PlaceCommand, market: VenueMarket, leavesQty: Qty): VenueOrder {
    const { store, clock, prefix } = this.#options;
    const sequence = store.nextSequence();
    const { clientOrderId, side, price } = command;
    return {
      venueOrderId: venueOrderId(`${prefix}-${sequence}`),
      clientOrderId,
      sequence,
      market,
      side,
      price,
      placed: command,
      createdAt: clock.now,
      updatedAt: clock.now,
      status: 'working',
      filledQty: NO_QTY,
      leavesQty,
      accumulatedRounding: NO_MONEY,
      reason: null,
      report: null,
    };
  }

  #applyPlacement(order: VenueOrder, placed: Taken, restingReason: 'Amend' | null): void {
    for (const execution of placed.executions) this.#book(order, execution);
    for (const id of placed.canceledOwn) this.onCanceledByMatching(id, 'SelfTradeCancel');
    assert(order.leavesQty === placed.restingQty + placed.canceledQty, `order ${order.venueOrderId} does not add up`);
    if (placed.restingQty === 0) this.#endOrder(order, placed.executions.length > 0 ? 'Trade' : null, placed.reason);
    else {
      order.leavesQty = placed.restingQty;
      this.#addResting(order, placed.executions.length > 0 ? 'Trade' : restingReason);
    }
    if (placed.executions.length > 0) this.#onPositionChange(order.market);
  }

  #addResting(order: VenueOrder, reason: 'Trade' | 'Amend' | null): void {
    const { store } = this.#options;
    store.addResting(order);
    this.#recordChange(order, reason);
  }

  #recordChange(order: VenueOrder, reason: string | null): void {
    order.updatedAt = this.#options.clock.now;
    order.reason = reason;
    order.report = null;
    this.#options.account.markChanged(order.market);
    this.#options.feed.publishOrder(order);
  }

  /** Ends an order: as filled when no quantity is left, else as canceled. */
  #endOrder(order: VenueOrder, reason: string | null, cancelReason: string | null = null): void {
    const isFilled = order.leavesQty === 0;
    order.status = isFilled ? 'filled' : 'canceled';
    order.leavesQty = NO_QTY;
    this.#options.store.addFinished(order);
    this.#recordChange(order, isFilled ? reason : (wireReason(cancelReason) ?? (reason === 'Trade' ? null : reason)));
  }

  onCanceledByMatching(id: string, reason: CancelReason): void {
    const order = this.#options.store.workingOrder(venueOrderId(id));
    if (order !== undefined) this.#endOrder(order, reason);
  }

  onExecution(execution: Execution): void {
    const order = must(this.#options.store.workingOrder(venueOrderId(execution.orderId)), `order ${execution.orderId}`);
    this.#book(order, execution);
    if (order.leavesQty === 0) this.#endOrder(order, 'Trade');
    else this.#recordChange(order, 'Trade');
    this.#onPositionChange(order.market);
  }

  #book(order: VenueOrder, { price, qty: size, liquidity }: Execution): void {
    const { account, fees, feed, clock, prefix } = this.#options;
    assert(size > 0 && size <= order.leavesQty, `order ${order.venueOrderId} of ${order.leavesQty} traded ${size}`);
    const { market, side } = order;
    const cash = cashOfTrade(market.position.qty, { side, price, qty: size });
    const fee = fees.chargeFill(order, { price, qty: size, liquidity, cash });
    order.leavesQty = subtractQty(order.leavesQty, size);
    order.filledQty = addQty(order.filledQty, size);
    this.#trades += 1;
    const fill: FillReport = {
      tradeId: tradeId(`${prefix}-t${this.#trades}`),
      venueOrderId: order.venueOrderId,
      clientOrderId: order.clientOrderId,
      side,
      price,
      qty: size,
      fee,
      liquidity,
      exchangeAt: clock.now,
      market: market.index,
    };
    account.bookFill(market, fill);
    feed.publishFill(fill);
  }

  /** Publishes a changed position. `trimReduceOnly` later trims the market's reduce-only orders. */
  #onPositionChange(market: VenueMarket): void {
    const { feed, account } = this.#options;
    account.markChanged(market);
    for (const { placed } of market.resting.values()) if (placed.reduceOnly) this.#marketsToTrim.add(market);
    feed.publishPosition(market);
  }

  /** Reduces reduce-only orders to what they can still close, after positions have changed. */
  trimReduceOnly(): void {
    const { matching, store } = this.#options;
    for (const market of this.#marketsToTrim)
      for (const { orderId, leaves } of matching.trimReduceOnly(market.index)) {
        const order = must(store.workingOrder(venueOrderId(orderId)), `order ${orderId}`);
        if (leaves > 0) order.leavesQty = leaves;
        if (leaves > 0) this.#recordChange(order, 'ReduceOnlyCancel');
        else this.#endOrder(order, 'ReduceOnlyCancel');
      }
    this.#marketsToTrim.clear();
  }

  #reduce(order: VenueOrder, leavesQty: Qty, reason: string): void {
    const isDone = this.#options.matching.decreaseOrder(order.venueOrderId, leavesQty);
    assert(isDone, `order ${order.venueOrderId} does not rest in the book`);
    order.leavesQty = leavesQty;
    this.#recordChange(order, reason);
  }

  /** Cancels a resting order. Returns the quantity canceled. */
  cancelOrder(order: VenueOrder, reason: CancelReason | 'Amend' | 'Decrease' | null): Qty {
    const reducedBy = order.leavesQty;
    const canceled = this.#options.matching.cancelOrder(order.venueOrderId);
    assert(canceled === reducedBy, `${canceled} of order ${order.venueOrderId} rested, not ${reducedBy}`);
    this.#endOrder(order, reason);
    return reducedBy;
  }

  #cancelIfWorking(order: VenueOrder, reason: CancelReason): void {
    if (order.status === 'working') this.cancelOrder(order, reason);
  }

  cancelMarket(market: VenueMarket, reason: CancelReason): void {
    for (const order of market.resting.values()) this.cancelOrder(order, reason);
  }

  onMarketClosed(market: VenueMarket): void {
    for (const order of market.resting.values()) this.#endOrder(order, 'CloseCancel');
    this.#marketsToTrim.delete(market);
  }

  /**
   * Recomputes the cash that resting orders require. Orders that the account can no longer pay for are canceled, the
   * latest first.
   */
  onFeesChanged(): void {
    const { account, store } = this.#options;
    const orders = [...store.latestFirst('working')];
    for (const { market } of orders) account.markChanged(market);
    for (const order of orders) {
      if (account.available >= 0) return;
      this.cancelOrder(order, 'HaltCancel');
    }
  }

  #cancel({ clientOrderId, venueOrderId: id }: CancelCommand): RequestOutcome {
    const { checks, store } = this.#options;
    const paused = checks.checkVenue();
    if (paused !== null) return refused({ kind: 'cancel-lost', clientOrderId, reason: refusalText(paused) });
    const order = store.workingOrder(id);
    if (order === undefined) return refused({ kind: 'cancel-refused', clientOrderId, code: 'not_found' });
    const reducedBy = this.cancelOrder(order, null);
    return granted({ kind: 'cancel-accepted', clientOrderId, reducedBy, filledQty: order.filledQty });
  }

  #decrease(command: DecreaseCommand): RequestOutcome {
    const { checks, store } = this.#options;
    const order = store.workingOrder(command.venueOrderId);
    const rejection = checks.checkVenue() ?? (order === undefined ? venueRefusal('not_found') : null);
    if (rejection !== null || order === undefined) return notAmended(command, rejection ?? venueRefusal('not_found'));
    const { leavesQty } = command;
    if (!checks.isOnQtyStep(leavesQty) || leavesQty < 0 || leavesQty > order.leavesQty)
      return notAmended(command, venueRefusal('invalid_order_size'));
    if (leavesQty === 0) this.cancelOrder(order, 'Decrease');
    else if (leavesQty < order.leavesQty) this.#reduce(order, leavesQty, 'Decrease');
    return amended(order);
  }

  #amend(command: AmendCommand): RequestOutcome {
    const { checks, store } = this.#options;
    const order = store.workingOrder(command.venueOrderId);
    const rejection =
      checks.checkVenue() ?? (order === undefined ? venueRefusal('not_found') : checks.checkAmend(order, command));
    if (rejection !== null || order === undefined) return notAmended(command, rejection ?? venueRefusal('not_found'));
    const leavesQty = subtractQty(command.qty, order.filledQty);
    const isSmaller = command.price === order.price && leavesQty <= order.leavesQty;
    if (leavesQty > 0 && !isSmaller) return this.#replace(order, command, leavesQty);
    if (leavesQty <= 0) this.cancelOrder(order, 'Amend');
    else if (leavesQty < order.leavesQty) this.#reduce(order, leavesQty, 'Amend');
    else this.#recordChange(order, 'Amend');
    return amended(order);
  }

  #replace(order: VenueOrder, command: AmendCommand, leavesQty: Qty): RequestOutcome {
    const { checks, matching } = this.#options;
    const { market, side } = order;
    const { price } = command;
    if (order.placed.reduceOnly && leavesQty > reducibleQty(market, side, order))
      return notAmended(command, venueRefusal('invalid_order', 'reduce only beyond the position'));
    const unfunded = checks.checkFunds(market, { side, price, leavesQty }, order);
    if (unfunded !== null) return notAmended(command, unfunded);
    const placed = matching.amendOrder(order.venueOrderId, price, leavesQty);
    if (placed === null) return notAmended(command, venueRefusal('not_found'));
    if (placed.type === 'rejected') return notAmended(command, refusalOf(placed.code, placed.message));
    order.price = price;
    order.leavesQty = leavesQty;
    this.#applyPlacement(order, placed, 'Amend');
    return amended(order);
  }
}

const amended = ({ clientOrderId, price, filledQty, leavesQty, updatedAt }: VenueOrder): RequestOutcome =>
  granted({ kind: 'amend-accepted', clientOrderId, price, filledQty, leavesQty, exchangeAt: updatedAt });

function notPlaced({ clientOrderId }: PlaceCommand, why: SimulatedRefusal): RequestOutcome {
  if (why.code === 'order_already_exists')
    return refused({ kind: 'order-unknown', clientOrderId, reason: refusalText(why), isTaken: true });
  return refused({ kind: 'order-rejected', clientOrderId, code: why.code, message: messageOf(why) });
}

const notAmended = ({ clientOrderId }: AmendCommand | DecreaseCommand, why: SimulatedRefusal): RequestOutcome =>
  refused({ kind: 'amend-refused', clientOrderId, code: statusOf(why) === 404 ? 'not_found' : why.code });

const floorOrderOf = (order: VenueOrder): ArrivingOrder => ({
  id: order.venueOrderId,
  ...termsOf(order.placed),
  market: order.market.index,
  price: order.price,
  qty: order.leavesQty,
});

/** The venue's word for a cancel reason; `null` where the order's own terms ask for the cancellation. */
const wireReason = (cancelReason: string | null): string | null =>
  cancelReason === WOULD_MEET_OWN_ORDER ? 'SelfTradeCancel' : null;
