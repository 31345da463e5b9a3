// Compares every answer of the local exchange to the official client, and every message of its feed, with the files
// that the venue published in June 2026. A table lists the differences with their reasons; a listed difference that no
// longer exists fails too.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { fromSeconds, price } from '../../src/domain/units.ts';
import { BareFeed } from '../exchange/api/bare-client.ts';
import { ACCOUNT_CALLS, CALLS, MARKET_CALLS } from './client-calls.ts';
import { DEVIATIONS } from './deviations.ts';
import { OfficialClient, EMPTY, SERIES, TRADED, outcomeOf } from './official-client.ts';
import { Referee, SPECS } from './schema-referee.ts';

const areSpecsAbsent = !existsSync(SPECS);
const skipReason = areSpecsAbsent ? ' (skipped: the published files beside the repository are absent)' : '';

/**
 * Types of messages that the feed sends in these tests. Order groups of other accounts and silent channels are not part
 * of them.
 */
const TYPES = [
  'error',
  'event_fee_update',
  'event_lifecycle',
  'fill',
  'market_lifecycle_v2',
  'market_position',
  'ok',
  'order_group_updates',
  'orderbook_delta',
  'orderbook_snapshot',
  'subscribed',
  'ticker',
  'trade',
  'unsubscribed',
  'user_order',
];

describe.skipIf(areSpecsAbsent)(`an answer of the local exchange${skipReason}`, () => {
  let client: OfficialClient;
  let referee: Referee;
  beforeAll(async () => {
    referee = new Referee();
    client = await (await OfficialClient.open()).withHistory();
  });
  afterAll(() => client.stop());

  it('is checked by a referee that finds planted faults', () => {
    const judge = new Referee();
    const level = ['0.4200', '13.00'];
    const book = { yes_dollars: [level], no_dollars: [['0.4000', 7]], extra: 1 };
    judge.checkAnswer({
      method: 'GET',
      path: `/markets/${TRADED}/orderbook`,
      status: 200,
      data: { orderbook_fp: book },
    });
    judge.checkAnswer({ method: 'GET', path: '/exchange/status', status: 200, data: { exchange_active: true } });
    judge.checkAnswer({ method: 'GET', path: '/exchange/status', status: 418, data: {} });
    // Some answers share one schema, which is defined elsewhere. An answer that is described without a body must have
    // none.
    judge.checkAnswer({ method: 'GET', path: '/portfolio/orders/x', status: 404, data: { code: 7 } });
    judge.checkAnswer({ method: 'GET', path: '/markets', status: 400, data: { msg: 'no' } });
    judge.checkMessage({ type: 'orderbook_delta', sid: 1, seq: 1, msg: { market_ticker: TRADED, side: 'both' } });
    judge.checkMessage({ type: 'nonsense' });
    expect([...judge.findings.keys()]).toEqual([
      'PriceLevelDollarsCountFp[]: type',
      'GET /markets/{ticker}/orderbook 200: orderbook_fp.extra is unknown',
      'ExchangeStatus: trading_active is missing',
      'GET /exchange/status: status 418 is not described',
      'ErrorResponse.code: type',
      'GET /markets 400: a body is not described',
      'orderbookDeltaPayload.msg: market_id is missing',
      'orderbookDeltaPayload.msg: price_dollars is missing',
      'orderbookDeltaPayload.msg: delta_fp is missing',
      'marketSide: enum "both"',
      'message nonsense: not described',
    ]);
  });

  it('is compared with the published file for every call', async () => {
    for (const { run } of CALLS) await outcomeOf(run(client));
    for (const seen of client.answers) referee.checkAnswer(seen);
    expect(referee.checked.answers).toBeGreaterThan(100);
  });

  it('is compared with the published file for every message of the feed', async () => {
    const feed = await BareFeed.connect(client.running.feedUrl, client.handshakeHeaders());
    const messages: unknown[] = [];
    feed.socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
    await streamAll(client, feed);
    feed.close();
    for (const message of messages) referee.checkMessage(message);
    expect([...referee.types].toSorted()).toEqual(TYPES);
  });

  it('is compared with the published file for markets and orders that have ended', async () => {
    const { answers } = referee.checked;
    for (const { run } of [...MARKET_CALLS, ...ACCOUNT_CALLS]) await outcomeOf(run(client));
    for (const seen of client.answers.slice(answers)) referee.checkAnswer(seen);
    expect(referee.checked.answers).toBeGreaterThan(answers);
  });

  it('differs from the published file only as the table says, and everywhere that the table says', () => {
    expect([...referee.findings.keys()].toSorted()).toEqual(Object.values(DEVIATIONS).flat().toSorted());
  });
});

