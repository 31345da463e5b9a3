// Writes rows to a baked file, a block at a time, both for bakes and for imports. Must never let a row go back in time,
// write a result before it was published, or leave half a file behind.
import { countedNote } from './counted-notes.ts';
import { crc32 } from 'node:zlib';
import type { BookDelta, BookSnapshot, Levels, Print } from '../../domain/event.ts';
import { type MarketIndex, TickerTable, ticker as tickerNamed } from '../../domain/ids.ts';
import { EPOCH, type Micros, micros } from '../../domain/units.ts';
import { ArrowFile } from './arrow-file.ts';
import { RowColumns } from './row-columns.ts';
import { BAKER_VERSION, type BlockEntry, METADATA_KEY, bodyLayout, metadataText } from './baked-format.ts';
import { eventText } from './event-text.ts';
import { readBlock } from './baked-reader.ts';
import { asKnownAt } from './market-results.ts';
import {
  BLOCK_ROWS,
  type OtherEvent,
  ReusedBlockMemory,
  type RowBlock,
  RowKind,
  type TapeFacts,
  type TapeGap,
} from './tape-rows.ts';

/** A change of a level. `at` is the time of receipt, `exchangeAt` the venue's time of the change. */
export type DeltaRow = Pick<BookDelta, 'at' | 'exchangeAt' | 'market' | 'side' | 'price' | 'change'>;
/** A print. `tradeId` is empty when the source has none. */
export type PrintRow = Pick<Print, 'at' | 'exchangeAt' | 'market' | 'side' | 'price' | 'qty'> & {
  readonly tradeId: string;
};
/** A whole book. */
export type SnapshotRow = Pick<BookSnapshot, 'at' | 'exchangeAt' | 'market' | 'bids' | 'asks'>;

/** Origin of a tape. */
export interface TapeOrigin {
  /** The profile of a recording or journal, or the imported format. */
  readonly source: string;
  readonly venue: string;
  /** SHA-256 of the source, in hexadecimal. */
  readonly sourceHash: string;
  /**
   * First moment of the recording, by default the time of the first row. `to` is the last moment, by default the time
   * of the last row.
   */
  readonly from?: Micros;
  readonly to?: Micros;
}

/**
 * Takes rows in the sequence in which they became known, and writes them to a baked file:
 *
 *     const rows = new BakedWriter('trades.arrow');
 *     try {
 *       const market = rows.marketNumber('RAIN-26NOV21');       // the tape's own number of a ticker
 *       rows.writeOther({ kind: 'market', at, market: … });     // the market's definition, before its first row
 *       rows.writeSnapshot({ at, exchangeAt, market, bids, asks });
 *       rows.writeDelta({ at, exchangeAt, market, side: 'bid', price, change });
 *       rows.writePrint({ at, exchangeAt, market, side: 'buy', price, qty, tradeId: '' });
 *       rows.writeGap({ from, to, reason: 'the file begins again', tickers: [] });
 *       rows.addAssumption('Times are taken for US/Pacific.');
 *       const facts = rows.finish({ source: 'trades-csv', venue: 'kalshi', sourceHash });
 *     } catch (fault) {
 *       rows.abandon();
 *       throw fault;
 *     }
 *
 * Prices are on the YES scale for both sides. A row that is earlier than the previous row gets the previous row's time,
 * and the facts count such rows. Unless `hasLiveDefinitions` is set, a market's result is removed from definitions that
 * could not know it yet.
 */
