// The bot's stream in a simulated world: one connection after another between the real feed and the real exchange.
// Frames of a connection that lives all arrive, in order; a connection may fall silent, be cut, or be late.
import type { ConnectionListener, ConnectionOptions } from '../../src/transport/connection.ts';
import type { DownReason } from '../../src/transport/down-reason.ts';
import type { Scheduler, Timer } from '../../src/transport/scheduler.ts';
import type { Dial, Dialed } from '../../src/transport/socket.ts';
import type { FeedEnd } from './site.ts';
import type { LinkOptions } from './http-link.ts';

/** Told of what reaches the bot. */
export interface FeedWatcher {
  onUp(connection: FeedConnection): void;
  onFrame(connection: FeedConnection, text: string): void;
  onDown(connection: FeedConnection, reason: DownReason): void;
}

export interface FeedLinkOptions extends Omit<LinkOptions, 'onRequest' | 'onAnswer'> {
  readonly watcher: FeedWatcher;
}

/** How often silence is looked for per `silenceMs`, as the real connection does. */
const CHECKS_PER_SILENCE = 4;

/** Dials of one process, and the connections that it has open. */
export class FeedLink {
  readonly #options: FeedLinkOptions;
  readonly #open = new Set<FeedConnection>();

  constructor(options: FeedLinkOptions) {
    this.#options = options;
  }

