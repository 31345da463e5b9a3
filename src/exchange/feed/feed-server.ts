// The feed's WebSocket server: handshakes, sockets, pongs and slow clients. The exchange API decides what is sent. Must
// never go on buffering for slow clients: beyond the bound of one client, or of all together, the slowest is closed, and the
// other connections go on.
import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../../log.ts';
import type { SetTimer } from '../session/exchange-driver.ts';
import type { WireAnswer } from '../api/endpoint-call.ts';
import type { FeedCaller, ClientConnection } from './client-connection.ts';
import type { ExchangeApi } from '../api/exchange-api.ts';
import { headerReader } from '../api/http-listener.ts';
import { NO_ROUTE } from '../api/api-errors.ts';
import { LastAnswers } from './last-answers.ts';
import { FeedOutbox } from './feed-outbox.ts';
import { FeedRounds } from './feed-rounds.ts';
import { offersWebSocket, serveWithoutUpgrade } from './other-offers.ts';

/** Options of the feed server. */
export interface FeedServerOptions {
  /** Returns the current API, which changes when the exchange restarts. */
  readonly api: () => ExchangeApi;
  readonly log: Logger;
  /** Bytes that may wait for one client; beyond them its connection is closed. */
  readonly bufferMax: number;
  /** Bytes that may wait for all clients together; beyond them the connections with the most are closed. */
  readonly buffersMax: number;
  readonly setTimer: SetTimer;
}

/** Longest client message, in bytes. A longer one ends the connection. */
const COMMAND_MAX = 1_000_000;
/**
 * Compresses each message separately, so that a connection keeps no dictionary. Shorter messages are not compressed.
 */
const COMPRESSION = { serverNoContextTakeover: true, clientNoContextTakeover: true, threshold: 1024 };
/** Time that a closing connection has to answer the close frame. */
const GOODBYE_MS = 1000;
/** All buffers are summed each time that a fiftieth of their common bound was added to them. */
const SUMS_PER_BOUND = 50;

interface Connection {
  readonly socket: WebSocket;
  readonly line: ClientConnection;
  readonly outbox: FeedOutbox;
  isAlive: boolean;
  isOverflowing: boolean;
}

/** Accepts WebSocket connections, pings them, and closes those that read too slowly or stay silent. */
export class FeedServer {
  readonly #options: FeedServerOptions;
  readonly #sockets: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #rounds = new FeedRounds();
  /** Bytes that were added to the outboxes since those of all connections were summed. */
  #unsummed = 0;
  #cancelPings: () => void = () => undefined;
  #isClosed = false;

  constructor(server: Server, options: FeedServerOptions) {
    const { api } = options;
    this.#options = options;
    const { feedCompression } = api().profile.readings;
    const perMessageDeflate = feedCompression === 'accepted' && COMPRESSION;
    this.#sockets = new WebSocketServer({ noServer: true, perMessageDeflate, maxPayload: COMMAND_MAX });
    const answers = new LastAnswers(server);
    server.on('upgrade', (incoming, socket: Duplex, head) => {
      answers.afterAnswers(socket, () => {
        if (offersWebSocket(incoming)) this.#upgrade(incoming, socket, head);
        else serveWithoutUpgrade(server, { incoming, socket, head });
      });
    });
    this.#sockets.on('headers', (headers) => headers.push(`Date: ${api().date()}`));
    this.#schedulePings();
  }

