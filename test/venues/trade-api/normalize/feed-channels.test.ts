// All-market channels: granted, refused, ended, unsubscribed; and the effect of an unreadable message.
import { expect, it } from 'vitest';
import { AT, frameOf, normalizing } from './raw-input.ts';

const PRIVATE = { channels: ['fill', 'user_orders', 'market_positions'] };
const sent = (id: number, params: object) =>
  ({ type: 'feed-sent', at: AT, text: JSON.stringify({ id, cmd: 'subscribe', params }) }) as const;
const granted = (id: number, channel: string, sid: number) => ({ id, type: 'subscribed', msg: { channel, sid } });
const channelEvent = (channel: string, isUp: boolean) => ({ kind: 'feed-channel', at: AT, channel, isUp });

function subscribing() {
  const bot = normalizing();
  bot.normalize({ type: 'feed-up', at: AT, connection: 1 }, sent(1, PRIVATE));
  return bot;
}

it('reports each granted channel as up', () => {
  const { receive } = subscribing();
  expect(receive(granted(1, 'fill', 1), granted(1, 'user_orders', 2), granted(1, 'market_positions', 3))).toMatchObject(
    [channelEvent('fills', true), channelEvent('orders', true), channelEvent('positions', true)],
  );
});

it('reports each channel as down that a refused command had not yet been granted', () => {
  const { receive } = subscribing();
  receive(granted(1, 'user_orders', 1));
  expect(receive({ id: 1, type: 'error', msg: { code: 9, msg: 'Authentication required' } })).toMatchObject([
    { kind: 'unrecognized', what: 'feed error 9' },
    {
      ...channelEvent('fills', false),
      reason: expect.stringMatching(/^feed error 9: "Authentication required" \(the connection has no key/),
    },
    channelEvent('positions', false),
  ]);
  expect(receive({ id: 1, type: 'error', msg: { code: 9 } })).toHaveLength(1);
});

it('names the refused channels and markets of a command', () => {
  const { normalize, receive } = subscribing();
  const tickers = ['KX-A', 'KX-B', 'KX-C', 'KX-D', 'KX-E'];
  const params = { channels: ['orderbook_delta', 'trade'], market_tickers: tickers };
  normalize(sent(8, params));
  receive(granted(8, 'orderbook_delta', 4));
  expect(receive({ id: 8, type: 'error', msg: { code: 9, msg: 'not now' } })).toMatchObject([
    { kind: 'unrecognized', detail: expect.stringMatching(/\(prints of KX-A, KX-B, KX-C and 2 more\)$/) },
  ]);
});

it.each([
  ['ends by itself', { type: 'error', sid: 7, msg: { code: 25 } }],
  ['is unsubscribed', { type: 'unsubscribed', id: 4, sid: 7, seq: 1 }],
  ['cannot be read', { type: 'user_order', sid: 7, msg: { order_id: 'o' } }],
])('reports a channel as down that %s', (_how, message) => {
  const { receive } = subscribing();
  receive(granted(1, 'user_orders', 7));
  expect(receive(message).filter(({ kind }) => kind === 'feed-channel')).toMatchObject([channelEvent('orders', false)]);
});

it('reports no channel that names its markets: their books are reported one by one', () => {
  const { normalize } = subscribing();
  const events = normalize(
    sent(2, { channels: ['orderbook_delta', 'trade'], market_tickers: ['M-1'], use_yes_price: false }),
    frameOf(granted(2, 'orderbook_delta', 8)),
    frameOf(granted(2, 'trade', 9)),
    frameOf({ type: 'error', sid: 9, msg: { code: 25 } }),
  );
  expect(events.map(({ kind }) => kind)).toEqual(['feed-heard', 'feed-heard', 'unrecognized']);
});

it('forgets the channels of the previous connection', () => {
  const { normalize } = subscribing();
  const events = normalize(
    frameOf(granted(1, 'fill', 1)),
    { type: 'feed-down', at: AT, reason: 'cut' },
    { type: 'feed-up', at: AT, connection: 2 },
    frameOf({ type: 'error', sid: 1, msg: { code: 25 } }),
    frameOf({ id: 1, type: 'error', msg: { code: 9 } }),
  );
  expect(events.filter(({ kind }) => kind === 'feed-channel')).toMatchObject([channelEvent('fills', true)]);
});
