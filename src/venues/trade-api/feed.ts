// The feed of a `trade-api` exchange: keeps a connection, subscribes to what is wanted, and hands on all that comes.
// Must never interpret data frames: what they mean is the normalizer's business, live and in a replay alike.
import type { FeedCommand } from '../../domain/command.ts';
import { type Micros, micros } from '../../domain/units.ts';
import { RateBudget } from '../../execution/budget.ts';
import type { BackoffOptions } from '../../transport/backoff.ts';
import { describeDown } from '../../transport/down-reason.ts';
import { type Scheduler, systemScheduler, type Timer } from '../../transport/scheduler.ts';
import { type Dial, type HandshakeHeaders, ReconnectingSocket } from '../../transport/socket.ts';
import type { Feed, FeedSignal, Frame } from '../../venue.ts';
import { CommandTexts } from './feed-commands.ts';
import { FeedPlan, type Reply } from './feed-plan.ts';
import { FeedReplies } from './feed-replies.ts';
import type { WireProfile } from './profile.ts';

/** Makes the headers of one handshake, signed for this moment. */
export type SignHandshake = () => HandshakeHeaders | Promise<HandshakeHeaders>;

export interface TradeApiFeedOptions {
  readonly profile: WireProfile;
  /** `wss://host[:port]` and the feed's path. */
  readonly url: string;
  /** `null` without a key: only public channels are taken then. */
  readonly sign: SignHandshake | null;
  /** Takes only public channels, with a key too. */
  readonly publicOnly?: boolean;
  /** Our clock. */
  readonly clock: () => Micros;
  /** From 0 up to but not including 1: jitter. */
  readonly random: () => number;
  readonly scheduler?: Scheduler;
  readonly tuning?: Partial<FeedTuning>;
  /** In place of a WebSocket over the network. */
  readonly dial?: Dial;
}

/** What may be set otherwise than usual. */
export interface FeedTuning {
  readonly backoff: BackoffOptions;
  readonly handshakeTimeoutMs: number;
  /** Not one byte for this long, our own ping unanswered, and the connection counts as dead. */
  readonly silenceMs: number;
  /** A connection that held this long counts as a success for the backoff. */
  readonly stableMs: number;
  readonly frameBytesMax: number;
  readonly sendBufferBytesMax: number;
  /** Markets named in one command at most. */
  readonly tickersPerCommand: number;
  /** Added to the window of the feed's limit: commands may arrive closer together than they left. */
  readonly guardMs: number;
}

/** How long nothing is asked of a venue that was asked too much. */
const PAUSE_MS = 1000;
/** How many of the venue's pings may be missed before the connection counts as dead. */
const PINGS_MISSED = 2.5;

const usualTuning = (profile: WireProfile): FeedTuning => ({
  backoff: { firstMs: 250, capMs: 15_000, jitter: 'equal' },
  handshakeTimeoutMs: 5000,
  silenceMs: profile.feed.pingEveryMs * PINGS_MISSED,
  stableMs: 10_000,
  frameBytesMax: 16 * 1024 * 1024,
  sendBufferBytesMax: 1024 * 1024,
  tickersPerCommand: 200,
  guardMs: 100,
});

/** The feed cannot be had without a key. */
export class FeedKeyError extends Error {
  override readonly name = 'FeedKeyError';
  readonly profile: string;

  constructor(profile: string) {
    super(`the feed of profile "${profile}" needs a key, for public channels too; none is configured`);
    this.profile = profile;
  }
}

/** A frame of ours, filled anew for each message. Its time is that of the bytes it came with. */
type OwnFrame = { -readonly [Key in keyof Frame]: Frame[Key] };

/** A `Feed` over one socket. */
export class TradeApiFeed implements Feed {
  readonly #options: TradeApiFeedOptions;
  readonly #scheduler: Scheduler;
  readonly #plan: FeedPlan;
  readonly #replies: FeedReplies;
  readonly #commands: CommandTexts;
  readonly #budget: RateBudget;
  readonly #socket: ReconnectingSocket;
  readonly #frame: OwnFrame;
  #sink: (input: Frame | FeedSignal) => void = () => {};
  #flushTimer: Timer | null = null;
  #isUp = false;

