// The feed of the kalshi dialect, message by message: the commands sent, and the meaning of each word for the bot.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID, priceGrid } from '../../../../src/domain/price-grid.ts';
import { price } from '../../../../src/domain/units.ts';
import { FeedCommandEncoder } from '../../../../src/venues/trade-api/feed/feed-command-encoder.ts';
import type { NumberedCommand } from '../../../../src/venues/trade-api/feed/subscription-command.ts';
import { SubscriptionPlan } from '../../../../src/venues/trade-api/feed/subscription-plan.ts';
import { gridByName } from '../../../../src/venues/trade-api/normalize/grids-by-name.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { AT, KALSHI_ORDER, frameOf, normalizing } from '../normalize/raw-input.ts';

const sent = (id: number, cmd: string, params: object) =>
  ({ type: 'feed-sent', at: AT, text: JSON.stringify({ id, cmd, params }) }) as const;

/** A normalizer of the dialect with two markets, subscribed as sid 1. */
function subscribedBot(markets: readonly string[] = ['M-1', 'M-2']) {
  const bot = normalizing(kalshiProfile);
  for (const market of markets) bot.tickers.internTicker(ticker(market));
  const params = { channels: ['orderbook_delta'], market_tickers: markets, use_yes_price: true };
  bot.normalize(
    { type: 'feed-up', at: AT, connection: 1 },
    sent(1, 'subscribe', params),
    frameOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }),
  );
  return bot;
}

const BOOK = { yes_dollars_fp: [['0.4700', '3.00']], no_dollars_fp: [['0.5200', '2.00']] };
const snapshot = (seq: number | undefined, market = 'M-1', more: object = {}) => ({
  ...more,
  type: 'orderbook_snapshot',
  sid: 1,
  seq,
  msg: { market_ticker: market, market_id: '0f', ...BOOK },
});
const delta = (seq: number, market = 'M-1') => ({
  type: 'orderbook_delta',
  sid: 1,
  seq,
  msg: { market_ticker: market, market_id: '0f', price_dollars: '0.4700', delta_fp: '1.00', side: 'yes', ts_ms: 1 },
});
const kindsOf = (events: readonly { readonly kind: string }[]): string[] => events.map(({ kind }) => kind);

describe('commands', () => {
  const texts = new FeedCommandEncoder(kalshiProfile);

  it('asks for the YES scale with every subscription to books, and with no other', () => {
    const of = (channels: readonly ('book' | 'prints' | 'ticker')[]): unknown =>
      JSON.parse(texts.encodeCommand({ id: 1, command: { kind: 'subscribe', channels, tickers: [ticker('M-1')] } }));
    expect(of(['book'])).toMatchObject({ params: { channels: ['orderbook_delta'], use_yes_price: true } });
    expect(of(['book', 'ticker', 'prints'])).toMatchObject({ params: { use_yes_price: true } });
    expect(of(['prints'])).toEqual({
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['trade'], market_tickers: ['M-1'] },
    });
  });
});

describe('private channels', () => {
  const TRIO = { kind: 'subscribe', channels: ['fills', 'orders', 'positions'], tickers: null };
  const GROUPS = { kind: 'subscribe', channels: ['groups'], tickers: null };
  const drain = (plan: SubscriptionPlan): NumberedCommand[] => {
    const all: NumberedCommand[] = [];
    for (let sent = plan.takeNextCommand(); sent !== null; sent = plan.takeNextCommand()) all.push(sent);
    return all;
  };
  const connected = (): SubscriptionPlan => {
    const plan = new SubscriptionPlan({ feed: kalshiProfile.feed, hasKey: true, tickersPerCommand: 10 });
    plan.connect();
    return plan;
  };

  it('subscribes to private channels in one command and to order groups in another, so that a refusal affects no others', () => {
    const plan = connected();
    const sent = drain(plan);
    expect(sent.map(({ command }) => command)).toEqual([
      TRIO,
      GROUPS,
      { kind: 'subscribe', channels: ['lifecycle'], tickers: null },
    ]);
    plan.applyReply({ kind: 'refused', id: sent[1]!.id, sid: null, code: 8, tickers: [] });
    expect(plan.hasNext).toBe(false);
  });

  it('renews all private channels together', () => {
    const plan = connected();
    let sid = 0;
    for (const { id, command } of drain(plan))
      for (const channel of command.kind === 'subscribe' ? command.channels : [])
        plan.applyReply({ kind: 'subscribed', id, channel, sid: (sid += 1) });
    plan.resubscribePrivate();
    expect(drain(plan).map(({ command }) => command)).toEqual([
      ...[1, 2, 3, 4].map((sid) => ({ kind: 'unsubscribe', sid })),
      TRIO,
      GROUPS,
    ]);
  });
});

