// A simple feed: `ws`, one JSON.stringify for each message and subscriber, sent at once. It publishes changes of
// the same length as the exchange's books do, and answers reads by node:http.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { endWithParent, tellParent } from '../companion.ts';
import { FOLLOWED_MARKETS, SUBSCRIBERS } from '../feed-load.ts';
import { tickerOf } from '../frames.ts';
import { processorTime } from '../processor-time.ts';

const TURN_MS = 5;
const LATE_MS_MAX = 20;
const BOOK = JSON.stringify({ orderbook: { yes: [[49, 100]], no: [[50, 100]] } });

interface Follower {
  readonly socket: WebSocket;
  seq: number;
}

const followers = new Set<Follower>();
let messages = 0;

function publish(number: number): void {
  const msg = {
    market_ticker: tickerOf(number % FOLLOWED_MARKETS),
    price: 40 + (number % 20),
    delta: 1 + (number % 50),
    side: number % 2 === 0 ? 'yes' : 'no',
    ts: new Date().toISOString(),
  };
  for (const follower of followers) {
    follower.seq += 1;
    messages += 1;
    follower.socket.send(JSON.stringify({ type: 'orderbook_delta', sid: 1, seq: follower.seq, msg }));
  }
}

/** Publishes changes at a rate. A late turn publishes nothing of the time that it missed, as by the exchange's traders. */
function publishAt(changesPerSecond: number): void {
  let lastAt = performance.now();
  let due = 0;
  let published = 0;
  setInterval(() => {
    const now = performance.now();
    due += (Math.min(now - lastAt, LATE_MS_MAX) * changesPerSecond) / 1000;
    lastAt = now;
    for (; due >= 1; due--) publish(published++);
  }, TURN_MS);
}

endWithParent();
process.once('message', (changesPerSecond: number) => {
  const server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': BOOK.length });
    outgoing.end(BOOK);
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    const follower = { socket, seq: 0 };
    socket.on('message', () => {
      socket.send(JSON.stringify({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }));
      followers.add(follower);
      if (followers.size === SUBSCRIBERS) publishAt(changesPerSecond);
    });
    socket.on('error', () => socket.terminate()).on('close', () => followers.delete(follower));
  });
  process.on('message', () => tellParent({ messages, time: processorTime() }));
  server.listen(0, '127.0.0.1', () => {
    tellParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
tellParent('ready');
