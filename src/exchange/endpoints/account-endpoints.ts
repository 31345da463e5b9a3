// Private reads over all collateral accounts of an owner. Must never change anything, nor send either half of a key.
import type { Ticker } from '../../domain/ids.ts';
import { type Micros, type Money, NO_MONEY, PAYOUT, addMoney, notional, price } from '../../domain/units.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import { idOfName } from '../../venues/trade-api/wire/name-id.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { AccountName } from '../machine/exchange-input.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import { isUuid } from '../machine/exchange-ids.ts';
import type { OrderView, PositionView } from '../machine/exchange-output.ts';
import { ALL_COLLATERAL_ACCOUNTS } from '../accounts/collateral-accounts.ts';
import {
  balanceRecord,
  eventPositionRecords,
  fillRecord,
  orderRecord,
  positionRecord,
  settlementRecord,
} from './account-encoders.ts';
import { type RowAge, ageFilter } from './row-ages.ts';
import type { EndpointCall, EndpointHandler } from '../api/endpoint-call.ts';
import { visibleItem, visibleRows } from './lagging-reads.ts';
import { isBetween } from './list-filters.ts';
import { furtherRecordsOf, notFound, pathPart } from './market-endpoints.ts';
import { pageOf } from './list-pages.ts';
import { fieldOf, readQuery, invalidParameter } from './query-reading.ts';
import { refuseCall } from '../api/api-errors.ts';
import { callerAccount, collateralAccountsFor, shardFor, routingOf } from './shard-routing.ts';

/** The order id in the path. */
export function orderIdOf(call: EndpointCall): string {
  const orderId = pathPart(call, 'orderId');
  if (!isUuid(orderId))
    throw refuseCall(call, { status: 400, code: 'invalid_UUID', details: 'order id: expected a UUID' });
  return orderId;
}

function rowFilter(call: EndpointCall, query: QueryRecord): (ticker: Ticker, at: Micros) => boolean {
  const groupTickers = tickersOfGroups(call, query);
  return (ticker, at) =>
    (query.ticker === null || ticker === query.ticker) &&
    (groupTickers === null || groupTickers.has(ticker)) &&
    isBetween(at, query.minAt, query.maxAt);
}

const GROUPS_MAX = 10;

/** The markets of the event groups in a query; `null` when the query names no group. */
function tickersOfGroups(call: EndpointCall, { eventTicker, eventTickers }: QueryRecord): ReadonlySet<Ticker> | null {
  const groups = eventTicker === null ? eventTickers : [eventTicker];
  if (groups === null) return null;
  if (groups.length > GROUPS_MAX) {
    const field = fieldOf(call, 'eventTickers');
    const problem = `${field}: expected at most ${GROUPS_MAX} names, found ${groups.length}`;
    throw invalidParameter(call, { field, tag: 'max', problem });
  }
  const markets = call.exchange.markets();
  return new Set(
    markets.flatMap(({ definition }) => (groups.includes(definition.eventTicker) ? [definition.ticker] : [])),
  );
}

function rowsOf<Row>(
  call: EndpointCall,
  query: QueryRecord,
  { list, at }: { readonly list: (account: AccountName) => readonly Row[]; readonly at: (row: Row) => Micros },
): readonly Row[] {
  const [first, ...others] = collateralAccountsFor(call, query);
  if (first === undefined) return [];
  if (others.length === 0) return list(first);
  return [first, ...others].flatMap(list).sort((a, b) => at(a) - at(b));
}

export const balance: EndpointHandler = {
  answer(call) {
    const { exchange } = call;
    const { subaccount, shard } = readQuery(call);
    const accounts = collateralAccountsFor(call, { subaccount: subaccount ?? 0, shard });
    const balances = accounts.flatMap((account) => exchange.balance(account) ?? []);
    if (balances.length === 0) throw refuseCall(call, { status: 404, code: 'user_not_found' });
    return codecOf(call.profile.records.balance).encodeText(balanceRecord(balances, exchange.now));
  },
};

/**
 * Returns a filter for positions. Where the query names figures (position, total traded), one of these must not be
 * zero.
 */
const countFilter =
  ({ counts }: QueryRecord) =>
  ({ qty, tradedQty }: PositionView): boolean =>
    counts === null ||
    (counts.includes('position') && qty !== 0) ||
    (counts.includes('total_traded') && tradedQty !== 0);

const positionsOf = (age: RowAge): EndpointHandler => ({
  answer(call) {
    const { exchange } = call;
    const query = readQuery(call);
    const isWanted = rowFilter(call, { ...query, minAt: null, maxAt: null });
    const isOfAge = ageFilter(call, age);
    const rows = collateralAccountsFor(call, query)
      .flatMap((account) => exchange.positions(account))
      .filter(({ ticker, updatedAt }) => isWanted(ticker, updatedAt))
      .filter(({ qty, updatedAt }) => isOfAge(qty === 0 ? updatedAt : null))
      .filter(countFilter(query));
    // A position may open or close between two pages, at any place: the list is sorted.
    const keyOf = ({ account, ticker }: PositionView): string => `${account} ${ticker}`;
    rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const page = pageOf(rows, { query, list: call.request.endpoint, keyOf, isSorted: true });
    return codecOf(call.profile.records.positions).encodeText({
      ...page,
      rows: page.rows.map(positionRecord),
      groups: eventPositionRecords(page.rows),
    });
  },
});
export const positions = positionsOf('recent');
export const historicalPositions = positionsOf('old');

const STATUS = { working: 'resting', filled: 'executed', canceled: 'canceled' } as const;

