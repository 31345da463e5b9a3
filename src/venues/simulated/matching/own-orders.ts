// Our resting orders: by id, and by market, side and level, best price first and first come first. Maintains in
// `RecordedDepth` which levels are watched, and our best prices. Must never decide what trades.
import { removeAt } from '../../../base/remove-at.ts';
import type { MarketIndex } from '../../../domain/ids.ts';
import type { Side } from '../../../domain/orders/order.ts';
import { termsOf } from '../../../domain/orders/order-terms.ts';
import type { Price } from '../../../domain/units.ts';
import {
  BookState,
  type RecordedDepth,
  OWN_ASK_CELL,
  OWN_BID_CELL,
  META_STRIDE,
  WATCHED_COUNT,
  levelNumberOf,
} from './recorded-depth.ts';
import type { ArrivingOrder } from '../simulator-interfaces.ts';
import { type LevelContext, type RestingOrder, WatchedLevel } from './watched-level.ts';

interface OwnSides {
  readonly bids: WatchedLevel[];
  readonly asks: WatchedLevel[];
}

const NO_LEVELS: readonly WatchedLevel[] = [];

export class OwnOrders {
  readonly #depth: RecordedDepth;
  readonly #rules: LevelContext;
  readonly #byId = new Map<string, RestingOrder>();
  readonly #sides: (OwnSides | undefined)[] = [];
  /** Watched levels by number, from 1. Added by `watchLevel`; removed by `releaseLevel` and `dropMarket`. */
  readonly #levels: (WatchedLevel | undefined)[] = [undefined];
  readonly #freeNumbers: number[] = [];
  #arrivals = 0;

  constructor(depth: RecordedDepth, rules: LevelContext) {
    this.#depth = depth;
    this.#rules = rules;
  }

  findOrder(orderId: string): RestingOrder | undefined {
    return this.#byId.get(orderId);
  }

  /** Levels with orders of ours, best first. The array changes as orders come and go. */
  levelsOf(market: MarketIndex, isBid: boolean): readonly WatchedLevel[] {
    const sides = this.#sides[market];
    if (sides === undefined) return NO_LEVELS;
    return isBid ? sides.bids : sides.asks;
  }

  watchedLevelAt(slot: number): WatchedLevel | undefined {
    const number = this.#depth.watchers[slot] ?? 0;
    return number === 0 ? undefined : this.#levels[number];
  }