export interface RowWriter {
  /** Market numbers used in the rows. A normalizer may use this table for its own numbers. */
  readonly tickers: TickerTable;
  /** Time of the last row; `null` before any row. */
  readonly lastAt: Micros | null;
  /** Returns the tape's number of a market, and gives a new market its number. */
  marketNumber(ticker: string): MarketIndex;
  writeDelta(row: DeltaRow): void;
  writePrint(row: PrintRow): void;
  writeSnapshot(row: SnapshotRow): void;
  writeOther(event: OtherEvent): void;
  /**
   * Inserts events between the rows so far, each before the first row that is not earlier. Events after the last row
   * follow it. Each call copies the file: insert all events at once.
   * @param events sorted by time.
   */
  insertEvents(events: readonly OtherEvent[]): void;
  /** Writes rows that come before all rows so far. Each must be at or before the first row so far. */
  writeToFront(write: () => void): void;
  /**
   * Lists a gap in the tape's facts, and writes a `feed-gap` row, which makes the gap's books suspect. The row's time
   * is the gap's beginning, but never before the last row.
   */
  writeGap(gap: TapeGap): void;
  /** Lists a gap whose row has been written already. */
  listGap(gap: TapeGap): void;
  /** Adds an assumption, in a whole sentence. A repeated sentence counts once. */
  addAssumption(sentence: string): void;
  /** Finishes the file and gives it its name. */
  finish(origin: TapeOrigin): TapeFacts;
  /** Deletes the unfinished file. */
  abandon(): void;
}

export interface BakedWriterOptions {
  /**
   * True: the venue sent market definitions at the times of their rows, as in recordings. False: definitions were
   * gathered later, and everything that was unknown at the time is removed. Default false.
   */
  readonly hasLiveDefinitions?: boolean;
  /** True: the file must survive a crash of the machine, which slows its end. Default true. */
  readonly isDurable?: boolean;
  /** Refuses to replace a file that has the name when this one is complete. Default: false. */
  readonly isNew?: boolean;
  /** Rows of a block; set only by tests. */
  readonly blockRows?: number;
}

/** The time before the first row. */
const NEVER = Number.MIN_SAFE_INTEGER;

/** Writes one baked file. Every method may throw a `BakedFault` when the disk refuses the data. */
export class BakedWriter implements RowWriter {
  readonly tickers = new TickerTable();
  readonly #hasLiveDefinitions: boolean;
  readonly #isDurable: boolean;
  readonly #isNew: boolean;
  readonly #path: string;
  #file: ArrowFile;
  readonly #columns: RowColumns;
  readonly #blocks: BlockEntry[] = [];
  readonly #gaps: TapeGap[] = [];
  readonly #assumptions = new Set<string>();
  readonly #others = new Map<string, number>();
  #deltas = 0;
  #prints = 0;
  #snapshots = 0;
  #levels = 0;
  #lastAt: number = NEVER;
  /**
   * Rows that were given a later time. `#hiddenResults` counts definitions from which a result or a later status was
   * removed.
   */
  #earlyRows = 0;
  #hiddenResults = 0;

  /** @throws {BakedFault} when the file cannot be created. */
  constructor(path: string, options: BakedWriterOptions = {}) {
    const { blockRows = BLOCK_ROWS, hasLiveDefinitions = false, isDurable = true, isNew = false } = options;
    this.#hasLiveDefinitions = hasLiveDefinitions;
    this.#isDurable = isDurable;
    this.#isNew = isNew;
    this.#path = path;
    this.#file = new ArrowFile(path, isNew);
    this.#columns = new RowColumns(blockRows);
  }

  get lastAt(): Micros | null {
    return this.#lastAt === NEVER ? null : micros(this.#lastAt);
  }

  marketNumber(ticker: string): MarketIndex {
    return this.tickers.internTicker(tickerNamed(ticker));
  }

  writeDelta({ at, exchangeAt, market, side, price, change }: DeltaRow): void {
    const row = this.#beginRow(side === 'bid' ? RowKind.bid : RowKind.ask, at, exchangeAt);
    const columns = this.#columns;
    columns.market[row] = market;
    columns.price[row] = price;
    columns.qty[row] = change;
    this.#deltas += 1;
  }

