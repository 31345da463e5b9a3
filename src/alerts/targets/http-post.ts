// Sends one request to a receiver outside, within a time limit. Must never follow a redirect, never read more than
// `ANSWER_BYTES_MAX` of an answer, and never reject.
import { Client } from 'undici';
import { describeNetworkError } from '../../transport/network-error.ts';

/** Longest part of an answer that is read. Bytes. */
export const ANSWER_BYTES_MAX = 65_536;
/** Time limit of a request, connection and answer included. Milliseconds. */
export const REQUEST_MS_MAX = 10_000;

/** An answer of a receiver. */
export interface HttpAnswer {
  readonly type: 'answered';
  readonly status: number;
  /** The header `Retry-After`, or `null`. */
  readonly retryAfter: string | null;
  /** The beginning of the body. */
  readonly body: string;
}

/** The outcome of a request. */
export type PostOutcome = HttpAnswer | { readonly type: 'unanswered'; readonly reason: string };

/** A request to send. */
export interface PostRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** @default `REQUEST_MS_MAX` */
  readonly timeoutMs?: number;
}

/** Sends a request on a connection of its own. */
export async function postOnce({ method = 'POST', url, headers, body, timeoutMs }: PostRequest): Promise<PostOutcome> {
  const withinMs = timeoutMs ?? REQUEST_MS_MAX;
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin, {
    connectTimeout: withinMs,
    headersTimeout: withinMs,
    bodyTimeout: withinMs,
    pipelining: 1,
  });
  try {
    const path = `${pathname}${search}`;
    const signal = AbortSignal.timeout(withinMs);
    const answer = await client.request({ method, path, headers: headers ?? {}, body: body ?? null, signal });
    const { 'retry-after': retryAfter } = answer.headers;
    return {
      type: 'answered',
      status: answer.statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      body: await readBeginning(answer.body),
    };
  } catch (fault) {
    return { type: 'unanswered', reason: reasonOf(fault, withinMs) };
  } finally {
    // The rest of the answer is not read.
    await client.destroy().catch(() => undefined);
  }
}

/** The status has arrived: a body that breaks off or stalls is no failure. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // The part that arrived is used.
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8');
}

function reasonOf(fault: unknown, withinMs: number): string {
  if (!(fault instanceof Error)) return 'an unknown error';
  return fault.name === 'TimeoutError' ? `no answer within ${withinMs} ms` : describeNetworkError(fault);
}