  /** Returns the watched level at a price; starts watching it when needed. */
  watchLevel(market: MarketIndex, isBid: boolean, cell: number): WatchedLevel {
    const slot = this.#depth.slotAt(market, isBid, cell);
    const existing = this.watchedLevelAt(slot);
    if (existing !== undefined) return existing;
    const price = (this.#depth.gridOf(market)?.priceByCell[cell] ?? 0) as Price;
    const number = this.#freeNumbers.pop() ?? this.#levels.length;
    const level = new WatchedLevel({ market, isBid, cell, slot, price, number }, this.#rules);
    this.#levels[number] = level;
    this.#depth.watchers[slot] = number;
    this.#changeWatchCount(market, 1);
    return level;
  }

  /**
   * Puts `leaves` of an order at the end of a level's queue. `recorded` is the tape's quantity there; `null` when
   * unknown.
   */
  restOrder(
    arriving: ArrivingOrder,
    { cell, leaves, recorded }: { readonly cell: number; readonly leaves: number; readonly recorded: number | null },
  ): RestingOrder {
    const { market } = arriving;
    const level = this.watchLevel(market, arriving.side === 'buy', cell);
    // `...termsOf` comes last: an object literal that begins with `...` is slow to create.
    const order: RestingOrder = {
      id: arriving.id,
      arrival: this.#arrivals++,
      level,
      leaves,
      ahead: 0,
      ...termsOf(arriving),
    };
    if (level.orders.length === 0) this.#addLevel(level);
    const since = this.#rules.now() - this.#rules.explainWindow;
    level.joinQueue(
      order,
      recorded,
      this.#depth.unexplainedCut(market, levelNumberOf(level.isBid, level.price), since),
    );
    this.#byId.set(order.id, order);
    return order;
  }

  removeOrder(order: RestingOrder): void {
    order.level.leaveQueue(order);
    this.#byId.delete(order.id);
    this.releaseLevel(order.level);
  }

  /** Drops the id of a filled order. The order's level removes the order from the queue. */
  dropFilled(order: RestingOrder): void {
    this.#byId.delete(order.id);
  }

  releaseLevel(level: WatchedLevel): void {
    if (level.orders.length === 0) this.#removeLevel(level);
    if (level.isNeeded) return;
    if (this.#levels[level.number] !== level) return;
    this.#depth.watchers[level.slot] = 0;
    this.#levels[level.number] = undefined;
    this.#freeNumbers.push(level.number);
    this.#changeWatchCount(level.market, -1);
  }

  *watchedLevelsOf(market: MarketIndex): Generator<WatchedLevel> {
    const cells = this.#depth.cellCount(market);
    // Meanwhile levels may be released, and no further one is watched.
    let left = this.#depth.metaOf(market, WATCHED_COUNT);
    for (const isBid of [true, false])
      for (let cell = 0; cell < cells && left > 0; cell++) {
        const level = this.watchedLevelAt(this.#depth.slotAt(market, isBid, cell));
        if (level === undefined) continue;
        left -= 1;
        yield level;
      }
  }

  /**
   * Removes all orders and watched levels of a market; the caller must close the market next. Returns the orders, bids
   * before asks, best first.
   */
  dropMarket(market: MarketIndex): RestingOrder[] {
    const orders: RestingOrder[] = [];
    for (const isBid of [true, false]) for (const level of this.levelsOf(market, isBid)) orders.push(...level.orders);
    for (const order of orders) this.#byId.delete(order.id);
    for (const level of this.watchedLevelsOf(market)) {
      this.#levels[level.number] = undefined;
      this.#freeNumbers.push(level.number);
    }
    this.#sides[market] = undefined;
    return orders;
  }

  inArrivalOrder(market: MarketIndex, side: Side): RestingOrder[] {
    const orders = this.levelsOf(market, side === 'buy').flatMap((level) => level.orders);
    return orders.sort((a, b) => a.arrival - b.arrival);
  }

  #addLevel(level: WatchedLevel): void {
    const sides = (this.#sides[level.market] ??= { bids: [], asks: [] });
    const side = level.isBid ? sides.bids : sides.asks;
    const isWorse = (other: WatchedLevel): boolean => (level.isBid ? other.cell < level.cell : other.cell > level.cell);
    const index = side.findIndex(isWorse);
    side.splice(index < 0 ? side.length : index, 0, level);
    this.#updateBest(level.market, level.isBid);
  }

  #removeLevel(level: WatchedLevel): void {
    const sides = this.#sides[level.market];
    const side = level.isBid ? sides?.bids : sides?.asks;
    const index = side?.indexOf(level) ?? -1;
    if (side === undefined || index < 0) return;
    removeAt(side, index);
    this.#updateBest(level.market, level.isBid);
  }

  #updateBest(market: MarketIndex, isBid: boolean): void {
    const best = this.levelsOf(market, isBid)[0];
    const noCell = isBid ? -1 : this.#depth.cellCount(market);
    this.#depth.meta[market * META_STRIDE + (isBid ? OWN_BID_CELL : OWN_ASK_CELL)] = best?.cell ?? noCell;
  }

  #changeWatchCount(market: MarketIndex, change: number): void {
    const { meta, states } = this.#depth;
    const at = market * META_STRIDE;
    const count = (meta[at + WATCHED_COUNT] ?? 0) + change;
    meta[at + WATCHED_COUNT] = count;
    if (states[market] !== BookState.unknown) states[market] = count > 0 ? BookState.watched : BookState.idle;
  }
}
