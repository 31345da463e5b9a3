// Forgets markets that are settled, paid out, and of no more interest to anyone, so that a session that runs for ever
// keeps no more than what it follows at a time. Pure. Must never forget a market of which something may still be told.
import type { MarketIndex, TickerTable } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { Books } from './books.ts';
import type { StateChange } from './change.ts';
import type { Markets } from './markets.ts';
import type { Orders } from './orders.ts';
import type { Orphans } from './orphans.ts';
import type { Portfolio } from './portfolio.ts';
import type { TickerBoard } from './ticker-facts.ts';
import type { StrategyBooks } from './strategy-books.ts';

/** The part of the state that knows markets by their numbers. */
export interface Followed {
  readonly tickers: TickerTable;
  readonly books: Books;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly strategyBooks: StrategyBooks;
  readonly orphans: Orphans;
  readonly tickerBoard: TickerBoard;
}

/**
 * Numbers of markets that were only ever named: in a list of positions, in a fill of another session. So many may
 * stay, so that none is taken back while what named it is still being read.
 */
const STRAYS_MAX = 1000;

/** Whether something is held in a market: by the account or, where that nets to nothing, by strategies. */
export const isHeld = (
  { portfolio, strategyBooks }: Pick<Followed, 'portfolio' | 'strategyBooks'>,
  market: MarketIndex,
): boolean => portfolio.position(market).qty !== 0 || strategyBooks.isHeld(market);

/** The markets that were settled before a time, in which nothing is held and no order is open. */
export function evictable(state: Followed, settledBefore: Micros): Market[] {
  const found: Market[] = [];
  for (const [index, at] of state.markets.settledAt()) {
    const market = state.markets.get(index);
    const isBusy = isHeld(state, index) || state.orders.openIn(index).length > 0;
    if (market && at < settledBefore && !isBusy) found.push(market);
  }
  return found;
}

/** Forgets markets; tells it, and lets others have their numbers. */
export function evict(state: Followed, markets: readonly Market[], changes: StateChange[]): void {
  const indexes = new Set(markets.map(({ index }) => index));
  state.orders.evict(indexes);
  state.orphans.evict(indexes);
  state.portfolio.evict(indexes);
  state.strategyBooks.evict(indexes);
  state.markets.evict(indexes);
  state.tickerBoard.evict(indexes);
  for (const market of markets) {
    state.books.close(market.index);
    state.tickers.release(market.index);
    changes.push({ type: 'evicted', market });
  }
}

/** Takes back the numbers of what is only named and not followed, when there are too many of them. */
export function releaseStrays(state: Followed, isNeeded: (market: MarketIndex) => boolean): void {
  const { tickers, markets } = state;
  if (tickers.count - markets.count <= STRAYS_MAX) return;
  const strays = new Set(namesWithout(tickers, (index) => isFollowed(state, index) || isNeeded(index)));
  state.orders.evict(strays);
  state.orphans.evict(strays);
  state.strategyBooks.evict(strays);
  state.tickerBoard.evict(strays);
  for (const index of strays) tickers.release(index);
}

const isFollowed = ({ markets, orders, portfolio, strategyBooks }: Followed, index: MarketIndex): boolean =>
  strategyBooks.isHeld(index) ||
  markets.get(index) !== undefined ||
  orders.openIn(index).length > 0 ||
  portfolio.positions().has(index);

function namesWithout(tickers: TickerTable, isKept: (index: MarketIndex) => boolean): MarketIndex[] {
  const found: MarketIndex[] = [];
  for (const name of tickers.names()) {
    const index = name === undefined ? undefined : tickers.indexOf(name);
    if (index !== undefined && !isKept(index)) found.push(index);
  }
  return found;
}
