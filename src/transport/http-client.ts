// The port for HTTP requests: request, outcome and client. An outcome must never be "not sent" for a request whose
// bytes may have been sent.

/** Header names in lower case. A header that came twice is a list. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request. The path includes the query. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; sent with its content type. */
  readonly body: string | null;
  /** Total time, from the call to the last byte of the answer, including the wait for a connection. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * Called when the request has waited for a connection and is about to be written. Returns a reason not to send it, or
   * `null`. Not called for a request that is written at once.
   */
  readonly lastLook?: (() => string | null) | undefined;
}

/** The content type of every body. */
export const BODY_TYPE = 'application/json';

/** The outcome of a request. */
export type HttpOutcome =
  | { readonly type: 'answered'; readonly status: number; readonly headers: HttpHeaders; readonly body: string }
  /** No byte of the request left this machine. */
  | { readonly type: 'not-sent'; readonly reason: string }
  /** The request may have arrived. */
  | { readonly type: 'unknown'; readonly reason: string };

/** Sends requests to one origin. */
export interface HttpClient {
  /** Sends one request, once. Never rejects. */
  request(request: HttpRequest): Promise<HttpOutcome>;
  /**
   * Opens connections ahead. From then on, opens those again that close or cannot be opened. Sends no byte of a request.
   * Resolves when the connections are open or refused.
   */
  warm(): Promise<void>;
  /** Waits for the outcomes of all requests made so far, then closes. Later requests are not sent. */
  stop(): Promise<void>;
}

/** The value of a header: the first value when the header came twice, `null` when absent. */
export function headerOf(headers: HttpHeaders, name: string): string | null {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
