// Distinguishes a quiet book from a dead one. A book that is silent for unusually long, or unconfirmed for too long, is
// compared with a read over REST. Must never exceed a fixed number of reads per check, nor go over all books because
// time has passed.
import { DueQueue } from '../../base/due-queue.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Market, isOpen } from '../../domain/market.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { VenueReader } from '../session/venue-reader.ts';
import { BookRates, type CheckTimes } from './book-rates.ts';
import { StreamMembers } from './stream-members.ts';

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
/** The most reads started in one check, and in flight at once. */
const PROBES_PER_CHECK = 2;
const PROBES_MAX = 4;

interface CheckContext {
  readonly now: Micros;
  /** Lateness of the feed. Microseconds. */
  readonly lag: number;
}

interface BookNeed {
  readonly market: Market;
  readonly need: number;
}

/** Watches the confirmation of every live book. */
export class BookWatch {
  readonly #options: BookWatchOptions;
  readonly #state: State;
  readonly #rates = new BookRates();
  readonly #streams = new StreamMembers();
  /** Time at which each book may be quiet. Added with its messages; removed when that time has come. */
  readonly #looks = new DueQueue<MarketIndex, Micros>((market, at) => this.#lookAt[market] === at);
  readonly #lookAt: (Micros | undefined)[] = [];
  /**
   * Books that may be quiet. Added when their time has come; removed with the next message or an equal read, or when
   * their usual gap has grown.
   */
  readonly #quiet = new Set<MarketIndex>();
  /** The open markets at the last check. */
  #open: readonly Market[] = [];
  #checkedAt: Micros | null = null;
  /** Index, among the open markets, of the last book that was audited (compared with a read over REST) in its turn. */
  #auditPosition = 0;

