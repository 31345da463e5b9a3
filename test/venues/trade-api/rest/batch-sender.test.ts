// The request of a batch: the bodies that its orders would have alone, in one list, sent once.
import { describe, expect, it } from 'vitest';
import type { BatchedCommand, RequestCommand } from '../../../../src/domain/venue-command.ts';
import { clientOrderId, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { contracts, micros, price } from '../../../../src/domain/units.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../../src/transport/http-client.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { NO_VENUE_GUARDS } from '../../../../src/venues/trade-api/rest/venue-guards.ts';
import { TradeApiGateway } from '../../../../src/venues/trade-api/rest/trade-api-gateway.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { cancel, place } from '../normalize/raw-input.ts';

class Client implements HttpClient {
  readonly requests: HttpRequest[] = [];
  answer: (request: HttpRequest) => HttpOutcome = () => ({ type: 'answered', status: 500, headers: {}, body: '' });

  request(request: HttpRequest): Promise<HttpOutcome> {
    this.requests.push(request);
    return Promise.resolve(this.answer(request));
  }
  readonly warm = (): Promise<void> => Promise.resolve();
  readonly stop = (): Promise<void> => Promise.resolve();
}

function setUp(profile = kalshiProfile) {
  const http = new Client();
  const prepared: string[] = [];
  let now = 0;
  const gateway = new TradeApiGateway({
    profile,
    http,
    credential: null,
    signer: {
      warm: () => undefined,
      stop: () => undefined,
      headersOf: () => ({ signed: 'yes' }),
      prepare: ({ method, path }) => void prepared.push(`${method} ${path}`),
    },
    guards: { ...NO_VENUE_GUARDS, subaccount: 7 },
    clock: () => micros((now += 1000)),
    orderTimeoutMs: 5000,
    readTimeoutMs: 10_000,
  });
  const send = (commands: readonly BatchedCommand[]) =>
    gateway.sendBatch({ type: 'batch', commands }, new AbortController().signal);
  return { http, prepared, send };
}

/** Each request waits for a connection. */
class SlowClient extends Client {
  override async request(request: HttpRequest): Promise<HttpOutcome> {
    await Promise.resolve();
    const reason = request.lastLook?.() ?? null;
    return reason === null ? super.request(request) : { type: 'not-sent', reason };
  }
}

const WAITS = ['signature', 'connection'] as const;
type Wait = (typeof WAITS)[number];

const GO = new AbortController().signal;
const orders = ['a', 'b'].map((name, id) => ({ ...place, id, clientOrderId: clientOrderId(name) }));
const cancels = ['a', 'b'].map((name, id) => ({
  ...cancel,
  id,
  ticker: ticker(`M-${name}`),
  venueOrderId: venueOrderId(`v-${name}`),
}));

describe('a batch of new orders', () => {
  it.each([kalshiProfile, serviceProfile])(
    'is one signed request with the orders in a list ($name)',
    async (profile) => {
      const { http, prepared, send } = setUp(profile);
      await send(orders);
      const [request] = http.requests;
      expect(http.requests).toHaveLength(1);
      const { method, path } = profile.endpoints.createOrders;
      expect(request).toMatchObject({
        method,
        path: profile.basePath + path,
        headers: { signed: 'yes' },
        timeoutMs: 5000,
      });
      const read = codecOf(profile.records.createOrders).decode(JSON.parse(request?.body ?? ''));
      expect(read.orders.map(({ clientOrderId: name, price: at, qty }) => [name, at, qty])).toEqual(
        orders.map(({ clientOrderId: name, price: at, qty }) => [name, at, qty]),
      );
      expect(codecOf(profile.records.createOrders).encodeText(read)).toBe(request?.body);
      expect(prepared).toEqual([`${method} ${profile.basePath + path}`]);
    },
  );

  it('leaves without an order that the wire cannot hold', async () => {
    const { http, send } = setUp(serviceProfile);
    const odd = { ...orders[0]!, price: price(4250) };
    const { answers } = await send([odd, orders[1]!]);
    expect(answers.map(({ outcome }) => outcome.type)).toEqual(['not-sent', 'answered']);
    expect(http.requests[0]?.body).not.toContain('"a"');
    const none = await send([odd, odd]);
    expect(none.answers.map(({ outcome }) => outcome.type)).toEqual(['not-sent', 'not-sent']);
    expect(http.requests).toHaveLength(1);
  });

  it('gives each order its command, the time of the request, and the time of the answer', async () => {
    const { send } = setUp();
    const { answers, refusal } = await send(orders);
    expect(refusal).toBeNull();
    expect(answers).toMatchObject(orders.map((command) => ({ command, askedAt: 1000, at: 2000 })));
  });
});

describe('a batch of cancels', () => {
  it('names each order, its market and the subaccount', async () => {
    const { http, send } = setUp();
    await send(cancels);
    const [request] = http.requests;
    const { method, path } = kalshiProfile.endpoints.cancelOrders;
    expect(request).toMatchObject({ method, path: kalshiProfile.basePath + path });
    expect(codecOf(kalshiProfile.records.cancelOrders).decode(JSON.parse(request?.body ?? '')).orders).toEqual(
      cancels.map(({ venueOrderId: orderId, ticker: name }) => ({ orderId, ticker: name, subaccount: 7, shard: null })),
    );
  });
});

describe('a batch with order groups', () => {
  it('leaves with the group of each order; the first order of a shard waits for its group alone', async () => {
    const http = new Client();
    http.answer = ({ path }) =>
      path.includes('order_groups')
        ? { type: 'answered', status: 201, headers: {}, body: '{"order_group_id":"group-1"}' }
        : { type: 'answered', status: 500, headers: {}, body: '' };
    const gateway = new TradeApiGateway({
      profile: kalshiProfile,
      http,
      credential: null,
      signer: { warm: () => undefined, stop: () => undefined, headersOf: () => ({}) },
      orderGroupQty: contracts(50),
      clock: () => micros(1),
      orderTimeoutMs: 5000,
      readTimeoutMs: 10_000,
    });
    const send = () => gateway.sendBatch({ type: 'batch', commands: orders }, new AbortController().signal);
    const first = await send();
    expect(first.answers.map(({ outcome }) => outcome.type)).toEqual(['answered', 'answered']);
    const pathOf = ({ method, path }: HttpRequest): string => `${method} ${path.split('?')[0]}`;
    const { createOrder, createOrders } = kalshiProfile.endpoints;
    const base = kalshiProfile.basePath;
    const single = `${createOrder.method} ${base}${createOrder.path}`;
    expect(http.requests.map(pathOf).slice(1)).toEqual([single, single]);
    await send();
    const batch = http.requests.at(-1);
    expect(batch && pathOf(batch)).toBe(`${createOrders.method} ${base}${createOrders.path}`);
    const { orders: sent } = codecOf(kalshiProfile.records.createOrders).decode(JSON.parse(batch?.body ?? ''));
    expect(sent.map(({ groupId }) => groupId)).toEqual(['group-1', 'group-1']);
  });
});

describe('a batch that waits before it leaves', () => {
  const three = ['a', 'b', 'c'].map((name, id) => ({ ...place, id, clientOrderId: clientOrderId(name) }));
  const halted = { type: 'not-sent', reason: 'halted' };

  /** Sends three orders, of which those with the given numbers must not leave after the wait. */
  async function sendAfterWait(wait: Wait, ...blocked: readonly number[]) {
    const http = wait === 'connection' ? new SlowClient() : new Client();
    const gateway = new TradeApiGateway({
      profile: kalshiProfile,
      http,
      credential: null,
      signer: {
        warm: () => undefined,
        stop: () => undefined,
        headersOf: () => (wait === 'signature' ? Promise.resolve({}) : {}),
      },
      clock: () => micros(1),
      orderTimeoutMs: 5000,
      readTimeoutMs: 10_000,
    });
    const look = ({ id }: RequestCommand): string | null => (blocked.includes(id) ? 'halted' : null);
    const { answers } = await gateway.sendBatch({ type: 'batch', commands: three }, GO, look);
    return { bodies: http.requests.map(({ body }) => body ?? ''), outcomes: answers.map(({ outcome }) => outcome) };
  }
  const idsIn = (body = ''): string[] => [...body.matchAll(/"client_order_id":"(\w+)"/g)].map(([, id = '']) => id);

  it.each(WAITS)('leaves without an order that must not leave any more (%s)', async (wait) => {
    const { bodies, outcomes } = await sendAfterWait(wait, 1);
    expect(bodies.map(idsIn)).toEqual([['a', 'c']]);
    expect(outcomes.map(({ type }) => type)).toEqual(['unknown', 'not-sent', 'unknown']);
    expect(outcomes[1]).toEqual(halted);
  });

  it.each(WAITS)('leaves as a single order when one is left (%s)', async (wait) => {
    const { bodies, outcomes } = await sendAfterWait(wait, 0, 2);
    expect(bodies.map(idsIn)).toEqual([['b']]);
    expect(bodies[0]).not.toContain('"orders"');
    expect(outcomes).toEqual([halted, expect.objectContaining({ type: 'answered' }), halted]);
  });

  it.each(WAITS)('does not leave when no order may leave any more (%s)', async (wait) => {
    expect(await sendAfterWait(wait, 0, 1, 2)).toEqual({ bodies: [], outcomes: [halted, halted, halted] });
  });
});
