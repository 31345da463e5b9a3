// Private reads over all collateral accounts of an owner: balance, positions, orders, queue positions, fills, settlements,
// API keys. Must never change anything, nor send either half of a key.
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, type Money, NO_MONEY, PAYOUT, addMoney, notional, price } from '../../domain/units.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { nameId } from '../../venues/trade-api/wire/name-id.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/records.ts';
import type { AccountName } from '../input.ts';
import type { ExchangeReader } from '../exchange.ts';
import { isUuid } from '../names.ts';
import type { OrderView, PositionView } from '../output.ts';
import { EVERY_PURSE } from '../purses.ts';
import {
  balanceRecord,
  eventPositionRecords,
  fillRecord,
  orderRecord,
  positionRecord,
  settlementRecord,
} from './account-records.ts';
import { type Age, ageFilter } from './ages.ts';
import type { Call, Handler } from './call.ts';
import { shownOne, shownRows } from './lagging-reads.ts';
import { isBetween } from './list-filters.ts';
import { furtherOf, notFound, partOf } from './market-endpoints.ts';
import { pageOf } from './pages.ts';
import { fieldOf, readQuery, wrongParameter } from './query-reading.ts';
import { refuse } from './refusals.ts';
import { accountOf, pursesFor, shardFor, whereaboutsOf } from './whereabouts.ts';

/** The order id in the path. */
export function orderIdOf(call: Call): string {
  const orderId = partOf(call, 'orderId');
  if (!isUuid(orderId)) throw refuse(call, { status: 400, code: 'invalid_UUID', details: 'order id: expected a UUID' });
  return orderId;
}

/** Returns a filter: true for the rows of the markets and times that a query asks for. */
function rowFilter(call: Call, query: QueryRecord): (ticker: Ticker, at: Micros) => boolean {
  const groupTickers = tickersOfGroups(call, query);
  return (ticker, at) =>
    (query.ticker === null || ticker === query.ticker) &&
    (groupTickers === null || groupTickers.has(ticker)) &&
    isBetween(at, query.minAt, query.maxAt);
}

const GROUPS_MAX = 10;

/** The markets of the event groups that a query names; `null` when it names none. */
function tickersOfGroups(call: Call, { eventTicker, eventTickers }: QueryRecord): ReadonlySet<Ticker> | null {
  const groups = eventTicker === null ? eventTickers : [eventTicker];
  if (groups === null) return null;
  if (groups.length > GROUPS_MAX) {
    const field = fieldOf(call, 'eventTickers');
    const problem = `${field}: expected at most ${GROUPS_MAX} names, found ${groups.length}`;
    throw wrongParameter(call, { field, tag: 'max', problem });
  }
  const markets = call.exchange.markets();
  return new Set(
    markets.flatMap(({ definition }) => (groups.includes(definition.eventTicker) ? [definition.ticker] : [])),
  );
}

/** The rows of all collateral accounts that a query asks for, oldest first. */
function rowsOf<Row>(
  call: Call,
  query: QueryRecord,
  { list, at }: { readonly list: (account: AccountName) => readonly Row[]; readonly at: (row: Row) => Micros },
): readonly Row[] {
  const [first, ...others] = pursesFor(call, query);
  if (first === undefined) return [];
  if (others.length === 0) return list(first);
  return [first, ...others].flatMap(list).sort((a, b) => at(a) - at(b));
}

export const balance: Handler = {
  answer(call) {
    const { exchange } = call;
    const { subaccount, shard } = readQuery(call);
    const accounts = pursesFor(call, { subaccount: subaccount ?? 0, shard });
    const balances = accounts.flatMap((account) => exchange.balance(account) ?? []);
    if (balances.length === 0) throw refuse(call, { status: 404, code: 'user_not_found' });
    return codecOf(call.profile.records.balance).encode(balanceRecord(balances, exchange.now));
  },
};

/**
 * Returns a filter: true for positions with a nonzero count among those that a query names, and for all when it names
 * none.
 */
const countFilter =
  ({ counts }: QueryRecord) =>
  ({ qty, tradedQty }: PositionView): boolean =>
    counts === null ||
    (counts.includes('position') && qty !== 0) ||
    (counts.includes('total_traded') && tradedQty !== 0);

const positionsOf = (age: Age): Handler => ({
  answer(call) {
    const { exchange } = call;
    const query = readQuery(call);
    const isWanted = rowFilter(call, { ...query, minAt: null, maxAt: null });
    const isOfAge = ageFilter(call, age);
    const rows = pursesFor(call, query)
      .flatMap((account) => exchange.positions(account))
      .filter(({ ticker, updatedAt }) => isWanted(ticker, updatedAt))
      .filter(({ qty, updatedAt }) => isOfAge(qty === 0 ? updatedAt : null))
      .filter(countFilter(query));
    const page = pageOf(rows, { query, keyOf: ({ account, ticker }) => `${account} ${ticker}` });
    return codecOf(call.profile.records.positions).encode({
      ...page,
      rows: page.rows.map(positionRecord),
      groups: eventPositionRecords(page.rows),
    });
  },
});
export const positions = positionsOf('recent');
export const historicalPositions = positionsOf('old');

