// The feed of a stub server: accepts WebSocket connections, grants every subscription, starts every book empty. Must
// never send anything by itself afterwards: its owner writes the frames that are measured.
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ticker } from '../../src/domain/ids.ts';
import { BOOK_SID, FIRST_SEQ, emptyBook, frameOf } from './frames.ts';

interface Subscribe {
  readonly id: number;
  readonly cmd: string;
  readonly params: { readonly channels: readonly string[]; readonly market_tickers?: readonly string[] };
}

/** Called when a client's books have started, with the stream for frames and the next sequence number. */
export type OnSubscribed = (stream: Duplex, nextSeq: number) => void;

/** Starts to listen; resolves to the port on 127.0.0.1. */
export function openStubFeed(onSubscribed: OnSubscribed, book: typeof emptyBook = emptyBook): Promise<number> {
  const server = createServer();
  const feed = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, stream, head) => {
    feed.handleUpgrade(request, stream, head, (client) => {
      client.on('error', () => client.terminate());
      client.on('message', (data) =>
        grant(JSON.parse((data as Buffer).toString()) as Subscribe, { stream, onSubscribed, book }),
      );
    });
  });
  return listen(server);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

interface Granted {
  readonly stream: Duplex;
  readonly onSubscribed: OnSubscribed;
  readonly book: typeof emptyBook;
}

function grant({ id, cmd, params }: Subscribe, { stream, onSubscribed, book }: Granted): void {
  if (cmd !== 'subscribe') return;
  const isBooks = params.channels.includes('orderbook_delta');
  params.channels.forEach((channel, place) => {
    const sid = channel === 'orderbook_delta' ? BOOK_SID : id * 100 + place;
    stream.write(frameOf(JSON.stringify({ id, type: 'subscribed', msg: { channel, sid } })));
  });
  if (!isBooks) return;
  const tickers = params.market_tickers ?? [];
  tickers.forEach((name, place) => stream.write(frameOf(book(ticker(name), FIRST_SEQ + place))));
  onSubscribed(stream, FIRST_SEQ + tickers.length);
}
