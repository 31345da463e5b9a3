// The exchange's state as plain data, and its restoration. A state and its restored copy must give the same answers and
// facts to the same inputs.
import { must } from '../../base/assert.ts';
import type { MarketIndex, SeriesTicker, Ticker } from '../../domain/ids.ts';
import type { Outcome } from '../../domain/market.ts';
import { cellOf, priceGrid } from '../../domain/price-grid.ts';
import type { Micros, Money } from '../../domain/units.ts';
import { auditState } from '../machine/state-audit.ts';
import { RestingBook, NONE } from '../machine/resting-book.ts';
import { type ScheduledChange, ExchangeState, type IdCounts } from '../machine/exchange-state.ts';
import { MarketHistory, type HistoryImage } from '../markets/market-history.ts';
import type { AccountName, FeeTerms, GroupDefinition, SeriesDefinition } from '../machine/exchange-input.ts';
import { sideIndexOf } from '../machine/match-plan.ts';
import type { FeeChangeView, FillView, TransferView } from '../machine/exchange-output.ts';
import type { Account, Holding, MarketRecord, OrderGroupRecord, OrderRecord } from '../machine/exchange-records.ts';
import { restingOrdersIn } from '../machine/resting-orders.ts';

type OrderRef = readonly [AccountName, string];

/** Older images have no order groups and no outcomes: their orders are all in terms of YES. */
type OrderImage = Omit<OrderRecord, 'holding' | 'slot' | 'groupId' | 'outcome'> & {
  readonly market: MarketIndex;
  readonly groupId?: string | null;
  readonly outcome?: Outcome;
};
type FillImage = Omit<FillView, 'outcome'> & { readonly outcome?: Outcome };

type HoldingImage = Omit<Holding, 'account' | 'market' | 'buys' | 'sells'> & {
  readonly account: AccountName;
  readonly buys: readonly string[];
  readonly sells: readonly string[];
};

type MarketImage = Omit<MarketRecord, 'book' | 'history' | 'holders' | 'grid' | 'schedule' | 'ticker'> & {
  readonly history: HistoryImage;
  readonly holders: readonly HoldingImage[];
  /** Resting orders: bids, then asks, each by price and then by time. */
  readonly resting: readonly OrderRef[];
};

type OrderGroupImage = Omit<OrderGroupRecord, 'account'>;

type AccountImage = Omit<
  Account,
  'clearing' | 'holdings' | 'orders' | 'resting' | 'burnt' | 'fills' | 'orderGroups' | 'transfers'
> & {
  /** Absent in older images, where every account clears directly. */
  readonly clearing?: Account['clearing'];
  readonly markets: readonly MarketIndex[];
  readonly orders: readonly OrderImage[];
  readonly fills: readonly FillImage[];
  readonly burnt: readonly string[];
  /** Absent in older images. */
  readonly orderGroups?: readonly OrderGroupImage[];
  readonly transfers?: readonly TransferView[];
};

type DueImage =
  | { readonly at: Micros; readonly type: 'open' | 'close' | 'settle'; readonly market: MarketIndex }
  | { readonly at: Micros; readonly type: 'expire'; readonly order: OrderRef }
  | { readonly at: Micros; readonly type: 'fees'; readonly seriesTicker: SeriesTicker; readonly fees: FeeTerms };

/** The exchange's whole state as plain data. */
export interface ExchangeImage {
  readonly now: Micros;
  readonly seq: number;
  readonly isActive: boolean;
  readonly isTrading: boolean;
  /** Absent in older images, where any pause may be one for maintenance. */
  readonly isMaintenance?: boolean;
  /** Counts missing from an older image are 0. */
  readonly counts: Partial<IdCounts>;
  readonly house: Money;
  readonly outside: Money;
  readonly series: readonly SeriesDefinition[];
  readonly groups: readonly GroupDefinition[];
  /** Absent in older images. */
  readonly configured?: readonly Ticker[];
  /** Absent in older images. */
  readonly feeChanges?: readonly FeeChangeView[];
  readonly accounts: readonly AccountImage[];
  readonly markets: readonly MarketImage[];
  readonly finalized: readonly MarketIndex[];
  readonly timers: readonly DueImage[];
}

