// The console's HTTP server: it checks each request, serves the page's files, and passes on the other requests. Must
// never pass on a refused request.
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { version } from '../../app/package-version.ts';
import { UsageError } from '../../app/usage-error.ts';
import type { ConsoleConfig } from '../../config/console-config.ts';
import type { Logger } from '../../log.ts';
import type { ConsoleBot } from '../bots/console-bot.ts';
import { LiveClients } from '../live/live-response.ts';
import { type CheckedRequest, makeChecks, readRequest } from '../security/request-checks.ts';
import { SECURITY_HEADERS } from '../security/security-headers.ts';
import { type SiteAddress, SiteGuard } from '../security/site-guard.ts';
import { type ConsoleApp, type ConsoleBindings, consoleApp } from './console-app.ts';
import { PageFiles } from './page-files.ts';
import { PROBLEMS, ProblemFault, problemHeaders, problemOf } from './problem.ts';

export interface ConsoleServerOptions {
  readonly config: ConsoleConfig;
  readonly tokenFile: string;
  readonly pageFolder: string;
  readonly bots: readonly ConsoleBot[];
  readonly log: Logger;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly addRoutes?: (app: ConsoleApp) => void;
  readonly onRefused?: (request: CheckedRequest, code: string) => void;
  /** Makes the text for Prometheus. @default none: `/metrics` is not served. */
  readonly metricsText?: (clients: LiveClients) => Promise<string>;
}

const SOCKETS_MAX = 64;
const HEADER_BYTES_MAX = 16_384;
const HEADER_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
/** Time in which a body must arrive. Milliseconds. */
const BODY_MS_MAX = 5000;
const CLOSE_MS_MAX = 2000;

/** A console that listens. */
export class ConsoleServer {
  readonly #options: ConsoleServerOptions;
  readonly #server: Server;
  readonly #files: PageFiles;
  readonly clients = new LiveClients();
  readonly app: ConsoleApp;
  readonly guard: SiteGuard;
  /** Address that people open, such as `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly #passOn: ReturnType<typeof getRequestListener>;

  private constructor(options: ConsoleServerOptions, server: Server, address: SiteAddress) {
    this.#options = options;
    this.#server = server;
    const { bots, log, nowMs, tokenFile, addRoutes, onRefused } = options;
    this.url = `${address.scheme}://${address.hosts[0] ?? 'localhost'}`;
    const onTokenFault = (message: string): void => log.error({ fault: message }, 'the token file is wrong');
    this.guard = new SiteGuard({ address, tokenFile, nowMs, onTokenFault });
    this.#files = new PageFiles(options.pageFolder);
    const { guard, clients } = this;
    const hooks = { ...(addRoutes && { addRoutes }), ...(onRefused && { onRefused }) };
    this.app = consoleApp({ bots, guard, clients, log, nowMs, ...hooks });
    /** By the message that Node passes to the handlers. */
    const checkedRequests = new WeakMap<object, CheckedRequest>();
    this.#passOn = getRequestListener((request, env) => {
      // tidy: as (this server speaks HTTP/1.1 alone)
      const { incoming, outgoing } = env as ConsoleBindings;
      const checked = checkedRequests.get(incoming);
      if (checked === undefined) return new Response(null, { status: 500 });
      return this.app.fetch(request, { incoming, outgoing, checked });
    });
    server.on('request', (incoming, outgoing) => {
      const checked = this.#checkRequest(incoming, outgoing);
      if (checked === null) return;
      checkedRequests.set(incoming, checked);
      void this.#serve(checked, incoming, outgoing);
    });
  }

  /**
   * Opens the server.
   * @throws {UsageError} when the address is taken, or the certificate, the key or the token file cannot be used.
   */
  static async open(options: ConsoleServerOptions): Promise<ConsoleServer> {
    const server = makeServer(options.config);
    const port = await listen(server, options.config);
    try {
      return new ConsoleServer(options, server, siteAddress(options.config, port));
    } catch (fault) {
      server.close();
      throw fault;
    }
  }

  /** The port of the server; 0 for a unix socket. */
  get port(): number {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  /**
   * Returns a link that logs in once, within a minute. Without an operator in the token file, the link only opens the
   * page.
   */
  loginLink(): string {
    const code = this.guard.issueCode();
    return code === null ? `${this.url}/` : `${this.url}/#login=${code}`;
  }

  get hasPage(): boolean {
    return this.#files.isBuilt;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), CLOSE_MS_MAX);
    this.#server.closeAllConnections();
    await closed;
    clearTimeout(timer);
    const { listen: place } = this.#options.config;
    if (place.type === 'unix') rmSync(place.path, { force: true });
  }

  /** Makes the checks. Answers a refused request, and returns `null`. */
  #checkRequest(incoming: IncomingMessage, outgoing: ServerResponse): CheckedRequest | null {
    const { method = '', url: target = '', rawHeaders, socket } = incoming;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
    const request = readRequest({ method, target, rawHeaders, peer: socket.remoteAddress ?? '' });
    try {
      makeChecks(request, this.guard);
      return request;
    } catch (fault) {
      const problem = fault instanceof ProblemFault ? fault : new ProblemFault('internal', 'the console failed');
      if (!(fault instanceof ProblemFault)) this.#options.log.error({ err: fault }, 'a check failed');
      answerProblem(outgoing, problem, target);
      this.#options.onRefused?.(request, problem.code);
      return null;
    }
  }

  async #serve(checked: CheckedRequest, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { path, method } = checked;
    if (path.startsWith('/api/')) {
      outgoing.setHeader('Cache-Control', 'no-store');
      outgoing.setHeader('X-Accel-Buffering', 'no');
      outgoing.setHeader('Presage-Version', version);
      limitBodyTime(incoming, outgoing, path);
      return this.#passOn(incoming, outgoing);
    }
    if (method !== 'GET' && method !== 'HEAD')
      return answerProblem(outgoing, new ProblemFault('method-not-allowed', 'expected GET or HEAD'), path);
    if (path === '/healthz') return answerText(outgoing, 200, 'ok\n');
    if (path === '/readyz') return this.#answerReady(outgoing);
    const { metricsText } = this.#options;
    if (path === '/metrics' && metricsText !== undefined) return this.#answerMetrics(metricsText, outgoing);
    this.#answerFile(checked, outgoing);
  }

  async #answerMetrics(
    metricsText: NonNullable<ConsoleServerOptions['metricsText']>,
    outgoing: ServerResponse,
  ): Promise<void> {
    try {
      answerText(outgoing, 200, await metricsText(this.clients));
    } catch (fault) {
      this.#options.log.error({ err: fault }, 'the metrics could not be read');
      answerProblem(outgoing, new ProblemFault('internal', 'the metrics could not be read'), '/metrics');
    }
  }

  #answerReady(outgoing: ServerResponse): void {
    const isReady = this.#options.bots.every((bot) => bot.process().state === 'running');
    answerText(outgoing, isReady ? 200 : 503, isReady ? 'ready\n' : 'not ready\n');
  }

  #answerFile({ path, method, headers }: CheckedRequest, outgoing: ServerResponse): void {
    const accepted = headers.get('accept-encoding')?.join(',') ?? '';
    const answer = this.#files.answerFor(path, accepted, headers.get('if-none-match')?.join(',') ?? '');
    if (answer === null) {
      const detail = this.#files.isBuilt ? 'there is no such file' : 'the page is not built: run `npm run build`';
      return answerProblem(outgoing, new ProblemFault('not-found', detail), path);
    }
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(method === 'HEAD' ? null : answer.body);
  }
}

