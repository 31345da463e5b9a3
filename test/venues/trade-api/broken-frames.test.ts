// Frames that are broken, strange or new: each is counted or ends in a gap, and none stops those after it.
import { describe, expect, it } from 'vitest';
import { delta, frameOf, snapshot, subscribed } from './input.ts';

const GAP = 'feed-gap';

/** A frame, and what is told of it. */
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
    'a delta without its number',
    { type: 'orderbook_delta', sid: 1, msg: {} },
    [
      { kind: 'unrecognized', what: 'frame orderbook_delta without its number' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta with a number that is none',
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
    'a delta of a side that is none',
    delta(1, { side: 'maybe' }),
    [
      { kind: 'unrecognized', what: 'record orderbook_delta.side' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a delta of a market never heard of',
    delta(1, { market_ticker: 'M-77' }),
    [{ kind: 'unrecognized', what: 'market of orderbook_delta' }],
  ],
  [
    'a delta with a member that is new',
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
    'a snapshot with a level that is no pair',
    snapshot(1, { yes: [[42]] }),
    [{ kind: 'unrecognized' }, { kind: GAP, markets: [0] }],
  ],
  [
    'a snapshot with unknown lists in place of both sides',
    snapshot(1, { yes: undefined, no: undefined, bid: [[42, 3]], ask: [[45, 7]] }),
    [
      { kind: 'unrecognized', what: 'field orderbook_snapshot.bid' },
      { kind: 'unrecognized', what: 'field orderbook_snapshot.ask' },
      { kind: 'unrecognized', what: 'record orderbook_snapshot.yes' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a snapshot with an unknown record in place of one side',
    snapshot(1, { yes: undefined, bids: { 42: 3 } }),
    [
      { kind: 'unrecognized', what: 'field orderbook_snapshot.bids' },
      { kind: 'unrecognized', what: 'record orderbook_snapshot.yes' },
      { kind: GAP, markets: [0] },
    ],
  ],
  [
    'a snapshot of an empty book with a new member that is no list',
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
    // What was filled must be asked for: the private channels are no longer to be counted on.
    [
      { kind: 'unrecognized', what: 'record fill.order_id' },
      { kind: 'feed-channel', channel: 'fills', isUp: false },
    ],
  ],
  [
    'a ticker of a market never heard of',
    { type: 'ticker', sid: 3, msg: { market_ticker: 'X', volume: 0, open_interest: 0 } },
    [{ kind: 'unrecognized', what: 'market of ticker' }],
  ],
  [
    'a life in a word that is new',
    { type: 'market_lifecycle_v2', sid: 7, seq: 1, msg: { market_ticker: 'M-1', event_type: 'dreamt' } },
    [{ kind: 'unrecognized', what: 'record market_lifecycle_v2.event_type' }],
  ],
  [
    'a subscription to a channel that is new',
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
    'an error that ends some subscription',
    { type: 'error', msg: { code: 10, msg: 'Channel error' } },
    [
      { kind: 'unrecognized', what: 'feed error 10' },
      { kind: GAP, markets: [] },
    ],
  ],
];

describe('a broken frame', () => {
  it.each(BROKEN)('%s', (_what, message, expected) => {
    const events = subscribed(['M-1']).hear(message);
    expect(events).toHaveLength(expected.length);
    expect(events).toMatchObject(expected);
  });

  it('that ends a subscription ends its sequence too', () => {
    const { hear } = subscribed(['M-1']);
    hear(snapshot(1), { type: 'error', sid: 1, seq: 2, msg: { code: 10, msg: 'Channel error' } });
    hear({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(hear(snapshot(1))).toMatchObject([{ kind: 'book-snapshot' }]);
  });

  it('that is not UTF-8 is a gap in all', () => {
    const { tell } = subscribed(['M-1']);
    const frame = frameOf(delta(1));
    frame.bytes[20] = 0xff;
    expect(tell(frame)).toMatchObject([{ kind: 'unrecognized' }, { kind: GAP, markets: [] }]);
  });

  it('does not stop those after it', () => {
    const { hear } = subscribed(['M-1']);
    hear(snapshot(1), '{', delta(2, { price: 'x' }));
    expect(hear(delta(3))).toMatchObject([{ kind: 'book-delta' }]);
  });
});
