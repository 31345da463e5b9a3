// A plain TCP server on loopback. It sends a client bytes that no real venue should send.
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One connection as the server sees it. */
export interface RawPeer {
  readonly socket: Socket;
  /** Returns everything received so far, as latin1. */
  readonly received: () => string;
  /** Resolves once the received bytes contain the text. */
  readonly waitForText: (text: string) => Promise<void>;
  /** Calls `act` once the received bytes contain the text. */
  readonly onText: (text: string, act: () => void) => void;
}

export interface RawServer {
  readonly port: number;
  readonly peers: readonly RawPeer[];
  /** Resolves with the connection of that number, counted from 0, once it was accepted. */
  readonly peer: (index: number) => Promise<RawPeer>;
  readonly close: () => Promise<void>;
}

/** Listens on a free port, or on the given one, and calls `onPeer` with each connection. */
export async function rawServer(
  onPeer: (peer: RawPeer, index: number) => void = () => {},
  port = 0,
): Promise<RawServer> {
  const peers: RawPeer[] = [];
  const waiters: (() => void)[] = [];
  const wake = (): void => waiters.splice(0).forEach((waiter) => waiter());
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise<void>((resolve) => waiters.push(resolve));
  };
  const server = createServer((socket) => {
    let text = '';
    const waitForText = (wanted: string): Promise<void> => until(() => text.includes(wanted));
    const actAfter = async (wanted: string, act: () => void): Promise<void> => {
      await waitForText(wanted);
      act();
    };
    const onText = (wanted: string, act: () => void): void => void actAfter(wanted, act);
    const peer: RawPeer = { socket, received: () => text, waitForText, onText };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      wake();
    });
    socket.on('error', () => {});
    onPeer(peer, peers.push(peer) - 1);
    wake();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    peers,
    peer: async (index) => {
      await until(() => peers.length > index);
      return peers[index]!;
    },
    close: () => {
      for (const { socket } of peers) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Returns a port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await rawServer();
  await server.close();
  return server.port;
}
