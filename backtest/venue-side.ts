// Passes the tape's rows to the simulated venue, each at the venue's time. Must never look beyond the rows that pass.
// The hot path: nothing is allocated for a delta.
import type { BookDelta, Print } from '../src/domain/event.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../src/domain/units.ts';
import { statedMarketOf } from '../src/tape/baked/stated-market.ts';
import { parseEventText } from '../src/tape/baked/event-text.ts';
import { type OtherEvent, RowKind } from '../src/tape/baked/tape-rows.ts';
import type { SimulatedVenue } from '../src/venues/simulated/simulator-interfaces.ts';
import type { RowCursor } from './row-cursor.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type NoDelta = Exclude<RowKind, typeof RowKind.bid | typeof RowKind.ask>;

/** Receives the times at which a market's outcome became known: at the venue, and to the recorder. */
export type OnOutcome = (market: MarketIndex, venueAt: Micros, learnedAt: Micros) => void;

/** The place that the venue has reached on the tape. */
export class VenueSide {
  readonly venue: SimulatedVenue;
  readonly cursor: RowCursor;
  /** The next time at which the venue acts by the clock alone, or infinity. */
  wakeAt = Number.POSITIVE_INFINITY;
  readonly #onDetermined: OnOutcome;
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

  constructor(venue: SimulatedVenue, cursor: RowCursor, onDetermined: OnOutcome) {
    this.venue = venue;
    this.cursor = cursor;
    this.#onDetermined = onDetermined;
  }

  /** Number of rows passed at a market's last snapshot; infinite without one. */
  rowsAtSnapshot(market: MarketIndex): number {
    return this.#begunAt[market] ?? Number.POSITIVE_INFINITY;
  }

  /** Passes the next row. Returns true when it is neither a delta nor a print. */
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
    // The cursor moves first: any event that the row causes then leaves after the row.
    cursor.nextRow();
    venue.matching.applyDelta(change);
    return false;
  }

  /** Passes rows of this block up to `to`, as long as they cannot concern our orders. */
  passUnaffected(to: number): void {
    const { cursor, venue } = this;
    const reached = venue.matching.applyDeltaBatch(cursor, cursor.row, to);
    if (reached === cursor.row) return;
    venue.now = (cursor.time[reached - 1] ?? 0) as Micros;
    cursor.moveTo(reached);
  }

  #passOther(kind: NoDelta): boolean {
    const { cursor, venue } = this;
    const { block, row } = cursor;
    const market = cursor.market[row] as MarketIndex;
    switch (kind) {
      case RowKind.buy:
      case RowKind.sell:
        this.#passPrint(kind);
        return false;
      case RowKind.snapshot: {
        const { bids, asks } = cursor.readSnapshot();
        this.#begunAt[market] = cursor.passed;
        venue.matching.applySnapshot(market, bids, asks);
        return true;
      }
      case RowKind.other: {
        const event = parseEventText(block.text(row));
        cursor.nextRow();
        this.#passFact(event);
        return true;
      }
      // A snapshot is read with its levels. A level alone is skipped.
      case RowKind.bidLevel:
      case RowKind.askLevel:
        cursor.nextRow();
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
    cursor.nextRow();
    venue.matching.applyPrint(trade);
  }

  #passFact(event: OtherEvent): void {
    const { venue } = this;
    venue.applyTapeEvent(event);
    this.updateWakeAt();
    const stated = statedMarketOf(event);
    if (stated !== null && (stated.stated.result ?? null) !== null)
      this.#onDetermined(stated.market, venue.now, event.at);
  }

  /** Moves the venue's clock to a time, and handles everything that is due by then. */
  advanceClock(at: number): void {
    const { venue } = this;
    if (at > venue.now) venue.now = at as Micros;
    venue.runDue();
    this.updateWakeAt();
    // Everything due by `at` has been handled: the venue must not wake for it again.
    if (this.wakeAt <= at) this.wakeAt = at + 1;
  }

  updateWakeAt(): void {
    this.wakeAt = this.venue.wakeAt() ?? Number.POSITIVE_INFINITY;
  }
}