describe('an own order whose status the venue does not know', () => {
  const { action: _action, type: _type, no_price_dollars: _price, ...order } = KALSHI_ORDER;
  const received = (more: object) =>
    subscribedBot().receive({ type: 'user_order', sid: 4, msg: { ...order, ...more } });

  it.each([
    { left: '7.00', filled: '3.00', status: 'working' },
    { left: '0.00', filled: '10.00', status: 'filled' },
    { left: '0.00', filled: '3.00', status: 'canceled' },
    { left: '0.00', filled: '0.00', status: 'canceled' },
  ])('has the status of its quantities: $filled traded and $left left', ({ left, filled, status }) => {
    const events = received({ status: 'unknown', fill_count_fp: filled, remaining_count_fp: left });
    expect(events).toMatchObject([{ kind: 'order-updated', order: { status } }]);
  });

  it('has it for any other word, too, which is reported', () => {
    expect(received({ status: 'asleep' })).toMatchObject([
      { kind: 'unrecognized', detail: expect.stringContaining('asleep') },
      { kind: 'order-updated', order: { status: 'working' } },
    ]);
  });
});

describe('a requested snapshot', () => {
  const requesting = (...markets: readonly string[]) => {
    const bot = subscribedBot();
    bot.receive(snapshot(1), snapshot(2, 'M-2'), delta(3));
    bot.normalize(sent(5, 'update_subscription', { sid: 1, market_tickers: markets, action: 'get_snapshot' }));
    return bot;
  };

  it('accepts a requested snapshot within the sequence', () => {
    const { receive } = requesting('M-1');
    expect(kindsOf(receive(snapshot(4, 'M-1', { id: 5 }), delta(5)))).toEqual(['book-snapshot', 'book-delta']);
  });

  it.each([
    ['an old number', 3],
    ['a number of its own', 0],
    ['no number', undefined],
  ])('accepts a requested snapshot with %s: the sequence continues, and every book stays valid', (_what, seq) => {
    const { receive } = requesting('M-1', 'M-2');
    const answers = [snapshot(seq, 'M-1', { id: 5 }), snapshot(seq, 'M-2', { id: 5 })];
    expect(kindsOf(receive(...answers, delta(4), delta(5)))).toEqual([
      'book-snapshot',
      'book-snapshot',
      'book-delta',
      'book-delta',
    ]);
  });

  it('accepts requested snapshots that restart the sequence', () => {
    const { receive } = requesting('M-1', 'M-2');
    const answers = [snapshot(1, 'M-1', { id: 5 }), snapshot(2, 'M-2', { id: 5 })];
    expect(kindsOf(receive(...answers, delta(3), delta(4)))).not.toContain('feed-gap');
  });

  it('reports a gap before a requested snapshot with a later number', () => {
    const { receive } = requesting('M-1');
    expect(receive(snapshot(5, 'M-1', { id: 5 }), delta(6))).toMatchObject([
      { kind: 'feed-gap', markets: [0, 1] },
      { kind: 'book-snapshot', market: 0 },
      { kind: 'book-delta' },
    ]);
  });

  it('drops a requested snapshot with an earlier number after a gap: it may predate the lost messages', () => {
    const { receive } = requesting('M-1');
    expect(kindsOf(receive(delta(5), snapshot(4, 'M-1', { id: 5 })))).not.toContain('book-snapshot');
  });

  it('treats a repeated snapshot as a break of the sequence', () => {
    const { receive } = requesting('M-1');
    const answer = snapshot(4, 'M-1', { id: 5 });
    expect(kindsOf(receive(answer, delta(5), answer))).toEqual(['book-snapshot', 'book-delta', 'feed-gap']);
  });

  it.each([
    ['another command', { id: 6 }, 'M-1'],
    ['a market that was not asked for', { id: 5 }, 'M-2'],
    ['no command', {}, 'M-1'],
  ])('does not accept a snapshot outside the sequence that answers %s', (_what, more, market) => {
    const { receive } = requesting('M-1');
    expect(kindsOf(receive(snapshot(2, market, more)))).toEqual(['feed-gap']);
  });

  it('waits for a requested snapshot, whatever else answers the command', () => {
    const { receive } = requesting('M-1');
    const acknowledged = { type: 'ok', id: 5, sid: 1, seq: 4, msg: { market_tickers: ['M-1', 'M-2'] } };
    expect(kindsOf(receive(acknowledged, snapshot(2, 'M-1', { id: 5 }), delta(5)))).toEqual([
      'feed-heard',
      'book-snapshot',
      'book-delta',
    ]);
  });
});

