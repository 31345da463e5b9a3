// Signed orders per second at the local exchange over real sockets: open connections, each with one request at a time,
// signatures made ahead. Every second order trades with the one before it. Beside it, a bare server that verifies alike.
import { type KeyObject, constants, createPrivateKey, sign } from 'node:crypto';
import { generateKeyPair } from '../../../src/venues/trade-api/signing/key-files.ts';
import { type SigningScheme, pathOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { OrderSender } from '../clients/order-sender.ts';
import { type Companion, startCompanion } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import { type ProcessorTime, processorTime, processorTimeBetween } from '../processor-time.ts';
import type { Figures, Scenario } from '../scenario.ts';

const CONNECTIONS = 16;

/** Orders of a run. They are signed and sent in groups: a signature is valid for some seconds only. */
interface Load {
  readonly scheme: SigningScheme;
  readonly group: number;
  /** Groups that warm the server up, and groups that are measured. */
  readonly warm: number;
  readonly measured: number;
}

const ECDSA: Load = { scheme: 'ecdsa-p256', group: 3000, warm: 3, measured: 7 };
const RSA: Load = { scheme: 'rsa-pss-sha256', group: 1500, warm: 4, measured: 6 };

const { headers } = serviceProfile.signing;
const PATH = pathOf(serviceProfile, 'createOrder');

type Account = 'buyer' | 'seller';
type Keys = Readonly<Record<Account, KeyObject>>;

interface Seen {
  readonly fills: number;
  readonly time: ProcessorTime;
}

/** Order `number` as the bytes of its request, signed now. */
function requestOf(number: number, markets: number, signText: (account: Account, text: string) => string): Buffer {
  const account: Account = number % 2 === 0 ? 'buyer' : 'seller';
  const timestamp = String(Date.now());
  const body = JSON.stringify({
    ticker: tickerOf(Math.floor(number / 2) % markets),
    client_order_id: `order-${number}`,
    side: 'yes',
    action: account === 'buyer' ? 'buy' : 'sell',
    type: 'limit',
    count: 1,
    yes_price: 50,
  });
  const lines = [
    `POST ${PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `${headers.key}: ${account}`,
    `${headers.timestamp}: ${timestamp}`,
    `${headers.signature}: ${signText(account, `${timestamp}POST${PATH}`)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function textSigner(scheme: SigningScheme, keys: Keys): (account: Account, text: string) => string {
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const form = scheme === 'rsa-pss-sha256' ? pss : ({ dsaEncoding: 'ieee-p1363' } as const);
  return (account, text) => sign('sha256', Buffer.from(text), { key: keys[account], ...form }).toString('base64');
}

/** The time of the measured groups: on the clock, and of the processors. Microseconds. */
interface Spent {
  elapsed: number;
  server: number;
  loop: number | null;
  sender: number;
}

/** Sends the orders of a load to a server of the companions. */
async function measureOrders(server: 'exchange' | 'bare-exchange', load: Load): Promise<Figures> {
  const { scheme, group, warm, measured } = load;
  const companion = await startCompanion<{ readonly markets: number }>(server);
  const pairs = { buyer: generateKeyPair(scheme), seller: generateKeyPair(scheme) };
  const keys = { buyer: createPrivateKey(pairs.buyer.privatePem), seller: createPrivateKey(pairs.seller.privatePem) };
  const { publicPem: buyer } = pairs.buyer;
  const opened = await companion.ask({ scheme, buyer, seller: pairs.seller.publicPem });
  const { url } = opened as { readonly url: string };
  const sender = await OrderSender.open(url, CONNECTIONS);
  const signText = textSigner(scheme, keys);
  const spent: Spent = { elapsed: 0, server: 0, loop: 0, sender: 0 };
  for (let turn = 0; turn < warm + measured; turn++) {
    const orders = Array.from({ length: group }, (_, number) =>
      requestOf(turn * group + number, companion.ready.markets, signText),
    );
    if (turn < warm) await sender.sendAll(orders);
    else await sendTimed({ companion, sender, spent }, orders);
  }
  const { fills } = (await companion.ask('summary')) as Seen;
  const sent = (warm + measured) * group;
  if (fills !== sent) throw new Error(`exchange: expected every order to fill, found ${fills} fills`);
  sender.close();
  companion.stop();
  return figuresOf(measured * group, spent);
}

interface Timing {
  readonly companion: Companion<unknown>;
  readonly sender: OrderSender;
  /** The time of this group is added to it. */
  readonly spent: Spent;
}

async function sendTimed({ companion, sender, spent }: Timing, orders: readonly Buffer[]): Promise<void> {
  const { time: before } = (await companion.ask('summary')) as Seen;
  const senderBefore = processorTime();
  const begun = performance.now();
  await sender.sendAll(orders);
  spent.elapsed += (performance.now() - begun) * 1000;
  spent.sender += processorTimeBetween(senderBefore, processorTime()).all;
  const { time: after } = (await companion.ask('summary')) as Seen;
  const { all, loop } = processorTimeBetween(before, after);
  spent.server += all;
  spent.loop = loop === null || spent.loop === null ? null : spent.loop + loop;
}

/** The rate, and the processor time of server and sender for each order. */
function figuresOf(orders: number, { elapsed, server, loop, sender }: Spent): Figures {
  return {
    ordersPerSecond: (orders * 1_000_000) / elapsed,
    serverMicros: server / orders,
    ...(loop === null ? {} : { loopMicros: loop / orders }),
    senderMicros: sender / orders,
  };
}

export const exchangeOrders: Scenario = {
  name: 'exchange',
  what: 'signed orders into the local exchange, P-256',
  run: () => measureOrders('exchange', ECDSA),
};

export const exchangeOrdersRsa: Scenario = {
  name: 'exchange-rsa',
  what: 'the same, RSA of 2048 bits',
  run: () => measureOrders('exchange', RSA),
};

export const exchangeBare: Scenario = {
  name: 'exchange-bare',
  what: 'the same orders into a bare server that verifies on its event loop, P-256',
  run: () => measureOrders('bare-exchange', ECDSA),
};

export const exchangeBareRsa: Scenario = {
  name: 'exchange-rsa-bare',
  what: 'the same orders into a bare server that verifies on its event loop, RSA',
  run: () => measureOrders('bare-exchange', RSA),
};
