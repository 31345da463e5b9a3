// The stream of server-sent events of a tab. A tab without a slot opens the stream only for a short time. Must never
// leave two streams open: a browser has six connections to a host.
import type { LiveEventName } from '../../api/view-schemas.ts';
import { StreamSlots } from './stream-slots.ts';

const EVENTS: readonly LiveEventName[] = [
  'overview',
  'hello',
  'session',
  'marketsPage',
  'detail',
  'orders',
  'events',
  'beat',
  'gone',
  'notice',
];

const RETRY_MS = [500, 1000, 2000, 4000];
/** Longest time for which a hidden tab keeps its stream. Milliseconds. */
const HIDDEN_MS = 30_000;
/** Time between two short openings: less than the age of stale figures. Milliseconds. */
const LOOK_EVERY_MS = 1500;
/** Length of a short opening after its first event. A market's details arrive after that event. Milliseconds. */
const LOOK_MS = 600;

export interface StreamListener {
  readonly onEvent: (name: LiveEventName, data: string) => void;
  /** Called before a stream is opened, except after a fault: until an event arrives, the figures only grow older. */
  readonly onOpening: () => void;
  /** Called after a refusal, with the path that was refused, and after a lost connection, with `null`. */
  readonly onFault: (refusedPath: string | null) => void;
}

/** Keeps one stream open, at the latest path. */
export class LiveStream {
  readonly #listener: StreamListener;
  #path: string | null = null;
  #source: EventSource | null = null;
  /** True while the stream is open or about to open. */
  #isActive = false;
  #retry = 0;
  /** It is true from a refusal or a lost connection until the next event. */
  #isBroken = false;
  #retryTimer = 0;
  #hiddenTimer = 0;
  /** Number of the latest opening. An earlier opening gives up. */
  #opening = 0;
  readonly #slots = new StreamSlots({
    // Despite the type, a remote address without TLS has no locks.
    locks: isSecureContext ? navigator.locks : null,
    channel: new BroadcastChannel('presage-live'),
    onWanted: () => {
      if (document.visibilityState === 'hidden') this.#end();
    },
  });

  constructor(listener: StreamListener) {
    this.#listener = listener;
    document.addEventListener('visibilitychange', () => this.#onVisibility());
    window.addEventListener('pageshow', (event) => {
      if (event.persisted) this.reopen();
    });
    window.addEventListener('online', () => this.reopen());
    window.addEventListener('pagehide', () => this.#end());
  }

  /** Opens the stream at a path, unless it is open there. */
  followPath(path: string): void {
    if (path === this.#path && this.#isActive) return;
    this.#path = path;
    this.#retry = 0;
    this.reopen();
  }

  reopen(): void {
    this.#closeSource();
    if (this.#path === null || document.visibilityState === 'hidden') return;
    if (!this.#isBroken) this.#listener.onOpening();
    this.#openSoon();
  }

  #openSoon(): void {
    this.#isActive = true;
    void this.#openWithSlot(++this.#opening);
  }

  async #openWithSlot(opening: number): Promise<void> {
    const mayStream = await this.#slots.acquireSlot();
    if (opening === this.#opening) this.#open(!mayStream);
    else if (!this.#isActive) this.#slots.releaseSlot();
  }

  #open(isLook: boolean): void {
    if (this.#path === null) return;
    const source = new EventSource(this.#path);
    let isFirst = true;
    this.#source = source;
    for (const name of EVENTS)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        if (source !== this.#source) return;
        if (isLook && isFirst) this.#retryTimer = window.setTimeout(() => this.#endLook(), LOOK_MS);
        isFirst = false;
        this.#retry = 0;
        this.#isBroken = false;
        this.#listener.onEvent(name, event.data);
      });
    source.addEventListener('error', () => {
      if (source === this.#source) this.#onError(source);
    });
  }

  /** A slot may be free at the next opening. */
  #endLook(): void {
    this.#closeSource();
    this.#retryTimer = window.setTimeout(() => {
      if (document.visibilityState === 'hidden') this.#end();
      else this.#openSoon();
    }, LOOK_EVERY_MS);
  }

  close(): void {
    this.#path = null;
    this.#end();
  }

  #end(): void {
    this.#isActive = false;
    this.#closeSource();
    this.#slots.releaseSlot();
  }

  #closeSource(): void {
    window.clearTimeout(this.#retryTimer);
    this.#opening++;
    this.#source?.close();
    this.#source = null;
  }

  /** The browser itself repeats a lost connection. Only a refused connection is opened again here. */
  #onError(source: EventSource): void {
    this.#isBroken = true;
    const isRefused = source.readyState === EventSource.CLOSED;
    this.#listener.onFault(isRefused ? this.#path : null);
    if (!isRefused) return;
    this.#end();
    const delay = RETRY_MS[Math.min(this.#retry++, RETRY_MS.length - 1)] ?? 0;
    this.#retryTimer = window.setTimeout(() => this.reopen(), delay);
  }

  #onVisibility(): void {
    window.clearTimeout(this.#hiddenTimer);
    if (document.visibilityState === 'hidden') this.#hiddenTimer = window.setTimeout(() => this.#end(), HIDDEN_MS);
    else if (!this.#isActive) this.reopen();
  }
}
