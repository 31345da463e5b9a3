// A console with made-up bots, over real HTTP and server-sent events, under the policy of the real one: the fixture of the
// page's tests and screenshots. Must never be used by the program.
import { readFileSync, readdirSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { DemoBot, type DemoTexts } from './demo-bot.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
/** The policy of the real console. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export const DEMO_TOKEN = 'token-of-ada';
export const DEMO_CODE = 'one-time-code';
const COOKIE = 'presage-demo=ada';
const FRAME_MS = 250;

export interface DemoOptions {
  /** Folder of the built page. */
  readonly page: string;
  readonly markets?: number;
  readonly texts?: Partial<DemoTexts>;
  readonly port?: number;
  /** Names of the bots in the session. */
  readonly bots?: readonly string[];
  readonly role?: 'operator' | 'reader';
}

/** A fault of the console, for the states of the page. `stall`: the streams stay open and carry nothing. */
export type DemoTrouble = 'none' | 'stall' | 'gone' | 'stopped' | 'no-data' | 'controls-fail' | 'gateway' | 'too-many';

interface Client {
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly isOverview: boolean;
  hasStarted: boolean;
  readonly startedMs: number;
}

/** The console of the demo. */
export class DemoServer {
  readonly bot: DemoBot;
  trouble: DemoTrouble = 'none';
  readonly #options: DemoOptions;
  readonly #server: Server;
  readonly #clients = new Set<Client>();
  readonly #files: ReadonlyMap<string, { readonly type: string; readonly content: Buffer }>;
  readonly #timer: NodeJS.Timeout;

  private constructor(options: DemoOptions) {
    this.#options = options;
    this.bot = new DemoBot(options.markets ?? 200, options.texts);
    this.#files = new Map(
      readdirSync(options.page).flatMap((name) => {
        const type = TYPES[extname(name)];
        return type === undefined ? [] : [[`/${name}`, { type, content: readFileSync(join(options.page, name)) }]];
      }),
    );
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#timer = setInterval(() => this.#moveOn(), FRAME_MS);
  }

  /** Starts a server on 127.0.0.1. */
  static async open(options: DemoOptions): Promise<DemoServer> {
    const server = new DemoServer(options);
    await new Promise<void>((done) => server.#server.listen(options.port ?? 0, '127.0.0.1', done));
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const { response } of this.#clients) response.destroy();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** Returns a function that counts the streams which are open for longer than a time. */
  streamsOlderThan(ms: number): () => number {
    return () => [...this.#clients].filter(({ startedMs }) => performance.now() - startedMs > ms).length;
  }

  /** Ends every stream, and answers every request as a proxy does whose console is gone. */
  leaveProxy(): void {
    this.trouble = 'gateway';
    for (const { response } of this.#clients) response.end();
  }

  /** Ends every stream, and refuses new ones, as a console with too many streams does. */
  refuseStreams(): void {
    this.trouble = 'too-many';
    for (const { response } of this.#clients) response.end();
  }

  /** Ends every stream, and refuses every connection until the port is opened again. */
  async dropConnections(): Promise<void> {
    this.trouble = 'stall';
    for (const { response } of this.#clients) response.destroy();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (!url.pathname.startsWith('/api/')) {
      this.#serveFile(url.pathname, response);
      return;
    }
    if (this.trouble === 'gateway') return problem(response, 502, 'Bad Gateway');
    const body = await bodyOf(request);
    const path = url.pathname.slice('/api/v1'.length);
    if (path === '/session') return this.#answerSession(request, response, body);
    if (!isLoggedIn(request)) return problem(response, 401, 'Log in first.');
    if (path === '/live' || path.endsWith('/live'))
      return this.trouble === 'too-many'
        ? problem(response, 429, 'too many live streams are open')
        : this.#startStream(url, response);
    const name = decodeURIComponent(/^\/bots\/([^/]+)/.exec(path)?.[1] ?? '');
    const rest = path.slice(`/bots/${encodeURIComponent(name)}`.length);
    if (request.method === 'POST' && this.trouble === 'controls-fail')
      return problem(response, 503, 'The bot does not answer.');
    const answer = this.bot.answer({ method: request.method ?? 'GET', path: rest, query: url.searchParams, body });
    if (answer === null) return problem(response, 404, 'There is nothing at this address.');
    if ('problem' in answer) return problem(response, answer.status, answer.problem);
    return json(response, answer.status, answer.body);
  }

  #answerSession(request: IncomingMessage, response: ServerResponse, body: unknown): void {
    if (request.method === 'DELETE') {
      response.writeHead(204, { 'set-cookie': 'presage-demo=; Path=/; Max-Age=0' }).end();
      return;
    }
    if (request.method === 'POST') {
      const isRight =
        JSON.stringify(body) === `{"token":"${DEMO_TOKEN}"}` || JSON.stringify(body) === `{"code":"${DEMO_CODE}"}`;
      if (!isRight) return problem(response, 401, 'The token is wrong.');
      response.writeHead(204, { 'set-cookie': `${COOKIE}; Path=/; HttpOnly; SameSite=Strict` }).end();
      return;
    }
    if (!isLoggedIn(request)) return problem(response, 401, 'Log in first.');
    const { bots = ['demo', 'nba', 'old'], role = 'operator' } = this.#options;
    json(response, 200, { name: 'ada', role, expiresUs: Date.now() * 1000 + 3_600_000_000, bots });
  }

  #serveFile(path: string, response: ServerResponse): void {
    const file = this.#files.get(path === '/' ? '/index.html' : path);
    const headers = {
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    };
    if (!file) response.writeHead(404, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': file.type }).end(file.content);
  }

  #startStream(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write('retry: 1000\n\n');
    const isOverview = url.pathname === '/api/v1/live';
    const client: Client = {
      response,
      query: url.searchParams,
      isOverview,
      hasStarted: false,
      startedMs: performance.now(),
    };
    this.#clients.add(client);
    response.on('close', () => this.#clients.delete(client));
    this.#sendFrames(client, true);
  }

  #moveOn(): void {
    if (this.trouble === 'stall') return;
    this.bot.moveOn();
    for (const client of this.#clients) this.#sendFrames(client, this.bot.step % 4 === 0);
  }

  #sendFrames(client: Client, isBeat: boolean): void {
    if (this.trouble === 'stall') return;
    if (this.trouble === 'no-data') return send(client, 'beat', this.bot.beat());
    if (client.isOverview)
      return isBeat ? send(client, 'overview', { atUs: this.bot.nowUs, bots: this.bot.rows() }) : undefined;
    if (this.trouble === 'gone' || this.trouble === 'stopped')
      return isBeat ? send(client, 'gone', this.bot.gone(this.trouble === 'stopped')) : undefined;
    const frames = this.bot.frames(client.query, !client.hasStarted);
    client.hasStarted = true;
    for (const { event, data } of frames) send(client, event, data);
    if (isBeat) send(client, 'beat', this.bot.beat());
  }
}

function send({ response }: Client, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

const isLoggedIn = ({ headers }: IncomingMessage): boolean => (headers.cookie ?? '').includes(COOKIE);

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) text += String(part);
  return text === '' ? null : JSON.parse(text);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, status: number, detail: string): void {
  const body = { type: '/problems/demo', title: 'Problem', status, detail, instance: '', code: 'demo' };
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}
