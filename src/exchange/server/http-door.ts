// The REST door: routes from the profile's table, bodies bounded, answers written with the exchange's own date.
// Must never decide what is answered; the reception does.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpBindings, getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Logger } from '../../log.ts';
import type { EndpointName, WireProfile } from '../../venues/trade-api/profile.ts';
import type { WireAnswer, WireRequest } from './call.ts';
import type { Faults } from './faults.ts';
import type { Reception } from './reception.ts';
import { BROKEN, NO_ROUTE, TOO_LARGE } from './refusals.ts';
import type { Tally } from './tally.ts';

/** The longest body of a request, in bytes: a full batch is a tenth of it. */
const BODY_MAX = 1_000_000;

/** What the door is made of. */
export interface HttpDoorOptions {
  readonly profile: WireProfile;
  readonly reception: Reception;
  readonly faults: Faults;
  readonly tally: Tally;
  readonly log: Logger;
  /** The exchange's date, as the header tells it. */
  readonly date: () => string;
}

type App = Hono<{ Bindings: HttpBindings }>;
type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Hears the requests of an HTTP server. */
export function openHttpDoor(options: HttpDoorOptions): Listener {
  const app: App = new Hono();
  for (const [endpoint, method, path] of routesOf(options.profile))
    app.on(method, path, (context) => serve(options, endpoint, context));
  app.notFound(({ env: { outgoing } }) => {
    options.tally.countAnswer(NO_ROUTE.status);
    write(outgoing, NO_ROUTE, options.date());
    return RESPONSE_ALREADY_SENT;
  });
  app.onError((error, { env: { outgoing } }) => {
    options.log.error({ err: error }, 'request broke before it was read');
    write(outgoing, BROKEN, options.date());
    return RESPONSE_ALREADY_SENT;
  });
  // The platform's own Request and Response stay as they are: the exchange may run beside a bot.
  const listener = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

/** The keys of a table, as the names that they are. */
const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  // tidy: as — a record's type says which keys it has.
  Object.keys(table) as Name[];

/** Routes in an order in which a name is tried before a part that could be anything. */
function routesOf({ basePath, endpoints }: WireProfile): [EndpointName, string, string][] {
  const routes = namesOf(endpoints).map((name): [EndpointName, string, string] => {
    const { method, path } = endpoints[name];
    return [name, method, basePath + path.replaceAll(/\{(\w+)\}/g, ':$1')];
  });
  const parts = (path: string): number => path.split(':').length;
  return routes.sort(([, , a], [, , b]) => parts(a) - parts(b));
}

async function serve(
  { reception, faults, tally, date }: HttpDoorOptions,
  endpoint: EndpointName,
  context: Context<{ Bindings: HttpBindings }>,
): Promise<Response> {
  const { incoming, outgoing } = context.env;
  tally.countRequest(endpoint);
  const body = await readBody(incoming);
  if (body === null) {
    // What is still coming is not read: the connection cannot be used again.
    outgoing.setHeader('Connection', 'close');
    tally.countAnswer(TOO_LARGE.status);
    write(outgoing, TOO_LARGE, date());
    return RESPONSE_ALREADY_SENT;
  }
  const request = requestOf(context, endpoint, body);
  const send = (answer: WireAnswer | null): void => {
    if (answer === null) return void outgoing.destroy();
    tally.countAnswer(answer.status);
    write(outgoing, answer, date());
  };
  faults.request({ request, act: () => reception.answer(request), send });
  return RESPONSE_ALREADY_SENT;
}

function requestOf(
  { req, env: { incoming } }: Context<{ Bindings: HttpBindings }>,
  endpoint: EndpointName,
  body: string,
): WireRequest {
  const url = incoming.url ?? '/';
  const cut = url.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: cut < 0 ? url : url.slice(0, cut),
    endpoint,
    parts: req.param(),
    query: cut < 0 ? {} : queryOf(url.slice(cut + 1)),
    header: headerReader(incoming),
    body,
    address: incoming.socket.remoteAddress ?? 'nowhere',
  };
}

/** A parameter without a value counts as absent. */
function queryOf(text: string): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text))
    if (value !== '') query[name] = query[name] === undefined ? value : `${query[name]},${value}`;
  return query;
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
  outgoing.writeHead(status, {
    Date: date,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    ...wait,
  });
  outgoing.end(body);
}
