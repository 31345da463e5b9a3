// Order requests at the simulated venue: place, cancel, decrease, amend, and fills. Books, account and feed always
// change together. Must never refuse once anything has changed, nor change anything before a refusal except to use up a
// killed order's client order id.
import { assert, must } from '../../domain/assert.ts';
import type { AmendCommand, CancelCommand, DecreaseCommand, OrderCommand, PlaceCommand } from '../../domain/command.ts';
import { tradeId, venueOrderId } from '../../domain/ids.ts';
import { cashOfTrade } from '../../domain/position.ts';
import { type Micros, NO_MONEY, NO_QTY, type Qty, addQty, qty, subtractQty } from '../../domain/units.ts';
import type { Account } from './account.ts';
import { type Checks, reducibleQty } from './checks.ts';
import type { Fees } from './fees.ts';
import type { Listing } from './listing.ts';
import type { News } from './news.ts';
import type { OrderStore } from './order-store.ts';
import { type Execution, type Floor, type FloorOrder, MET_OUR_OWN, type Placed, type VenueEvent } from './ports.ts';
import type { MarketRecord, OrderRecord } from './records.ts';
import { type Refusal, describe, messageOf, refusal, refusalOf, statusOf } from './refusal.ts';
import type { Timers } from './timers.ts';

export interface DeskOptions {
  readonly clock: { readonly now: Micros };
  readonly matching: Floor;
  readonly listing: Listing;
  readonly account: Account;
  readonly fees: Fees;
  readonly feed: News;
  readonly store: OrderStore;
  readonly checks: Checks;
  readonly timers: Timers<() => void>;
  /** A prefix of order and trade numbers, so that no other run uses the same ones. */
  readonly prefix: string;
}

/** The outcome of a request: true when it was granted, and the events that answer it. */
export interface Reply {
  readonly ok: boolean;
  readonly events: readonly VenueEvent[];
}

export const granted = (...events: readonly VenueEvent[]): Reply => ({ ok: true, events });
export const refused = (...events: readonly VenueEvent[]): Reply => ({ ok: false, events });

type Taken = Extract<Placed, { type: 'taken' }>;

/** The venue's words for why it canceled an order. */
export type WithdrawalReason = 'CloseCancel' | 'HaltCancel' | 'ExpiryCancel' | 'ReduceOnlyCancel' | 'SelfTradeCancel';

/** Handles order requests. */
export class Desk {
  readonly #options: DeskOptions;
  #trades = 0;
  /**
   * Markets whose position has changed while reduce-only orders rest there. Added by a fill; removed by `trim` or when
   * the market closes.
   */
  readonly #marketsToTrim = new Set<MarketRecord>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  take(command: OrderCommand): Reply {
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

