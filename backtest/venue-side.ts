// The venue's side of a run: passes the tape's rows to the simulated venue, each at the venue's time.
// The hot path: nothing is allocated for a row that changes a level. Must never look beyond the row that passes.
import type { BookDelta, Print } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../src/domain/units.ts';
import { eventOf } from '../src/tape/baked/event-text.ts';
import { type OtherEvent, NOT_TOLD, RowKind } from '../src/tape/baked/rows.ts';
import type { OtherPublicEvent, SimulatedVenue } from '../src/venues/simulated/ports.ts';
import type { RowCursor } from './row-cursor.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Takes when it became known what a market is worth: at the venue, and to the recorder. */
export type OnDetermined = (market: MarketIndex, venueAt: Micros, learnedAt: Micros) => void;

/** Rows that are looked at together: seldom do more of them in a row concern nothing of ours. */
const AT_ONCE = 32;

/** Where the venue is on the tape. */
export class VenueSide {
  readonly venue: SimulatedVenue;
  readonly cursor: RowCursor;
  /** How late the recorder learned of the last row of which the venue told the time; below 0 before there is one. */
  late = -1;
  /** When something happens at the venue by the clock alone; infinite for never. */
  wakeAt = Number.POSITIVE_INFINITY;
  readonly #onDetermined: OnDetermined;
  readonly #change: Mutable<Pick<BookDelta, 'market' | 'side' | 'price' | 'change'>> = {
    market: 0 as MarketIndex,
    side: 'bid',
    price: 0 as Price,
    change: 0 as Qty,
  };
  readonly #trade: Mutable<Pick<Print, 'market' | 'side' | 'price' | 'qty'>> = {
    market: 0 as MarketIndex,
    side: 'buy',
    price: 0 as Price,
    qty: 0 as Qty,
  };

  constructor(venue: SimulatedVenue, cursor: RowCursor, onDetermined: OnDetermined) {
    this.venue = venue;
    this.cursor = cursor;
    this.#onDetermined = onDetermined;
  }

  /** The next row passes. Returns whether it was other than a change of a level or a trade. */
  passRow(): boolean {
    const { cursor, venue } = this;
    const { row, rowKind: kind } = cursor;
    venue.now = cursor.venueTime as Micros;
    if (cursor.venueAt[row] !== NOT_TOLD) this.late = cursor.learnedAt - cursor.venueTime;
    if (kind !== RowKind.bid && kind !== RowKind.ask) return this.#passOther(kind);
    const change = this.#change;
    change.market = cursor.market[row] as MarketIndex;
    change.side = kind === RowKind.bid ? 'bid' : 'ask';
    change.price = cursor.price[row] as Price;
    change.change = cursor.qty[row] as Qty;
    // First: what it makes happen sets out after it.
    cursor.next();
    venue.floor.delta(change);
    return false;
  }

  /** Rows that concern nothing of ours pass, as many as happened by a time, and so many at the most. Returns how many. */
  passQuiet(until: number, most: number): number {
    const { cursor, venue } = this;
    const { row } = cursor;
    const to = cursor.rowAfter(until, most < AT_ONCE ? most : AT_ONCE);
    const reached = venue.floor.quietDeltas(cursor, row, to);
    if (reached === row) return 0;
    cursor.skipTo(reached);
    venue.now = cursor.venueTime as Micros;
    if (cursor.skippedLate >= 0) this.late = cursor.skippedLate;
    cursor.next();
    return reached - row;
  }

  #passOther(kind: RowKind): boolean {
    const { cursor, venue } = this;
    const { block, row } = cursor;
    const market = cursor.market[row] as MarketIndex;
    switch (kind) {
      case RowKind.buy:
      case RowKind.sell:
        this.#passPrint(kind);
        return false;
      case RowKind.snapshot: {
        const { bids, asks } = cursor.takeSnapshot();
        venue.floor.snapshot(market, bids, asks);
        return true;
      }
      case RowKind.other: {
        const event = eventOf(block.text(row));
        cursor.next();
        if (isPublic(event)) this.#passFact(event);
        return true;
      }
      default:
        cursor.next();
        return true;
    }
  }

  #passPrint(kind: RowKind): void {
    const { cursor, venue } = this;
    const { row } = cursor;
    const trade = this.#trade;
    trade.market = cursor.market[row] as MarketIndex;
    trade.side = kind === RowKind.buy ? 'buy' : 'sell';
    trade.price = cursor.price[row] as Price;
    trade.qty = cursor.qty[row] as Qty;
    cursor.next();
    venue.floor.print(trade);
  }

  #passFact(event: OtherPublicEvent): void {
    const { venue } = this;
    venue.fact(event);
    this.look();
    if (event.kind === 'market' && event.market.result !== null)
      this.#onDetermined(event.market.index, venue.now, event.at);
    if (event.kind === 'market-changed' && (event.result ?? null) !== null)
      this.#onDetermined(event.market, venue.now, event.at);
  }

  /** The venue's clock comes to a time. */
  passTime(at: number): void {
    const { venue } = this;
    if (at > venue.now) venue.now = at as Micros;
    venue.pass();
    this.look();
    // What is still due has been looked at.
    if (this.wakeAt <= at) this.wakeAt = at + 1;
  }

  /** Asks when something happens next by the clock alone. */
  look(): void {
    this.wakeAt = this.venue.wakeAt() ?? Number.POSITIVE_INFINITY;
  }
}

const PUBLIC: ReadonlySet<string> = new Set<OtherPublicEvent['kind']>([
  'market',
  'market-changed',
  'event-group',
  'series',
  'fees-changed',
  'markets-appeared',
  'exchange-status',
  'ticker',
  'feed-gap',
  'book-poll',
]);

const isPublic = (event: OtherEvent): event is OtherPublicEvent => PUBLIC.has(event.kind);
