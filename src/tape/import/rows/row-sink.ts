// Passes the rows of an import to the writer, tracks unknown books, and adds the results at the end. Must never let an
// event of an account onto the tape.
import type { TapeEvent } from '../../../domain/event-kinds.ts';
import type { TickerTable } from '../../../domain/ids.ts';
import { GapTracker } from '../../baked/gap-tracker.ts';
import type { OtherEvent } from '../../baked/tape-rows.ts';
import type { PrintRow, RowWriter } from '../../baked/baked-writer.ts';

/** Passes rows to the writer. */
export class RowSink {
  readonly #writer: RowWriter;
  readonly #coverage: GapTracker;

  constructor(writer: RowWriter) {
    this.#writer = writer;
    this.#coverage = new GapTracker(writer);
  }

  /** Table of the market numbers in the rows. */
  get tickers(): TickerTable {
    return this.#writer.tickers;
  }

  addEvent(event: TapeEvent): void {
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
    this.#writer.writePrint(row);
  }

  /**
   * Ends the rows, and inserts the results between them. Results after the last row follow it: a gap before them makes
   * all books unknown.
   * @param results sorted by time.
   */
  finish(results: readonly OtherEvent[]): void {
    const at = this.#writer.lastAt;
    if (at === null) return;
    this.#coverage.endGaps(at);
    const between = results.filter((event) => event.at <= at);
    const after = results.slice(between.length);
    this.#writer.insertEvents(between);
    const last = after.at(-1);
    if (last === undefined) return;
    this.#writer.writeGap({ from: at, to: last.at, reason: 'the files end here', tickers: [] });
    for (const event of after) this.#writer.writeOther(event);
  }
}
