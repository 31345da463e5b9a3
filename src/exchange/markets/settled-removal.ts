// Removes paid-out markets with all their data, so that an exchange can run indefinitely. Must never touch money, nor
// anything that can still change.
import { assert } from '../../base/assert.ts';
import type { EventTicker, Ticker } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { ExchangeState } from '../machine/exchange-state.ts';
import type { Retained } from '../machine/exchange-output.ts';
import type { Account, MarketRecord } from '../machine/exchange-records.ts';

/** Removes every market that was paid out before a time. */
export function removeSettledBefore(state: ExchangeState, before: Micros): void {
  const { finalized } = state;
  let count = 0;
  while (count < finalized.length && (finalized[count]?.settledAt ?? before) < before) count++;
  removeOldestSettled(state, count);
}

/** Removes the `count` markets that were paid out first. */
export function removeOldestSettled(state: ExchangeState, count: number): void {
  if (count === 0) return;
  const removed = new Set(state.finalized.splice(0, count));
  for (const market of removed) removeMarket(state, market);
  for (const account of state.ledger.accounts) if (account.keepsHistory) removeHistory(account, removed);
  const groups = [...new Set([...removed].map(({ definition }) => definition.eventTicker))];
  const emptyGroups = groups.filter((group) => removeGroup(state, group));
  state.emitFact({
    type: 'forgotten',
    at: state.now,
    tickers: [...removed].map(({ ticker }) => ticker),
    groups: emptyGroups,
  });
}

function removeMarket(state: ExchangeState, market: MarketRecord): void {
  assert(market.pool.cash === 0 && market.book.size === 0, `market ${market.ticker} is not over`);
  for (const { account, names } of market.holders) {
    account.holdings.delete(market.index);
    for (const name of names) account.burnt.delete(name);
  }
  state.markets.delete(market.ticker);
  state.marketsByGroup.get(market.definition.eventTicker)?.delete(market);
}

function removeHistory(account: Account, removed: ReadonlySet<MarketRecord>): void {
  for (const [orderId, order] of account.orders) if (removed.has(order.holding.market)) account.orders.delete(orderId);
  keepWhere(account.finished, (orderId) => account.orders.has(orderId));
  const tickers: ReadonlySet<Ticker> = new Set([...removed].map(({ ticker }) => ticker));
  keepWhere(account.fills, (fill) => !tickers.has(fill.ticker));
  keepWhere(account.settlements, (settlement) => !tickers.has(settlement.ticker));
}

function removeGroup(state: ExchangeState, group: EventTicker): boolean {
  if (state.marketsByGroup.get(group)?.size !== 0) return false;
  state.marketsByGroup.delete(group);
  return state.groups.delete(group);
}

/** Counts what the exchange remembers. */
export function retainedCounts(state: ExchangeState): Retained {
  const markets = [...state.markets.values()];
  const accounts = [...state.ledger.accounts];
  const total = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
    items.reduce((sum, item) => sum + count(item), 0);
  return {
    markets: markets.length,
    groups: state.groups.size,
    timers: state.timers.size,
    prints: total(markets, ({ history }) => history.prints.length),
    bars: total(markets, ({ history }) => history.bars.length),
    holdings: total(accounts, ({ holdings }) => holdings.size),
    orders: total(accounts, ({ orders }) => orders.size),
    fills: total(accounts, ({ fills }) => fills.length),
    settlements: total(accounts, ({ settlements }) => settlements.length),
    names: total(accounts, ({ burnt }) => burnt.size),
  };
}

function keepWhere<Item>(list: Item[], fits: (item: Item) => boolean): void {
  let count = 0;
  for (const item of list) if (fits(item)) list[count++] = item;
  list.length = count;
}
