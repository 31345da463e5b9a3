// A WebSocket that stays: reconnects with backoff, with headers made afresh for every connection.
// Must never call its listener after `stop`, nor let a failure of the network escape as an exception.
import { Backoff, type BackoffOptions } from './backoff.ts';
import { Connection, type ConnectionListener, type ConnectionOptions } from './connection.ts';
import type { DownReason } from './down-reason.ts';
import { type Scheduler, systemScheduler, type Timer } from './scheduler.ts';

/** Headers of a handshake. */
export type HandshakeHeaders = Readonly<Record<string, string>>;

/** Told of what happens, in order. */
export interface SocketListener {
  /** A connection is up: the how many-th, from 1. */
  onUp(connection: number): void;
  /** Bytes came, with whatever frames are told before the next call: the time to read a clock, once for all of them. */
  onBytes(): void;
  /** The connection ended, or could not be made. `retryMs` is how long until the next attempt. */
  onDown(reason: DownReason, retryMs: number): void;
  /** A sign of life that carries no message. */
  onHeard(): void;
  /** The bytes are borrowed: they may be reused after the call. */
  onFrame(bytes: Buffer): void;
}

/** One connection, as whoever keeps it needs it. */
export type Dialed = Pick<Connection, 'send' | 'end' | 'close'>;

/** Begins a connection. */
export type Dial = (
  address: { readonly url: string; readonly headers: HandshakeHeaders },
  options: ConnectionOptions & { readonly scheduler: Scheduler },
  listener: ConnectionListener,
) => Dialed;

const dialSocket: Dial = (address, options, listener) => new Connection(address, options, listener);

export interface SocketOptions extends ConnectionOptions {
  readonly url: string;
  /** Makes the headers of one handshake: a signature is good for one moment only. */
  readonly headers: () => HandshakeHeaders | Promise<HandshakeHeaders>;
  readonly backoff: BackoffOptions;
  /** From 0 up to but not including 1: the jitter. */
  readonly random: () => number;
  /** A connection that held this long counts as a success: the next failure waits as the first did. */
  readonly stableMs: number;
  readonly scheduler?: Scheduler;
  /** In place of a WebSocket over the network. */
  readonly dial?: Dial;
}

/** A venue that refuses a connection may ask for a wait; it gets no longer one than this. Milliseconds. */
const ASKED_WAIT_MS_MAX = 60_000;

/** Keeps one connection open, one attempt after another. */
export class ReconnectingSocket {
  readonly #options: SocketOptions;
  readonly #scheduler: Scheduler;
  readonly #listener: SocketListener;
  readonly #backoff: Backoff;
  #connection: Dialed | null = null;
  #retry: Timer | null = null;
  #upCount = 0;
  #upAt: number | null = null;
  #isStarted = false;
  #isStopped = false;
  #sayEnded: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => (this.#sayEnded = resolve));

  /** @throws {TypeError} when the URL is none. */
  constructor(options: SocketOptions, listener: SocketListener) {
    this.#options = { ...options, url: new URL(options.url).href };
    this.#listener = listener;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#backoff = new Backoff(options.backoff, options.random);
  }

  /** Begins connecting. A second call, or one after `stop`, does nothing. */
  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    void this.#attempt();
  }

  /** Sends a text message. False when it could not be: the connection is down or choked. */
  send(text: string): boolean {
    return this.#connection?.send(text) ?? false;
  }

  /** Cuts the connection and makes a new one. */
  reconnect(detail: string): void {
    this.#connection?.end({ type: 'broken', detail });
  }

  /** Closes for good. The listener hears nothing from now on; resolves when no handle is left. */
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
      this.#noteDown({ type: 'headers-failed', detail: error instanceof Error ? error.message : String(error) });
    }
  }

  #connect(headers: HandshakeHeaders): Dialed {
    const listener = this.#listener;
    return (this.#options.dial ?? dialSocket)(
      { url: this.#options.url, headers },
      { ...this.#options, scheduler: this.#scheduler },
      {
        onUp: () => this.#noteUp(),
        onBytes: () => {
          if (!this.#isStopped) listener.onBytes();
        },
        onHeard: () => {
          if (!this.#isStopped) listener.onHeard();
        },
        onFrame: (bytes) => {
          if (!this.#isStopped) listener.onFrame(bytes);
        },
        onDown: (reason) => this.#noteDown(reason),
      },
    );
  }

  #noteUp(): void {
    if (this.#isStopped) return;
    this.#upAt = this.#scheduler.now();
    this.#upCount += 1;
    this.#listener.onUp(this.#upCount);
  }

  #noteDown(reason: DownReason): void {
    this.#connection = null;
    if (this.#isStopped) {
      this.#sayEnded();
      return;
    }
    if (this.#upAt !== null && this.#scheduler.now() - this.#upAt >= this.#options.stableMs) this.#backoff.reset();
    this.#upAt = null;
    const askedMs = reason.type === 'refused' ? (reason.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(this.#backoff.next(), Math.min(askedMs, ASKED_WAIT_MS_MAX));
    this.#retry = this.#scheduler.after(retryMs, () => void this.#attempt());
    this.#listener.onDown(reason, retryMs);
  }
}
