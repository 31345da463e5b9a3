// Our orders, by our id and by the venue's. Must never end an order on a guess: only the venue's report, or the
// certainty that the order never arrived, ends it.
import { assert, must } from '../../base/assert.ts';
import { removeAt } from '../../base/remove-at.ts';
import type { PlaceCommand } from '../../domain/venue-command.ts';
import type { FillReport, OrderReport } from '../../domain/event.ts';
import type { ClientOrderId, MarketIndex, StrategyName, VenueOrderId } from '../../domain/ids.ts';
import { strategyName } from '../../domain/ids.ts';
import type { UnresolvedOrder } from '../../domain/operator-order.ts';
import {
  type AmendedTerms,
  type Order,
  type OrderChange,
  type OrderState,
  countedQty,
  isFinished,
  nextOrderState,
} from '../../domain/orders/order.ts';
import { type Micros, type Qty, money, qty } from '../../domain/units.ts';
import { type MutableOrder, approvedOrder, foundOrder, proveAmend, unresolvedOrder } from './order-records.ts';
import { PendingDecreases } from './pending-decreases.ts';
import { ChangedMarkets } from '../changed-markets.ts';
import { ReservedCollateral } from './reserved-collateral.ts';
import { TermsInForce, type TermsTime } from './terms-in-force.ts';

/** The ways in which an order can end. */
export type Ending = Extract<OrderChange, 'cancel' | 'expire' | 'fill-all'>;

const NO_ORDERS: readonly Order[] = [];

/**
 * In place of a strategy's name, for an order that no strategy of this session placed: to cancel (`FOREIGN`) or to
 * leave alone (`ADOPTED`).
 */
export const FOREIGN: StrategyName = strategyName('foreign');
export const ADOPTED: StrategyName = strategyName('adopted');
/** In place of a strategy's name, for the operator's own orders. No strategy may have this name. */
export const OPERATOR: StrategyName = strategyName('operator');

/** True when neither a strategy of this session nor the operator placed the order. */
export const isForeign = ({ strategy }: Pick<Order, 'strategy'>): boolean =>
  strategy === FOREIGN || strategy === ADOPTED;

const UNSETTLED: ReadonlySet<OrderState> = new Set(['in-flight', 'pending-cancel', 'pending-amend', 'unknown']);

/** An order, and the time at which we learned its venue order id, by our clock. */
interface VenueNamed {
  readonly order: Order;
  readonly at: Micros;
}

/** All orders of the session that may still matter. */
export class Orders {
  /** Added when an order starts; removed as the oldest finished one, or with its market. */
  readonly #byClientId = new Map<ClientOrderId, MutableOrder>();
  /** Added when the venue's id is learned; removed with the order. */
  readonly #byVenueId = new Map<VenueOrderId, VenueNamed>();
  readonly #openByMarket: MutableOrder[][] = [];
  #finished: ClientOrderId[] = [];
  readonly #finishedMax: number;
  /**
   * Orders that have ended at the venue but lack fills: their final change, and their original quantity. Added by
   * `awaitFills`; removed when the order finishes.
   */
  readonly #endings = new Map<ClientOrderId, { readonly change: Ending; readonly asked: Qty }>();
  /** Unknown orders whose id the venue reported as taken. Added by `markArrived`; removed when the order finishes. */
  readonly #proven = new Set<ClientOrderId>();
  /**
   * Every unfinished order, oldest first. Added when the order starts or reopens; removed when it finishes. By id: a key
   * that is an object would first get a hash of its own.
   */
  readonly #open = new Map<ClientOrderId, MutableOrder>();
  /** Number of unfinished orders that await an answer, or are unknown. */
  #unsettledCount = 0;
  /** Number of unfinished orders of each strategy. Added with its first order; never removed. */
  readonly #openByStrategy = new Map<StrategyName, number>();
  /** The markets with unfinished orders. Added with the first order; removed with the last. */
  readonly #busyMarkets = new Set<MarketIndex>();
  readonly #revisions: number[] = [];
  readonly changedMarkets = new ChangedMarkets();
  readonly pendingDecreases = new PendingDecreases();
  readonly termsInForce = new TermsInForce();
  readonly collateral = new ReservedCollateral((market) => this.openIn(market));

