// Requests every book that is not live, by ever stronger means: a snapshot, a new subscription, a new connection. Must
// never repeat requests at full speed.
import { assert, must } from '../../base/assert.ts';
import type { UnnumberedFeedCommand } from '../../domain/venue-command.ts';
import type { MarketIndex, Ticker } from '../../domain/ids.ts';
import { type Market, isOpen } from '../../domain/market.ts';
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';

export interface ResyncWatchOptions {
  readonly state: State;
  readonly observe: Observer;
  readonly sendFeed: (command: UnnumberedFeedCommand) => void;
  /** Requests a new connection. Returns false when the last request is too recent. */
  readonly reconnect: (reason: string, isDead: boolean) => boolean;
}

/** A book that is not live, or was not until recently. */
interface Awaited {
  since: Micros;
  /** The number of requests, the subscription included, and the time of the last. */
  attempts: number;
  askedAt: Micros;
  /** Time of the next request; `NEVER` while the feed cannot provide the book. */
  nextAt: number;
  /** The time since which the book is live; `null` while it is not. */
  liveSince: Micros | null;
  /** True when a new connection was requested while this book was missing. */
  hasReconnected: boolean;
}

const FIRST_WAIT_MS = 2000;
const WAIT_MS_MAX = 15_000;
/** The shortest time between requests for a book that loses messages again and again. */
const REPEAT_MS = 250;
/** A book that has been live for this long is no longer tracked. */
const STABLE_MS = 30_000;
/** When the feed was silent for this long, a wrong book means that it is frozen and would answer no request. */
const FROZEN_MS = 5000;
/** With no message for this long after requests, the connection is dead. */
const DEAD_MS = 10_000;
/** Number of requests after which the subscription is renewed, and later the connection. */
const ATTEMPTS_BEFORE_RENEWAL = 3;
const ATTEMPTS_BEFORE_RECONNECTION = 4;

const NEVER = Number.POSITIVE_INFINITY;

const after = (now: Micros, milliseconds: number): Micros => (now + milliseconds * 1000) as Micros;
const waitMs = (attempts: number): number => Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempts - 1));

/** Tracks the books that are not live and requests them. */
export class ResyncWatch {
  readonly #options: ResyncWatchOptions;
  /** Streamed markets; other books are ignored. Added at the subscription; removed when it ends. */
  readonly #followed = new Set<Ticker>();
  /**
   * Books that are not live, or were not until recently. Added when a book is lost; removed when it has stayed live, or
   * is no longer needed.
   */
  readonly #awaited = new Map<MarketIndex, Awaited>();
  #resyncs: MarketIndex[] = [];
  /** Time before which no check is needed while the same markets are open. 0 after every change of a tracked book. */
  #checkAt = 0;
  #open: readonly Market[] = [];

  constructor(options: ResyncWatchOptions) {
    this.#options = options;
  }

  onFeedCommand(command: UnnumberedFeedCommand): void {
    this.#checkAt = 0;
    if (command.type === 'subscribe') for (const ticker of command.tickers) this.#followed.add(ticker);
    if (command.type === 'unsubscribe') for (const ticker of command.tickers) this.#followed.delete(ticker);
  }