  readonly dial: Dial = (address, options, listener) => {
    const connection = new FeedConnection(this.#options, { ...options, headers: address.headers }, listener);
    this.#open.add(connection);
    connection.onOver = () => this.#open.delete(connection);
    return connection;
  };

  /** Cuts every open connection: both ends learn of it. */
  cut(detail: string): void {
    for (const connection of this.#open) connection.cut(detail);
  }

  /** Every open connection falls silent: neither end learns of it. */
  silence(): void {
    for (const connection of this.#open) connection.silence();
  }

  /** The process has died: the exchange sees its connections go. */
  die(): void {
    for (const connection of this.#open) connection.leave();
  }
}

interface Address {
  readonly headers: Readonly<Record<string, string>>;
}

/** One connection. */
export class FeedConnection implements Dialed {
  readonly #link: FeedLinkOptions;
  readonly #options: ConnectionOptions & { readonly scheduler: Scheduler };
  readonly #listener: ConnectionListener;
  #end: FeedEnd | null = null;
  #timer: Timer | null = null;
  #isUp = false;
  #isOver = false;
  #isSilent = false;
  /** When the last frame arrives each way: none overtakes another. */
  #inAt = 0;
  #outAt = 0;
  #heardCount = 0;
  #quietChecks = 0;
  onOver: () => void = () => {};

  constructor(
    link: FeedLinkOptions,
    options: ConnectionOptions & { readonly scheduler: Scheduler } & Address,
    listener: ConnectionListener,
  ) {
    this.#link = link;
    this.#options = options;
    this.#listener = listener;
    const { weather, time, trace } = link;
    const { handshakeTimeoutMs: timeoutMs } = options;
    this.#setTimer(timeoutMs, () => this.end({ type: 'handshake-timeout', timeoutMs }));
    if (!link.life.isAlive || weather.is('partition')) return;
    if (weather.is('refusal') || !link.site.isUp) {
      trace.count('fault: connection refused');
      time.later(weather.latencyMs(), () => this.#fail({ type: 'unreachable', detail: 'ECONNREFUSED' }), true);
    } else time.later(weather.latencyMs(), () => this.#knock(options.headers));
  }

  /** The handshake reaches the exchange. */
  #knock(headers: Readonly<Record<string, string>>): void {
    const { site, weather, time } = this.#link;
    if (this.#isOver) return;
    if (!site.isUp) {
      time.later(weather.latencyMs(), () => this.#fail({ type: 'unreachable', detail: 'ECONNRESET' }), true);
      return;
    }
    const found = site.openFeed(headers, {
      send: (text) => this.#carry(() => this.#hear(text)),
      ping: () => this.#carry(() => this.#listener.onHeard()),
      hangUp: (reason) => this.#carry(() => this.#fail(reason)),
    });
    if ('status' in found) {
      const { status, body, retryAfterMs } = found;
      time.later(weather.latencyMs(), () => this.#fail({ type: 'refused', status, body, retryAfterMs }), true);
      return;
    }
    this.#end = found;
    this.#carry(() => this.#rise());
  }

  #rise(): void {
    if (this.#isOver) return;
    this.#isUp = true;
    this.#watch();
    this.#link.watcher.onUp(this);
    this.#listener.onUp();
  }

  /** Something of the exchange's travels to the bot, behind all before it. */
  #carry(arrive: () => void): void {
    const { time, weather, life } = this.#link;
    const now = time.elapsedMs;
    this.#inAt = Math.max(this.#inAt + 0.001, now + weather.partitionMs + weather.latencyMs());
    time.later(
      this.#inAt - now,
      () => {
        if (this.#isOver || this.#isSilent || !life.isAlive) return;
        this.#heardCount += 1;
        if (this.#isUp) this.#listener.onBytes();
        arrive();
      },
      true,
    );
  }

  #hear(text: string): void {
    this.#link.trace.note('frame', text);
    this.#link.watcher.onFrame(this, text);
    this.#listener.onFrame(Buffer.from(text));
  }

  send(text: string): boolean {
    if (!this.#isUp || this.#isOver) return false;
    const { time, weather, trace } = this.#link;
    const now = time.elapsedMs;
    this.#outAt = Math.max(this.#outAt + 0.001, now + weather.partitionMs + weather.latencyMs());
    time.later(this.#outAt - now, () => {
      if (this.#isSilent) return;
      trace.note('feed asked', text);
      this.#end?.hear(text);
    });
    return true;
  }

  /** Cut by us: the exchange learns of it later. */
  end(reason: DownReason): void {
    this.#leaveSoon();
    this.#link.time.later(0, () => this.#fail(reason), true);
  }

  close(): void {
    this.end({ type: 'stopped' });
  }

  cut(detail: string): void {
    this.#link.trace.count('fault: stream cut');
    this.#leaveSoon();
    this.#fail({ type: 'broken', detail });
  }

  silence(): void {
    this.#link.trace.count('fault: stream half-open');
    this.#isSilent = true;
    this.#leaveSoon();
  }

  /** Gone without a word. */
  leave(): void {
    this.#isOver = true;
    this.#leaveSoon();
    this.onOver();
  }

  #leaveSoon(): void {
    const { time, weather } = this.#link;
    const end = this.#end;
    this.#end = null;
    if (end) time.later(weather.partitionMs + weather.latencyMs(), () => end.close());
  }

  #fail(reason: DownReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isUp = false;
    this.#setTimer(null);
    this.#leaveSoon();
    this.onOver();
    if (!this.#link.life.isAlive) return;
    this.#link.trace.note('feed down', reason.type);
    this.#link.watcher.onDown(this, reason);
    this.#listener.onDown(reason);
  }

  #watch(): void {
    this.#setTimer(this.#options.silenceMs / CHECKS_PER_SILENCE, () => this.#check());
  }

  /** The exchange answers a ping unless nothing reaches it. */
  #check(): void {
    const { silenceMs } = this.#options;
    this.#quietChecks = this.#heardCount === 0 ? this.#quietChecks + 1 : 0;
    this.#heardCount = 0;
    if (this.#quietChecks >= CHECKS_PER_SILENCE) return this.end({ type: 'silent', silenceMs });
    if (this.#quietChecks === CHECKS_PER_SILENCE / 2 && !this.#isSilent) this.#carry(() => this.#listener.onHeard());
    this.#watch();
  }

  #setTimer(delayMs: number | null, act: () => void = () => {}): void {
    const { scheduler } = this.#options;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = delayMs === null ? null : scheduler.after(delayMs, act);
  }
}
