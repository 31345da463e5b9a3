// The page's one stream of server-sent events. It is opened again when the view changes, after a fault, and when a hidden
// tab is shown. A tab beyond those that may stream opens it for a moment again and again. Must never leave two streams
// open: a browser has six connections to a host.
import { StreamSlots } from './stream-slots.ts';

/** Names of the events that carry data. */
const EVENTS = [
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
] as const;
export type LiveEventName = (typeof EVENTS)[number];

/** Delays between attempts to open the stream. Milliseconds. */
const RETRY_MS = [500, 1000, 2000, 4000];
/** Time that a hidden tab keeps its stream, unless another tab wants it. Milliseconds. */
const HIDDEN_MS = 30_000;
/** Time between two looks of a tab that may not stream: well below the age at which figures are stale. Milliseconds. */
const LOOK_EVERY_MS = 1500;
/** Length of a look after its first event. A market's details come a moment after the first batch. Milliseconds. */
const LOOK_MS = 600;

export interface StreamListener {
  /** Called for each event, with its data as text. */
  readonly onEvent: (name: LiveEventName, data: string) => void;
  /** Called when a new stream is being opened: everything that it shows comes again. */
  readonly onOpening: () => void;
  /** Called when the console refused or ended the stream. */
  readonly onFault: () => void;
}

/** Keeps one stream open at the address that is wanted last. */
export class LiveStream {
  readonly #listener: StreamListener;
  #path: string | null = null;
  #source: EventSource | null = null;
  /** False before the first opening and after the end; true while the stream is open, or is about to be. */
  #isActive = false;
  #retry = 0;
  #retryTimer = 0;
  #hiddenTimer = 0;
  /** Number of the latest opening: an earlier one that still waits for its slot gives up. */
  #opening = 0;
  readonly #slots = new StreamSlots({
    // An address without TLS that is not this machine has no locks, whatever the types say.
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

  /** Ends the stream and opens it again at the same path. */
  reopen(): void {
    this.#closeSource();
    if (this.#path === null || document.visibilityState === 'hidden') return;
    this.#listener.onOpening();
    this.#openSoon();
  }

  /** Opens the stream when it has a slot, and for a look when it has none. */
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
        this.#listener.onEvent(name, event.data);
      });
    source.addEventListener('error', () => {
      if (source === this.#source) this.#onError(source);
    });
  }

  /** Ends a look, and plans the next one, which may find a free slot. */
  #endLook(): void {
    this.#closeSource();
    this.#retryTimer = window.setTimeout(() => {
      if (document.visibilityState === 'hidden') this.#end();
      else this.#openSoon();
    }, LOOK_EVERY_MS);
  }

  /** Ends the stream for good: after a logout. */
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

  /** The browser repeats a lost connection by itself and resumes it; only a refused one is opened again here. */
  #onError(source: EventSource): void {
    this.#listener.onFault();
    if (source.readyState !== EventSource.CLOSED) return;
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
