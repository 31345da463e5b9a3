// Requests over a few kept-open connections. Each comes back as answered, not sent, or unknown; never as an exception.
// Must never send a request twice. One request at a time on a connection, so that one failure costs one request.
import { Client } from 'undici';
import { Flight, refuseToStart } from './flight.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from './http.ts';
import { type Scheduler, systemScheduler } from './scheduler.ts';

/** How to reach one origin. */
export interface HttpClientOptions {
  /** `https://host[:port]`, without a path. */
  readonly origin: string;
  /** Connections at most; requests beyond wait for one. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** How many of them `warm` opens, and opens again when they close; two unless told. */
  readonly warmConnections?: number;
  /**
   * An idle connection is closed after this long. Keep it below the server's own idle time: a request written while
   * the server is closing may be carried out although its answer never comes.
   */
  readonly idleMs: number;
  /** An answer's body beyond this many bytes is not read. */
  readonly bodyBytesMax: number;
  readonly scheduler?: Scheduler;
}

/** A connection that lived less than this was turned away: it is not reopened before it is needed. */
const SHORT_LIFE_MS = 1000;

const WARM_USUALLY = 2;

/** One connection, or the place of one. */
interface Line {
  /** Whether it is one of those that are kept open, once `warm` was called. */
  readonly isWarm: boolean;
  readonly client: Client;
  isBusy: boolean;
  isOpen: boolean;
  /** When it opened, by the scheduler's clock. */
  openedAt: number;
}

/** An `HttpClient` over a few undici clients, one connection each. */
export class PooledHttpClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #scheduler: Scheduler;
  readonly #lines: readonly Line[];
  /** Requests for which no connection was free, oldest first. */
  readonly #waiting: Flight[] = [];
  readonly #flights = new Set<Promise<HttpOutcome>>();
  #keepsWarm = false;
  #isStopped = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    const warm = options.warmConnections ?? WARM_USUALLY;
    this.#lines = Array.from({ length: options.connections }, (_, index) => this.#makeLine(index < warm));
  }

  request(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return Promise.resolve({ type: 'not-sent', reason: 'the client is stopped' });
    if (request.signal?.aborted) return Promise.resolve({ type: 'not-sent', reason: 'aborted before it was sent' });
    const outcome = new Promise<HttpOutcome>((resolve) => {
      const { bodyBytesMax } = this.#options;
      this.#launch(new Flight(request, { resolve, scheduler: this.#scheduler, bodyBytesMax }));
    });
    this.#flights.add(outcome);
    void outcome.then(() => this.#flights.delete(outcome));
    return outcome;
  }

  async warm(): Promise<void> {
    this.#keepsWarm = !this.#isStopped;
    await Promise.all(this.#lines.filter(({ isWarm }) => isWarm).map((line) => this.#open(line)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#keepsWarm = false;
    await Promise.all(this.#flights);
    await Promise.all(this.#lines.map((line) => line.client.destroy()));
  }

  #makeLine(isWarm: boolean): Line {
    const { origin, idleMs, connectTimeoutMs } = this.#options;
    const client = new Client(origin, {
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      connectTimeout: connectTimeoutMs,
      // Each request has a deadline of its own over the whole of it, which is stricter than either of these.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const line: Line = { isWarm, client, isBusy: false, isOpen: false, openedAt: 0 };
    client.on('connect', () => {
      line.isOpen = true;
      line.openedAt = this.#scheduler.now();
    });
    client.on('disconnect', () => this.#noteClosed(line));
    return line;
  }

  #launch(flight: Flight): void {
    const line = this.#freeLine();
    if (line === null) this.#waiting.push(flight);
    else this.#fly(line, flight);
  }

  /** A free connection that is open; failing that, a free one that is not. */
  #freeLine(): Line | null {
    let closed: Line | null = null;
    for (const line of this.#lines) {
      if (line.isBusy) continue;
      if (line.isOpen) return line;
      closed ??= line;
    }
    return closed;
  }

  #fly(line: Line, flight: Flight): void {
    line.isBusy = true;
    flight.onLanded = (): void => this.#release(line);
    line.client.dispatch(flight.dispatchOptions, flight);
  }

  #release(line: Line): void {
    line.isBusy = false;
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (!next.isOver) return this.#fly(line, next);
    }
  }

  /** Opens a connection by way of a request that declines to be written once there is one. */
  #open(line: Line): Promise<void> {
    if (line.isOpen || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      line.client.dispatch({ method: 'GET', path: '/' }, refuseToStart(resolve));
    });
  }

  #noteClosed(line: Line): void {
    line.isOpen = false;
    const livedLong = this.#scheduler.now() - line.openedAt >= SHORT_LIFE_MS;
    if (this.#keepsWarm && line.isWarm && livedLong) void this.#open(line);
  }
}
