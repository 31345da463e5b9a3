// Signed orders per second at the local exchange over real sockets: four open connections, each with one request at a
// time, signatures made ahead. Every second order trades with the one before it.
import { type KeyObject, createPrivateKey, sign } from 'node:crypto';
import { Pool } from 'undici';
import { generateKeyPair } from '../../../src/venues/trade-api/signing/key-files.ts';
import { pathOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { startCompanion } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import type { Figures, Scenario } from '../scenario.ts';

const CONNECTIONS = 4;
const WARM_ORDERS = 4000;
const ORDERS = 10_000;

const { signing } = serviceProfile;
const PATH = pathOf(serviceProfile, 'createOrder');

type Account = 'buyer' | 'seller';

interface Prepared {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Order `number`, signed now. */
function prepare(number: number, markets: number, keys: Readonly<Record<Account, KeyObject>>): Prepared {
  const account: Account = number % 2 === 0 ? 'buyer' : 'seller';
  const timestamp = String(Date.now());
  const key = { key: keys[account], dsaEncoding: 'ieee-p1363' } as const;
  const { headers } = signing;
  return {
    headers: {
      'content-type': 'application/json',
      [headers.key]: account,
      [headers.timestamp]: timestamp,
      [headers.signature]: sign('sha256', Buffer.from(`${timestamp}POST${PATH}`), key).toString('base64'),
    },
    body: JSON.stringify({
      ticker: tickerOf(Math.floor(number / 2) % markets),
      client_order_id: `order-${number}`,
      side: 'yes',
      action: account === 'buyer' ? 'buy' : 'sell',
      type: 'limit',
      count: 1,
      yes_price: 50,
    }),
  };
}

/** Sends all orders as fast as the answers come; every one must be accepted. */
async function sendAll(pool: Pool, orders: readonly Prepared[]): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let order = orders[next++]; order; order = orders[next++]) {
      const answer = await pool.request({ method: 'POST', path: PATH, ...order });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(`exchange: expected 201, found ${answer.statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

export const exchangeOrders: Scenario = {
  name: 'exchange',
  what: 'signed orders into the local exchange over four connections',
  async run(): Promise<Figures> {
    const companion = await startCompanion<{ readonly markets: number }>('exchange');
    const pairs = { buyer: generateKeyPair(signing.scheme), seller: generateKeyPair(signing.scheme) };
    const keys = { buyer: createPrivateKey(pairs.buyer.privatePem), seller: createPrivateKey(pairs.seller.privatePem) };
    const ready = companion.ask({ buyer: pairs.buyer.publicPem, seller: pairs.seller.publicPem });
    const { url } = (await ready) as { readonly url: string };
    const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
    const batch = (from: number, count: number): Prepared[] =>
      Array.from({ length: count }, (_, number) => prepare(from + number, companion.ready.markets, keys));
    await sendAll(pool, batch(0, WARM_ORDERS));
    const orders = batch(WARM_ORDERS, ORDERS);
    const begun = performance.now();
    await sendAll(pool, orders);
    const elapsedMs = performance.now() - begun;
    const { fills } = (await companion.ask('summary')) as { readonly fills: number };
    if (fills !== WARM_ORDERS + ORDERS) throw new Error(`exchange: expected every order to fill, found ${fills} fills`);
    await pool.destroy();
    companion.stop();
    return { ordersPerSecond: (ORDERS * 1000) / elapsedMs };
  },
};
