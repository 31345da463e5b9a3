// Who is asking: the key's id, a fresh timestamp, and a signature over both with the method and the path.
// Must never say which part of a signature was wrong, nor repeat any of it.
import type { Micros } from '../../domain/units.ts';
import type { Signing } from '../../venues/trade-api/profile.ts';
import { signedText } from '../../venues/trade-api/sign-text.ts';
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

/** A request as far as its signature goes. */
export type Signed = Pick<WireRequest, 'method' | 'path' | 'header'>;

/** Checks signatures of one profile. */
export class Authentication {
  readonly #signing: Signing;
  readonly #keys: Keyring;

  constructor(signing: Signing, keys: Keyring) {
    this.#signing = signing;
    this.#keys = keys;
  }

  /** Whether the request claims to come with a key. */
  isClaimed({ header }: Signed): boolean {
    const { key, signature } = this.#signing.headers;
    return header(key) !== undefined || header(signature) !== undefined;
  }

  /** Whose request it is, or the refusal. `now` is the exchange's clock. */
  check(request: Signed, now: Micros): KnownKey | WireAnswer {
    const { headers, clockSkewMs, timestampUnit } = this.#signing;
    const signature = request.header(headers.signature);
    const timestamp = request.header(headers.timestamp);
    if (signature === undefined || signature === '') return MISSING;
    if (timestamp === undefined || !/^\d{1,13}$/.test(timestamp)) return EXPIRED;
    if (Math.abs(Number(timestamp) * MICROS_EACH[timestampUnit] - now) > clockSkewMs * 1000) return EXPIRED;
    const key = this.#keys.get(request.header(headers.key) ?? '');
    if (key === undefined) return UNKNOWN_KEY;
    return key.verify(signedText(this.#signing, timestamp, request), signature) ? key : WRONG_SIGNATURE;
  }
}

export const isRefused = (found: KnownKey | WireAnswer): found is WireAnswer => 'status' in found;
