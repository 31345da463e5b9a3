// The whole floor as plain data, and a floor made of it again: what lets a log begin in the middle. Pure.
// Whatever is done to a floor and to one made of its image gives the same answers and facts, to the order of ties.
import { must } from '../domain/assert.ts';
import type { MarketIndex, SeriesTicker } from '../domain/ids.ts';
import type { Outcome } from '../domain/market.ts';
import { cellOf, priceGrid } from '../domain/price-grid.ts';
import type { Micros, Money } from '../domain/units.ts';
import { auditFloor } from './audit.ts';
import { Book, NONE } from './book.ts';
import { type Due, Floor, type FloorCounts } from './floor.ts';
import { History, type HistoryImage } from './history.ts';
import type { AccountName, FeeTerms, GroupDefinition, SeriesDefinition } from './input.ts';
import { sideIndex } from './matching.ts';
import type { FeeChangeView, FillView, TransferView } from './output.ts';
import type { Account, Holding, MarketRecord, OrderGroupRecord, OrderRecord } from './records.ts';
import { restingIn } from './resting.ts';

/** An order, by the account that has it and its id. */
type OrderRef = readonly [AccountName, string];

/** Older images name no order groups, and no outcomes: all of them were YES. */
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
  /** In the order in which they would be met. */
  readonly resting: readonly OrderRef[];
};

type OrderGroupImage = Omit<OrderGroupRecord, 'account'>;

type AccountImage = Omit<
  Account,
  'clearing' | 'holdings' | 'orders' | 'resting' | 'burnt' | 'fills' | 'orderGroups' | 'transfers'
> & {
  /** Older images do not say: direct. */
  readonly clearing?: Account['clearing'];
  /** Of its holdings, in their order. */
  readonly markets: readonly MarketIndex[];
  readonly orders: readonly OrderImage[];
  readonly fills: readonly FillImage[];
  readonly burnt: readonly string[];
  /** Older images have neither. */
  readonly orderGroups?: readonly OrderGroupImage[];
  readonly transfers?: readonly TransferView[];
};

type DueImage =
  | { readonly at: Micros; readonly type: 'open' | 'close' | 'settle'; readonly market: MarketIndex }
  | { readonly at: Micros; readonly type: 'expire'; readonly order: OrderRef }
  | { readonly at: Micros; readonly type: 'fees'; readonly seriesTicker: SeriesTicker; readonly fees: FeeTerms };

/** Everything that an exchange knows, as plain data. */
export interface ExchangeImage {
  readonly now: Micros;
  readonly seq: number;
  readonly isActive: boolean;
  readonly isTrading: boolean;
  /** What an older image does not count is none. */
  readonly counts: Partial<FloorCounts>;
  readonly house: Money;
  readonly outside: Money;
  readonly series: readonly SeriesDefinition[];
  readonly groups: readonly GroupDefinition[];
  /** Older images have none. */
  readonly feeChanges?: readonly FeeChangeView[];
  readonly accounts: readonly AccountImage[];
  readonly markets: readonly MarketImage[];
  readonly finalized: readonly MarketIndex[];
  readonly timers: readonly DueImage[];
}

