// The read-only view of the state for strategies, risk and reports. Must never allocate on the hot path: each market
// has one book view, made at first use.
import { must } from '../base/assert.ts';
import type { BookSide } from '../domain/event.ts';
import type { BudgetKind } from '../domain/venue-command.ts';
import type { FeeSchedule } from '../domain/fee-schedule.ts';
import type { EventTicker, MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { EventGroup, Market } from '../domain/market.ts';
import type { Order } from '../domain/orders/order.ts';
import type { Position } from '../domain/position.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import { BookView } from './books/book-view.ts';
import { othersBest } from './books/others-best.ts';
import { availableCash, equity } from './account/equity.ts';
import type { State } from './state.ts';
import type { TickerFacts } from './books/ticker-facts.ts';
import { type BudgetRoom, type Capital, NO_SOURCES, type ViewSources } from './view-sources.ts';

const NO_ORDERS: readonly Order[] = [];

/** Owner of a view. */
export interface ViewOwner {
  readonly strategy: StrategyName;
  readonly markets: readonly MarketIndex[];
  readonly sources?: ViewSources;
}

/**
 * The account and the markets as a strategy may see them: read-only, and always the present.
 * @example
 * import { type MarketIndex, type Price, type StrategyView } from 'presage-trading';
 *
 * // The best bid of others, while the book is live and we hold nothing.
 * export function freeBid(view: StrategyView, market: MarketIndex): Price | null {
 *   if (!view.book(market).isLive || view.position(market).qty !== 0) return null;
 *   return view.othersBest(market, 'bid');
 * }
 */
export class StrategyView {
  readonly #state: State;
  readonly #books: BookView[];
  readonly #sources: ViewSources;
  /** The strategy's orders of each market, cached with the revision of that market's orders. */
  readonly #orders: ({ readonly revision: number; readonly orders: readonly Order[] } | undefined)[] = [];
  /** Name of the strategy that the view belongs to. */
  readonly strategy: StrategyName;
  /** The strategy's markets, the first to join at the head. */
  readonly markets: readonly MarketIndex[];

  /** @internal The framework makes it. */
  constructor(state: State, books: BookView[], own: ViewOwner) {
    this.#state = state;
    this.#books = books;
    this.strategy = own.strategy;
    this.markets = own.markets;
    this.#sources = own.sources ?? NO_SOURCES;
  }

  /** The time of the event being handled. */
  get now(): Micros {
    return this.#state.now;
  }

  /**
   * A market's definition: names, times, status, grid, result.
   * @throws {AssertionFault} when no market has the number.
   */
  market(market: MarketIndex): Market {
    return must(this.#state.markets.get(market), `market ${market}`);
  }

  /** A market by its name at the venue; `undefined` when not known. */
  find(name: string): Market | undefined {
    return this.#state.markets.byTicker(name as Ticker);
  }

  /** An event group by its ticker; `undefined` until the venue has described the group. */
  group(eventTicker: EventTicker): EventGroup | undefined {
    return this.#state.markets.group(eventTicker);
  }

  /** The known markets of an event group, in the venue's sequence. */
  groupMarkets(eventTicker: EventTicker): readonly Market[] {
    return this.#state.markets.membersOf(eventTicker);
  }

  /** A market's book, always as it is now. */
  book(market: MarketIndex): BookView {
    return (this.#books[market] ??= new BookView(this.#state, market));
  }

  /**
   * Returns the best price at which others have a quantity. The level there holds more than the account's own orders.
   * Our orders in flight are counted as resting. Returns `null` when others have no quantity on the side.
   */
  othersBest(market: MarketIndex, side: BookSide): Price | null {
    return othersBest(this.#state, market, side);
  }

  /** The venue's latest summary of a market's trading; `null` before the first. */
  ticker(market: MarketIndex): TickerFacts | null {
    return this.#state.tickerBoard.factsOf(market);
  }

  /** Mean of others' best bid and best ask, in ten-thousandths of a dollar; a ratio. `null` unless others have both. */
  othersMid(market: MarketIndex): number | null {
    const bid = this.othersBest(market, 'bid');
    const ask = this.othersBest(market, 'ask');
    return bid === null || ask === null ? null : (bid + ask) / 2;
  }

  /** The whole account's position in a market. */
  position(market: MarketIndex): Position {
    return this.#state.portfolio.position(market);
  }

  /**
   * Returns this strategy's position in a market, from the fills of its own orders. It does not contain the fills of
   * other strategies. After a restart, the quantity and cost of a saved position are restored; `realized` and `fees`
   * count from the start of the session. A position that the account's figures contradict is not restored.
   */
  own(market: MarketIndex): Position {
    return this.#state.strategyLedgers.ledgerOf(this.strategy).position(market);
  }

  /** This strategy's capital: its possible loss, and what remains. */
  get capital(): Capital {
    return this.#sources.capital(this.strategy);
  }

  /**
   * Rate budget available now for orders (`trade`) or reads (`read`), in the venue's units. The part reserved for
   * cancels is left out.
   */
  budget(kind: BudgetKind): BudgetRoom {
    return this.#sources.budget(kind);
  }

  /**
   * The present fee schedule of a market, including a waiver. While the market's own schedule is not known, the dearest
   * one is given. For `modelFee`, and other functions that take a schedule.
   */
  fees(market: MarketIndex): FeeSchedule {
    return this.#sources.fees(market);
  }

  /** This strategy's unfinished orders in a market, oldest first. The list stays the same until an order changes. */
  orders(market: MarketIndex): readonly Order[] {
    const { orders } = this.#state;
    if (orders.openIn(market).length === 0) return NO_ORDERS;
    const revision = orders.revisionOf(market);
    const known = this.#orders[market];
    if (known?.revision === revision) return known.orders;
    return this.#filterOrders(market, revision);
  }

  /** A method of its own: the closure would otherwise be allocated at every call. */
  #filterOrders(market: MarketIndex, revision: number): readonly Order[] {
    const orders = this.#state.orders.openIn(market).filter((order) => order.strategy === this.strategy);
    this.#orders[market] = { revision, orders };
    return orders;
  }

  /**
   * Returns the quantity ahead of a resting order, in hundredths of a contract. The first figure is the venue's, or the
   * quantity at the price when the order arrived. Later trades at the price reduce it. It may include the order itself,
   * where the feed shows our own orders. Returns `null` while the order does not rest, or the first figure is missing.
   */
  queueAhead(order: Order): Qty | null {
    return this.#state.queueEstimates.estimateFor(order)?.aheadQty ?? null;
  }

  /** Cash that is not reserved for orders. */
  get available(): Money {
    return availableCash(this.#state);
  }

  /** Cash plus positions at their marks. */
  get equity(): Money {
    return equity(this.#state);
  }
}