/** The image of a state. It does not change when the state does. */
export function imageOf(state: ExchangeState): ExchangeImage {
  const { now, seq, isActive, isTrading, isMaintenance, counts, ledger } = state;
  return {
    now,
    seq,
    isActive,
    isTrading,
    isMaintenance,
    counts,
    house: ledger.house.cash,
    outside: ledger.outside.cash,
    series: [...state.series.values()],
    groups: [...state.groups.values()],
    configured: [...state.configured],
    feeChanges: [...state.feeChanges],
    accounts: [...ledger.accounts].map(accountImage),
    markets: [...state.markets.values()].map(marketImage),
    finalized: state.finalized.map(({ index }) => index),
    timers: state.timers.entries().flatMap(({ at, item }) => dueImage(state, at, item)),
  };
}

function accountImage(record: Account): AccountImage {
  const { holdings, orders, resting: _, burnt, orderGroups, transfers, ...account } = record;
  return {
    ...account,
    finished: [...account.finished],
    fills: [...account.fills],
    settlements: [...account.settlements],
    markets: [...holdings.keys()],
    orders: [...orders.values()].map(({ holding, slot: _slot, ...order }) => ({
      ...order,
      market: holding.market.index,
    })),
    burnt: [...burnt],
    orderGroups: [...orderGroups.values()].map(({ account: _account, traded, ...group }) => ({
      ...group,
      traded: [...traded],
    })),
    transfers: [...transfers.values()],
  };
}

function marketImage(market: MarketRecord): MarketImage {
  const { book: _, grid: _grid, schedule: _schedule, ticker: _ticker, history, holders, pool, ...rest } = market;
  return {
    ...rest,
    pool: { ...pool },
    history: history.image(),
    holders: holders.map(holdingImage),
    resting: restingOrdersIn(market).map(refOf),
  };
}

const refOf = ({ holding, orderId }: OrderRecord): OrderRef => [holding.account.name, orderId];

function holdingImage({ account, market: _market, yes, no, buys, sells, names, ...rest }: Holding): HoldingImage {
  const ids = (orders: readonly OrderRecord[]): string[] => orders.map(({ orderId }) => orderId);
  return {
    ...rest,
    account: account.name,
    yes: { ...yes },
    no: { ...no },
    names: [...names],
    buys: ids(buys),
    sells: ids(sells),
  };
}

/** The image of a scheduled change; empty when its order no longer rests or its market was removed. */
function dueImage(state: ExchangeState, at: Micros, due: ScheduledChange): DueImage[] {
  if (due.type === 'expire')
    return due.order.status === 'resting' ? [{ at, type: due.type, order: refOf(due.order) }] : [];
  if (due.type === 'fees') return [{ at, ...due }];
  const { market, type } = due;
  return state.markets.get(market.ticker) === market ? [{ at, type, market: market.index }] : [];
}

/**
 * Restores a state from its image.
 * @param salt must be the exchange's own.
 * @throws {AssertionFault} when the image is inconsistent.
 */
export function stateFromImage(salt: number, image: ExchangeImage): ExchangeState {
  const state = new ExchangeState(salt, image.counts);
  state.now = image.now;
  state.seq = image.seq;
  state.isActive = image.isActive;
  state.isTrading = image.isTrading;
  state.isMaintenance = image.isMaintenance ?? !image.isTrading;
  for (const series of image.series) state.series.set(series.ticker, series);
  for (const group of image.groups) state.groups.set(group.ticker, group);
  for (const ticker of image.configured ?? []) state.configured.add(ticker);
  state.feeChanges.push(...(image.feeChanges ?? []));
  const markets = new Map(image.markets.map((each) => [each.index, marketOf(state, each)]));
  const marketAt = (index: MarketIndex): MarketRecord => must(markets.get(index), `market ${index} of the image`);
  for (const each of image.accounts) restoreAccount(state, each);
  restoreHoldings(state, image, marketAt);
  for (const each of image.accounts) restoreOrders(state, each, marketAt);
  for (const each of image.markets) restoreBook(state, each, marketAt(each.index));
  for (const index of image.finalized) state.finalized.push(marketAt(index));
  for (const due of image.timers) state.timers.schedule(due.at, dueOf(state, due, marketAt));
  state.ledger.restoreTotals(image, markets.values());
  auditState(state);
  return state;
}

