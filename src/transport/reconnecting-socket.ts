// A WebSocket that reconnects with backoff and creates new headers for every connection. Must never call its listener
// after `stop`, nor let a network failure escape as an exception.
import { Backoff, type BackoffOptions } from './backoff.ts';
import { WebSocketConnection, type ConnectionListener, type ConnectionOptions } from './websocket-connection.ts';
import type { DownReason } from './down-reason.ts';
import { type Scheduler, systemScheduler, type Timer } from './scheduler.ts';

/** Headers of a handshake. */
export type HandshakeHeaders = Readonly<Record<string, string>>;

/** Receives the socket's events as they happen. */
export interface SocketListener {
  /** A connection is up. `connection` is its number, from 1. */
  onUp(connection: number): void;
  /** Bytes arrived. All frames until the next call came with these bytes. */
  onBytes(): void;
  /** The connection ended, or could not be opened. The next attempt starts in `retryMs`. */
  onDown(reason: DownReason, retryMs: number): void;
  /** A heartbeat: a ping or pong without a message. */
  onHeartbeat(): void;
  /** The bytes are shared: they may be reused after the call. */
  onFrame(bytes: Buffer): void;
}

/** The part of a connection that the socket uses. */
export interface DialedConnection {
  send(text: string): boolean;
  terminate(reason: DownReason): void;
  close(): void;
}

/** Starts a connection. */
export type DialConnection = (
  address: { readonly url: string; readonly headers: HandshakeHeaders },
  options: ConnectionOptions & { readonly scheduler: Scheduler },
  listener: ConnectionListener,
) => DialedConnection;

const dialSocket: DialConnection = (address, options, listener) => new WebSocketConnection(address, options, listener);

export interface SocketOptions extends ConnectionOptions {
  readonly url: string;
  /** Creates the headers of one handshake: a signature is valid for a moment only. */
  readonly headers: () => HandshakeHeaders | Promise<HandshakeHeaders>;
  readonly backoff: BackoffOptions;
  /** Source of jitter: from 0 up to but not including 1. */
  readonly random: () => number;
  /** A connection that lasted this long counts as a success: the next failure is treated as the first. */
  readonly stableMs: number;
  readonly scheduler?: Scheduler;
  /** Replaces the network WebSocket. */
  readonly dial?: DialConnection;
}

/** Longest wait that a venue's refusal can impose. Milliseconds. */
const REQUESTED_WAIT_MS_MAX = 60_000;

/** Keeps one connection open: it tries again after each end and after each failed attempt. */
export class ReconnectingSocket {
  readonly #options: SocketOptions;
  readonly #scheduler: Scheduler;
  readonly #listener: SocketListener;
  readonly #backoff: Backoff;
  #connection: DialedConnection | null = null;
  #retry: Timer | null = null;
  #upCount = 0;
  #upAt: number | null = null;
  #isStarted = false;
  #isStopped = false;
  #resolveEnded: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));

  /** @throws {TypeError} when the URL is invalid. */
  constructor(options: SocketOptions, listener: SocketListener) {
    this.#options = { ...options, url: new URL(options.url).href };
    this.#listener = listener;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#backoff = new Backoff(options.backoff, options.random);
  }

  /** Starts connecting. A second call, or one after `stop`, does nothing. */
  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    void this.#attempt();
  }

  /** Sends a text message. Returns false when the connection is down or its send buffer is full. */
  send(text: string): boolean {
    return this.#connection?.send(text) ?? false;
  }

  /** Cuts the connection. A new one is opened after the backoff's delay. */
  reconnect(detail: string): void {
    this.#connection?.terminate({ type: 'broken', detail });
  }

  /** Closes permanently. The listener is not called again; resolves when the connection has closed. */
  stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#retry !== null) this.#scheduler.cancel(this.#retry);
    this.#retry = null;
    this.#connection?.close();
    return this.#connection === null ? Promise.resolve() : this.#ended;
  }

  async #attempt(): Promise<void> {
    this.#retry = null;
    try {
      const headers = await this.#options.headers();
      if (!this.#isStopped) this.#connection = this.#connect(headers);
    } catch (error) {
      this.#onDown({ type: 'headers-failed', detail: error instanceof Error ? error.message : String(error) });
    }
  }

  #connect(headers: HandshakeHeaders): DialedConnection {
    const listener = this.#listener;
    return (this.#options.dial ?? dialSocket)(
      { url: this.#options.url, headers },
      { ...this.#options, scheduler: this.#scheduler },
      {
        onUp: () => this.#onUp(),
        onBytes: () => {
          if (!this.#isStopped) listener.onBytes();
        },
        onHeartbeat: () => {
          if (!this.#isStopped) listener.onHeartbeat();
        },
        onFrame: (bytes) => {
          if (!this.#isStopped) listener.onFrame(bytes);
        },
        onDown: (reason) => this.#onDown(reason),
      },
    );
  }

  #onUp(): void {
    if (this.#isStopped) return;
    this.#upAt = this.#scheduler.now();
    this.#upCount += 1;
    this.#listener.onUp(this.#upCount);
  }

  #onDown(reason: DownReason): void {
    this.#connection = null;
    if (this.#isStopped) {
      this.#resolveEnded();
      return;
    }
    if (this.#upAt !== null && this.#scheduler.now() - this.#upAt >= this.#options.stableMs)
      this.#backoff.recordSuccess();
    this.#upAt = null;
    const requestedMs = reason.type === 'refused' ? (reason.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(this.#backoff.nextDelayMs(), Math.min(requestedMs, REQUESTED_WAIT_MS_MAX));
    this.#retry = this.#scheduler.after(retryMs, () => void this.#attempt());
    this.#listener.onDown(reason, retryMs);
  }
}
