// The halves of trades of one level that wait for their counterparts, oldest first. A ring whose entries are used again:
// on a busy level halves come and go with every change of it. Must never keep more than the latest thousand.

/** The most halves that wait. Beyond it, the oldest waits no longer. */
const WAITING_MAX = 1000;
/** Room of a new ring. Most levels of ours see few halves before our order leaves. */
const ROOM_MIN = 2;

/** An advance of an order in the queue, by a decrease that may prove to be a trade. */
export interface Advance<Order> {
  readonly order: Order;
  qty: number;
}

/** A decrease that waits for its print, or a print that waits for its decrease. Valid until it is removed. */
export interface WaitingHalf<Order> {
  /** Time, in microseconds. */
  at: number;
  /** The quantity without a counterpart so far. */
  qty: number;
  /** For a decrease: how far it moved each order. `null` when it moved none. */
  advances: Advance<Order>[] | null;
}

export class WaitingHalves<Order> {
  /** Those that wait are the `#count` entries from `#first` on, and go on at the start of the array. */
  #ring: WaitingHalf<Order>[] = [];
  #first = 0;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The half that came last. */
  get newest(): WaitingHalf<Order> | undefined {
    return this.#count === 0 ? undefined : this.#ring[this.#placeOf(this.#count - 1)];
  }

  add(qty: number, at: number): void {
    if (this.#count === WAITING_MAX) this.#removeOldest();
    if (this.#count === this.#ring.length) this.#makeRoom();
    const half = this.#ring[this.#placeOf(this.#count)];
    this.#count += 1;
    if (half === undefined) return;
    half.at = at;
    half.qty = qty;
    half.advances = null;
  }

  removeNewest(): void {
    this.#count -= 1;
  }

  /** Removes all that came before a time. */
  removeBefore(time: number): void {
    for (let oldest = this.#ring[this.#first]; this.#count > 0 && oldest !== undefined && oldest.at < time;) {
      this.#removeOldest();
      oldest = this.#ring[this.#first];
    }
  }

  removeAll(): void {
    this.#count = 0;
  }

  forEach(act: (half: WaitingHalf<Order>) => void): void {
    for (let number = 0; number < this.#count; number++) {
      const half = this.#ring[this.#placeOf(number)];
      if (half !== undefined) act(half);
    }
  }

  #removeOldest(): void {
    this.#first = this.#placeOf(1);
    this.#count -= 1;
  }

  #placeOf(number: number): number {
    const place = this.#first + number;
    return place < this.#ring.length ? place : place - this.#ring.length;
  }

  /** Doubles the room, and puts the oldest first. */
  #makeRoom(): void {
    const ring = [...this.#ring.slice(this.#first), ...this.#ring.slice(0, this.#first)];
    const room = Math.min(WAITING_MAX, Math.max(ROOM_MIN, 2 * ring.length));
    while (ring.length < room) ring.push({ at: 0, qty: 0, advances: null });
    this.#ring = ring;
    this.#first = 0;
  }
}
