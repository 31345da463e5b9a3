// The checks of every request, one after the other. Must never let a request of another page, another host or an
// unknown person reach a handler.
import { type ProblemCode, ProblemFault } from '../server/problem.ts';
import type { Person } from './token-file.ts';

/** The raw facts of a request. */
export interface RequestFacts {
  readonly method: string;
  /** Target of the request line, unchanged. */
  readonly target: string;
  /** Names and values in turn, unchanged. */
  readonly rawHeaders: readonly string[];
  /** Address of the other end of the socket; empty for a unix socket. */
  readonly peer: string;
}

/** The person who makes a request. */
export interface Caller extends Person {
  readonly key: string;
  /** Address of the person, as far as it is known. */
  readonly address: string;
  /** True: the login is a cookie, which a browser sends by itself. */
  readonly isCookie: boolean;
}

/** A request, with the findings of the checks so far. */
export interface CheckedRequest extends RequestFacts {
  readonly path: string;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  caller: Caller | null;
}

/** The facts of the site that the checks need. */
export interface Site {
  readonly scheme: 'http' | 'https';
  /** Values of `Host` that are served, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** True when the address may connect. Behind a proxy, only the proxy and a unix socket may. */
  readonly isPeerAllowed: (peer: string) => boolean;
  /**
   * Finds the person by cookie or bearer token.
   * @throws {ProblemFault} when the token is wrong.
   */
  readonly findCaller: (request: CheckedRequest) => Caller | null;
  /** Wait in milliseconds before the request is allowed; 0 when it is allowed now. */
  readonly rateWaitMs: (request: CheckedRequest) => number;
}

const HEADERS_MAX = 100;
const TARGET_LENGTH_MAX = 8192;
/** Longest body of a request. Bytes. */
export const BODY_BYTES_MAX = 65_536;
export const API_PREFIX = '/api/v1/';
const LOGIN_PATH = '/api/v1/session';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']);
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

type Check = (request: CheckedRequest, site: Site) => void;

const refuse = (code: ProblemCode, detail: string, retryAfterMs?: number): never => {
  throw new ProblemFault(code, detail, retryAfterMs === undefined ? {} : { retryAfterMs });
};

function headersOf(rawHeaders: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    found.set(name, [...(found.get(name) ?? []), rawHeaders[i + 1] ?? '']);
  }
  return found;
}

/** Returns the value of a header; `null` when it is missing. @throws {ProblemFault} when the header is repeated. */
function onlyValue({ headers }: CheckedRequest, name: string): string | null {
  const values = headers.get(name);
  if (values === undefined) return null;
  if (values.length > 1) refuse('unreadable', `expected one header ${name}, found ${values.length}`);
  return values[0] ?? null;
}

export const checkSize: Check = ({ rawHeaders, target }) => {
  if (rawHeaders.length / 2 > HEADERS_MAX) refuse('headers-too-large', `expected at most ${HEADERS_MAX} headers`);
  if (target.length > TARGET_LENGTH_MAX)
    refuse('headers-too-large', `expected a target of at most ${TARGET_LENGTH_MAX} characters`);
};

/** Refuses paths that programs read in different ways, such as an encoded slash or a dot segment. */
export const checkTarget: Check = ({ target, path }) => {
  if (!target.startsWith('/')) refuse('unreadable', 'expected a path, found another form of target');
  if (/[\\#]|[^\u0021-\u007e]/.test(target)) refuse('unreadable', 'the target has a character that is not allowed');
  if (/%(?:2f|5c|00|(?![0-9a-f]{2}))/i.test(path)) refuse('unreadable', 'the path has an encoding that is not allowed');
  if (path.includes('//') || path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part)))
    refuse('unreadable', 'the path has an empty or a dot segment');
};

export const checkPeer: Check = ({ peer }, site) => {
  if (!site.isPeerAllowed(peer)) refuse('wrong-peer', 'only the proxy that the settings name may connect');
};

/** Refuses a foreign host name that was made to point here. Its page could otherwise read every answer. */
export const checkHost: Check = ({ headers }, { hosts }) => {
  const values = headers.get('host') ?? [];
  const [host = ''] = values;
  if (values.length !== 1 || !hosts.has(host.toLowerCase()))
    refuse('wrong-host', 'open the console by the address that it printed');
};