  #schedulePings(): void {
    const { api, setTimer } = this.#options;
    this.#cancelPings = setTimer(api().profile.feed.pingEveryMs, () => {
      this.#pingAll();
      this.#schedulePings();
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPings();
    const closed = [...this.#connections].map(
      ({ socket }) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    );
    for (const { line } of this.#connections) line.closeGoingAway();
    await Promise.all(closed);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const api = this.#options.api();
    socket.on('error', () => socket.destroy());
    const [path = ''] = (incoming.url ?? '').split('?');
    const address = incoming.socket.remoteAddress ?? 'nowhere';
    const caller = this.#isClosed
      ? NO_ROUTE
      : api.authorizeFeed({ method: 'GET', path, header: headerReader(incoming), address });
    if ('status' in caller) return refuseUpgrade(socket, caller, api.date());
    this.#sockets.handleUpgrade(incoming, socket, head, (accepted) =>
      this.#accept({ socket: accepted, stream: socket }, caller),
    );
  }

  #accept({ socket, stream }: { readonly socket: WebSocket; readonly stream: Duplex }, caller: FeedCaller): void {
    const { log } = this.#options;
    const api = this.#options.api();
    const outbox = new FeedOutbox({ socket, stream, rounds: this.#rounds, compressedFrom: COMPRESSION.threshold });
    const line = api.openFeed(caller, {
      sendText: (text) => this.#sendText(connection, text),
      sendPing: () => {
        connection.isAlive = false;
        outbox.flush();
        socket.ping(api.profile.feed.pingBody);
      },
      closeWith: (code, reason) => {
        outbox.writeRest();
        this.#closeSocket(socket, code, reason);
      },
      terminate: () => {
        outbox.flush();
        socket.terminate();
      },
    });
    const connection: Connection = { socket, line, outbox, isAlive: true, isOverflowing: false };
    this.#connections.add(connection);
    socket.on('message', (data, isBinary) => {
      connection.isAlive = true;
      line.handleMessage(isBinary ? '' : textOf(data));
    });
    socket.on('pong', () => (connection.isAlive = true));
    socket.on('error', (error) =>
      log.warn({ connection: line.number, reason: error.message }, 'feed connection broke'),
    );
    socket.on('close', () => {
      line.close();
      this.#connections.delete(connection);
    });
  }

  #sendText(connection: Connection, text: string): void {
    const { socket, outbox } = connection;
    if (socket.readyState !== WebSocket.OPEN) return;
    outbox.add(text);
    this.#unsummed += text.length;
    const { bufferMax, buffersMax } = this.#options;
    const isTooSlow = !connection.isOverflowing && outbox.waitingBytes > bufferMax;
    if (isTooSlow) closeForOverflow(connection);
    if (isTooSlow || this.#unsummed > buffersMax / SUMS_PER_BOUND) this.#boundBuffers();
  }

  /** Closes the slowest connections. Those that are closing already are cut off if they hold as much again. */
  #boundBuffers(): void {
    const { buffersMax } = this.#options;
    this.#unsummed = 0;
    for (const connection of slowestBeyond(buffersMax, this.#listConnections(false))) closeForOverflow(connection);
    for (const { socket } of slowestBeyond(buffersMax, this.#listConnections(true))) socket.terminate();
  }

  #listConnections(areOverflowing: boolean): readonly Connection[] {
    return [...this.#connections].filter(({ isOverflowing }) => isOverflowing === areOverflowing);
  }

  #pingAll(): void {
    for (const { socket, line, isAlive } of this.#connections) {
      if (isAlive) line.sendPing();
      else socket.terminate();
    }
  }

  #closeSocket(socket: WebSocket, code: number, reason: string): void {
    socket.once(
      'close',
      this.#options.setTimer(GOODBYE_MS, () => socket.terminate()),
    );
    socket.close(code, reason);
  }
}

function closeForOverflow(connection: Connection): void {
  connection.isOverflowing = true;
  // From now on, only the error messages of the overflow may exceed the bound.
  connection.line.closeForOverflow();
}

/** The connections with the most waiting bytes, without which the others have no more than `max` bytes together. */
function slowestBeyond(max: number, connections: readonly Connection[]): readonly Connection[] {
  const waiting = connections.map((connection) => ({ connection, bytes: connection.outbox.waitingBytes }));
  let left = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  const slowest: Connection[] = [];
  for (const { connection, bytes } of waiting.sort((one, other) => other.bytes - one.bytes)) {
    if (left <= max) break;
    left -= bytes;
    slowest.push(connection);
  }
  return slowest;
}

const textOf = (data: RawData): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
};

function refuseUpgrade(socket: Duplex, { status, body, contentType, retryAfter }: WireAnswer, date: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Date: ${date}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
  ];
  // The server leaves connections half-open, and a client may never close its half.
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
