// Forgetting what is over: paid-out markets, and all that hangs on them, so that an exchange can run for ever.
// Must never touch money, nor anything that can still happen: what is forgotten is settled to the last cent.
import { assert } from '../domain/assert.ts';
import type { EventTicker, Ticker } from '../domain/ids.ts';
import type { Micros } from '../domain/units.ts';
import type { Floor } from './floor.ts';
import type { Retained } from './output.ts';
import type { Account, MarketRecord } from './records.ts';

/** Forgets every market that was paid out before a time. */
export function forgetSettled(floor: Floor, before: Micros): void {
  const { finalized } = floor;
  let count = 0;
  while (count < finalized.length && (finalized[count]?.settledAt ?? before) < before) count++;
  forgetFirst(floor, count);
}

/** Forgets so many markets, those paid out first first. */
export function forgetFirst(floor: Floor, count: number): void {
  if (count === 0) return;
  const gone = new Set(floor.finalized.splice(0, count));
  for (const market of gone) unlist(floor, market);
  for (const account of floor.ledger.accounts) if (account.keepsHistory) forgetHistory(account, gone);
  const groups = [...new Set([...gone].map(({ definition }) => definition.eventTicker))];
  const over = groups.filter((group) => forgetGroup(floor, group));
  floor.tell({ type: 'forgotten', at: floor.now, tickers: [...gone].map(({ ticker }) => ticker), groups: over });
}

function unlist(floor: Floor, market: MarketRecord): void {
  assert(market.pool.cash === 0 && market.book.size === 0, `market ${market.ticker} is not over`);
  for (const { account, names } of market.holders) {
    account.holdings.delete(market.index);
    for (const name of names) account.burnt.delete(name);
  }
  floor.markets.delete(market.ticker);
  floor.marketsByGroup.get(market.definition.eventTicker)?.delete(market);
}

function forgetHistory(account: Account, gone: ReadonlySet<MarketRecord>): void {
  for (const [orderId, order] of account.orders) if (gone.has(order.holding.market)) account.orders.delete(orderId);
  keep(account.finished, (orderId) => account.orders.has(orderId));
  const tickers: ReadonlySet<Ticker> = new Set([...gone].map(({ ticker }) => ticker));
  keep(account.fills, (fill) => !tickers.has(fill.ticker));
  keep(account.settlements, (settlement) => !tickers.has(settlement.ticker));
}

/** Forgets an event group whose last market is gone. */
function forgetGroup(floor: Floor, group: EventTicker): boolean {
  if (floor.marketsByGroup.get(group)?.size !== 0) return false;
  floor.marketsByGroup.delete(group);
  return floor.groups.delete(group);
}

/** How much is remembered. */
export function retainedBy(floor: Floor): Retained {
  const markets = [...floor.markets.values()];
  const accounts = [...floor.ledger.accounts];
  const total = <Item>(items: readonly Item[], count: (item: Item) => number): number =>
    items.reduce((sum, item) => sum + count(item), 0);
  return {
    markets: markets.length,
    groups: floor.groups.size,
    timers: floor.timers.size,
    prints: total(markets, ({ history }) => history.prints.length),
    bars: total(markets, ({ history }) => history.bars.length),
    holdings: total(accounts, ({ holdings }) => holdings.size),
    orders: total(accounts, ({ orders }) => orders.size),
    fills: total(accounts, ({ fills }) => fills.length),
    settlements: total(accounts, ({ settlements }) => settlements.length),
    names: total(accounts, ({ burnt }) => burnt.size),
  };
}

/** Drops in place what does not fit. */
function keep<Item>(list: Item[], fits: (item: Item) => boolean): void {
  let kept = 0;
  for (const item of list) if (fits(item)) list[kept++] = item;
  list.length = kept;
}
