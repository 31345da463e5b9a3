// Order groups of a session: one on each shard it trades on, created with the first order and deleted at the end.
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../../src/domain/venue-command.ts';
import { TickerTable, clientOrderId, ticker } from '../../../../src/domain/ids.ts';
import { contracts, micros } from '../../../../src/domain/units.ts';
import type { Scheduler } from '../../../../src/transport/scheduler.ts';
import { OPERATOR } from '../../../../src/state/account/orders.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../../src/transport/http-client.ts';
import { TradeApiGateway } from '../../../../src/venues/trade-api/rest/trade-api-gateway.ts';
import { TradeApiNormalizer } from '../../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiVenue } from '../../../../src/venues/trade-api/trade-api-venue.ts';
import { MarketShards } from '../../../../src/venues/trade-api/rest/market-shards.ts';
import { answered, cancel, place, read } from '../normalize/raw-input.ts';

const RESET = 'PUT /order_groups/g-0/reset?subaccount=3&exchange_index=0';
const GROUPS = '/trade-api/v2/portfolio/order_groups';

const DONE: HttpOutcome = { type: 'answered', status: 200, headers: {}, body: '{}' };
const SPENT: HttpOutcome = {
  type: 'answered',
  status: 409,
  headers: {},
  body: '{"error":{"code":"order_group_triggered","message":"order group triggered"}}',
};

/** A venue that names each group after its shard, unless it refuses. */
class OrderGroupVenue implements HttpClient {
  readonly requests: HttpRequest[] = [];
  refusal: HttpOutcome | null = null;
  /** Answer to the list of groups. */
  listed: HttpOutcome = DONE;
  resets: HttpOutcome | null = null;
  /** Answers to deletions, in their sequence; afterwards each deletion succeeds. */
  deletions: HttpOutcome[] = [];
  spent = false;
  isOpen = true;

