// Sends requests over a few kept-alive connections, each with one request at a time. Those that change orders leave over
// connections of their own, which are open beforehand, in the turn in which they are made. Must never throw, nor send a
// request twice.
import { Client } from 'undici';
import { Backoff } from './backoff.ts';
import { DirectConnection } from './direct-connection.ts';
import { RequestInFlight } from './request-in-flight.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from './http-client.ts';
import { type Scheduler, type Timer, systemScheduler } from './scheduler.ts';

/** Settings of a client for one origin. */
export interface HttpClientOptions {
  /** `https://host[:port]`, without a path. */
  readonly origin: string;
  /** Most connections for requests that find no warm one; further requests wait for a free one. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /**
   * Connections that `warm` opens, and that are opened again when they close. They are not for reads, and come on top of
   * the others.
   * Default: 2, but no more than `connections`.
   */
  readonly warmConnections?: number;
  /**
   * An idle connection is closed after this time. The time must be below the server's own idle timeout. A closing
   * server may execute a request without ever answering.
   */
  readonly idleMs: number;
  /** An answer with a larger body is given up: its outcome is unknown. */
  readonly bodyBytesMax: number;
  readonly scheduler?: Scheduler;
}

/** A connection that closes sooner was turned away by the server. */
const SHORT_LIFE_MS = 1000;
/** Waits before a warm connection that could not be opened, or was turned away, is opened again. */
const REOPENING = { firstMs: 1000, capMs: 60_000, jitter: 'equal' } as const;

const WARM_DEFAULT = 2;

interface PooledConnection {
  readonly client: Client;
  isBusy: boolean;
  isOpen: boolean;
}

/** An `HttpClient` over a few warm connections, and a few undici clients with one connection each. */
export class PooledHttpClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #scheduler: Scheduler;
  /** Made when they are first needed, and kept. */
  readonly #connections: PooledConnection[] = [];
  /** Opened by `warm`. */
  readonly #warmConnections: readonly DirectConnection[];
  /** Warm connections that wait to be opened again. Removed when they are, and at the stop. */
  readonly #reopenings = new Set<Timer>();
  readonly #waiting: RequestInFlight[] = [];
  readonly #pending = new Set<Promise<HttpOutcome>>();
  #keepsWarm = false;
  #isStopped = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    const warm = Math.min(options.connections, options.warmConnections ?? WARM_DEFAULT);
    this.#warmConnections = Array.from({ length: warm }, () => this.#makeDirect());
  }

  #makeDirect(): DirectConnection {
    // A few connections of one process need no jitter.
    const backoff = new Backoff(REOPENING, () => 0.5);
    const direct: DirectConnection = new DirectConnection({
      ...this.#options,
      scheduler: this.#scheduler,
      onClosed: (openMs) => {
        if (!this.#keepsWarm) return;
        if (openMs < SHORT_LIFE_MS) return this.#openLater(direct, backoff.nextDelayMs());
        backoff.recordSuccess();
        void direct.open();
      },
    });
    return direct;
  }

  /** Without it, a venue that was away for a moment would cost every later order the faster way. */
  #openLater(direct: DirectConnection, delayMs: number): void {
    const timer = this.#scheduler.after(delayMs, () => {
      this.#reopenings.delete(timer);
      void direct.open();
    });
    this.#reopenings.add(timer);
  }

  request(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return Promise.resolve({ type: 'not-sent', reason: 'the client is stopped' });
    if (request.signal?.aborted) return Promise.resolve({ type: 'not-sent', reason: 'aborted before it was sent' });
    const outcome = new Promise<HttpOutcome>((resolve) => {
      const { bodyBytesMax } = this.#options;
      const flight = new RequestInFlight(request, { resolve, scheduler: this.#scheduler, bodyBytesMax });
      if (request.method === 'GET' || !this.#sendDirectly(flight)) this.#dispatchOrQueue(flight);
      flight.watch();
    });
    this.#pending.add(outcome);
    void outcome.then(() => this.#pending.delete(outcome));
    return outcome;
  }

  async warm(): Promise<void> {
    this.#keepsWarm = !this.#isStopped;
    await Promise.all(this.#warmConnections.map((connection) => connection.open()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#keepsWarm = false;
    for (const timer of this.#reopenings) this.#scheduler.cancel(timer);
    this.#reopenings.clear();
    await Promise.all(this.#pending);
    for (const connection of this.#warmConnections) connection.stop();
    await Promise.all(this.#connections.map((connection) => connection.client.destroy()));
  }

  /** Returns false when no warm connection is free. */
  #sendDirectly(flight: RequestInFlight): boolean {
    for (const connection of this.#warmConnections) if (connection.isReady) return connection.send(flight);
    return false;
  }

  #makeConnection(): PooledConnection {
    const { origin, idleMs, connectTimeoutMs } = this.#options;
    const client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      connectTimeout: connectTimeoutMs,
      // Each request has its own, stricter deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: PooledConnection = { client, isBusy: false, isOpen: false };
    client.on('connect', () => (connection.isOpen = true));
    client.on('disconnect', () => (connection.isOpen = false));
    return connection;
  }

  #dispatchOrQueue(flight: RequestInFlight): void {
    const connection = this.#freeConnection();
    if (connection === null) this.#waiting.push(flight);
    else this.#dispatch(connection, flight);
  }

  /** Prefers an open connection; `null` when all are busy. */
  #freeConnection(): PooledConnection | null {
    let closed: PooledConnection | null = null;
    for (const connection of this.#connections) {
      if (connection.isBusy) continue;
      if (connection.isOpen) return connection;
      closed ??= connection;
    }
    if (closed !== null || this.#connections.length >= this.#options.connections) return closed;
    const added = this.#makeConnection();
    this.#connections.push(added);
    return added;
  }

  #dispatch(connection: PooledConnection, flight: RequestInFlight): void {
    connection.isBusy = true;
    flight.onDone = (): void => this.#release(connection);
    connection.client.dispatch(flight.dispatchOptions, flight);
  }

  #release(connection: PooledConnection): void {
    connection.isBusy = false;
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (!next.isSettled) return this.#dispatch(connection, next);
    }
  }
}
