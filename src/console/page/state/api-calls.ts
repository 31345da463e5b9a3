// Calls of the console's HTTP API. Must never repeat a control, and never keep a token.
import type { Chart, MarketsPage } from '../../api/api-schemas.ts';
import { parseAnswer } from './answer-text.ts';

export const API = '/api/v1';

const TIMEOUT_MS = 10_000;

/** A call that failed. `status` is 0 when no answer arrived. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  constructor({ status, code, detail }: { status: number; code: string; detail: string }) {
    super(detail);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Calls the API. Returns the body of the answer; `null` for an answer without a body.
 * @throws {ApiProblem} with a text for a person.
 */
export async function callApi<T>(path: string, options: CallOptions = {}): Promise<T> {
  const { method = 'GET', body, signal } = options;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${API}${path}`, {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((fault: unknown) => {
    if (signal?.aborted === true) throw fault;
    throw new ApiProblem({ status: 0, code: 'unreachable', detail: 'The console does not answer.' });
  });
  if (!response.ok) throw await problemOf(response);
  return parseAnswer(response.status === 204 ? 'null' : await response.text());
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  try {
    const {
      code = `http-${status}`,
      detail,
      title,
    }: { code?: string; detail?: string; title?: string } = parseAnswer(text);
    return new ApiProblem({ status, code, detail: detail ?? title ?? `The console answered ${status}.` });
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
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
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
  callApi(botPath(bot, `/history/markets/${encodeURIComponent(ticker)}/chart${queryText({ ...query })}`), { signal });
