// Delivers the tape's rows to the engine, each when it arrives, and only those of subscribed markets. Must never
// deliver a row that has not passed at the venue. The hot path: every delta is made in the same object.
import type { Command } from '../src/domain/venue-command.ts';
import type { BookDelta, BookSide, EngineEvent, Print } from '../src/domain/event.ts';
import { type MarketIndex, tradeId } from '../src/domain/ids.ts';
import { EPOCH, type Micros, type Price, type Qty } from '../src/domain/units.ts';
import { type Engine, IDLE_STEP } from '../src/engine.ts';
import { parseEventText } from '../src/tape/baked/event-text.ts';
import { type OtherEvent, NO_VENUE_TIME, RowKind } from '../src/tape/baked/tape-rows.ts';
import { marketOfFact } from '../src/tape/tools/row-facts.ts';
import type { SimulatedVenue } from '../src/venues/simulated/simulator-interfaces.ts';
import { EVENT_DELIVERY } from '../src/venues/simulated/feed/event-delivery.ts';
import { TAPE_STREAM } from './private-feed.ts';
import type { RowCursor } from './row-cursor.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type NoDelta = Exclude<RowKind, typeof RowKind.bid | typeof RowKind.ask>;

/** Local copies: V8 does not constant-fold imported bindings. */
const NO_TIME: number = NO_VENUE_TIME;
const NO_COMMANDS = IDLE_STEP;

/** The side that a row of each kind changes, if any. A table, because a branch on the kind would be mispredicted. */
const SIDES: readonly (BookSide | undefined)[] = Object.values(RowKind).map((kind) =>
  kind === RowKind.bid ? 'bid' : kind === RowKind.ask ? 'ask' : undefined,
);
/** The same table for other files. V8 does not constant-fold exported bindings either. */
export const SIDE_OF_KIND = SIDES;

/** Receives events. An event made from a row is valid only during the call. */
export interface EventReceiver {
  /** Receives every delta directly: there are too many deltas to forward each one. */
  readonly engine: Pick<Engine, 'stepDelta'>;
  onPrint(print: Print): void;
  onEvent(event: EngineEvent): void;
}

/** The times from which the rows of each market reach the bot. */
export type StreamingTimes = Pick<SimulatedVenue, 'streamedFrom' | 'allStreamedFrom'>;