describe('order groups', () => {
  const groupFrame = (seq: number, msg: object) => ({ type: 'order_group_updates', sid: 9, seq, msg });
  const subscribedToGroups = () => {
    const bot = subscribedBot();
    bot.normalize(sent(2, 'subscribe', { channels: ['order_group_updates'] }));
    bot.receive({ type: 'subscribed', id: 2, msg: { channel: 'order_group_updates', sid: 9 } });
    return bot;
  };

  it('halts the account when an order group is triggered', () => {
    const { receive } = subscribedToGroups();
    const msg = { event_type: 'triggered', order_group_id: 'g-1', contracts_limit_fp: '40.00', ts_ms: 1 };
    expect(receive(groupFrame(1, msg))).toEqual([
      {
        kind: 'operator',
        at: AT,
        order: {
          type: 'halt',
          scope: { type: 'account' },
          by: 'risk',
          reason: 'the venue canceled the orders of order group "g-1": 40.00 contracts traded at once',
        },
      },
    ]);
    expect(receive(groupFrame(2, { ...msg, contracts_limit_fp: undefined }))).toMatchObject([
      { order: { reason: expect.stringContaining('more contracts than its limit') } },
    ]);
  });

  it.each(['created', 'reset', 'deleted', 'limit_updated'])('does nothing when an order group is %s', (word) => {
    const { receive } = subscribedToGroups();
    const msg = { event_type: word, order_group_id: 'g-1', contracts_limit_fp: '40.00', ts_ms: 1 };
    expect(receive(groupFrame(1, msg))).toEqual([{ kind: 'feed-heard', at: AT }]);
  });

  it('reports lost and unreadable messages of order groups, and no gap: the groups work regardless', () => {
    const { receive } = subscribedToGroups();
    const msg = { event_type: 'created', order_group_id: 'g-1', ts_ms: 1 };
    expect(receive(groupFrame(2, msg))).toMatchObject([
      { kind: 'unrecognized', what: 'gap groups' },
      { kind: 'feed-heard' },
    ]);
    expect(receive(groupFrame(3, { ...msg, event_type: 'melted' }))).toMatchObject([
      { kind: 'unrecognized', what: 'record order_group_updates.event_type' },
      { kind: 'feed-heard' },
    ]);
  });
});

describe('errors', () => {
  it('says in words that the venue does not accept the key', () => {
    const { receive } = subscribedBot();
    expect(receive({ type: 'error', msg: { code: 9, msg: 'Authentication required' } })).toMatchObject([
      {
        kind: 'unrecognized',
        what: 'feed error 9',
        detail: expect.stringContaining('check its id, its file and its env'),
      },
    ]);
  });

  it.each([10, 25])('ends the subscription on error %d, with a gap for each of its books', (code) => {
    const { receive } = subscribedBot();
    receive(snapshot(1), snapshot(2, 'M-2'));
    expect(receive({ type: 'error', id: 0, sid: 1, msg: { code, msg: 'over' } })).toMatchObject([
      { kind: 'unrecognized', what: `feed error ${code}` },
      { kind: 'feed-gap', markets: [0, 1] },
    ]);
  });
});

describe('a snapshot', () => {
  const LEVELS = [['0.4700', '3.00']];
  const spelled = (msg: object, more: object = {}) => ({
    ...snapshot(1, 'M-1', more),
    msg: { market_ticker: 'M-1', ...msg },
  });

  it.each([
    ['both sides', {}],
    ['one side', { yes_dollars_fp: LEVELS }],
  ])('reads a snapshot that leaves out %s as empty there', (_what, sides) => {
    expect(subscribedBot().receive(spelled(sides))).toMatchObject([{ kind: 'book-snapshot', asks: [] }]);
  });

  it.each([
    ['two unknown lists', { bid: LEVELS, ask: LEVELS }, {}],
    ['two unknown lists, asked for', { bid: LEVELS, ask: LEVELS }, { id: 5 }],
    ['an unknown list instead of a side', { yes_dollars_fp: LEVELS, asks: LEVELS }, {}],
    ['an unknown record', { book: { yes: LEVELS } }, {}],
    ['an older spelling alone', { yes: [[47, 3]], no: [[52, 2]] }, {}],
  ])('reports a gap for the whole subscription when a snapshot has %s', (_what, sides, more) => {
    const events = subscribedBot()
      .receive(spelled(sides, more))
      .filter(({ kind }) => kind !== 'unrecognized');
    expect(events).toMatchObject([{ kind: 'feed-gap', markets: [0, 1] }]);
  });
});

