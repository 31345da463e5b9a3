// The console's end of the live connection to one bot. Must never show old figures as live: `presence` says whether
// frames arrive.
import { type Socket, connect } from 'node:net';
import { Backoff } from '../../transport/backoff.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import type { ControlPath } from '../operator/control-path.ts';
import { FOLLOW_VERSION, type FollowFrame, followFrameSchema } from './follow-messages.ts';
import { FollowedBot } from './followed-bot.ts';

/**
 * - `absent`: no process listens on the socket.
 * - `silent`: a process listens, but sends nothing, or refuses.
 * - `connected`: frames arrive.
 */
export type Presence = 'absent' | 'silent' | 'connected';

export interface FollowClientOptions {
  readonly path: ControlPath;
  readonly scheduler: Scheduler;
  /** Returns a number from 0 up to but not including 1. */
  readonly random: () => number;
  /** Most changes each second. @default 4 */
  readonly hz?: number;
  readonly onFrame?: (frame: FollowFrame) => void;
  /** Called when `presence` or `fault` changed. */
  readonly onPresence?: (presence: Presence) => void;
}

/** The bot counts as silent after this time without a frame. After `RECONNECT_MS` a new connection is made. */
export const SILENT_MS = 3000;
const RECONNECT_MS = 10_000;
/** Longest frame. The rows of a snapshot's frame take about 100 kB. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Error codes of a missing socket, and of a socket at which no process listens. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** Follows one bot. */
export class FollowClient {
  readonly bot = new FollowedBot();
  readonly #options: FollowClientOptions;
  readonly #backoff: Backoff;
  #socket: Socket | null = null;
  #timer: Timer | null = null;
  #silentTimer: Timer | null = null;
  #presence: Presence = 'absent';
  #fault: string | null = null;
  #watched: readonly string[] = [];
  #isStopped = true;
  /** Parts of an incomplete line. Added as they arrive; removed at the line's end. */
  #parts: string[] = [];
  #partsLength = 0;

  constructor(options: FollowClientOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ firstMs: 100, capMs: 2000, jitter: 'equal' }, options.random);
  }

  get presence(): Presence {
    return this.#presence;
  }

  /** Reason why the bot is not connected, or `null`. */
  get fault(): string | null {
    return this.#fault;
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#connect();
  }

  /** Ends the connection. The state of the bot is kept. */
  stop(): void {
    this.#isStopped = true;
    this.#disconnect();
  }

  watchMarkets(tickers: readonly string[]): void {
    if (tickers.length === this.#watched.length && tickers.every((ticker, place) => ticker === this.#watched[place]))
      return;
    this.#watched = [...tickers];
    this.bot.keepDetails(tickers);
    if (this.bot.hello !== null && this.#presence === 'connected') this.#sendWatched();
  }

  #sendWatched(): void {
    this.#socket?.write(`${JSON.stringify({ type: 'watch', markets: this.#watched })}\n`);
  }

  #connect(): void {
    this.#parts = [];
    this.#partsLength = 0;
    const { path, hz = 4 } = this.#options;
    const socket = connect(path.address);
    this.#socket = socket;
    let isAbsent = false;
    socket.setEncoding('utf8').on('data', (part: string) => {
      if (socket === this.#socket) this.#receive(part);
    });
    socket.on('connect', () => {
      if (socket === this.#socket && this.#presence === 'absent') this.#setPresence('silent');
      socket.write(`${JSON.stringify({ type: 'follow', version: FOLLOW_VERSION, hz })}\n`);
    });
    socket.on('error', (fault: NodeJS.ErrnoException) => {
      isAbsent = ABSENT.has(fault.code ?? '');
      if (socket === this.#socket) this.#fault = isAbsent ? 'no process listens' : fault.message;
    });
    socket.on('close', () => {
      if (socket === this.#socket) this.#onClose(isAbsent);
    });
    this.#expectFrame(socket);
  }

  #expectFrame(socket: Socket): void {
    const { scheduler } = this.#options;
    if (this.#silentTimer) scheduler.cancel(this.#silentTimer);
    this.#silentTimer = scheduler.after(SILENT_MS, () => {
      if (socket !== this.#socket) return;
      this.#fault = 'it sends nothing';
      this.#setPresence('silent');
      this.#silentTimer = scheduler.after(RECONNECT_MS - SILENT_MS, () => {
        if (socket === this.#socket) this.#restart('it sends nothing');
      });
    });
  }

  #onClose(isAbsent: boolean): void {
    this.#fault ??= 'the connection was closed';
    this.#setPresence(isAbsent ? 'absent' : 'silent');
    this.#restart(this.#fault);
  }

  #restart(fault: string): void {
    this.#fault = fault;
    this.#disconnect();
    if (this.#isStopped) return;
    this.#timer = this.#options.scheduler.after(this.#backoff.nextDelayMs(), () => this.#connect());
  }

  #disconnect(): void {
    const { scheduler } = this.#options;
    const socket = this.#socket;
    this.#socket = null;
    for (const timer of [this.#timer, this.#silentTimer]) if (timer) scheduler.cancel(timer);
    this.#timer = this.#silentTimer = null;
    this.#parts = [];
    socket?.destroy();
    if (this.#presence === 'connected') this.#setPresence('silent');
  }

  #setPresence(presence: Presence): void {
    if (presence === this.#presence) return;
    this.#presence = presence;
    this.#options.onPresence?.(presence);
  }

  /** The parts of a line are joined once, at the line's end. */
  #receive(part: string): void {
    const lines = part.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = this.#parts.length === 0 ? line : [...this.#parts, line].join('');
      this.#parts = [];
      this.#partsLength = 0;
      const fault = this.#applyLine(whole);
      if (fault !== null) return this.#onFault(fault);
    }
    if (rest !== '') this.#parts.push(rest);
    this.#partsLength += rest.length;
    if (this.#partsLength > LINE_CHARACTERS_MAX) this.#onFault('a frame is too long');
  }

  #onFault(fault: string): void {
    this.#setPresence('silent');
    this.#restart(fault);
  }

  /** Applies a line. Returns `null`, or the reason why it cannot be used. */
  #applyLine(line: string): string | null {
    const frame = frameOf(line);
    if (typeof frame === 'string') return frame;
    if (frame.type === 'refused') return frame.why;
    const fault = this.bot.applyFrame(frame);
    if (fault !== null) return fault;
    if (this.#socket) this.#expectFrame(this.#socket);
    if (frame.type === 'hello' && this.#watched.length > 0) this.#sendWatched();
    this.#fault = null;
    // The bot works, so the next connection may come soon after a fault.
    if (frame.type === 'beat') this.#backoff.recordSuccess();
    this.#setPresence('connected');
    this.#options.onFrame?.(frame);
    return null;
  }
}

/** Returns the frame, or the reason why the line is no frame. */
function frameOf(line: string): FollowFrame | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'expected a frame, found text that is not JSON';
  }
  const parsed = followFrameSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `expected a frame, found a fault at ${issue?.path.join('.') ?? 'its start'}: ${issue?.message ?? 'unknown'}`;
}
