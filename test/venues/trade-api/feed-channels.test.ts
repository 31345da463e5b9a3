// Channels that follow everything: granted, refused, ended, given up; and what a message of theirs that cannot be read means.
import { expect, it } from 'vitest';
import { AT, frameOf, normalizing } from './input.ts';

const PRIVATE = { channels: ['fill', 'user_orders', 'market_positions'] };
const sent = (id: number, params: object) =>
  ({ type: 'feed-sent', at: AT, text: JSON.stringify({ id, cmd: 'subscribe', params }) }) as const;
const granted = (id: number, channel: string, sid: number) => ({ id, type: 'subscribed', msg: { channel, sid } });
const told = (channel: string, isUp: boolean) => ({ kind: 'feed-channel', at: AT, channel, isUp });

function asked() {
  const world = normalizing();
  world.tell({ type: 'feed-up', at: AT, connection: 1 }, sent(1, PRIVATE));
  return world;
}

it('tells of each channel that is granted', () => {
  const { hear } = asked();
  expect(hear(granted(1, 'fill', 1), granted(1, 'user_orders', 2), granted(1, 'market_positions', 3))).toMatchObject([
    told('fills', true),
    told('orders', true),
    told('positions', true),
  ]);
});

it('tells of a refusal for each channel that was not granted before it', () => {
  const { hear } = asked();
  hear(granted(1, 'user_orders', 1));
  expect(hear({ id: 1, type: 'error', msg: { code: 9, msg: 'Authentication required' } })).toMatchObject([
    { kind: 'unrecognized', what: 'feed error 9' },
    {
      ...told('fills', false),
      reason: expect.stringMatching(/^feed error 9: "Authentication required" \(the connection has no key/),
    },
    told('positions', false),
  ]);
  expect(hear({ id: 1, type: 'error', msg: { code: 9 } })).toHaveLength(1);
});

it.each([
  ['ends by itself', { type: 'error', sid: 7, msg: { code: 25 } }],
  ['is given up', { type: 'unsubscribed', id: 4, sid: 7, seq: 1 }],
  ['cannot be read', { type: 'user_order', sid: 7, msg: { order_id: 'o' } }],
])('tells of a channel that %s', (_how, message) => {
  const { hear } = asked();
  hear(granted(1, 'user_orders', 7));
  expect(hear(message).filter(({ kind }) => kind === 'feed-channel')).toMatchObject([told('orders', false)]);
});

it('tells nothing of channels that follow named markets: their books are told of one by one', () => {
  const { tell } = asked();
  const events = tell(
    sent(2, { channels: ['orderbook_delta', 'trade'], market_tickers: ['M-1'], use_yes_price: false }),
    frameOf(granted(2, 'orderbook_delta', 8)),
    frameOf(granted(2, 'trade', 9)),
    frameOf({ type: 'error', sid: 9, msg: { code: 25 } }),
  );
  expect(events.map(({ kind }) => kind)).toEqual(['feed-heard', 'feed-heard', 'unrecognized']);
});

it('knows nothing of the channels of the connection before', () => {
  const { tell } = asked();
  const events = tell(
    frameOf(granted(1, 'fill', 1)),
    { type: 'feed-down', at: AT, reason: 'cut' },
    { type: 'feed-up', at: AT, connection: 2 },
    frameOf({ type: 'error', sid: 1, msg: { code: 25 } }),
    frameOf({ id: 1, type: 'error', msg: { code: 9 } }),
  );
  expect(events.filter(({ kind }) => kind === 'feed-channel')).toMatchObject([told('fills', true)]);
});