function dueOf(
  state: ExchangeState,
  { at: _at, ...due }: DueImage,
  marketAt: (index: MarketIndex) => MarketRecord,
): ScheduledChange {
  if (due.type === 'expire') return { type: due.type, order: orderOf(state, due.order) };
  return due.type === 'fees' ? due : { type: due.type, market: marketAt(due.market) };
}

function marketOf(
  state: ExchangeState,
  { resting: _resting, holders: _holders, history, ...rest }: MarketImage,
): MarketRecord {
  const grid = priceGrid(rest.definition.gridRanges);
  const market: MarketRecord = {
    ...rest,
    ticker: rest.definition.ticker,
    grid,
    schedule: state.feeScheduleOf(rest.definition.eventTicker),
    book: new RestingBook(grid.cellCount),
    history: new MarketHistory(history),
    pool: { ...rest.pool },
    holders: [],
  };
  state.addMarket(market);
  return market;
}

function restoreAccount(
  state: ExchangeState,
  { markets: _markets, orders: _orders, burnt, ...image }: AccountImage,
): void {
  const account = state.ledger.openAccount(image.name, image);
  const { finished, fills, settlements, orderGroups = [], transfers = [], ...money } = image;
  Object.assign(account, money);
  for (const id of finished) account.finished.push(id);
  for (const fill of fills) account.fills.push({ ...fill, outcome: fill.outcome ?? 'yes' });
  for (const settlement of settlements) account.settlements.push(settlement);
  for (const name of burnt) account.burnt.add(name);
  for (const { traded, ...group } of orderGroups)
    account.orderGroups.set(group.groupId, { ...group, account, traded: [...traded] });
  for (const view of transfers) account.transfers.set(view.id, view);
}

/** Restores holdings in the sequence in which each account and each market had them. */
function restoreHoldings(
  state: ExchangeState,
  image: ExchangeImage,
  marketAt: (index: MarketIndex) => MarketRecord,
): void {
  for (const { index, holders } of image.markets) {
    const market = marketAt(index);
    for (const { account, buys: _, sells: _sells, yes, no, names, ...rest } of holders) {
      const record = accountOf(state, account);
      const own = { account: record, market, buys: [], sells: [], names: [...names], yes: { ...yes }, no: { ...no } };
      market.holders.push({ ...rest, ...own });
    }
  }
  for (const { name, markets } of image.accounts) {
    const account = accountOf(state, name);
    for (const index of markets) {
      const holding = marketAt(index).holders.find((each) => each.account === account);
      account.holdings.set(index, must(holding, `holding of ${name} in market ${index}`));
    }
  }
}

function restoreOrders(
  state: ExchangeState,
  image: AccountImage,
  marketAt: (index: MarketIndex) => MarketRecord,
): void {
  const account = accountOf(state, image.name);
  for (const { market: index, ...rest } of image.orders) {
    const holding = must(account.holdings.get(marketAt(index).index), `holding behind order ${rest.orderId}`);
    const order: OrderRecord = {
      ...rest,
      outcome: rest.outcome ?? 'yes',
      groupId: rest.groupId ?? null,
      holding,
      slot: NONE,
    };
    account.orders.set(order.orderId, order);
    if (order.status === 'resting') account.resting.set(order.orderId, order);
  }
}

function restoreBook(state: ExchangeState, { resting, holders }: MarketImage, market: MarketRecord): void {
  for (const ref of resting) {
    const order = orderOf(state, ref);
    const level = market.book.levelOf(sideIndexOf(order.side), cellOf(market.grid, order.price));
    order.slot = market.book.addOrder(level, order.leavesQty, order);
  }
  holders.forEach(({ account, buys, sells }, index) => {
    const holding = must(market.holders[index], `holding of ${account}`);
    for (const id of buys) holding.buys.push(orderOf(state, [account, id]));
    for (const id of sells) holding.sells.push(orderOf(state, [account, id]));
  });
}

const accountOf = (state: ExchangeState, name: AccountName): Account =>
  must(state.ledger.account(name), `account ${name} of the image`);

const orderOf = (state: ExchangeState, [account, id]: OrderRef): OrderRecord =>
  must(accountOf(state, account).orders.get(id), `order ${id} of the image`);