const shownOrders = (
  call: EndpointCall,
  list: (exchange: ExchangeReader) => readonly OrderView[],
): readonly OrderView[] => visibleRows(call, { list, idOf: ({ orderId }) => orderId });

const ordersOf = (age: RowAge): EndpointHandler => ({
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const isOfAge = ageFilter(call, age);
    const wantedStatus = query.orderStatus === null ? null : STATUS[query.orderStatus];
    // The order of a cursor may have ended since, so only a first page can do with the resting orders alone.
    const isRestingEnough = wantedStatus === 'resting' && query.cursor === null;
    const list = (account: AccountName): readonly OrderView[] =>
      shownOrders(call, (exchange) => (isRestingEnough ? exchange.restingOrders(account) : exchange.orders(account)));
    const rows = rowsOf(call, query, { list, at: ({ createdAt }) => createdAt });
    const page = pageOf(rows.toReversed(), {
      query,
      list: call.request.endpoint,
      keyOf: ({ orderId }) => orderId,
      isListed: ({ status, ticker, createdAt, updatedAt }) =>
        (wantedStatus === null || status === wantedStatus) &&
        isOfAge(status === 'resting' ? null : updatedAt) &&
        isWanted(ticker, createdAt),
    });
    return codecOf(call.profile.records.orders).encodeText({ ...page, rows: page.rows.map(orderRecord) });
  },
});
export const orders = ordersOf('recent');
export const historicalOrders = ordersOf('old');

function orderOf(call: EndpointCall): OrderView {
  const orderId = orderIdOf(call);
  const routing = routingOf(call);
  const filter = { subaccount: routing.subaccount, shard: shardFor(call, routing) };
  for (const account of collateralAccountsFor(call, filter)) {
    const found = visibleItem(call, (exchange) => exchange.order(account, orderId));
    if (found !== undefined) return found;
  }
  throw notFound(call);
}

export const order: EndpointHandler = {
  answer: (call) => codecOf(call.profile.records.order).encodeText({ order: orderRecord(orderOf(call)) }),
};

export const queuePosition: EndpointHandler = {
  answer(call) {
    const { account, orderId } = orderOf(call);
    const ahead = visibleItem(call, (exchange) => exchange.queueAhead(account, orderId));
    if (ahead === undefined) throw notFound(call);
    return codecOf(furtherRecordsOf(call).queuePosition).encodeText({ ahead });
  },
};

export const queuePositions: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const groupTickers = tickersOfGroups(call, query);
    const positions = collateralAccountsFor(call, query)
      .flatMap((account) => shownOrders(call, (exchange) => exchange.restingOrders(account)))
      .filter(({ ticker }) => groupTickers === null || groupTickers.has(ticker))
      .filter(({ ticker }) => query.tickers === null || query.tickers.includes(ticker))
      .flatMap(({ account, orderId, ticker }) => {
        const ahead = visibleItem(call, (exchange) => exchange.queueAhead(account, orderId));
        return ahead === undefined ? [] : [{ orderId, ticker, ahead }];
      });
    return codecOf(furtherRecordsOf(call).queuePositions).encodeText({ positions });
  },
};

/** The cost of all resting orders at their own prices, without fees. */
export const restingValue: EndpointHandler = {
  answer(call) {
    const orders = collateralAccountsFor(call, ALL_COLLATERAL_ACCOUNTS).flatMap((account) =>
      call.exchange.restingOrders(account),
    );
    const value = orders.reduce<Money>(
      (sum, { side, price: at, leavesQty }) =>
        addMoney(sum, notional(side === 'buy' ? at : price(PAYOUT - at), leavesQty)),
      NO_MONEY,
    );
    return codecOf(furtherRecordsOf(call).restingValue).encodeText({ value });
  },
};

const fillsOf = (age: RowAge): EndpointHandler => ({
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const isOfAge = ageFilter(call, age);
    const rows = rowsOf(call, query, { list: (account) => call.exchange.fills(account), at: ({ at }) => at })
      .filter(({ orderId }) => query.orderId === null || orderId === query.orderId)
      .filter(({ ticker, at }) => isOfAge(at) && isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, {
      query,
      list: call.request.endpoint,
      keyOf: ({ tradeId, orderId }) => `${tradeId}/${orderId}`,
    });
    return codecOf(call.profile.records.fills).encodeText({ ...page, rows: page.rows.map(fillRecord) });
  },
});
export const fills = fillsOf('recent');
export const historicalFills = fillsOf('old');

export const settlements: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const isWanted = rowFilter(call, query);
    const rows = rowsOf(call, query, { list: (account) => call.exchange.settlements(account), at: ({ at }) => at })
      .filter(({ ticker, at }) => isWanted(ticker, at))
      .reverse();
    const page = pageOf(rows, {
      query,
      list: call.request.endpoint,
      keyOf: ({ account, ticker, at }) => `${account} ${ticker}/${at}`,
    });
    return codecOf(call.profile.records.settlements).encodeText({ ...page, rows: page.rows.map(settlementRecord) });
  },
};

const SCOPES = ['read', 'write'];

export const apiKeys: EndpointHandler = {
  answer(call) {
    const keys = call.keyIdsOf(callerAccount(call)).map((id) => ({ id, name: id, scopes: SCOPES }));
    return codecOf(furtherRecordsOf(call).apiKeys).encodeText({ keys });
  },
};

export const communicationsId: EndpointHandler = {
  answer: (call) => codecOf(furtherRecordsOf(call).communicationsId).encodeText({ id: idOfName(callerAccount(call)) }),
};
