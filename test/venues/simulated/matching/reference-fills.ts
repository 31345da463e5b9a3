// A reference fill simulator by brute force: every level with an order of ours is a list of others' and our quantities,
// first come first. It receives the true events (a trade or a cancellation), not a tape's rows of them. Slow and plain.
import type { Side } from '../../../../src/domain/orders/order.ts';
import type { FillSimulatorOptions } from '../../../../src/venues/simulated/simulator-interfaces.ts';

export interface Entry {
  qty: number;
  /** Our order's id; `null` for other traders. */
  readonly id: string | null;
}

export interface Level {
  readonly isBid: boolean;
  readonly price: number;
  /** The tape's quantity here. */
  recorded: number;
  /** Quantity that we took from it. */
  takenByUs: number;
  /** Quantity of other traders that rests here although the tape shows it as traded. */
  displaced: number;
  entries: Entry[];
}

export interface ReferenceOrder {
  readonly id: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly style: 'post-only' | 'gtc' | 'ioc' | 'fok';
}

/** The effects of an order on its path through the book. */
interface BookPath {
  readonly slices: { readonly level: Level; readonly qty: number }[];
  /** Orders of ours that it meets. */
  readonly ownIds: string[];
  left: number;
}

/** The place in the queue that cancellations come from: behind us as long as there is quantity, or ahead of us. */
export type CancelOrder = 'from the back' | 'from the front';

export class ReferenceFills {
  readonly #levels = new Map<string, Level>();
  readonly filled = new Map<string, number>();
  /** Quantity that we took from each level, by its key. */
  readonly taken = new Map<string, number>();
  readonly #cancelOrder: CancelOrder;
  readonly #selfTrade: FillSimulatorOptions['selfTrade'];
  #isKnown = true;

  constructor(
    cancelOrder: CancelOrder = 'from the back',
    selfTrade: FillSimulatorOptions['selfTrade'] = 'cancel-incoming',
  ) {
    this.#cancelOrder = cancelOrder;
    this.#selfTrade = selfTrade;
  }

  level(isBid: boolean, price: number): Level {
    const key = `${isBid ? 'bid' : 'ask'} ${price}`;
    const existing = this.#levels.get(key);
    if (existing !== undefined) return existing;
    const level: Level = { isBid, price, recorded: 0, takenByUs: 0, displaced: 0, entries: [] };
    this.#levels.set(key, level);
    return level;
  }

  /** Levels of a side, best first. */
  side(isBid: boolean): Level[] {
    const levels = [...this.#levels.values()].filter((level) => level.isBid === isBid);
    return levels.sort((a, b) => (isBid ? b.price - a.price : a.price - b.price));
  }

  /** Other traders add quantity to a level. */
  increase(isBid: boolean, price: number, qty: number): void {
    if (!this.#isKnown) return;
    const level = this.level(isBid, price);
    level.recorded += qty;
    if (holdsOurs(level)) level.entries.push({ qty, id: null });
    this.#cross(level);
  }

  reduceByCancel(isBid: boolean, price: number, qty: number): void {
    if (!this.#isKnown) return;
    const level = this.level(isBid, price);
    level.recorded -= qty;
    level.takenByUs = Math.min(level.takenByUs, level.recorded);
    if (this.#cancelOrder === 'from the front') consumeOthers(level.entries, qty);
    trim(level);
  }

  /** Other traders trade: the quantity on one side at a price, with a taker of the other side. */
  trade(isBid: boolean, price: number, qty: number): void {
    const isBetter = (other: number): boolean => (isBid ? other > price : other < price);
    let reaching = qty;
    for (const level of this.side(isBid)) {
      if (!isBetter(level.price) || !holdsOurs(level)) continue;
      level.entries = level.entries.filter((entry) => entry.id !== null);
      level.displaced = 0;
      reaching -= this.#consume(level, reaching);
    }
    const level = this.level(isBid, price);
    if (holdsOurs(level)) level.displaced += qty - reaching + this.#consume(level, reaching);
    if (this.#isKnown) {
      level.recorded -= qty;
      level.takenByUs = Math.min(level.takenByUs, level.recorded);
      trim(level);
    }
    this.#clearUnlessOurs(level);
  }

  /** Consumes the queue from the front; returns our part. */
  #consume(level: Level, qty: number): number {
    let left = qty;
    let ours = 0;
    for (const entry of level.entries) {
      const consumed = Math.min(left, entry.qty);
      left -= consumed;
      entry.qty -= consumed;
      if (entry.id !== null) {
        ours += consumed;
        this.#recordFill(entry.id, consumed);
      }
    }
    this.#removeEmpty(level);
    return ours;
  }

  #removeEmpty(level: Level): void {
    level.entries = level.entries.filter((entry) => entry.qty > 0);
    this.#clearUnlessOurs(level);
  }

  #clearUnlessOurs(level: Level): void {
    if (holdsOurs(level)) return;
    level.entries = [];
    level.displaced = 0;
  }

  #recordFill(id: string, qty: number): void {
    if (qty > 0) this.filled.set(id, (this.filled.get(id) ?? 0) + qty);
  }

