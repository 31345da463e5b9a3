// One WebSocket connection from handshake to end: tells when it is up, what it hears, and, exactly once, why it ended.
// Must never throw, outlive its end, or let the headers of its handshake into a reason.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import type { DownReason } from './down-reason.ts';
import { describeNetworkError } from './network-error.ts';
import type { Scheduler, Timer } from './scheduler.ts';

/** Bounds of one connection. */
export interface ConnectionOptions {
  readonly handshakeTimeoutMs: number;
  /** Not one byte for this long, our own ping unanswered, and the connection counts as dead. */
  readonly silenceMs: number;
  /** A larger message ends the connection. */
  readonly frameBytesMax: number;
  /** With more than this waiting to be sent, the connection ends. */
  readonly sendBufferBytesMax: number;
}

/** Told of what happens. `onDown` comes once and last. */
export interface ConnectionListener {
  onUp(): void;
  /** Bytes came: whatever is told before the next call came with them, or with none. */
  onBytes(): void;
  /** A sign of life that carries no message. */
  onHeard(): void;
  /** The bytes are borrowed: they may be reused after the call. */
  onFrame(bytes: Buffer): void;
  onDown(reason: DownReason): void;
}

/** Silence is looked for this many times per `silenceMs`. */
const CHECKS_PER_SILENCE = 4;
/** How much of a refusal's body is kept. */
const REFUSAL_CHARS_MAX = 500;
const CLOSE_GRACE_MS = 1000;
const NORMAL_CLOSURE = 1000;

/** One attempt. Begins connecting when it is made. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  readonly #scheduler: Scheduler;
  readonly #socket: WebSocket;
  #reason: DownReason | null = null;
  #timer: Timer | null = null;
  #stream: Socket | null = null;
  #bytesRead = 0;
  #quietChecks = 0;
  #isUp = false;
  #isOver = false;

  constructor(
    address: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    options: ConnectionOptions & { readonly scheduler: Scheduler },
    listener: ConnectionListener,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.#scheduler = options.scheduler;
    this.#socket = new WebSocket(address.url, {
      headers: address.headers,
      perMessageDeflate: false,
      maxPayload: options.frameBytesMax,
      // Whoever reads the bytes decodes them strictly, and knows what an unreadable one means for what it has read before.
      skipUTF8Validation: true,
    });
    this.#attach();
    const { handshakeTimeoutMs: timeoutMs } = options;
    this.#timer = this.#scheduler.after(timeoutMs, () => this.end({ type: 'handshake-timeout', timeoutMs }));
  }

  /** Sends a text message. False when the connection is not up or is choked; a choked one ends. */
  send(text: string): boolean {
    if (!this.#isUp || this.#reason !== null) return false;
    const bufferedBytes = this.#socket.bufferedAmount + text.length;
    if (bufferedBytes > this.#options.sendBufferBytesMax) {
      this.end({ type: 'overflow', bufferedBytes });
      return false;
    }
    // A failed write is told by the connection's end; the callback keeps it from being thrown.
    this.#socket.send(text, () => {});
    return true;
  }

  /** Cuts the connection; the listener learns this reason. */
  end(reason: DownReason): void {
    this.#reason ??= reason;
    this.#socket.terminate();
  }

  /** Says goodbye, and cuts the connection when the venue does not answer in time. */
  close(): void {
    this.#reason ??= { type: 'stopped' };
    if (!this.#isUp) return this.#socket.terminate();
    this.#setTimer(CLOSE_GRACE_MS, () => this.#socket.terminate());
    this.#socket.close(NORMAL_CLOSURE);
  }

  #attach(): void {
    const socket = this.#socket;
    socket.on('upgrade', (answer: IncomingMessage) => (this.#stream = answer.socket));
    socket.on('open', () => this.#noteUp());
    socket.on('message', (data: RawData) => this.#noteFrame(data));
    socket.on('ping', () => this.#noteHeard());
    socket.on('pong', () => this.#noteHeard());
    socket.on('unexpected-response', (_request, answer: IncomingMessage) => this.#noteRefusal(answer));
    socket.on('error', (error) => this.#noteError(error));
    socket.on('close', (code, text) => this.#noteClose(code, text.toString('utf8')));
  }

  #noteUp(): void {
    if (this.#reason !== null) return;
    this.#isUp = true;
    // Before the listener of `ws`, which takes the frames out of the bytes.
    this.#stream?.prependListener('data', () => this.#listener.onBytes());
    this.#watch();
    this.#listener.onUp();
  }

  #noteFrame(data: RawData): void {
    // The default binary type of `ws` hands over every message as one Buffer.
    if (this.#reason === null && Buffer.isBuffer(data)) this.#listener.onFrame(data);
  }

  #noteHeard(): void {
    if (this.#reason === null) this.#listener.onHeard();
  }

  #noteError(error: Error): void {
    const detail = describeNetworkError(error);
    this.#reason ??= this.#isUp ? { type: 'broken', detail } : { type: 'unreachable', detail };
  }

  #noteRefusal(answer: IncomingMessage): void {
    const { statusCode: status = 0, headers } = answer;
    const retryAfterMs = secondsToMs(headers['retry-after']);
    let body = '';
    // Known from here on, so that a body that never ends does not hide the refusal.
    const note = (): void => {
      this.#reason = { type: 'refused', status, retryAfterMs, body };
    };
    note();
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      body = (body + chunk).slice(0, REFUSAL_CHARS_MAX);
      note();
      if (body.length === REFUSAL_CHARS_MAX) this.#socket.terminate();
    });
    answer.on('error', () => this.#socket.terminate());
    answer.on('end', () => this.#socket.terminate());
  }

  #noteClose(code: number, text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#reason ??= { type: 'closed', code, text };
    this.#listener.onDown(this.#reason);
  }

  /** Bytes are counted by the stream itself, so watching costs the messages nothing. */
  #watch(): void {
    this.#setTimer(this.#options.silenceMs / CHECKS_PER_SILENCE, () => this.#check());
  }

  #check(): void {
    const bytesRead = this.#stream?.bytesRead ?? 0;
    this.#quietChecks = bytesRead === this.#bytesRead ? this.#quietChecks + 1 : 0;
    this.#bytesRead = bytesRead;
    if (this.#quietChecks >= CHECKS_PER_SILENCE) {
      return this.end({ type: 'silent', silenceMs: this.#options.silenceMs });
    }
    if (this.#quietChecks === CHECKS_PER_SILENCE / 2) this.#socket.ping('', true, () => {});
    this.#watch();
  }

  #setTimer(delayMs: number, act: () => void): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = this.#scheduler.after(delayMs, act);
  }
}

function secondsToMs(header: string | undefined): number | null {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) * 1000 : null;
}
