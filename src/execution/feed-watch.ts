// Watches over the feed: connected, every book live and confirmed, the account's own channels granted, the clocks right.
// Here the watches meet; each keeps to its own matter. Must never act but by asking: reads, feed commands, alarms.
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
  /** Without a key nothing private is told. */
  readonly hasKey: boolean;
  /** How old the last confirmation of a book may be for an order; 0 where nothing is ordered. Milliseconds. */
  readonly bookAgeMsMax: number;
  readonly clock: ClockLimits;
  readonly observe: Observer;
  readonly sendFeed: (ask: FeedAsk) => void;
  /** Takes what the watches change in the state. */
  readonly changes: StateChange[];
}

/** How often the watches look. */
const PASS_MS = 500;
/** After a connection was made anew for the sake of the watches, the next one waits so long, and twice as long each time. */
const RECONNECT_FIRST_MS = 60_000;
const RECONNECT_MS_MAX = 600_000;
const RECONNECT_DEAD_MS = 15_000;

/** All watches over the feed. */
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
    this.#next(now);
  }

  #next(now: Micros): void {
    this.#dueAt = (now + PASS_MS * 1000) as Micros;
  }

  /** When the watches want to look next; `null` before the start. */
  dueAt(): Micros | null {
    return this.#dueAt;
  }

  /** Looks, when it is time. */
  pass(now: Micros): void {
    if (this.#dueAt === null || now < this.#dueAt) return;
    this.#clock.pass(now, (now - this.#dueAt) / 1000);
    this.#next(now);
    this.#outages.pass(now);
    this.#books.pass(now);
    this.#resyncs.pass(now);
    if (this.#options.hasKey) this.#private.pass(now);
  }

  /** Learns from what the feed and the venue say. */
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
        // An answer that was asked for after the leap decides which clock is right.
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

  /** Learns what is asked of the feed. */
  asked(ask: FeedAsk): void {
    this.#resyncs.asked(ask);
  }

  /** A book is believed again. */
  trusted(market: MarketIndex): void {
    this.#resyncs.trusted(market, this.#options.state.now);
  }

  /** A book is no longer believed: by its own figures, or because something was lost. */
  distrusted(market: MarketIndex, isWrong: boolean): void {
    this.#resyncs.distrusted(market, { at: this.#options.state.now, isWrong });
  }

  /** Sends what was asked for while one event was handled, in as few commands as it fits in. */
  flush(): void {
    this.#resyncs.flush();
  }

  /** Reads one book over REST, each in turn. */
  audit(): void {
    this.#books.audit();
  }

  /** A connection that says nothing at all is no loss, and is not spared as long as one that does. */
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

  /** Why the feed allows no order; `null` when it does. */
  fault(): string | null {
    const { state, hasKey } = this.#options;
    if (!state.feed.isUp) return 'the feed is down';
    if (hasKey && state.feed.privateFault !== null) return `private feed down: ${state.feed.privateFault}`;
    return this.#clock.fault();
  }

  /** How late our own timers have fired of late, at most. Milliseconds. */
  get loopLateMs(): number {
    return this.#clock.loopLateMs;
  }

  /** How much is being watched: bounded by the markets and the orders there are. */
  get sizes(): { readonly books: number; readonly awaited: number; readonly orders: number } {
    return { books: this.#books.size, awaited: this.#resyncs.size, orders: this.#private.size };
  }
}