  #place(command: PlaceCommand): Reply {
    const { listing, checks } = this.#options;
    const market = listing.market(command.ticker);
    const rejection = checks.place(command, market);
    if (rejection !== null || market === undefined) return notPlaced(command, rejection ?? refusal('market_not_found'));
    const { side, price, reduceOnly } = command;
    const leavesQty = reduceOnly ? qty(Math.min(command.qty, reducibleQty(market, side, null))) : command.qty;
    if (leavesQty === 0)
      return notPlaced(command, refusal('invalid_order', 'reduce only without a position to reduce'));
    const unfunded = checks.money(market, { side, price, leavesQty });
    return unfunded === null ? this.#placeAdmitted(command, market, leavesQty) : notPlaced(command, unfunded);
  }

  #placeAdmitted(command: PlaceCommand, market: MarketRecord, leavesQty: Qty): Reply {
    const { matching, store, clock } = this.#options;
    const order = this.#record(command, market, leavesQty);
    const placed = matching.place(floorOrderOf(order));
    if (placed.type === 'rejected') {
      if (placed.code === 'fill_or_kill_unfilled') store.burn(command.clientOrderId);
      return notPlaced(command, refusalOf(placed.code, placed.message));
    }
    store.burn(command.clientOrderId);
    if (order.expiresAt !== null)
      this.#options.timers.set(order.expiresAt, () => this.#cancelIfWorking(order, 'ExpiryCancel'));
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

  #record(command: PlaceCommand, market: MarketRecord, leavesQty: Qty): OrderRecord {
    const { store, clock, prefix } = this.#options;
    const sequence = store.next();
    const { clientOrderId, side, price, timeInForce, postOnly, reduceOnly } = command;
    return {
      venueOrderId: venueOrderId(`${prefix}-${sequence}`),
      clientOrderId,
      sequence,
      market,
      side,
      price,
      timeInForce,
      postOnly,
      reduceOnly,
      expiresAt: timeInForce === 'gtd' ? command.expiresAt : null,
      createdAt: clock.now,
      updatedAt: clock.now,
      status: 'working',
      filledQty: NO_QTY,
      leavesQty,
      gathered: NO_MONEY,
      reason: null,
      report: null,
    };
  }

  /** Books what an order traded on arrival, and rests or ends the remainder. */
  #applyPlacement(order: OrderRecord, placed: Taken, restingReason: 'Amend' | null): void {
    for (const execution of placed.executions) this.#book(order, execution);
    for (const id of placed.withdrawn) this.ended(id, 'SelfTradeCancel');
    assert(order.leavesQty === placed.restingQty + placed.canceledQty, `order ${order.venueOrderId} does not add up`);
    if (placed.restingQty === 0) this.#endOrder(order, placed.executions.length > 0 ? 'Trade' : null, placed.reason);
    else {
      order.leavesQty = placed.restingQty;
      this.#addResting(order, placed.executions.length > 0 ? 'Trade' : restingReason);
    }
    if (placed.executions.length > 0) this.#onPositionChange(order.market);
  }

  #addResting(order: OrderRecord, reason: 'Trade' | 'Amend' | null): void {
    const { store } = this.#options;
    store.rest(order);
    this.#recordChange(order, reason);
  }

  /** Records and publishes a change of an order. */
  #recordChange(order: OrderRecord, reason: string | null): void {
    order.updatedAt = this.#options.clock.now;
    order.reason = reason;
    order.report = null;
    this.#options.account.touch(order.market);
    this.#options.feed.tellOrder(order);
  }

  /** Ends an order that no longer rests: filled when nothing is left of it, else canceled. */
  #endOrder(order: OrderRecord, reason: string | null, cancelReason: string | null = null): void {
    const isFilled = order.leavesQty === 0;
    order.status = isFilled ? 'filled' : 'canceled';
    order.leavesQty = NO_QTY;
    this.#options.store.finish(order);
    this.#recordChange(order, isFilled ? reason : (wireReason(cancelReason) ?? (reason === 'Trade' ? null : reason)));
  }

  /** Ends an order that the fill simulator has canceled by itself. */
  ended(id: string, reason: WithdrawalReason): void {
    const order = this.#options.store.working(venueOrderId(id));
    if (order !== undefined) this.#endOrder(order, reason);
  }

  /** Books a trade of a resting order. */
  executed(execution: Execution): void {
    const order = must(this.#options.store.working(venueOrderId(execution.orderId)), `order ${execution.orderId}`);
    this.#book(order, execution);
    if (order.leavesQty === 0) this.#endOrder(order, 'Trade');
    else this.#recordChange(order, 'Trade');
    this.#onPositionChange(order.market);
  }

  #book(order: OrderRecord, { price, qty: size, liquidity }: Execution): void {
    const { account, fees, feed, clock, prefix } = this.#options;
    assert(size > 0 && size <= order.leavesQty, `order ${order.venueOrderId} of ${order.leavesQty} traded ${size}`);
    const { market, side } = order;
    const cash = cashOfTrade(market.position.qty, { side, price, qty: size });
    const fee = fees.charge(order, { price, qty: size, liquidity, cash });
    order.leavesQty = subtractQty(order.leavesQty, size);
    order.filledQty = addQty(order.filledQty, size);
    this.#trades += 1;
    const { venueOrderId: id, clientOrderId } = order;
    const ids = { tradeId: tradeId(`${prefix}-t${this.#trades}`), venueOrderId: id, clientOrderId };
    feed.tellFill(account.book(market, { ...ids, side, price, qty: size, fee, liquidity, exchangeAt: clock.now }));
  }

  /** Handles a change of a position. */
  #onPositionChange(market: MarketRecord): void {
    const { feed, account } = this.#options;
    account.touch(market);
    for (const { reduceOnly } of market.resting.values()) if (reduceOnly) this.#marketsToTrim.add(market);
    feed.tellPosition(market);
  }

  /** Reduces reduce-only orders to what they could still close, after positions have changed. */
  trim(): void {
    const { matching, store } = this.#options;
    for (const market of this.#marketsToTrim)
      for (const { orderId, leaves } of matching.trimReduceOnly(market.index)) {
        const order = must(store.working(venueOrderId(orderId)), `order ${orderId}`);
        if (leaves > 0) order.leavesQty = leaves;
        if (leaves > 0) this.#recordChange(order, 'ReduceOnlyCancel');
        else this.#endOrder(order, 'ReduceOnlyCancel');
      }
    this.#marketsToTrim.clear();
  }

  #reduce(order: OrderRecord, leavesQty: Qty, reason: string): void {
    const isDone = this.#options.matching.decrease(order.venueOrderId, leavesQty);
    assert(isDone, `order ${order.venueOrderId} does not rest in the book`);
    order.leavesQty = leavesQty;
    this.#recordChange(order, reason);
  }

  /** Cancels a resting order and ends it. Returns the quantity canceled. */
  withdraw(order: OrderRecord, reason: WithdrawalReason | 'Amend' | 'Decrease' | null): Qty {
    const reducedBy = order.leavesQty;
    const canceled = this.#options.matching.cancel(order.venueOrderId);
    assert(canceled === reducedBy, `${canceled} of order ${order.venueOrderId} rested, not ${reducedBy}`);
    this.#endOrder(order, reason);
    return reducedBy;
  }

  #cancelIfWorking(order: OrderRecord, reason: WithdrawalReason): void {
    if (order.status === 'working') this.withdraw(order, reason);
  }

  /** Cancels all orders that rest in a market. */
  sweep(market: MarketRecord, reason: WithdrawalReason): void {
    for (const order of market.resting.values()) this.withdraw(order, reason);
  }

  /** Ends the orders of a market whose book has been closed. */
  closed(market: MarketRecord): void {
    for (const order of market.resting.values()) this.#endOrder(order, 'CloseCancel');
    this.#marketsToTrim.delete(market);
  }

  /**
   * Recomputes the required cash of all resting orders after fees may have changed. Orders that the account can no
   * longer pay for are canceled, the latest first.
   */
  recharge(): void {
    const { account, store } = this.#options;
    const orders = [...store.back('working')];
    for (const { market } of orders) account.touch(market);
    for (const order of orders) {
      if (account.available >= 0) return;
      this.withdraw(order, 'HaltCancel');
    }
  }

  #cancel({ clientOrderId, venueOrderId: id }: CancelCommand): Reply {
    const { checks, store } = this.#options;
    const paused = checks.venue();
    if (paused !== null) return refused({ kind: 'cancel-lost', clientOrderId, reason: describe(paused) });
    const order = store.working(id);
    if (order === undefined) return refused({ kind: 'cancel-refused', clientOrderId, code: 'not_found' });
    const reducedBy = this.withdraw(order, null);
    return granted({ kind: 'cancel-accepted', clientOrderId, reducedBy, filledQty: order.filledQty });
  }

  #decrease(command: DecreaseCommand): Reply {
    const { checks, store } = this.#options;
    const order = store.working(command.venueOrderId);
    const rejection = checks.venue() ?? (order === undefined ? refusal('not_found') : null);
    if (rejection !== null || order === undefined) return notAmended(command, rejection ?? refusal('not_found'));
    const { leavesQty } = command;
    if (!checks.isStep(leavesQty) || leavesQty < 0 || leavesQty > order.leavesQty)
      return notAmended(command, refusal('invalid_order_size'));
    if (leavesQty === 0) this.withdraw(order, 'Decrease');
    else if (leavesQty < order.leavesQty) this.#reduce(order, leavesQty, 'Decrease');
    return amended(order);
  }

  #amend(command: AmendCommand): Reply {
    const { checks, store } = this.#options;
    const order = store.working(command.venueOrderId);
    const rejection = checks.venue() ?? (order === undefined ? refusal('not_found') : checks.amend(order, command));
    if (rejection !== null || order === undefined) return notAmended(command, rejection ?? refusal('not_found'));
    const leavesQty = subtractQty(command.qty, order.filledQty);
    const isSmaller = command.price === order.price && leavesQty <= order.leavesQty;
    if (leavesQty > 0 && !isSmaller) return this.#replace(order, command, leavesQty);
    if (leavesQty <= 0) this.withdraw(order, 'Amend');
    else if (leavesQty < order.leavesQty) this.#reduce(order, leavesQty, 'Amend');
    else this.#recordChange(order, 'Amend');
    return amended(order);
  }

  #replace(order: OrderRecord, command: AmendCommand, leavesQty: Qty): Reply {
    const { checks, matching } = this.#options;
    const { market, side } = order;
    const { price } = command;
    if (order.reduceOnly && leavesQty > reducibleQty(market, side, order))
      return notAmended(command, refusal('invalid_order', 'reduce only beyond the position'));
    const unfunded = checks.money(market, { side, price, leavesQty }, order);
    if (unfunded !== null) return notAmended(command, unfunded);
    const placed = matching.amend(order.venueOrderId, price, leavesQty);
    if (placed === null) return notAmended(command, refusal('not_found'));
    if (placed.type === 'rejected') return notAmended(command, refusalOf(placed.code, placed.message));
    order.price = price;
    order.leavesQty = leavesQty;
    this.#applyPlacement(order, placed, 'Amend');
    return amended(order);
  }
}

