// The bot's side of a run: shows the engine the tape's rows, each when it arrives, and only those that it asked for.
// The hot path: one record of a change and one of a trade, filled in anew for every row. Must never show a row that has
// not passed at the venue.
import type { Command } from '../src/domain/command.ts';
import type { BookDelta, BookSide, EngineEvent, Print } from '../src/domain/event.ts';
import { type MarketIndex, tradeId } from '../src/domain/ids.ts';
import { EPOCH, type Micros, type Price, type Qty } from '../src/domain/units.ts';
import { type Engine, STILL } from '../src/engine.ts';
import { eventOf } from '../src/tape/baked/event-text.ts';
import { type OtherEvent, NOT_TOLD, RowKind } from '../src/tape/baked/rows.ts';
import { marketOf } from '../src/tape/row-facts.ts';
import type { SimulatedVenue } from '../src/venues/simulated/ports.ts';
import { TELLING } from '../src/venues/simulated/streamed.ts';
import { TAPE_STREAM } from './feed-line.ts';
import type { RowCursor } from './row-cursor.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Of this file: what is imported is looked up at every use, which a hot loop feels. */
const UNTOLD: number = NOT_TOLD;
const UNMOVED = STILL;

/** The side that a row of each kind changes, if any, looked up: which it is cannot be foreseen, and a branch would be. */
const SIDES: readonly (BookSide | undefined)[] = Object.values(RowKind).map((kind) =>
  kind === RowKind.bid ? 'bid' : kind === RowKind.ask ? 'ask' : undefined,
);
/** The same for others: what is exported is looked up at every use as well. */
export const SIDE_OF_KIND = SIDES;

/** Takes events: those of rows are borrowed. */
export interface RowTaker {
  /** What every change of a level is told itself: they are too many to be passed on. */
  readonly engine: Pick<Engine, 'stepDelta'>;
  /** Somebody traded. */
  trade(print: Print): void;
  /** Anything else happened. */
  tell(event: EngineEvent): void;
}

/** Which markets' rows reach the bot. */
export type Streaming = Pick<SimulatedVenue, 'streamedFrom' | 'allStreamedFrom'>;

/** Where the bot is on the tape. */
export class BotSide {
  readonly cursor: RowCursor;
  /** How many changes of levels were told. */
  told = 0;
  /** The row of the cursor's block that is being told at this moment, beyond where the cursor stands; -1 for none. */
  telling = -1;
  readonly #venue: Streaming;
  readonly #taker: RowTaker;
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

  constructor(venue: Streaming, cursor: RowCursor, taker: RowTaker) {
    this.#venue = venue;
    this.cursor = cursor;
    this.#taker = taker;
    this.passLevels = this.#levelPasser();
  }

  /** The bot's time. It is that of the change that is told last: a time that is put in two places costs twice. */
  get now(): Micros {
    return this.#delta.at;
  }

  set now(at: Micros) {
    this.#delta.at = at;
  }

  /**
   * Rows up to one of this block arrive, each so long after a time of its own, as far as they change levels, and until one
   * does not leave all as it was: what the engine says to that one is returned, for what is seldom done must not be in the
   * way of what every row does. The cursor comes after all of them: no row is looked at that is not told.
   */
  readonly passLevels: (to: number, column: 'time' | 'at', delay: number) => readonly Command[];

  /** All that every row uses is captured, which compiled code can rely on. */
  #levelPasser(): BotSide['passLevels'] {
    const { cursor } = this;
    const venue = this.#venue;
    const delta = this.#delta;
    const { stepDelta } = this.#taker.engine;
    return (to, column, delay) => {
      const { kind, market: markets, price, qty, venueAt, time, isTold } = cursor;
      const times = cursor[column];
      const { streamedFrom, allStreamedFrom } = venue;
      // What the venue does comes between two stretches of rows, and times do not go back.
      const isEachStreamed = (time[cursor.row] ?? 0) > allStreamedFrom;
      // Found out here, so that no row need find it out again: whether times were told, and that a delay is a number.
      const toldAt = isTold ? venueAt : null;
      const late = Math.max(0, delay);
      delta.exchangeAt = null;
      const begin = cursor.row;
      let row = begin;
      let untold = 0;
      let commands = UNMOVED;
      for (; row < to && commands === UNMOVED; row++) {
        const side = SIDES[kind[row] ?? 0];
        if (side === undefined) break;
        const arrival = (times[row] ?? 0) + late;
        if (arrival > delta.at) delta.at = arrival as Micros;
        const market = (markets[row] ?? 0) as MarketIndex;
        if (!isEachStreamed && (time[row] ?? 0) <= (streamedFrom[market] ?? Number.POSITIVE_INFINITY)) {
          untold += 1;
          continue;
        }
        if (toldAt !== null) delta.exchangeAt = toldAt[row] === UNTOLD ? null : ((time[row] ?? 0) as Micros);
        delta.market = market;
        delta.side = side;
        delta.price = (price[row] ?? 0) as Price;
        delta.change = (qty[row] ?? 0) as Qty;
        this.telling = row;
        commands = stepDelta(delta);
      }
      this.telling = -1;
      this.told += row - begin - untold;
      if (row > begin) cursor.goTo(row);
      return commands;
    };
  }

  /** The next row arrives, now. Returns what the engine says to it, where that is a change of a level. */
  passRow(): readonly Command[] {
    const { cursor, now: at } = this;
    const { row, rowKind: kind } = cursor;
    if (kind === RowKind.bid || kind === RowKind.ask) return this.passLevels(row + 1, 'time', 0);
    this.#passOther(kind, at);
    return UNMOVED;
  }

  #passOther(kind: RowKind, at: Micros): void {
    const { cursor } = this;
    const { block, row, venueTime } = cursor;
    const exchangeAt = cursor.venueAt[row] === NOT_TOLD ? null : (venueTime as Micros);
    const market = cursor.market[row] as MarketIndex;
    const isStreamed = venueTime > (this.#venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
    switch (kind) {
      case RowKind.buy:
      case RowKind.sell:
        if (isStreamed) this.#passPrint(kind, at, exchangeAt);
        return cursor.next();
      case RowKind.snapshot: {
        const levels = cursor.takeSnapshot();
        if (!isStreamed) return;
        return this.#taker.tell({ kind: 'book-snapshot', at, exchangeAt, market, ...levels, stream: TAPE_STREAM });
      }
      case RowKind.other: {
        const event = eventOf(block.text(row));
        cursor.next();
        if (this.#isStreamed(event, venueTime)) this.#taker.tell({ ...event, at });
        return;
      }
      default:
        return cursor.next();
    }
  }

  #passPrint(kind: RowKind, at: Micros, exchangeAt: Micros | null): void {
    const { cursor } = this;
    const { block, row } = cursor;
    const print = this.#print;
    print.at = at;
    print.exchangeAt = exchangeAt;
    print.market = cursor.market[row] as MarketIndex;
    // Some sources name no trade; its row does.
    print.tradeId = tradeId(block.text(row) || `row-${cursor.passed}`);
    print.side = kind === RowKind.buy ? 'buy' : 'sell';
    print.price = cursor.price[row] as Price;
    print.qty = cursor.qty[row] as Qty;
    this.#taker.trade(print);
  }

  #isStreamed(event: OtherEvent, venueTime: number): boolean {
    const telling = TELLING[event.kind];
    const market = telling === 'followed' ? marketOf({ kind: 'other', row: event }) : null;
    if (market === null) return telling === 'streamed';
    return venueTime > (this.#venue.streamedFrom[market] ?? Number.POSITIVE_INFINITY);
  }
}
