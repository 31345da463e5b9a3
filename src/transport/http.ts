// The port for requests: what is asked and what came of it. Nothing here does anything.
// An outcome must never say "not sent" of a request whose bytes may have left.

/** Header names in lower case. A header that came twice is a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What to ask. The path includes the query. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** From the call to the last byte of the answer, waiting for a connection included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export type HttpOutcome =
  | { readonly type: 'answered'; readonly status: number; readonly headers: HttpHeaders; readonly body: string }
  /** No byte of it left this machine. */
  | { readonly type: 'not-sent'; readonly reason: string }
  /** It may have arrived. */
  | { readonly type: 'unknown'; readonly reason: string };

/** Sends requests to one origin. */
export interface HttpClient {
  /** Sends one request, once. Never rejects. */
  request(request: HttpRequest): Promise<HttpOutcome>;
  /** Opens connections ahead and reopens those that drop; no byte of a request is sent. Resolves when they are open or refused. */
  warm(): Promise<void>;
  /** Lets what is in flight come back, then closes. Later requests are not sent. */
  stop(): Promise<void>;
}

/** The value of a header; the first when it came twice, `null` when it did not come. */
export function headerOf(headers: HttpHeaders, name: string): string | null {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
