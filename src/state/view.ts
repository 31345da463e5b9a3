// The read-only view of the state that strategies, risk and reports look through. It allocates nothing on the hot path:
// one book view a market, made when first asked for, always showing the present.
import { must } from '../domain/assert.ts';
import type { BookSide } from '../domain/event.ts';
import type { EventTicker, MarketIndex, StrategyName, Ticker } from '../domain/ids.ts';
import type { EventGroup, Market } from '../domain/market.ts';
import type { Order } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import { type Micros, type Money, PAYOUT, type Price, type Qty } from '../domain/units.ts';
import type { BookTrust, Books } from './books.ts';
import { availableCash, equity } from './equity.ts';
import type { State } from './state.ts';

const NO_ORDERS: readonly Order[] = [];

/** One market's book, as it is now. Prices on the YES scale, quantities in hundredths of a contract. */
export class BookView {
  readonly #state: State;
  readonly #books: Books;
  readonly market: MarketIndex;

  constructor(state: State, market: MarketIndex) {
    this.#state = state;
    this.#books = state.books;
    this.market = market;
  }

  get trust(): BookTrust {
    return this.#books.trust(this.market);
  }

  get isLive(): boolean {
    return this.#books.isLive(this.market);
  }

  /** As of when the book is known to be right: by what the stream told, or by an equal one read over REST. */
  get confirmedAt(): Micros {
    return this.#state.confirmedAt(this.market);
  }

  /** How many times the book was begun anew: figures kept from an earlier epoch no longer hold. */
  get epoch(): number {
    return this.#books.epoch(this.market);
  }

  /** The highest price bid for YES; `null` when there is none. */
  get bestBid(): Price | null {
    return this.#books.bestBid(this.market);
  }

  /** The lowest price YES is offered at; `null` when there is none. */
  get bestAsk(): Price | null {
    return this.#books.bestAsk(this.market);
  }

  get bestBidQty(): Qty {
    const best = this.bestBid;
    return best === null ? (0 as Qty) : this.qtyAt('bid', best);
  }

  get bestAskQty(): Qty {
    const best = this.bestAsk;
    return best === null ? (0 as Qty) : this.qtyAt('ask', best);
  }

  /** Halfway between the touch, in ten-thousandths of a dollar; a ratio, not a price. `null` unless both sides bid. */
  get mid(): number | null {
    const bid = this.bestBid;
    const ask = this.bestAsk;
    return bid === null || ask === null ? null : (bid + ask) / 2;
  }

  /** Best ask less best bid, in ten-thousandths of a dollar; `null` unless both sides bid. */
  get spread(): number | null {
    const bid = this.bestBid;
    const ask = this.bestAsk;
    return bid === null || ask === null ? null : ask - bid;
  }

  /** The highest price bid for NO: the complement of the best ask. */
  get bestNoBid(): Price | null {
    const ask = this.bestAsk;
    return ask === null ? null : ((PAYOUT - ask) as Price);
  }

  /** The quantity of a level; 0 where there is none. */
  qtyAt(side: BookSide, price: Price): Qty {
    return this.#books.qtyAt(this.market, side, price);
  }

  /** The best levels of a side, best first: a copy. */
  levels(side: BookSide, depthMax?: number): [Price, Qty][] {
    return this.#books.levels(this.market, side, depthMax);
  }
}

/** What a strategy may see. */
export class StrategyView {
  readonly #state: State;
  readonly #books: BookView[];
  /** Own orders of a market, as of a revision of them. */
  readonly #orders: ({ readonly revision: number; readonly orders: readonly Order[] } | undefined)[] = [];
  readonly strategy: StrategyName;
  /** The strategy's markets, in the order they joined. */
  readonly markets: readonly MarketIndex[];

  constructor(state: State, books: BookView[], own: { strategy: StrategyName; markets: readonly MarketIndex[] }) {
    this.#state = state;
    this.#books = books;
    this.strategy = own.strategy;
    this.markets = own.markets;
  }

  /** The time of the event being handled. */
  get now(): Micros {
    return this.#state.now;
  }

  /**
   * A market's definition.
   * @throws {AssertionFault} when the number names none.
   */
  market(market: MarketIndex): Market {
    return must(this.#state.markets.get(market), `market ${market}`);
  }

  /** A market by its name at the venue; `undefined` when not known. */
  find(name: string): Market | undefined {
    return this.#state.markets.byTicker(name as Ticker);
  }

  /** The event group of a market, when the venue has described it. */
  group(eventTicker: EventTicker): EventGroup | undefined {
    return this.#state.markets.group(eventTicker);
  }

  /** The known markets of an event group, in the venue's order. */
  groupMarkets(eventTicker: EventTicker): readonly Market[] {
    return this.#state.markets.membersOf(eventTicker);
  }

  /** A market's book, always as it is now. */
  book(market: MarketIndex): BookView {
    return (this.#books[market] ??= new BookView(this.#state, market));
  }

  /** What the whole account holds in a market. */
  position(market: MarketIndex): Position {
    return this.#state.portfolio.position(market);
  }

  /** This strategy's unfinished orders in a market, oldest first: the same list until one begins, ends, or changes. */
  orders(market: MarketIndex): readonly Order[] {
    const { orders } = this.#state;
    if (orders.openIn(market).length === 0) return NO_ORDERS;
    const revision = orders.revisionOf(market);
    const known = this.#orders[market];
    if (known?.revision === revision) return known.orders;
    return this.#gather(market, revision);
  }

  /** Apart from its caller, in which a closure would cost something even where none is made. */
  #gather(market: MarketIndex, revision: number): readonly Order[] {
    const orders = this.#state.orders.openIn(market).filter((order) => order.strategy === this.strategy);
    this.#orders[market] = { revision, orders };
    return orders;
  }

  /** Cash that no order has pledged. */
  get available(): Money {
    return availableCash(this.#state);
  }

  /** Cash and positions, positions at their mid price. */
  get equity(): Money {
    return equity(this.#state);
  }
}
