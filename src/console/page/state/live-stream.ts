// The page's one stream of server-sent events. It is opened again when the view changes, after a fault, and when a hidden
// tab is shown. Must never leave two streams open: a browser has six connections to a host.

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
/** Time that a hidden tab keeps its stream. Milliseconds. */
const HIDDEN_MS = 30_000;

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
  #retry = 0;
  #retryTimer = 0;
  #hiddenTimer = 0;

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
    if (path === this.#path && this.#source) return;
    this.#path = path;
    this.#retry = 0;
    this.reopen();
  }

  /** Ends the stream and opens it again at the same path. */
  reopen(): void {
    this.#end();
    if (this.#path === null || document.visibilityState === 'hidden') return;
    this.#listener.onOpening();
    const source = new EventSource(this.#path);
    this.#source = source;
    for (const name of EVENTS)
      source.addEventListener(name, (event: MessageEvent<string>) => {
        if (source !== this.#source) return;
        this.#retry = 0;
        this.#listener.onEvent(name, event.data);
      });
    source.addEventListener('error', () => {
      if (source === this.#source) this.#onError(source);
    });
  }

  /** Ends the stream for good: after a logout. */
  close(): void {
    this.#path = null;
    this.#end();
  }

  #end(): void {
    window.clearTimeout(this.#retryTimer);
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
    else if (this.#source === null) this.reopen();
  }
}
