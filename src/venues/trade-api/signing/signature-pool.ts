// Prepares signatures for requests that are known in advance: the path of a new order is always the same. Without a
// ready signature, a request is signed at once. Must never use a signature twice or when it is too old.
import type { Micros } from '../../../domain/units.ts';
import type { Signing } from '../profiles/wire-profile.ts';
import type { Signer } from './signers.ts';
import { type SignableRequest, signedText, timestampOf } from './sign-text.ts';

/** A signature, and the timestamp it signs. */
export interface TimedSignature {
  readonly timestamp: string;
  readonly signature: string;
}

/** Inputs of a pool. */
export interface SignaturePoolOptions {
  readonly signing: Signing;
  readonly sign: Signer;
  /** Our estimate of the venue's clock. */
  readonly venueNow: () => Micros;
  readonly requests: readonly SignableRequest[];
  readonly depth: number;
  /** Most signatures that a synchronous signer makes in one turn of a refill. Default: 1. */
  readonly perTurn?: number;
  /** Maximum age of a signature. Well within the clock skew that the venue allows. */
  readonly maxAgeMs: number;
  /** Calls back in a later turn of the event loop; returns a function that cancels the call. */
  readonly later: (act: () => void) => () => void;
  /** Calls back after a delay; returns a function that cancels the call. */
  readonly after: (delayMs: number, act: () => void) => () => void;
}

interface Ready extends TimedSignature {
  /** Venue time at which the signature was made. */
  readonly at: number;
}

const MICROS_PER_MS = 1000;
/** Timestamps must not run further ahead of the clock: a repeated timestamp does less harm. Microseconds. */
const AHEAD_MAX = 1_000_000;
const doNothing = (): void => {};

/** Prepares signatures, and signs at once when none is ready. */
export class SignaturePool {
  readonly #options: SignaturePoolOptions;
  readonly #requests: SignableRequest[] = [];
  /** Prepared signatures of each request, oldest first. Removed when taken or stale. */
  readonly #readyByText = new Map<string, Ready[]>();
  /**
   * Last timestamp signed for each request, so that the next one differs; the latest request last. Removed at a later
   * signature, once the clock is past it: most requests name an order, and are signed once.
   */
  readonly #lastStampByText = new Map<string, number>();
  #cancelRefill = doNothing;
  #cancelTimer = doNothing;
  #isPreparing = false;
  #isStopped = false;

  constructor(options: SignaturePoolOptions) {
    this.#options = options;
    for (const request of options.requests) this.#keepReady(request);
  }

