// Tells a quiet book from a dead one: a book that is silent for much longer than it usually is, or of which nothing was
// confirmed for too long, is read over REST; equal, it is believed; different, twice, it is not.
// Must never ask for more than so many reads a second, whatever the number of markets.
import { grownCopy } from '../domain/columns.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { type Market, isOpen } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Reader } from './reader.ts';

export interface BookWatchOptions {
  readonly state: State;
  readonly reader: Reader;
  /** How old the last confirmation of a book may be for an order; 0 where nothing is ordered. Milliseconds. */
  readonly bookAgeMsMax: number;
}

/** A silence of so many times its usual one makes a book quiet. */
const USUAL_GAPS = 8;
/** No shorter silence is looked at. */
const QUIET_MS_MIN = 1000;
/** How fast the usual gap follows: what happened so long ago counts a third. */
const MEMORY_MS = 60_000;
/** Reads of books begun in one pass, and under way at once. */
const PROBES_PER_PASS = 2;
const PROBES_MAX = 4;

// How often a book changes is one row of numbers, for a thousand of them are looked at twice a second.
/** Changes of it that were counted; `NOT_MEASURED` of a book that is not live. */
const COUNT = 0;
/** Changes a millisecond, the recent ones counting more. */
const RATE = 1;
const ROW_LENGTH = 2;
const NOT_MEASURED = -1;

/** What is the same for all books of one pass. */
interface Pass {
  readonly now: Micros;
  /** How late the feed is. Microseconds. */
  readonly lag: number;
  readonly elapsedMs: number;
  /** How much what happened since the last pass counts. */
  readonly weight: number;
}

/** A book that should be read, more so the greater its need. */
interface Needy {
  readonly market: Market;
  readonly need: number;
}

/** Watches over what is known of every live book. */
export class BookWatch {
  readonly #options: BookWatchOptions;
  #pulses = new Float64Array(0);
  #measured = 0;
  /** The markets that are open, as they were last told, and their numbers: a thousand records are far apart, numbers are not. */
  #open: readonly Market[] = [];
  #indices = new Uint32Array(0);
  #passedAt: Micros | null = null;
  /** Where among the open ones the last audit was. */
  #turn = 0;

  constructor(options: BookWatchOptions) {
    this.#options = options;
  }

  /** Measures, and reads the books that need it most. */
  pass(now: Micros): void {
    const { state } = this.#options;
    const elapsedMs = this.#passedAt === null ? 0 : (now - this.#passedAt) / 1000;
    this.#passedAt = now;
    const weight = 1 - Math.exp(-elapsedMs / MEMORY_MS);
    const needy = this.#lookAtAll({ now, lag: state.feedLag(), elapsedMs, weight });
    const room = Math.min(PROBES_PER_PASS, PROBES_MAX - state.audits.count);
    needy.sort((a, b) => b.need - a.need);
    for (const { market } of needy.slice(0, Math.max(0, room))) this.#probe(market);
  }

  #lookAtAll(pass: Pass): Needy[] {
    const { state } = this.#options;
    const { books, doubted } = state;
    this.#followOpen();
    const [open, indices] = [this.#open, this.#indices];
    const needy: Needy[] = [];
    // Most were told of just now: of those nothing more is asked.
    const quietAt = pass.now + pass.lag - QUIET_MS_MIN * 1000;
    let live = 0;
    for (let number = 0; number < indices.length; number++) {
      const index = (indices[number] ?? 0) as MarketIndex;
      if (!books.isLive(index)) continue;
      live += 1;
      this.#measure(index, pass);
      if (state.toldAt(index) >= quietAt && (doubted.size === 0 || !doubted.has(index))) continue;
      const need = this.#needOf(index, pass);
      const market = need > 1 ? open[number] : undefined;
      if (market !== undefined) needy.push({ market, need });
    }
    if (this.#measured > live) this.#forgetOthers();
    return needy;
  }

  /** Takes note of which markets are open now. */
  #followOpen(): void {
    const open = this.#options.state.markets.open();
    if (open === this.#open) return;
    this.#open = open;
    this.#indices = Uint32Array.from(open, ({ index }) => index);
  }

  #isLive({ index, status }: Market): boolean {
    return isOpen(status) && this.#options.state.books.isLive(index);
  }

