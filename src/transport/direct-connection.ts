// One kept-alive connection whose requests are written in the same turn in which they are made. A general HTTP client waits
// one turn of the event loop before it writes to an idle connection, and builds each head again. Must never write a request
// twice, nor to a connection that has sent anything since its last answer.
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { BODY_TYPE, type HttpRequest } from './http-client.ts';
import type { RequestInFlight } from './request-in-flight.ts';
import { ResponseReader } from './response-reader.ts';
import type { Scheduler, Timer } from './scheduler.ts';

/** The server and the bounds of a direct connection. */
export interface DirectConnectionOptions {
  /** `https://host[:port]`, without a path. */
  readonly origin: string;
  readonly connectTimeoutMs: number;
  /** An idle connection is closed after this time, or sooner if the server says that it closes sooner. */
  readonly idleMs: number;
  readonly scheduler: Scheduler;
  /**
   * Called when the connection has closed, with the time that it was open in milliseconds. Called with 0 when it could not
   * be opened.
   */
  readonly onClosed: (openMs: number) => void;
}

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => void;

/** The time by which a connection is given up before its server gives it up. */
const MARGIN_MS = 1000;
/** Characters that a path or the value of a header may have. Anything else could end the line. */
const PATH = /^\/[\x21-\x7e]*$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** A connection that carries one request at a time. */
export class DirectConnection {
  readonly #options: DirectConnectionOptions;
  readonly #url: URL;
  readonly #connect: Connect;
  readonly #reader: ResponseReader;
  #socket: Socket | null = null;
  #flight: RequestInFlight | null = null;
  #isOpening = false;
  #isStopped = false;
  #openedAt = 0;
  #usedAt = 0;
  #idleTimer: Timer | null = null;
  /** The path of the latest request and the lines that begin it: orders share one. */
  #path = '';
  #start = '';

  constructor(options: DirectConnectionOptions) {
    this.#options = options;
    this.#url = new URL(options.origin);
    this.#connect = buildConnector({ timeout: options.connectTimeoutMs, allowH2: false });
    this.#reader = new ResponseReader({
      onResponseStart: (status, headers) => this.#flight?.onResponseStart(null, status, headers),
      onResponseData: (bytes) => this.#flight?.onResponseData(null, bytes),
      onResponseEnd: () => this.#onAnswered(),
    });
  }

  /** True when a request could be written now. */
  get isReady(): boolean {
    return this.#socket !== null && this.#flight === null && this.#socket.writable && !this.#socket.readableEnded;
  }

  /** Opens the connection. Resolves when it is open or refused. */
  open(): Promise<void> {
    if (this.#socket !== null || this.#isOpening || this.#isStopped) return Promise.resolve();
    this.#isOpening = true;
    const { hostname, host, protocol, port } = this.#url;
    return new Promise((resolve) => {
      this.#connect({ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }, (...[error, socket]) => {
        this.#isOpening = false;
        if (error === null) this.#onOpen(socket);
        else this.#options.onClosed(0);
        resolve();
      });
    });
  }

  #onOpen(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.#isStopped) return void socket.destroy();
    this.#socket = socket;
    this.#openedAt = this.#usedAt = this.#options.scheduler.now();
    socket.on('data', (bytes) => this.#onData(socket, bytes));
    socket.on('end', () => this.#onEnd(socket));
    socket.on('close', () => this.#onClose(socket));
    socket.unref();
    this.#watchIdleness(this.#options.idleMs);
  }

  /** Writes a request. Returns false, and writes nothing, when this connection cannot carry it as it is. */
  send(flight: RequestInFlight): boolean {
    const socket = this.#socket;
    if (socket === null || !this.isReady) return false;
    const text = this.#textOf(flight.request);
    if (text === null) return false;
    this.#flight = flight;
    this.#reader.begin();
    flight.beginWriting({ abort: () => void socket.destroy() });
    socket.write(text);
    socket.ref();
    return true;
  }

  /** The bytes of a request; `null` when it has a character that must not be written. */
  #textOf({ method, path, headers, body }: HttpRequest): string | null {
    if (path !== this.#path || !this.#start.startsWith(method)) {
      if (!PATH.test(path)) return null;
      this.#path = path;
      this.#start = `${method} ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\nconnection: keep-alive\r\n`;
    }
    let text = this.#start;
    for (const name in headers) {
      const value = headers[name] ?? '';
      if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) return null;
      text += `${name}: ${value}\r\n`;
    }
    return body === null
      ? `${text}\r\n`
      : `${text}content-type: ${BODY_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }

  #onData(socket: Socket, bytes: Buffer): void {
    // Nothing was asked: the bytes must not become the answer to the next request.
    if (this.#flight === null) return void socket.destroy();
    try {
      this.#reader.readBytes(bytes);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  /** The server closes, or has closed its side. */
  #onEnd(socket: Socket): void {
    if (this.#flight === null) return void socket.destroy();
    try {
      this.#reader.endInput();
    } catch (fault) {
      this.#fail(fault);
    }
  }

  #onAnswered(): void {
    const flight = this.#flight;
    const socket = this.#socket;
    this.#flight = null;
    this.#usedAt = this.#options.scheduler.now();
    // Before the answer is handled: it may cause the next request.
    if (this.#isReusable()) socket?.unref();
    else socket?.destroy();
    flight?.onResponseEnd();
  }

  /** False when the server closes the connection, or has sent more than the answer. */
  #isReusable(): boolean {
    const seconds = this.#reader.keepAliveSeconds;
    return this.#reader.isReusable && (seconds === null || seconds * 1000 > MARGIN_MS);
  }

  #fail(fault: unknown): void {
    const flight = this.#flight;
    this.#flight = null;
    this.#socket?.destroy();
    flight?.onResponseError(null, fault instanceof Error ? fault : new Error('the answer could not be read'));
  }

  #onClose(socket: Socket): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    const { scheduler, onClosed } = this.#options;
    if (this.#idleTimer !== null) scheduler.cancel(this.#idleTimer);
    this.#idleTimer = null;
    if (this.#flight !== null) this.#fail(socket.errored ?? new Error('the connection closed before an answer came'));
    onClosed(scheduler.now() - this.#openedAt);
  }

  /** One timer for all requests: it is set again when it finds that the connection was used. */
  #watchIdleness(delayMs: number): void {
    const { scheduler } = this.#options;
    this.#idleTimer = scheduler.after(delayMs, () => {
      const leftMs = this.#usedAt + this.#idleMs() - scheduler.now();
      if (this.#flight === null && leftMs <= 0) return void this.#socket?.destroy();
      this.#watchIdleness(Math.max(1, leftMs > 0 ? leftMs : this.#idleMs()));
    });
  }

  #idleMs(): number {
    const { idleMs } = this.#options;
    const seconds = this.#reader.keepAliveSeconds;
    return seconds === null ? idleMs : Math.min(idleMs, Math.max(1, seconds * 1000 - MARGIN_MS));
  }

  /** Closes the connection. Must be called when no request is in flight. */
  stop(): void {
    this.#isStopped = true;
    this.#socket?.destroy();
  }
}
