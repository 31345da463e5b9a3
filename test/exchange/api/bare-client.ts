// An API client that shares no code with this project: the platform's fetch, `ws` and node:crypto, written from the
// wire reference. Must never import what it tests from src.
import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto';
import { WebSocket } from 'ws';
import { JsonAnswer } from './json-answer.ts';

export interface BareKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicPem: string;
}

export const bareKey = (id: string, namedCurve = 'P-256'): BareKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return { id, privateKey, publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
};

export const BASE = '/trade-api/v2';
export const FEED = '/trade-api/ws/v2';

/** `line` is a method and a path from the root, without the query. */
export function signedHeaders(key: BareKey, line: string, at = Date.now()): Record<string, string> {
  const [method = '', path = ''] = line.split(' ');
  const timestamp = String(at);
  const signature = sign('sha256', Buffer.from(timestamp + method + path), {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return {
    'ACCESS-KEY': key.id,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-SIGNATURE': signature.toString('base64'),
  };
}

export interface BareAnswer {
  readonly status: number;
  readonly text: string;
  /** `null` when the body is not JSON. */
  readonly body: JsonAnswer;
  readonly headers: Headers;
}

export interface BareRequest {
  readonly key?: BareKey | undefined;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Record<string, string>;
  readonly at?: number;
}

/** Sends one request; `path` is below the base path unless it begins with it. */
export async function sendRequest(url: string, line: string, request: BareRequest = {}): Promise<BareAnswer> {
  const [method = 'GET', below = ''] = line.split(' ');
  const target = below.startsWith('/trade-api') ? below : BASE + below;
  const [path = ''] = target.split('?');
  const body = request.rawBody ?? (request.body === undefined ? null : JSON.stringify(request.body));
  const response = await fetch(url + target, {
    method,
    body,
    headers: {
      ...(request.key === undefined ? {} : signedHeaders(request.key, `${method} ${path}`, request.at)),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    text,
    body: new JsonAnswer(isJson ? JSON.parse(text) : null),
    headers: response.headers,
  };
}

/** A feed connection. */
export class BareFeed {
  readonly messages: JsonAnswer[] = [];
  readonly pings: string[] = [];
  closed: { code: number; reason: string } | null = null;
  readonly socket: WebSocket;
  readonly #waiters: (() => void)[] = [];
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      this.messages.push(new JsonAnswer(JSON.parse(data.toString())));
      this.#wake();
    });
    socket.on('ping', (data) => {
      this.pings.push(String(data));
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#wake();
    });
    socket.on('error', () => {});
  }

  /** Connects; rejects with the status and body of a refusal. */
  static connect(feedUrl: string, headers: Record<string, string> = {}): Promise<BareFeed> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(feedUrl + FEED, { headers, perMessageDeflate: false });
      const feed = new BareFeed(socket);
      socket.on('open', () => resolve(feed));
      socket.on('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += String(chunk)));
        response.on('end', () => {
          const retryAfter = response.headers['retry-after'] ?? 'none';
          reject(new Error(`${response.statusCode} ${text} retry-after ${retryAfter}`));
        });
      });
      socket.on('error', reject);
    });
  }

  static signed(feedUrl: string, key: BareKey): Promise<BareFeed> {
    return BareFeed.connect(feedUrl, signedHeaders(key, `GET ${FEED}`));
  }

  send(cmd: string, params?: unknown): number {
    const id = ++this.#lastId;
    this.socket.send(JSON.stringify({ id, cmd, params }));
    return id;
  }

  /** The first message, already received or to come, that fits. */
  async message(fits: (message: JsonAnswer) => boolean): Promise<JsonAnswer> {
    await this.until(() => this.messages.some(fits));
    const found = this.messages.find(fits);
    if (found === undefined) throw new Error('no such message');
    return found;
  }

  reply(id: number): Promise<JsonAnswer> {
    return this.message((message) => message.at('id') === id);
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.closed !== null) throw new Error(`feed closed ${this.closed.code} ${this.closed.reason}`);
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  async closing(): Promise<{ code: number; reason: string }> {
    while (this.closed === null) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    return this.closed;
  }

  ofType(type: string): JsonAnswer[] {
    return this.messages.filter((message) => message.at('type') === type);
  }

  close(): void {
    this.socket.terminate();
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}
