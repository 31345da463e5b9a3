// Requests that offer another protocol than WebSocket, such as HTTP/2: a server may ignore an offer, and some clients send
// one with every request. Must never let an answer overtake the answers before it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request with an offer, as Node.js takes it out of the HTTP server. */
export interface OfferingRequest {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that came after the request's head. */
  readonly head: Buffer;
}

export const offersWebSocket = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '')
    .toLowerCase()
    .split(',')
    .some((name) => name.trim() === 'websocket');

/** Passes requests back to the HTTP server without their offers. */
export class OtherOffers {
  readonly #server: Server;
  /** The answer to the latest request of each connection: the answers before it have been sent when it has. */
  readonly #latest = new WeakMap<Duplex, ServerResponse>();

  constructor(server: Server) {
    this.#server = server;
    server.on('request', (incoming, outgoing) => this.#latest.set(incoming.socket, outgoing));
  }

  serve(request: OfferingRequest): void {
    const before = this.#latest.get(request.socket);
    if (before === undefined || before.closed) this.#passBack(request);
    else before.once('close', () => this.#passBack(request));
  }

  #passBack({ incoming, socket, head }: OfferingRequest): void {
    if (socket.destroyed) return;
    const { method, url, httpVersion, rawHeaders } = incoming;
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at < rawHeaders.length; at += 2)
      if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    this.#server.emit('connection', socket);
  }
}