  writePrint({ at, exchangeAt, market, side, price, qty, tradeId }: PrintRow): void {
    const row = this.#beginRow(side === 'buy' ? RowKind.buy : RowKind.sell, at, exchangeAt);
    const columns = this.#columns;
    columns.market[row] = market;
    columns.price[row] = price;
    columns.qty[row] = qty;
    columns.setText(tradeId);
    this.#prints += 1;
  }

  /** A snapshot that fits into one block is kept within one block. */
  writeSnapshot({ at, exchangeAt, market, bids, asks }: SnapshotRow): void {
    const columns = this.#columns;
    const count = bids.length + asks.length;
    if (columns.count + count >= columns.capacity) this.#flush();
    const row = this.#beginRow(RowKind.snapshot, at, exchangeAt);
    columns.market[row] = market;
    columns.price[row] = 0;
    columns.qty[row] = count;
    this.#levelsOf(RowKind.bidLevel, bids, { at, exchangeAt, market });
    this.#levelsOf(RowKind.askLevel, asks, { at, exchangeAt, market });
    this.#snapshots += 1;
    this.#levels += count;
  }

  #levelsOf(
    kind: RowKind,
    levels: Levels,
    { at, exchangeAt, market }: Pick<SnapshotRow, 'at' | 'exchangeAt' | 'market'>,
  ): void {
    const columns = this.#columns;
    // An early snapshot is counted once, not for each level.
    const levelAt = at < this.#lastAt ? micros(this.#lastAt) : at;
    for (const [price, qty] of levels) {
      const row = this.#beginRow(kind, levelAt, exchangeAt);
      columns.market[row] = market;
      columns.price[row] = price;
      columns.qty[row] = qty;
    }
  }

  writeOther(event: OtherEvent): void {
    const known = this.#withoutFuture(event);
    const exchangeAt = 'exchangeAt' in known ? known.exchangeAt : null;
    const row = this.#beginRow(RowKind.other, known.at, exchangeAt);
    const columns = this.#columns;
    columns.market[row] = 0;
    columns.price[row] = 0;
    columns.qty[row] = 0;
    const at = (columns.at[row] ?? known.at) as Micros;
    columns.setText(eventText(at === known.at ? known : { ...known, at }));
    this.#others.set(known.kind, (this.#others.get(known.kind) ?? 0) + 1);
  }

  #withoutFuture(event: OtherEvent): OtherEvent {
    if (this.#hasLiveDefinitions || event.kind !== 'market') return event;
    const market = asKnownAt(event.market, event.at);
    if (market === event.market) return event;
    this.#hiddenResults += 1;
    return { ...event, market };
  }

  #beginRow(kind: RowKind, at: number, exchangeAt: number | null): number {
    const columns = this.#columns;
    if (columns.isFull) this.#flush();
    if (at >= this.#lastAt) this.#lastAt = at;
    else this.#earlyRows += 1;
    return columns.addRow(kind, this.#lastAt, exchangeAt);
  }

  insertEvents(events: readonly OtherEvent[]): void {
    this.#flush();
    const { lastAt } = this;
    const between = events.filter(({ at }) => lastAt !== null && at <= lastAt);
    if (between.length > 0) this.#rewriteWith(between);
    for (const event of events.slice(between.length)) this.writeOther(event);
  }

  /** Writes the file once more with events between the rows. Blocks without any of them are copied as they are. */
  #rewriteWith(events: readonly OtherEvent[]): void {
    const [old, lastAt] = [this.#file, this.#lastAt];
    const source = old.openForReading();
    const memory = new ReusedBlockMemory();
    try {
      this.#file = new ArrowFile(this.#path, this.#isNew);
      let next = 0;
      for (const [number, entry] of this.#blocks.splice(0).entries()) {
        const from = next;
        while ((events[next]?.at ?? Infinity) <= entry.to) next += 1;
        if (next > from) this.#writeBlockWith(readBlock(source, entry, memory), events.slice(from, next));
        else this.#blocks.push({ ...entry, bodyAt: this.#file.copyBlock(old, source, number).at });
      }
    } finally {
      source.close();
      if (this.#file !== old) old.abandon();
    }
    this.#lastAt = lastAt;
  }

  /** Writes the rows of a block as several blocks, each but the last with events at its end. */
  #writeBlockWith(block: RowBlock, events: readonly OtherEvent[]): void {
    let row = 0;
    for (const event of events) {
      const from = row;
      while ((block.at[row] ?? Infinity) < event.at) row += 1;
      if (row > from) this.#flush();
      this.#columns.addRows(block, from, row);
      this.#lastAt = event.at;
      this.writeOther(event);
    }
    this.#flush();
    this.#columns.addRows(block, row, block.count);
    this.#flush();
  }

  writeToFront(write: () => void): void {
    this.#flush();
    const countBefore = this.#blocks.length;
    const lastAt = this.#lastAt;
    this.#lastAt = NEVER;
    write();
    this.#flush();
    this.#lastAt = Math.max(lastAt, this.#lastAt);
    const first = this.#blocks.splice(countBefore);
    this.#blocks.unshift(...first);
    this.#file.moveToFront(first.length);
  }

  writeGap(gap: TapeGap): void {
    const markets = gap.tickers.map((name) => this.marketNumber(name));
    const at = micros(Math.max(gap.from, this.#lastAt));
    this.writeOther({ kind: 'feed-gap', at, markets, reason: gap.reason });
    this.listGap(gap);
  }

  listGap(gap: TapeGap): void {
    this.#gaps.push(gap);
  }

  addAssumption(sentence: string): void {
    this.#assumptions.add(sentence);
  }

  #flush(): void {
    const columns = this.#columns;
    const { count: rows, texts } = columns;
    if (rows === 0) return;
    const { at, bytes } = this.#file.writeBlock(columns.toRecordBatch());
    const numbers = bytes.subarray(0, bodyLayout(rows).text);
    this.#blocks.push({
      rows,
      from: columns.at[0] ?? 0,
      to: columns.at[rows - 1] ?? 0,
      bodyAt: at,
      bodyBytes: bytes.length,
      texts,
      numbersSum: crc32(numbers),
      textsSum: crc32(bytes.subarray(numbers.length)),
    });
    columns.clear();
  }

  finish(origin: TapeOrigin): TapeFacts {
    this.#flush();
    const facts = this.#factsOf(origin);
    const tickers = this.tickers.tickersByIndex().filter((name) => name !== undefined);
    const notes = metadataText({ facts, tickers, blocks: this.#blocks });
    this.#file.finish(new Map([[METADATA_KEY, notes]]), this.#isDurable);
    return facts;
  }

  #factsOf({ source, venue, sourceHash, from, to }: TapeOrigin): TapeFacts {
    if (this.#earlyRows > 0) this.addAssumption(countedNote('earlyRows', { counts: [this.#earlyRows] }));
    if (this.#hiddenResults > 0) this.addAssumption(countedNote('hiddenResults', { counts: [this.#hiddenResults] }));
    const first = micros(this.#blocks[0]?.from ?? EPOCH);
    const last = this.lastAt ?? first;
    return {
      source,
      venue,
      from: from ?? first,
      to: to ?? last,
      rows: this.#blocks.reduce((sum, { rows }) => sum + rows, 0),
      counts: this.#counts(),
      gaps: this.#gaps.toSorted((a, b) => a.from - b.from || a.to - b.to),
      assumptions: [...this.#assumptions],
      sourceHash,
      bakerVersion: BAKER_VERSION,
    };
  }

  #counts(): Record<string, number> {
    const rows = { delta: this.#deltas, print: this.#prints, snapshot: this.#snapshots, level: this.#levels };
    const others = [...this.#others].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...rows, ...Object.fromEntries(others) };
  }

  abandon(): void {
    this.#file.abandon();
  }
}