  constructor(options: BookWatchOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  /** Updates the rates, and reads the books with the greatest need. */
  probeQuietBooks(now: Micros): void {
    this.#measureBooks(now);
    const room = Math.min(PROBES_PER_CHECK, PROBES_MAX - this.#state.audits.count);
    if (room > 0) for (const { market } of this.#neediestBooks(now, room)) this.#probe(market);
  }

  /** Counts the messages since the last check. */
  #measureBooks(now: Micros): void {
    const before = this.#checkedAt;
    if (before !== null && now <= before) return;
    this.#checkedAt = now;
    const changed = this.#state.confirmations.takeChangedBooks(now);
    // Before the first check, no changes are collected.
    if (before !== null) for (const market of changed) this.#measure(market, { now, before });
    this.#reviewBooks(now);
  }

  #measure(market: MarketIndex, times: CheckTimes): void {
    const { confirmations } = this.#state;
    if (!this.#isOpen(market)) return;
    const { now } = times;
    const count = confirmations.messageCount(market);
    if (this.#rates.isMeasured(market)) this.#rates.countMessages(market, count, times);
    else this.#rates.startBook(market, count, now);
    this.#streams.setStream(market, confirmations.streamOf(market));
    this.#quiet.delete(market);
    this.#scheduleLook(market, now);
  }

  /** Schedules the next time at which a book may be quiet, if it has a usual gap. */
  #scheduleLook(market: MarketIndex, now: Micros): void {
    const silenceMs = this.#usualSilence(market, now);
    if (silenceMs === null) {
      this.#lookAt[market] = undefined;
      return;
    }
    const at = (this.#state.confirmations.messageAt(market) + Math.ceil(silenceMs * 1000)) as Micros;
    if (this.#lookAt[market] === at) return;
    this.#lookAt[market] = at;
    this.#looks.schedule(at, market);
  }

  /** The longest silence that is usual for a book; `null` where the usual rate is not known. Milliseconds. */
  #usualSilence(market: MarketIndex, now: Micros): number | null {
    const rate = this.#rates.rateAt(market, now);
    return rate === 0 ? null : Math.max(QUIET_MS_MIN, USUAL_GAPS / rate);
  }

  /** Measures the books of markets that have opened, and forgets those of markets that have closed. */
  #reviewBooks(now: Micros): void {
    const { confirmations, markets } = this.#state;
    const open = markets.openMarkets();
    if (open === this.#open) return;
    this.#open = open;
    const isKept = (market: MarketIndex): boolean => this.#isOpen(market);
    this.#rates.forgetBooks(isKept);
    this.#streams.forgetBooks(isKept);
    for (const { index } of open) {
      const count = confirmations.messageCount(index);
      if (count === 0 || this.#rates.isMeasured(index)) continue;
      this.#rates.startBook(index, count, now);
      this.#streams.setStream(index, confirmations.streamOf(index));
    }
  }

  #isOpen(market: MarketIndex): boolean {
    const known = this.#state.markets.get(market);
    return known !== undefined && isOpen(known.status);
  }

  /** The books that should be read, at most `count`, the one with the greatest need at the head. */
  #neediestBooks(now: Micros, count: number): readonly BookNeed[] {
    const { doubtedBooks } = this.#state;
    const found: BookNeed[] = [];
    const isBefore = (index: MarketIndex, need: number, other: BookNeed): boolean =>
      need > other.need || (need === other.need && index < other.market.index);
    const add = (index: MarketIndex, need: number): void => {
      const last = found.at(-1);
      if (need <= 1 || (last !== undefined && found.length === count && !isBefore(index, need, last))) return;
      const market = this.#readable(index);
      if (market === null) return;
      const place = found.findIndex((other) => isBefore(index, need, other));
      found.splice(place < 0 ? found.length : place, 0, { market, need });
      if (found.length > count) found.pop();
    };
    for (const market of doubtedBooks) add(market, Number.POSITIVE_INFINITY);
    this.#updateQuiet(now);
    const lag = this.#state.feedLag();
    const isOther = (market: MarketIndex): boolean => !doubtedBooks.has(market);
    for (const market of this.#quiet)
      if (isOther(market)) add(market, Math.max(this.#aging(market, { now, lag }), this.#quietness(market, now)));
    this.#visitAging({ now, lag }, (market, need) => {
      if (isOther(market) && !this.#quiet.has(market)) add(market, need);
    });
    return found;
  }

  /** The market of a book that a read can confirm; `null` where it cannot, or a read is under way. */
  #readable(index: MarketIndex): Market | null {
    const { books, markets, audits } = this.#state;
    const market = markets.get(index);
    if (market === undefined || !isOpen(market.status) || !books.isLive(index)) return null;
    return audits.isUnderWay(index) ? null : market;
  }

  #updateQuiet(now: Micros): void {
    for (let due = this.#looks.popDue(now); due !== null; due = this.#looks.popDue(now)) {
      this.#lookAt[due] = undefined;
      this.#quiet.add(due);
    }
    for (const market of this.#quiet) if (!this.#isStillQuiet(market, now)) this.#quiet.delete(market);
  }

  /** A book that is not live, or was found equal by a read after its last message, is not quiet before its next message. */
  #isStillQuiet(market: MarketIndex, now: Micros): boolean {
    const { books, confirmations } = this.#state;
    if (!books.isLive(market) || confirmations.readAt(market) > confirmations.messageAt(market)) return false;
    if (this.#quietness(market, now) > 1) return true;
    this.#scheduleLook(market, now);
    return false;
  }

  /** Visits the books that nothing may have confirmed for too long: a message confirms all books of its stream. */
  #visitAging(context: CheckContext, visit: (market: MarketIndex, need: number) => void): void {
    const ageMax = this.#ageMsMax * 1000;
    if (ageMax === 0) return;
    const { confirmations } = this.#state;
    const newest = context.now + context.lag - ageMax;
    for (const [stream, members] of this.#streams.byStream()) {
      if (stream !== 0 && confirmations.streamMessageAt(stream) >= newest) continue;
      for (const market of members) visit(market, this.#aging(market, context));
    }
  }

  /** The age from which a book should be confirmed; 0 where no book has to be. Milliseconds. */
  get #ageMsMax(): number {
    const { bookAgeMsMax } = this.#options;
    return bookAgeMsMax > 0 ? Math.max(QUIET_MS_MIN, bookAgeMsMax / 2) : 0;
  }

  /** Age of a book's last confirmation, relative to the age from which it should be confirmed. */
  #aging(market: MarketIndex, { now, lag }: CheckContext): number {
    const ageMsMax = this.#ageMsMax;
    return ageMsMax === 0 ? 0 : (now - this.#state.confirmedAt(market, lag)) / 1000 / ageMsMax;
  }

  /**
   * Length of a book's silence, relative to the length that makes it quiet. 0 for an unknown usual rate, or after an
   * equal read.
   */
  #quietness(market: MarketIndex, now: Micros): number {
    const { confirmations } = this.#state;
    const messageAt = confirmations.messageAt(market);
    if (confirmations.readAt(market) > messageAt) return 0;
    const silenceMs = this.#usualSilence(market, now);
    return silenceMs === null ? 0 : (now - messageAt) / 1000 / silenceMs;
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
    const open = state.markets.openMarkets();
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

  /** Number of books whose usual rate is measured. */
  get size(): number {
    return this.#rates.size;
  }
}
