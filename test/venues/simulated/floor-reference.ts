// A reference fill simulator by brute force: every level with an order of ours is a list of others' and our quantities,
// first come first. It receives the true events (a trade or a cancellation), not a tape's rows of them. Slow and plain.
import type { Side } from '../../../src/domain/order.ts';
import type { FloorOptions } from '../../../src/venues/simulated/ports.ts';

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
  spent: number;
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
interface Way {
  readonly bites: { readonly level: Level; readonly qty: number }[];
  /** Orders of ours that it meets. */
  readonly met: string[];
  left: number;
}

/** The place in the queue that cancellations come from: behind us as long as there is quantity, or ahead of us. */
export type Withdrawals = 'from the back' | 'from the front';

export class ReferenceFloor {
  readonly #levels = new Map<string, Level>();
  readonly filled = new Map<string, number>();
  /** Quantity that we took from each level, by its key. */
  readonly taken = new Map<string, number>();
  readonly #withdrawals: Withdrawals;
  readonly #selfTrade: FloorOptions['selfTrade'];
  #isKnown = true;

  constructor(withdrawals: Withdrawals = 'from the back', selfTrade: FloorOptions['selfTrade'] = 'cancel-incoming') {
    this.#withdrawals = withdrawals;
    this.#selfTrade = selfTrade;
  }

  level(isBid: boolean, price: number): Level {
    const key = `${isBid ? 'bid' : 'ask'} ${price}`;
    const known = this.#levels.get(key);
    if (known !== undefined) return known;
    const level: Level = { isBid, price, recorded: 0, spent: 0, displaced: 0, entries: [] };
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

  withdraw(isBid: boolean, price: number, qty: number): void {
    if (!this.#isKnown) return;
    const level = this.level(isBid, price);
    level.recorded -= qty;
    level.spent = Math.min(level.spent, level.recorded);
    if (this.#withdrawals === 'from the front') eatStrangers(level.entries, qty);
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
      reaching -= this.#eat(level, reaching);
    }
    const level = this.level(isBid, price);
    if (holdsOurs(level)) level.displaced += qty - reaching + this.#eat(level, reaching);
    if (this.#isKnown) {
      level.recorded -= qty;
      level.spent = Math.min(level.spent, level.recorded);
      trim(level);
    }
    this.#forgetUnless(level);
  }

  /** Consumes the queue from the front; returns our part. */
  #eat(level: Level, qty: number): number {
    let left = qty;
    let ours = 0;
    for (const entry of level.entries) {
      const eaten = Math.min(left, entry.qty);
      left -= eaten;
      entry.qty -= eaten;
      if (entry.id !== null) {
        ours += eaten;
        this.#note(entry.id, eaten);
      }
    }
    this.#sweep(level);
    return ours;
  }

  #sweep(level: Level): void {
    level.entries = level.entries.filter((entry) => entry.qty > 0);
    this.#forgetUnless(level);
  }

  #forgetUnless(level: Level): void {
    if (holdsOurs(level)) return;
    level.entries = [];
    level.displaced = 0;
  }

  #note(id: string, qty: number): void {
    if (qty > 0) this.filled.set(id, (this.filled.get(id) ?? 0) + qty);
  }

  /** Our orders take from a recorded level that has come to cross them. */
  #cross(level: Level): void {
    for (const own of this.side(!level.isBid)) {
      if (level.isBid ? own.price > level.price : own.price < level.price) continue;
      for (const entry of own.entries) {
        if (entry.id === null) continue;
        const qty = Math.min(entry.qty, level.recorded - level.spent);
        entry.qty -= qty;
        this.#note(entry.id, qty);
        this.#spend(level, qty);
      }
      this.#sweep(own);
    }
  }

  #spend(level: Level, qty: number): void {
    level.spent += qty;
    const key = `${level.isBid ? 'bid' : 'ask'} ${level.price}`;
    this.taken.set(key, (this.taken.get(key) ?? 0) + qty);
  }

  /** Places an order of ours; one that is refused changes nothing. */
  place(order: ReferenceOrder): void {
    if (this.refuses(order)) return;
    const { bites, met, left } = this.#way(order);
    if (this.#selfTrade === 'cancel-resting') for (const id of met) this.cancel(id);
    for (const { level, qty } of bites) {
      this.#spend(level, qty);
      eatStrangers(level.entries, qty);
    }
    const yields = this.#selfTrade === 'cancel-incoming' && met.length > 0;
    if (left > 0 && !yields && (order.style === 'gtc' || order.style === 'post-only')) this.#join(order, left);
  }

  /** True when an order is refused because it would trade, or would not trade in full. */
  refuses(order: ReferenceOrder): boolean {
    const { bites, met, left } = this.#way(order);
    return order.style === 'post-only' ? bites.length > 0 || met.length > 0 : order.style === 'fok' && left > 0;
  }

  /**
   * Level by level, best first: the quantity ahead of our first order, that order, the quantity ahead of our next, and
   * so on.
   */
  #way({ side, price, qty }: ReferenceOrder): Way {
    const way: Way = { bites: [], met: [], left: qty };
    for (const level of this.side(side === 'sell')) {
      if (way.left === 0 || (side === 'sell' ? level.price < price : level.price > price)) break;
      const available = this.#isKnown ? level.recorded - level.spent : 0;
      let taken = 0;
      const takeUpTo = (most: number): void => {
        const bite = Math.max(0, Math.min(way.left, most - taken));
        taken += bite;
        way.left -= bite;
      };
      let isOver = false;
      for (const { id } of level.entries.filter((entry) => entry.id !== null)) {
        takeUpTo(Math.min(available, strangersBefore(level, id)));
        if (way.left > 0 && id !== null) way.met.push(id);
        isOver = way.left === 0 || this.#selfTrade === 'cancel-incoming';
        if (isOver) break;
      }
      if (!isOver) takeUpTo(available);
      if (taken > 0) way.bites.push({ level, qty: taken });
      if (isOver) break;
    }
    return way;
  }

  #join(order: ReferenceOrder, qty: number): void {
    const level = this.level(order.side === 'buy', order.price);
    const strangers = strangersBefore(level, null);
    const standing = holdsOurs(level) ? level.recorded + level.displaced - strangers : level.recorded - level.spent;
    level.entries.push({ qty: this.#isKnown ? standing : Number.POSITIVE_INFINITY, id: null });
    level.entries.push({ qty, id: order.id });
  }

  cancel(id: string): void {
    for (const level of this.#levels.values()) {
      level.entries = level.entries.filter((entry) => entry.id !== id);
      this.#forgetUnless(level);
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
        level.spent = Math.min(level.spent, level.recorded);
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
    return found === null ? null : strangersBefore(found.level, id);
  }
}

const holdsOurs = (level: Level): boolean => level.entries.some((entry) => entry.id !== null);

function strangersBefore(level: Level, id: string | null): number {
  let before = 0;
  for (const entry of level.entries) {
    if (entry.id !== null && entry.id === id) break;
    if (entry.id === null) before += entry.qty;
  }
  return before;
}

function eatStrangers(entries: readonly Entry[], qty: number): void {
  let left = qty;
  for (const entry of entries) {
    if (entry.id !== null) continue;
    const eaten = Math.min(left, entry.qty);
    left -= eaten;
    entry.qty -= eaten;
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
