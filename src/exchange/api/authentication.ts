// Authenticates requests: a key id, a fresh timestamp, and a signature over the timestamp, the method and the path.
// Must never say which part of a signature was wrong, nor repeat any of it.
import type { Micros } from '../../domain/units.ts';
import type { Signing } from '../../venues/trade-api/profiles/wire-profile.ts';
import { signedText } from '../../venues/trade-api/signing/sign-text.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { WireAnswer, WireRequest } from './endpoint-call.ts';
import type { Keyring, KnownKey } from './keyring.ts';
import { jsonAnswer, nestedError } from './api-errors.ts';
import type { SignatureCheck } from './signature-threads.ts';

const MISSING: WireAnswer = nestedError(401, 'signature_is_missing_from_headers');
const EXPIRED: WireAnswer = nestedError(401, 'header_timestamp_expired');
const unauthentic = (details: string): WireAnswer =>
  jsonAnswer(401, { error: { code: 'authentication_error', message: 'authentication_error', details } });
const UNKNOWN_KEY = unauthentic('NOT_FOUND');
const WRONG_SIGNATURE = unauthentic('INCORRECT_API_KEY_SIGNATURE');

const MICROS_EACH = { ms: 1000, s: 1_000_000 } as const;

/** The parts of a request that its signature covers. */
export type SignedRequest = Pick<WireRequest, 'method' | 'path' | 'header' | 'isSigned'>;

/** The key and account of an authenticated request. */
export type AuthenticatedCaller = Pick<KnownKey, 'id' | 'account'>;

/** Finds out which key and account a request comes from. */
export interface Authentication {
  claimsKey(request: SignedRequest): boolean;
  /** The account of the key that a request claims, before any check; `null` without a known key. */
  claimedAccount(request: SignedRequest): AccountName | null;
  keyIdsOf(account: AccountName): readonly string[];
  /**
   * The check that decides a request; `null` when it is refused without a check, or needs none.
   * @param now The time of the exchange's clock.
   */
  signatureOf(request: SignedRequest, now: Micros): SignatureCheck | null;
  /**
   * Returns the caller of a request, or the refusal.
   * @param now The time of the exchange's clock.
   */
  authenticate(request: SignedRequest, now: Micros): AuthenticatedCaller | WireAnswer;
}

function isFresh({ headers, clockSkewMs, timestampUnit }: Signing, { header }: SignedRequest, now: Micros): boolean {
  const timestamp = header(headers.timestamp);
  if (timestamp === undefined || !/^\d{1,13}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) * MICROS_EACH[timestampUnit] - now) <= clockSkewMs * 1000;
}

/** Authenticates by signature, as one profile signs requests. */
export class SignatureAuthentication implements Authentication {
  readonly #signing: Signing;
  readonly #keys: Keyring;

  constructor(signing: Signing, keys: Keyring) {
    this.#signing = signing;
    this.#keys = keys;
  }

  claimsKey({ header }: SignedRequest): boolean {
    const { key, signature } = this.#signing.headers;
    return header(key) !== undefined || header(signature) !== undefined;
  }

  claimedAccount({ header }: SignedRequest): AccountName | null {
    return this.#keys.get(header(this.#signing.headers.key) ?? '')?.account ?? null;
  }

  keyIdsOf(account: AccountName): readonly string[] {
    return [...this.#keys.values()].flatMap((key) => (key.account === account ? [key.id] : []));
  }

  signatureOf(request: SignedRequest, now: Micros): SignatureCheck | null {
    const { headers } = this.#signing;
    const keyId = request.header(headers.key) ?? '';
    const signature = request.header(headers.signature) ?? '';
    if (signature === '' || !this.#keys.has(keyId) || !isFresh(this.#signing, request, now)) return null;
    return { keyId, signature, text: this.#textOf(request) };
  }

  #textOf(request: SignedRequest): string {
    return signedText(this.#signing, request.header(this.#signing.headers.timestamp) ?? '', request);
  }

  authenticate(request: SignedRequest, now: Micros): AuthenticatedCaller | WireAnswer {
    const { headers } = this.#signing;
    const signature = request.header(headers.signature);
    if (signature === undefined || signature === '') return MISSING;
    if (!isFresh(this.#signing, request, now)) return EXPIRED;
    const key = this.#keys.get(request.header(headers.key) ?? '');
    if (key === undefined) return UNKNOWN_KEY;
    const isSigned = request.isSigned ?? key.verify(this.#textOf(request), signature);
    return isSigned ? key : WRONG_SIGNATURE;
  }
}

/**
 * Accepts the key header without a signature, for simulations without keys. Must never be used by a server on a
 * network.
 */
export class UnsignedAuthentication implements Authentication {
  readonly #signing: Signing;
  readonly #accounts: ReadonlyMap<string, AccountName>;

  /** @param accounts Account names by key id. */
  constructor(signing: Signing, accounts: ReadonlyMap<string, AccountName>) {
    this.#signing = signing;
    this.#accounts = accounts;
  }

  claimsKey({ header }: SignedRequest): boolean {
    return header(this.#signing.headers.key) !== undefined;
  }

  claimedAccount({ header }: SignedRequest): AccountName | null {
    return this.#accounts.get(header(this.#signing.headers.key) ?? '') ?? null;
  }

  keyIdsOf(account: AccountName): readonly string[] {
    return [...this.#accounts].flatMap(([id, owner]) => (owner === account ? [id] : []));
  }

  signatureOf(): SignatureCheck | null {
    return null;
  }

  authenticate(request: SignedRequest, now: Micros): AuthenticatedCaller | WireAnswer {
    const id = request.header(this.#signing.headers.key);
    if (id === undefined) return MISSING;
    if (!isFresh(this.#signing, request, now)) return EXPIRED;
    const account = this.#accounts.get(id);
    return account === undefined ? UNKNOWN_KEY : { id, account };
  }
}

export const isRefusedCaller = (found: AuthenticatedCaller | WireAnswer): found is WireAnswer => 'status' in found;