function limitBodyTime(incoming: IncomingMessage, outgoing: ServerResponse, path: string): void {
  const { headers } = incoming;
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return;
  const timer = setTimeout(() => {
    if (!incoming.complete)
      answerProblem(outgoing, new ProblemFault('too-slow', 'the body did not arrive in time'), path);
  }, BODY_MS_MAX);
  outgoing.once('close', () => clearTimeout(timer));
}

function answerProblem(outgoing: ServerResponse, fault: ProblemFault, target: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const [path = ''] = target.split('?');
  const body = JSON.stringify(problemOf(fault, path.slice(0, 500)));
  // The rest of a refused request is not read, so its connection cannot be used again.
  outgoing.writeHead(PROBLEMS[fault.code].status, {
    ...problemHeaders(fault),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  outgoing.end(body);
}

function answerText(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, {
    'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  outgoing.end(text);
}

/** @throws {UsageError} when the certificate or the key cannot be used. */
function makeServer({ tls }: ConsoleConfig): Server {
  const bounds = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADER_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 5000,
    // The checks answer a request without this header.
    requireHostHeader: false,
  };
  const server = tls === undefined ? createServer(bounds) : makeTlsServer(tls, bounds);
  server.maxConnections = SOCKETS_MAX;
  // Node would silently drop headers above its own limit. The checks count them.
  server.maxHeadersCount = 0;
  return server;
}

function makeTlsServer(tls: NonNullable<ConsoleConfig['tls']>, bounds: object): Server {
  try {
    const cert = readFileSync(tls.cert);
    const key = readFileSync(tls.key);
    return createTlsServer({ ...bounds, cert, key, minVersion: 'TLSv1.2' });
  } catch (fault) {
    const why = fault instanceof Error && 'code' in fault ? String(fault.code) : 'an error';
    throw new UsageError(`tls: expected a certificate and its key as PEM files, found ${why} (${tls.cert})`, {
      cause: fault,
    });
  }
}

/** Listens. Returns the port; 0 for a unix socket. */
async function listen(server: Server, { listen: place }: ConsoleConfig): Promise<number> {
  const name = place.type === 'unix' ? place.path : `${place.host}:${place.port}`;
  if (place.type === 'unix') await removeAbandoned(place.path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (fault) =>
      reject(new UsageError(`${name}: cannot listen: ${fault.message}`, { cause: fault })),
    );
    if (place.type === 'unix') server.listen({ path: place.path, readableAll: false, writableAll: false }, resolve);
    else server.listen(place.port, place.host, resolve);
  });
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}

/** Removes the socket of a console that was killed: no process listens there. Any other file stays. */
async function removeAbandoned(path: string): Promise<void> {
  if (!isSocket(path)) return;
  const isAbandoned = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', (fault) => resolve('code' in fault && fault.code === 'ECONNREFUSED'));
  });
  if (isAbandoned) rmSync(path, { force: true });
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

/** Returns the addresses of the site. */
export function siteAddress({ listen: place, hosts, tls, behindProxy }: ConsoleConfig, port: number): SiteAddress {
  if (behindProxy !== undefined) {
    const { host, scheme, trusted } = behindProxy;
    return { scheme, hosts: [host, ...hosts], cookieName: cookieName(scheme, port), trustedPeers: trusted };
  }
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    scheme,
    hosts: place.type === 'unix' ? [...hosts, 'localhost'] : [...ownHosts(place.host, port), ...hosts],
    cookieName: cookieName(scheme, port),
    trustedPeers: null,
  };
}

/** Cookies ignore ports. The port in the name keeps two consoles of one machine apart. */
const cookieName = (scheme: 'http' | 'https', port: number): string =>
  scheme === 'https' ? '__Host-presage' : `presage-${port}`;

/** Names of this machine that no name server can change, the configured name first. */
function ownHosts(host: string, port: number): readonly string[] {
  const own = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return [own, ...[`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].filter((name) => name !== own)];
}
