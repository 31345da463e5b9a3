// The feed's door: handshakes, sockets, pongs, and readers that are too slow. What is said, the hall says.
// Must never hold more of a slow reader's messages than the bound.
import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../../log.ts';
import type { SetTimer } from '../driver.ts';
import type { WireAnswer } from './call.ts';
import type { FeedCaller, FeedLine } from './feed-line.ts';
import type { Hall } from './hall.ts';
import { headerReader } from './http-door.ts';
import { NO_ROUTE } from './refusals.ts';

/** What the door is made of. */
export interface FeedDoorOptions {
  /** The one that stands at the moment. */
  readonly hall: () => Hall;
  readonly log: Logger;
  /** Bytes that may wait for one reader. */
  readonly bufferMax: number;
  /** Sets the timers of pings, and of goodbyes that take too long. */
  readonly setTimer: SetTimer;
}

/** Longer commands than this end the connection. Bytes. */
const COMMAND_MAX = 1_000_000;
/** Each message by itself, so that a connection keeps no dictionary; those under a kilobyte go as they are. */
const COMPRESSION = { serverNoContextTakeover: true, clientNoContextTakeover: true, threshold: 1024 };
/** How long a closing connection may take to say goodbye. */
const GOODBYE_MS = 1000;

interface Connection {
  readonly socket: WebSocket;
  readonly line: FeedLine;
  isAlive: boolean;
  isOverflowing: boolean;
}

/** The feed's door. */
export class FeedDoor {
  readonly #options: FeedDoorOptions;
  readonly #sockets: WebSocketServer;
  readonly #connections = new Set<Connection>();
  #unsetPings: () => void = () => undefined;
  #isClosed = false;

  constructor(server: Server, options: FeedDoorOptions) {
    const { hall } = options;
    this.#options = options;
    const { feedCompression } = hall().profile.readings;
    const perMessageDeflate = feedCompression === 'accepted' && COMPRESSION;
    this.#sockets = new WebSocketServer({ noServer: true, perMessageDeflate, maxPayload: COMMAND_MAX });
    server.on('upgrade', (incoming, socket: Duplex, head) => this.#upgrade(incoming, socket, head));
    this.#sockets.on('headers', (headers) => headers.push(`Date: ${hall().date()}`));
    this.#pingLater();
  }

  #pingLater(): void {
    const { hall, setTimer } = this.#options;
    this.#unsetPings = setTimer(hall().profile.feed.pingEveryMs, () => {
      this.#ping();
      this.#pingLater();
    });
  }

  /** Connections that are open. */
  get size(): number {
    return this.#connections.size;
  }

  /** Says goodbye to everyone, and resolves when all are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsetPings();
    const gone = [...this.#connections].map(
      ({ socket }) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    );
    for (const { line } of this.#connections) line.goAway();
    await Promise.all(gone);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const hall = this.#options.hall();
    socket.on('error', () => socket.destroy());
    const [path = ''] = (incoming.url ?? '').split('?');
    const address = incoming.socket.remoteAddress ?? 'nowhere';
    const caller = this.#isClosed
      ? NO_ROUTE
      : hall.admit({ method: 'GET', path, header: headerReader(incoming), address });
    if ('status' in caller) return refuseUpgrade(socket, caller, hall.date());
    this.#sockets.handleUpgrade(incoming, socket, head, (accepted) => this.#welcome(accepted, caller));
  }

  #welcome(socket: WebSocket, caller: FeedCaller): void {
    const { log } = this.#options;
    const hall = this.#options.hall();
    const line = hall.openFeed(caller, {
      send: (text) => this.#write(connection, text),
      ping: () => {
        connection.isAlive = false;
        socket.ping(hall.profile.feed.pingBody);
      },
      end: (code, reason) => this.#end(socket, code, reason),
      hangUp: () => socket.terminate(),
    });
    const connection: Connection = { socket, line, isAlive: true, isOverflowing: false };
    this.#connections.add(connection);
    socket.on('message', (data, isBinary) => {
      connection.isAlive = true;
      line.hear(isBinary ? '' : textOf(data));
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

  #write(connection: Connection, text: string): void {
    const { socket, line } = connection;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    if (connection.isOverflowing || socket.bufferedAmount <= this.#options.bufferMax) return;
    connection.isOverflowing = true;
    // What is said now comes after all that waits; the bound is only passed by this.
    line.overflow();
  }

  #ping(): void {
    for (const { socket, line, isAlive } of this.#connections) {
      if (isAlive) line.ping();
      else socket.terminate();
    }
  }

  /** Closes a connection, by force when it does not answer. */
  #end(socket: WebSocket, code: number, reason: string): void {
    socket.once(
      'close',
      this.#options.setTimer(GOODBYE_MS, () => socket.terminate()),
    );
    socket.close(code, reason);
  }
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
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