/** The image of a floor. Nothing in it changes when the floor does. */
export function imageOf(floor: Floor): ExchangeImage {
  const { now, seq, isActive, isTrading, counts, ledger } = floor;
  return {
    now,
    seq,
    isActive,
    isTrading,
    counts,
    house: ledger.house.cash,
    outside: ledger.outside.cash,
    series: [...floor.series.values()],
    groups: [...floor.groups.values()],
    feeChanges: [...floor.feeChanges],
    accounts: [...ledger.accounts].map(accountImage),
    markets: [...floor.markets.values()].map(marketImage),
    finalized: floor.finalized.map(({ index }) => index),
    timers: floor.timers.entries().flatMap(({ at, item }) => dueImage(floor, at, item)),
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
    resting: restingIn(market).map(refOf),
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

/** What can never apply again is left out. */
function dueImage(floor: Floor, at: Micros, due: Due): DueImage[] {
  if (due.type === 'expire')
    return due.order.status === 'resting' ? [{ at, type: due.type, order: refOf(due.order) }] : [];
  if (due.type === 'fees') return [{ at, ...due }];
  const { market, type } = due;
  return floor.markets.get(market.ticker) === market ? [{ at, type, market: market.index }] : [];
}

/**
 * A floor made of an image. `salt` is the exchange's own.
 * @throws {AssertionFault} when the image does not hold together.
 */
export function floorOf(salt: number, image: ExchangeImage): Floor {
  const floor = new Floor(salt, image.counts);
  floor.now = image.now;
  floor.seq = image.seq;
  floor.isActive = image.isActive;
  floor.isTrading = image.isTrading;
  for (const series of image.series) floor.series.set(series.ticker, series);
  for (const group of image.groups) floor.groups.set(group.ticker, group);
  floor.feeChanges.push(...(image.feeChanges ?? []));
  const markets = new Map(image.markets.map((each) => [each.index, marketOf(floor, each)]));
  const marketAt = (index: MarketIndex): MarketRecord => must(markets.get(index), `market ${index} of the image`);
  for (const each of image.accounts) restoreAccount(floor, each);
  restoreHoldings(floor, image, marketAt);
  for (const each of image.accounts) restoreOrders(floor, each, marketAt);
  for (const each of image.markets) restoreBook(floor, each, marketAt(each.index));
  for (const index of image.finalized) floor.finalized.push(marketAt(index));
  for (const due of image.timers) floor.timers.set(due.at, dueOf(floor, due, marketAt));
  floor.ledger.restore(image, markets.values());
  auditFloor(floor);
  return floor;
}

function dueOf(floor: Floor, { at: _at, ...due }: DueImage, marketAt: (index: MarketIndex) => MarketRecord): Due {
  if (due.type === 'expire') return { type: due.type, order: orderOf(floor, due.order) };
  return due.type === 'fees' ? due : { type: due.type, market: marketAt(due.market) };
}

function marketOf(floor: Floor, { resting: _resting, holders: _holders, history, ...rest }: MarketImage): MarketRecord {
  const grid = priceGrid(rest.definition.gridRanges);
  const market: MarketRecord = {
    ...rest,
    ticker: rest.definition.ticker,
    grid,
    schedule: floor.scheduleOf(rest.definition.eventTicker),
    book: new Book(grid.cellCount),
    history: new History(history),
    pool: { ...rest.pool },
    holders: [],
  };
  floor.list(market);
  return market;
}

function restoreAccount(floor: Floor, { markets: _markets, orders: _orders, burnt, ...image }: AccountImage): void {
  const account = floor.ledger.open(image.name, image);
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

/** Each account's in its own order, and each market's in its own. */
function restoreHoldings(floor: Floor, image: ExchangeImage, marketAt: (index: MarketIndex) => MarketRecord): void {
  for (const { index, holders } of image.markets) {
    const market = marketAt(index);
    for (const { account, buys: _, sells: _sells, yes, no, names, ...rest } of holders) {
      const record = accountOf(floor, account);
      const own = { account: record, market, buys: [], sells: [], names: [...names], yes: { ...yes }, no: { ...no } };
      market.holders.push({ ...rest, ...own });
    }
  }
  for (const { name, markets } of image.accounts) {
    const account = accountOf(floor, name);
    for (const index of markets) {
      const holding = marketAt(index).holders.find((each) => each.account === account);
      account.holdings.set(index, must(holding, `holding of ${name} in market ${index}`));
    }
  }
}

function restoreOrders(floor: Floor, image: AccountImage, marketAt: (index: MarketIndex) => MarketRecord): void {
  const account = accountOf(floor, image.name);
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

function restoreBook(floor: Floor, { resting, holders }: MarketImage, market: MarketRecord): void {
  for (const ref of resting) {
    const order = orderOf(floor, ref);
    const level = market.book.levelOf(sideIndex(order.side), cellOf(market.grid, order.price));
    order.slot = market.book.add(level, order.leavesQty, order);
  }
  holders.forEach(({ account, buys, sells }, index) => {
    const holding = must(market.holders[index], `holding of ${account}`);
    for (const id of buys) holding.buys.push(orderOf(floor, [account, id]));
    for (const id of sells) holding.sells.push(orderOf(floor, [account, id]));
  });
}

const accountOf = (floor: Floor, name: AccountName): Account =>
  must(floor.ledger.account(name), `account ${name} of the image`);

const orderOf = (floor: Floor, [account, id]: OrderRef): OrderRecord =>
  must(accountOf(floor, account).orders.get(id), `order ${id} of the image`);
