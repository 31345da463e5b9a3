// The feed of the kalshi dialect, message by message: what is asked of it, and what each of its words means to the bot.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { CENT_GRID, DECI_CENT_GRID, priceGrid } from '../../../src/domain/price-grid.ts';
import { price } from '../../../src/domain/units.ts';
import { CommandTexts } from '../../../src/venues/trade-api/feed-commands.ts';
import { FeedPlan, type NumberedCommand } from '../../../src/venues/trade-api/feed-plan.ts';
import { gridNamed } from '../../../src/venues/trade-api/normalize-grids.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import { AT, frameOf, normalizing } from './input.ts';

const sent = (id: number, cmd: string, params: object) =>
  ({ type: 'feed-sent', at: AT, text: JSON.stringify({ id, cmd, params }) }) as const;

/** A normalizer of the dialect with two markets, followed as sid 1 after the answers to the subscription. */
function following(markets: readonly string[] = ['M-1', 'M-2']) {
  const world = normalizing(kalshiProfile);
  for (const market of markets) world.tickers.intern(ticker(market));
  const params = { channels: ['orderbook_delta'], market_tickers: markets, use_yes_price: true };
  world.tell(
    { type: 'feed-up', at: AT, connection: 1 },
    sent(1, 'subscribe', params),
    frameOf({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } }),
  );
  return world;
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
  const texts = new CommandTexts(kalshiProfile);

  it('ask for the YES scale with every subscription to books, and with no other', () => {
    const of = (channels: readonly ('book' | 'prints' | 'ticker')[]): unknown =>
      JSON.parse(texts.textOf({ id: 1, command: { kind: 'subscribe', channels, tickers: [ticker('M-1')] } }));
    expect(of(['book'])).toMatchObject({ params: { channels: ['orderbook_delta'], use_yes_price: true } });
    expect(of(['book', 'ticker', 'prints'])).toMatchObject({ params: { use_yes_price: true } });
    expect(of(['prints'])).toEqual({
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['trade'], market_tickers: ['M-1'] },
    });
  });
});

describe('what the account alone is told', () => {
  const TRIO = { kind: 'subscribe', channels: ['fills', 'orders', 'positions'], tickers: null };
  const GROUPS = { kind: 'subscribe', channels: ['groups'], tickers: null };
  const drain = (plan: FeedPlan): NumberedCommand[] => {
    const all: NumberedCommand[] = [];
    for (let sent = plan.next(); sent !== null; sent = plan.next()) all.push(sent);
    return all;
  };
  const connected = (): FeedPlan => {
    const plan = new FeedPlan({ feed: kalshiProfile.feed, hasKey: true, tickersPerCommand: 10 });
    plan.connect();
    return plan;
  };

  it('is asked for in one command, order groups in another, so that their refusal costs nothing else', () => {
    const plan = connected();
    const sent = drain(plan);
    expect(sent.map(({ command }) => command)).toEqual([
      TRIO,
      GROUPS,
      { kind: 'subscribe', channels: ['lifecycle'], tickers: null },
    ]);
    plan.heard({ kind: 'refused', id: sent[1]!.id, sid: null, code: 8, tickers: [] });
    expect(plan.hasNext).toBe(false);
  });

  it('is renewed all together', () => {
    const plan = connected();
    let sid = 0;
    for (const { id, command } of drain(plan))
      for (const channel of command.kind === 'subscribe' ? command.channels : [])
        plan.heard({ kind: 'subscribed', id, channel, sid: (sid += 1) });
    plan.renewPrivate();
    expect(drain(plan).map(({ command }) => command)).toEqual([
      ...[1, 2, 3, 4].map((one) => ({ kind: 'unsubscribe', sid: one })),
      TRIO,
      GROUPS,
    ]);
  });
});

