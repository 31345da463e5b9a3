// Sees to it that every book that is traded is live: asks for it again, later each time, by stronger means each time.
// Must never ask without end at full speed: neither a venue that does not answer nor one whose answers are wrong.
import { must } from '../domain/assert.ts';
import type { FeedAsk } from '../domain/command.ts';
import type { MarketIndex, Ticker } from '../domain/ids.ts';
import { type Market, isOpen } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { Observer } from './notice.ts';

export interface ResyncWatchOptions {
  readonly state: State;
  readonly observe: Observer;
  readonly sendFeed: (ask: FeedAsk) => void;
  /** Asks for the connection to be made anew; `false` when that was done too short a while ago. */
  readonly reconnect: (reason: string, isDead: boolean) => boolean;
}

/** One book that is not live, or was not a short while ago. */
interface Awaited {
  /** Since when it is not live, or was not last. */
  since: Micros;
  /** How often it was asked for, and when last; the subscription counts. */
  attempts: number;
  askedAt: Micros;
  /** When it is asked for again, should it not be live by then; `NEVER` while the feed cannot tell it. */
  nextAt: number;
  /** Since when it is live; `null` while it is not. */
  liveSince: Micros | null;
  /** Whether the connection was made anew for its sake. */
  hasReconnected: boolean;
}

const FIRST_WAIT_MS = 2000;
const WAIT_MS_MAX = 15_000;
/** A book of which something is lost again and again is asked for this often at the most. */
const AGAIN_MS = 250;
/** A book that was live for so long is looked after no more. */
const STABLE_MS = 30_000;
/** Not one message for so long, and a book that is wrong all the same: the feed has frozen, and would not answer. */
const FROZEN_MS = 5000;
/** Nor was any answer to what was asked for meanwhile. */
const DEAD_MS = 10_000;
/** What so many requests did not bring, a new subscription may; and what that does not, a new connection. */
const ATTEMPTS_BEFORE_RENEWAL = 3;
const ATTEMPTS_BEFORE_RECONNECTION = 4;

const NEVER = Number.POSITIVE_INFINITY;

const later = (now: Micros, milliseconds: number): Micros => (now + milliseconds * 1000) as Micros;
const waitMs = (attempts: number): number => Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempts - 1));

/** The books that are not live, and what is done about each. */
export class ResyncWatch {
  readonly #options: ResyncWatchOptions;
  /** Markets that are streamed: the others' books are nobody's business. */
  readonly #followed = new Set<Ticker>();
  readonly #awaited = new Map<MarketIndex, Awaited>();
  /** Books to be asked for anew, all in one message. */
  #resyncs: MarketIndex[] = [];
  /** Before this time there is nothing to look at, as long as the same markets are open. Whatever comes up sets it back. */
  #attendAt = 0;
  #open: readonly Market[] = [];

  constructor(options: ResyncWatchOptions) {
    this.#options = options;
  }

  /** Learns from what is asked of the feed which markets are streamed. */
  asked(ask: FeedAsk): void {
    this.#attendAt = 0;
    if (ask.type === 'subscribe') for (const ticker of ask.tickers) this.#followed.add(ticker);
    if (ask.type === 'unsubscribe') for (const ticker of ask.tickers) this.#followed.delete(ticker);
  }

  /** A book is no longer believed: it is asked for at once, unless it just was and came wrong. */
  distrusted(market: MarketIndex, { at, isWrong }: { readonly at: Micros; readonly isWrong: boolean }): void {
    this.#attendAt = 0;
    const awaited = this.#awaited.get(market) ?? this.#await(market, at, 0);
    if (awaited.liveSince !== null && !isWrong) {
      // It did come, and was right: that something is lost again says nothing against it.
      awaited.since = at;
      awaited.attempts = 0;
      awaited.nextAt = later(awaited.askedAt, AGAIN_MS);
    }
    awaited.liveSince = null;
    if (isWrong && this.#isSilent(at, FROZEN_MS) && this.#reconnectFor([market])) return;
    if (awaited.attempts === 0 && at >= awaited.nextAt) this.#resync(market, awaited, at);
  }

  #isSilent(now: Micros, milliseconds: number): boolean {
    return now >= later(this.#options.state.feed.messageAt, milliseconds);
  }

  /** A book is believed again. */
  trusted(market: MarketIndex, now: Micros): void {
    this.#attendAt = 0;
    const awaited = this.#awaited.get(market);
    // One that the feed could not tell came by itself: nothing is known of how asking goes.
    if (awaited?.nextAt === NEVER) this.#awaited.delete(market);
    else if (awaited) awaited.liveSince = now;
  }

  /** The feed cannot tell these books yet: they come by themselves, and nobody asks. */
  untold(markets: readonly MarketIndex[], now: Micros): void {
    this.#attendAt = 0;
    for (const market of markets) {
      const awaited = this.#awaited.get(market) ?? this.#await(market, now, 1);
      awaited.nextAt = NEVER;
    }
  }

  #await(market: MarketIndex, now: Micros, attempts: number): Awaited {
    const nextAt = attempts === 0 ? now : later(now, waitMs(attempts));
    const awaited = { since: now, attempts, askedAt: now, nextAt, liveSince: null, hasReconnected: false };
    this.#awaited.set(market, awaited);
    return awaited;
  }

