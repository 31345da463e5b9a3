// Broken, strange and new frames: each is counted or causes a gap, and none affects the frames after it.
import { describe, expect, it } from 'vitest';
import { delta, frameOf, snapshot, subscribed } from './raw-input.ts';

const GAP = 'feed-gap';

/** A frame, and the events it gives. */
const BROKEN: readonly (readonly [string, unknown, readonly object[]])[] = [
  [
    'not JSON',
    '{"type":',
    [
      { kind: 'unrecognized', what: 'frame is not JSON' },
      { kind: GAP, markets: [] },
    ],
  ],
  [
    'nothing',
    '',
    [
      { kind: 'unrecognized', what: 'frame is not JSON' },
      { kind: GAP, markets: [] },
    ],
  ],
  [
    'not a record',
    '[]',
    [
      { kind: 'unrecognized', what: 'frame (the whole)' },
      { kind: GAP, markets: [] },
    ],
  ],
  [
    'without a type',
    {},
    [
      { kind: 'unrecognized', what: 'frame type' },
      { kind: GAP, markets: [] },
    ],
  ],
  ['of an unknown type', { type: 'weather', msg: {} }, [{ kind: 'unrecognized', what: 'type weather' }]],
  [
    'a delta without a number',
    { type: 'orderbook_delta', sid: 1, msg: {} },
    [
      { kind: 'unrecognized', what: 'frame orderbook_delta without its number' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta with an invalid number',
    { ...delta(1), seq: 'x' },
    [
      { kind: 'unrecognized', what: 'frame seq' },
      { kind: GAP, markets: [] },
    ],
  ],
  [
    'a delta without a price',
    delta(1, { price: undefined }),
    [
      { kind: 'unrecognized', what: 'record orderbook_delta.price' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta above a dollar',
    delta(1, { price: 101 }),
    [
      { kind: 'unrecognized', what: 'record orderbook_delta.price' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta of half a contract',
    delta(1, { delta: 0.5 }),
    [
      { kind: 'unrecognized', what: 'record orderbook_delta.delta' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta of an invalid side',
    delta(1, { side: 'maybe' }),
    [
      { kind: 'unrecognized', what: 'record orderbook_delta.side' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta of an unknown market',
    delta(1, { market_ticker: 'M-77' }),
    [{ kind: 'unrecognized', what: 'market of orderbook_delta' }],
  ],
  [
    'a delta with an unknown member',
    delta(1, { flavor: 'sweet' }),
    [
      { kind: 'unrecognized', what: 'field orderbook_delta.flavor' },
      { kind: 'book-delta', price: 4200 },
    ],
  ],
  [
    'a snapshot with a negative count',
    snapshot(1, { yes: [[42, -1]] }),
    [
      { kind: 'unrecognized', what: 'record orderbook_snapshot.yes' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a snapshot with a level that is not a pair',
    snapshot(1, { yes: [[42]] }),
    [{ kind: 'unrecognized' }, { kind: GAP, markets: [0] }],
  ],
  [
    'a snapshot with unknown lists instead of both sides',
    snapshot(1, { yes: undefined, no: undefined, bid: [[42, 3]], ask: [[45, 7]] }),
    [
      { kind: 'unrecognized', what: 'field orderbook_snapshot.bid' },
      { kind: 'unrecognized', what: 'field orderbook_snapshot.ask' },
      { kind: 'unrecognized', what: 'record orderbook_snapshot.yes' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a snapshot with an unknown record instead of one side',
    snapshot(1, { yes: undefined, bids: { 42: 3 } }),
    [
      { kind: 'unrecognized', what: 'field orderbook_snapshot.bids' },
      { kind: 'unrecognized', what: 'record orderbook_snapshot.yes' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a snapshot of an empty book with a new member that is not a list',
    snapshot(1, { yes: undefined, no: undefined, ts_ms: 5, tags: [] }),
    [
      { kind: 'unrecognized', what: 'field orderbook_snapshot.ts_ms' },
      { kind: 'unrecognized', what: 'field orderbook_snapshot.tags' },
      { kind: 'book-snapshot', bids: [], asks: [] },
    ],
  ],
  [
    'a snapshot of both sides with a new list',
    snapshot(1, { history: [[42, 3]] }),
    [{ kind: 'unrecognized', what: 'field orderbook_snapshot.history' }, { kind: 'book-snapshot' }],
  ],
  [
    'a fill without a fee',
    { type: 'fill', sid: 3, msg: { trade_id: 't' } },
    // The fill must be read: the private channels are no longer reliable.
    [
      { kind: 'unrecognized', what: 'record fill.order_id' },
      { kind: 'feed-channel', channel: 'fills', isUp: false },
    ],
  ],
  [
    'a ticker of an unknown market',
    { type: 'ticker', sid: 3, msg: { market_ticker: 'X', volume: 0, open_interest: 0 } },
    [{ kind: 'unrecognized', what: 'market of ticker' }],
  ],
  [
    'a market life with an unknown word',
    { type: 'market_lifecycle_v2', sid: 7, seq: 1, msg: { market_ticker: 'M-1', event_type: 'dreamt' } },
    [{ kind: 'unrecognized', what: 'record market_lifecycle_v2.event_type' }],
  ],
  [
    'a subscription to an unknown channel',
    { type: 'subscribed', id: 3, msg: { channel: 'weather', sid: 9 } },
    [{ kind: 'unrecognized', what: 'record subscribed.channel' }],
  ],
  [
    'an error that ends nothing',
    { type: 'error', id: 3, msg: { code: 8, msg: 'Unknown channel name' } },
    [{ kind: 'unrecognized', what: 'feed error 8' }],
  ],
  [
    'an error that ends its subscription',
    { type: 'error', id: 0, sid: 1, seq: 1, msg: { code: 25, msg: 'Subscription buffer overflow' } },
    [
      { kind: 'unrecognized', what: 'feed error 25' },
      { kind: GAP, markets: [0], reason: 'feed error 25: "Subscription buffer overflow"' },
    ],
  ],
  [
    'an error that ends an unnamed subscription',
    { type: 'error', msg: { code: 10, msg: 'Channel error' } },
    [
      { kind: 'unrecognized', what: 'feed error 10' },
      { kind: GAP, markets: [] },
    ],
  ],
];

describe('a broken frame', () => {
  it.each(BROKEN)('reports the frame: %s', (_what, message, expected) => {
    const events = subscribed(['M-1']).receive(message);
    expect(events).toHaveLength(expected.length);
    expect(events).toMatchObject(expected);
  });

  it('ends the sequence of a subscription together with it', () => {
    const { receive } = subscribed(['M-1']);
    receive(snapshot(1), { type: 'error', sid: 1, seq: 2, msg: { code: 10, msg: 'Channel error' } });
    receive({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(receive(snapshot(1))).toMatchObject([{ kind: 'book-snapshot' }]);
  });

  it('reports a frame that is not UTF-8 as a gap of all markets', () => {
    const { normalize } = subscribed(['M-1']);
    const frame = frameOf(delta(1));
    frame.bytes[20] = 0xff;
    expect(normalize(frame)).toMatchObject([{ kind: 'unrecognized' }, { kind: GAP, markets: [] }]);
  });

  it('processes the frames after a broken one', () => {
    const { receive } = subscribed(['M-1']);
    receive(snapshot(1), '{', delta(2, { price: 'x' }));
    expect(receive(delta(3))).toMatchObject([{ kind: 'book-delta' }]);
  });
});
