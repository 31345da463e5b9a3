// Recordings of the real exchange, repeated at the local one: the same requests get the same status and the same body,
// except for members that the venue has since removed. The recordings are kept beside the repository, not in it.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  OfficialClient,
  type OfficialClientOptions,
  EMPTY,
  type NewOrder,
  type Outcome,
  type Reply,
  outcomeOf,
} from '../../official/official-client.ts';

const folder = fileURLToPath(new URL('../../../../shared/data/kalshi-rest-2026-06/', import.meta.url));
const isAbsent = !existsSync(folder);
const why = isAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

interface Recorded {
  readonly status: number;
  readonly asked: Partial<NewOrder> | null;
  readonly body: unknown;
}

function recorded(file: string): Recorded {
  const meta = JSON.parse(readFileSync(`${folder}${file}.meta.json`, 'utf8')) as {
    readonly status: number;
    readonly request_body: Partial<NewOrder> | null;
  };
  const body = JSON.parse(readFileSync(`${folder}${file}.json`, 'utf8')) as { error?: { service?: unknown } };
  delete body.error?.service;
  return { status: meta.status, asked: meta.request_body, body };
}

/** The recorded request, in a market of the local exchange. */
const orderOf = (desk: OfficialClient, file: string): NewOrder => ({
  ...desk.newOrder(),
  ...recorded(file).asked,
  ticker: EMPTY,
});
const place = (desk: OfficialClient, file: string): Promise<Reply> => desk.orders.createOrderV2(orderOf(desk, file));

/** Refusals: file → the requests that cause it. */
const REFUSED: Readonly<Record<string, (desk: OfficialClient) => Promise<Reply>>> = {
  orders__cancel_already_canceled: async (desk) => desk.orders.cancelOrderV2(await desk.placeCanceledOrder()),
  orders__cancel_executed: async (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 52, count: 1 });
    return desk.orders.cancelOrderV2(await desk.placeOrder({ count: '1.00', price: '0.5200' }));
  },
  orders__cancel_unknown_id: ({ orders }) => orders.cancelOrderV2('00000000-0000-0000-0000-000000000000'),
  orders__duplicate_client_order_id: async (desk) => {
    await place(desk, 'orders__create_v2_maker').catch(() => null);
    return place(desk, 'orders__duplicate_client_order_id');
  },
  orders__reuse_canceled_client_id: async (desk) => {
    const order = { ...orderOf(desk, 'orders__reuse_canceled_client_id'), client_order_id: 'burnt-for-good' };
    const { data } = await desk.orders.createOrderV2(order);
    await desk.orders.cancelOrderV2(data.order_id);
    return desk.orders.createOrderV2(order);
  },
  orders__insufficient_balance: (desk) => place(desk, 'orders__insufficient_balance'),
  orders__invalid_price_structure: (desk) => place(desk, 'orders__invalid_price_structure'),
  orders__post_only_cross: (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 70, count: 1 });
    return place(desk, 'orders__post_only_cross');
  },
};

/** Authentication refusals: file → the client's options that cause it. */
const TURNED_AWAY: Readonly<Record<string, OfficialClientOptions>> = {
  auth__bad_signature: { hasWrongKey: true },
  auth__missing_signature_header: { lostHeader: 'KALSHI-ACCESS-SIGNATURE' },
  auth__skew_minus5min: { aheadMs: 300_000 },
  auth__skew_plus5min: { aheadMs: -300_000 },
  auth__unknown_key_id: { keyId: '00000000-0000-0000-0000-000000000000' },
};

