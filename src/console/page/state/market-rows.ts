// Rows of the table of markets. The stream keeps some rows live. Others are read while a person scrolls. Must never
// show an old row as live.
import { signal } from '@preact/signals';
import type { MarketRow, MarketsPage } from '../../api/api-schemas.ts';
import { readMarkets } from './api-calls.ts';

const BLOCK = 100;
/** Age at which a row is dropped, unless the stream keeps it live. Milliseconds. */
const KEPT_MS = 3000;
/** Least time between two reads. Milliseconds. */
const PAUSE_MS = 120;

/** Sorting and filter of the table. */
export interface TableQuery {
  readonly sort: string;
  readonly q: string;
  readonly ours: boolean;
}

interface KeptRow {
  readonly row: MarketRow;
  readonly readAt: number;
}

/** Rows of one query, by their place in the table. */
export class MarketRows {
  /** Grows with each change of the rows. */
  readonly version = signal(0);
  /** Number of rows of the whole table; `null` before the first answer. */
  readonly total = signal<number | null>(null);
  readonly #bot: string;
  readonly #query: TableQuery;
  readonly #rows = new Map<number, KeptRow>();
  /** Places of the rows that the stream keeps live. */
  #live = { from: 0, to: 0 };
  /** First place of the next read; `null` when nothing is missing. */
  #wanted: number | null = null;
  #reading: AbortController | null = null;
  #timer = 0;

  constructor(bot: string, query: TableQuery) {
    this.#bot = bot;
    this.#query = query;
  }

  rowAt(place: number): MarketRow | null {
    return this.#rows.get(place)?.row ?? null;
  }

  applyLivePage(page: MarketsPage): void {
    this.#live = { from: page.from, to: page.from + page.rows.length };
    this.#applyPage(page);
  }

  #applyPage({ from, rows, total }: MarketsPage): void {
    const readAt = performance.now();
    this.#dropOldRows(readAt);
    rows.forEach((row, at) => this.#rows.set(from + at, { row, readAt }));
    this.total.value = total;
    this.version.value++;
  }

  #dropOldRows(now: number): void {
    const { from, to } = this.#live;
    for (const [place, { readAt }] of this.#rows)
      if ((place < from || place >= to) && now - readAt > KEPT_MS) this.#rows.delete(place);
  }

  /** Reads the unknown rows of a range. The latest range replaces an earlier one. */
  requireRange(from: number, to: number): void {
    const total = this.total.peek() ?? Infinity;
    let missing = from;
    while (missing < to && this.#rows.has(missing)) missing++;
    if (missing >= Math.min(to, total)) {
      this.#wanted = null;
      return;
    }
    this.#wanted = Math.floor(missing / BLOCK) * BLOCK;
    if (this.#timer === 0 && this.#reading === null) this.#timer = window.setTimeout(() => void this.#readBlock(), 0);
  }

  async #readBlock(): Promise<void> {
    this.#timer = 0;
    const from = this.#wanted;
    if (from === null) return;
    this.#wanted = null;
    this.#reading = new AbortController();
    try {
      const query = { ...this.#query, from, to: from + BLOCK };
      this.#applyPage(await readMarkets(this.#bot, query, this.#reading.signal));
    } catch {
      // The stream brings the rows later. The banner shows a lost connection.
    }
    this.#reading = null;
    this.#timer = window.setTimeout(() => void this.#readBlock(), PAUSE_MS);
  }

  close(): void {
    window.clearTimeout(this.#timer);
    this.#reading?.abort();
    this.#wanted = null;
  }
}
