// Watches orders in doubt until the venue has reported them: unknown orders, orders missing from a list, and orders of
// other sessions. Must never end an order because of an incomplete or early list.
import { assert } from '../../base/assert.ts';
import { centsText, contractsText } from '../../domain/amounts.ts';
import type { Denial } from '../../domain/denial.ts';
import type { OrderReport } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex, VenueOrderId } from '../../domain/ids.ts';
import type { UnresolvedOrder } from '../../domain/operator-order.ts';
import { type Order, isFinished } from '../../domain/orders/order.ts';
import type { Micros } from '../../domain/units.ts';
import { ADOPTED, isForeign } from '../../state/account/orders.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';
import type { OrderPolicy } from '../orders/order-policy.ts';
import { OtherSessions } from './other-sessions.ts';
import type { SessionActions } from './session-actions.ts';
import type { CompletedRead, VenueReader } from './venue-reader.ts';
import { missingOrders, mustShow, neverArrived } from './reconciliation.ts';

export interface OrderWatchOptions {
  readonly state: State;
  readonly reader: VenueReader;
  readonly policy: OrderPolicy;
  /** Time that a sent order may take to appear at the venue or in its lists. Milliseconds. */
  readonly graceMs: number;
  /** Span for which lists are requested, because they may report late. Milliseconds. */
  readonly lookbackMs: number;
  readonly observe: Observer;
  readonly actions: SessionActions;
  /** True when an order waits to be sent, or its answer is outstanding. */
  readonly isSending: (id: ClientOrderId) => boolean;
  /** Reads fills, which may prove that an order arrived. */
  readonly requestFills: () => void;
}

type OrderList = Extract<CompletedRead, { what: 'orders' }>;
type OrderLookUp = Extract<CompletedRead, { what: 'order' }>;

/** The shortest time between two alarms. Microseconds. */
const ALARM_EVERY = 60_000_000;

/** Looks up orders in doubt, sends or drops those that never arrived, and raises alarms. */
export class OrderWatch {
  readonly #options: OrderWatchOptions;
  readonly #state: State;
  /**
   * Time at which each order was first found unknown, by our clock. Added by a probe; removed when the order is no
   * longer unknown.
   */
  readonly #unknownSince = new Map<ClientOrderId, Micros>();
  /** Orders unknown for longer than `unknownMsMax`. Added with an alarm; removed when no longer unknown. */
  readonly #overdue = new Set<ClientOrderId>();
  /** Time at which an order was sent once more. Added when it is sent; removed when the order is no longer unknown. */
  readonly #resentAt = new Map<ClientOrderId, Micros>();

  /** The number of our orders canceled by another party, and the time of the latest alarm. */
  #canceledElsewhere = 0;
  #alarmedElsewhereAt = Number.NEGATIVE_INFINITY;
  readonly otherSessions: OtherSessions;

  constructor(options: OrderWatchOptions) {
    this.#options = options;
    this.#state = options.state;
    this.otherSessions = new OtherSessions(options);
  }

  /** Takes over orders that earlier sessions sent without learning the outcome. They are looked up and canceled. */
  takeOverUnresolved(unresolved: readonly UnresolvedOrder[]): void {
    const { orders, tickers } = this.#state;
    for (const sent of unresolved) {
      if (orders.get(sent.clientOrderId)) continue;
      const order = orders.addUnresolved(sent, tickers.internTicker(sent.ticker));
      this.#options.actions.cancelOrder(order.clientOrderId);
    }
  }

  /** Handles an order at the venue that no strategy of this session placed. */
  onUnexpectedOrder(report: OrderReport): void {
    const { orders, now } = this.#state;
    // Two pages of a list may both show the order.
    if (orders.byVenueId(report.venueOrderId)) return;
    if (this.otherSessions.checkOrder(report)) return void orders.adoptOrder(report, now, ADOPTED);
    const { policy, actions } = this.#options;
    if (policy.unexpected === 'cancel') return actions.cancelOrder(orders.adoptOrder(report, now).clientOrderId);
    orders.adoptOrder(report, now, ADOPTED);
    if (policy.unexpected === 'refuse')
      actions.haltAccount(`the venue holds an order that this session did not place: ${this.#orderText(report)}`);
  }