const BOOKS = { channels: ['orderbook_delta'], market_tickers: [TRADED], use_yes_price: true };

/** Makes the feed send every type of message. */
async function streamAll(client: OfficialClient, feed: BareFeed): Promise<void> {
  const command = (cmd: string, params?: unknown) => feed.reply(feed.send(cmd, params));
  const book = await command('subscribe', BOOKS);
  const sid = (book.at('msg') as { sid: number }).sid;
  const others = ['trade', 'fill', 'market_positions', 'user_orders', 'market_lifecycle_v2', 'order_group_updates'];
  for (const channel of others) await command('subscribe', { channels: [channel] });
  await command('subscribe', { channels: ['ticker'], market_tickers: [TRADED, EMPTY], send_initial_snapshot: true });
  const markets = { sids: [sid], market_tickers: [EMPTY] };
  await command('update_subscription', { ...markets, action: 'add_markets' });
  await command('update_subscription', { ...markets, action: 'get_snapshot' });
  await command('update_subscription', { ...markets, action: 'delete_markets' });
  await command('list_subscriptions');
  for (const [cmd, params] of FAULTS) await command(cmd, params);
  await changeOrders(client);
  changeMarkets(client);
  await command('unsubscribe', { sids: [sid] });
  await command('list_subscriptions');
}

/** Commands that the feed refuses, each with its own code. */
const FAULTS: readonly (readonly [string, unknown?])[] = [
  ['subscribe'],
  ['subscribe', {}],
  ['unsubscribe', {}],
  ['nonsense', {}],
  ['unsubscribe', { sids: [999] }],
  ['subscribe', { channels: ['nonsense'] }],
  ['subscribe', { channels: ['orderbook_delta'] }],
  ['update_subscription', { sids: [1], market_tickers: [EMPTY] }],
  ['update_subscription', { sids: [1], market_tickers: [EMPTY], action: 'nonsense' }],
  ['update_subscription', { sids: [1, 2], market_tickers: [EMPTY], action: 'add_markets' }],
];

/** Places, changes, trades and cancels orders, in an order group. */
async function changeOrders(client: OfficialClient): Promise<void> {
  const { data } = await client.groups.createOrderGroup({ contracts_limit: 100 });
  const group = data.order_group_id;
  const resting = await client.placeOrder({ ticker: TRADED, price: '0.4300', order_group_id: group });
  client.placeRivalOrder(TRADED, 'sell', { price: 43, count: 4 });
  await client.orders.amendOrderV2(resting, { ticker: TRADED, side: 'bid', price: '0.4400', count: '9.00' });
  await client.orders.decreaseOrderV2(resting, { reduce_to: '2.00' });
  await client.groups.updateOrderGroupLimit(group, { contracts_limit: 90 });
  await client.groups.triggerOrderGroup(group);
  await client.groups.resetOrderGroup(group);
  await client.groups.deleteOrderGroup(group);
}

/** Lists a group and a market, changes fees and a price grid, and takes a market to its settlement. */
function changeMarkets(client: OfficialClient): void {
  const group = {
    ticker: eventTicker('KXRAIN-27'),
    seriesTicker: seriesTicker(SERIES),
    title: 'Rain in 27',
    subtitle: 'In 27',
  };
  client.submitOperation({ type: 'define-group', group: { ...group, isExclusive: false } });
  const { definition } = must(client.running.exchange.market(ticker(TRADED)), TRADED);
  const next = ticker('KXRAIN-27-A');
  client.submitOperation({ type: 'define-market', market: { ...definition, ticker: next, eventTicker: group.ticker } });
  const fees = { feeType: 'quadratic', feeMultiplierPercent: 50 } as const;
  client.submitOperation({ type: 'set-fees', eventTicker: group.ticker, fees });
  client.submitOperation({ type: 'set-fees', eventTicker: group.ticker, fees: null });
  const gridRanges = [{ start: price(0), end: price(10_000), step: 10 }];
  client.submitOperation({ type: 'set-grid', ticker: next, gridName: 'deci_cent', gridRanges });
  const market = ticker(TRADED);
  client.submitOperation({ type: 'halt', ticker: market });
  client.submitOperation({ type: 'resume', ticker: market });
  client.submitOperation({
    type: 'move-close',
    ticker: market,
    closeAt: fromSeconds(Math.floor(Date.now() / 1000) + 7200),
  });
  client.submitOperation({ type: 'close', ticker: market });
  client.submitOperation({ type: 'determine', ticker: market, result: 'no', settlementValue: null });
  client.submitOperation({ type: 'settle', ticker: market });
}
