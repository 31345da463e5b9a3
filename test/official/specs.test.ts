// Compares every answer of the local exchange to the official client, and every message of its feed, with the files
// that the venue published in June 2026. A table lists the differences with their reasons; a listed difference that no
// longer exists fails too.
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { eventTicker, seriesTicker, ticker } from '../../src/domain/ids.ts';
import { fromSeconds, price } from '../../src/domain/units.ts';
import { BareFeed } from '../exchange/api/bare-client.ts';
import { ACCOUNT_CALLS, CALLS, MARKET_CALLS } from './calls.ts';
import { DEVIATIONS } from './deviations.ts';
import { Desk, EMPTY, SERIES, TRADED, outcomeOf } from './desk.ts';
import { Referee, SPECS } from './referee.ts';

const isAbsent = !existsSync(SPECS);
const why = isAbsent ? ' (skipped: the published files beside the repository are absent)' : '';

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

describe.skipIf(isAbsent)(`an answer of the local exchange${why}`, () => {
  let desk: Desk;
  let referee: Referee;
  beforeAll(async () => {
    referee = new Referee();
    desk = await (await Desk.open()).live();
  });
  afterAll(() => desk.stop());

  it('is checked by a referee that finds planted faults', () => {
    const judge = new Referee();
    const level = ['0.4200', '13.00'];
    const book = { yes_dollars: [level], no_dollars: [['0.4000', 7]], extra: 1 };
    judge.answer({ method: 'GET', path: `/markets/${TRADED}/orderbook`, status: 200, data: { orderbook_fp: book } });
    judge.answer({ method: 'GET', path: '/exchange/status', status: 200, data: { exchange_active: true } });
    judge.answer({ method: 'GET', path: '/exchange/status', status: 418, data: {} });
    // Some answers share one schema, which is defined elsewhere. An answer that is described without a body must have
    // none.
    judge.answer({ method: 'GET', path: '/portfolio/orders/x', status: 404, data: { code: 7 } });
    judge.answer({ method: 'GET', path: '/markets', status: 400, data: { msg: 'no' } });
    judge.message({ type: 'orderbook_delta', sid: 1, seq: 1, msg: { market_ticker: TRADED, side: 'both' } });
    judge.message({ type: 'nonsense' });
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
    for (const { run } of CALLS) await outcomeOf(run(desk));
    for (const seen of desk.seen) referee.answer(seen);
    expect(referee.judged.answers).toBeGreaterThan(100);
  });

  it('is compared with the published file for every message of the feed', async () => {
    const feed = await BareFeed.connect(desk.running.feedUrl, desk.handshake());
    const messages: unknown[] = [];
    feed.socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
    await streamed(desk, feed);
    feed.close();
    for (const message of messages) referee.message(message);
    expect([...referee.types].toSorted()).toEqual(TYPES);
  });

  it('is compared with the published file for markets and orders that have ended', async () => {
    const { answers } = referee.judged;
    for (const { run } of [...MARKET_CALLS, ...ACCOUNT_CALLS]) await outcomeOf(run(desk));
    for (const seen of desk.seen.slice(answers)) referee.answer(seen);
    expect(referee.judged.answers).toBeGreaterThan(answers);
  });

  it('differs from the published file only as the table says, and everywhere that the table says', () => {
    expect([...referee.findings.keys()].toSorted()).toEqual(Object.values(DEVIATIONS).flat().toSorted());
  });
});

const BOOKS = { channels: ['orderbook_delta'], market_tickers: [TRADED], use_yes_price: true };

/** Makes the feed send every type of message. */
async function streamed(desk: Desk, feed: BareFeed): Promise<void> {
  const said = (cmd: string, params?: unknown) => feed.reply(feed.send(cmd, params));
  const book = await said('subscribe', BOOKS);
  const sid = (book.at('msg') as { sid: number }).sid;
  const others = ['trade', 'fill', 'market_positions', 'user_orders', 'market_lifecycle_v2', 'order_group_updates'];
  for (const channel of others) await said('subscribe', { channels: [channel] });
  await said('subscribe', { channels: ['ticker'], market_tickers: [TRADED, EMPTY], send_initial_snapshot: true });
  const markets = { sids: [sid], market_tickers: [EMPTY] };
  await said('update_subscription', { ...markets, action: 'add_markets' });
  await said('update_subscription', { ...markets, action: 'get_snapshot' });
  await said('update_subscription', { ...markets, action: 'delete_markets' });
  await said('list_subscriptions');
  for (const [cmd, params] of FAULTS) await said(cmd, params);
  await traded(desk);
  lived(desk);
  await said('unsubscribe', { sids: [sid] });
  await said('list_subscriptions');
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
async function traded(desk: Desk): Promise<void> {
  const { data } = await desk.groups.createOrderGroup({ contracts_limit: 100 });
  const group = data.order_group_id;
  const resting = await desk.placed({ ticker: TRADED, price: '0.4300', order_group_id: group });
  desk.rival(TRADED, 'sell', { price: 43, count: 4 });
  await desk.orders.amendOrderV2(resting, { ticker: TRADED, side: 'bid', price: '0.4400', count: '9.00' });
  await desk.orders.decreaseOrderV2(resting, { reduce_to: '2.00' });
  await desk.groups.updateOrderGroupLimit(group, { contracts_limit: 90 });
  await desk.groups.triggerOrderGroup(group);
  await desk.groups.resetOrderGroup(group);
  await desk.groups.deleteOrderGroup(group);
}

/** Lists a group and a market, changes fees and a price grid, and takes a market to its settlement. */
function lived(desk: Desk): void {
  const group = {
    ticker: eventTicker('KXRAIN-27'),
    seriesTicker: seriesTicker(SERIES),
    title: 'Rain in 27',
    subtitle: 'In 27',
  };
  desk.submit({ type: 'define-group', group: { ...group, isExclusive: false } });
  const { definition } = must(desk.running.exchange.market(ticker(TRADED)), TRADED);
  const next = ticker('KXRAIN-27-A');
  desk.submit({ type: 'define-market', market: { ...definition, ticker: next, eventTicker: group.ticker } });
  const fees = { feeType: 'quadratic', feeMultiplierPercent: 50 } as const;
  desk.submit({ type: 'set-fees', eventTicker: group.ticker, fees });
  desk.submit({ type: 'set-fees', eventTicker: group.ticker, fees: null });
  const gridRanges = [{ start: price(0), end: price(10_000), step: 10 }];
  desk.submit({ type: 'set-grid', ticker: next, gridName: 'deci_cent', gridRanges });
  const market = ticker(TRADED);
  desk.submit({ type: 'halt', ticker: market });
  desk.submit({ type: 'resume', ticker: market });
  desk.submit({ type: 'move-close', ticker: market, closeAt: fromSeconds(Math.floor(Date.now() / 1000) + 7200) });
  desk.submit({ type: 'close', ticker: market });
  desk.submit({ type: 'determine', ticker: market, result: 'no', settlementValue: null });
  desk.submit({ type: 'settle', ticker: market });
}
