// Guards one site: knows its hosts, finds the person of a request, and bounds rates. Must never say why a token was
// wrong.
import { BlockList, isIPv6 } from 'node:net';
import type { Person } from './token-file.ts';
import { TokenFile, digestOf, keyOfToken } from './token-file.ts';
import { LoginSessions, OneTimeCodes } from './login-sessions.ts';
import { CONTROLS_PER_SECOND, REQUESTS_PER_SECOND, RateBound, WrongTokens } from './rate-bounds.ts';
import { API_PREFIX, type Caller, type CheckedRequest, type Site } from './request-checks.ts';
import { ProblemFault } from '../server/problem.ts';

/** The addresses of a site. */
export interface SiteAddress {
  readonly scheme: 'http' | 'https';
  readonly hosts: readonly string[];
  readonly cookieName: string;
  /** Addresses or ranges of the proxy, such as `172.16.0.0/12`; `null` without a proxy. */
  readonly trustedPeers: readonly string[] | null;
}

export interface SiteGuardOptions {
  readonly address: SiteAddress;
  readonly tokenFile: string;
  /** Called with what is wrong in the token file after a change. */
  readonly onTokenFault: (message: string) => void;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** A page opens with several requests at once. */
const BURST = 2 * REQUESTS_PER_SECOND;
const HALT_PATH = /^\/api\/v1\/bots\/[^/]+\/halt$/;

/** The guard of one site. */
export class SiteGuard implements Site {
  readonly scheme: 'http' | 'https';
  readonly hosts: ReadonlySet<string>;
  readonly #options: SiteGuardOptions;
  readonly #trusted: BlockList | null;
  readonly #logins = new LoginSessions();
  readonly #codes = new OneTimeCodes();
  readonly #wrong = new WrongTokens();
  readonly #requests = new RateBound(REQUESTS_PER_SECOND, BURST);
  readonly #controls = new RateBound(CONTROLS_PER_SECOND, CONTROLS_PER_SECOND);
  readonly #tokens: TokenFile;

  /** @throws {UsageError} when the token file cannot be used. */
  constructor(options: SiteGuardOptions) {
    this.#options = options;
    const { address, tokenFile, onTokenFault } = options;
    this.scheme = address.scheme;
    this.hosts = new Set(address.hosts.map((host) => host.toLowerCase()));
    this.#trusted = address.trustedPeers === null ? null : blockListOf(address.trustedPeers);
    this.#tokens = new TokenFile(tokenFile, { onChange: () => this.#logins.endAllLogins(), onFault: onTokenFault });
  }

  readonly isPeerAllowed = (peer: string): boolean =>
    this.#trusted === null || peer === '' || this.#trusted.check(plainAddress(peer), familyOf(plainAddress(peer)));

  readonly findCaller = (request: CheckedRequest): Caller | null => {
    const bearer = bearerOf(request);
    return bearer === null ? this.#callerByCookie(request) : this.#callerByToken(request, bearer);
  };

  readonly rateWaitMs = (request: CheckedRequest): number => {
    const { caller, method, path } = request;
    const nowMs = this.#options.nowMs();
    if (caller === null || HALT_PATH.test(path)) return 0;
    const isControl = !READING.has(method) && path.startsWith(`${API_PREFIX}bots/`);
    const waitMs = isControl ? this.#controls.useUnit(caller.key, nowMs) : 0;
    return waitMs > 0 ? waitMs : this.#requests.useUnit(caller.key, nowMs);
  };

  /** Makes a one-time code for the first operator; `null` when the token file has no operator. */
  issueCode(): string | null {
    return this.#tokens.firstOperator() === null ? null : this.#codes.issueCode(this.#options.nowMs());
  }

  /**
   * Logs in with a token or a one-time code. Returns the value of the cookie.
   * @throws {ProblemFault} when the secret is wrong.
   */
  logIn(request: CheckedRequest, secret: { readonly token: string } | { readonly code: string }): string {
    const nowMs = this.#options.nowMs();
    const person = 'token' in secret ? this.#tokens.personOf(secret.token) : this.#personOfCode(secret.code, nowMs);
    if (person === null || person.role === 'scrape') return this.#refuseToken(request);
    this.#wrong.clearAddress(this.addressOf(request));
    return this.#logins.beginLogin(person, nowMs);
  }

