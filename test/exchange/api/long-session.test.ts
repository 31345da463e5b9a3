// A random session over real sockets: a client's own accounts from wire messages, compared with the exchange's ledger;
// and the same exchange restarted on its folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constantFrom, nat, record, sample } from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { LedgerView } from '../../../src/exchange/machine/exchange-output.ts';
import { NO_FAULTS } from '../../../src/exchange/faults/fault-injector.ts';
import type { BareFeed } from './bare-client.ts';
import type { JsonAnswer } from './json-answer.ts';
import { type Name, type TestServer, startTestServer } from './test-server.ts';
import { WireBooks } from '../feed/wire-book.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const NAMES = ['ann', 'bob', 'cat'] as const;
const TICKERS = ['RAIN-26-A', 'CITY-36-X'] as const;

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Converts dollars with six decimals to millionths. */
const millionths = (text: string): number => Number(text.replace('.', ''));

/** The balances of every account in the ledger. */
const moneyOf = ({ accounts }: LedgerView): [string, number, number][] =>
  accounts.map(({ account, cash, reserved }) => [account, cash, reserved]);

function expectConserved({ accounts, house, locked, deposited }: LedgerView): void {
  const cash = accounts.reduce((sum, account) => sum + account.cash, 0);
  expect(cash + house + locked).toBe(deposited);
}

interface Step {
  readonly name: Name;
  readonly what: 'place' | 'cancel' | 'amend' | 'decrease' | 'batch';
  readonly number: number;
}

const steps = sample(
  record({
    name: constantFrom(...NAMES),
    what: constantFrom('place', 'place', 'place', 'place', 'cancel', 'amend', 'decrease', 'batch'),
    number: nat(10_000),
  }),
  { numRuns: runCount(250), seed: 20_261_121 },
) as Step[];

const TIMES = ['good_till_canceled', 'good_till_canceled', 'immediate_or_cancel', 'fill_or_kill'] as const;

const termsOf = (number: number): Record<string, unknown> => ({
  ticker: TICKERS[number % 2],
  ...(number % 3 === 0
    ? { side: 'no', yes_price: undefined, no_price: 44 + (number % 13) }
    : { yes_price: 44 + (number % 13) }),
  action: number % 5 < 2 ? 'sell' : 'buy',
  count: 1 + (number % 9),
  time_in_force: TIMES[number % 4],
});

async function take(venue: TestServer, { name, what, number }: Step): Promise<number> {
  if (what === 'place') return (await venue.placeOrder(name, termsOf(number))).status;
  if (what === 'batch') {
    const orders = [number, number + 1, number + 2].map((each) => ({ side: 'yes', type: 'limit', ...termsOf(each) }));
    return (await venue.requestAs(name, 'POST /portfolio/orders/batched', { orders })).status;
  }
  const resting = venue.running.exchange.restingOrders(name);
  const order = resting[number % Math.max(1, resting.length)];
  const path = `/portfolio/orders/${order?.orderId ?? '00000000-0000-8000-8000-000000000000'}`;
  if (what === 'cancel') return (await venue.requestAs(name, `DELETE ${path}`)).status;
  if (what === 'decrease') return (await venue.requestAs(name, `POST ${path}/decrease`, { reduce_by: 1 })).status;
  const terms = { ticker: order?.ticker ?? TICKERS[0], side: 'yes', action: order?.side ?? 'buy' };
  const count = (order?.filledQty ?? 0) / 100 + 1 + (number % 6);
  return (await venue.requestAs(name, `POST ${path}/amend`, { ...terms, count, yes_price: 45 + (number % 11) })).status;
}

/** An account's positions and money, derived from its fills on the feed. */
function accountFrom(fills: readonly JsonAnswer[]): {
  positions: Record<string, number>;
  cash: number;
  ids: Set<string>;
} {
  const positions: Record<string, number> = {};
  const ids = new Set<string>();
  let cash = 1000_000_000;
  for (const fill of fills) {
    ids.add(`${fill.text('msg.trade_id')} ${fill.text('msg.order_id')}`);
    const isBuy = (fill.at('msg.side') === 'yes') === (fill.at('msg.action') === 'buy');
    const ticker = fill.text('msg.market_ticker');
    const [count, cents] = [fill.number('msg.count'), fill.number('msg.yes_price')];
    const held = positions[ticker] ?? 0;
    positions[ticker] = held + (isBuy ? count : -count);
    // Pairs are redeemed as they arise: a closing quantity is paid by the redemption, an opening one costs its price.
    const closed = Math.min(count, Math.max(0, isBuy ? -held : held));
    const price = isBuy ? cents : 100 - cents;
    cash += (closed * (100 - price) - (count - closed) * price) * 10_000 - millionths(fill.text('msg.fee_cost'));
  }
  return { positions, cash, ids };
}

async function listen(venue: TestServer, name: Name): Promise<BareFeed> {
  const feed = await venue.openFeed(name);
  await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_tickers: TICKERS }));
  await feed.reply(feed.send('subscribe', { channels: ['fill', 'user_orders', 'market_positions', 'trade'] }));
  return feed;
}

