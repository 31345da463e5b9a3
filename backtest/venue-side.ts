// The venue's side of a run: passes the tape's rows to the simulated venue, each at the venue's time.
// The hot path: nothing is allocated for a row that changes a level. Must never look beyond the row that passes.
import type { BookDelta, Print } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../src/domain/units.ts';
import { eventOf } from '../src/tape/baked/event-text.ts';
import { type OtherEvent, RowKind } from '../src/tape/baked/rows.ts';
import type { SimulatedVenue } from '../src/venues/simulated/ports.ts';
import type { RowCursor } from './row-cursor.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Takes when it became known what a market is worth: at the venue, and to the recorder. */
export type OnDetermined = (market: MarketIndex, venueAt: Micros, learnedAt: Micros) => void;

/** Where the venue is on the tape. */
export class VenueSide {
  readonly venue: SimulatedVenue;
  readonly cursor: RowCursor;
  /** When something happens at the venue by the clock alone; infinite for never. */
  wakeAt = Number.POSITIVE_INFINITY;
  readonly #onDetermined: OnDetermined;
  /** How many rows lay behind when the tape had told each market's book last. */
  readonly #begunAt: number[] = [];
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

  /** How many rows lay behind when the tape had last told a market's book; infinite where it never has. */
  begunAt(market: MarketIndex): number {
    return this.#begunAt[market] ?? Number.POSITIVE_INFINITY;
  }

  /** The next row passes. Returns whether it was neither a change of a level nor a trade. */
  passRow(): boolean {
    const { cursor, venue } = this;
    const { row, rowKind: kind } = cursor;
    venue.now = cursor.venueTime as Micros;
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

  /** Rows up to one of this block pass, as far as they concern nothing of ours: without a word of the venue's. */
  passQuiet(to: number): void {
    const { cursor, venue } = this;
    const reached = venue.floor.quietDeltas(cursor, cursor.row, to);
    if (reached === cursor.row) return;
    venue.now = (cursor.time[reached - 1] ?? 0) as Micros;
    cursor.goTo(reached);
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
        this.#begunAt[market] = cursor.passed;
        venue.floor.snapshot(market, bids, asks);
        return true;
      }
      case RowKind.other: {
        const event = eventOf(block.text(row));
        cursor.next();
        this.#passFact(event);
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

  #passFact(event: OtherEvent): void {
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
