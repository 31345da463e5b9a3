// One WebSocket connection from handshake to end. A splitter takes the text messages from its bytes, and `ws` handles the
// rest of the protocol. Must never throw, report anything after its end, or let the headers of its handshake into a reason.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import type { DownReason } from './down-reason.ts';
import { describeNetworkError } from './network-error.ts';
import type { Scheduler, Timer } from './scheduler.ts';
import { TextFrameSplitter } from './text-frame-splitter.ts';

/** Bounds of one connection. */
export interface ConnectionOptions {
  readonly handshakeTimeoutMs: number;
  /** Without a single byte for this long, and with our own ping unanswered, the connection counts as dead. */
  readonly silenceMs: number;
  /** A larger message ends the connection. */
  readonly frameBytesMax: number;
  /** When more than this is waiting to be sent, the connection ends. */
  readonly sendBufferBytesMax: number;
}

/** Receives the events of a connection. `onDown` comes once and last. */
export interface ConnectionListener {
  onUp(): void;
  /** Bytes arrived. Messages and heartbeats until the next call came with these bytes. */
  onBytes(): void;
  /** A heartbeat: a ping or pong without a message. */
  onHeartbeat(): void;
  /** The bytes are shared: they may be reused after the call. */
  onFrame(bytes: Buffer): void;
  onDown(reason: DownReason): void;
}

/** Number of checks for silence in each `silenceMs`. */
const CHECKS_PER_SILENCE = 4;
const REFUSAL_CHARS_MAX = 500;
const CLOSE_GRACE_MS = 1000;
const NORMAL_CLOSURE = 1000;

/** One connection attempt. The constructor starts connecting. */
export class WebSocketConnection {
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  readonly #scheduler: Scheduler;
  readonly #socket: WebSocket;
  #reason: DownReason | null = null;
  #timer: Timer | null = null;
  #stream: Socket | null = null;
  #bytesRead = 0;
  #silentChecks = 0;
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
      // The frame's reader checks the text: it knows which books an unreadable message makes wrong.
      skipUTF8Validation: true,
    });
    this.#attach();
    const { handshakeTimeoutMs: timeoutMs } = options;
    this.#timer = this.#scheduler.after(timeoutMs, () => this.terminate({ type: 'handshake-timeout', timeoutMs }));
  }

  /**
   * Sends a text message. Returns false when the connection is not up or its send buffer is full. A full buffer ends
   * the connection.
   */
  send(text: string): boolean {
    if (!this.#isUp || this.#reason !== null) return false;
    const bufferedBytes = this.#socket.bufferedAmount + text.length;
    if (bufferedBytes > this.#options.sendBufferBytesMax) {
      this.terminate({ type: 'overflow', bufferedBytes });
      return false;
    }
    // The callback keeps the error of a failed write from being thrown. The connection ends anyway.
    this.#socket.send(text, () => {});
    return true;
  }

  /** Cuts the connection; the listener receives this reason. */
  terminate(reason: DownReason): void {
    this.#reason ??= reason;
    this.#socket.terminate();
  }

  /** Closes with a closing handshake, and cuts the connection when the venue does not answer in time. */
  close(): void {
    this.#reason ??= { type: 'stopped' };
    if (!this.#isUp) return this.#socket.terminate();
    this.#setTimer(CLOSE_GRACE_MS, () => this.#socket.terminate());
    this.#socket.close(NORMAL_CLOSURE);
  }

  #attach(): void {
    const socket = this.#socket;
    socket.on('upgrade', (answer: IncomingMessage) => (this.#stream = answer.socket));
    socket.on('open', () => this.#onUp());
    socket.on('message', (data: RawData) => this.#onFrame(data));
    socket.on('ping', () => this.#onHeartbeat());
    socket.on('pong', () => this.#onHeartbeat());
    socket.on('unexpected-response', (_request, answer: IncomingMessage) => this.#onRefusal(answer));
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', (code, text) => this.#onClose(code, text.toString('utf8')));
  }

  #onUp(): void {
    if (this.#reason !== null) return;
    this.#isUp = true;
    if (this.#stream !== null) this.#splitBeforeWs(this.#stream);
    this.#scheduleCheck();
    this.#listener.onUp();
  }

  /** Puts the splitter before the listeners of `ws`, which get the bytes that it passes on. A `ws` without them reads all. */
  #splitBeforeWs(stream: Socket): void {
    const passedOn = stream.listeners('data');
    const splitter = new TextFrameSplitter(
      {
        onText: (bytes) => this.#onFrame(bytes),
        onOther: (bytes) => passedOn.forEach((listener) => void listener.call(stream, bytes)),
      },
      this.#options.frameBytesMax,
    );
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      this.#listener.onBytes();
      if (passedOn.length > 0) splitter.split(chunk);
    });
  }

  #onFrame(data: RawData): void {
    // With the default binary type of `ws`, every message is a single Buffer.
    if (this.#reason === null && Buffer.isBuffer(data)) this.#listener.onFrame(data);
  }

  #onHeartbeat(): void {
    if (this.#reason === null) this.#listener.onHeartbeat();
  }

  #onError(error: Error): void {
    const detail = describeNetworkError(error);
    this.#reason ??= this.#isUp ? { type: 'broken', detail } : { type: 'unreachable', detail };
  }

  #onRefusal(answer: IncomingMessage): void {
    const { statusCode: status = 0, headers } = answer;
    const retryAfterMs = secondsToMs(headers['retry-after']);
    let body = '';
    // Recorded at once: the body may never end.
    const record = (): void => {
      this.#reason = { type: 'refused', status, retryAfterMs, body };
    };
    record();
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      body = (body + chunk).slice(0, REFUSAL_CHARS_MAX);
      record();
      if (body.length === REFUSAL_CHARS_MAX) this.#socket.terminate();
    });
    answer.on('error', () => this.#socket.terminate());
    answer.on('end', () => this.#socket.terminate());
  }

  #onClose(code: number, text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#reason ??= { type: 'closed', code, text };
    this.#listener.onDown(this.#reason);
  }

  /** The stream itself counts bytes, so the check costs nothing per message. */
  #scheduleCheck(): void {
    this.#setTimer(this.#options.silenceMs / CHECKS_PER_SILENCE, () => this.#checkSilence());
  }

  #checkSilence(): void {
    const bytesRead = this.#stream?.bytesRead ?? 0;
    this.#silentChecks = bytesRead === this.#bytesRead ? this.#silentChecks + 1 : 0;
    this.#bytesRead = bytesRead;
    if (this.#silentChecks >= CHECKS_PER_SILENCE) {
      return this.terminate({ type: 'silent', silenceMs: this.#options.silenceMs });
    }
    if (this.#silentChecks === CHECKS_PER_SILENCE / 2) this.#socket.ping('', true, () => {});
    this.#scheduleCheck();
  }

  #setTimer(delayMs: number, act: () => void): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = this.#scheduler.after(delayMs, act);
  }
}

function secondsToMs(header: string | undefined): number | null {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) * 1000 : null;
}
