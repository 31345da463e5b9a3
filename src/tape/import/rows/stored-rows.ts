// Stores the rows of an import on disk until all files are read: a baked tape begins with the definitions of all
// markets. Reading rows again is much faster than reading the files again. Must never outlive the import, nor change a
// row.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { must } from '../../../base/assert.ts';
import type { BookDelta, Print } from '../../../domain/event.ts';
import type { TapeEvent } from '../../../domain/event-kinds.ts';
import type { MarketIndex, TickerTable, TradeId } from '../../../domain/ids.ts';
import { EPOCH, type Micros, type Price, type Qty } from '../../../domain/units.ts';
import { parseEventText } from '../../baked/event-text.ts';
import { openBakedFile } from '../../baked/baked-reader.ts';
import { NO_VENUE_TIME, type OtherEvent, type RowBlock, RowKind, type RowSource } from '../../baked/tape-rows.ts';
import { BakedWriter, type PrintRow } from '../../baked/baked-writer.ts';
import type { DeltaRun } from '../../baked/row-columns.ts';
import { renumberedEvent } from '../../tools/row-facts.ts';

const NOTHING_KNOWN = { source: '', venue: '', sourceHash: '' };

/** Receives the stored rows. Deltas come in runs. All arguments are valid only during the call. */
export interface RowReceiver {
  addEvent(event: Exclude<TapeEvent, BookDelta>): void;
  addDeltas(run: DeltaRun): void;
}

/** Stores rows and replays them. */
export class StoredRows {
  readonly #folder = mkdtempSync(join(tmpdir(), 'presage-import-'));
  readonly #path = join(this.#folder, 'rows.arrow');
  readonly #writer = new BakedWriter(this.#path, { hasLiveDefinitions: true, isDurable: false });

  get tickers(): TickerTable {
    return this.#writer.tickers;
  }

  addEvent(event: TapeEvent): void {
    switch (event.kind) {
      case 'book-delta':
        return this.#writer.writeDelta(event);
      case 'book-snapshot':
        return this.#writer.writeSnapshot(event);
      case 'print':
        return this.#writer.writePrint(event);
      case 'feed-gap':
      case 'book-poll':
      case 'ticker':
      case 'market':
      case 'market-changed':
      case 'event-group':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'markets-appeared':
      case 'exchange-status':
        return this.#writer.writeOther(event);
    }
  }

  addPrint(row: PrintRow): void {
    this.#writer.writePrint(row);
  }

  /**
   * Passes on all stored rows in sequence. A pause after each block lets the program handle a signal.
   * @param tickers Table of the receiver's market numbers.
   * @param progress Called after each block with the share of rows passed on. An error that it throws ends the replay.
   */
  async replayTo(tickers: TickerTable, receiver: RowReceiver, progress: (share: number) => void): Promise<void> {
    const { rows } = this.#writer.finish(NOTHING_KNOWN);
    const source = openBakedFile(this.#path);
    const decoder = new RowDecoder(source, tickers, receiver);
    let passedRows = 0;
    try {
      for (const block of source.readBlocks()) {
        decoder.decodeBlock(block);
        passedRows += block.count;
        await setImmediate();
        progress(passedRows / rows);
      }
    } finally {
      source.close();
    }
  }

  deleteFiles(): void {
    this.#writer.abandon();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

class RowDecoder {
  /** The receiver's number of each market. */
  readonly #numbers: readonly MarketIndex[];
  readonly #receiver: RowReceiver;
  readonly #bids: [Price, Qty][] = [];
  readonly #asks: [Price, Qty][] = [];
  /** Levels of the current snapshot that are still to come. */
  #levelsLeft = 0;
  #snapshotAt: Micros = EPOCH;
  #snapshotExchangeAt: Micros | null = null;

  constructor(source: RowSource, tickers: TickerTable, receiver: RowReceiver) {
    this.#numbers = source.tickers
      .tickersByIndex()
      .flatMap((name) => (name === undefined ? [] : [tickers.internTicker(name)]));
    this.#receiver = receiver;
  }

  decodeBlock(block: RowBlock): void {
    for (let row = 0; row < block.count;) {
      const to = endOfDeltas(block, row);
      if (to > row) this.#receiver.addDeltas({ block, from: row, to, numbers: this.#numbers });
      else this.#decodeRow(block, row);
      row = Math.max(to, row + 1);
    }
  }

  #decodeRow(block: RowBlock, row: number): void {
    // tidy: as (the writer took these kinds)
    const kind = block.kind[row] as RowKind;
    switch (kind) {
      // Runs of deltas are passed on whole, so no single delta comes here.
      case RowKind.bid:
      case RowKind.ask:
        return;
      case RowKind.buy:
      case RowKind.sell:
        return this.#receiver.addEvent(this.#printOf(block, row));
      case RowKind.other:
        return this.#receiver.addEvent(this.#renumbered(parseEventText(block.text(row))));
      case RowKind.snapshot:
      case RowKind.bidLevel:
      case RowKind.askLevel:
        return this.#decodeLevel(block, row);
    }
  }

  #printOf(block: RowBlock, row: number): Print {
    return {
      kind: 'print',
      at: (block.at[row] ?? 0) as Micros,
      exchangeAt: venueTimeOf(block.venueAt[row]),
      market: this.#numberOf(block.market[row]),
      side: block.kind[row] === RowKind.buy ? 'buy' : 'sell',
      price: (block.price[row] ?? 0) as Price,
      qty: (block.qty[row] ?? 0) as Qty,
      tradeId: block.text(row) as TradeId,
    };
  }

  /** Reads the head of a snapshot, or one of its levels. Passes the snapshot on after its last level. */
  #decodeLevel({ kind, at, venueAt, market, price, qty }: RowBlock, row: number): void {
    if (kind[row] === RowKind.snapshot) {
      this.#bids.length = 0;
      this.#asks.length = 0;
      this.#levelsLeft = qty[row] ?? 0;
      this.#snapshotAt = (at[row] ?? 0) as Micros;
      this.#snapshotExchangeAt = venueTimeOf(venueAt[row]);
    } else {
      const levels = kind[row] === RowKind.bidLevel ? this.#bids : this.#asks;
      levels.push([(price[row] ?? 0) as Price, (qty[row] ?? 0) as Qty]);
      this.#levelsLeft -= 1;
    }
    if (this.#levelsLeft > 0) return;
    this.#receiver.addEvent({
      kind: 'book-snapshot',
      at: this.#snapshotAt,
      exchangeAt: this.#snapshotExchangeAt,
      market: this.#numberOf(market[row]),
      bids: [...this.#bids],
      asks: [...this.#asks],
    });
  }

  #numberOf(market: number | undefined): MarketIndex {
    return this.#numbers[market ?? 0] ?? (0 as MarketIndex);
  }

  #renumbered(event: OtherEvent): OtherEvent {
    return must(
      renumberedEvent(event, (market) => this.#numberOf(market)),
      'a fact of stored markets',
    );
  }
}

/** Returns the first row at or after `from` that is not a delta. */
function endOfDeltas({ count, kind }: RowBlock, from: number): number {
  let row = from;
  while (row < count && (kind[row] === RowKind.bid || kind[row] === RowKind.ask)) row += 1;
  return row;
}

const venueTimeOf = (time: number | undefined): Micros | null =>
  time === undefined || time === NO_VENUE_TIME ? null : (time as Micros);
