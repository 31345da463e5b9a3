// The headers that prove whose a request is, signed for the venue's time of this moment.
// Must never hand out a key or a signature but as the header it belongs in.
import type { Micros } from '../../domain/units.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { PrivateKey } from './keys.ts';
import type { Signing, WireProfile } from './profile.ts';
import { type Signer, createSigner } from './sign.ts';
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

/** Proves whose a request is. */
export interface RequestSigner {
  /** Makes ready, so that the first request is not the slow one. */
  warm(): void;
  /** The headers of one request, good for this moment. */
  headersOf(request: Signable): Record<string, string>;
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
  warm(): void {
    for (let i = 0; i < WARMING_SIGNATURES; i++) this.#sign(`warming ${i}`);
    this.#pool.fillNow();
    this.#pool.start();
  }

  /** The headers of one request. */
  headersOf(request: Signable): Record<string, string> {
    const { key, timestamp, signature } = this.#signing.headers;
    const signed: Signed = this.#pool.take(request);
    return { [key]: this.#keyId, [timestamp]: signed.timestamp, [signature]: signed.signature };
  }

  stop(): void {
    this.#pool.stop();
  }
}
