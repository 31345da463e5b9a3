// Reads of what is an account's own: money, positions, orders, fills, settlements, limits.
// Must never change anything.
import { must } from '../../domain/assert.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { LimitRecord, QueryRecord } from '../../venues/trade-api/wire/records.ts';
import type { AccountName } from '../input.ts';
import { isUuid } from '../names.ts';
import { balanceRecord, fillRecord, orderRecord, positionRecord, settlementRecord } from './account-records.ts';
import type { Call, Handler, RateLimit } from './call.ts';
import { notFound, partOf } from './market-endpoints.ts';
import { pageOf } from './pages.ts';
import { readQuery } from './reading.ts';
import { RequestFault, nested } from './refusals.ts';

/** Whose call it is. Endpoints that need a key are not reached without one. */
export const accountOf = ({ account }: Call): AccountName => must(account, 'the account of a call with a key');

/** The order a path names. */
export function orderIdOf(call: Call): string {
  const orderId = partOf(call, 'orderId');
  if (!isUuid(orderId)) throw new RequestFault(nested(400, 'invalid_UUID', 'order id: expected a UUID'));
  return orderId;
}

/** Whether a row of a market and a time is among those a query asks for. */
function rowFilter(call: Call, query: QueryRecord): (ticker: Ticker, at: Micros) => boolean {
  const { minAt, maxAt } = query;
  const ofGroup = query.eventTicker === null ? null : tickersOfGroups(call, query.eventTicker);
  return (ticker, at) =>
    (query.ticker === null || ticker === query.ticker) &&
    (ofGroup === null || ofGroup.has(ticker)) &&
    (minAt === null || at >= minAt) &&
    (maxAt === null || at <= maxAt);
}

/** The markets of one event group, or of several with commas between. */
function tickersOfGroups({ exchange }: Call, groups: string): ReadonlySet<Ticker> {
  const wanted = new Set(groups.split(','));
  return new Set(
    exchange.markets().flatMap(({ definition }) => (wanted.has(definition.eventTicker) ? [definition.ticker] : [])),
  );
}

export const balance: Handler = {
  answer(call) {
    const { exchange } = call;
    const found = must(exchange.balance(accountOf(call)), 'the account of a key');
    return codecOf(call.profile.records.balance).encode(balanceRecord(found, exchange.now));
  },
};

export const positions: Handler = {
  answer(call) {
    const query = readQuery(call, call.profile.records.query);
    const isWanted = rowFilter(call, { ...query, minAt: null, maxAt: null });
    const rows = call.exchange
      .positions(accountOf(call))
      .filter(({ ticker, updatedAt }) => isWanted(ticker, updatedAt));
    const page = pageOf(rows, { query, keyOf: ({ ticker }) => ticker });
    return codecOf(call.profile.records.positions).encode({ ...page, rows: page.rows.map(positionRecord) });
  },
};

const STATUS = { working: 'resting', filled: 'executed', canceled: 'canceled' } as const;

export const orders: Handler = {
  answer(call) {
    const { exchange } = call;
    const query = readQuery(call, call.profile.records.query);
    const isWanted = rowFilter(call, query);
    const wanted = query.orderStatus === null ? null : STATUS[query.orderStatus];
    const all = wanted === 'resting' ? exchange.restingOrders(accountOf(call)) : exchange.orders(accountOf(call));
    const rows = all
      .filter(({ status }) => wanted === null || status === wanted)
      .filter(({ ticker, createdAt }) => isWanted(ticker, createdAt))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ orderId }) => orderId });
    return codecOf(call.profile.records.orders).encode({ ...page, rows: page.rows.map(orderRecord) });
  },
};

export const order: Handler = {
  answer(call) {
    const found = call.exchange.order(accountOf(call), orderIdOf(call));
    if (found === undefined) throw notFound(call);
    return codecOf(call.profile.records.order).encode({ order: orderRecord(found) });
  },
};

export const fills: Handler = {
  answer(call) {
    const query = readQuery(call, call.profile.records.query);
    const isWanted = rowFilter(call, query);
    const rows = call.exchange
      .fills(accountOf(call))
      .filter(({ orderId }) => query.orderId === null || orderId === query.orderId)
      .filter(({ ticker, at }) => isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ tradeId, orderId }) => `${tradeId}/${orderId}` });
    return codecOf(call.profile.records.fills).encode({ ...page, rows: page.rows.map(fillRecord) });
  },
};

export const settlements: Handler = {
  answer(call) {
    const query = readQuery(call, call.profile.records.query);
    const isWanted = rowFilter(call, query);
    const rows = call.exchange
      .settlements(accountOf(call))
      .filter(({ ticker, at }) => isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ ticker, at }) => `${ticker}/${at}` });
    return codecOf(call.profile.records.settlements).encode({ ...page, rows: page.rows.map(settlementRecord) });
  },
};

export const limits: Handler = {
  answer: ({ profile, limits: { read, trade } }) =>
    codecOf(profile.records.limits).encode({ tier: 'local', read: limitRecord(read), trade: limitRecord(trade) }),
};

const limitRecord = (limit: RateLimit): LimitRecord =>
  limit.model === 'rolling-window'
    ? { count: limit.count, windowMs: limit.windowMs, refillPerSecond: null, capacity: null }
    : { count: null, windowMs: null, refillPerSecond: limit.refillPerSecond, capacity: limit.capacity };
