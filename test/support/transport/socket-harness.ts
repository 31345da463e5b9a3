// Sockets under test and the servers that they connect to: a standard WebSocket server, and one that sends only the
// bytes that the test gives it.
import { createHash } from 'node:crypto';
import { afterEach } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { DownReason } from '../../../src/transport/down-reason.ts';
import { ReconnectingSocket, type SocketOptions } from '../../../src/transport/reconnecting-socket.ts';
import { FakeScheduler } from './fake-scheduler.ts';
import { type RawPeer, rawServer } from './raw-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** One event of a socket. */
export interface SocketEvent {
  readonly what: 'up' | 'down' | 'heartbeat' | 'frame';
  readonly connection?: number;
  readonly reason?: DownReason;
  readonly retryMs?: number;
  readonly text?: string;
  /** Number of the received chunk that contained the frame, counted from 1. */
  readonly chunk?: number;
}

/** Makes a socket that collects its events, with a function that waits for an event. */
export function makeSocket(url: string, options: Partial<SocketOptions> = {}) {
  const scheduler = new FakeScheduler();
  const events: SocketEvent[] = [];
  let chunks = 0;
  const waiters: (() => void)[] = [];
  const addEvent = (event: SocketEvent): void => {
    events.push(event);
    waiters.splice(0).forEach((waiter) => waiter());
  };
  const socket = new ReconnectingSocket(
    {
      url,
      headers: () => ({}),
      backoff: { firstMs: 100, capMs: 1000, jitter: 'equal' },
      random: () => 0,
      stableMs: 5000,
      handshakeTimeoutMs: 3000,
      silenceMs: 2000,
      frameBytesMax: 1000,
      sendBufferBytesMax: 10_000_000,
      scheduler,
      ...options,
    },
    {
      onUp: (connection) => addEvent({ what: 'up', connection }),
      onDown: (reason, retryMs) => addEvent({ what: 'down', reason, retryMs }),
      onBytes: () => (chunks += 1),
      onHeartbeat: () => addEvent({ what: 'heartbeat' }),
      onFrame: (bytes) => addEvent({ what: 'frame', text: bytes.toString('utf8'), chunk: chunks }),
    },
  );
  closers.push(() => {
    const stopped = socket.stop();
    scheduler.advance(1000);
    return stopped;
  });
  const until = async (what: SocketEvent['what'], count = 1): Promise<SocketEvent> => {
    for (;;) {
      const found = events.filter((event) => event.what === what);
      if (found.length >= count) return found[count - 1]!;
      await new Promise<void>((resolve) => waiters.push(resolve));
    }
  };
  return { socket, scheduler, events, until };
}

/** Starts a WebSocket server of the package `ws`. */
export async function wsServer(onPeer: (peer: WebSocket, headers: Record<string, unknown>) => void = () => {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (peer, request) => {
    peer.on('error', () => {});
    onPeer(peer, request.headers);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => {
    for (const peer of server.clients) peer.terminate();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as { port: number };
  return { server, url: `ws://127.0.0.1:${port}/feed` };
}

/** Starts a server of plain bytes. */
export async function bytesServer(onPeer: (peer: RawPeer, index: number) => void) {
  const server = await rawServer(onPeer);
  closers.push(server.close);
  return { server, url: `ws://127.0.0.1:${server.port}/feed` };
}

/** Answers a handshake without a library. Further bytes are up to the test. */
export function acceptByHand(peer: RawPeer, then: () => void = () => {}): void {
  peer.onText('\r\n\r\n', () => {
    const key = /sec-websocket-key: (\S+)/i.exec(peer.received())![1]!;
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n';
    peer.socket.write(`${head}sec-websocket-accept: ${accept}\r\n\r\n`);
    then();
  });
}
