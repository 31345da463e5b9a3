// Requests that no browser sends: bytes that are no request, a header without end, a foreign host, a body of a megabyte.
// Must never send more than its bound, nor keep a connection longer than its time.
import { type Socket, connect } from 'node:net';

/** Kinds of hostile requests. */
export const HOSTILE_ACTS = ['garbage', 'endless header', 'wrong host', 'large body'] as const;
export type HostileAct = (typeof HOSTILE_ACTS)[number];

export interface HostileRequest {
  readonly act: HostileAct;
  readonly origin: string;
  readonly localAddress: string;
}

const HEADER_PART = 'a'.repeat(1024);
const HEADER_PARTS_MAX = 256;
const BODY_PART = '[1,2,3,4,5,6,7],'.repeat(1024);
const BODY_PARTS = 64;
const TIME_MS_MAX = 5000;

/** Bytes of a request, part by part. */
function* partsOf(act: HostileAct, host: string): Generator<Buffer | string> {
  switch (act) {
    case 'garbage':
      return yield Buffer.from([0, 255, 13, 10, 22, 3, 1, 2, 0, 13, 10, 13, 10]);
    case 'endless header':
      yield `GET /api/v1/bots HTTP/1.1\r\nHost: ${host}\r\nX-Endless: `;
      for (let part = 0; part < HEADER_PARTS_MAX; part++) yield HEADER_PART;
      return;
    case 'wrong host':
      return yield 'GET /api/v1/bots HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n';
    case 'large body':
      yield `POST /api/v1/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n`;
      yield `Content-Type: application/json\r\nContent-Length: ${BODY_PART.length * BODY_PARTS}\r\n\r\n`;
      for (let part = 0; part < BODY_PARTS; part++) yield BODY_PART;
  }
}

/** Sends a request. Resolves to the status of the answer; `null` when the connection ended without one. */
export async function sendHostile({ act, origin, localAddress }: HostileRequest): Promise<number | null> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  let answer = '';
  const ended = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  const timer = setTimeout(() => socket.destroy(), TIME_MS_MAX);
  socket.on('error', () => socket.destroy());
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer = (answer + text).slice(0, 100);
    // One answer suffices: the connection of a refused request is not used again.
    socket.destroy();
  });
  for (const part of partsOf(act, host)) await written(socket, part);
  await ended;
  clearTimeout(timer);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  return status === undefined ? null : Number(status);
}

/** Writes a part, and waits until it has left or the connection has ended. */
function written(socket: Socket, part: Buffer | string): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(part, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}
