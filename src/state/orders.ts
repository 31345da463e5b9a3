// Our orders, by our id and by the venue's. Every change of state goes through the order-life table.
// Must never end an order on a guess: only the venue's word, or the certainty that nothing was sent, ends one.
import { assert, must } from '../domain/assert.ts';
import { clientIdFromVenue } from '../domain/client-order-id.ts';
import type { PlaceCommand } from '../domain/command.ts';
import type { FillReport, OrderReport } from '../domain/event.ts';
import type { ClientOrderId, MarketIndex, StrategyName, VenueOrderId } from '../domain/ids.ts';
import { strategyName } from '../domain/ids.ts';
import type { UnresolvedOrder } from '../domain/operator.ts';
import { type Order, type OrderChange, type OrderState, isFinished, nextOrderState } from '../domain/order.ts';
import { type Micros, NO_MONEY, NO_QTY, type Qty, money, qty } from '../domain/units.ts';
import { HalfTold } from './half-told.ts';
import { Moved } from './moved.ts';
import { OrderPledges } from './order-pledges.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** How an order can end. */
export type Ending = Extract<OrderChange, 'cancel' | 'expire' | 'fill-all'>;

const NO_ORDERS: readonly Order[] = [];

/** What an order has of which nothing more was told. */
const NO_TERMS = {
  venueOrderId: null,
  filledQty: NO_QTY,
  filledNotional: NO_MONEY,
  fees: NO_MONEY,
  timeInForce: 'gtc',
  postOnly: false,
  reduceOnly: false,
  expiresAt: null,
} as const satisfies Partial<Order>;

/** The strategies that orders which no strategy of this session placed are booked under: those to be withdrawn, and kept. */
export const FOREIGN: StrategyName = strategyName('foreign');
export const ADOPTED: StrategyName = strategyName('adopted');
/** The name that the operator's own orders are booked under; no strategy may have it. */
export const OPERATOR: StrategyName = strategyName('operator');

/** Whether no strategy of this session placed an order. */
export const isForeign = ({ strategy }: Pick<Order, 'strategy'>): boolean =>
  strategy === FOREIGN || strategy === ADOPTED;

/** States of unfinished orders in which an answer is owed, or nothing is known. */
const UNSETTLED: ReadonlySet<OrderState> = new Set(['in-flight', 'pending-cancel', 'pending-amend', 'unknown']);

/** An order that the venue has named, and when we heard of that, by our clock. */
interface Named {
  readonly order: Order;
  readonly at: Micros;
}

/** All orders of the session that may still matter. */
export class Orders {
  readonly #byClientId = new Map<ClientOrderId, Mutable<Order>>();
  readonly #byVenueId = new Map<VenueOrderId, Named>();
  readonly #openByMarket: Mutable<Order>[][] = [];
  #finished: ClientOrderId[] = [];
  readonly #finishedMax: number;
  /** Orders that have ended at the venue and lack fills: how they will end here, and what was asked for in all. */
  readonly #endings = new Map<ClientOrderId, { readonly change: Ending; readonly asked: Qty }>();
  /** Unknown orders of which the venue has said that it took their id: no list that lacks one ends it. */
  readonly #proven = new Set<ClientOrderId>();
  /** Every unfinished order, oldest first, by which it came in. */
  readonly #open = new Map<Mutable<Order>, number>();
  #listedCount = 0;
  /** Those of which an answer is owed, or nothing is known. */
  readonly #unsettled = new Set<Mutable<Order>>();
  /** How many unfinished orders each strategy has. */
  readonly #openByStrategy = new Map<StrategyName, number>();
  /** The markets that have one. */
  readonly #busy = new Set<MarketIndex>();
  /** How often what is open in each market has changed. */
  readonly #revisions: number[] = [];
  /** The markets in which what is open changes. */
  readonly moved = new Moved();
  /** Those that are being made smaller, of which half is told. */
  readonly halfTold = new HalfTold();
  /** What they pledge. */
  readonly pledges = new OrderPledges((market) => this.openIn(market));

  /** `finishedMax`: how many finished orders are remembered for what may be told of them late. */
  constructor(finishedMax = 10_000) {
    this.#finishedMax = finishedMax;
  }

