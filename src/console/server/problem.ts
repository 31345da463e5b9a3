// Problems of the HTTP API, in the form of RFC 9457. Must never carry a stack, a path of this machine or a value of a
// config.
import type { z } from '@hono/zod-openapi';
import type { problemSchema } from '../api/api-schemas.ts';

/** The body of a problem. */
export type Problem = z.output<typeof problemSchema>;

/** Status and title of each code. */
export const PROBLEMS = {
  unreadable: { status: 400, title: 'The request cannot be read' },
  'not-logged-in': { status: 401, title: 'No login' },
  'wrong-token': { status: 401, title: 'The token is not known' },
  'wrong-role': { status: 403, title: 'The role does not allow this' },
  'wrong-origin': { status: 403, title: 'The request comes from another page' },
  'wrong-peer': { status: 403, title: 'The request does not come from the proxy' },
  'not-found': { status: 404, title: 'There is no such resource' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'too-slow': { status: 408, title: 'The body did not arrive in time' },
  conflict: { status: 409, title: 'The present state does not allow this' },
  'not-typed': { status: 409, title: 'The confirmation does not match' },
  'preview-expired': { status: 409, title: 'The preview is no longer valid' },
  'too-large': { status: 413, title: 'The body is too large' },
  'not-json': { status: 415, title: 'The body is not JSON' },
  'wrong-host': { status: 421, title: 'The host is not served here' },
  invalid: { status: 422, title: 'The request does not fit its schema' },
  'too-many': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'The console failed' },
  'no-history': { status: 503, title: 'The history cannot be read' },
  'bot-silent': { status: 503, title: 'The bot does not answer' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The content type of a problem. */
export const PROBLEM_TYPE = 'application/problem+json';

type ProblemExtras = Partial<Pick<Problem, 'errors' | 'retryAfterMs'>>;

/** A fault that a handler throws. The answer is its problem. */
export class ProblemFault extends Error {
  override readonly name = 'ProblemFault';
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

/** Makes the body of a problem. `path` is the path of the request without its query. */
export function problemOf(fault: ProblemFault, path: string): Problem {
  const { status, title } = PROBLEMS[fault.code];
  const { code, message: detail, extras } = fault;
  return { type: `/problems/${code}`, title, status, detail, instance: path, code, ...extras };
}

/** Returns the additional headers of a problem's answer. */
export function problemHeaders({ extras }: ProblemFault): Record<string, string> {
  const { retryAfterMs } = extras;
  const retry = retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) };
  return { 'Content-Type': PROBLEM_TYPE, 'Cache-Control': 'no-store', ...retry };
}
