// Logins by cookie, and one-time codes for the printed link. Must never keep the plain id of a login or a plain code.
import type { Person } from './token-file.ts';
import { digestOf, makeSecret } from './token-file.ts';

const HOUR_MS = 3_600_000;
/** Time without a request after which a login ends. Milliseconds. */
export const IDLE_MS_MAX = 12 * HOUR_MS;
/** Greatest age of a login. Milliseconds. */
export const LOGIN_MS_MAX = 7 * 24 * HOUR_MS;
/** Time in which a one-time code may be used. Milliseconds. */
export const CODE_MS_MAX = 60_000;
/** The oldest logins and codes end beyond these numbers. */
const LOGINS_MAX = 500;
const CODES_MAX = 20;

/** The login of a person. */
export interface Login {
  readonly person: Person;
  /** A key for counting requests. It is not the secret. */
  readonly key: string;
  /** Time at which the login ends without another request. Milliseconds since the Unix epoch. */
  readonly expiresMs: number;
}

interface KeptLogin {
  readonly person: Person;
  readonly madeMs: number;
  usedMs: number;
}

const keyOf = (secret: string): string => digestOf(secret).toString('base64url');

const expiryOf = ({ madeMs, usedMs }: KeptLogin): number => Math.min(usedMs + IDLE_MS_MAX, madeMs + LOGIN_MS_MAX);

/** The logins of all persons. */
export class LoginSessions {
  /** By digest of the id, oldest first. Added at a login; removed at its end. */
  readonly #logins = new Map<string, KeptLogin>();

  /** Begins a login. Returns its id, for the cookie. */
  beginLogin(person: Person, nowMs: number): string {
    const id = makeSecret();
    for (const [key, kept] of this.#logins) if (expiryOf(kept) <= nowMs) this.#logins.delete(key);
    for (const key of this.#logins.keys()) if (this.#logins.size >= LOGINS_MAX) this.#logins.delete(key);
    this.#logins.set(keyOf(id), { person, madeMs: nowMs, usedMs: nowMs });
    return id;
  }

  /** Returns the login of an id, and counts a use; `null` when it has ended. */
  useLogin(id: string, nowMs: number): Login | null {
    const key = keyOf(id);
    const kept = this.#logins.get(key);
    if (kept === undefined) return null;
    if (expiryOf(kept) <= nowMs) {
      this.#logins.delete(key);
      return null;
    }
    kept.usedMs = nowMs;
    return { person: kept.person, key, expiresMs: expiryOf(kept) };
  }

  /** True while a login is in force. This is not counted as a use. */
  isInForce(key: string, nowMs: number): boolean {
    const kept = this.#logins.get(key);
    return kept !== undefined && expiryOf(kept) > nowMs;
  }

  endLogin(id: string): void {
    this.#logins.delete(keyOf(id));
  }

  endAllLogins(): void {
    this.#logins.clear();
  }
}

/** Codes that can be exchanged for a login, once each. */
export class OneTimeCodes {
  /** Time of expiry, by digest of the code. Added when issued; removed when used, and when others are issued later. */
  readonly #codes = new Map<string, number>();

  issueCode(nowMs: number): string {
    for (const [key, endMs] of this.#codes) if (endMs <= nowMs) this.#codes.delete(key);
    for (const key of this.#codes.keys()) if (this.#codes.size >= CODES_MAX) this.#codes.delete(key);
    const code = makeSecret();
    this.#codes.set(keyOf(code), nowMs + CODE_MS_MAX);
    return code;
  }

  /** Uses a code. Returns false when the code is unknown, used or too old. */
  redeemCode(code: string, nowMs: number): boolean {
    const key = keyOf(code);
    const endMs = this.#codes.get(key);
    this.#codes.delete(key);
    return endMs !== undefined && endMs > nowMs;
  }
}