  #resync(market: MarketIndex, awaited: Awaited, now: Micros): void {
    this.#attempt(awaited, now);
    this.#resyncs.push(market);
  }

  #attempt(awaited: Awaited, now: Micros): void {
    awaited.attempts += 1;
    awaited.askedAt = now;
    awaited.nextAt = later(now, waitMs(awaited.attempts));
  }

  /** Sends what was asked for since it was last called. */
  flush(): void {
    if (this.#resyncs.length === 0) return;
    const { state, sendFeed } = this.#options;
    sendFeed({ type: 'resync', tickers: this.#resyncs.map((market) => state.tickers.tickerOf(market)) });
    this.#resyncs = [];
  }

  /** A new connection begins with a snapshot of everything. */
  connected(now: Micros): void {
    this.#attendAt = 0;
    for (const awaited of this.#awaited.values()) {
      awaited.attempts = 1;
      awaited.nextAt = later(now, waitMs(1));
    }
  }

  /** Looks after every open market's book. */
  pass(now: Micros): void {
    const { state } = this.#options;
    if (!state.feed.isUp) return;
    const open = state.markets.open();
    if (now < this.#attendAt && open === this.#open) return;
    for (const market of open)
      if (!state.books.isLive(market.index) && !this.#awaited.has(market.index) && this.#isWanted(market))
        this.#await(market.index, now, 1);
    const overdue: MarketIndex[] = [];
    for (const [market, awaited] of this.#awaited) if (this.#isOverdue(market, awaited, now)) overdue.push(market);
    this.#askAgain(overdue, now);
    this.#open = open;
    this.#attendAt = this.#reckon();
  }

  /** When the next book is asked for again, or has been live for long enough. */
  #reckon(): number {
    let earliest = NEVER;
    for (const { nextAt, liveSince } of this.#awaited.values())
      earliest = Math.min(earliest, liveSince === null ? nextAt : later(liveSince, STABLE_MS));
    return earliest;
  }

  #isWanted({ index, ticker, status }: Market): boolean {
    return isOpen(status) && this.#followed.has(ticker) && this.#options.state.books.isOpen(index);
  }

  #isOverdue(market: MarketIndex, awaited: Awaited, now: Micros): boolean {
    const { books, markets } = this.#options.state;
    const known = markets.get(market);
    if (!known || !this.#isWanted(known)) {
      // Of one that is not open yet it is remembered that the feed cannot tell its book.
      if (!known || awaited.nextAt !== NEVER || !this.#followed.has(known.ticker)) this.#awaited.delete(market);
      return false;
    }
    if (!books.isLive(market)) return now >= awaited.nextAt;
    if (now >= later(awaited.liveSince ?? now, STABLE_MS)) this.#awaited.delete(market);
    return false;
  }

  #askAgain(markets: readonly MarketIndex[], now: Micros): void {
    if (markets.length === 0) return;
    if (this.#isSilent(now, DEAD_MS) && this.#reconnectFor(markets)) return;
    const isMost = this.#areMostMissing();
    const overdue = markets.map((market) => ({ market, awaited: must(this.#awaited.get(market), 'awaited book') }));
    const renewed = overdue.filter(({ awaited }) => awaited.attempts === ATTEMPTS_BEFORE_RENEWAL);
    const wanting = overdue.filter(
      ({ awaited: { attempts, hasReconnected } }) =>
        attempts >= ATTEMPTS_BEFORE_RECONNECTION && (isMost || !hasReconnected),
    );
    for (const { awaited } of overdue) this.#attempt(awaited, now);
    this.#alarm(overdue, now);
    const isReconnecting = this.#reconnectFor(wanting.map(({ market }) => market));
    const spared = new Set([...renewed, ...(isReconnecting ? wanting : [])]);
    for (const one of overdue) if (!spared.has(one)) this.#resyncs.push(one.market);
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
    const reason = `the book of ${this.#tickerOf(first)}${others} does not come`;
    const isDone = reconnect(reason, this.#isSilent(state.now, FROZEN_MS));
    if (isDone) for (const awaited of this.#awaited.values()) this.#noteReconnection(awaited);
    return isDone;
  }

  #noteReconnection(awaited: Awaited): void {
    if (awaited.liveSince !== null || awaited.nextAt === NEVER) return;
    awaited.hasReconnected = true;
    awaited.nextAt = later(this.#options.state.now, waitMs(Math.max(1, awaited.attempts)));
  }

  /** A book may cost everybody the connection once for its own sake, and whenever half of all are missing. */
  #areMostMissing(): boolean {
    let missing = 0;
    for (const { liveSince, nextAt } of this.#awaited.values())
      if (liveSince === null && nextAt !== NEVER) missing += 1;
    return missing * 2 >= this.#followed.size;
  }

  /** Told of the one that is awaited the longest, for all that asking has not brought. */
  #alarm(overdue: readonly { readonly market: MarketIndex; readonly awaited: Awaited }[], at: Micros): void {
    const late = overdue.filter(({ awaited }) => awaited.attempts > ATTEMPTS_BEFORE_RENEWAL);
    const worst = late.reduce<(typeof late)[number] | null>(
      (found, one) => (found && found.awaited.since <= one.awaited.since ? found : one),
      null,
    );
    if (!worst) return;
    const { since, attempts } = worst.awaited;
    const ticker = this.#tickerOf(worst.market);
    const forMs = Math.round((at - since) / 1000);
    const books = late.length;
    const others = books > 1 ? `, nor are ${books - 1} more` : '';
    const text = `the book of ${ticker} is not live for ${forMs} ms and was asked for ${attempts} times${others}`;
    const figures = { ticker, forMs, attempts, books };
    this.#options.observe({ type: 'alarm', code: 'book-unanswered', at, text, figures });
  }

  /** How many books are looked after. */
  get size(): number {
    return this.#awaited.size;
  }
}
