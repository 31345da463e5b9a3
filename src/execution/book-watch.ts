// Tells a quiet book from a dead one: a book that is silent for much longer than it usually is, or of which nothing was
// confirmed for too long, is read over REST; equal, it is believed; different, twice, it is not.
// Must never ask for more than so many reads a second, whatever the number of markets.
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

/** How often a book changes. */
interface Pulse {
  /** Changes of it that were counted. */
  count: number;
  /** Changes a millisecond, the recent ones counting more. */
  rate: number;
}

/** What a look at a book is told. */
interface Look {
  readonly now: Micros;
  /** How late the feed is. Microseconds. */
  readonly lag: number;
  readonly pulse: Pulse;
}

/** Watches over what is known of every live book. */
export class BookWatch {
  readonly #options: BookWatchOptions;
  readonly #pulses = new Map<MarketIndex, Pulse>();
  #passedAt: Micros | null = null;
  #turn = 0;

  constructor(options: BookWatchOptions) {
    this.#options = options;
  }

  /** Measures, and reads the books that need it most. */
  pass(now: Micros): void {
    const elapsedMs = this.#passedAt === null ? 0 : (now - this.#passedAt) / 1000;
    this.#passedAt = now;
    const weight = 1 - Math.exp(-elapsedMs / MEMORY_MS);
    const lag = this.#options.state.feedLag();
    const live = this.#live();
    const needy: { readonly market: Market; readonly need: number }[] = [];
    for (const market of live) {
      const pulse = this.#measure(market.index, elapsedMs, weight);
      const need = this.#needOf(market.index, { now, lag, pulse });
      if (need > 1) needy.push({ market, need });
    }
    if (this.#pulses.size > live.length) this.#forgetOthers(live);
    const room = Math.min(PROBES_PER_PASS, PROBES_MAX - this.#options.state.audits.count);
    needy.sort((a, b) => b.need - a.need);
    for (const { market } of needy.slice(0, Math.max(0, room))) this.#probe(market);
  }

  #live(): Market[] {
    const { books, markets } = this.#options.state;
    return markets.all().filter(({ index, status }) => isOpen(status) && books.isLive(index));
  }

  #measure(market: MarketIndex, elapsedMs: number, weight: number): Pulse {
    const count = this.#options.state.bookMessages(market);
    const pulse = this.#pulses.get(market);
    if (!pulse) return this.#begin(market, count);
    if (elapsedMs <= 0) return pulse;
    // A count that fell is another market's under the same number.
    const fresh = Math.max(0, count - pulse.count) / elapsedMs;
    pulse.rate += weight * (fresh - pulse.rate);
    pulse.count = count;
    return pulse;
  }

  #begin(market: MarketIndex, count: number): Pulse {
    const pulse = { count, rate: 0 };
    this.#pulses.set(market, pulse);
    return pulse;
  }

  #forgetOthers(live: readonly Market[]): void {
    const kept = new Set(live.map(({ index }) => index));
    for (const market of this.#pulses.keys()) if (!kept.has(market)) this.#pulses.delete(market);
  }

  /** How much a book needs to be read: above 1 it does. */
  #needOf(market: MarketIndex, { now, lag, pulse }: Look): number {
    const { state, bookAgeMsMax } = this.#options;
    if (state.audits.isUnderWay(market)) return 0;
    if (state.isDoubted(market)) return Number.POSITIVE_INFINITY;
    const ageMs = (now - state.confirmedAt(market, lag)) / 1000;
    const aging = bookAgeMsMax > 0 ? ageMs / Math.max(QUIET_MS_MIN, bookAgeMsMax / 2) : 0;
    return Math.max(aging, this.#quietness(market, now, pulse.rate));
  }

  /** How long a book has been silent, in silences that make it quiet. One that was read since is known to be quiet. */
  #quietness(market: MarketIndex, now: Micros, rate: number): number {
    if (rate === 0) return 0;
    const { told, read } = this.#options.state.lastWord(market);
    return read > told ? 0 : (now - told) / 1000 / Math.max(QUIET_MS_MIN, USUAL_GAPS / rate);
  }

  #probe({ index, ticker }: Market): void {
    const { state, reader } = this.#options;
    state.audits.begin(index, state.now);
    reader.ask({ what: 'book', market: index, ticker }, state.now, 'care');
  }

  /** Reads one book, each in turn: what nobody had reason to doubt may be wrong all the same. */
  audit(): void {
    const live = this.#live().filter(({ index }) => !this.#options.state.audits.isUnderWay(index));
    if (live.length === 0 || this.#options.state.audits.count >= PROBES_MAX) return;
    this.#turn += 1;
    const next = live.find(({ index }) => this.#options.state.isDoubted(index)) ?? live[this.#turn % live.length];
    if (next) this.#probe(next);
  }

  /** How many books are measured. */
  get size(): number {
    return this.#pulses.size;
  }
}
