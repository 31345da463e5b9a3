// The kalshi profile against every recorded answer of the real exchange of June 2026: each is read as the answer to its
// recorded request, and gives the expected events. The recordings stay where they are: beside the repository.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { must } from '../../../../src/base/assert.ts';
import type { PlaceCommand, RequestCommand } from '../../../../src/domain/venue-command.ts';
import { TickerTable, clientOrderId, seriesTicker, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { cents, contracts, money, price } from '../../../../src/domain/units.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { decodeError } from '../../../../src/venues/trade-api/wire/error-body.ts';
import { answered, cancel as aCancel, frameOf, normalizing, place as aPlace, read } from '../normalize/raw-input.ts';
import { RECORDINGS } from '../../../support/runner/recordings-folder.ts';

const folder = `${RECORDINGS}kalshi-rest-2026-06/`;
const isAbsent = !existsSync(folder);
const why = isAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

const MATCH = 'KXWTACHALLENGERMATCH-26JUN11JIMLEP-LEP';
const market = { what: 'market', ticker: ticker(MATCH) } as const;
const book = { what: 'book', ticker: ticker(MATCH), market: new TickerTable().internTicker(ticker(MATCH)) } as const;

/** The order of the recorded request. */
const place = (name: string, changes: Partial<PlaceCommand> = {}): PlaceCommand => ({
  ...aPlace,
  ticker: ticker(MATCH),
  clientOrderId: clientOrderId(name),
  postOnly: false,
  price: cents(1),
  qty: contracts(1),
  ...changes,
});
const cancel = (id: string): RequestCommand => ({ ...aCancel, ticker: ticker(MATCH), venueOrderId: venueOrderId(id) });
const order = (id: string): RequestCommand => read({ what: 'order', venueOrderId: venueOrderId(id) });
const listed = read({ what: 'markets', by: { seriesTicker: seriesTicker('ANY') } });
const balance = read({ what: 'balance' });

const MAKER = '4a75a66e-ca85-4187-93cd-aac5e01ad982';
const TAKER = '2b8394e0-515e-4b89-b624-f34067756855';
const RESTED = '2597b999-f887-4195-8bac-c3f97a1f2021';
const MET = '17fc4f3a-b397-4792-bd0c-9c81ca69a1f4';

const markets = (count: number, cursor: unknown, first: object = {}): readonly unknown[] => [
  { kind: 'market', market: first },
  ...Array.from({ length: count - 1 }, () => ({ kind: 'market' })),
  { kind: 'markets-listed', cursor },
];
const opaque = expect.stringMatching(/^[A-Za-z0-9_-]{20,}$/) as unknown;
const resting = (id: string, at: number): readonly unknown[] => [
  {
    kind: 'order-found',
    order: { venueOrderId: id, side: 'buy', price: cents(at), status: 'working', filledQty: 0, leavesQty: 100 },
  },
];
const funded = [{ kind: 'balance', available: 98_018_600 }];
const unread = (reason: string) => [
  { kind: 'read-failed', isRefused: true, reason: expect.stringContaining(reason) as unknown },
];
const lep = { ticker: MATCH, status: 'active', grid: { cellCount: 99 }, result: null };
const gone = [{ kind: 'cancel-refused', code: 'not_found' }];

/** File → the request that it answers, and the expected events. */
const EXPECTED: Readonly<Record<string, readonly [RequestCommand, readonly unknown[]]>> = {
  auth__bad_signature: [balance, unread('INCORRECT_API_KEY_SIGNATURE')],
  auth__balance_alt_host: [balance, funded],
  auth__balance_ok: [balance, funded],
  auth__missing_signature_header: [balance, unread('signature is missing from headers')],
  auth__skew_minus5min: [balance, unread('header timestamp expired')],
  auth__skew_minus5s: [balance, funded],
  auth__skew_plus5min: [balance, unread('header timestamp expired')],
  auth__unknown_key_id: [balance, unread('NOT_FOUND')],
  account__limits: [read({ what: 'limits' }), []],
  exchange__status: [read({ what: 'status' }), [{ kind: 'exchange-status', isActive: true, isTrading: true }]],
  fills__after_taker: [
    read({ what: 'fills', since: null }),
    [
      {
        kind: 'fills',
        cursor: null,
        rows: [
          { side: 'buy', price: cents(52), qty: 100, fee: 17_500, liquidity: 'taker', clientOrderId: null },
          { side: 'buy', price: cents(99), qty: 100, fee: 700 },
          { side: 'buy', price: cents(99), qty: 100, fee: 700 },
        ],
      },
    ],
  ],
  markets__garbage_cursor: [listed, markets(5, opaque, { status: 'initialized' })],
  markets__high_temp: [listed, markets(18, null)],
  markets__page1: [listed, markets(5, opaque)],
  markets__page2: [listed, markets(5, opaque)],
  markets__page3: [listed, markets(5, opaque)],
  markets__single: [read(market), [{ kind: 'market', market: lep }]],
  markets__single_filter_lastpage: [listed, markets(1, null, lep)],
  markets__status_closed: [listed, markets(5, opaque, { status: 'determined' })],
  markets__status_open: [listed, markets(200, opaque, { status: 'active' })],
  markets__unauth_list: [listed, markets(2, opaque)],
  markets__unauth_single: [read(market), [{ kind: 'market', market: lep }]],
  orderbook__base: [read(book), [{ kind: 'book-poll', bids: [[cents(47), 300]], asks: [[cents(52), 300]] }]],
  orders__cancel_already_canceled: [cancel(RESTED), gone],
  orders__cancel_executed: [cancel('97ec18b7-10d3-4557-9de0-8598aad625f0'), gone],
  orders__cancel_unknown_id: [cancel('00000000-0000-0000-0000-000000000000'), gone],
  orders__cancel_v2: [cancel(RESTED), [{ kind: 'cancel-accepted', reducedBy: 100 }]],
  orders__create_v2_maker: [
    place(MAKER),
    [
      {
        kind: 'order-accepted',
        clientOrderId: MAKER,
        venueOrderId: RESTED,
        filledQty: 0,
        leavesQty: 100,
        isFinished: false,
        exchangeAt: 1_781_159_360_866_000,
      },
    ],
  ],
  orders__create_v2_taker_ioc: [
    place(TAKER, { price: cents(99), timeInForce: 'ioc' }),
    [{ kind: 'order-accepted', clientOrderId: TAKER, filledQty: 100, leavesQty: 0, isFinished: true }],
  ],
  orders__duplicate_client_order_id: [place(MAKER), [{ kind: 'order-unknown', clientOrderId: MAKER, isTaken: true }]],
  orders__get_after_cancel: [order(RESTED), resting(RESTED, 1)],
  orders__get_after_create: [order(RESTED), resting(RESTED, 1)],
  orders__insufficient_balance: [
    place('poor', { price: cents(99), qty: contracts(10_099) }),
    [{ kind: 'order-rejected', code: 'insufficient_balance' }],
  ],
  orders__invalid_price_structure: [
    place('fine', { price: price(5150), postOnly: true }),
    [{ kind: 'order-rejected', code: 'invalid_price' }],
  ],
  orders__post_only_cross: [
    place('crossing', { price: cents(99), postOnly: true }),
    [
      {
        kind: 'order-rejected',
        code: 'invalid_order',
        message: expect.stringContaining('post only cross') as unknown,
      },
    ],
  ],
  orders__reuse_canceled_client_id: [place(MAKER), [{ kind: 'order-unknown', isTaken: true }]],
  orders__settlement_seed: [
    place('seed', { price: cents(99), timeInForce: 'ioc' }),
    [{ kind: 'order-accepted', filledQty: 100, leavesQty: 0, isFinished: true }],
  ],
  orders__stp_resting_after: [order(MET), resting(MET, 48)],
  orders__stp_self_cross: [
    place('self', { side: 'sell', price: cents(48), timeInForce: 'ioc' }),
    [{ kind: 'order-accepted', filledQty: 0, leavesQty: 0, isFinished: true }],
  ],
  orders__stp_setup: [
    place('best', { price: cents(48), postOnly: true }),
    [{ kind: 'order-accepted', venueOrderId: MET, filledQty: 0, leavesQty: 100, isFinished: false }],
  ],
  portfolio__orders_list: [
    read({ what: 'orders', status: 'any', since: null }),
    [
      {
        kind: 'orders',
        cursor: null,
        rows: expect.arrayContaining([
          expect.objectContaining({ clientOrderId: TAKER, status: 'filled', filledQty: 100, leavesQty: 0 }),
          expect.objectContaining({ clientOrderId: MAKER, status: 'canceled', filledQty: 0, leavesQty: 0 }),
        ]) as unknown,
      },
    ],
  ],
  portfolio__positions: [
    read({ what: 'positions' }),
    [
      {
        kind: 'positions',
        cursor: null,
        rows: [{ qty: 300, realized: 0, fees: money(18_900), cost: money(2_500_000) }],
      },
    ],
  ],
};

interface Recorded {
  readonly status: number;
  readonly body: string;
}

function recorded(file: string): Recorded {
  const meta = `${folder}${file}.meta.json`;
  // One was stored without its request: it is a page like the others.
  const { status } = existsSync(meta)
    ? (JSON.parse(readFileSync(meta, 'utf8')) as { status: number })
    : { status: 200 };
  return { status, body: readFileSync(`${folder}${file}.json`, 'utf8') };
}

describe.skipIf(isAbsent)(`recorded answers of the real exchange${why}`, () => {
  it('reads every recorded file', () => {
    const files = isAbsent
      ? []
      : readdirSync(folder).filter((file) => file.endsWith('.json') && !file.endsWith('.meta.json'));
    expect(files.map((file) => file.slice(0, -'.json'.length)).toSorted()).toEqual(
      [...Object.keys(EXPECTED), 'account__endpoint_costs'].toSorted(),
    );
    expect(files).toHaveLength(43);
  });

  it.each(Object.entries(EXPECTED))('gives the expected events for %s', (file, [command, expected]) => {
    const { status, body } = recorded(file);
    const { tickers, normalize } = normalizing(kalshiProfile);
    tickers.internTicker(ticker(MATCH));
    const [first, ...events] = normalize(answered(command, status, { body }));
    expect(first).toMatchObject({ kind: 'answered', commandId: command.id, ok: status < 300 });
    expect(events).toMatchObject(expected);
  });

  it('reads account__endpoint_costs, which is requested before a session', () => {
    const { extensions } = kalshiProfile.records;
    const notes: string[] = [];
    const { defaultCost, costs } = codecOf(must(extensions, 'further records').endpointCosts).decode(
      JSON.parse(recorded('account__endpoint_costs').body),
      (kind) => notes.push(kind),
    );
    expect(notes).toEqual([]);
    expect(defaultCost).toBe(10);
    expect(costs).toContainEqual({
      method: 'DELETE',
      path: '/trade-api/v2/portfolio/events/orders/:order_id',
      cost: 2,
    });
  });

  it('reads tier and both buckets from account__limits', () => {
    const limits = codecOf(kalshiProfile.records.limits).decode(JSON.parse(recorded('account__limits').body));
    expect(limits).toMatchObject({
      tier: 'basic',
      read: { refillPerSecond: 200, capacity: 200 },
      trade: { refillPerSecond: 100, capacity: 100 },
    });
  });

  it('keeps code, message and details of a refusal, whichever of them are present', () => {
    const refusal = (file: string) => decodeError(recorded(file).status, recorded(file).body);
    expect(refusal('orders__post_only_cross')).toEqual({
      code: 'invalid_order',
      message: 'invalid order',
      details: 'post only cross',
    });
    expect(refusal('orders__cancel_executed')).toEqual({ code: 'not_found', message: 'not found', details: null });
    const cancels = ['executed', 'already_canceled', 'unknown_id'].map((file) => recorded(`orders__cancel_${file}`));
    expect(new Set(cancels.map(({ body }) => body.trim())).size).toBe(1);
  });
});

describe.skipIf(isAbsent)(`a recorded feed of the real exchange${why}`, () => {
  it('reads a recorded stream on the YES scale, with offers at the price of buying YES', () => {
    const { tickers, normalize } = normalizing(kalshiProfile);
    const index = tickers.internTicker(ticker(MATCH));
    const { subscribe_cmd: command } = JSON.parse(
      readFileSync(`${folder}ws__orderbook_trade_yes.meta.json`, 'utf8'),
    ) as {
      subscribe_cmd: object;
    };
    const lines = readFileSync(`${folder}ws__orderbook_trade_yes.jsonl`, 'utf8').split('\n').filter(Boolean);
    const events = normalize(
      { type: 'feed-up', at: frameOf('').at, connection: 1 },
      { type: 'feed-sent', at: frameOf('').at, text: JSON.stringify(command) },
      ...lines.map(frameOf),
    );
    expect(events.filter(({ kind }) => kind.startsWith('book'))).toMatchObject([
      { kind: 'book-snapshot', market: index, bids: [[cents(47), 300]], asks: [[cents(52), 100]] },
      { kind: 'book-delta', side: 'ask', price: cents(52), change: -100, exchangeAt: 1_781_159_387_354_000 },
      { kind: 'book-delta', side: 'ask', price: cents(52), change: 200 },
    ]);
    expect(events.filter(({ kind }) => kind === 'unrecognized' || kind === 'feed-gap')).toEqual([]);
  });
});
