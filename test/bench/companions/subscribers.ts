// Subscribers of a feed in a process of their own: five hundred bare sockets that count messages and nothing else, so that
// they are not measured in place of the server. Must never take a part of a message for one.
import { type Socket, connect } from 'node:net';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { endWithParent, tellParent } from '../companion.ts';
import { FOLLOWED_MARKETS, SUBSCRIBERS } from '../feed-load.ts';
import { tickerOf } from '../frames.ts';
import { processorTime } from '../processor-time.ts';

const LENGTH_16 = 126;
const LENGTH_64 = 127;
const CLOSE = 8;
const HEAD_END = '\r\n\r\n';
/** Sockets are opened in groups, so that their subscriptions begin at different numbers of the sequence. */
const OPENED_TOGETHER = 10;

/** Counts the frames of one socket. */
class FrameCount {
  #messages = 0;
  isClosed = false;
  /** Bytes of the present frame that are still to come. */
  #left = 0;
  /** A head of a frame that came in parts. */
  #head: Buffer = Buffer.alloc(0);

  get messages(): number {
    return this.#messages;
  }

  read(part: Buffer): void {
    const bytes = this.#head.length === 0 ? part : Buffer.concat([this.#head, part]);
    let at = Math.min(this.#left, bytes.length);
    this.#left -= at;
    while (this.#left === 0 && at < bytes.length) {
      const [head, body] = frameAt(bytes, at);
      if (head === 0) break;
      this.#messages += 1;
      if (((bytes[at] ?? 0) & 0x0f) === CLOSE) this.isClosed = true;
      const end = at + head + body;
      this.#left = Math.max(0, end - bytes.length);
      at = Math.min(end, bytes.length);
    }
    this.#head = at < bytes.length ? Buffer.from(bytes.subarray(at)) : this.#head.subarray(0, 0);
  }
}

/** Lengths of the head and the body of a frame; zero for a head that is not whole. */
function frameAt(bytes: Buffer, at: number): readonly [head: number, body: number] {
  const left = bytes.length - at;
  const length = (bytes[at + 1] ?? 0) & 0x7f;
  if (left < 2 || (length === LENGTH_16 && left < 4) || (length === LENGTH_64 && left < 10)) return [0, 0];
  if (length === LENGTH_16) return [4, bytes.readUInt16BE(at + 2)];
  return length === LENGTH_64 ? [10, Number(bytes.readBigUInt64BE(at + 2))] : [2, length];
}

/** A text as a frame of a client, masked with zeros. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | LENGTH_16, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const SUBSCRIBE = clientFrame(
  JSON.stringify({
    id: 1,
    cmd: 'subscribe',
    params: {
      channels: ['orderbook_delta', 'trade'],
      market_tickers: Array.from({ length: FOLLOWED_MARKETS }, (_, number) => tickerOf(number)),
    },
  }),
);

function upgradeOf(host: string): string {
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = Buffer.alloc(16).toString('base64');
  return `GET ${serviceProfile.feed.path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('\r\n')}\r\nSec-WebSocket-Key: ${key}${HEAD_END}`;
}

/** Opens one socket and subscribes; resolves when the first message came. */
function subscribe(url: string, count: FrameCount): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(upgradeOf(host)));
    socket.on('error', reject).on('close', () => (count.isClosed = true));
    socket.on('data', (part: Buffer) => {
      if (isOpen) {
        count.read(part);
        return resolve(socket);
      }
      const end = part.indexOf(HEAD_END);
      if (end < 0 || !part.toString('latin1', 0, 12).startsWith('HTTP/1.1 101'))
        return reject(new Error(`the feed was refused: ${part.toString('latin1', 0, 200)}`));
      isOpen = true;
      socket.write(SUBSCRIBE);
      count.read(part.subarray(end + HEAD_END.length));
    });
  });
}

const counts = Array.from({ length: SUBSCRIBERS }, () => new FrameCount());

/** Opens all sockets; afterwards it answers any message with the messages received, and its processor time. */
async function open(url: string): Promise<void> {
  for (let at = 0; at < SUBSCRIBERS; at += OPENED_TOGETHER)
    await Promise.all(counts.slice(at, at + OPENED_TOGETHER).map((count) => subscribe(url, count)));
  process.on('message', () => {
    const received = counts.map(({ messages }) => messages);
    const messages = received.reduce((sum, each) => sum + each, 0);
    const closed = counts.filter(({ isClosed }) => isClosed).length;
    tellParent({ messages, fewest: Math.min(...received), closed, time: processorTime() });
  });
  tellParent('open');
}

endWithParent();
process.once('message', (url: string) => void open(url));
tellParent('ready');
