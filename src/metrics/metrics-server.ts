// Serves the metrics of one bot over HTTP: `/metrics`, `/healthz` and `/readyz`. Must never serve beyond this machine
// without a token. Must never read the figures more than once a second: a flood of requests must not slow the bot.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { BotFigures } from './bot-figures.ts';
import { type ListenAddress, isLoopback } from '../config/listen-address.ts';
import { METRICS_CONTENT_TYPE, renderMetrics } from './render-metrics.ts';

export interface MetricsServerOptions {
  readonly address: ListenAddress;
  /** Token that a scrape sends as `Authorization: Bearer`. `null`: only this machine may scrape. */
  readonly token: string | null;
  readonly bot: string;
  /** Returns the figures; `null` before the session has begun. */
  readonly readFigures: () => Promise<BotFigures | null>;
}

/** Thrown when metrics cannot be served as the config says. */
export class MetricsFault extends Error {
  override readonly name = 'MetricsFault';
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

const CONNECTIONS_MAX = 16;
const REQUEST_MS_MAX = 10_000;
const HEADER_BYTES_MAX = 16_384;
/** Requests within this time of the first one receive the same figures. Milliseconds. */
const FRESH_MS = 1000;
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Serves one bot. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #server: Server;
  /** Names under which this machine reaches the server. `null`: the server is open to others. */
  #hosts: ReadonlySet<string> | null = null;
  #latest: { readonly atMs: number; readonly figures: Promise<BotFigures | null> } | null = null;

  private constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.headersTimeout = REQUEST_MS_MAX;
    this.#server.requestTimeout = REQUEST_MS_MAX;
  }

  /**
   * Opens the port.
   * @throws {MetricsFault} when a needed token is missing, or the port cannot be opened.
   */
  static async openPort(options: MetricsServerOptions): Promise<MetricsServer> {
    const { address, token } = options;
    if (!isLoopback(address) && token === null)
      throw new MetricsFault(`${address.host} is open to other machines: expected metrics.tokenFile, found none`);
    const server = new MetricsServer(options);
    await server.#listen();
    return server;
  }

  async #listen(): Promise<void> {
    const { address } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const onFault = (fault: NodeJS.ErrnoException): void =>
        reject(new MetricsFault(`${address.host}:${address.port} cannot be opened: ${reasonOf(fault)}`));
      this.#server.once('error', onFault);
      this.#server.listen(address.port, address.host, () => {
        this.#server.off('error', onFault);
        resolve();
      });
    });
    this.#server.on('error', () => undefined);
    this.#server.unref();
    const { port } = this;
    const names = ['127.0.0.1', 'localhost', '[::1]', address.host];
    if (isLoopback(address)) this.#hosts = new Set(names.map((name) => `${name}:${port}`));
  }

  /** The port, also when the system has chosen it. */
  get port(): number {
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? this.#options.address.port : address.port;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, text, type = TEXT_TYPE } = await this.#answer(request);
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(status === 405 && { Allow: 'GET, HEAD' }),
      // A body that was not read must not reach the next request.
      ...(status >= 400 && { Connection: 'close' }),
    });
    response.end(request.method === 'HEAD' ? '' : text);
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { url = '/', method, headers } = request;
    // A page in a browser can make its own name point at this machine. The Host is then that name.
    if (this.#hosts !== null && !this.#hosts.has(headers.host ?? ''))
      return { status: 421, text: 'the Host is not one of this server\n' };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'only GET\n' };
    const path = url.split('?')[0];
    if (path === '/healthz') return { status: 200, text: 'ok\n' };
    if (path === '/readyz') return this.#readiness();
    if (path !== '/metrics') return { status: 404, text: 'expected /metrics, /healthz or /readyz\n' };
    if (!this.#isAllowed(headers.authorization)) return { status: 401, text: 'a bearer token is needed\n' };
    const { bot } = this.#options;
    const figures = await this.#figures();
    return { status: 200, text: await renderMetrics({ bots: [{ bot, figures }] }), type: METRICS_CONTENT_TYPE };
  }

  async #readiness(): Promise<Answer> {
    const figures = await this.#figures();
    if (figures === null) return { status: 503, text: 'not ready: the session has not begun\n' };
    if (figures.isReady) return { status: 200, text: 'ready\n' };
    return { status: 503, text: `not ready: ${figures.phase === 'trading' ? 'feed' : figures.phase}\n` };
  }

  #isAllowed(authorization: string | undefined): boolean {
    const { token } = this.#options;
    if (token === null) return true;
    const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digestOf(given), digestOf(token));
  }

  #figures(): Promise<BotFigures | null> {
    const nowMs = performance.now();
    const latest = this.#latest;
    if (latest !== null && nowMs - latest.atMs < FRESH_MS) return latest.figures;
    const figures = this.#options.readFigures();
    this.#latest = { atMs: nowMs, figures };
    return figures;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A session of the same config, such as a paper session, needs an address of its own. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'EADDRINUSE' ? 'another process listens there; --metrics gives this session another address' : message;