describe('a snapshot that was asked for', () => {
  const asking = (...markets: readonly string[]) => {
    const world = following();
    world.hear(snapshot(1), snapshot(2, 'M-2'), delta(3));
    world.tell(sent(5, 'update_subscription', { sid: 1, market_tickers: markets, action: 'get_snapshot' }));
    return world;
  };

  it('may stand in the sequence', () => {
    const { hear } = asking('M-1');
    expect(kindsOf(hear(snapshot(4, 'M-1', { id: 5 }), delta(5)))).toEqual(['book-snapshot', 'book-delta']);
  });

  it.each([
    ['an old number', 3],
    ['a number of its own', 0],
    ['no number', undefined],
  ])('may have %s: the sequence goes on where it stood, and no book is void', (_what, seq) => {
    const { hear } = asking('M-1', 'M-2');
    const answers = [snapshot(seq, 'M-1', { id: 5 }), snapshot(seq, 'M-2', { id: 5 })];
    expect(kindsOf(hear(...answers, delta(4), delta(5)))).toEqual([
      'book-snapshot',
      'book-snapshot',
      'book-delta',
      'book-delta',
    ]);
  });

  it('may begin the sequence anew', () => {
    const { hear } = asking('M-1', 'M-2');
    const answers = [snapshot(1, 'M-1', { id: 5 }), snapshot(2, 'M-2', { id: 5 })];
    expect(kindsOf(hear(...answers, delta(3), delta(4)))).not.toContain('feed-gap');
  });

  it('shows by a number ahead that something was lost before it', () => {
    const { hear } = asking('M-1');
    expect(hear(snapshot(5, 'M-1', { id: 5 }), delta(6))).toMatchObject([
      { kind: 'feed-gap', markets: [0, 1] },
      { kind: 'book-snapshot', market: 0 },
      { kind: 'book-delta' },
    ]);
  });

  it('is not taken out of its turn once numbers were missed: it may be of before what was', () => {
    const { hear } = asking('M-1');
    expect(kindsOf(hear(delta(5), snapshot(4, 'M-1', { id: 5 })))).not.toContain('book-snapshot');
  });

  it('counts once: repeated, it is a break of the sequence like any other', () => {
    const { hear } = asking('M-1');
    const answer = snapshot(4, 'M-1', { id: 5 });
    expect(kindsOf(hear(answer, delta(5), answer))).toEqual(['book-snapshot', 'book-delta', 'feed-gap']);
  });

  it.each([
    ['another command', { id: 6 }, 'M-1'],
    ['a market that was not asked for', { id: 5 }, 'M-2'],
    ['no command', {}, 'M-1'],
  ])('is not one that answers %s', (_what, more, market) => {
    const { hear } = asking('M-1');
    expect(kindsOf(hear(snapshot(2, market, more)))).toEqual(['feed-gap']);
  });

  it('is awaited until it comes, whatever else answers the command', () => {
    const { hear } = asking('M-1');
    const acknowledged = { type: 'ok', id: 5, sid: 1, seq: 4, msg: { market_tickers: ['M-1', 'M-2'] } };
    expect(kindsOf(hear(acknowledged, snapshot(2, 'M-1', { id: 5 }), delta(5)))).toEqual([
      'feed-heard',
      'book-snapshot',
      'book-delta',
    ]);
  });
});

