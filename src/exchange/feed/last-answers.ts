// The last answer on each connection of an HTTP server. A request with an upgrade may arrive before the requests ahead of it
// are answered, and the server then leaves the connection to its listener. Must never let such a request overtake them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The last answers of one server. */
export class LastAnswers {
  readonly #server: Server;
  readonly #bySocket = new WeakMap<Duplex, ServerResponse>();

  constructor(server: Server) {
    this.#server = server;
    server.on('request', ({ socket }: IncomingMessage, answer) => void this.#bySocket.set(socket, answer));
  }

  /**
   * Calls `then` once every request that came before on this connection is answered. A connection that ends earlier, or
   * whose server no longer listens by then, is dropped.
   */
  afterAnswers(socket: Duplex, then: () => void): void {
    const last = this.#bySocket.get(socket);
    if (last === undefined || last.closed) return then();
    const drop = (): void => void socket.destroy();
    // The HTTP server no longer listens to this socket, and an error without a listener would end the process.
    socket.on('error', drop);
    last.once('close', () => {
      if (socket.destroyed || !socket.writable || !this.#server.listening) return drop();
      socket.off('error', drop);
      then();
    });
  }
}
