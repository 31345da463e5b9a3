// Distinguishes a quiet book from a dead one. A book that is silent for unusually long, or unconfirmed for too long, is
// compared with a read over REST. Must never exceed a fixed number of reads per check.
import { assert } from '../../base/assert.ts';
import { grownCopy } from '../../base/typed-columns.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Market, isOpen } from '../../domain/market.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { VenueReader } from '../session/venue-reader.ts';

export interface BookWatchOptions {
  readonly state: State;
  readonly reader: VenueReader;
  /**
   * The greatest age of a book's last confirmation at which an order is allowed. 0 where nothing is ordered.
   * Milliseconds.
   */
  readonly bookAgeMsMax: number;
}

/** A book is quiet after a silence of this many times its usual gap. */
const USUAL_GAPS = 8;
/** Shorter silences are ignored. */
const QUIET_MS_MIN = 1000;
/** Time constant of the average rate: events this long ago count about a third. */
const MEMORY_MS = 60_000;
/** The most reads started in one check, and in flight at once. */
const PROBES_PER_CHECK = 2;
const PROBES_MAX = 4;

// Change rates are rows of one numeric array, for speed. `COUNT` and `RATE` are indices within a row.
/** Number of changes counted; `NOT_MEASURED` for a book that is not live. */
const COUNT = 0;
/** Changes per millisecond, as an exponential average. */
const RATE = 1;
const ROW_LENGTH = 2;
const NOT_MEASURED = -1;

interface CheckContext {
  readonly now: Micros;
  /** Lateness of the feed. Microseconds. */
  readonly lag: number;
  readonly elapsedMs: number;
  /** Weight of the time since the last check in the average. */
  readonly weight: number;
}

interface BookNeed {
  readonly market: Market;
  readonly need: number;
}

/** Watches the confirmation of every live book. */
export class BookWatch {
  readonly #options: BookWatchOptions;
  #rates = new Float64Array(0);
  #measured = 0;
  /** The open markets, and their indices. An array of numbers is quicker to scan than market records. */
  #open: readonly Market[] = [];
  #indices = new Uint32Array(0);
  #checkedAt: Micros | null = null;
  /** Index, among the open markets, of the last book that was audited (compared with a read over REST) in its turn. */
  #auditPosition = 0;

  constructor(options: BookWatchOptions) {
    this.#options = options;
  }

  /** Updates the rates, and reads the books with the greatest need. */
  probeQuietBooks(now: Micros): void {
    const { state } = this.#options;
    const elapsedMs = this.#checkedAt === null ? 0 : (now - this.#checkedAt) / 1000;
    this.#checkedAt = now;
    const weight = 1 - Math.exp(-elapsedMs / MEMORY_MS);
    const needs = this.#measureAll({ now, lag: state.feedLag(), elapsedMs, weight });
    const room = Math.min(PROBES_PER_CHECK, PROBES_MAX - state.audits.count);
    assert(elapsedMs >= 0 && weight >= 0 && weight < 1, 'the time since the last check must not be negative');
    needs.sort((a, b) => b.need - a.need);
    for (const { market } of needs.slice(0, Math.max(0, room))) this.#probe(market);
  }

