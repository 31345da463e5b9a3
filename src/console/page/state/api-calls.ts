// Calls of the console's HTTP API. Must never repeat a control, and never keep a token.
import type { Chart, MarketsPage } from '../../api/api-schemas.ts';
import { parseAnswer } from './answer-text.ts';

export const API = '/api/v1';

const TIMEOUT_MS = 10_000;
/** Time allowed for an answer from a journal: a replay, and the first read of a long history, take minutes. Milliseconds. */
const SLOW_MS = 300_000;

/** A call that failed. `status` is 0 when no answer arrived. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Time after which a refused call may be repeated; `null` when the console names none. */
  readonly retryAfterMs: number | null;
  constructor({ status, code, detail, retryAfterMs = null }: ApiProblemFields) {
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ApiProblemFields {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryAfterMs?: number | null;
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Time allowed for the answer. Milliseconds. @default 10 s. */
  readonly timeoutMs?: number;
}

/**
 * Calls the API. Returns the body of the answer; `null` for an answer without a body.
 * @throws {ApiProblem} with a text for a person.
 */
export async function callApi<T>(path: string, options: CallOptions = {}): Promise<T> {
  const { method = 'GET', body, signal, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const request = {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  } as const;
  const response = await fetch(`${API}${path}`, request).catch((fault: unknown) => {
    if (signal?.aborted === true) throw fault;
    const detail = timeout.aborted
      ? `The console has not answered within ${timeoutMs / 1000} s.`
      : 'The console does not answer.';
    throw new ApiProblem({ status: 0, code: 'unreachable', detail });
  });
  if (!response.ok) throw await problemOf(response);
  return parseAnswer(response.status === 204 ? 'null' : await response.text());
}

/** Calls the API for an answer from a journal or from another service. @throws {ApiProblem} with a text for a person. */
export const callSlowApi = <T>(path: string, options: CallOptions = {}): Promise<T> =>
  callApi(path, { timeoutMs: SLOW_MS, ...options });

const TOO_MANY = 429;

/**
 * Returns why the console refuses a live stream although it answers: the stream itself does not say it. `null` when the
 * stream is open to this page now, and for any other answer.
 */
export async function refusalOf(path: string): Promise<string | null> {
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const request = { credentials: 'same-origin', cache: 'no-store', signal } as const;
  try {
    const response = await fetch(path, request);
    return response.status === TOO_MANY ? (await problemOf(response)).message : null;
  } catch {
    return null;
  } finally {
    end.abort();
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    const {
      code = `http-${status}`,
      detail,
      title,
      retryAfterMs = null,
    }: { code?: string; detail?: string; title?: string; retryAfterMs?: number | null } = parseAnswer(text);
    return new ApiProblem({ status, code, retryAfterMs, detail: detail ?? title ?? `The console answered ${status}.` });
  } catch {
    return new ApiProblem({ status, code: `http-${status}`, detail: `The console answered ${status}.` });
  }
}

/** Returns the text of any fault. */
export const textOfFault = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));

/** Returns the path of a bot's resource. */
export const botPath = (bot: string, rest = ''): string => `/bots/${encodeURIComponent(bot)}${rest}`;

/** Writes a query. Members that are `undefined`, empty or `false` are left out. */
export function queryText(members: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  const text = new URLSearchParams(kept.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Sorting, filter and rows of the table of markets. */
export interface MarketsQuery {
  readonly sort: string;
  readonly q: string;
  readonly ours: boolean;
  readonly from: number;
  readonly to: number;
}

export const readMarkets = (bot: string, query: MarketsQuery, signal?: AbortSignal): Promise<MarketsPage> =>
  callApi(botPath(bot, `/markets${queryText({ ...query })}`), signal ? { signal } : {});

/** Times of a chart in microseconds, and the number of its columns. */
export interface ChartQuery {
  readonly from: number;
  readonly to: number;
  readonly points: number;
}

export const readChart = (bot: string, ticker: string, query: ChartQuery): Promise<Chart> =>
  callApi(botPath(bot, `/markets/${encodeURIComponent(ticker)}/chart${queryText({ ...query })}`));

/** Reads the chart of a market from the history. */
export const readPastChart = (
  { bot, ticker }: { readonly bot: string; readonly ticker: string },
  query: ChartQuery,
  signal: AbortSignal,
): Promise<Chart> =>
  callSlowApi(botPath(bot, `/history/markets/${encodeURIComponent(ticker)}/chart${queryText({ ...query })}`), {
    signal,
  });