const STATUS = { working: 'resting', filled: 'executed', canceled: 'canceled' } as const;

const shownOrders = (call: Call, list: (exchange: ExchangeReader) => readonly OrderView[]): readonly OrderView[] =>
  shownRows(call, { list, idOf: ({ orderId }) => orderId });

const ordersOf = (age: Age): Handler => ({
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const isOfAge = ageFilter(call, age);
    const wantedStatus = query.orderStatus === null ? null : STATUS[query.orderStatus];
    const list = (account: AccountName): readonly OrderView[] =>
      shownOrders(call, (exchange) =>
        wantedStatus === 'resting' ? exchange.restingOrders(account) : exchange.orders(account),
      );
    const rows = rowsOf(call, query, { list, at: ({ createdAt }) => createdAt })
      .filter(({ status }) => wantedStatus === null || status === wantedStatus)
      .filter(({ status, updatedAt }) => isOfAge(status === 'resting' ? null : updatedAt))
      .filter(({ ticker, createdAt }) => isWanted(ticker, createdAt))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ orderId }) => orderId });
    return codecOf(call.profile.records.orders).encode({ ...page, rows: page.rows.map(orderRecord) });
  },
});
export const orders = ordersOf('recent');
export const historicalOrders = ordersOf('old');

/** The order in the path, on the shard in the query. */
function orderOf(call: Call): OrderView {
  const orderId = orderIdOf(call);
  const routing = whereaboutsOf(call);
  const filter = { subaccount: routing.subaccount, shard: shardFor(call, routing) };
  for (const account of pursesFor(call, filter)) {
    const found = shownOne(call, (exchange) => exchange.order(account, orderId));
    if (found !== undefined) return found;
  }
  throw notFound(call);
}

export const order: Handler = {
  answer: (call) => codecOf(call.profile.records.order).encode({ order: orderRecord(orderOf(call)) }),
};

export const queuePosition: Handler = {
  answer(call) {
    const { account, orderId } = orderOf(call);
    const ahead = shownOne(call, (exchange) => exchange.queueAhead(account, orderId));
    if (ahead === undefined) throw notFound(call);
    return codecOf(furtherOf(call).queuePosition).encode({ ahead });
  },
};

export const queuePositions: Handler = {
  answer(call) {
    const query = readQuery(call);
    const groupTickers = tickersOfGroups(call, query);
    const positions = pursesFor(call, query)
      .flatMap((account) => shownOrders(call, (exchange) => exchange.restingOrders(account)))
      .filter(({ ticker }) => groupTickers === null || groupTickers.has(ticker))
      .filter(({ ticker }) => query.tickers === null || query.tickers.includes(ticker))
      .flatMap(({ account, orderId, ticker }) => {
        const ahead = shownOne(call, (exchange) => exchange.queueAhead(account, orderId));
        return ahead === undefined ? [] : [{ orderId, ticker, ahead }];
      });
    return codecOf(furtherOf(call).queuePositions).encode({ positions });
  },
};

/** The cost of all resting orders at their own prices, without fees. */
export const restingValue: Handler = {
  answer(call) {
    const orders = pursesFor(call, EVERY_PURSE).flatMap((account) => call.exchange.restingOrders(account));
    const value = orders.reduce<Money>(
      (sum, { side, price: at, leavesQty }) =>
        addMoney(sum, notional(side === 'buy' ? at : price(PAYOUT - at), leavesQty)),
      NO_MONEY,
    );
    return codecOf(furtherOf(call).restingValue).encode({ value });
  },
};

const fillsOf = (age: Age): Handler => ({
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const isOfAge = ageFilter(call, age);
    const rows = rowsOf(call, query, { list: (account) => call.exchange.fills(account), at: ({ at }) => at })
      .filter(({ orderId }) => query.orderId === null || orderId === query.orderId)
      .filter(({ ticker, at }) => isOfAge(at) && isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ tradeId, orderId }) => `${tradeId}/${orderId}` });
    return codecOf(call.profile.records.fills).encode({ ...page, rows: page.rows.map(fillRecord) });
  },
});
export const fills = fillsOf('recent');
export const historicalFills = fillsOf('old');

export const settlements: Handler = {
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const rows = rowsOf(call, query, { list: (account) => call.exchange.settlements(account), at: ({ at }) => at })
      .filter(({ ticker, at }) => isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ account, ticker, at }) => `${account} ${ticker}/${at}` });
    return codecOf(call.profile.records.settlements).encode({ ...page, rows: page.rows.map(settlementRecord) });
  },
};

/** The scopes of every key. */
const SCOPES = ['read', 'write'];

export const apiKeys: Handler = {
  answer(call) {
    const keys = call.keyIdsOf(accountOf(call)).map((id) => ({ id, name: id, scopes: SCOPES }));
    return codecOf(furtherOf(call).apiKeys).encode({ keys });
  },
};

export const communicationsId: Handler = {
  answer: (call) => codecOf(furtherOf(call).communicationsId).encode({ id: nameId(accountOf(call)) }),
};