  /** Handles an order that was canceled at the venue without a request of this session. */
  onCanceledElsewhere({ clientOrderId, market }: Order): void {
    const { now, tickers } = this.#state;
    this.#canceledElsewhere += 1;
    if (now - this.#alarmedElsewhereAt < ALARM_EVERY) return;
    this.#alarmedElsewhereAt = now;
    const ticker = tickers.tickerOf(market);
    this.#options.observe({
      type: 'alarm',
      code: 'canceled-elsewhere',
      at: now,
      text: `order ${clientOrderId} in ${ticker} was canceled on this account, and not by this session: ${this.#canceledElsewhere} so far. Look for another program or person with a key of this account`,
      figures: { clientOrderId, ticker, count: this.#canceledElsewhere },
    });
  }

  #orderText({ venueOrderId, market, side, leavesQty, price }: OrderReport): string {
    const ticker = this.#state.tickers.tickerOf(market);
    return `${venueOrderId}, ${side} ${contractsText(leavesQty)} of ${ticker} at ${centsText(price)}`;
  }

  onOrdersListed({ target, rows, askedAt }: OrderList): void {
    if (target.status === 'any') return this.#judgeUnknown(rows, askedAt);
    const { graceMs } = this.#options;
    for (const venueOrderId of missingOrders(this.#state, rows, { askedAt, graceMs })) this.lookUpOrder(venueOrderId);
  }

  #judgeUnknown(rows: readonly OrderReport[], askedAt: Micros): void {
    const { graceMs, actions } = this.#options;
    for (const order of neverArrived(this.#state, rows, { askedAt, graceMs })) {
      const id = order.clientOrderId;
      if (this.#mayStillArrive(id, askedAt)) continue;
      if (!this.#resentAt.has(id) && this.#tryResend(order)) this.#resentAt.set(id, this.#state.now);
      else actions.dropOrder(id, 'the venue never had it');
    }
  }

  /** True when an order may still be in flight after its second sending. */
  #mayStillArrive(id: ClientOrderId, askedAt: Micros): boolean {
    const { graceMs, isSending, policy } = this.#options;
    const resentAt = this.#resentAt.get(id);
    if (resentAt === undefined) return false;
    const agoMs = (askedAt - resentAt) / 1000;
    return agoMs < graceMs || (agoMs < policy.unknownMsMax && isSending(id));
  }

  /**
   * Sends an order once more, if allowed. Returns false when nothing was queued. An IOC or FOK order is never sent
   * again, because it would come too late.
   */
  #tryResend(order: Order): boolean {
    const { policy, actions } = this.#options;
    const isLasting = order.timeInForce === 'gtc' || order.timeInForce === 'gtd';
    return policy.canResend && isLasting && !isForeign(order) && actions.resendOrder(order.clientOrderId);
  }

  lookUpOrder(venueOrderId: VenueOrderId): void {
    const { reader } = this.#options;
    const { orders, tickers, now } = this.#state;
    const order = orders.byVenueId(venueOrderId);
    if (!order || isFinished(order.state) || reader.isLookingUp(venueOrderId)) return;
    reader.requestRead({ what: 'order', venueOrderId, ticker: tickers.tickerOf(order.market) }, now, 'probe');
  }

  onOrderFound({ target, order: report, askedAt }: OrderLookUp): void {
    const order = this.#state.orders.byVenueId(target.venueOrderId);
    if (!order || isFinished(order.state)) return;
    if (report === null) return this.#onNotFound(order, askedAt);
    // The venue reports a larger filled quantity: fills have been missed.
    if (report.filledQty > order.filledQty) this.#options.requestFills();
  }

  /** Handles an order that a lookup did not find. Lookups may lag, so an order is given up only after `graceMs`. */
  #onNotFound({ clientOrderId: id, venueOrderId, state, changedAt }: Order, askedAt: Micros): void {
    const { graceMs, actions } = this.#options;
    const why = 'the venue knows no such order';
    if (state === 'unknown') {
      if (askedAt - changedAt >= graceMs * 1000) actions.dropOrder(id, why);
      return;
    }
    // An order whose id became known only recently is checked again by the next list.
    if (venueOrderId !== null && mustShow(this.#state, venueOrderId, { askedAt, graceMs }))
      actions.markUnknown(id, why);
  }

  /** Looks up every unknown order, and raises alarms for orders unknown for too long. */
  probeUnknown(): void {
    this.#markUnanswered();
    const unknown = this.#state.orders.unsettledOrders().filter((order) => order.state === 'unknown');
    this.#trackUnknown(unknown);
    if (unknown.length === 0) return;
    for (const { venueOrderId } of unknown) if (venueOrderId !== null) this.lookUpOrder(venueOrderId);
    const unnamed = unknown.filter((order) => order.venueOrderId === null);
    if (unnamed.length === 0) return;
    this.#options.requestFills();
    const oldest = Math.min(...unnamed.map((order) => order.createdAt));
    const { clock, now } = this.#state;
    const since = clock.venueTimeBefore((oldest - this.#options.lookbackMs * 1000) as Micros, now);
    this.#options.reader.requestOnce({ what: 'orders', status: 'any', since }, now, 'probe');
  }

  #markUnanswered(): void {
    const { orders, now } = this.#state;
    const outstandingSince = now - this.#options.policy.unknownMsMax * 1000;
    for (const order of orders.unsettledOrders())
      if (order.state !== 'unknown' && order.changedAt <= outstandingSince)
        this.#options.actions.markUnknown(order.clientOrderId, 'no answer came');
  }

  #trackUnknown(unknown: readonly Order[]): void {
    const { now } = this.#state;
    const ids = new Set(unknown.map((order) => order.clientOrderId));
    for (const id of this.#unknownSince.keys()) if (!ids.has(id)) this.#forgetOrder(id);
    for (const order of unknown) {
      const since = this.#unknownSince.get(order.clientOrderId);
      if (since === undefined) this.#unknownSince.set(order.clientOrderId, now);
      else if (now - since >= this.#options.policy.unknownMsMax * 1000) this.#raiseAlarm(order, since);
    }
    assert(this.#unknownSince.size === ids.size, 'every unknown order must be tracked, and no other');
    assert(this.#overdue.size <= ids.size, 'only an unknown order can be overdue');
  }

  #forgetOrder(id: ClientOrderId): void {
    this.#unknownSince.delete(id);
    this.#overdue.delete(id);
    this.#resentAt.delete(id);
  }

  #raiseAlarm(order: Order, since: Micros): void {
    const { clientOrderId: id, market, side, qty, price } = order;
    if (this.#overdue.has(id)) return;
    this.#overdue.add(id);
    const { tickers, now } = this.#state;
    const ticker = tickers.tickerOf(market);
    const forMs = Math.floor((now - since) / 1000);
    const { unknownMsMax } = this.#options.policy;
    assert(forMs >= unknownMsMax, 'an alarm must not be raised before its time');
    this.#options.observe({
      type: 'alarm',
      code: 'unknown-too-long',
      at: now,
      text: `order ${id} (${side} ${contractsText(qty)} of ${ticker} at ${centsText(price)}) has been unknown for ${forMs} ms, at most ${unknownMsMax}: no new order in this market until the venue reports it`,
      figures: { clientOrderId: id, ticker, forMs, unknownMsMax },
    });
  }

  /** The denial of new orders in a market where an order has been unknown for too long; `null` when there is none. */
  blockingDenial(market: MarketIndex): Denial | null {
    if (this.#overdue.size === 0) return null;
    const { unknownMsMax } = this.#options.policy;
    for (const { clientOrderId: order, state } of this.#state.orders.openIn(market)) {
      if (state !== 'unknown' || !this.#overdue.has(order)) continue;
      const since = this.#unknownSince.get(order) ?? this.#state.now;
      return { code: 'market-unresolved', order, forMs: Math.floor((this.#state.now - since) / 1000), unknownMsMax };
    }
    return null;
  }

  /** True when an order waits for its answer, or its state is unknown. */
  get hasUnanswered(): boolean {
    return this.#state.orders.hasUnsettled || this.#unknownSince.size > 0;
  }

  /** Number of orders that must end before the session can open. Orders adopted or given up as unknown do not count. */
  get unsettledCount(): number {
    const { orders } = this.#state;
    const isGivenUp = ({ strategy, state, clientOrderId }: Order): boolean =>
      strategy !== ADOPTED && state === 'unknown' && this.#overdue.has(clientOrderId);
    const givenUp = this.#overdue.size === 0 ? 0 : orders.unsettledOrders().filter(isGivenUp).length;
    assert(givenUp <= orders.cancelableCount, 'only orders that can be canceled may be given up');
    return orders.cancelableCount - givenUp;
  }
}
