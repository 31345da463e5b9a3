// The time from a tick to its order that no client can save: the kernel, Node's event loop, the package `ws` and a plain
// socket. Nothing is parsed, decided or signed, and every request is the same bytes.
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { pathOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { tickerOf } from '../frames.ts';
import { subscribeTo } from '../naive-messages.ts';
import type { Scenario } from '../scenario.ts';
import { FURTHER_PACES, type Stages, type TickServer, measureTicks } from '../stages.ts';

const BODY = JSON.stringify({ client_order_id: 'bare-1', ticker: tickerOf(0), count: 1, yes_price: 55 });
/** As long as the headers of a signed request. */
const PROOF = 'x'.repeat(250);

async function openBare({ feedPort, ordersPort }: TickServer, stages: Stages): Promise<void> {
  const orders = connect({ host: '127.0.0.1', port: ordersPort, noDelay: true });
  orders.resume();
  const head = `POST ${pathOf(serviceProfile, 'createOrder')} HTTP/1.1\r\nhost: 127.0.0.1\r\nproof: ${PROOF}\r\n`;
  const request = Buffer.from(`${head}content-length: ${BODY.length}\r\n\r\n${BODY}`, 'latin1');
  const feed = new WebSocket(`ws://127.0.0.1:${feedPort}${serviceProfile.feed.path}`);
  feed.on('open', () => feed.send(subscribeTo([tickerOf(0)])));
  await new Promise<void>((resolve) => {
    feed.on('message', (data) => {
      if ((data as Buffer).includes('"type":"orderbook_snapshot"')) return resolve();
      if (!(data as Buffer).includes('"type":"orderbook_delta"')) return;
      stages.noteFrame();
      stages.noteDecided();
      stages.noteSigned();
      orders.write(request);
    });
  });
}

export const ticksBare: Scenario = {
  name: 'tick-bare',
  what: 'the same without a client: ws hands over a frame, and fixed bytes go to a socket',
  run: () => measureTicks(openBare),
};

export const ticksBarePaced: readonly Scenario[] = FURTHER_PACES.map(([name, pace]) => ({
  name: `tick-bare-${name}`,
  what: `the same with the pauses of tick-${name}`,
  run: () => measureTicks(openBare, { pace }),
}));
