// The REST door: bodies bounded, requests carried into the hall, answers written with the exchange's own date.
// Must never decide what is answered; the hall does.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireAnswer } from './call.ts';
import type { Hall } from './hall.ts';
import { NO_ROUTE, TOO_LARGE } from './refusals.ts';

/** The longest body of a request, in bytes: a full batch is a tenth of it. */
const BODY_MAX = 1_000_000;

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Hears the requests of an HTTP server, for the hall that stands at the moment. */
export const openHttpDoor =
  (hall: () => Hall): Listener =>
  (incoming, outgoing) =>
    void serve(hall(), incoming, outgoing);

async function serve(hall: Hall, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = incoming;
  const address = incoming.socket.remoteAddress ?? 'nowhere';
  const [path = ''] = url.split('?');
  const turnAway = (answer: WireAnswer): void =>
    write(outgoing, hall.turnAway({ method, path, address }, answer), hall.date());
  const route = hall.find(method, url);
  if (route === null) return turnAway(NO_ROUTE);
  const body = await readBody(incoming);
  if (body === null) {
    // What is still coming is not read: the connection cannot be used again.
    outgoing.setHeader('Connection', 'close');
    return turnAway(TOO_LARGE);
  }
  hall.take({ ...route, header: headerReader(incoming), body, address }, (answer) => {
    if (answer === null) outgoing.destroy();
    else write(outgoing, answer, hall.date());
  });
}

/** Reads headers of a request; of one that came twice, the first. */
export const headerReader =
  ({ headers }: IncomingMessage) =>
  (name: string): string | undefined => {
    const found = headers[name.toLowerCase()];
    return Array.isArray(found) ? found[0] : found;
  };

/** The body as text; `null` when it is longer than any body need be, or never came whole. */
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
    // A caller who left reads no answer.
    incoming.on('error', () => resolve(null));
  });
}

function write(outgoing: ServerResponse, { status, body, contentType, retryAfter }: WireAnswer, date: string): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  const wait = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const content =
    contentType === null ? {} : { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { Date: date, ...content, ...wait });
  outgoing.end(body);
}