  #personOfCode(code: string, nowMs: number): Person | null {
    return this.#codes.redeemCode(code, nowMs) ? this.#tokens.firstOperator() : null;
  }

  logOut(request: CheckedRequest): void {
    const id = this.#cookieOf(request);
    if (id !== null) this.#logins.endLogin(id);
  }

  /**
   * Time at which a login ends without another request; `null` for a bearer token. Microseconds since the Unix epoch.
   */
  expiryUs(request: CheckedRequest): number | null {
    const id = this.#cookieOf(request);
    const login = id === null ? null : this.#logins.useLogin(id, this.#options.nowMs());
    return login === null ? null : login.expiresMs * 1000;
  }

  /** True while a caller may continue to read a live stream. */
  isStillLoggedIn(caller: Caller): boolean {
    this.#tokens.checkForChange();
    return caller.isCookie
      ? this.#logins.isInForce(caller.key, this.#options.nowMs())
      : this.#tokens.hasKey(caller.key);
  }

  /** Returns the header that sets the cookie. An empty id deletes the cookie. */
  cookieHeader(id: string): string {
    const { cookieName, scheme } = this.#options.address;
    const age = id === '' ? '; Max-Age=0' : '';
    return `${cookieName}=${id}; Path=/${scheme === 'https' ? '; Secure' : ''}; HttpOnly; SameSite=Strict${age}`;
  }

  /** Returns the address of the person. Behind a proxy, the proxy names it. */
  addressOf({ headers, peer }: CheckedRequest): string {
    if (this.#trusted === null) return plainAddress(peer);
    // The proxy appends the last address. The client may have invented the earlier addresses.
    const forwarded = headers.get('x-forwarded-for')?.at(-1)?.split(',').at(-1)?.trim();
    return forwarded === undefined || forwarded === '' ? plainAddress(peer) : forwarded.slice(0, 100);
  }

  #callerByCookie(request: CheckedRequest): Caller | null {
    this.#tokens.checkForChange();
    const id = this.#cookieOf(request);
    const login = id === null ? null : this.#logins.useLogin(id, this.#options.nowMs());
    if (login === null) return null;
    return { ...login.person, key: login.key, address: this.addressOf(request), isCookie: true };
  }

  #callerByToken(request: CheckedRequest, token: string): Caller {
    const person: Person | null = this.#tokens.personOf(token);
    if (person === null) return this.#refuseToken(request);
    return { ...person, key: keyOfToken(digestOf(token)), address: this.addressOf(request), isCookie: false };
  }

  /**
   * Only wrong secrets wait. A lock for all of an address would let every program and page of this machine lock the
   * operator out. It would protect nothing: a secret of 32 random bytes is not found by guessing.
   */
  #refuseToken(request: CheckedRequest): never {
    const [address, nowMs] = [this.addressOf(request), this.#options.nowMs()];
    const waitMs = this.#wrong.waitMs(address, nowMs);
    if (waitMs > 0) throw new ProblemFault('too-many', 'too many wrong tokens: wait', { retryAfterMs: waitMs });
    this.#wrong.countWrong(address, nowMs);
    throw new ProblemFault('wrong-token', 'the token or code is not known, or its time is over');
  }

  #cookieOf({ headers }: CheckedRequest): string | null {
    const { cookieName } = this.#options.address;
    const pairs = (headers.get('cookie') ?? []).flatMap((line) => line.split(';'));
    const found = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${cookieName}=`));
    const [only] = found;
    // One of two cookies of the same name may be foreign, so neither is trusted.
    return found.length === 1 && only !== undefined ? only.slice(cookieName.length + 1) : null;
  }
}

/** Returns the bearer token; `null` when there is none. @throws {ProblemFault} for another kind of authorization. */
function bearerOf({ headers }: CheckedRequest): string | null {
  const values = headers.get('authorization');
  if (values === undefined) return null;
  const token = /^Bearer ([A-Za-z0-9_-]{1,200})$/i.exec(values[0] ?? '')?.[1];
  if (values.length > 1 || token === undefined)
    throw new ProblemFault('wrong-token', 'expected one header Authorization of the form `Bearer TOKEN`');
  return token;
}

/** Removes the prefix of an IPv4 address on a socket of both families. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

function blockListOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses) {
    const [address = '', prefix] = each.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}