/** The place that the bot has reached on the tape. */
export class BotSide {
  readonly cursor: RowCursor;
  deliveredDeltas = 0;
  /** Row of the cursor's block that is being delivered now, or -1. */
  deliveringRow = -1;
  readonly #venue: StreamingTimes;
  readonly #receiver: EventReceiver;
  readonly #delta: BookDelta = {
    kind: 'book-delta',
    at: EPOCH,
    exchangeAt: null,
    market: 0 as MarketIndex,
    side: 'bid',
    price: 0 as Price,
    change: 0 as Qty,
    stream: TAPE_STREAM,
  };
  readonly #print: Mutable<Print> = {
    kind: 'print',
    at: EPOCH,
    exchangeAt: null,
    market: 0 as MarketIndex,
    tradeId: tradeId('-'),
    side: 'buy',
    price: 0 as Price,
    qty: 0 as Qty,
  };

  constructor(venue: StreamingTimes, cursor: RowCursor, receiver: EventReceiver) {
    this.#venue = venue;
    this.cursor = cursor;
    this.#receiver = receiver;
    this.deliverDeltas = this.#makeDeliverDeltas();
  }

  /** Stored in the reused delta: a second copy would cost a write per row. */
  get now(): Micros {
    return this.#delta.at;
  }

  set now(at: Micros) {
    this.#delta.at = at;
  }

  /**
   * Delivers deltas of the block from the cursor up to row `to`, each `delay` after the time in `column`. Skips markets
   * that the bot does not receive yet. Stops at a row of another kind, or after the first delta with commands from the
   * engine, and returns these commands. The cursor moves once, at the end.
   */
  readonly deliverDeltas: (to: number, column: 'time' | 'at', delay: number) => readonly Command[];

  /** Compiled code can rely on captured values: everything that each row uses is captured. */
  #makeDeliverDeltas(): BotSide['deliverDeltas'] {
    const { cursor } = this;
    const venue = this.#venue;
    const delta = this.#delta;
    const { stepDelta } = this.#receiver.engine;
    return (to, column, delay) => {
      const { kind, market: markets, price, qty, venueAt, time, hasVenueTimes } = cursor;
      const times = cursor[column];
      const { streamedFrom, allStreamedFrom } = venue;
      // Times do not decrease. After the first row later than this time, all rows are.
      const isEachStreamed = (time[cursor.row] ?? 0) > allStreamedFrom;
      const venueTimes = hasVenueTimes ? venueAt : null;
      const delayMin = Math.max(0, delay);
      delta.exchangeAt = null;
      const firstRow = cursor.row;
      let row = firstRow;
      let skipped = 0;
      let commands = NO_COMMANDS;
      for (; row < to && commands === NO_COMMANDS; row++) {
        const side = SIDES[kind[row] ?? 0];
        if (side === undefined) break;
        const arrival = (times[row] ?? 0) + delayMin;
        if (arrival > delta.at) delta.at = arrival as Micros;
        const market = (markets[row] ?? 0) as MarketIndex;
        if (!isEachStreamed && (time[row] ?? 0) <= (streamedFrom[market] ?? Number.POSITIVE_INFINITY)) {
          skipped += 1;
          continue;
        }
        if (venueTimes !== null) delta.exchangeAt = venueTimes[row] === NO_TIME ? null : ((time[row] ?? 0) as Micros);
        delta.market = market;
        delta.side = side;
        delta.price = (price[row] ?? 0) as Price;
        delta.change = (qty[row] ?? 0) as Qty;
        this.deliveringRow = row;
        commands = stepDelta(delta);
      }
      this.deliveringRow = -1;
      this.deliveredDeltas += row - firstRow - skipped;
      if (row > firstRow) cursor.moveTo(row);
      return commands;
    };
  }

  /** Delivers the next row now. Returns the engine's commands for a delta. */
  deliverRow(): readonly Command[] {
    const { cursor, now: at } = this;
    const { row, rowKind: kind } = cursor;
    if (kind === RowKind.bid || kind === RowKind.ask) return this.deliverDeltas(row + 1, 'time', 0);
    this.#deliverOther(kind, at);
    return NO_COMMANDS;
  }

  #deliverOther(kind: NoDelta, at: Micros): void {
    const { cursor } = this;
    const { block, row, venueTime } = cursor;
    const exchangeAt = cursor.venueAt[row] === NO_VENUE_TIME ? null : (venueTime as Micros);
    const market = cursor.market[row] as MarketIndex;
    const isStreamed = venueTime > (this.#venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
    switch (kind) {
      case RowKind.buy:
      case RowKind.sell:
        if (isStreamed) this.#deliverPrint(kind, at, exchangeAt);
        return cursor.nextRow();
      case RowKind.snapshot: {
        const levels = cursor.readSnapshot();
        if (!isStreamed) return;
        return this.#receiver.onEvent({
          kind: 'book-snapshot',
          at,
          exchangeAt,
          market,
          ...levels,
          stream: TAPE_STREAM,
        });
      }
      case RowKind.other: {
        const event = parseEventText(block.text(row));
        cursor.nextRow();
        if (this.#isStreamed(event, venueTime)) this.#receiver.onEvent({ ...event, at });
        return;
      }
      // A snapshot is read with its levels. A level alone is skipped.
      case RowKind.bidLevel:
      case RowKind.askLevel:
        return cursor.nextRow();
    }
  }

  #deliverPrint(kind: RowKind, at: Micros, exchangeAt: Micros | null): void {
    const { cursor } = this;
    const { block, row } = cursor;
    const print = this.#print;
    print.at = at;
    print.exchangeAt = exchangeAt;
    print.market = cursor.market[row] as MarketIndex;
    // Some sources do not name trades. The row's number then serves as the name.
    print.tradeId = tradeId(block.text(row) || `row-${cursor.passed}`);
    print.side = kind === RowKind.buy ? 'buy' : 'sell';
    print.price = cursor.price[row] as Price;
    print.qty = cursor.qty[row] as Qty;
    this.#receiver.onPrint(print);
  }

  #isStreamed(event: OtherEvent, venueTime: number): boolean {
    const delivery = EVENT_DELIVERY[event.kind];
    const market = delivery === 'followed' ? marketOfFact({ kind: 'other', row: event }) : null;
    if (market === null) return delivery === 'streamed';
    return venueTime > (this.#venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
  }
}
