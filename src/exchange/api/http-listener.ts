// The HTTP server of the API: passes requests to the API, writes answers. Must never decide an answer, except to a request
// without a route or with a body that is not read to its end, nor let a request's error reach the process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireAnswer, WireRequest } from './endpoint-call.ts';
import type { BareRequest } from './access-log.ts';
import type { ArrivalOrder } from './arrival-order.ts';
import type { ExchangeApi } from './exchange-api.ts';
import { NO_ROUTE } from './api-errors.ts';
import { RequestBodies } from './request-bodies.ts';

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Returns the request listener of an HTTP server, for the current API. Requests are handled in turn. */
export function httpListener(api: () => ExchangeApi, order: ArrivalOrder): Listener {
  const answers = new AnswerWriter();
  const bodies = new RequestBodies();
  return (incoming, outgoing) => serve({ api: api(), order, answers, bodies }, incoming, outgoing);
}

/**
 * Writes the answers of one turn of the event loop together, at its end. The first write wakes the client's process, which
 * costs more than the write; the others find it awake.
 */
class AnswerWriter {
  #waiting: (() => void)[] = [];

  /** Writes an answer, or drops the connection when the answer is `null`. */
  write(outgoing: ServerResponse, answer: WireAnswer | null, date: string): void {
    this.#waiting.push(() => (answer === null ? outgoing.destroy() : write(outgoing, answer, date)));
    if (this.#waiting.length === 1) process.nextTick(() => this.#writeAll());
  }

  #writeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const writeOne of waiting) writeOne();
  }
}

interface Door {
  readonly api: ExchangeApi;
  readonly order: ArrivalOrder;
  readonly answers: AnswerWriter;
  readonly bodies: RequestBodies;
}

function serve({ api, order, answers, bodies }: Door, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/' } = incoming;
  const address = incoming.socket.remoteAddress ?? 'nowhere';
  const bare = (): BareRequest => ({ method, path: url.split('?')[0] ?? '', address });
  const send = (answer: WireAnswer | null): void => answers.write(outgoing, answer, api.date());
  const reject = (answer: WireAnswer): void => send(api.rejectRequest(bare(), answer));
  const onError = (error: unknown): void => send(api.failRequest(bare(), error));
  guard(onError, () => {
    const route = api.findRoute(method, url);
    if (route === null) return reject(NO_ROUTE);
    bodies.readBody(incoming, (body) => {
      if (typeof body !== 'string') {
        // The rest of the body is not read, so the connection cannot be reused.
        outgoing.setHeader('Connection', 'close');
        return reject(body);
      }
      const request: WireRequest = { ...route, header: headerReader(incoming), body, address, isSigned: undefined };
      guard(onError, () => handleInTurn({ api, order }, request, { send, onError }));
    });
  });
}

interface Replies {
  readonly send: (answer: WireAnswer | null) => void;
  readonly onError: (error: unknown) => void;
}

function handleInTurn({ api, order }: Pick<Door, 'api' | 'order'>, request: WireRequest, replies: Replies): void {
  const { send, onError } = replies;
  order.handleInTurn(api.signatureOf(request), (isSigned) => {
    request.isSigned = isSigned;
    guard(onError, () => api.handleRequest(request, send));
  });
}

/** Runs a part of a request's handling. An unexpected error ends this request alone. */
function guard(onError: (error: unknown) => void, run: () => void): void {
  try {
    run();
  } catch (error) {
    onError(error);
  }
}

/** Reads request headers. A repeated header has its first value. */
export const headerReader =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const found = headers[name.toLowerCase()];
    return Array.isArray(found) ? found[0] : found;
  };

function write(outgoing: ServerResponse, { status, body, contentType, retryAfter }: WireAnswer, date: string): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  const headers = ['Date', date];
  if (contentType !== null)
    headers.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body)));
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}
