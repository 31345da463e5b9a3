// Passes rows to the writer, inserts the events that become known between them, and tracks unknown books. Must never
// let an event of an account onto the tape.
import type { EngineEvent } from '../../domain/event.ts';
import { isOf } from '../../domain/event-kinds.ts';
import type { TickerTable } from '../../domain/ids.ts';
import { Coverage } from '../baked/coverage.ts';
import type { OtherEvent } from '../baked/rows.ts';
import type { DeltaRun, PrintRow, RowWriter } from '../baked/writer.ts';
import type { RowTaker } from './staged-rows.ts';

/** Passes rows to the writer, with the later events between them. */
export class ToldRows implements RowTaker {
  readonly #writer: RowWriter;
  readonly #later: readonly OtherEvent[];
  readonly #coverage: Coverage;
  #next = 0;

  /** @param later Events to insert between the rows, sorted by time. */
  constructor(writer: RowWriter, later: readonly OtherEvent[]) {
    this.#writer = writer;
    this.#later = later;
    this.#coverage = new Coverage(writer);
  }

  get tickers(): TickerTable {
    return this.#writer.tickers;
  }

  take(event: EngineEvent): void {
    if (this.#next < this.#later.length) this.#writeLaterUntil(event.at);
    switch (event.kind) {
      case 'book-delta':
        return this.#writer.delta(event);
      case 'book-snapshot':
        this.#coverage.know(event.market, event.at);
        return this.#writer.snapshot(event);
      case 'print':
        return this.#writer.print(event);
      case 'feed-gap':
        return this.#coverage.doubt(event.at, event.markets, event.reason);
      default:
        if (isOf(event, 'fact')) this.#writer.other(event);
    }
  }

  print(row: PrintRow): void {
    this.#writeLaterUntil(row.at);
    this.#writer.print(row);
  }

  /** Writes many deltas at once, split where a later event is due. */
  changes({ block, from, to, numbers }: DeltaRun): void {
    const { at } = block;
    for (let row = from; row < to;) {
      this.#writeLaterUntil(at[row] ?? 0);
      const due = this.#later[this.#next]?.at ?? Infinity;
      let end = due === Infinity ? to : row + 1;
      while (end < to && (at[end] ?? 0) < due) end += 1;
      this.#writer.deltas({ block, from: row, to: end, numbers });
      row = end;
    }
  }

  #writeLaterUntil(at: number): void {
    const later = this.#later;
    for (let event = later[this.#next]; event !== undefined && event.at <= at; event = later[this.#next]) {
      this.#writer.other(event);
      this.#next += 1;
    }
  }

  /** Writes the events after the last row. All books are unknown by then. */
  end(): void {
    const last = this.#later.at(-1);
    const at = this.#writer.lastAt;
    if (at !== null) this.#coverage.end(at);
    if (last === undefined || at === null || this.#next >= this.#later.length) return;
    this.#writer.gap({ from: at, to: last.at, reason: 'the files end here', tickers: [] });
    this.#writeLaterUntil(last.at);
  }
}
