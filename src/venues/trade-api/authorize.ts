// The headers that prove whose a request is, signed for the venue's time of this moment; in the order they were asked for.
// Must never hand out a key or a signature but as the header it belongs in.
import type { Micros } from '../../domain/units.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { PrivateKey } from './keys.ts';
import type { Signing, WireProfile } from './profile.ts';
import { type Signer, createSigner, signsLater } from './sign.ts';
import type { Signable } from './sign-text.ts';
import { SignaturePool, type Signed } from './signature-pool.ts';

/** A key as the venue knows it, and its private half. */
export interface Credential {
  readonly keyId: string;
  readonly privateKey: PrivateKey;
}

export interface AuthorizerOptions {
  readonly profile: WireProfile;
  readonly credential: Credential;
  /** The venue's clock, as well as we know it. */
  readonly venueNow: () => Micros;
  /** Requests to prepare signatures for. */
  readonly prepared: readonly Signable[];
  readonly scheduler: Scheduler;
}

export type SignedHeaders = Readonly<Record<string, string>>;

/** Proves whose a request is. Whoever signs at once gives no promises. */
export interface RequestSigner {
  /** Makes ready, so that the first request is not the slow one. */
  warm(): void | Promise<void>;
  /** The headers of one request, good for this moment. Rejects or throws when it cannot be signed. */
  headersOf(request: Signable): SignedHeaders | Promise<SignedHeaders>;
  stop(): void;
}

/** Signatures held ready for each prepared request. */
const READY_DEPTH = 16;
/** A prepared signature is used within this share of the skew that the venue allows. */
const AGE_SHARE = 3;
/** The first signatures are tens of times slower than those of warm code. */
const WARMING_SIGNATURES = 50;

/**
 * A signature takes longer than an order's way to the socket, which itself takes a turn or two of the loop: signing for
 * the next one waits until this one has surely left.
 */
const REFILL_PAUSE_MS = 2;

/** Signs the requests of one key. */
export class Authorizer implements RequestSigner {
  readonly #keyId: string;
  readonly #signing: Signing;
  readonly #sign: Signer;
  readonly #pool: SignaturePool;
  /** How many wait for a signature, or for those before them; and the turn of the last of them, which never rejects. */
  #waiting = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor({ profile, credential, venueNow, prepared, scheduler }: AuthorizerOptions) {
    this.#keyId = credential.keyId;
    this.#signing = { ...profile.signing, scheme: credential.privateKey.scheme };
    this.#sign = createSigner(this.#signing, credential.privateKey);
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
      maxAgeMs: Math.floor(profile.signing.clockSkewMs / AGE_SHARE),
      later: (act) => set(REFILL_PAUSE_MS, act),
      after: set,
    });
  }

  /** Makes the signer's code warm and signatures ready. Takes some tens of milliseconds. */
  warm(): void | Promise<void> {
    // Only code of our own grows faster by being run.
    if (!signsLater(this.#signing.scheme)) for (let i = 0; i < WARMING_SIGNATURES; i++) void this.#sign(`warming ${i}`);
    const filled = this.#pool.fillNow();
    if (filled instanceof Promise) return filled.then(() => this.#pool.start());
    this.#pool.start();
  }

  /** The headers of one request. */
  headersOf(request: Signable): SignedHeaders | Promise<SignedHeaders> {
    const signed = this.#pool.take(request);
    if (this.#waiting === 0 && !(signed instanceof Promise)) return this.#headers(signed);
    return this.#inTurn(signed);
  }

  /** Whoever asks first has its headers first: a cancel is not overtaken by the order that was asked for after it. */
  #inTurn(signed: Signed | Promise<Signed>): Promise<SignedHeaders> {
    const headers = Promise.all([signed, this.#lastTurn]).then(([mine]) => this.#headers(mine));
    const leave = (): void => {
      this.#waiting -= 1;
    };
    this.#waiting += 1;
    this.#lastTurn = headers.then(leave, leave);
    return headers;
  }

  #headers(signed: Signed): SignedHeaders {
    const { key, timestamp, signature } = this.#signing.headers;
    return { [key]: this.#keyId, [timestamp]: signed.timestamp, [signature]: signed.signature };
  }

  stop(): void {
    this.#pool.stop();
  }
}
