// The feed of a `trade-api` exchange: keeps a connection, subscribes to the wanted markets, and passes on every frame.
// Must never interpret data frames: the normalizer does that.
import type { FeedCommand } from '../../../domain/venue-command.ts';
import { type Micros, micros } from '../../../domain/units.ts';
import { RateBudget } from '../../../domain/rate-budget.ts';
import { Backoff, type BackoffOptions } from '../../../transport/backoff.ts';
import { describeDownReason } from '../../../transport/down-reason.ts';
import { type Scheduler, systemScheduler, type Timer } from '../../../transport/scheduler.ts';
import {
  type DialConnection,
  type HandshakeHeaders,
  ReconnectingSocket,
} from '../../../transport/reconnecting-socket.ts';
import type { Feed, FeedSignal, Frame } from '../../../venue.ts';
import { FeedCommandEncoder } from './feed-command-encoder.ts';
import type { FeedReply } from './subscription-command.ts';
import { SubscriptionPlan } from './subscription-plan.ts';
import { FeedReplyReader } from './feed-reply-reader.ts';
import type { WireProfile } from '../profiles/wire-profile.ts';

/** Creates the headers of one handshake, signed for the present time. */
export type SignHandshake = () => HandshakeHeaders | Promise<HandshakeHeaders>;

export interface TradeApiFeedOptions {
  readonly profile: WireProfile;
  /** `wss://host[:port]` and the feed's path. */
  readonly url: string;
  /** `null` without a key: then only public channels are subscribed. */
  readonly sign: SignHandshake | null;
  /** Subscribes to public channels only, even with a key. */
  readonly publicOnly?: boolean;
  readonly clock: () => Micros;
  /** Source of jitter: from 0 up to but not including 1. */
  readonly random: () => number;
  readonly scheduler?: Scheduler;
  readonly tuning?: Partial<FeedTuning>;
  /** Replaces the network WebSocket. */
  readonly dial?: DialConnection;
}

/** Timeouts and bounds of one feed. Each has a default. */
export interface FeedTuning {
  readonly backoff: BackoffOptions;
  readonly handshakeTimeoutMs: number;
  /** Without a single byte for this long, and with our own ping unanswered, the connection counts as dead. */
  readonly silenceMs: number;
  /** A connection that lasted this long counts as a success for the backoff. */
  readonly stableMs: number;
  readonly frameBytesMax: number;
  readonly sendBufferBytesMax: number;
  readonly tickersPerCommand: number;
  /** Lengthens the window of the feed's rate limit: commands may arrive closer together than they were sent. */
  readonly guardMs: number;
}

/** Pause after the venue refused a command as too fast. */
const PAUSE_MS = 1000;
/** Pauses before refused channels are requested again. */
const REFUSED_PAUSES = { firstMs: 5000, capMs: 300_000, jitter: 'equal' } as const;
/** The default of `silenceMs`, in ping intervals of the venue. */
const PINGS_MISSED = 2.5;

const defaultTuning = (profile: WireProfile): FeedTuning => ({
  backoff: { firstMs: 250, capMs: 15_000, jitter: 'equal' },
  handshakeTimeoutMs: 5000,
  silenceMs: profile.feed.pingEveryMs * PINGS_MISSED,
  stableMs: 10_000,
  frameBytesMax: 16 * 1024 * 1024,
  sendBufferBytesMax: 1024 * 1024,
  tickersPerCommand: 200,
  guardMs: 100,
});

/** Thrown when the feed cannot be used without a key. */
export class FeedKeyError extends Error {
  override readonly name = 'FeedKeyError';
  readonly profile: string;

  constructor(profile: string) {
    super(`the feed of profile "${profile}" needs a key, for public channels too; none is configured`);
    this.profile = profile;
  }
}

/** A frame that is reused for every message. Its time is the arrival of its bytes. */
type ReusedFrame = { -readonly [Key in keyof Frame]: Frame[Key] };

/** A `Feed` over one socket. */
export class TradeApiFeed implements Feed {
  readonly #options: TradeApiFeedOptions;
  readonly #scheduler: Scheduler;
  readonly #plan: SubscriptionPlan;
  readonly #replies: FeedReplyReader;
  readonly #commands: FeedCommandEncoder;
  readonly #budget: RateBudget;
  readonly #socket: ReconnectingSocket;
  readonly #frame: ReusedFrame;
  #sink: (input: Frame | FeedSignal) => void = () => {};
  readonly #refusedBackoff: Backoff;
  #flushTimer: Timer | null = null;
  #retryTimer: Timer | null = null;
  #isUp = false;

