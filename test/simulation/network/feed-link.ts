// The bot's stream in a simulation: one connection after another between the real feed and the real exchange. All
// frames of a live connection arrive, in order; a connection may fall silent, be cut, or be late.
import type { ConnectionListener, ConnectionOptions } from '../../../src/transport/websocket-connection.ts';
import type { DownReason } from '../../../src/transport/down-reason.ts';
import type { Scheduler, Timer } from '../../../src/transport/scheduler.ts';
import type { DialConnection, DialedConnection } from '../../../src/transport/reconnecting-socket.ts';
import type { FeedEnd } from '../simulated-exchange.ts';
import type { LinkOptions } from './http-link.ts';

/** Receives everything that reaches the bot. */
export interface FeedWatcher {
  onUp(connection: FeedConnection): void;
  onFrame(connection: FeedConnection, text: string): void;
  onDown(connection: FeedConnection, reason: DownReason): void;
}

export interface FeedLinkOptions extends Omit<LinkOptions, 'onRequest' | 'onAnswer'> {
  readonly watcher: FeedWatcher;
}

/** Number of silence checks per `silenceMs`, as in the real connection. */
const CHECKS_PER_SILENCE = 4;

/** The dialer of one process, and its open connections. */
export class FeedLink {
  readonly #options: FeedLinkOptions;
  readonly #open = new Set<FeedConnection>();

  constructor(options: FeedLinkOptions) {
    this.#options = options;
  }

