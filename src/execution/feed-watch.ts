// Supervises the feed: connected, every book live and confirmed, private channels granted, clocks right. Combines the
// watches, each of which has one concern. Must never act except by reads, feed commands and alarms.
import type { FeedAsk } from '../domain/command.ts';
import type { EngineEvent } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { StateChange } from '../state/change.ts';
import type { State } from '../state/state.ts';
import { BookWatch } from './book-watch.ts';
import { type ClockLimits, ClockWatch } from './clock-watch.ts';
import type { Observer } from './notice.ts';
import { OutageWatch } from './outage-watch.ts';
import { PrivateWatch } from './private-watch.ts';
import type { Reader } from './reader.ts';
import { ResyncWatch } from './resync-watch.ts';

export interface FeedWatchOptions {
  readonly state: State;
  readonly reader: Reader;
  /** True when there is a key. Without one there are no private channels. */
  readonly hasKey: boolean;
  /**
   * The greatest age of a book's last confirmation at which an order is allowed; 0 where nothing is ordered.
   * Milliseconds.
   */
  readonly bookAgeMsMax: number;
  readonly clock: ClockLimits;
  readonly observe: Observer;
  readonly sendFeed: (command: FeedAsk) => void;
  /** Receives the state changes that the watches make. */
  readonly changes: StateChange[];
}

/** How often the watches check. Milliseconds. */
const CHECK_MS = 500;
/**
 * Wait before the next reconnection requested by a watch; it doubles each time, up to `RECONNECT_MS_MAX`. Milliseconds.
 */
const RECONNECT_FIRST_MS = 60_000;
const RECONNECT_MS_MAX = 600_000;
const RECONNECT_DEAD_MS = 15_000;

/** Runs all watches over the feed. */
export class FeedWatch {
  readonly #options: FeedWatchOptions;
  readonly #books: BookWatch;
  readonly #resyncs: ResyncWatch;
  readonly #private: PrivateWatch;
  readonly #clock: ClockWatch;
  readonly #outages: OutageWatch;
  #dueAt: Micros | null = null;
  #reconnectedAt: Micros | null = null;
  #reconnectWaitMs = RECONNECT_FIRST_MS;

  constructor(options: FeedWatchOptions) {
    this.#options = options;
    const reconnect = (reason: string, isDead = false): boolean => this.#reconnect(reason, isDead);
    const { state, clock, observe } = options;
    this.#books = new BookWatch(options);
    this.#resyncs = new ResyncWatch({ ...options, reconnect });
    this.#private = new PrivateWatch({ ...options, reconnect });
    this.#clock = new ClockWatch(state, clock, observe);
    this.#outages = new OutageWatch(state, observe);
  }

  start(now: Micros): void {
    this.#scheduleNext(now);
  }

  #scheduleNext(now: Micros): void {
    this.#dueAt = (now + CHECK_MS * 1000) as Micros;
  }

  /** The time of the next check; `null` before the start. */
  dueAt(): Micros | null {
    return this.#dueAt;
  }

  /** Checks everything, when due. */
  pass(now: Micros): void {
    if (this.#dueAt === null || now < this.#dueAt) return;
    this.#clock.pass(now, (now - this.#dueAt) / 1000);
    this.#scheduleNext(now);
    this.#outages.pass(now);
    this.#books.pass(now);
    this.#resyncs.pass(now);
    if (this.#options.hasKey) this.#private.pass(now);
  }

  /** Passes feed and venue events to the watches. */
  note(event: EngineEvent): void {
    switch (event.kind) {
      case 'order-accepted':
        if (!event.isFinished) this.#private.accepted(event.venueOrderId, event.at);
        return;
      case 'order-updated':
        return this.#private.told(event.order.venueOrderId);
      case 'fill':
        return this.#private.filled(event.fill);
      case 'fills':
        return this.#private.listed(event);
      case 'clock-leapt':
        // The next answer of the venue decides which clock is right.
        if (event.verdict === 'unknown') this.#options.reader.ask({ what: 'status' }, event.at);
        return this.#clock.leapt(event);
      case 'clock-stepped':
        return this.#clock.stepped(event.at, event.by);
      case 'feed-up':
        this.#outages.connected(event.connection);
        this.#resyncs.connected(event.at);
        return this.#private.changed(event.at);
      case 'feed-untold':
        return this.#resyncs.untold(event.markets, event.at);
      case 'feed-down':
        this.#outages.lost(event.reason);
        return this.#private.changed(event.at);
      case 'feed-channel':
        return this.#private.changed(event.at);
      default:
    }
  }

  /** Passes feed commands to the watches. */
  asked(command: FeedAsk): void {
    this.#resyncs.asked(command);
  }

  /** Handles a book that is live again. */
  trusted(market: MarketIndex): void {
    this.#resyncs.trusted(market, this.#options.state.now);
  }

  /** Handles a book that is no longer live: its own figures are wrong (`isWrong`), or a message was lost. */
  distrusted(market: MarketIndex, isWrong: boolean): void {
    this.#resyncs.distrusted(market, { at: this.#options.state.now, isWrong });
  }

  /** Sends the requests collected during one event, in as few commands as possible. */
  flush(): void {
    this.#resyncs.flush();
  }

  /** Audits one book over REST; the books take turns. */
  audit(): void {
    this.#books.audit();
  }

  /**
   * Requests a new connection. Returns false when the last one is too recent; a silent connection is given less time.
   */
  #reconnect(reason: string, isDead: boolean): boolean {
    const { state, sendFeed } = this.#options;
    const { now } = state;
    const passedMs = this.#reconnectedAt === null ? null : (now - this.#reconnectedAt) / 1000;
    if (passedMs !== null && passedMs < (isDead ? RECONNECT_DEAD_MS : this.#reconnectWaitMs)) return false;
    const isLongAgo = passedMs === null || passedMs > RECONNECT_MS_MAX;
    this.#reconnectWaitMs = isLongAgo ? RECONNECT_FIRST_MS : Math.min(RECONNECT_MS_MAX, this.#reconnectWaitMs * 2);
    this.#reconnectedAt = now;
    sendFeed({ type: 'reconnect', reason });
    return true;
  }

  /** The reason why the feed allows no order; `null` when it does. */
  fault(): string | null {
    const { state, hasKey } = this.#options;
    if (!state.feed.isUp) return 'the feed is down';
    if (hasKey && state.feed.privateFault !== null) return `private feed down: ${state.feed.privateFault}`;
    return this.#clock.fault();
  }

  /** The greatest recent lateness of our own timers. Milliseconds. */
  get loopLateMs(): number {
    return this.#clock.loopLateMs;
  }

  /** The numbers of books measured, books awaited and orders expected. Bounded by the markets and orders that exist. */
  get sizes(): { readonly books: number; readonly awaited: number; readonly orders: number } {
    return { books: this.#books.size, awaited: this.#resyncs.size, orders: this.#private.size };
  }
}