describe('order groups', () => {
  const groupFrame = (seq: number, msg: object) => ({ type: 'order_group_updates', sid: 9, seq, msg });
  const hearing = () => {
    const world = following();
    world.tell(sent(2, 'subscribe', { channels: ['order_group_updates'] }));
    world.hear({ type: 'subscribed', id: 2, msg: { channel: 'order_group_updates', sid: 9 } });
    return world;
  };

  it('halt the account when one of them is triggered', () => {
    const { hear } = hearing();
    const msg = { event_type: 'triggered', order_group_id: 'g-1', contracts_limit_fp: '40.00', ts_ms: 1 };
    expect(hear(groupFrame(1, msg))).toEqual([
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
    expect(hear(groupFrame(2, { ...msg, contracts_limit_fp: undefined }))).toMatchObject([
      { order: { reason: expect.stringContaining('more contracts than its limit') } },
    ]);
  });

  it.each(['created', 'reset', 'deleted', 'limit_updated'])('change nothing when one is %s', (word) => {
    const { hear } = hearing();
    const msg = { event_type: word, order_group_id: 'g-1', contracts_limit_fp: '40.00', ts_ms: 1 };
    expect(hear(groupFrame(1, msg))).toEqual([{ kind: 'feed-heard', at: AT }]);
  });

  it('are a guard that works unheard: a message of theirs that is lost or not read is told, and voids nothing', () => {
    const { hear } = hearing();
    const msg = { event_type: 'created', order_group_id: 'g-1', ts_ms: 1 };
    expect(hear(groupFrame(2, msg))).toMatchObject([
      { kind: 'unrecognized', what: 'gap groups' },
      { kind: 'feed-heard' },
    ]);
    expect(hear(groupFrame(3, { ...msg, event_type: 'melted' }))).toMatchObject([
      { kind: 'unrecognized', what: 'record order_group_updates.event_type' },
      { kind: 'feed-heard' },
    ]);
  });
});

describe('errors', () => {
  it('say in words that the key is not taken', () => {
    const { hear } = following();
    expect(hear({ type: 'error', msg: { code: 9, msg: 'Authentication required' } })).toMatchObject([
      {
        kind: 'unrecognized',
        what: 'feed error 9',
        detail: expect.stringContaining('see its id, its file and its env'),
      },
    ]);
  });

  it.each([10, 25])('of code %d end the subscription: every book of it is void', (code) => {
    const { hear } = following();
    hear(snapshot(1), snapshot(2, 'M-2'));
    expect(hear({ type: 'error', id: 0, sid: 1, msg: { code, msg: 'over' } })).toMatchObject([
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
  ])('that leaves out %s has nothing there', (_what, sides) => {
    expect(following().hear(spelled(sides))).toMatchObject([{ kind: 'book-snapshot', asks: [] }]);
  });

  it.each([
    ['two unknown lists', { bid: LEVELS, ask: LEVELS }, {}],
    ['two unknown lists, asked for', { bid: LEVELS, ask: LEVELS }, { id: 5 }],
    ['a list that it does not know in place of a side', { yes_dollars_fp: LEVELS, asks: LEVELS }, {}],
    ['a record that it does not know', { book: { yes: LEVELS } }, {}],
    ['an older spelling alone', { yes: [[47, 3]], no: [[52, 2]] }, {}],
  ])('that has %s is unreadable, and voids the books of its subscription', (_what, sides, more) => {
    const events = following()
      .hear(spelled(sides, more))
      .filter(({ kind }) => kind !== 'unrecognized');
    expect(events).toMatchObject([{ kind: 'feed-gap', markets: [0, 1] }]);
  });
});

describe('a subscription that is over', () => {
  it.each([
    ['an error', { type: 'error', sid: 1, msg: { code: 25, msg: 'Subscription buffer overflow' } }],
    ['our giving it up', { type: 'unsubscribed', id: 7, sid: 1, seq: 3 }],
  ])('by %s makes no book live: what still comes of it is passed over', (_how, end) => {
    const { hear } = following();
    hear(snapshot(1), snapshot(2, 'M-2'), end);
    const late = [snapshot(4), delta(5), snapshot(1), snapshot(6, 'M-1', { id: 5 })];
    expect(kindsOf(hear(...late))).toEqual(late.map(() => 'feed-heard'));
    hear({ type: 'subscribed', id: 8, msg: { channel: 'orderbook_delta', sid: 1 } });
    expect(kindsOf(hear(snapshot(1)))).toEqual(['book-snapshot']);
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

  it('are told by the taker’s side, to the hundredth of a contract', () => {
    expect(following().hear(trade(1, false))).toMatchObject([
      { kind: 'print', side: 'sell', price: 5200, qty: 150, exchangeAt: 1_795_000_000_958_000 },
    ]);
  });

  it('that were agreed on beside the book are no prints', () => {
    expect(following().hear(trade(1, true))).toEqual([{ kind: 'feed-heard', at: AT }]);
  });
});

describe('a price grid that changes', () => {
  const changed = (msg: object) => ({
    type: 'market_lifecycle_v2',
    sid: 3,
    seq: 1,
    msg: { market_ticker: 'M-1', event_type: 'price_level_structure_updated', ...msg },
  });

  it('is told by its ranges, whatever it is called', () => {
    const ranges = [{ start: '0.0000', end: '1.0000', step: '0.0010' }];
    const msg = { price_level_structure: 'banded_centi_cent', price_ranges: ranges };
    expect(following().hear(changed(msg))).toMatchObject([{ kind: 'market-changed', grid: DECI_CENT_GRID }]);
  });

  it('is told by its name where no ranges are said', () => {
    const [event] = following().hear(changed({ price_level_structure: 'center_half_edge_deci_cent' }));
    expect(event).toMatchObject({ kind: 'market-changed', market: 0, grid: gridNamed('center_half_edge_deci_cent') });
  });

  it('is read anew where neither says what it is', () => {
    expect(following().hear(changed({ price_level_structure: 'center_centi_edge_centi_cent' }))).toMatchObject([
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
  ])('has steps by the name %s', (name, grid) => {
    expect(gridNamed(name)).toBe(grid);
  });

  it.each(['banded_centi_cent', '', 'center_whole_edge_whole_cent', null])('has none by the name %s', (name) => {
    expect(gridNamed(name)).toBeNull();
  });
});
