// Evicts settled markets, so that memory stays bounded in an endless session. Must never evict a market with a position
// or an open order.
import { assert } from '../base/assert.ts';
import type { MarketIndex, TickerTable } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { Micros } from '../domain/units.ts';
import type { OrderBooks } from './books/order-books.ts';
import type { ChangeSink } from './state-change.ts';
import type { Markets } from './market-catalog.ts';
import type { Orders } from './account/orders.ts';
import type { OrphanFills } from './account/orphan-fills.ts';
import type { Portfolio } from './account/portfolio.ts';
import type { FeedHealth } from './feed/feed-health.ts';
import type { TickerBoard } from './books/ticker-facts.ts';
import type { StrategyLedgers } from './strategies/strategy-ledgers.ts';

/** Positions of the account and of its strategies. */
export interface HeldPositions {
  readonly portfolio: Portfolio;
  readonly strategyLedgers: StrategyLedgers;
}

/** The parts of the state that are indexed by market number. */
export interface EvictableState extends HeldPositions {
  readonly tickers: TickerTable;
  readonly books: OrderBooks;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly orphanFills: OrphanFills;
  readonly tickerBoard: TickerBoard;
  readonly feed: FeedHealth;
}

/**
 * Bound on markets that have a number only because a message named them. It is large: a number must not be released
 * while a list that names its market is being read.
 */
const STRAYS_MAX = 1000;

/** True when the account or a strategy has a position in the market. Positions of strategies may net to nothing. */
export const isHeld = ({ portfolio, strategyLedgers: ledgers }: HeldPositions, market: MarketIndex): boolean =>
  portfolio.position(market).qty !== 0 || ledgers.isHeld(market);

/** Markets settled before a time, without position or open order. */
export function evictableMarkets(state: EvictableState, settledBefore: Micros): Market[] {
  const found: Market[] = [];
  for (const [index, at] of state.markets.settledAt()) {
    if (at >= settledBefore) continue;
    const market = state.markets.get(index);
    const isBusy = isHeld(state, index) || state.orders.openIn(index).length > 0;
    if (market && !isBusy) found.push(market);
  }
  return found;
}

/** Evicts markets, reports each eviction, and releases the markets' numbers. */
export function evictMarkets(state: EvictableState, markets: readonly Market[], changes: ChangeSink): void {
  const indexes = new Set(markets.map(({ index }) => index));
  assert(!markets.some(({ index }) => isHeld(state, index)), 'a market that is held must not be evicted');
  state.orders.evictMarkets(indexes);
  state.orphanFills.evictMarkets(indexes);
  state.portfolio.evictMarkets(indexes);
  state.strategyLedgers.evictMarkets(indexes);
  state.markets.evictMarkets(indexes);
  state.tickerBoard.evictMarkets(indexes);
  state.feed.prints.evictMarkets(indexes);
  for (const market of markets) {
    state.books.closeBook(market.index);
    state.tickers.releaseIndex(market.index);
    changes.push({ type: 'evicted', market });
  }
}

/**
 * Releases the numbers of markets that nothing follows. Does nothing while at most `STRAYS_MAX` numbered markets lack a
 * description.
 */
export function releaseStrays(state: EvictableState, isNeeded: (market: MarketIndex) => boolean): void {
  const { tickers, markets } = state;
  if (tickers.count - markets.count <= STRAYS_MAX) return;
  const strays = new Set(indexesExcept(tickers, (index) => isFollowed(state, index) || isNeeded(index)));
  state.orders.evictMarkets(strays);
  state.orphanFills.evictMarkets(strays);
  state.strategyLedgers.evictMarkets(strays);
  state.tickerBoard.evictMarkets(strays);
  for (const index of strays) tickers.releaseIndex(index);
}

const isFollowed = (
  { markets, orders, portfolio, strategyLedgers: ledgers }: EvictableState,
  index: MarketIndex,
): boolean =>
  ledgers.isHeld(index) ||
  markets.get(index) !== undefined ||
  orders.openIn(index).length > 0 ||
  portfolio.positions().has(index);

function indexesExcept(tickers: TickerTable, isKept: (index: MarketIndex) => boolean): MarketIndex[] {
  const found: MarketIndex[] = [];
  for (const name of tickers.tickersByIndex()) {
    const index = name === undefined ? undefined : tickers.indexOf(name);
    if (index !== undefined && !isKept(index)) found.push(index);
  }
  return found;
}