  /** Handles a book that is no longer live. Requests it at once, unless it was requested recently. */
  onBookSuspect(market: MarketIndex, { at, isWrong }: { readonly at: Micros; readonly isWrong: boolean }): void {
    this.#checkAt = 0;
    const awaited = this.#awaited.get(market) ?? this.#track(market, at, 0);
    if (awaited.liveSince !== null && !isWrong) {
      // The last answer was right, so the new loss counts as a first one.
      awaited.since = at;
      awaited.attempts = 0;
      awaited.nextAt = after(awaited.askedAt, REPEAT_MS);
    }
    awaited.liveSince = null;
    if (isWrong && this.#isSilent(at, FROZEN_MS) && this.#reconnectFor([market])) return;
    if (awaited.attempts === 0 && at >= awaited.nextAt) this.#requestBook(market, awaited, at);
  }

  #isSilent(now: Micros, milliseconds: number): boolean {
    return now >= after(this.#options.state.feed.contentAt, milliseconds);
  }

  /** Handles a book that is live. Returns true when it was awaited: a check is then due. */
  onBookLive(market: MarketIndex, now: Micros): boolean {
    const awaited = this.#awaited.get(market);
    if (awaited === undefined) return false;
    this.#checkAt = 0;
    // The feed could not provide the book, and now sent it without a request.
    if (awaited.nextAt === NEVER) this.#awaited.delete(market);
    else awaited.liveSince = now;
    return true;
  }

  /** Handles books that the feed cannot provide yet. They arrive by themselves and are not requested. */
  onBooksUnavailable(markets: readonly MarketIndex[], now: Micros): void {
    this.#checkAt = 0;
    for (const market of markets) {
      const awaited = this.#awaited.get(market) ?? this.#track(market, now, 1);
      awaited.nextAt = NEVER;
    }
  }

  #track(market: MarketIndex, now: Micros, attempts: number): Awaited {
    const nextAt = attempts === 0 ? now : after(now, waitMs(attempts));
    const awaited = { since: now, attempts, askedAt: now, nextAt, liveSince: null, hasReconnected: false };
    assert(!this.#awaited.has(market), 'a book must be awaited once');
    this.#awaited.set(market, awaited);
    return awaited;
  }

  #requestBook(market: MarketIndex, awaited: Awaited, now: Micros): void {
    this.#countAttempt(awaited, now);
    this.#resyncs.push(market);
  }

