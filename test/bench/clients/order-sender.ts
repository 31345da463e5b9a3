// Sends prepared requests over bare sockets, one at a time on each connection, as cheaply as Node can: a client that does
// more would be measured in place of the server. Must never send a request before the last one on its connection is answered.
import { type Socket, connect } from 'node:net';

const HEAD_END = '\r\n\r\n';

/** Connections to one server. */
export class OrderSender {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** Opens the connections. */
  static async open(url: string, connections: number): Promise<OrderSender> {
    const { hostname, port } = new URL(url);
    const opened = Array.from({ length: connections }, () => openSocket(hostname, Number(port)));
    return new OrderSender(await Promise.all(opened));
  }

  /**
   * Sends all requests as fast as the answers come.
   * @throws {Error} when an answer has another status than 201, or a connection ends.
   */
  async sendAll(requests: readonly Buffer[]): Promise<void> {
    let next = 0;
    const take = (): Buffer | undefined => requests[next++];
    await Promise.all(this.#sockets.map((socket) => sendInTurn(socket, take)));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.setEncoding('latin1').once('error', reject);
  });
}

function sendInTurn(socket: Socket, take: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const fail = (why: string): void => reject(new Error(`exchange: ${why}`));
    const onEnd = (): void => fail('the connection ended');
    const finish = (): void => {
      socket.off('data', onData).off('close', onEnd);
      resolve();
    };
    const sendNext = (): void => {
      const request = take();
      if (request === undefined) finish();
      else socket.write(request);
    };
    const onData = (part: string): void => {
      answer = answer === '' ? part : answer + part;
      if (!isWhole(answer)) return;
      if (!answer.startsWith('HTTP/1.1 201 ')) return fail(`expected 201, found ${answer}`);
      answer = '';
      sendNext();
    };
    socket.on('data', onData).on('close', onEnd);
    sendNext();
  });
}

/** True when an answer has its whole body, which must be ASCII. */
function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /content-length: (\d+)/i.exec(answer.slice(0, headEnd))?.[1];
  return length !== undefined && answer.length - headEnd - HEAD_END.length >= Number(length);
}