  readonly dial: DialConnection = (address, options, listener) => {
    const connection = new FeedConnection(this.#options, { ...options, headers: address.headers }, listener);
    this.#open.add(connection);
    connection.onOver = () => this.#open.delete(connection);
    return connection;
  };

  /** Cuts every open connection: both ends notice. */
  cut(detail: string): void {
    for (const connection of this.#open) connection.cut(detail);
  }

  /** Silences every open connection: neither end notices. */
  silence(): void {
    for (const connection of this.#open) connection.silence();
  }

  /** Ends the connections of a dead process: the exchange sees them close. */
  die(): void {
    for (const connection of this.#open) connection.leave();
  }
}

interface Address {
  readonly headers: Readonly<Record<string, string>>;
}

/** One connection. */
export class FeedConnection implements DialedConnection {
  readonly #link: FeedLinkOptions;
  readonly #options: ConnectionOptions & { readonly scheduler: Scheduler };
  readonly #listener: ConnectionListener;
  #end: FeedEnd | null = null;
  #timer: Timer | null = null;
  #isUp = false;
  #isOver = false;
  #isSilent = false;
  /** Arrival of the last frame in each direction: none overtakes another. */
  #inAt = 0;
  #outAt = 0;
  #receivedCount = 0;
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
    const { network, time, trace } = link;
    const { handshakeTimeoutMs: timeoutMs } = options;
    this.#setTimer(timeoutMs, () => this.terminate({ type: 'handshake-timeout', timeoutMs }));
    if (!link.life.isAlive || network.isUnder('partition')) return;
    if (network.isUnder('refusal') || !link.site.isUp) {
      trace.addCount('fault: connection refused');
      time.later(network.latencyMs(), () => this.#goDown({ type: 'unreachable', detail: 'ECONNREFUSED' }), true);
    } else time.later(network.latencyMs(), () => this.#handshake(options.headers));
  }

  /** Handles the handshake at the exchange. */
  #handshake(headers: Readonly<Record<string, string>>): void {
    const { site, network, time } = this.#link;
    if (this.#isOver) return;
    if (!site.isUp) {
      time.later(network.latencyMs(), () => this.#goDown({ type: 'unreachable', detail: 'ECONNRESET' }), true);
      return;
    }
    const found = site.openFeed(headers, {
      send: (text) => this.#deliver(() => this.#onFrame(text)),
      ping: () => this.#deliver(() => this.#listener.onHeartbeat()),
      hangUp: (reason) => this.#deliver(() => this.#goDown(reason)),
    });
    if ('status' in found) {
      const { status, body, retryAfterMs } = found;
      time.later(network.latencyMs(), () => this.#goDown({ type: 'refused', status, body, retryAfterMs }), true);
      return;
    }
    this.#end = found;
    this.#deliver(() => this.#onOpen());
  }

  #onOpen(): void {
    if (this.#isOver) return;
    this.#isUp = true;
    this.#scheduleCheck();
    this.#link.watcher.onUp(this);
    this.#listener.onUp();
  }

  /** Sends a message of the exchange to the bot, behind all earlier ones. */
  #deliver(arrive: () => void): void {
    const { time, network, life } = this.#link;
    const now = time.elapsedMs;
    this.#inAt = Math.max(this.#inAt + 0.001, now + network.partitionMs + network.latencyMs());
    time.later(
      this.#inAt - now,
      () => {
        if (this.#isOver || this.#isSilent || !life.isAlive) return;
        this.#receivedCount += 1;
        if (this.#isUp) this.#listener.onBytes();
        arrive();
      },
      true,
    );
  }

  #onFrame(text: string): void {
    this.#link.trace.recordEvent('frame', text);
    this.#link.watcher.onFrame(this, text);
    this.#listener.onFrame(Buffer.from(text));
  }

  send(text: string): boolean {
    if (!this.#isUp || this.#isOver) return false;
    const { time, network, trace } = this.#link;
    const now = time.elapsedMs;
    this.#outAt = Math.max(this.#outAt + 0.001, now + network.partitionMs + network.latencyMs());
    time.later(this.#outAt - now, () => {
      if (this.#isSilent) return;
      trace.recordEvent('feed asked', text);
      this.#end?.onFrame(text);
    });
    return true;
  }

  /** Ends the connection from our side: the exchange notices later. */
  terminate(reason: DownReason): void {
    this.#closeFarEnd();
    this.#link.time.later(0, () => this.#goDown(reason), true);
  }

  close(): void {
    this.terminate({ type: 'stopped' });
  }

  cut(detail: string): void {
    this.#link.trace.addCount('fault: stream cut');
    this.#closeFarEnd();
    this.#goDown({ type: 'broken', detail });
  }

  silence(): void {
    this.#link.trace.addCount('fault: stream half-open');
    this.#isSilent = true;
    this.#closeFarEnd();
  }

  /** Ends the connection without notice to the bot. */
  leave(): void {
    this.#isOver = true;
    this.#closeFarEnd();
    this.onOver();
  }

  #closeFarEnd(): void {
    const { time, network } = this.#link;
    const end = this.#end;
    this.#end = null;
    if (end) time.later(network.partitionMs + network.latencyMs(), () => end.close());
  }

  #goDown(reason: DownReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isUp = false;
    this.#setTimer(null);
    this.#closeFarEnd();
    this.onOver();
    if (!this.#link.life.isAlive) return;
    this.#link.trace.recordEvent('feed down', reason.type);
    this.#link.watcher.onDown(this, reason);
    this.#listener.onDown(reason);
  }

  #scheduleCheck(): void {
    this.#setTimer(this.#options.silenceMs / CHECKS_PER_SILENCE, () => this.#checkSilence());
  }

  /** Checks for silence. The exchange answers a ping unless nothing reaches it. */
  #checkSilence(): void {
    const { silenceMs } = this.#options;
    this.#quietChecks = this.#receivedCount === 0 ? this.#quietChecks + 1 : 0;
    this.#receivedCount = 0;
    if (this.#quietChecks >= CHECKS_PER_SILENCE) return this.terminate({ type: 'silent', silenceMs });
    if (this.#quietChecks === CHECKS_PER_SILENCE / 2 && !this.#isSilent)
      this.#deliver(() => this.#listener.onHeartbeat());
    this.#scheduleCheck();
  }

  #setTimer(delayMs: number | null, act: () => void = () => {}): void {
    const { scheduler } = this.#options;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = delayMs === null ? null : scheduler.after(delayMs, act);
  }
}