  /** @param finishedMax bound on the finished orders remembered for late messages. */
  constructor(finishedMax = 10_000) {
    this.#finishedMax = finishedMax;
  }

  addOrder(command: PlaceCommand, reason: string): Order {
    assert(!this.#byClientId.has(command.clientOrderId), 'client order id used twice');
    assert(command.qty > 0, 'an order must be for more than nothing');
    return this.#addToMaps(approvedOrder(command, reason));
  }

  /**
   * Adds an order that an earlier session sent without learning the outcome. It counts until the venue reports on it.
   */
  addUnresolved(sent: Omit<UnresolvedOrder, 'ticker'>, market: MarketIndex): Order {
    return this.#addToMaps({ ...unresolvedOrder(sent, market), strategy: FOREIGN });
  }

  /** Adds an order that was found at the venue: to cancel (`FOREIGN`) or to leave alone (`ADOPTED`). */
  adoptOrder(report: OrderReport, at: Micros, strategy: StrategyName = FOREIGN): Order {
    const order = this.#addToMaps({ ...foundOrder(report, at), strategy });
    this.setVenueId(order.clientOrderId, report.venueOrderId, at);
    return order;
  }

  #addToMaps(order: MutableOrder): Order {
    assert(!isFinished(order.state), 'an order must not begin finished');
    assert(order.qty >= order.filledQty, 'an order must not begin with more filled than its quantity');
    if (UNSETTLED.has(order.state)) this.#unsettledCount += 1;
    this.#byClientId.set(order.clientOrderId, order);
    this.#listOpen(order);
    return order;
  }

  #listOpen(order: MutableOrder): void {
    (this.#openByMarket[order.market] ??= []).push(order);
    this.#open.set(order.clientOrderId, order);
    this.#addToCount(order, 1);
    this.#busyMarkets.add(order.market);
    this.#onChange(order);
  }