  /** Our orders take from a recorded level that has come to cross them. */
  #cross(level: Level): void {
    for (const own of this.side(!level.isBid)) {
      if (level.isBid ? own.price > level.price : own.price < level.price) continue;
      for (const entry of own.entries) {
        if (entry.id === null) continue;
        const qty = Math.min(entry.qty, level.recorded - level.takenByUs);
        entry.qty -= qty;
        this.#recordFill(entry.id, qty);
        this.#take(level, qty);
      }
      this.#removeEmpty(own);
    }
  }

  #take(level: Level, qty: number): void {
    level.takenByUs += qty;
    const key = `${level.isBid ? 'bid' : 'ask'} ${level.price}`;
    this.taken.set(key, (this.taken.get(key) ?? 0) + qty);
  }

  /** Places an order of ours; one that is refused changes nothing. */
  place(order: ReferenceOrder): void {
    if (this.refuses(order)) return;
    const { slices, ownIds, left } = this.#pathOf(order);
    if (this.#selfTrade === 'cancel-resting') for (const id of ownIds) this.cancel(id);
    for (const { level, qty } of slices) {
      this.#take(level, qty);
      consumeOthers(level.entries, qty);
    }
    const isCanceled = this.#selfTrade === 'cancel-incoming' && ownIds.length > 0;
    if (left > 0 && !isCanceled && (order.style === 'gtc' || order.style === 'post-only')) this.#join(order, left);
  }

  /** True when an order is refused because it would trade, or would not trade in full. */
  refuses(order: ReferenceOrder): boolean {
    const { slices, ownIds, left } = this.#pathOf(order);
    return order.style === 'post-only' ? slices.length > 0 || ownIds.length > 0 : order.style === 'fok' && left > 0;
  }

  /**
   * Level by level, best first: the quantity ahead of our first order, that order, the quantity ahead of our next, and
   * so on.
   */
  #pathOf({ side, price, qty }: ReferenceOrder): BookPath {
    const path: BookPath = { slices: [], ownIds: [], left: qty };
    for (const level of this.side(side === 'sell')) {
      if (path.left === 0 || (side === 'sell' ? level.price < price : level.price > price)) break;
      const available = this.#isKnown ? level.recorded - level.takenByUs : 0;
      let taken = 0;
      const takeUpTo = (most: number): void => {
        const slice = Math.max(0, Math.min(path.left, most - taken));
        taken += slice;
        path.left -= slice;
      };
      let isOver = false;
      for (const { id } of level.entries.filter((entry) => entry.id !== null)) {
        takeUpTo(Math.min(available, othersAhead(level, id)));
        if (path.left > 0 && id !== null) path.ownIds.push(id);
        isOver = path.left === 0 || this.#selfTrade === 'cancel-incoming';
        if (isOver) break;
      }
      if (!isOver) takeUpTo(available);
      if (taken > 0) path.slices.push({ level, qty: taken });
      if (isOver) break;
    }
    return path;
  }

  #join(order: ReferenceOrder, qty: number): void {
    const level = this.level(order.side === 'buy', order.price);
    const others = othersAhead(level, null);
    const ahead = holdsOurs(level) ? level.recorded + level.displaced - others : level.recorded - level.takenByUs;
    level.entries.push({ qty: this.#isKnown ? ahead : Number.POSITIVE_INFINITY, id: null });
    level.entries.push({ qty, id: order.id });
  }

  cancel(id: string): void {
    for (const level of this.#levels.values()) {
      level.entries = level.entries.filter((entry) => entry.id !== id);
      this.#clearUnlessOurs(level);
    }
  }

  decrease(id: string, qty: number): void {
    for (const level of this.#levels.values())
      for (const entry of level.entries) if (entry.id === id) entry.qty = Math.min(entry.qty, qty);
  }

  lose(): void {
    this.#isKnown = false;
  }

  /** Applies a snapshot of the given levels. */
  snapshot(recorded: (isBid: boolean, price: number) => number, prices: readonly number[]): void {
    this.#isKnown = true;
    for (const price of prices)
      for (const isBid of [true, false]) {
        const level = this.level(isBid, price);
        level.recorded = recorded(isBid, price);
        level.takenByUs = Math.min(level.takenByUs, level.recorded);
        trim(level);
      }
    for (const isBid of [false, true]) for (const level of this.side(isBid)) this.#cross(level);
  }

  /** Remaining quantity of a resting order; `null` when it does not rest. */
  leaves(id: string): number | null {
    return this.#entryOf(id)?.entry.qty ?? null;
  }

  priceOf(id: string): number | null {
    return this.#entryOf(id)?.level.price ?? null;
  }

  #entryOf(id: string): { level: Level; entry: Entry } | null {
    for (const level of this.#levels.values()) {
      const entry = level.entries.find((each) => each.id === id);
      if (entry !== undefined) return { level, entry };
    }
    return null;
  }

  /** Quantity of other traders ahead of an order of ours; `null` when it does not rest. */
  ahead(id: string): number | null {
    const found = this.#entryOf(id);
    return found === null ? null : othersAhead(found.level, id);
  }
}

const holdsOurs = (level: Level): boolean => level.entries.some((entry) => entry.id !== null);

function othersAhead(level: Level, id: string | null): number {
  let before = 0;
  for (const entry of level.entries) {
    if (entry.id !== null && entry.id === id) break;
    if (entry.id === null) before += entry.qty;
  }
  return before;
}

function consumeOthers(entries: readonly Entry[], qty: number): void {
  let left = qty;
  for (const entry of entries) {
    if (entry.id !== null) continue;
    const consumed = Math.min(left, entry.qty);
    left -= consumed;
    entry.qty -= consumed;
  }
}

/** Limits other traders' quantity to what the level holds: the last in the queue goes first. */
function trim(level: Level): void {
  let room = level.recorded + level.displaced;
  for (const entry of level.entries) {
    if (entry.id !== null) continue;
    entry.qty = Math.min(entry.qty, room);
    room -= entry.qty;
  }
}