  /** @throws {FeedKeyError} without a key, when even public channels need one. */
  constructor(options: TradeApiFeedOptions) {
    const { profile, sign, publicOnly = false } = options;
    if (sign === null && profile.feed.publicFeedNeedsKey) throw new FeedKeyError(profile.name);
    const tuning = { ...defaultTuning(profile), ...options.tuning };
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#plan = new SubscriptionPlan({
      feed: profile.feed,
      hasKey: sign !== null && !publicOnly,
      tickersPerCommand: tuning.tickersPerCommand,
    });
    this.#replies = new FeedReplyReader(profile.feed);
    this.#commands = new FeedCommandEncoder(profile);
    this.#budget = new RateBudget({ limit: profile.limits.feed, guardMs: tuning.guardMs });
    this.#frame = { type: 'frame', at: options.clock(), bytes: new Uint8Array() };
    this.#refusedBackoff = new Backoff(REFUSED_PAUSES, options.random);
    this.#socket = this.#makeSocket(tuning);
  }

  start(sink: (input: Frame | FeedSignal) => void): void {
    this.#sink = sink;
    this.#socket.start();
  }

  send(command: FeedCommand): void {
    if (command.type === 'reconnect') return this.#socket.reconnect(command.reason);
    this.#applyCommand(command);
    this.#flushSoon();
  }

  #applyCommand(command: Exclude<FeedCommand, { type: 'reconnect' }>): void {
    switch (command.type) {
      case 'subscribe':
        return this.#plan.addMarkets(command.tickers);
      case 'unsubscribe':
        return this.#plan.removeMarkets(command.tickers);
      case 'resync':
        return this.#plan.requestSnapshots(command.tickers);
      case 'renew':
        return this.#plan.resubscribeBooks(command.tickers);
      case 'renew-private':
        return this.#plan.resubscribePrivate();
    }
  }

  async stop(): Promise<void> {
    this.#onDown();
    await this.#socket.stop();
    this.#sink = () => {};
  }

  #makeSocket(tuning: FeedTuning): ReconnectingSocket {
    const { url, sign, random, dial } = this.#options;
    return new ReconnectingSocket(
      { ...tuning, url, headers: sign ?? (() => ({})), random, scheduler: this.#scheduler, ...(dial && { dial }) },
      {
        onUp: (connection) => this.#onUp(connection),
        onBytes: () => (this.#frame.at = this.#options.clock()),
        onHeartbeat: () => this.#sink({ type: 'feed-heard', at: this.#frame.at }),
        onFrame: (bytes) => this.#onFrame(bytes),
        onDown: (reason, retryMs) => {
          this.#onDown();
          const text = `${describeDownReason(reason)}; next attempt in ${retryMs / 1000} s`;
          this.#sink({ type: 'feed-down', at: this.#options.clock(), reason: text });
        },
      },
    );
  }

  #onUp(connection: number): void {
    this.#isUp = true;
    this.#sink({ type: 'feed-up', at: this.#options.clock(), connection });
    this.#plan.connect();
    this.#flush();
  }

  #onDown(): void {
    this.#isUp = false;
    this.#plan.disconnect();
    for (const timer of [this.#flushTimer, this.#retryTimer]) if (timer !== null) this.#scheduler.cancel(timer);
    this.#flushTimer = null;
    this.#retryTimer = null;
    this.#refusedBackoff.recordSuccess();
  }

  #onFrame(bytes: Uint8Array): void {
    this.#frame.bytes = bytes;
    this.#sink(this.#frame);
    const reply = this.#replies.readReply(bytes);
    if (reply === null) return;
    this.#pauseAfter(reply);
    this.#plan.applyReply(reply);
    this.#flushSoon();
    this.#retrySoon();
  }

  /** Schedules the next request of refused channels. The pause grows until all are granted. */
  #retrySoon(): void {
    if (!this.#plan.hasRefused) return this.#refusedBackoff.recordSuccess();
    this.#retryTimer ??= this.#scheduler.after(this.#refusedBackoff.nextDelayMs(), () => {
      this.#retryTimer = null;
      this.#plan.retryRefused();
      this.#flushSoon();
      this.#retrySoon();
    });
  }

  #pauseAfter(reply: FeedReply): void {
    if (reply.kind !== 'refused' || reply.code !== this.#options.profile.feed.errors.tooManyCommands) return;
    this.#budget.pauseUntil(micros(this.#options.clock() + PAUSE_MS * 1000));
  }

  /** Schedules a flush, so that commands of the same turn are combined into few messages. */
  #flushSoon(delayMs = 0): void {
    if (!this.#isUp || !this.#plan.hasNext) return;
    this.#flushTimer ??= this.#scheduler.after(delayMs, () => {
      this.#flushTimer = null;
      this.#flush();
    });
  }

  /** Sends what the feed's rate limit allows now, and schedules a flush for the rest. */
  #flush(): void {
    while (this.#isUp && this.#plan.hasNext) {
      const now = this.#options.clock();
      if (!this.#budget.canTake(1, now)) {
        return this.#flushSoon(Math.max(1, Math.ceil((this.#budget.availableAt(1, now) - now) / 1000)));
      }
      this.#budget.takeUnits(1, now);
      const command = this.#plan.takeNextCommand();
      if (command === null) return;
      const text = this.#commands.encodeCommand(command);
      if (this.#socket.send(text)) this.#sink({ type: 'feed-sent', at: now, text });
    }
  }
}