export const checkMethod: Check = ({ method }) => {
  if (!METHODS.has(method)) refuse('method-not-allowed', 'expected GET, HEAD, POST, PATCH or DELETE');
};

/** No page of another origin can add a bearer token. */
const hasBearer = ({ headers }: CheckedRequest): boolean => headers.has('authorization');

/** Refuses a change that neither names our own origin nor carries a bearer token. */
export const checkOrigin: Check = (request, { scheme }) => {
  const origin = onlyValue(request, 'origin');
  const own = `${scheme}://${(onlyValue(request, 'host') ?? '').toLowerCase()}`;
  if (origin !== null && origin.toLowerCase() !== own)
    refuse('wrong-origin', 'the request comes from a page of another origin');
  if (origin === null && !READING.has(request.method) && !hasBearer(request))
    refuse('wrong-origin', 'expected the header Origin, or a bearer token');
};

export const checkFetchSite: Check = (request) => {
  const site = onlyValue(request, 'sec-fetch-site');
  if (isApi(request.path) && site !== null && site !== 'same-origin' && site !== 'none')
    refuse('wrong-origin', 'the request comes from a page of another site');
};

/** Returns the roles that may make a request; `null` when everyone may. */
export function rolesFor(method: string, path: string): readonly Person['role'][] | null {
  if (path === '/metrics') return ['scrape', 'reader', 'operator'];
  if (!isApi(path)) return null;
  if (path === LOGIN_PATH) return method === 'POST' ? null : ['reader', 'operator'];
  return READING.has(method) ? ['reader', 'operator'] : ['operator'];
}

export const checkAuthentication: Check = (request, site) => {
  if (rolesFor(request.method, request.path) === null) return;
  request.caller = site.findCaller(request);
  if (request.caller === null)
    refuse('not-logged-in', 'log in with the link that the console printed, or with a token');
};

export const checkRole: Check = ({ method, path, caller }) => {
  const roles = rolesFor(method, path);
  if (roles === null || (caller !== null && roles.includes(caller.role))) return;
  // A person may always log out.
  if (method === 'DELETE' && path === LOGIN_PATH) return;
  refuse('wrong-role', `expected the role ${roles.join(' or ')}, found ${caller?.role ?? 'none'}`);
};

const hasBody = (request: CheckedRequest): boolean =>
  request.headers.has('transfer-encoding') || (onlyValue(request, 'content-length') ?? '0') !== '0';

/** Refuses bodies that are not JSON. A form of another page can send text, but not JSON. */
export const checkContentType: Check = (request) => {
  const { method } = request;
  const needsType = method === 'POST' || method === 'PATCH' || hasBody(request);
  if (needsType && onlyValue(request, 'content-type') !== 'application/json')
    refuse('not-json', 'expected the content type application/json, and nothing after it');
};

export const checkBodySize: Check = (request) => {
  const length = Number(onlyValue(request, 'content-length') ?? 0);
  if (!(length <= BODY_BYTES_MAX)) refuse('too-large', `expected a body of at most ${BODY_BYTES_MAX} bytes`);
};

export const checkRate: Check = (request, site) => {
  const waitMs = site.rateWaitMs(request);
  if (waitMs > 0) refuse('too-many', 'too many requests of one login', waitMs);
};

/** Every check, from first to last. */
export const CHECKS: readonly Check[] = [
  checkSize,
  checkPeer,
  checkTarget,
  checkHost,
  checkMethod,
  checkOrigin,
  checkFetchSite,
  checkAuthentication,
  checkRole,
  checkContentType,
  checkBodySize,
  checkRate,
];

/** Reads the headers and the path of a request, without any check. */
export function readRequest(facts: RequestFacts): CheckedRequest {
  const [path = ''] = facts.target.split('?');
  return { ...facts, path, headers: headersOf(facts.rawHeaders), caller: null };
}

/** Makes every check, and finds the caller. @throws {ProblemFault} for the first failed check. */
export function makeChecks(request: CheckedRequest, site: Site): void {
  for (const check of CHECKS) check(request, site);
}