describe('a random session over the wire', () => {
  it('ends with every client’s own accounts equal to the ledger, which balances', async () => {
    const venue = await startTestServer();
    const feeds = await Promise.all(NAMES.map((name) => listen(venue, name)));
    const statuses: number[] = [];
    for (let i = 0; i < steps.length; i += 3)
      statuses.push(...(await Promise.all(steps.slice(i, i + 3).map((step) => take(venue, step)))));
    expect(statuses.filter((status) => ![200, 201, 400, 404, 409].includes(status))).toEqual([]);
    for (const feed of feeds) await feed.reply(feed.send('list_subscriptions'));
    const ledger = venue.running.ledger();
    expectConserved(ledger);
    for (const [index, name] of NAMES.entries()) {
      const feed = feeds[index]!;
      const own = accountFrom(feed.ofType('fill'));
      const truth = ledger.accounts.find(({ account }) => account === name)!;
      expect(own.cash).toBe(truth.cash);
      expect(own.ids.size).toBe(feed.ofType('fill').length);
      for (const { ticker, qty } of truth.positions) expect(own.positions[ticker] ?? 0).toBe(qty / 100);
      const balance = await venue.requestAs(name, 'GET /portfolio/balance');
      expect(millionths(balance.body.text('balance_dollars'))).toBe(truth.cash - truth.reserved);
      const books = new WireBooks(1);
      for (const message of feed.messages) books.applyMessage(message);
      for (const ticker of TICKERS)
        expect(books.bookOf(ticker).toRest()).toEqual(
          (await venue.request(`GET /markets/${ticker}/orderbook`)).body.value,
        );
    }
    expect(feeds[0]!.ofType('trade').length).toBeGreaterThan(20);
    expect(venue.running.summary()).toMatchObject({ prints: feeds[0]!.ofType('trade').length, feeds: 3 });
  });

  it('continues where it stopped when it is restarted on its folder', async () => {
    const extra = `dataFolder: ${newFolder()}`;
    const first = await startTestServer({ extra });
    for (const step of steps.slice(0, 60)) await take(first, step);
    const resting = await first.requestAs('ann', 'GET /portfolio/orders?status=resting');
    const fills = await first.requestAs('ann', 'GET /portfolio/fills');
    const before = first.running.ledger();
    await first.running.stop();
    const second = await startTestServer({ extra });
    expect(second.running.ledger()).toEqual(before);
    expect(moneyOf(before).some(([, cash]) => cash !== 1000_000_000)).toBe(true);
    expect((await second.requestAs('ann', 'GET /portfolio/orders?status=resting')).text).toBe(resting.text);
    expect((await second.requestAs('ann', 'GET /portfolio/fills')).text).toBe(fills.text);
    const placed = await second.placeOrder('ann', { client_order_id: 'after', yes_price: 1 });
    expect(placed.status).toBe(201);
    expect((await second.placeOrder('ann', { client_order_id: 'after' })).status).toBe(409);
    expectConserved(second.running.ledger());
  });

  it('has an order on disk before it answers', async () => {
    const folder = newFolder();
    const first = await startTestServer({ extra: `dataFolder: ${folder}` });
    const placed = await first.placeOrder('ann', { client_order_id: 'kept', yes_price: 10 });
    // Not stopped, as if the process had been killed: a second one opens the same folder.
    const second = await startTestServer({ extra: `dataFolder: ${folder}` });
    const found = await second.requestAs('ann', `GET /portfolio/orders/${placed.body.text('order.order_id')}`);
    expect(found.body.at('order.client_order_id')).toBe('kept');
  });

  it('reports every trade of its flow on the feed', async () => {
    const venue = await startTestServer({ isLively: true });
    const feed = await venue.openFeed(null);
    await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta', 'trade'], market_ticker: TICKERS[0] }));
    await feed.until(() => feed.ofType('trade').length >= 3 && feed.ofType('orderbook_delta').length >= 50);
    const books = new WireBooks(1);
    for (const message of feed.messages) books.applyMessage(message);
    expect(books.bookOf(TICKERS[0]).bids.size).toBeGreaterThan(0);
    expectConserved(venue.running.ledger());
  });
});

describe('injected faults', () => {
  it('drop an answer after the order is accepted, lose a request, lose a message, and cut the feed, all through one seam', async () => {
    const plan: ('drop' | 'lose' | 'none')[] = ['drop', 'lose'];
    const venue = await startTestServer({
      faults: {
        ...NO_FAULTS,
        onRequest({ execute, send }) {
          const what = plan.shift() ?? 'none';
          if (what === 'drop') execute();
          send(what === 'none' ? execute() : null);
        },
        onFrame({ text, send, terminate }) {
          if (text.includes('"seq":4,')) terminate();
          else if (!text.includes('"seq":2,')) send(text);
        },
      },
    });
    const feed = await venue.openFeed('ann');
    await feed.reply(feed.send('subscribe', { channels: ['orderbook_delta'], market_ticker: TICKERS[0] }));
    await expect(venue.placeOrder('ann', { client_order_id: 'in' })).rejects.toThrow('fetch failed');
    await expect(venue.placeOrder('ann', { client_order_id: 'out' })).rejects.toThrow('fetch failed');
    expect((await venue.placeOrder('ann', { client_order_id: 'in' })).status).toBe(409);
    expect((await venue.placeOrder('ann', { client_order_id: 'out' })).status).toBe(201);
    await feed.reply(feed.send('list_subscriptions'));
    expect(feed.messages.map((message) => message.at('seq')).filter((seq) => seq !== undefined)).toEqual([1, 3]);
    await venue.placeOrder('ann');
    expect((await feed.closing()).code).toBe(1006);
  });
});
