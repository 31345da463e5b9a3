// Evicts markets that are settled, paid out, and no longer needed, so that an endless session holds only the markets it
// follows. Pure. Must never evict a market about which messages may still arrive.
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

/** Positions of the account and of its strategies. */
export interface HeldPositions {
  readonly portfolio: Portfolio;
  readonly strategyBooks: StrategyBooks;
}

/** The part of the state indexed by market number. */
export interface Followed extends HeldPositions {
  readonly tickers: TickerTable;
  readonly books: Books;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly orphans: Orphans;
  readonly tickerBoard: TickerBoard;
}

/**
 * Bound on numbers of markets that were only named: in a list of positions, or in a fill of another session. It is
 * large enough that none is released while the list that named it is still being read.
 */
const STRAYS_MAX = 1000;

/** True when something is held in a market: by the account or, where that nets to nothing, by strategies. */
export const isHeld = ({ portfolio, strategyBooks: ledgers }: HeldPositions, market: MarketIndex): boolean =>
  portfolio.position(market).qty !== 0 || ledgers.isHeld(market);

/** The markets that were settled before a time, without position or open order. */
export function evictable(state: Followed, settledBefore: Micros): Market[] {
  const found: Market[] = [];
  for (const [index, at] of state.markets.settledAt()) {
    const market = state.markets.get(index);
    const isBusy = isHeld(state, index) || state.orders.openIn(index).length > 0;
    if (market && at < settledBefore && !isBusy) found.push(market);
  }
  return found;
}

/** Evicts markets, reports it, and releases their numbers. */
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

/** Releases the numbers of markets that are only named and not followed, when there are too many of them. */
export function releaseStrays(state: Followed, isNeeded: (market: MarketIndex) => boolean): void {
  const { tickers, markets } = state;
  if (tickers.count - markets.count <= STRAYS_MAX) return;
  const strays = new Set(indexesExcept(tickers, (index) => isFollowed(state, index) || isNeeded(index)));
  state.orders.evict(strays);
  state.orphans.evict(strays);
  state.strategyBooks.evict(strays);
  state.tickerBoard.evict(strays);
  for (const index of strays) tickers.release(index);
}

const isFollowed = ({ markets, orders, portfolio, strategyBooks: ledgers }: Followed, index: MarketIndex): boolean =>
  ledgers.isHeld(index) ||
  markets.get(index) !== undefined ||
  orders.openIn(index).length > 0 ||
  portfolio.positions().has(index);

function indexesExcept(tickers: TickerTable, isKept: (index: MarketIndex) => boolean): MarketIndex[] {
  const found: MarketIndex[] = [];
  for (const name of tickers.names()) {
    const index = name === undefined ? undefined : tickers.indexOf(name);
    if (index !== undefined && !isKept(index)) found.push(index);
  }
  return found;
}