  /** @throws {FeedKeyError} without a key, where even public channels need one. */
  constructor(options: TradeApiFeedOptions) {
    const { profile, sign, publicOnly = false } = options;
    if (sign === null && profile.feed.publicFeedNeedsKey) throw new FeedKeyError(profile.name);
    const tuning = { ...usualTuning(profile), ...options.tuning };
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#plan = new FeedPlan({
      feed: profile.feed,
      hasKey: sign !== null && !publicOnly,
      tickersPerAsk: tuning.tickersPerCommand,
    });
    this.#replies = new FeedReplies(profile.feed);
    this.#commands = new CommandTexts(profile);
    this.#budget = new RateBudget({ limit: profile.limits.feed, guardMs: tuning.guardMs });
    this.#frame = { type: 'frame', at: options.clock(), bytes: new Uint8Array() };
    this.#socket = this.#makeSocket(tuning);
  }

  start(sink: (input: Frame | FeedSignal) => void): void {
    this.#sink = sink;
    this.#socket.start();
  }

  send(command: FeedCommand): void {
    if (command.type === 'reconnect') return this.#socket.reconnect(command.reason);
    this.#planFor(command);
    this.#flushSoon();
  }

  #planFor(command: Exclude<FeedCommand, { type: 'reconnect' }>): void {
    switch (command.type) {
      case 'subscribe':
        return this.#plan.want(command.tickers);
      case 'unsubscribe':
        return this.#plan.unwant(command.tickers);
      case 'resync':
        return this.#plan.resync(command.tickers);
      case 'renew':
        return this.#plan.renew(command.tickers);
      case 'renew-private':
        return this.#plan.renewPrivate();
    }
  }

  async stop(): Promise<void> {
    this.#noteDown();
    await this.#socket.stop();
    this.#sink = () => {};
  }

  #makeSocket(tuning: FeedTuning): ReconnectingSocket {
    const { url, sign, random, dial } = this.#options;
    return new ReconnectingSocket(
      { ...tuning, url, headers: sign ?? (() => ({})), random, scheduler: this.#scheduler, ...(dial && { dial }) },
      {
        onUp: (connection) => this.#noteUp(connection),
        onBytes: () => (this.#frame.at = this.#options.clock()),
        onHeard: () => this.#sink({ type: 'feed-heard', at: this.#frame.at }),
        onFrame: (bytes) => this.#noteFrame(bytes),
        onDown: (reason, retryMs) => {
          this.#noteDown();
          const text = `${describeDown(reason)}; next attempt in ${retryMs / 1000} s`;
          this.#sink({ type: 'feed-down', at: this.#options.clock(), reason: text });
        },
      },
    );
  }

  #noteUp(connection: number): void {
    this.#isUp = true;
    this.#sink({ type: 'feed-up', at: this.#options.clock(), connection });
    this.#plan.connect();
    this.#flush();
  }

  #noteDown(): void {
    this.#isUp = false;
    this.#plan.disconnect();
    if (this.#flushTimer !== null) this.#scheduler.cancel(this.#flushTimer);
    this.#flushTimer = null;
  }

  #noteFrame(bytes: Uint8Array): void {
    this.#frame.bytes = bytes;
    this.#sink(this.#frame);
    const reply = this.#replies.read(bytes);
    if (reply === null) return;
    this.#pauseAfter(reply);
    this.#plan.heard(reply);
    this.#flushSoon();
  }

  /** A venue that says that commands come too fast is asked nothing for a while. */
  #pauseAfter(reply: Reply): void {
    if (reply.kind !== 'refused' || reply.code !== this.#options.profile.feed.errors.tooManyCommands) return;
    this.#budget.pauseUntil(micros(this.#options.clock() + PAUSE_MS * 1000));
  }

  /** Commands that come together are sent together, in as few messages as they fit in. */
  #flushSoon(delayMs = 0): void {
    if (!this.#isUp || !this.#plan.hasNext) return;
    this.#flushTimer ??= this.#scheduler.after(delayMs, () => {
      this.#flushTimer = null;
      this.#flush();
    });
  }

  /** Sends what the feed's limit allows now, and comes back for the rest. */
  #flush(): void {
    while (this.#isUp && this.#plan.hasNext) {
      const now = this.#options.clock();
      if (!this.#budget.canTake(1, now)) {
        return this.#flushSoon(Math.max(1, Math.ceil((this.#budget.availableAt(1, now) - now) / 1000)));
      }
      this.#budget.take(1, now);
      const asked = this.#plan.next();
      if (asked === null) return;
      const text = this.#commands.textOf(asked);
      if (this.#socket.send(text)) this.#sink({ type: 'feed-sent', at: now, text });
    }
  }
}
