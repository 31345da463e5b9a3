// The feed's door: signed handshakes, sockets, pings, readers that are too slow and callers that are too fast.
// Must never hold more of a slow reader's messages than the bound.
import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import type { AccountName } from '../input.ts';
import { type Allowances, secondsUntil } from './allowances.ts';
import { type Authentication, type Signed, isRefused } from './authentication.ts';
import type { WireAnswer } from './call.ts';
import type { Faults } from './faults.ts';
import { type FeedRoom, FeedSession } from './feed-session.ts';
import { headerReader } from './http-door.ts';
import { callerOfAddress, callerOfKey, tooMany } from './reception.ts';
import { NO_ROUTE } from './refusals.ts';
import type { Tally } from './tally.ts';

/** What the door is made of. */
export interface FeedDoorOptions {
  readonly room: FeedRoom;
  readonly profile: WireProfile;
  readonly authentication: Authentication;
  readonly allowances: Allowances;
  readonly faults: Faults;
  readonly tally: Tally;
  readonly log: Logger;
  readonly now: () => Micros;
  readonly date: () => string;
  /** Bytes that may wait for one reader. */
  readonly bufferMax: number;
}

/** Longer commands than this end the connection. Bytes. */
const COMMAND_MAX = 1_000_000;
/** How long a closing connection may take to say goodbye. */
const GOODBYE_MS = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const TRY_LATER = 1013;

interface Caller {
  readonly name: string;
  readonly account: AccountName | null;
}

interface Connection {
  readonly socket: WebSocket;
  readonly session: FeedSession;
  readonly caller: Caller;
  isAlive: boolean;
  isOverflowing: boolean;
}

/** The feed's door. */
export class FeedDoor {
  readonly #options: FeedDoorOptions;
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: COMMAND_MAX });
  readonly #connections = new Set<Connection>();
  readonly #pings: NodeJS.Timeout;
  #count = 0;
  #isClosed = false;

  constructor(server: Server, options: FeedDoorOptions) {
    this.#options = options;
    server.on('upgrade', (incoming, socket: Duplex, head) => this.#upgrade(incoming, socket, head));
    this.#sockets.on('headers', (headers) => headers.push(`Date: ${options.date()}`));
    this.#pings = setInterval(() => this.#ping(), options.profile.feed.pingEveryMs);
    this.#pings.unref();
  }

  /** Connections that are open. */
  get size(): number {
    return this.#connections.size;
  }

  /** Says goodbye to everyone, and resolves when all are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pings);
    await Promise.all([...this.#connections].map((connection) => this.#dismiss(connection, GOING_AWAY, 'going away')));
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const caller = this.#admit(incoming);
    if ('status' in caller) return refuseUpgrade(socket, caller, this.#options.date());
    this.#sockets.handleUpgrade(incoming, socket, head, (accepted) => this.#welcome(accepted, caller));
  }

  #admit(incoming: IncomingMessage): Caller | WireAnswer {
    const { profile, authentication, allowances, now } = this.#options;
    const [path = ''] = (incoming.url ?? '').split('?');
    if (path !== profile.feed.path || this.#isClosed) return NO_ROUTE;
    const signed: Signed = { method: 'GET', path, header: headerReader(incoming) };
    const at = now();
    const isClaimed = authentication.isClaimed(signed) || profile.feed.publicFeedNeedsKey;
    const key = isClaimed ? authentication.check(signed, at) : null;
    if (key !== null && isRefused(key)) return key;
    const name = key === null ? callerOfAddress(incoming.socket.remoteAddress ?? 'nowhere') : callerOfKey(key.id);
    const opensAt = allowances.feedOpensAt(name, at);
    return opensAt === null ? { name, account: key?.account ?? null } : tooMany(profile, opensAt, at);
  }

  #welcome(socket: WebSocket, caller: Caller): void {
    const { room, tally, faults, log } = this.#options;
    const number = ++this.#count;
    tally.connections++;
    const write = (text: string): void => this.#write(connection, text);
    const hangUp = (): void => socket.terminate();
    const send = (text: string): void => faults.frame({ text, connection: number, send: write, hangUp });
    const session = new FeedSession(room, { account: caller.account, send });
    const connection: Connection = { socket, session, caller, isAlive: true, isOverflowing: false };
    this.#connections.add(connection);
    socket.on('message', (data, isBinary) => this.#hear(connection, data, isBinary));
    socket.on('pong', () => (connection.isAlive = true));
    socket.on('error', (error) => log.warn({ connection: number, reason: error.message }, 'feed connection broke'));
    socket.on('close', () => {
      session.close();
      this.#connections.delete(connection);
    });
  }

  #hear(connection: Connection, data: RawData, isBinary: boolean): void {
    const { allowances, tally, now, profile, log } = this.#options;
    const { socket, session, caller } = connection;
    if (socket.readyState !== WebSocket.OPEN) return;
    connection.isAlive = true;
    tally.feedCommands++;
    const at = now();
    if (allowances.take(caller.name, { kind: 'feed', cost: 1 }, at) === null) {
      session.hear(isBinary ? '' : textOf(data));
    } else if (profile.limits.closesFeedOverLimit) {
      session.tooManyRequests();
      const until = allowances.pauseFeed(caller.name, at);
      log.info({ caller: caller.name, seconds: secondsUntil(until, at) }, 'feed closed: too many commands');
      void this.#dismiss(connection, POLICY, 'too many requests');
    } else session.tooManyRequests();
  }

  #write(connection: Connection, text: string): void {
    const { socket, session, caller } = connection;
    if (socket.readyState !== WebSocket.OPEN) return;
    this.#options.tally.feedMessages++;
    socket.send(text);
    if (connection.isOverflowing || socket.bufferedAmount <= this.#options.bufferMax) return;
    connection.isOverflowing = true;
    this.#options.log.info({ caller: caller.name }, 'feed closed: its reader is too slow');
    // What is said now comes after all that waits; the bound is only passed by this.
    session.overflow();
    void this.#dismiss(connection, TRY_LATER, 'slow reader');
  }

  #ping(): void {
    for (const connection of this.#connections) {
      if (!connection.isAlive) connection.socket.terminate();
      else {
        connection.isAlive = false;
        connection.socket.ping(this.#options.profile.feed.pingBody);
      }
    }
  }

  /** Closes a connection, by force when it does not answer. */
  #dismiss({ socket, session }: Connection, code: number, reason: string): Promise<void> {
    session.close();
    return new Promise((resolve) => {
      const force = setTimeout(() => socket.terminate(), GOODBYE_MS);
      socket.once('close', () => {
        clearTimeout(force);
        resolve();
      });
      socket.close(code, reason);
    });
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