  async request(request: HttpRequest): Promise<HttpOutcome> {
    await Promise.resolve();
    if (!this.isOpen) return { type: 'not-sent', reason: 'closed' };
    this.requests.push(request);
    if (request.method === 'GET' && request.path.startsWith(GROUPS)) return this.listed;
    if (request.path.includes('/reset')) return this.resets ?? DONE;
    if (request.method === 'DELETE' && request.path.startsWith(GROUPS)) return this.deletions.shift() ?? DONE;
    if (this.spent && request.path.endsWith('/events/orders')) return SPENT;
    if (!request.path.startsWith(`${GROUPS}/create`)) return DONE;
    const { exchange_index: shard } = JSON.parse(request.body ?? '') as { exchange_index: number };
    const body = JSON.stringify({ order_group_id: `g-${shard}`, subaccount: 0 });
    return this.refusal ?? { type: 'answered', status: 201, headers: {}, body };
  }
  warm(): Promise<void> {
    return Promise.resolve();
  }
  stop(): Promise<void> {
    this.isOpen = false;
    return Promise.resolve();
  }
  get requestLines(): readonly string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.replace('/trade-api/v2/portfolio', '')}`);
  }
}

/** A scheduler whose timers are due at once: each moves its time on. */
function hastyScheduler(): Scheduler {
  let nowMs = 0;
  const soon = (act: () => void): void => void setImmediate(act);
  const after = (delayMs: number, act: () => void): object => {
    nowMs += delayMs;
    soon(act);
    return {};
  };
  return { now: () => nowMs, after, cancel: () => {}, soon };
}

function setUp(shards = new MarketShards()) {
  const http = new OrderGroupVenue();
  const left: object[] = [];
  const gateway = new TradeApiGateway({
    profile: kalshiProfile,
    http,
    credential: null,
    signer: { warm: () => {}, stop: () => {}, headersOf: () => ({ signed: 'yes' }) },
    guards: { cancelOnPause: true, restMsMax: null, groupId: null, subaccount: 3 },
    orderGroupQty: contracts(40),
    shards,
    scheduler: hastyScheduler(),
    onGroupLeft: (group) => left.push(group),
    clock: () => micros(1_700_000_000_000_000),
    orderTimeoutMs: 5000,
    readTimeoutMs: 10_000,
  });
  const send = (command: RequestCommand) => gateway.send(command, new AbortController().signal);
  const groupOf = (index: number): unknown =>
    (JSON.parse(http.requests[index]?.body ?? '{}') as { order_group_id?: string }).order_group_id;
  return { http, gateway, send, groupOf, left };
}
const order = (n: number, name = 'M-1') => ({ ...place, clientOrderId: clientOrderId(`o-${n}`), ticker: ticker(name) });
const REFUSED: HttpOutcome = {
  type: 'answered',
  status: 403,
  headers: {},
  body: '{"error":{"code":"forbidden","message":"forbidden"}}',
};

describe('orders in an order group', () => {
  it('waits for the group to be created, once, and names it in each order', async () => {
    const { http, send, groupOf } = setUp();
    await Promise.all([send(order(1)), send(order(2))]);
    await send(order(3));
    expect(http.requestLines).toEqual([
      'POST /order_groups/create',
      'POST /events/orders',
      'POST /events/orders',
      'POST /events/orders',
    ]);
    expect(JSON.parse(http.requests[0]?.body ?? '')).toEqual({
      contracts_limit_fp: '40.00',
      subaccount: 3,
      exchange_index: 0,
    });
    expect(http.requests.every(({ headers }) => headers['signed'] === 'yes')).toBe(true);
    expect([1, 2, 3].map(groupOf)).toEqual(['g-0', 'g-0', 'g-0']);
  });

  it('uses one group per shard, as reads of the markets report them', async () => {
    const shards = new MarketShards();
    const tickers = new TickerTable();
    const normalizer = new TradeApiNormalizer({ profile: kalshiProfile, tickers, shards });
    const market = { ticker: 'COIN', event_ticker: 'C', status: 'active', exchange_index: 2, ...TIMES };
    const target = { what: 'market', ticker: ticker('COIN') } as const;
    normalizer.normalize(answered(read(target), 200, { body: { market } }), () => {});
    const { http, send, groupOf } = setUp(shards);
    await send(order(1));
    await send(order(2, 'COIN'));
    expect(http.requestLines.filter((path) => path.includes('create'))).toHaveLength(2);
    expect([1, 3].map(groupOf)).toEqual(['g-0', 'g-2']);
  });

  it('does not send an order without its group, and tries again with the next one', async () => {
    const { http, send, groupOf } = setUp();
    http.refusal = REFUSED;
    const { outcome } = await send(order(1));
    expect(outcome).toEqual({
      type: 'not-sent',
      reason: 'the venue created no order group: 403 forbidden: forbidden',
    });
    http.refusal = { type: 'unknown', reason: 'no answer' };
    expect((await send(order(2))).outcome).toMatchObject({ type: 'not-sent' });
    http.refusal = null;
    await send(order(3));
    expect(http.requestLines).toHaveLength(4);
    expect(groupOf(3)).toBe('g-0');
  });

  it('does not leave when it must not leave any more once its group is created or reset', async () => {
    const { http, gateway, send } = setUp();
    const go = new AbortController().signal;
    const look = ({ id }: RequestCommand): string => `halted before ${id}`;
    const late = { ...order(1), id: 7 };
    const halted = { type: 'not-sent', reason: 'halted before 7' };
    expect((await gateway.send(late, go, look)).outcome).toEqual(halted);
    http.spent = true;
    await send(order(2));
    expect((await gateway.send(late, go, look)).outcome).toEqual(halted);
    expect(http.requestLines).toEqual([
      'POST /order_groups/create',
      'POST /events/orders',
      'PUT /order_groups/g-0/reset?subaccount=3&exchange_index=0',
    ]);
  });

  it('waits for a triggered group to be reset', async () => {
    const { http, send, groupOf } = setUp();
    await send(order(1));
    http.spent = true;
    const { outcome } = await send(order(2));
    expect(outcome).toMatchObject({ type: 'answered', status: 409 });
    http.spent = false;
    http.resets = REFUSED;
    expect((await send(order(3))).outcome).toEqual({
      type: 'not-sent',
      reason: 'the venue did not reset the order group: 403 forbidden: forbidden',
    });
    http.resets = null;
    await Promise.all([send(order(4)), send(order(5))]);
    expect(http.requestLines.slice(3)).toEqual([
      'PUT /order_groups/g-0/reset?subaccount=3&exchange_index=0',
      'PUT /order_groups/g-0/reset?subaccount=3&exchange_index=0',
      'POST /events/orders',
      'POST /events/orders',
    ]);
    expect(groupOf(6)).toBe('g-0');
  });

  it.each([
    ['triggered', 'g-0', ['POST /events/orders', RESET, 'POST /events/orders']],
    ['reset', 'g-0', ['POST /events/orders', 'POST /events/orders']],
    ['triggered', 'g-of-another-session', ['POST /events/orders', 'POST /events/orders']],
  ])('waits for the reset of a group that only the feed reports as triggered (%s %s)', async (change, id, lines) => {
    const http = new OrderGroupVenue();
    const { gateway, normalizer } = tradeApiVenue({
      profile: kalshiProfile,
      urls: { rest: 'http://127.0.0.1:9', feed: 'ws://127.0.0.1:9' },
      http,
      credential: null,
      signer: { warm: () => {}, stop: () => {}, headersOf: () => ({}) },
      guards: { cancelOnPause: true, restMsMax: null, groupId: null, subaccount: 3 },
      orderGroupQty: contracts(40),
      clock: () => micros(1_700_000_000_000_000),
      random: () => 0,
    });
    const go = new AbortController().signal;
    await gateway.send(order(1), go);
    const msg = { event_type: change, order_group_id: id, contracts_limit_fp: '40.00', ts_ms: 1 };
    const bytes = new TextEncoder().encode(JSON.stringify({ type: 'order_group_updates', sid: 9, seq: 1, msg }));
    normalizer.normalize({ type: 'frame', at: micros(1), bytes }, () => {});
    await gateway.send(order(2), go);
    expect(http.requestLines.slice(1)).toEqual(lines);
  });

  it('deletes the groups when it stops', async () => {
    const { http, gateway, send } = setUp();
    await send(order(1));
    await gateway.stop();
    expect(http.requestLines.at(-1)).toBe('DELETE /order_groups/g-0?subaccount=3&exchange_index=0');
    expect((await send(order(2))).outcome).toMatchObject({ type: 'not-sent' });
  });
});

const DELETION = 'DELETE /order_groups/g-0?subaccount=3&exchange_index=0';
const TOO_MANY: HttpOutcome = { type: 'answered', status: 429, headers: {}, body: '{}' };
const UNKNOWN: HttpOutcome = { type: 'unknown', reason: 'no answer' };
const GONE: HttpOutcome = {
  type: 'answered',
  status: 404,
  headers: {},
  body: '{"error":{"code":"not_found","message":"not found"}}',
};

describe('a group whose deletion fails', () => {
  it.each([
    ['once for the rate', [TOO_MANY], 2],
    ['twice', [TOO_MANY, REFUSED], 3],
    ['without an answer, and is gone afterwards', [UNKNOWN, GONE], 2],
  ])('is deleted by a further attempt within the stop (%s)', async (_, deletions, count) => {
    const { http, gateway, send, left } = setUp();
    await send(order(1));
    http.deletions = [...deletions];
    await gateway.stop();
    expect(http.requestLines.slice(2)).toEqual(Array.from({ length: count }, () => DELETION));
    expect(left).toEqual([]);
  });

  it('is reported at the end when it still stands', async () => {
    const { http, gateway, send, left } = setUp();
    await send(order(1));
    http.deletions = [REFUSED, UNKNOWN, REFUSED, REFUSED];
    await gateway.stop();
    expect(http.requestLines.slice(2)).toEqual([DELETION, DELETION, DELETION]);
    expect(left).toEqual([{ groupId: 'g-0', reason: '403 forbidden: forbidden' }]);
  });
});

const groupList = (...rows: readonly (readonly [id: string, limit: string])[]): HttpOutcome => {
  const groups = rows.map(([id, limit]) => ({ id, contracts_limit_fp: limit, is_auto_cancel_enabled: true }));
  return { type: 'answered', status: 200, headers: {}, body: JSON.stringify({ order_groups: groups }) };
};
const LIST = 'GET /order_groups?subaccount=3';
const SERVER_FAULT: HttpOutcome = { type: 'answered', status: 503, headers: {}, body: '{}' };
const UNREADABLE: HttpOutcome = { type: 'answered', status: 201, headers: {}, body: '{"id":5}' };
const NOT_SENT: HttpOutcome = { type: 'not-sent', reason: 'no connection' };

describe('a group whose creation was not answered', () => {
  it.each([
    ['no answer', UNKNOWN],
    ['a fault of the venue', SERVER_FAULT],
    ['an answer without its id', UNREADABLE],
  ])('is remarked at once, and reported at the end when the venue lists one (%s)', async (_, refusal) => {
    const { http, gateway, send, left } = setUp();
    http.refusal = refusal;
    await send(order(1));
    expect(gateway.remarks()).toEqual([
      'the venue did not confirm the creation of an order group: an empty one may stand there',
    ]);
    http.refusal = null;
    await send(order(2));
    http.listed = groupList(['g-0', '40.00'], ['g-lost', '40.00'], ['g-else', '7.00']);
    await gateway.stop();
    expect(http.requestLines.slice(-2)).toEqual([DELETION, LIST]);
    expect(left).toEqual([{ groupId: 'g-lost', reason: expect.stringMatching(/its creation was not confirmed: ./) }]);
  });

  it('is not reported when the list of the venue shows none', async () => {
    const { http, gateway, send, left } = setUp();
    http.refusal = UNKNOWN;
    await send(order(1));
    http.listed = DONE;
    await gateway.stop();
    expect(http.requestLines.at(-1)).toBe(LIST);
    expect(left).toEqual([]);
  });

  it('is reported without an id when the list cannot be read', async () => {
    const { http, gateway, send, left } = setUp();
    http.refusal = UNKNOWN;
    await send(order(1));
    http.listed = REFUSED;
    await gateway.stop();
    expect(left).toEqual([{ groupId: null, reason: expect.stringMatching(/no answer.*list.*403 forbidden/) }]);
  });

  it.each([
    ['refused', REFUSED],
    ['not sent', NOT_SENT],
  ])('does not stand when the creation was %s', async (_, refusal) => {
    const { http, gateway, send, left } = setUp();
    http.refusal = refusal;
    await send(order(1));
    expect(gateway.remarks()).toEqual([]);
    await gateway.stop();
    expect(http.requestLines.at(-1)).toBe('POST /order_groups/create');
    expect(left).toEqual([]);
  });
});

describe('without order groups', () => {
  it('sends the operator’s orders outside of the group, also while the group has triggered', async () => {
    const { http, gateway, send } = setUp();
    await send(order(1));
    gateway.markGroupTriggered('g-0');
    const close = { ...order(2), strategy: OPERATOR, timeInForce: 'ioc', reduceOnly: true } as const;
    await send(close);
    const commands = [close, { ...close, clientOrderId: clientOrderId('o-3') }] as const;
    await gateway.sendBatch({ type: 'batch', commands }, new AbortController().signal);
    expect(http.requestLines.slice(2)).toEqual(['POST /events/orders', 'POST /events/orders/batched']);
    expect(http.requests.slice(2).map(({ body }) => body?.includes('order_group_id'))).toEqual([false, false]);
  });

  it('creates no group for reads, for cancels, and in sessions that only watch', async () => {
    const { http, gateway, send } = setUp();
    await gateway.warmUp();
    await send(read({ what: 'balance' }));
    await send(cancel);
    await gateway.stop();
    expect(http.requestLines.filter((path) => path.includes('order_groups'))).toEqual([]);
  });

  it('refuses order groups at once in a dialect without them', () => {
    const options = { http: new OrderGroupVenue(), credential: null, clock: () => micros(0) };
    expect(
      () =>
        new TradeApiGateway({
          ...options,
          profile: serviceProfile,
          orderGroupQty: contracts(1),
          orderTimeoutMs: 1,
          readTimeoutMs: 1,
        }),
    ).toThrow(new RangeError('dialect service has no order groups'));
  });
});

const TIMES = {
  title: 'Will it?',
  yes_sub_title: 'It',
  no_sub_title: 'Not it',
  market_type: 'binary',
  open_time: '2023-11-14T00:00:00Z',
  close_time: '2023-11-15T00:00:00Z',
  created_time: '2023-11-13T00:00:00Z',
  latest_expiration_time: '2023-11-16T00:00:00Z',
  can_close_early: true,
  result: '',
  price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
};