  #measureAll(context: CheckContext): BookNeed[] {
    const { state } = this.#options;
    const { books, doubtedBooks } = state;
    this.#updateOpen();
    const [open, indices] = [this.#open, this.#indices];
    const needs: BookNeed[] = [];
    // Most books had an update just now and need no further check.
    const quietAt = context.now + context.lag - QUIET_MS_MIN * 1000;
    let live = 0;
    for (let number = 0; number < indices.length; number++) {
      const index = (indices[number] ?? 0) as MarketIndex;
      if (!books.isLive(index)) continue;
      live += 1;
      this.#measure(index, context);
      if (state.bookMessageAt(index) >= quietAt && (doubtedBooks.size === 0 || !doubtedBooks.has(index))) continue;
      const need = this.#needOf(index, context);
      const market = need > 1 ? open[number] : undefined;
      if (market !== undefined) needs.push({ market, need });
    }
    if (this.#measured > live) this.#forgetClosed();
    assert(this.#measured === live, 'the rate of each live book must be measured, and of no other');
    return needs;
  }

  #updateOpen(): void {
    const open = this.#options.state.markets.openMarkets();
    if (open === this.#open) return;
    this.#open = open;
    this.#indices = Uint32Array.from(open, ({ index }) => index);
  }

  #isLive({ index, status }: Market): boolean {
    return isOpen(status) && this.#options.state.books.isLive(index);
  }

  #measure(market: MarketIndex, { elapsedMs, weight }: CheckContext): void {
    const count = this.#options.state.bookMessageCount(market);
    const row = market * ROW_LENGTH;
    if (row >= this.#rates.length) this.#grow(row + ROW_LENGTH);
    const rates = this.#rates;
    const before = rates[row + COUNT] ?? NOT_MEASURED;
    if (before === NOT_MEASURED) this.#measured += 1;
    if (before === NOT_MEASURED || elapsedMs > 0) rates[row + COUNT] = count;
    if (before === NOT_MEASURED || elapsedMs <= 0) return;
    const rate = rates[row + RATE] ?? 0;
    // A lower count belongs to another market under the same index.
    const recent = Math.max(0, count - before) / elapsedMs;
    rates[row + RATE] = rate + weight * (recent - rate);
  }

  #grow(needed: number): void {
    const length = Math.max(needed, this.#rates.length * 2);
    const grown = grownCopy(this.#rates, new Float64Array(length));
    for (let row = this.#rates.length; row < length; row += ROW_LENGTH) grown[row + COUNT] = NOT_MEASURED;
    this.#rates = grown;
  }

  #forgetClosed(): void {
    const { markets } = this.#options.state;
    for (let row = 0; row < this.#rates.length; row += ROW_LENGTH) {
      const market = markets.get((row / ROW_LENGTH) as MarketIndex);
      if (this.#rates[row + COUNT] === NOT_MEASURED || (market && this.#isLive(market))) continue;
      this.#rates[row + COUNT] = NOT_MEASURED;
      this.#rates[row + RATE] = 0;
      this.#measured -= 1;
    }
  }

  /** The need to read a book without a recent update. Above 1, the book should be read. */
  #needOf(market: MarketIndex, { now, lag }: CheckContext): number {
    const { state, bookAgeMsMax } = this.#options;
    if (state.audits.isUnderWay(market)) return 0;
    if (state.doubtedBooks.has(market)) return Number.POSITIVE_INFINITY;
    const ageMs = (now - state.confirmedAt(market, lag)) / 1000;
    const aging = bookAgeMsMax > 0 ? ageMs / Math.max(QUIET_MS_MIN, bookAgeMsMax / 2) : 0;
    return Math.max(aging, this.#quietness(market, now));
  }

  /**
   * Length of a book's silence, relative to the length that makes it quiet. 0 for an unknown usual rate, or after an
   * equal read.
   */
  #quietness(market: MarketIndex, now: Micros): number {
    const rate = this.#rates[market * ROW_LENGTH + RATE] ?? 0;
    if (rate === 0) return 0;
    const { state } = this.#options;
    const updatedAt = state.bookMessageAt(market);
    return state.equalReadAt(market) > updatedAt
      ? 0
      : (now - updatedAt) / 1000 / Math.max(QUIET_MS_MIN, USUAL_GAPS / rate);
  }

  #probe({ index, ticker }: Market): void {
    const { state, reader } = this.#options;
    state.audits.startAudit(index, state.now);
    reader.requestRead({ what: 'book', market: index, ticker }, state.now, 'care');
  }

  /** Reads one book: a doubted book, else the next in turn. A book may be wrong without any sign of a fault. */
  auditNextBook(): void {
    const { state } = this.#options;
    if (state.audits.count >= PROBES_MAX) return;
    this.#updateOpen();
    const open = this.#open;
    const isReady = ({ index }: Market): boolean => state.books.isLive(index) && !state.audits.isUnderWay(index);
    const isDoubted = ({ index }: Market): boolean => state.doubtedBooks.has(index);
    const doubted =
      state.doubtedBooks.size === 0 ? undefined : open.find((market) => isDoubted(market) && isReady(market));
    if (doubted) return this.#probe(doubted);
    for (let left = open.length; left > 0; left--) {
      this.#auditPosition = (this.#auditPosition + 1) % open.length;
      const market = open[this.#auditPosition];
      if (market && isReady(market)) return this.#probe(market);
    }
  }

  get size(): number {
    return this.#measured;
  }
}
