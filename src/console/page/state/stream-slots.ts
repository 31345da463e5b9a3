// Bounds the live streams of all tabs of a browser, so that connections stay free for controls. A tab streams only
// while it holds a slot. Must never let a hidden tab keep a slot that a shown tab wants.
import { makeActionId } from './action-id.ts';

/** Most streams of one browser. A browser has six connections to a host. */
export const SLOTS = 3;
const NAME = 'presage-live';
/** Time for a hidden tab to give its slot up, and for the others to answer. Milliseconds. */
const YIELD_MS = 150;
/** The message of a tab that wants a slot. The answer of a tab that holds one begins with `HELD`. */
const WANTED = 'wanted';
const HELD = 'held ';

/** The browser's locks, as far as slots need them. A lock ends with its tab. */
export interface SlotLocks {
  request(name: string, options: { readonly ifAvailable: true }, callback: (lock: object | null) => unknown): unknown;
}

/** The channel between the tabs, as far as slots need it. */
export interface SlotChannel {
  postMessage(message: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

export interface StreamSlotsOptions {
  /**
   * `null` for a remote address without TLS, where browsers have no locks. Then a tab counts those that hold a slot by
   * their answers. Two tabs that ask at the same time may get one slot too many.
   */
  readonly locks: SlotLocks | null;
  readonly channel: SlotChannel;
  /** Called when another tab wants a slot. A hidden tab then gives its slot up. */
  readonly onWanted: () => void;
}

/** The slots, as one tab sees them. */
export class StreamSlots {
  readonly #options: StreamSlotsOptions;
  #release: (() => void) | null = null;
  /** Answers of tabs that hold a slot, since this tab last asked. A tab that several ask answers each of them. */
  readonly #holders = new Set<string>();
  readonly #own = `${HELD}${makeActionId()}`;

  constructor(options: StreamSlotsOptions) {
    this.#options = options;
    options.channel.addEventListener('message', ({ data }) => this.#onMessage(data));
  }

  #onMessage(message: unknown): void {
    if (typeof message === 'string' && message.startsWith(HELD)) this.#holders.add(message);
    if (message !== WANTED) return;
    this.#options.onWanted();
    if (this.#release !== null && this.#options.locks === null) this.#send(this.#own);
  }

  /** Resolves to true when this tab may stream. */
  async acquireSlot(): Promise<boolean> {
    if (this.#release !== null) return true;
    const { locks } = this.#options;
    if (locks !== null && (await this.#tryEach(locks))) return true;
    this.#holders.clear();
    this.#send(WANTED);
    await new Promise((resolve) => setTimeout(resolve, YIELD_MS));
    return locks === null ? this.#tryCount() : this.#tryEach(locks);
  }

  #send(message: string): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target: it is of one origin
    this.#options.channel.postMessage(message);
  }

  #tryCount(): boolean {
    if (this.#release === null && this.#holders.size >= SLOTS) return false;
    this.#release ??= () => undefined;
    return true;
  }

  releaseSlot(): void {
    this.#release?.();
    this.#release = null;
  }

  async #tryEach(locks: SlotLocks): Promise<boolean> {
    for (let slot = 0; slot < SLOTS; slot++) if (await this.#tryOne(locks, `${NAME}-${slot}`)) return true;
    return false;
  }

  #tryOne(locks: SlotLocks, name: string): Promise<boolean> {
    return new Promise((resolve) => {
      void locks.request(name, { ifAvailable: true }, (lock) => {
        // Another call may have acquired a slot meanwhile.
        if (lock === null || this.#release !== null) return resolve(this.#release !== null);
        return new Promise<void>((release) => {
          this.#release = release;
          resolve(true);
        });
      });
    });
  }
}