  #keepReady(request: SignableRequest): void {
    this.#requests.push(request);
    this.#readyByText.set(nameOf(request), []);
  }

  /** From now on, prepares signatures of this request, too. */
  addRequest(request: SignableRequest): void {
    if (this.#readyByText.has(nameOf(request))) return;
    this.#keepReady(request);
    this.#scheduleRefill();
  }

  start(): void {
    if (this.#isStopped) return;
    this.#scheduleRefill();
    this.#cancelTimer = this.#options.after(this.#options.maxAgeMs / 4, () => this.start());
  }

  /** Fills the pool at startup, within this turn if the signer is synchronous. */
  fillNow(): void | Promise<void> {
    for (;;) {
      const prepared = this.#prepareOne();
      if (prepared instanceof Promise) return this.#fillOneByOne(prepared);
      if (!prepared) return;
    }
  }

  async #fillOneByOne(first: Promise<boolean>): Promise<void> {
    this.#isPreparing = true;
    try {
      let didPrepare = await first;
      while (didPrepare) didPrepare = await this.#prepareOne();
    } finally {
      this.#isPreparing = false;
    }
  }

  /**
   * A prepared signature, or a new one; synchronous if the signer is synchronous. Rejects or throws when the signer
   * fails.
   */
  takeSignature(request: SignableRequest): TimedSignature | Promise<TimedSignature> {
    const ready = this.#readyByText.get(nameOf(request));
    if (ready === undefined) return this.#signNow(request);
    const found = this.#freshest(ready);
    this.#scheduleRefill();
    return found ?? this.#signNow(request);
  }

  get readyCount(): number {
    const oldest = this.#options.venueNow() - this.#options.maxAgeMs * MICROS_PER_MS;
    let count = 0;
    for (const ready of this.#readyByText.values()) count += ready.filter(({ at }) => at >= oldest).length;
    return count;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRefill();
    this.#cancelTimer();
  }

  /** The oldest fresh signature, so that none is wasted. Drops stale signatures. */
  #freshest(ready: Ready[]): Ready | null {
    const now = this.#options.venueNow();
    const maxAge = this.#options.maxAgeMs * MICROS_PER_MS;
    let found = ready.shift();
    // After a clock was set back, a signature from the future is useless, too.
    while (found !== undefined && Math.abs(now - found.at) > maxAge) found = ready.shift();
    return found ?? null;
  }

  #scheduleRefill(): void {
    if (this.#isPreparing || this.#isStopped) return;
    this.#isPreparing = true;
    this.#cancelRefill = this.#options.later(() => {
      const prepared = this.#prepareTurn();
      if (!(prepared instanceof Promise)) return this.#afterPreparing(prepared);
      // Signing elsewhere holds nothing up, so the next ones follow at once. A failure is ignored here: the request itself
      // is signed again later, which reports the failure.
      this.#fillOneByOne(prepared).catch(() => undefined);
    });
  }

  /** Prepares the signatures of one turn. Returns false when the pool needs no more. */
  #prepareTurn(): boolean | Promise<boolean> {
    const { perTurn = 1 } = this.#options;
    for (let made = 0; made < perTurn; made++) {
      const prepared = this.#prepareOne();
      if (prepared !== true) return prepared;
    }
    return true;
  }

  #afterPreparing(didPrepare: boolean): void {
    this.#isPreparing = false;
    if (didPrepare) this.#scheduleRefill();
  }

  /** Prepares one signature. Returns false when none was needed or the pool has stopped. */
  #prepareOne(): boolean | Promise<boolean> {
    if (this.#isStopped) return false;
    // Signatures are replaced at half the maximum age: every held signature stays usable for a while.
    const oldest = this.#options.venueNow() - (this.#options.maxAgeMs * MICROS_PER_MS) / 2;
    for (const request of this.#requests) {
      const ready = this.#readyByText.get(nameOf(request));
      if (ready === undefined) continue;
      while (ready[0] !== undefined && ready[0].at < oldest) ready.shift();
      if (ready.length >= this.#options.depth) continue;
      const made = this.#signNow(request);
      if (made instanceof Promise) return made.then((late) => this.#store(ready, late));
      return this.#store(ready, made);
    }
    return false;
  }

  #store(ready: Ready[], made: Ready): boolean {
    if (!this.#isStopped) ready.push(made);
    return !this.#isStopped;
  }

  /**
   * Each signature of a request normally gets a new timestamp: with the same timestamp, the signatures could be
   * identical.
   */
  #signNow(request: SignableRequest): Ready | Promise<Ready> {
    const { signing, sign, venueNow } = this.#options;
    const unit = signing.timestampUnit === 'ms' ? MICROS_PER_MS : MICROS_PER_MS * MICROS_PER_MS;
    const name = nameOf(request);
    const last = this.#lastStampByText.get(name) ?? Number.NEGATIVE_INFINITY;
    const now = venueNow();
    const isInUse = (stamp: number): boolean => stamp + unit > now && stamp - now < AHEAD_MAX;
    const next = isInUse(last) ? last + unit : now;
    this.#dropStamps(isInUse);
    this.#lastStampByText.delete(name);
    this.#lastStampByText.set(name, Math.floor(next / unit) * unit);
    // `next` is a whole number of microseconds.
    const timestamp = timestampOf(signing, next as Micros);
    const signature = sign(signedText(signing, timestamp, request));
    if (typeof signature === 'string') return { timestamp, signature, at: now };
    return signature.then((late) => ({ timestamp, signature: late, at: now }));
  }

  /** Drops the oldest timestamps, up to the first that the next timestamp of its request must still differ from. */
  #dropStamps(isInUse: (stamp: number) => boolean): void {
    for (const [name, stamp] of this.#lastStampByText) {
      if (isInUse(stamp)) return;
      this.#lastStampByText.delete(name);
    }
  }

  /** Number of requests whose last timestamp is remembered. */
  get stampCount(): number {
    return this.#lastStampByText.size;
  }
}

const nameOf = ({ method, path }: SignableRequest): string => `${method} ${path}`;