  #addToCount({ strategy }: Order, change: 1 | -1): void {
    const count = this.openCountOf(strategy) + change;
    assert(count >= 0, 'the number of open orders of a strategy must not fall below 0');
    this.#openByStrategy.set(strategy, count);
  }

  #onChange({ market }: Order): void {
    this.#revisions[market] = this.revisionOf(market) + 1;
    this.collateral.markChanged(market);
    this.changedMarkets.markChanged(market);
  }

  setVenueId(id: ClientOrderId, venueId: VenueOrderId, at: Micros): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    if (order.venueOrderId === venueId) return;
    order.venueOrderId = venueId;
    this.#byVenueId.set(venueId, { order, at });
  }

  /**
   * Applies a change of the order-life table. `false`, without effect, for an unknown id or a change not in the table.
   */
  applyChange(id: ClientOrderId, change: OrderChange, at: Micros): boolean {
    const order = this.#byClientId.get(id);
    if (!order) return false;
    const next = nextOrderState(order.state, change);
    if (next === null) return false;
    if (change === 'refuse-amend') this.dropAmend(id);
    // The time allowed for the order's arrival starts over.
    if (change === 'lose' && order.state === 'unknown') order.changedAt = at;
    this.#setState(order, next, at);
    return true;
  }

  #setState(order: MutableOrder, next: Order['state'], at: Micros): void {
    if (order.state === next) return;
    const wasFinished = isFinished(order.state);
    if (order.state === 'pending-amend') this.pendingDecreases.forgetOrder(order.clientOrderId);
    this.#unsettledCount += Number(UNSETTLED.has(next)) - Number(UNSETTLED.has(order.state));
    order.state = next;
    order.changedAt = at;
    if (isFinished(next) && !wasFinished) this.#finish(order);
    if (!isFinished(next) && wasFinished) this.#reopen(order);
    assert(
      this.#open.has(order.clientOrderId) === !isFinished(next),
      'an order must be listed as open until it is finished',
    );
  }

  #finish(order: MutableOrder): void {
    this.#proven.delete(order.clientOrderId);
    order.qty = this.#endings.get(order.clientOrderId)?.asked ?? order.qty;
    order.amend = null;
    this.#endings.delete(order.clientOrderId);
    const open = must(this.#openByMarket[order.market], 'open orders');
    const place = open.indexOf(order);
    assert(place >= 0, 'an order that finishes must be listed as open in its market');
    removeAt(open, place);
    this.#open.delete(order.clientOrderId);
    this.#addToCount(order, -1);
    if (open.length === 0) this.#busyMarkets.delete(order.market);
    this.#onChange(order);
    this.#finished.push(order.clientOrderId);
    while (this.#finished.length > this.#finishedMax) this.#removeOrder(must(this.#finished.shift(), 'finished order'));
  }

  #reopen(order: MutableOrder): void {
    const place = this.#finished.lastIndexOf(order.clientOrderId);
    assert(place >= 0, 'an order that reopens must be listed as finished');
    this.#finished.splice(place, 1);
    this.#listOpen(order);
  }

  /**
   * Forgets the finished orders of evicted markets.
   * @throws {AssertionFault} when a market has an unfinished order.
   */
  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets)
      assert(this.openIn(market).length === 0, 'a market with open orders was to be evicted');
    const isGone = (id: ClientOrderId): boolean => {
      const order = this.#byClientId.get(id);
      return order !== undefined && markets.has(order.market);
    };
    for (const id of this.#finished) if (isGone(id)) this.#removeOrder(id);
    this.#finished = this.#finished.filter((id) => this.#byClientId.has(id));
  }

  #removeOrder(id: ClientOrderId): void {
    const order = this.#byClientId.get(id);
    assert(order === undefined || isFinished(order.state), 'only a finished order may be forgotten');
    if (order?.venueOrderId) this.#byVenueId.delete(order.venueOrderId);
    this.#byClientId.delete(id);
    this.termsInForce.forgetOrder(id);
  }

  applyFill(id: ClientOrderId, fill: FillReport, at: Micros): Order {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    order.filledQty = qty(order.filledQty + fill.qty);
    order.filledNotional = money(order.filledNotional + fill.price * fill.qty);
    order.fees = money(order.fees + fill.fee);
    proveAmend(order, order.filledQty);
    this.#onChange(order);
    const isAll = order.filledQty >= countedQty(order);
    const last = this.#endings.get(id)?.change ?? 'fill-all';
    const next = nextOrderState(order.state, isAll ? last : 'fill');
    if (next !== null) this.#setState(order, next, at);
    return order;
  }

  /**
   * Records that the venue ended an order after `filledQty` had filled. Until these fills have arrived, the order stays
   * open for that quantity. `false` when no fill is missing, or the order cannot end in this way.
   */
  awaitFills(id: ClientOrderId, change: Ending, filledQty: Qty): boolean {
    const order = this.#byClientId.get(id);
    if (!order || isFinished(order.state) || nextOrderState(order.state, change) === null) return false;
    if (order.filledQty >= filledQty) return false;
    proveAmend(order, filledQty);
    order.amend = null;
    const known = this.#endings.get(id);
    const asked = known?.asked ?? order.qty;
    order.qty = qty(Math.min(filledQty, asked));
    this.#onChange(order);
    // An order that has ended with less than was asked is not filled by a later report of the same.
    const ending = change === 'fill-all' ? (known?.change ?? change) : change;
    this.#endings.set(id, { change: filledQty < asked ? ending : 'fill-all', asked });
    return true;
  }

  /** Raises the filled quantity of a foreign order. It never falls, because a list may be out of date. */
  raiseFilled(id: ClientOrderId, filledQty: Qty): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    assert(isForeign(order), 'fills of our own orders must be counted one by one');
    if (filledQty <= order.filledQty) return;
    order.filledNotional = money(order.filledNotional + order.price * (filledQty - order.filledQty));
    order.filledQty = filledQty;
    this.#onChange(order);
  }

  markArrived(id: ClientOrderId): void {
    const order = this.#byClientId.get(id);
    if (order && !isFinished(order.state)) this.#proven.add(id);
  }

  /** True when the venue reported the order's id as taken, and the order is unfinished. */
  isKnownArrived(id: ClientOrderId): boolean {
    return this.#proven.has(id);
  }

  /** True when an order has ended at the venue and only lacks fills. */
  isAwaitingFills(id: ClientOrderId): boolean {
    return this.#endings.has(id);
  }

  /** Records the terms that an amend asks for. Until its effect is known, the worse of both terms counts. */
  recordAmend(id: ClientOrderId, terms: AmendedTerms): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    assert(order.amend === null, 'an order must not have two amends at once');
    order.amend = terms;
    this.#onChange(order);
  }

  /** Records that an amend did not take effect, and never will. */
  dropAmend(id: ClientOrderId): void {
    const order = this.#byClientId.get(id);
    if (!order || order.amend === null) return;
    order.amend = null;
    this.#onChange(order);
  }

  /** Sets the terms in force. An order that they put behind others in the queue counts as the newest of its market. */
  applyTerms(id: ClientOrderId, terms: Partial<AmendedTerms>, since: TermsTime): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    const { price = order.price, qty: total = order.qty } = terms;
    const open = this.#openByMarket[order.market];
    if ((price !== order.price || total > order.qty) && open?.at(-1) !== order) {
      const place = open?.indexOf(order) ?? -1;
      if (place >= 0) open?.push(...open.splice(place, 1));
    }
    order.price = price;
    order.qty = total;
    order.amend = null;
    this.termsInForce.recordChange(id, since);
    this.#onChange(order);
  }

  get(id: ClientOrderId): Order | undefined {
    return this.#byClientId.get(id);
  }

  byVenueId(id: VenueOrderId): Order | undefined {
    return this.#byVenueId.get(id)?.order;
  }

  /** Time at which we learned a venue order id; `null` when no order has it. */
  venueIdLearnedAt(id: VenueOrderId): Micros | null {
    return this.#byVenueId.get(id)?.at ?? null;
  }

  /** Unfinished orders of a market, oldest first. Borrowed: do not store. */
  openIn(market: MarketIndex): readonly Order[] {
    return this.#openByMarket[market] ?? NO_ORDERS;
  }

  /** The markets with unfinished orders. Borrowed: nothing may change during the iteration. */
  marketsWithOpenOrders(): Iterable<MarketIndex> {
    return this.#busyMarkets;
  }

  /** A number that changes whenever the unfinished orders of a market, their terms or their fills change. */
  revisionOf(market: MarketIndex): number {
    return this.#revisions[market] ?? 0;
  }

  allOpen(): Order[] {
    return [...this.#open.values()];
  }

  /** Every unfinished order that awaits an answer, or is unknown, oldest first. */
  unsettledOrders(): Order[] {
    if (this.#unsettledCount === 0) return [];
    const unsettled = this.allOpen().filter(({ state }) => UNSETTLED.has(state));
    assert(unsettled.length === this.#unsettledCount, 'the orders that await an answer must be counted right');
    return unsettled;
  }

  get hasUnsettled(): boolean {
    return this.#unsettledCount > 0;
  }

  /** Every unfinished order, oldest first. Borrowed: nothing may change during the iteration. */
  unfinishedOrders(): Iterable<Order> {
    return this.#open.values();
  }

  get finishedCount(): number {
    return this.#finished.length;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Number of unfinished orders without the adopted ones. */
  get cancelableCount(): number {
    return this.#open.size - this.openCountOf(ADOPTED);
  }

  openCountOf(strategy: StrategyName): number {
    return this.#openByStrategy.get(strategy) ?? 0;
  }
}