  #countAttempt(awaited: Awaited, now: Micros): void {
    assert(now >= awaited.askedAt, 'a book must not be requested before its last request');
    awaited.attempts += 1;
    awaited.askedAt = now;
    awaited.nextAt = after(now, waitMs(awaited.attempts));
  }

  flushResyncs(): void {
    if (this.#resyncs.length === 0) return;
    const { state, sendFeed } = this.#options;
    sendFeed({ type: 'resync', tickers: this.#resyncs.map((market) => state.tickers.tickerOf(market)) });
    this.#resyncs = [];
  }

  /** Handles a new connection, which begins with a snapshot of every book. */
  onConnected(now: Micros): void {
    this.#checkAt = 0;
    for (const awaited of this.#awaited.values()) {
      awaited.attempts = 1;
      awaited.nextAt = after(now, waitMs(1));
    }
  }

  /** Time from which a check may find something; infinite without a book that is awaited. */
  get dueAt(): number {
    return this.#checkAt;
  }

  checkBooks(now: Micros): void {
    const { state } = this.#options;
    if (!state.feed.isUp) return;
    const open = state.markets.openMarkets();
    if (now < this.#checkAt && open === this.#open) return;
    for (const market of open)
      if (!state.books.isLive(market.index) && !this.#awaited.has(market.index) && this.#isNeeded(market))
        this.#track(market.index, now, 1);
    const overdue: MarketIndex[] = [];
    for (const [market, awaited] of this.#awaited) if (this.#isOverdue(market, awaited, now)) overdue.push(market);
    this.#requestOverdue(overdue, now);
    this.#open = open;
    this.#checkAt = this.#nextCheckAt();
  }

  /** Time at which the next book is to be requested again, or has been live for long enough. */
  #nextCheckAt(): number {
    let earliest = NEVER;
    for (const { nextAt, liveSince } of this.#awaited.values())
      earliest = Math.min(earliest, liveSince === null ? nextAt : after(liveSince, STABLE_MS));
    return earliest;
  }

  #isNeeded({ index, ticker, status }: Market): boolean {
    return isOpen(status) && this.#followed.has(ticker) && this.#options.state.books.isOpen(index);
  }

  #isOverdue(market: MarketIndex, awaited: Awaited, now: Micros): boolean {
    const { books, markets } = this.#options.state;
    const known = markets.get(market);
    if (!known || !this.#isNeeded(known)) {
      // The mark `NEVER` stays while the market is not open: the feed still cannot provide its book.
      if (!known || awaited.nextAt !== NEVER || !this.#followed.has(known.ticker)) this.#awaited.delete(market);
      return false;
    }
    if (!books.isLive(market)) return now >= awaited.nextAt;
    if (now >= after(awaited.liveSince ?? now, STABLE_MS)) this.#awaited.delete(market);
    return false;
  }

  #requestOverdue(markets: readonly MarketIndex[], now: Micros): void {
    if (markets.length === 0) return;
    if (this.#isSilent(now, DEAD_MS) && this.#reconnectFor(markets)) return;
    const areMostMissing = this.#areMostMissing();
    const overdue = markets.map((market) => ({ market, awaited: must(this.#awaited.get(market), 'awaited book') }));
    const renewed = overdue.filter(({ awaited }) => awaited.attempts === ATTEMPTS_BEFORE_RENEWAL);
    const failed = overdue.filter(
      ({ awaited: { attempts, hasReconnected } }) =>
        attempts >= ATTEMPTS_BEFORE_RECONNECTION && (areMostMissing || !hasReconnected),
    );
    for (const { awaited } of overdue) this.#countAttempt(awaited, now);
    this.#alarm(overdue, now);
    const isReconnecting = this.#reconnectFor(failed.map(({ market }) => market));
    const excluded = new Set([...renewed, ...(isReconnecting ? failed : [])]);
    for (const book of overdue) if (!excluded.has(book)) this.#resyncs.push(book.market);
    if (renewed.length > 0)
      this.#options.sendFeed({ type: 'renew', tickers: renewed.map(({ market }) => this.#tickerOf(market)) });
  }

  #tickerOf(market: MarketIndex): Ticker {
    return this.#options.state.tickers.tickerOf(market);
  }

  #reconnectFor(markets: readonly MarketIndex[]): boolean {
    const { state, reconnect } = this.#options;
    const first = markets[0];
    if (first === undefined) return false;
    const others = markets.length > 1 ? ` and ${markets.length - 1} more` : '';
    const reason = `no snapshot of the book of ${this.#tickerOf(first)}${others}`;
    const isRequested = reconnect(reason, this.#isSilent(state.now, FROZEN_MS));
    if (isRequested) for (const awaited of this.#awaited.values()) this.#markReconnected(awaited);
    return isRequested;
  }

  #markReconnected(awaited: Awaited): void {
    if (awaited.liveSince !== null || awaited.nextAt === NEVER) return;
    awaited.hasReconnected = true;
    awaited.nextAt = after(this.#options.state.now, waitMs(Math.max(1, awaited.attempts)));
  }

  /**
   * True when at least half of all books are missing. Otherwise each book may cause only one reconnection, because a
   * reconnection interrupts the other books.
   */
  #areMostMissing(): boolean {
    let missing = 0;
    for (const { liveSince, nextAt } of this.#awaited.values())
      if (liveSince === null && nextAt !== NEVER) missing += 1;
    return missing * 2 >= this.#followed.size;
  }

  /** Raises one alarm for all books that requests did not bring. It names the book awaited the longest. */
  #alarm(overdue: readonly { readonly market: MarketIndex; readonly awaited: Awaited }[], at: Micros): void {
    const late = overdue.filter(({ awaited }) => awaited.attempts > ATTEMPTS_BEFORE_RENEWAL);
    const worst = late.reduce<(typeof late)[number] | null>(
      (oldest, book) => (oldest && oldest.awaited.since <= book.awaited.since ? oldest : book),
      null,
    );
    if (!worst) return;
    const { since, attempts } = worst.awaited;
    const ticker = this.#tickerOf(worst.market);
    const forMs = Math.round((at - since) / 1000);
    const books = late.length;
    const others = books > 1 ? `, nor have ${books - 1} more` : '';
    const text = `the book of ${ticker} has not been live for ${forMs} ms after ${attempts} requests${others}`;
    const figures = { ticker, forMs, attempts, books };
    this.#options.observe({ type: 'alarm', code: 'book-unanswered', at, text, figures });
  }

  get size(): number {
    return this.#awaited.size;
  }
}