describe('an ended subscription', () => {
  it.each([
    ['an error', { type: 'error', sid: 1, msg: { code: 25, msg: 'Subscription buffer overflow' } }],
    ['our unsubscribing', { type: 'unsubscribed', id: 7, sid: 1, seq: 3 }],
  ])('drops messages of a subscription that ended by %s: they make no book live', (_how, end) => {
    const { receive } = subscribedBot();
    receive(snapshot(1), snapshot(2, 'M-2'), end);
    const late = [snapshot(4), delta(5), snapshot(1), snapshot(6, 'M-1', { id: 5 })];
    expect(kindsOf(receive(...late))).toEqual(late.map(() => 'feed-heard'));
    receive({ type: 'subscribed', id: 8, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(kindsOf(receive(snapshot(1)))).toEqual(['book-snapshot']);
  });
});

describe('trades', () => {
  const trade = (seq: number, isOffBook: boolean) => ({
    type: 'trade',
    sid: 2,
    seq,
    msg: {
      trade_id: 't-1',
      market_ticker: 'M-1',
      yes_price_dollars: '0.5200',
      no_price_dollars: '0.4800',
      count_fp: '1.50',
      taker_outcome_side: 'no',
      taker_book_side: 'ask',
      is_block_trade: isOffBook,
      ts: 1_795_000_000,
      ts_ms: 1_795_000_000_958,
    },
  });

  it('emits prints with the taker’s side, to the hundredth of a contract', () => {
    expect(subscribedBot().receive(trade(1, false))).toMatchObject([
      { kind: 'print', side: 'sell', price: 5200, qty: 150, exchangeAt: 1_795_000_000_958_000 },
    ]);
  });

  it('emits no print for a trade outside the book', () => {
    expect(subscribedBot().receive(trade(1, true))).toEqual([{ kind: 'feed-heard', at: AT }]);
  });
});

describe('a changed price grid', () => {
  const changed = (msg: object) => ({
    type: 'market_lifecycle_v2',
    sid: 3,
    seq: 1,
    msg: { market_ticker: 'M-1', event_type: 'price_level_structure_updated', ...msg },
  });

  it('takes a changed grid from its ranges, whatever its name', () => {
    const ranges = [{ start: '0.0000', end: '1.0000', step: '0.0010' }];
    const msg = { price_level_structure: 'banded_centi_cent', price_ranges: ranges };
    expect(subscribedBot().receive(changed(msg))).toMatchObject([{ kind: 'market-changed', grid: DECI_CENT_GRID }]);
  });

  it('takes a changed grid from its name when there are no ranges', () => {
    const [event] = subscribedBot().receive(changed({ price_level_structure: 'center_half_edge_deci_cent' }));
    expect(event).toMatchObject({ kind: 'market-changed', market: 0, grid: gridByName('center_half_edge_deci_cent') });
  });

  it('has the market read again when neither ranges nor name give the grid', () => {
    expect(subscribedBot().receive(changed({ price_level_structure: 'center_centi_edge_centi_cent' }))).toMatchObject([
      { kind: 'markets-appeared', ticker: 'M-1' },
    ]);
  });

  const range = (start: number, end: number, step: number) => ({ start: price(start), end: price(end), step });
  it.each([
    ['linear_cent', CENT_GRID],
    ['deci_cent', DECI_CENT_GRID],
    ['center_whole_edge_deci_cent', priceGrid([range(0, 1000, 10), range(1000, 9000, 100), range(9000, 10_000, 10)])],
    ['center_deci_edge_quint_cent', priceGrid([range(0, 1000, 20), range(1000, 9000, 10), range(9000, 10_000, 20)])],
    ['center_deci_edge_centi_cent', priceGrid([range(0, 100, 1), range(100, 9900, 10), range(9900, 10_000, 1)])],
  ])('knows the steps of the grid named %s', (name, grid) => {
    expect(gridByName(name)).toBe(grid);
  });

  it.each(['banded_centi_cent', '', 'center_whole_edge_whole_cent', null])('knows no grid named %s', (name) => {
    expect(gridByName(name)).toBeNull();
  });
});
