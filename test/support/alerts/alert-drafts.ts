// Drafts, records and receivers for tests of alerts.
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AlertDraft, AlertRecord } from '../../../src/alerts/record/alert-record.ts';

/** A draft with what matters to a test. */
export const aDraft = (given: Partial<AlertDraft> = {}): AlertDraft => ({
  severity: 'warning',
  code: 'feed-down',
  scope: '',
  title: 'demo: the feed is down',
  happened: 'The feed is down for 31000 ms.',
  did: 'The bot keeps connecting.',
  do: 'Look at it.',
  figures: { downMs: 31_000 },
  ...given,
});

/** A record with what matters to a test. */
export const aRecord = (given: Partial<AlertRecord> = {}): AlertRecord => {
  const { scope: _scope, ...draft } = aDraft();
  return {
    id: 'id-1',
    key: 'demo/feed-down/',
    bot: 'demo',
    at: '2026-11-23T03:12:09.000Z',
    link: null,
    state: 'firing',
    count: 1,
    ...draft,
    ...given,
  };
};

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answering = (response: ServerResponse, received: Received) => void;

/** Accepts everything, as each service does. */
export const accepting: Answering = (response, { path }) => {
  response.end(path.includes('/sendMessage') ? '{"ok":true}' : path === '/' ? '{"id":"x"}' : 'ok');
};

/** An HTTP server on this machine that keeps what it gets. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answering = accepting;
  readonly #server: Server;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => void receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.received.push(received);
    this.answer(response, received);
    for (const { count, resolve } of this.#waiting) if (this.received.length >= count) resolve();
  }

  /** The records that a webhook got. */
  get records(): AlertRecord[] {
    return this.received
      .filter(({ body }) => body.startsWith('{"id"'))
      .map(({ body }) => JSON.parse(body) as AlertRecord);
  }

  /** Resolves when this number of requests has arrived. */
  gotRequests(count: number): Promise<void> {
    if (this.received.length >= count) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }
}
