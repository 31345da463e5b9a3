// A tape in memory, built one row at a time, for generated data. Must never be used for a long tape.
import type { BookSide, Levels } from '../src/domain/event.ts';
import { type MarketIndex, TickerTable } from '../src/domain/ids.ts';
import type { Side } from '../src/domain/orders/order.ts';
import { EPOCH, type Micros, type Price, type Qty } from '../src/domain/units.ts';
import { eventText } from '../src/tape/baked/event-text.ts';
import {
  BLOCK_ROWS,
  NO_VENUE_TIME,
  type OtherEvent,
  type RowBlock,
  RowKind,
  type RowSource,
  type TapeFacts,
  type TapeGap,
} from '../src/tape/baked/tape-rows.ts';

/** Time of learning, and time at the venue. */
export interface RowTimes {
  readonly at: Micros;
  readonly venueAt?: Micros;
}

interface Row {
  readonly kind: RowKind;
  readonly at: number;
  readonly venueAt: number;
  readonly market: number;
  readonly price: number;
  readonly qty: number;
  readonly text: string;
}

const NO_NUMBERS = { market: 0, price: 0, qty: 0, text: '' } as const;

export class MemoryRows implements RowSource {
  readonly tickers: TickerTable;
  readonly #rows: Row[] = [];
  readonly #gaps: TapeGap[] = [];
  readonly #blockRows: number;

  /** @param blockRows number of rows per block. */
  constructor(tickers: TickerTable = new TickerTable(), blockRows = BLOCK_ROWS) {
    this.tickers = tickers;
    this.#blockRows = blockRows;
  }

  #addRow(kind: RowKind, { at, venueAt = NO_VENUE_TIME as Micros }: RowTimes, rest: Partial<Row>): this {
    this.#rows.push({ ...NO_NUMBERS, kind, at, venueAt, ...rest });
    return this;
  }

  addDelta(
    times: RowTimes,
    change: { readonly market: MarketIndex; readonly side: BookSide; readonly price: Price; readonly change: Qty },
  ): this {
    const { market, side, price, change: qty } = change;
    return this.#addRow(side === 'bid' ? RowKind.bid : RowKind.ask, times, { market, price, qty });
  }

  /** `side` is the taker's. */
  addPrint(
    times: RowTimes,
    trade: { readonly market: MarketIndex; readonly side: Side; readonly price: Price; readonly qty: Qty },
  ): this {
    const { market, side, price, qty } = trade;
    const text = `T${this.#rows.length}`;
    return this.#addRow(side === 'buy' ? RowKind.buy : RowKind.sell, times, { market, price, qty, text });
  }

  addSnapshot(
    times: RowTimes,
    market: MarketIndex,
    { bids, asks }: { readonly bids: Levels; readonly asks: Levels },
  ): this {
    this.#addRow(RowKind.snapshot, times, { market, qty: bids.length + asks.length });
    for (const [price, qty] of bids) this.#addRow(RowKind.bidLevel, times, { market, price, qty });
    for (const [price, qty] of asks) this.#addRow(RowKind.askLevel, times, { market, price, qty });
    return this;
  }

  addEvent(event: OtherEvent, venueAt?: Micros): this {
    const times = venueAt === undefined ? { at: event.at } : { at: event.at, venueAt };
    return this.#addRow(RowKind.other, times, { text: eventText(event) });
  }

  addGap(gap: TapeGap): this {
    this.#gaps.push(gap);
    return this;
  }

  get facts(): TapeFacts {
    const rows = this.#rows;
    return {
      source: 'memory',
      venue: 'memory',
      from: (rows[0]?.at ?? EPOCH) as Micros,
      to: (rows.at(-1)?.at ?? EPOCH) as Micros,
      rows: rows.length,
      counts: {},
      gaps: this.#gaps,
      assumptions: [],
      sourceHash: '',
      bakerVersion: 0,
    };
  }

  *readBlocks({ from = -Infinity, to = Infinity }: { from?: number; to?: number } = {}): Generator<RowBlock> {
    const rows = this.#rows.filter(({ at }) => at >= from && at < to);
    for (let start = 0; start < rows.length; start += this.#blockRows)
      yield blockOf(rows.slice(start, start + this.#blockRows));
  }

  close(): void {}
}

function blockOf(rows: readonly Row[]): RowBlock {
  return {
    count: rows.length,
    kind: Uint8Array.from(rows, ({ kind }) => kind),
    at: Float64Array.from(rows, ({ at }) => at),
    venueAt: Float64Array.from(rows, ({ venueAt }) => venueAt),
    market: Int32Array.from(rows, ({ market }) => market),
    price: Int32Array.from(rows, ({ price }) => price),
    qty: Float64Array.from(rows, ({ qty }) => qty),
    text: (row) => rows[row]?.text ?? '',
  };
}
