// Supervises the feed: connection, books, private channels and clocks. Each concern has a watch of its own. Must never
// place or cancel an order.
import type { UnnumberedFeedCommand } from '../../domain/venue-command.ts';
import type { EngineEvent, EventKind } from '../../domain/event.ts';
import { type EventOf, isOfNature } from '../../domain/event-kinds.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { ChangeSink } from '../../state/state-change.ts';
import type { State } from '../../state/state.ts';
import { BookWatch } from './book-watch.ts';
import { type ClockLimits, ClockWatch } from './clock-watch.ts';
import type { Observer } from '../engine-notice.ts';
import { OutageWatch } from './outage-watch.ts';
import { PrivateWatch } from './private-watch.ts';
import type { VenueReader } from '../session/venue-reader.ts';
import { ResyncWatch } from './resync-watch.ts';

export interface FeedWatchOptions {
  readonly state: State;
  readonly reader: VenueReader;
  readonly hasKey: boolean;
  /**
   * The greatest age of a book's last confirmation at which an order is allowed. 0 where nothing is ordered.
   * Milliseconds.
   */
  readonly bookAgeMsMax: number;
  readonly clock: ClockLimits;
  readonly observe: Observer;
  readonly sendFeed: (command: UnnumberedFeedCommand) => void;
  readonly changes: ChangeSink;
}

/** Interval of the checks. Milliseconds. */
const CHECK_MS = 500;
/**
 * Wait before the next reconnection requested by a watch. It is doubled each time, up to `RECONNECT_MS_MAX`. A silent
 * connection waits `RECONNECT_DEAD_MS`. Milliseconds.
 */
const RECONNECT_FIRST_MS = 60_000;
const RECONNECT_MS_MAX = 600_000;
const RECONNECT_DEAD_MS = 15_000;

/** Frequent events that change nothing a check finds, apart from the lag, which the next check finds. */
const FREQUENT: ReadonlySet<EventKind> = new Set(['ticker', 'timer']);

/** Runs all watches over the feed. */
export class FeedWatch {
  readonly #options: FeedWatchOptions;
  readonly #books: BookWatch;
  readonly #resyncs: ResyncWatch;
  readonly #private: PrivateWatch;
  readonly #clock: ClockWatch;
  readonly #outages: OutageWatch;
  /** The next check that is certain; infinite when only an awaited report is to be checked. `null` before the start. */
  #dueAt: number | null = null;
  /** Time before which no check is due: one interval after the last check. */
  #soonest = 0;
  #reconnectedAt: Micros | null = null;
  #reconnectWaitMs = RECONNECT_FIRST_MS;

  constructor(options: FeedWatchOptions) {
    this.#options = options;
    const reconnect = (reason: string, isDead = false): boolean => this.#reconnect(reason, isDead);
    const { state, clock, observe } = options;
    this.#books = new BookWatch(options);
    const sendFeed = (command: UnnumberedFeedCommand): void => this.sendCommand(command);
    this.#resyncs = new ResyncWatch({ ...options, sendFeed, reconnect });
    this.#private = new PrivateWatch({ ...options, sendFeed, reconnect });
    this.#clock = new ClockWatch(state, clock, observe);
    this.#outages = new OutageWatch(state, observe);
  }

  start(now: Micros): void {
    this.#dueAt = now + CHECK_MS * 1000;
  }