  /** Takes note of how often a book changes now. */
  #measure(market: MarketIndex, { elapsedMs, weight }: Pass): void {
    const count = this.#options.state.bookMessages(market);
    const row = market * ROW_LENGTH;
    if (row >= this.#pulses.length) this.#grow(row + ROW_LENGTH);
    const pulses = this.#pulses;
    const before = pulses[row + COUNT] ?? NOT_MEASURED;
    if (before === NOT_MEASURED) this.#measured += 1;
    if (before === NOT_MEASURED || elapsedMs > 0) pulses[row + COUNT] = count;
    if (before === NOT_MEASURED || elapsedMs <= 0) return;
    const rate = pulses[row + RATE] ?? 0;
    // A count that fell is another market's under the same number.
    const fresh = Math.max(0, count - before) / elapsedMs;
    pulses[row + RATE] = rate + weight * (fresh - rate);
  }

  #grow(needed: number): void {
    const length = Math.max(needed, this.#pulses.length * 2);
    const grown = grownCopy(this.#pulses, new Float64Array(length));
    for (let row = this.#pulses.length; row < length; row += ROW_LENGTH) grown[row + COUNT] = NOT_MEASURED;
    this.#pulses = grown;
  }

  #forgetOthers(): void {
    const { markets } = this.#options.state;
    for (let row = 0; row < this.#pulses.length; row += ROW_LENGTH) {
      const market = markets.get((row / ROW_LENGTH) as MarketIndex);
      if (this.#pulses[row + COUNT] === NOT_MEASURED || (market && this.#isLive(market))) continue;
      this.#pulses[row + COUNT] = NOT_MEASURED;
      this.#pulses[row + RATE] = 0;
      this.#measured -= 1;
    }
  }

  /** How much a book that was not told of just now needs to be read: above 1 it does. */
  #needOf(market: MarketIndex, { now, lag }: Pass): number {
    const { state, bookAgeMsMax } = this.#options;
    if (state.audits.isUnderWay(market)) return 0;
    if (state.doubted.has(market)) return Number.POSITIVE_INFINITY;
    const ageMs = (now - state.confirmedAt(market, lag)) / 1000;
    const aging = bookAgeMsMax > 0 ? ageMs / Math.max(QUIET_MS_MIN, bookAgeMsMax / 2) : 0;
    return Math.max(aging, this.#quietness(market, now));
  }

  /** How long a book has been silent, in silences that make it quiet. One that was read since is known to be quiet. */
  #quietness(market: MarketIndex, now: Micros): number {
    const rate = this.#pulses[market * ROW_LENGTH + RATE] ?? 0;
    if (rate === 0) return 0;
    const { state } = this.#options;
    const told = state.toldAt(market);
    return state.readAt(market) > told ? 0 : (now - told) / 1000 / Math.max(QUIET_MS_MIN, USUAL_GAPS / rate);
  }

  #probe({ index, ticker }: Market): void {
    const { state, reader } = this.#options;
    state.audits.begin(index, state.now);
    reader.ask({ what: 'book', market: index, ticker }, state.now, 'care');
  }

  /** Reads one book, each in turn: what nobody had reason to doubt may be wrong all the same. */
  audit(): void {
    const { state } = this.#options;
    if (state.audits.count >= PROBES_MAX) return;
    this.#followOpen();
    const open = this.#open;
    const isReady = ({ index }: Market): boolean => state.books.isLive(index) && !state.audits.isUnderWay(index);
    const isDoubted = ({ index }: Market): boolean => state.doubted.has(index);
    const doubted = state.doubted.size === 0 ? undefined : open.find((market) => isDoubted(market) && isReady(market));
    if (doubted) return this.#probe(doubted);
    for (let left = open.length; left > 0; left--) {
      this.#turn = (this.#turn + 1) % open.length;
      const market = open[this.#turn];
      if (market && isReady(market)) return this.#probe(market);
    }
  }

  /** How many books are measured. */
  get size(): number {
    return this.#measured;
  }
}
