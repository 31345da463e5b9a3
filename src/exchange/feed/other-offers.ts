// Requests that offer another protocol than WebSocket, such as HTTP/2: a server may ignore an offer, and some clients send
// one with every request. Must never lose a byte that came behind such a request.
import type { IncomingMessage, Server } from 'node:http';
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

/** Passes a request back to the HTTP server without its offer. All requests before it must be answered. */
export function serveWithoutUpgrade(server: Server, { incoming, socket, head }: OfferingRequest): void {
  const { method, url, httpVersion, rawHeaders } = incoming;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