const amended = ({ clientOrderId, price, filledQty, leavesQty }: OrderRecord): Reply =>
  granted({ kind: 'amend-accepted', clientOrderId, price, filledQty, leavesQty });

function notPlaced({ clientOrderId }: PlaceCommand, why: Refusal): Reply {
  if (why.code === 'order_already_exists')
    return refused({ kind: 'order-unknown', clientOrderId, reason: describe(why), isTaken: true });
  return refused({ kind: 'order-rejected', clientOrderId, code: why.code, message: messageOf(why) });
}

const notAmended = ({ clientOrderId }: AmendCommand | DecreaseCommand, why: Refusal): Reply =>
  refused({ kind: 'amend-refused', clientOrderId, code: statusOf(why) === 404 ? 'not_found' : why.code });

const floorOrderOf = (order: OrderRecord): FloorOrder => ({
  id: order.venueOrderId,
  market: order.market.index,
  side: order.side,
  price: order.price,
  qty: order.leavesQty,
  timeInForce: order.timeInForce,
  postOnly: order.postOnly,
  reduceOnly: order.reduceOnly,
});

/**
 * Translates a cancel reason to the wire. The wire has no word for what the owner requested with the order itself; it
 * has one for self-trade prevention.
 */
const wireReason = (cancelReason: string | null): string | null =>
  cancelReason === MET_OUR_OWN ? 'SelfTradeCancel' : null;
