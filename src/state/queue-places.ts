// What stands before our resting orders at their price: everything that was there when they came, less what prints have
// taken since, and never more than the level holds; or what the venue says. Must never say too little of what was told:
// withdrawals count as from behind us, and a print that may be older than our order moves nothing.
import type { BookSide, Print, QueuePositions } from '../domain/event.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type Order, isFinished, leavesQty } from '../domain/order.ts';
import { EPOCH, type Micros, NO_QTY, type Price, type Qty, addQty, subtractQty } from '../domain/units.ts';
import type { Books } from './books.ts';
import type { ClockOffset } from './clock-offset.ts';
import type { Orders } from './orders.ts';

/** How a figure is known. */
export type QueueSource = 'venue' | 'reckoned';

/** What stands before an order of ours, in hundredths of a contract, at most. */
export interface QueuePlace {
  readonly aheadQty: Qty;
  readonly source: QueueSource;
}

/** The parts of the state that it looks at. */
interface Seen {
  readonly books: Books;
  readonly orders: Orders;
  readonly clock: ClockOffset;
  readonly now: Micros;
}

interface Place {
  readonly price: Price;
  aheadQty: Qty;
  source: QueueSource;
  /** Prints after this time of the venue's are after what is known here. */
  since: Micros;
  /** By how much it has moved up because the level held no more, and when last: a print may yet tell why. */
  lent: Qty;
  lentAt: Micros;
}

/** A print that does not say when it was may be so much older than its arrival. Microseconds. */
const UNTIMED = 1_000_000;
/** A print may be told so long after the level that it made less. Microseconds. */
const EXPLAINS = 1_000_000;

/** The places of our resting orders in their queues. */
export class QueuePlaces {
  readonly #seen: Seen;
  readonly #byOrder = new Map<ClientOrderId, Place>();

  constructor(seen: Seen) {
    this.#seen = seen;
  }

  /** An order moved along its life: it has come to rest, or has ended. */
  changed(order: Order): void {
    if (isFinished(order.state)) this.#byOrder.delete(order.clientOrderId);
    else if (order.state === 'working' && !this.#byOrder.has(order.clientOrderId)) this.#join(order);
  }

  #join(order: Order): Place | null {
    const { price, clientOrderId: id } = order;
    const most = this.#mostBefore(order);
    if (most === null) return null;
    return this.#keep(id, { price, aheadQty: most, source: 'reckoned' });
  }

  /** Takes a figure as it is known now. */
  #keep(id: ClientOrderId, { price, aheadQty, source }: Pick<Place, 'price' | 'aheadQty' | 'source'>): Place {
    const since = this.#latestVenueTime();
    const place: Place = { price, aheadQty, source, since, lent: NO_QTY, lentAt: EPOCH };
    this.#byOrder.set(id, place);
    return place;
  }

  /** What the venue's clock cannot be past by now. */
  #latestVenueTime(): Micros {
    const { clock, now } = this.#seen;
    const known = clock.estimate(now);
    return known === null ? now : ((now - known.offset + known.bound) as Micros);
  }

  /** Everything at its level, and our own older orders there, which a book need not show; `null` while the book is not known. */
  #mostBefore(order: Order): Qty | null {
    const { books, orders } = this.#seen;
    const { market, price } = order;
    if (!books.isLive(market)) return null;
    let most = books.qtyAt(market, sideOf(order), price);
    for (const other of orders.openIn(market)) {
      if (other === order) break;
      if (other.side === order.side && other.price === price && RESTS.has(other.state))
        most = addQty(most, leavesQty(other));
    }
    return most;
  }

  /** Somebody traded: who stood before us at the price has traded first. */
  print({ market, side, price, qty, exchangeAt, at }: Print): void {
    const open = this.#seen.orders.openIn(market);
    if (open.length === 0) return;
    const tradedAt = exchangeAt ?? at - UNTIMED;
    for (const order of open) {
      if (order.side === side || order.price !== price) continue;
      const place = this.#byOrder.get(order.clientOrderId);
      if (place?.price !== price || tradedAt <= place.since || place.aheadQty === 0) continue;
      this.#moveUp(place, qty);
    }
  }

  /** So much was traded. What the level has lost of late for no reason that was told may have been that very trade. */
  #moveUp(place: Place, traded: Qty): void {
    const lent = this.#lentTo(place);
    const explained = traded < lent ? traded : lent;
    place.lent = subtractQty(lent, explained);
    const taken = subtractQty(traded, explained);
    place.aheadQty = taken < place.aheadQty ? subtractQty(place.aheadQty, taken) : NO_QTY;
    place.source = 'reckoned';
  }

  #lentTo({ lent, lentAt }: Place): Qty {
    return this.#seen.now > lentAt + EXPLAINS ? NO_QTY : lent;
  }

  /** The venue has said what stands before orders of ours: later prints count from there. */
  told({ rows }: QueuePositions): void {
    for (const { venueOrderId, aheadQty } of rows) {
      const order = this.#seen.orders.byVenueId(venueOrderId);
      if (!order || !RESTS.has(order.state)) continue;
      this.#keep(order.clientOrderId, { price: order.price, aheadQty, source: 'venue' });
    }
  }

  /** What stands before an order; `null` when it does not rest, or its book was not known since it came. */
  of(order: Order): QueuePlace | null {
    if (!RESTS.has(order.state)) return null;
    const known = this.#byOrder.get(order.clientOrderId);
    // At another price it stands behind everybody.
    const place = known?.price === order.price ? known : this.#join(order);
    if (place === null) return null;
    const most = this.#mostBefore(order);
    if (most === null || most >= place.aheadQty) return place;
    place.lent = addQty(this.#lentTo(place), subtractQty(place.aheadQty, most));
    place.lentAt = this.#seen.now;
    place.aheadQty = most;
    place.source = 'reckoned';
    return place;
  }

  /** How many orders something is remembered of. */
  get size(): number {
    return this.#byOrder.size;
  }
}

/** States in which an order is known to rest. */
const RESTS: ReadonlySet<Order['state']> = new Set(['working', 'pending-cancel', 'pending-amend']);

const sideOf = ({ side }: Order): BookSide => (side === 'buy' ? 'bid' : 'ask');
