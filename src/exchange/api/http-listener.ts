// The HTTP server of the API: bounds bodies, passes requests to the API, writes answers. Must never decide an answer,
// except to a request without a route or with a body that is too long.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireAnswer } from './endpoint-call.ts';
import type { ExchangeApi } from './exchange-api.ts';
import { NO_ROUTE, BODY_TOO_LARGE } from './api-errors.ts';

/** Longest request body, in bytes: far more than a full batch needs. */
const BODY_MAX = 1_000_000;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Returns the request listener of an HTTP server, for the current API. */
export const httpListener =
  (api: () => ExchangeApi): Listener =>
  (incoming, outgoing) =>
    void serve(api(), incoming, outgoing);

async function serve(api: ExchangeApi, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const address = incoming.socket.remoteAddress ?? 'nowhere';
  const [path = ''] = url.split('?');
  const reject = (answer: WireAnswer): void =>
    write(outgoing, api.rejectRequest({ method, path, address }, answer), api.date());
  const route = api.findRoute(method, url);
  if (route === null) return reject(NO_ROUTE);
  const body = await readBody(incoming);
  if (body === null) {
    // The rest of the body is not read, so the connection cannot be reused.
    outgoing.setHeader('Connection', 'close');
    return reject(BODY_TOO_LARGE);
  }
  api.handleRequest({ ...route, header: headerReader(incoming), body, address }, (answer) => {
    if (answer === null) outgoing.destroy();
    else write(outgoing, answer, api.date());
  });
}

/** Reads request headers. A repeated header has its first value. */
export const headerReader =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const found = headers[name.toLowerCase()];
    return Array.isArray(found) ? found[0] : found;
  };

/** The body as text; `null` when it is too long or incomplete. */
function readBody(incoming: IncomingMessage): Promise<string | null> | string {
  if (incoming.method === 'GET') return '';
  const { headers } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return '';
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_MAX) chunks.push(chunk);
      else resolve(null);
    });
    incoming.on('end', () => resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()));
    // The client has left and reads no answer.
    incoming.on('error', () => resolve(null));
  });
}

function write(outgoing: ServerResponse, { status, body, contentType, retryAfter }: WireAnswer, date: string): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  const retryHeader = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const contentHeaders =
    contentType === null ? {} : { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { Date: date, ...contentHeaders, ...retryHeader });
  outgoing.end(body);
}
