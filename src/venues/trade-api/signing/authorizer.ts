// Creates the headers that authenticate a request, signed for the venue's present time. Must never expose a key or a
// signature except in its header.
import type { Micros } from '../../../domain/units.ts';
import type { Scheduler } from '../../../transport/scheduler.ts';
import type { PrivateKey } from './key-files.ts';
import type { Signing, WireProfile } from '../profiles/wire-profile.ts';
import {
  type Signer,
  WARMING_SIGNATURES,
  createPlatformSigner,
  createSigner,
  isAsynchronousScheme,
  isQuickOnPlatform,
  isValidByNoble,
} from './signers.ts';
import type { SignableRequest } from './sign-text.ts';
import { SignaturePool, type TimedSignature } from './signature-pool.ts';
import { ThreadSigner } from './thread-signer.ts';

/** A key id as the venue knows it, and the private key. */
export interface Credential {
  readonly keyId: string;
  readonly privateKey: PrivateKey;
}

export interface AuthorizerOptions {
  readonly profile: WireProfile;
  readonly credential: Credential;
  readonly venueNow: () => Micros;
  readonly prepared: readonly SignableRequest[];
  readonly scheduler: Scheduler;
  /** Default: `loop`. */
  readonly place?: SigningPlace;
}

/**
 * The place where signatures are computed: by noble on the event loop, which stands still meanwhile; by noble on a thread
 * of its own; or by the platform's code, on the event loop where that is quick and otherwise on the platform's threads.
 * RSA signatures are always the platform's.
 */
export type SigningPlace = 'loop' | 'thread' | 'platform';

export type SignedHeaders = Readonly<Record<string, string>>;

/** Authenticates requests. A synchronous signer returns no promises. */
export interface RequestSigner {
  /** Prepares signing code and signatures, so that the first request is not slow. */
  warm(): void | Promise<void>;
  /** The headers of one request, valid at present. Rejects or throws when the request cannot be signed. */
  headersOf(request: SignableRequest): SignedHeaders | Promise<SignedHeaders>;
  /** From now on, keeps signatures of a request ready. Does nothing for a request that is prepared already. */
  prepare?(request: SignableRequest): void;
  stop(): void;
}

/** Signatures held ready for each prepared request. */
const READY_DEPTH = 16;
/** Signatures of a quick signer that one refill makes: two tenths of a millisecond of the event loop at most. */
const QUICK_PER_TURN = 8;
/** A prepared signature expires after the allowed clock skew divided by this. */
const AGE_SHARE = 3;

/** Delay before the pool is refilled: a refill must not hold up an order on its way to the socket. */
const REFILL_PAUSE_MS = 2;

/** Signs requests with one key. */
export class Authorizer implements RequestSigner {
  readonly #keyId: string;
  readonly #signing: Signing;
  readonly #privateKey: PrivateKey;
  readonly #place: SigningPlace;
  readonly #thread: ThreadSigner | null;
  readonly #sign: Signer;
  readonly #pool: SignaturePool;
  /**
   * Number of requests that wait for a signature or for earlier requests. `#lastTurn` ends with the last of them and
   * never rejects.
   */
  #waiting = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor({ profile, credential, venueNow, prepared, scheduler, place = 'loop' }: AuthorizerOptions) {
    this.#keyId = credential.keyId;
    this.#signing = { ...profile.signing, scheme: credential.privateKey.scheme };
    this.#privateKey = credential.privateKey;
    this.#place = isAsynchronousScheme(credential.privateKey.scheme) ? 'platform' : place;
    const parts = { signing: this.#signing, key: credential.privateKey };
    this.#thread = this.#place === 'thread' ? new ThreadSigner(parts) : null;
    this.#sign = this.#thread?.sign ?? this.#makeSigner();
    const isQuick = this.#place === 'platform' && isQuickOnPlatform(credential.privateKey.scheme);
    const set = (delayMs: number, act: () => void): (() => void) => {
      const timer = scheduler.after(delayMs, act);
      return () => scheduler.cancel(timer);
    };
    this.#pool = new SignaturePool({
      signing: this.#signing,
      sign: this.#sign,
      venueNow,
      requests: prepared,
      depth: READY_DEPTH,
      perTurn: isQuick ? QUICK_PER_TURN : 1,
      maxAgeMs: Math.floor(profile.signing.clockSkewMs / AGE_SHARE),
      later: (act) => set(REFILL_PAUSE_MS, act),
      after: set,
    });
  }

  #makeSigner(): Signer {
    const make = this.#place === 'platform' ? createPlatformSigner : createSigner;
    return make(this.#signing, this.#privateKey);
  }

  /**
   * Warms up the signing code and fills the pool. Takes some tens of milliseconds.
   * @throws {Error} when the platform's first signature is not valid by other code.
   */
  warm(): void | Promise<void> {
    if (this.#place === 'platform') return this.#checkPlatform().then(() => this.#fill());
    // Only signing code in JavaScript gets faster by running. A thread warms itself.
    if (this.#place === 'loop') for (let i = 0; i < WARMING_SIGNATURES; i++) void this.#sign(`warming ${i}`);
    return this.#fill();
  }

  async #checkPlatform(): Promise<void> {
    const text = 'first signature of the platform';
    const signature = await this.#sign(text);
    if (!isValidByNoble(this.#signing, this.#privateKey, [text, signature]))
      throw new Error('the platform makes signatures that are not valid: set venue.signer to noble');
  }

  #fill(): void | Promise<void> {
    const filled = this.#pool.fillNow();
    if (filled instanceof Promise) return filled.then(() => this.#pool.start());
    this.#pool.start();
  }

  headersOf(request: SignableRequest): SignedHeaders | Promise<SignedHeaders> {
    const signed = this.#pool.takeSignature(request);
    if (this.#waiting === 0 && !(signed instanceof Promise)) return this.#headers(signed);
    return this.#inTurn(signed);
  }

  prepare(request: SignableRequest): void {
    this.#pool.addRequest(request);
  }

  /** Returns headers in the sequence of the calls, so that a cancel is never overtaken by a later order. */
  #inTurn(signed: TimedSignature | Promise<TimedSignature>): Promise<SignedHeaders> {
    const headers = Promise.all([signed, this.#lastTurn]).then(([mine]) => this.#headers(mine));
    const leave = (): void => {
      this.#waiting -= 1;
    };
    this.#waiting += 1;
    this.#lastTurn = headers.then(leave, leave);
    return headers;
  }

  #headers(signed: TimedSignature): SignedHeaders {
    const { key, timestamp, signature } = this.#signing.headers;
    return { [key]: this.#keyId, [timestamp]: signed.timestamp, [signature]: signed.signature };
  }

  stop(): void {
    this.#pool.stop();
    this.#thread?.stop();
  }
}