  /** The time of the next check; `null` before the start. An awaited report is checked when it is overdue. */
  dueAt(): Micros | null {
    if (this.#dueAt === null) return null;
    return Math.min(this.#dueAt, Math.max(this.#soonest, this.#private.dueAt)) as Micros;
  }

  checkFeed(now: Micros): void {
    const dueAt = this.dueAt();
    if (dueAt === null || now < dueAt) return;
    const { hasKey, state } = this.#options;
    const { isLossless } = state.feed;
    this.#clock.checkClocks(now, isLossless ? 0 : (now - dueAt) / 1000);
    this.#outages.checkOutage(now);
    if (!isLossless) this.#books.probeQuietBooks(now);
    this.#resyncs.checkBooks(now);
    if (hasKey) this.#private.checkChannels(now);
    this.#soonest = now + CHECK_MS * 1000;
    // Beside a lossless feed, the next check comes when it may find something.
    this.#dueAt = isLossless && state.feed.isUp ? Math.max(this.#soonest, this.#resyncs.dueAt) : this.#soonest;
  }

  onEvent(event: EngineEvent): void {
    // No watch needs these events, which are the most frequent.
    if (isOfNature(event, 'book')) return;
    if (this.#options.state.feed.isLossless && this.#mayHaveFinding(event)) this.#checkSoon(event.at);
    if (isOfNature(event, 'account')) this.#onAccountEvent(event);
    else if (isOfNature(event, 'feed')) this.#onFeedEvent(event);
    else if (isOfNature(event, 'session')) this.#onSessionEvent(event);
    else if (event.kind === 'fills') this.#private.checkFills(event);
  }

  /**
   * True when a check after the event may find something. An answer matters to the clocks alone, which are asked at once.
   * The report that an accepted order awaits has a due time of its own.
   */
  #mayHaveFinding(event: EngineEvent): boolean {
    if (event.kind === 'answered') return this.#clock.hasFinding(event.at);
    return !FREQUENT.has(event.kind) && !isOfNature(event, 'account');
  }

  /** Beside a lossless feed, a check is due only after an event that can change its result. */
  #checkSoon(now: Micros): void {
    if (!this.#options.state.feed.isLossless || this.#dueAt === null) return;
    this.#dueAt = Math.min(this.#dueAt, now + CHECK_MS * 1000);
  }

  #onAccountEvent(event: EventOf<'account'>): void {
    switch (event.kind) {
      case 'order-accepted':
        if (!event.isFinished) this.#private.onOrderAccepted(event.venueOrderId, event.at);
        return;
      case 'order-updated':
        return this.#private.onOrderReport(event.order.venueOrderId);
      case 'fill':
        return this.#private.onFillReport(event.fill);
      // No report on a private channel is expected after these events.
      case 'order-rejected':
      case 'order-not-sent':
      case 'order-unknown':
      case 'cancel-accepted':
      case 'cancel-refused':
      case 'cancel-lost':
      case 'amend-accepted':
      case 'amend-refused':
      case 'amend-lost':
      case 'position-updated':
    }
  }

  #onSessionEvent(event: EventOf<'session'>): void {
    switch (event.kind) {
      case 'clock-leapt':
        // The venue's next answer shows which clock is right.
        if (event.verdict === 'unknown') this.#options.reader.requestRead({ what: 'status' }, event.at);
        return this.#clock.onClockLeapt(event);
      case 'clock-stepped':
        return this.#clock.onClockStepped(event.at, event.by);
      // These events say nothing about the feed or a clock.
      case 'start':
      case 'stop':
      case 'timer':
      case 'operator':
      case 'unrecognized':
    }
  }

  #onFeedEvent(event: EventOf<'feed'>): void {
    switch (event.kind) {
      case 'feed-up':
        this.#outages.onConnected(event.connection);
        this.#resyncs.onConnected(event.at);
        return this.#private.onChannelsChange(event.at);
      case 'feed-untold':
        return this.#resyncs.onBooksUnavailable(event.markets, event.at);
      case 'feed-down':
        this.#outages.onLost(event.reason);
        return this.#private.onChannelsChange(event.at);
      case 'feed-channel':
        return this.#private.onChannelsChange(event.at);
      // The state records the time of each heartbeat.
      case 'feed-heard':
    }
  }

  /** Sends a feed command. The watches send through it, so that they know what is requested. */
  sendCommand(command: UnnumberedFeedCommand): void {
    this.#resyncs.onFeedCommand(command);
    this.#checkSoon(this.#options.state.now);
    this.#options.sendFeed(command);
  }

  onBookLive(market: MarketIndex): void {
    const { now } = this.#options.state;
    if (this.#resyncs.onBookLive(market, now)) this.#checkSoon(now);
  }

  /** Handles a book that is no longer live. Either its own figures are wrong (`isWrong`), or a message was lost. */
  onBookSuspect(market: MarketIndex, isWrong: boolean): void {
    this.#resyncs.onBookSuspect(market, { at: this.#options.state.now, isWrong });
    this.#checkSoon(this.#options.state.now);
  }

  /** Sends the requests collected during one event, in as few commands as possible. */
  flushResyncs(): void {
    this.#resyncs.flushResyncs();
  }

  auditNextBook(): void {
    this.#books.auditNextBook();
  }

  /**
   * Requests a new connection. Returns false when the last request is too recent. A silent connection (`isDead`) may be
   * replaced sooner.
   */
  #reconnect(reason: string, isDead: boolean): boolean {
    const { now } = this.#options.state;
    const passedMs = this.#reconnectedAt === null ? null : (now - this.#reconnectedAt) / 1000;
    if (passedMs !== null && passedMs < (isDead ? RECONNECT_DEAD_MS : this.#reconnectWaitMs)) return false;
    const isLongAgo = passedMs === null || passedMs > RECONNECT_MS_MAX;
    this.#reconnectWaitMs = isLongAgo ? RECONNECT_FIRST_MS : Math.min(RECONNECT_MS_MAX, this.#reconnectWaitMs * 2);
    this.#reconnectedAt = now;
    this.sendCommand({ type: 'reconnect', reason });
    return true;
  }

  /** The reason why the feed allows no order; `null` when it does. */
  blockingFault(): string | null {
    const { state, hasKey } = this.#options;
    if (!state.feed.isUp) return 'the feed is down';
    if (hasKey && state.feed.privateFault !== null) return `private feed down: ${state.feed.privateFault}`;
    return this.#clock.blockingFault();
  }

  get loopLateMs(): number {
    return this.#clock.loopLateMs;
  }

  /** The numbers of books measured, books awaited and orders expected. */
  get sizes(): { readonly books: number; readonly awaited: number; readonly orders: number } {
    return { books: this.#books.size, awaited: this.#resyncs.size, orders: this.#private.size };
  }
}