/** Members that the venue has since removed, and members that only some markets have. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'fractional_trading_enabled',
  'liquidity_dollars',
  'response_price_units',
  'resting_orders_count',
  'custom_strike',
  'early_close_condition',
  'expected_expiration_time',
  'floor_strike',
  'occurrence_datetime',
  'primary_participant_key',
  'strike_type',
]);

/** The member names of an object, of its nested objects and of the first of its rows. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  const members = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key));
  return Object.fromEntries(members.map(([key, inner]) => [key, shapeOf(inner)]));
}

/** Answers: file → the requests that cause it. The local answer may have members that the venue has since added. */
const ANSWERED: Readonly<Record<string, (desk: OfficialClient) => Promise<Reply>>> = {
  orders__create_v2_maker: (desk) =>
    desk.orders.createOrderV2({ ...orderOf(desk, 'orders__create_v2_maker'), client_order_id: 'a-maker' }),
  orders__create_v2_taker_ioc: (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 52, count: 1 });
    return place(desk, 'orders__create_v2_taker_ioc');
  },
  orders__cancel_v2: async (desk) => desk.orders.cancelOrderV2(await desk.placeOrder()),
  orders__stp_self_cross: async (desk) => {
    await desk.placeOrder({ price: '0.4800' });
    return place(desk, 'orders__stp_self_cross');
  },
  orders__get_after_create: async (desk) => desk.orders.getOrder(await desk.placeOrder()),
  auth__skew_minus5s: (desk) => desk.portfolio.getBalance(),
  orderbook__base: (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 92, count: 3 });
    desk.placeRivalOrder(EMPTY, 'buy', { price: 2, count: 3 });
    return desk.market.getMarketOrderbook(EMPTY);
  },
  orders__get_after_cancel: async (desk) => desk.orders.getOrder(await desk.placeCanceledOrder()),
  orders__stp_setup: (desk) =>
    desk.orders.createOrderV2({ ...orderOf(desk, 'orders__stp_setup'), client_order_id: 'a-setup' }),
  portfolio__orders_list: async (desk) => {
    await desk.placeOrder();
    return desk.orders.getOrders(undefined, undefined, undefined, undefined, undefined, 10);
  },
  fills__after_taker: async (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 53, count: 1 });
    await desk.placeOrder({ price: '0.5300', count: '1.00' });
    return desk.portfolio.getFills(undefined, undefined, undefined, undefined, 10);
  },
  portfolio__positions: async (desk) => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 54, count: 1 });
    await desk.placeOrder({ price: '0.5400', count: '1.00' });
    return desk.portfolio.getPositions();
  },
  exchange__status: (desk) => desk.exchange.getExchangeStatus(),
  account__limits: (desk) => desk.account.getAccountApiLimits(),
  account__endpoint_costs: (desk) => desk.account.getAccountEndpointCosts(),
  markets__unauth_single: (desk) => desk.market.getMarket(EMPTY),
  markets__garbage_cursor: (desk) => desk.market.getMarkets(5, 'garbage-cursor-fixture'),
};

describe.skipIf(isAbsent)(`the local exchange, compared with recordings of the real one${why}`, () => {
  let desk: OfficialClient;
  beforeAll(async () => {
    desk = await OfficialClient.open();
  });
  afterAll(() => desk.stop());

  it.each(Object.entries(REFUSED))('refuses %s with the same body', async (file, provoke) => {
    const { status, body } = recorded(file);
    expect(await outcomeOf(provoke(desk))).toEqual({ status, data: body, isRejected: true });
  });

  it.each(Object.entries(TURNED_AWAY))('refuses the authentication of %s with the same body', async (file, options) => {
    const { status, body } = recorded(file);
    const other = await OfficialClient.open(options);
    try {
      expect(await outcomeOf(other.portfolio.getBalance())).toEqual({ status, data: body, isRejected: true });
    } finally {
      await other.stop();
    }
  });

  it.each(Object.entries(ANSWERED))('answers %s with a body of the same shape', async (file, provoke) => {
    const { status, body } = recorded(file);
    const outcome: Outcome = await outcomeOf(provoke(desk));
    expect(outcome.status).toBe(status);
    expect(shapeOf(outcome.data)).toMatchObject(shapeOf(body) as object);
  });

  it('charges the same for an order that fills at once', async () => {
    desk.placeRivalOrder(EMPTY, 'sell', { price: 52, count: 1 });
    const order = { ...orderOf(desk, 'orders__settlement_seed'), client_order_id: 'seed' };
    const { data } = await desk.orders.createOrderV2(order);
    const { average_fill_price, fill_count, remaining_count } = recorded('orders__settlement_seed').body as typeof data;
    expect(data).toMatchObject({ average_fill_price, fill_count, remaining_count });
  });
});
