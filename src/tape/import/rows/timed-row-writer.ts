// Passes rows to the writer, inserts later events between them, and tracks unknown books. Must never let an event of an
// account onto the tape.
import type { TapeEvent } from '../../../domain/event-kinds.ts';
import type { TickerTable } from '../../../domain/ids.ts';
import { GapTracker } from '../../baked/gap-tracker.ts';
import type { OtherEvent } from '../../baked/tape-rows.ts';
import type { PrintRow, RowWriter } from '../../baked/baked-writer.ts';
import type { DeltaRun } from '../../baked/row-columns.ts';
import type { RowReceiver } from './stored-rows.ts';

/** Passes rows to the writer, and inserts the given events between them, each at its time. */
export class TimedRowWriter implements RowReceiver {
  readonly #writer: RowWriter;
  readonly #later: readonly OtherEvent[];
  readonly #coverage: GapTracker;
  #next = 0;

  /** @param later Events to insert between the rows, sorted by time. */
  constructor(writer: RowWriter, later: readonly OtherEvent[]) {
    this.#writer = writer;
    this.#later = later;
    this.#coverage = new GapTracker(writer);
  }

  get tickers(): TickerTable {
    return this.#writer.tickers;
  }

  addEvent(event: TapeEvent): void {
    if (this.#next < this.#later.length) this.#writeLaterUntil(event.at);
    switch (event.kind) {
      case 'book-delta':
        return this.#writer.writeDelta(event);
      case 'book-snapshot':
        this.#coverage.onSnapshot(event.market, event.at);
        return this.#writer.writeSnapshot(event);
      case 'print':
        return this.#writer.writePrint(event);
      case 'feed-gap':
        return this.#coverage.addSuspectBooks(event.at, event.markets, event.reason);
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
    this.#writeLaterUntil(row.at);
    this.#writer.writePrint(row);
  }

  addDeltas({ block, from, to, numbers }: DeltaRun): void {
    const { at } = block;
    for (let row = from; row < to;) {
      this.#writeLaterUntil(at[row] ?? 0);
      const due = this.#later[this.#next]?.at ?? Infinity;
      let end = due === Infinity ? to : row + 1;
      while (end < to && (at[end] ?? 0) < due) end += 1;
      this.#writer.writeDeltas({ block, from: row, to: end, numbers });
      row = end;
    }
  }

  #writeLaterUntil(at: number): void {
    const later = this.#later;
    for (let event = later[this.#next]; event !== undefined && event.at <= at; event = later[this.#next]) {
      this.#writer.writeOther(event);
      this.#next += 1;
    }
  }

  /** Writes the given events that are later than the last row. A gap before them makes all books unknown. */
  finish(): void {
    const last = this.#later.at(-1);
    const at = this.#writer.lastAt;
    if (at !== null) this.#coverage.endGaps(at);
    if (last === undefined || at === null || this.#next >= this.#later.length) return;
    this.#writer.writeGap({ from: at, to: last.at, reason: 'the files end here', tickers: [] });
    this.#writeLaterUntil(last.at);
  }
}
