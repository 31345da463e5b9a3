// Authenticates requests: a key id, a fresh timestamp, and a signature over the timestamp, the method and the path.
// Must never say which part of a signature was wrong, nor repeat any of it.
import type { Micros } from '../../domain/units.ts';
import type { Signing } from '../../venues/trade-api/profile.ts';
import { signedText } from '../../venues/trade-api/sign-text.ts';
import type { AccountName } from '../input.ts';
import type { WireAnswer, WireRequest } from './call.ts';
import type { Keyring, KnownKey } from './keyring.ts';
import { json, nested } from './refusals.ts';

const MISSING: WireAnswer = nested(401, 'signature_is_missing_from_headers');
const EXPIRED: WireAnswer = nested(401, 'header_timestamp_expired');
const unauthentic = (details: string): WireAnswer =>
  json(401, { error: { code: 'authentication_error', message: 'authentication_error', details } });
const UNKNOWN_KEY = unauthentic('NOT_FOUND');
const WRONG_SIGNATURE = unauthentic('INCORRECT_API_KEY_SIGNATURE');

const MICROS_EACH = { ms: 1000, s: 1_000_000 } as const;

/** The parts of a request that its signature covers. */
export type Signed = Pick<WireRequest, 'method' | 'path' | 'header'>;

/** The key and account of an authenticated request. */
export type Caller = Pick<KnownKey, 'id' | 'account'>;

/** Authenticates requests. */
export interface Authentication {
  /** True when the request claims to come with a key. */
  isClaimed(request: Signed): boolean;
  /** The account of the key a request claims, unproven; `null` without a key or with an unknown one. */
  accountOf(request: Signed): AccountName | null;
  /** The ids of an account's keys. */
  keyIdsOf(account: AccountName): readonly string[];
  /** The caller of a request, or the refusal. `now` is the exchange's clock. */
  check(request: Signed, now: Micros): Caller | WireAnswer;
}

/** True when the timestamp of a request is close enough to the exchange's clock. */
function isFresh({ headers, clockSkewMs, timestampUnit }: Signing, { header }: Signed, now: Micros): boolean {
  const timestamp = header(headers.timestamp);
  if (timestamp === undefined || !/^\d{1,13}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) * MICROS_EACH[timestampUnit] - now) <= clockSkewMs * 1000;
}

/** Checks the signatures of one profile. */
export class SignatureAuthentication implements Authentication {
  readonly #signing: Signing;
  readonly #keys: Keyring;

  constructor(signing: Signing, keys: Keyring) {
    this.#signing = signing;
    this.#keys = keys;
  }

  isClaimed({ header }: Signed): boolean {
    const { key, signature } = this.#signing.headers;
    return header(key) !== undefined || header(signature) !== undefined;
  }

  accountOf({ header }: Signed): AccountName | null {
    return this.#keys.get(header(this.#signing.headers.key) ?? '')?.account ?? null;
  }

  keyIdsOf(account: AccountName): readonly string[] {
    return [...this.#keys.values()].flatMap((key) => (key.account === account ? [key.id] : []));
  }

  check(request: Signed, now: Micros): Caller | WireAnswer {
    const { headers } = this.#signing;
    const signature = request.header(headers.signature);
    if (signature === undefined || signature === '') return MISSING;
    if (!isFresh(this.#signing, request, now)) return EXPIRED;
    const timestamp = request.header(headers.timestamp) ?? '';
    const key = this.#keys.get(request.header(headers.key) ?? '');
    if (key === undefined) return UNKNOWN_KEY;
    return key.verify(signedText(this.#signing, timestamp, request), signature) ? key : WRONG_SIGNATURE;
  }
}

/**
 * Accepts the key header without a signature, for simulations without keys. All other checks are the same. Must never
 * serve a network.
 */
export class TrustingAuthentication implements Authentication {
  readonly #signing: Signing;
  readonly #accounts: ReadonlyMap<string, AccountName>;

  /** `accounts`: account names by key id. */
  constructor(signing: Signing, accounts: ReadonlyMap<string, AccountName>) {
    this.#signing = signing;
    this.#accounts = accounts;
  }

  isClaimed({ header }: Signed): boolean {
    return header(this.#signing.headers.key) !== undefined;
  }

  accountOf({ header }: Signed): AccountName | null {
    return this.#accounts.get(header(this.#signing.headers.key) ?? '') ?? null;
  }

  keyIdsOf(account: AccountName): readonly string[] {
    return [...this.#accounts].flatMap(([id, owner]) => (owner === account ? [id] : []));
  }

  check(request: Signed, now: Micros): Caller | WireAnswer {
    const id = request.header(this.#signing.headers.key);
    if (id === undefined) return MISSING;
    if (!isFresh(this.#signing, request, now)) return EXPIRED;
    const account = this.#accounts.get(id);
    return account === undefined ? UNKNOWN_KEY : { id, account };
  }
}

export const isRefused = (found: Caller | WireAnswer): found is WireAnswer => 'status' in found;