  /** Books an approved order, queued. */
  add(command: PlaceCommand, reason: string): Order {
    assert(!this.#byClientId.has(command.clientOrderId), 'client order id used twice');
    return this.#begin({
      clientOrderId: command.clientOrderId,
      venueOrderId: null,
      strategy: command.strategy,
      market: command.market,
      side: command.side,
      price: command.price,
      qty: command.qty,
      filledQty: NO_QTY,
      filledNotional: NO_MONEY,
      fees: NO_MONEY,
      state: 'queued',
      timeInForce: command.timeInForce,
      postOnly: command.postOnly,
      reduceOnly: command.reduceOnly,
      expiresAt: command.expiresAt,
      createdAt: command.createdAt,
      changedAt: command.createdAt,
      reason,
    });
  }

  /** Books an order that an earlier session sent and never learned of: it counts until the venue tells. */
  addUnresolved(sent: Omit<UnresolvedOrder, 'ticker'>, market: MarketIndex): Order {
    return this.#begin({
      ...NO_TERMS,
      clientOrderId: sent.clientOrderId,
      strategy: FOREIGN,
      market,
      side: sent.side,
      price: sent.price,
      qty: sent.qty,
      state: 'unknown',
      createdAt: sent.sentAt,
      changedAt: sent.sentAt,
      reason: 'sent by an earlier session, which never learned what became of it',
    });
  }

  /** Books an order found at the venue that this session did not place: to be withdrawn, or to be kept. */
  adopt(report: OrderReport, at: Micros, strategy: StrategyName = FOREIGN): Order {
    const total = qty(report.filledQty + report.leavesQty);
    const order = this.#begin({
      ...NO_TERMS,
      clientOrderId: report.clientOrderId ?? clientIdFromVenue(report.venueOrderId),
      strategy,
      market: report.market,
      side: report.side,
      price: report.price,
      qty: total,
      filledQty: report.filledQty,
      filledNotional: money(report.price * report.filledQty),
      state: 'working',
      createdAt: report.createdAt ?? at,
      changedAt: at,
      reason: 'found at the venue',
    });
    this.nameAtVenue(order.clientOrderId, report.venueOrderId, at);
    return order;
  }

  #begin(order: Mutable<Order>): Order {
    this.#byClientId.set(order.clientOrderId, order);
    this.#listOpen(order);
    return order;
  }

  #listOpen(order: Mutable<Order>): void {
    (this.#openByMarket[order.market] ??= []).push(order);
    this.#open.set(order, (this.#listedCount += 1));
    this.#count(order, 1);
    this.#sortOut(order);
    this.#busy.add(order.market);
    this.#changed(order);
  }

  #count({ strategy }: Order, change: 1 | -1): void {
    this.#openByStrategy.set(strategy, this.openCountOf(strategy) + change);
  }

  #sortOut(order: Mutable<Order>): void {
    if (UNSETTLED.has(order.state)) this.#unsettled.add(order);
    else this.#unsettled.delete(order);
  }

  /** An unfinished order became one, is none any more, or has other terms or fills. */
  #changed({ market }: Order): void {
    this.#revisions[market] = this.revisionOf(market) + 1;
    this.pledges.changed(market);
    this.moved.add(market);
  }

  /** Learns the venue's id of an order, which was told at a time of our clock. */
  nameAtVenue(id: ClientOrderId, venueId: VenueOrderId, at: Micros): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    if (order.venueOrderId === venueId) return;
    order.venueOrderId = venueId;
    this.#byVenueId.set(venueId, { order, at });
  }

  /** Moves an order along its life. `false` when the table has no such row: the order is left as it is. */
  move(id: ClientOrderId, change: OrderChange, at: Micros): boolean {
    const order = this.#byClientId.get(id);
    if (!order) return false;
    const next = nextOrderState(order.state, change);
    if (next === null) return false;
    // Lost once more: from now on it may arrive, whenever it was lost before.
    if (change === 'lose' && order.state === 'unknown') order.changedAt = at;
    this.#enter(order, next, at);
    return true;
  }

  #enter(order: Mutable<Order>, next: Order['state'], at: Micros): void {
    if (order.state === next) return;
    const wasFinished = isFinished(order.state);
    if (order.state === 'pending-amend') this.halfTold.forget(order.clientOrderId);
    order.state = next;
    order.changedAt = at;
    this.#sortOut(order);
    if (isFinished(next) && !wasFinished) this.#finish(order);
    if (!isFinished(next) && wasFinished) this.#reopen(order);
  }

  #finish(order: Mutable<Order>): void {
    this.#proven.delete(order.clientOrderId);
    order.qty = this.#endings.get(order.clientOrderId)?.asked ?? order.qty;
    this.#endings.delete(order.clientOrderId);
    const open = must(this.#openByMarket[order.market], 'open orders');
    open.splice(open.indexOf(order), 1);
    this.#open.delete(order);
    this.#count(order, -1);
    if (open.length === 0) this.#busy.delete(order.market);
    this.#changed(order);
    this.#finished.push(order.clientOrderId);
    while (this.#finished.length > this.#finishedMax) this.#forget(must(this.#finished.shift(), 'finished order'));
  }

  #reopen(order: Mutable<Order>): void {
    const place = this.#finished.lastIndexOf(order.clientOrderId);
    if (place >= 0) this.#finished.splice(place, 1);
    this.#listOpen(order);
  }

  /**
   * Forgets the finished orders of markets that are followed no more.
   * @throws {AssertionFault} when one of the markets has an order that is not finished.
   */
  evict(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets)
      assert(this.openIn(market).length === 0, 'a market with open orders was to be forgotten');
    const isGone = (id: ClientOrderId): boolean => {
      const order = this.#byClientId.get(id);
      return order !== undefined && markets.has(order.market);
    };
    for (const id of this.#finished) if (isGone(id)) this.#forget(id);
    this.#finished = this.#finished.filter((id) => this.#byClientId.has(id));
  }

  #forget(id: ClientOrderId): void {
    const order = this.#byClientId.get(id);
    if (order?.venueOrderId) this.#byVenueId.delete(order.venueOrderId);
    this.#byClientId.delete(id);
  }

  /** Books a fill on its order; the caller has made sure it is new. Returns the order. */
  fill(id: ClientOrderId, fill: FillReport, at: Micros): Order {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    order.filledQty = qty(order.filledQty + fill.qty);
    order.filledNotional = money(order.filledNotional + fill.price * fill.qty);
    order.fees = money(order.fees + fill.fee);
    this.#changed(order);
    const isAll = order.filledQty >= order.qty;
    const last = this.#endings.get(id)?.change ?? 'fill-all';
    const next = nextOrderState(order.state, isAll ? last : 'fill');
    if (next !== null) this.#enter(order, next, at);
    return order;
  }

  /**
   * The venue has ended an order after so much had traded. While not all of that has been told to us, the order stays
   * open for just that much, so that limits count what we hold without knowing; its last fill will end it.
   * `false` when nothing is lacking: it can end now.
   */
  awaitFills(id: ClientOrderId, change: Ending, filledQty: Qty): boolean {
    const order = this.#byClientId.get(id);
    if (!order || isFinished(order.state) || nextOrderState(order.state, change) === null) return false;
    if (order.filledQty >= filledQty) return false;
    const asked = this.#endings.get(id)?.asked ?? order.qty;
    order.qty = qty(Math.min(filledQty, asked));
    this.#changed(order);
    this.#endings.set(id, { change: filledQty < asked ? change : 'fill-all', asked });
    return true;
  }

  /** Learns how much a foreign order has traded; a list may be behind, so it only ever grows. */
  learnFilled(id: ClientOrderId, filledQty: Qty): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    if (filledQty <= order.filledQty) return;
    order.filledNotional = money(order.filledNotional + order.price * (filledQty - order.filledQty));
    order.filledQty = filledQty;
    this.#changed(order);
  }

  /** The venue has said that it took an order's id. */
  prove(id: ClientOrderId): void {
    const order = this.#byClientId.get(id);
    if (order && !isFinished(order.state)) this.#proven.add(id);
  }

  /** Whether an order is known to have arrived although nothing has shown it. */
  isProven(id: ClientOrderId): boolean {
    return this.#proven.has(id);
  }

  /** Whether an order has ended at the venue and only lacks fills. */
  isEnding(id: ClientOrderId): boolean {
    return this.#endings.has(id);
  }

  /** Takes new terms that the venue has confirmed. */
  amend(id: ClientOrderId, terms: Partial<Pick<Order, 'price' | 'qty'>>): void {
    const order = must(this.#byClientId.get(id), `order ${id}`);
    if (terms.price !== undefined) order.price = terms.price;
    if (terms.qty !== undefined) order.qty = terms.qty;
    this.#changed(order);
  }

  get(id: ClientOrderId): Order | undefined {
    return this.#byClientId.get(id);
  }

  byVenueId(id: VenueOrderId): Order | undefined {
    return this.#byVenueId.get(id)?.order;
  }

  /** When we heard that the venue has an order, whatever was heard of it since; `null` when it has named none so. */
  namedAt(id: VenueOrderId): Micros | null {
    return this.#byVenueId.get(id)?.at ?? null;
  }

  /** Orders of a market that are not finished, oldest first. Borrowed: do not keep. */
  openIn(market: MarketIndex): readonly Order[] {
    return this.#openByMarket[market] ?? NO_ORDERS;
  }

  /** The markets that have unfinished orders. Borrowed: nothing may change while they are gone through. */
  busyMarkets(): Iterable<MarketIndex> {
    return this.#busy;
  }

  /** A number that is another one whenever what is open in a market, its terms or its fills have changed. */
  revisionOf(market: MarketIndex): number {
    return this.#revisions[market] ?? 0;
  }

  /** Every order that is not finished: a copy. */
  allOpen(): Order[] {
    return [...this.#open.keys()];
  }

  /** Every unfinished order of which an answer is owed, or nothing is known, oldest first: a copy. */
  unsettled(): Order[] {
    if (this.#unsettled.size === 0) return [];
    return [...this.#unsettled].sort((a, b) => (this.#open.get(a) ?? 0) - (this.#open.get(b) ?? 0));
  }

  /** Every order that is not finished, oldest first. Borrowed: nothing may change while it is gone through. */
  unfinished(): Iterable<Order> {
    return this.#open.keys();
  }

  /** How many finished orders are remembered. */
  get finishedCount(): number {
    return this.#finished.length;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** How many unfinished orders are to be withdrawn before a session can end: all but those that are kept. */
  get ownCount(): number {
    return this.#open.size - this.openCountOf(ADOPTED);
  }

  /** How many unfinished orders are booked under a strategy. */
  openCountOf(strategy: StrategyName): number {
    return this.#openByStrategy.get(strategy) ?? 0;
  }
}
