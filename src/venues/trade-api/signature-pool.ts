// Signatures made ahead for the few texts that are known before an order is: its path is always the same.
// Each is used once and only while fresh. Making them never holds up an order: one a turn, and none there means signing on the spot.
// A signer that takes its time is asked for one after the other, never for two at once.
import type { Micros } from '../../domain/units.ts';
import type { Signing } from './profile.ts';
import type { Signer } from './sign.ts';
import { type Signable, signedText, timestampOf } from './sign-text.ts';

/** A signature, and the timestamp it signs. */
export interface Signed {
  readonly timestamp: string;
  readonly signature: string;
}

/** What a pool is made of. */
export interface SignaturePoolOptions {
  readonly signing: Signing;
  readonly sign: Signer;
  /** The venue's clock, as well as we know it: ours corrected by the measured offset. */
  readonly venueNow: () => Micros;
  /** The requests to prepare for. */
  readonly requests: readonly Signable[];
  /** How many to hold ready for each. */
  readonly depth: number;
  /** A signature older than this is not used. Well within the skew that the venue allows. */
  readonly maxAgeMs: number;
  /** Calls back in a later turn, off the hot path; gives a function that calls it off. */
  readonly later: (act: () => void) => () => void;
  /** Calls back after a while; gives a function that calls it off. */
  readonly after: (delayMs: number, act: () => void) => () => void;
}

/** A signature held ready. */
interface Ready extends Signed {
  /** The venue's time that it signs. */
  readonly at: number;
}

const MICROS_PER_MS = 1000;
const nothing = (): void => {};

/** Holds signatures ready. */
export class SignaturePool {
  readonly #options: SignaturePoolOptions;
  readonly #readyByText = new Map<string, Ready[]>();
  readonly #lastStampByText = new Map<string, number>();
  #cancelTurn = nothing;
  #cancelTimer = nothing;
  #isFilling = false;
  #isStopped = false;

  constructor(options: SignaturePoolOptions) {
    this.#options = options;
    for (const request of options.requests) this.#readyByText.set(nameOf(request), []);
  }

  /** Begins to fill, and keeps what it holds fresh. */
  start(): void {
    if (this.#isStopped) return;
    this.#fill();
    this.#cancelTimer = this.#options.after(this.#options.maxAgeMs / 4, () => this.start());
  }

  /** Makes everything ready now, in this turn where the signer can. For the start, when nothing waits. */
  fillNow(): void | Promise<void> {
    for (;;) {
      const prepared = this.#prepareOne();
      if (prepared instanceof Promise) return this.#fillOneByOne(prepared);
      if (!prepared) return;
    }
  }

  async #fillOneByOne(first: Promise<boolean>): Promise<void> {
    this.#isFilling = true;
    try {
      let isMore = await first;
      while (isMore) isMore = await this.#prepareOne();
    } finally {
      this.#isFilling = false;
    }
  }

  /**
   * A signature for a request: one held ready where there is one fresh, else one made now, at once or not as the signer
   * can. Rejects when the signer cannot.
   */
  take(request: Signable): Signed | Promise<Signed> {
    const ready = this.#readyByText.get(nameOf(request));
    if (ready === undefined) return this.#make(request);
    const found = this.#freshest(ready);
    this.#fill();
    return found ?? this.#make(request);
  }

  /** How many are held ready and fresh, of all requests. */
  get readyCount(): number {
    const oldest = this.#options.venueNow() - this.#options.maxAgeMs * MICROS_PER_MS;
    let count = 0;
    for (const ready of this.#readyByText.values()) count += ready.filter(({ at }) => at >= oldest).length;
    return count;
  }

  /** Makes no more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTurn();
    this.#cancelTimer();
  }

  /** The oldest one that is still fresh, so that none is wasted; stale ones are dropped on the way. */
  #freshest(ready: Ready[]): Ready | null {
    const now = this.#options.venueNow();
    const maxAge = this.#options.maxAgeMs * MICROS_PER_MS;
    let found = ready.shift();
    // A clock that was set back makes a signature of the future, which is no more use than a stale one.
    while (found !== undefined && Math.abs(now - found.at) > maxAge) found = ready.shift();
    return found ?? null;
  }

  #fill(): void {
    if (this.#isFilling || this.#isStopped) return;
    this.#isFilling = true;
    this.#cancelTurn = this.#options.later(() => {
      const prepared = this.#prepareOne();
      if (!(prepared instanceof Promise)) return this.#noteFilled(prepared);
      // What could not be signed ahead is tried again when it is asked for, where the failure is told.
      prepared.then(
        (wasOne) => this.#noteFilled(wasOne),
        () => this.#noteFilled(false),
      );
    });
  }

  #noteFilled(wasOne: boolean): void {
    this.#isFilling = false;
    if (wasOne) this.#fill();
  }

  /** Prepares one signature; whether there was one to prepare. What comes after the stop is dropped. */
  #prepareOne(): boolean | Promise<boolean> {
    if (this.#isStopped) return false;
    // Replaced at half their age, so that what is held is always usable for a while.
    const oldest = this.#options.venueNow() - (this.#options.maxAgeMs * MICROS_PER_MS) / 2;
    for (const request of this.#options.requests) {
      const ready = this.#readyByText.get(nameOf(request));
      if (ready === undefined) continue;
      while (ready[0] !== undefined && ready[0].at < oldest) ready.shift();
      if (ready.length >= this.#options.depth) continue;
      const made = this.#make(request);
      if (made instanceof Promise) return made.then((one) => this.#keep(ready, one));
      return this.#keep(ready, made);
    }
    return false;
  }

  #keep(ready: Ready[], made: Ready): boolean {
    if (!this.#isStopped) ready.push(made);
    return !this.#isStopped;
  }

  /** Signs now. No two signatures of one text carry the same timestamp: they would be one and the same. */
  #make(request: Signable): Ready | Promise<Ready> {
    const { signing, sign, venueNow } = this.#options;
    const unit = signing.timestampUnit === 'ms' ? MICROS_PER_MS : MICROS_PER_MS * MICROS_PER_MS;
    const name = nameOf(request);
    const last = this.#lastStampByText.get(name) ?? Number.NEGATIVE_INFINITY;
    const now = venueNow();
    // Where so many are made that their stamps would run ahead of the clock, sameness is the lesser evil.
    const next = last - now < MICROS_PER_MS * MICROS_PER_MS ? Math.max(now, last + unit) : now;
    this.#lastStampByText.set(name, Math.floor(next / unit) * unit);
    // A sum of whole microseconds.
    const timestamp = timestampOf(signing, next as Micros);
    const signature = sign(signedText(signing, timestamp, request));
    if (typeof signature === 'string') return { timestamp, signature, at: now };
    return signature.then((late) => ({ timestamp, signature: late, at: now }));
  }
}

const nameOf = ({ method, path }: Signable): string => `${method} ${path}`;
