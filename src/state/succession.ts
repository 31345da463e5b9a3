// How the strategies' books pass from one session to the next: what was kept is taken over, fills and settlements since
// then are booked when the venue's lists tell of them, and at the opening each market is held against what the account
// holds. Must never leave a strategy with what the account's own figures do not bear out: that is nobody's from then on.
import { strategyOf } from '../domain/client-order-id.ts';
import type { FillReport } from '../domain/event.ts';
import type { MarketIndex, StrategyName, TickerTable, VenueOrderId } from '../domain/ids.ts';
import type { KeptBook, KeptBooks } from '../domain/operator.ts';
import type { Order } from '../domain/order.ts';
import { type Micros, type Money, type Price, type Qty, fromSeconds, subtractQty } from '../domain/units.ts';
import type { Markets } from './markets.ts';
import { type Orders, isForeign } from './orders.ts';
import { type Portfolio, keyOf } from './portfolio.ts';
import type { StrategyBooks } from './strategy-books.ts';

/** The parts of the state that books are passed on with. */
export interface Estate {
  readonly tickers: TickerTable;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly strategyBooks: StrategyBooks;
}

/** What a session begins with. */
export interface Succeeding {
  readonly session: string;
  /** By their places in its orders' ids. */
  readonly strategies: readonly StrategyName[];
  /** What the session before it kept. */
  readonly kept: KeptBooks | null;
  /** How far back lists of fills are read. Milliseconds. */
  readonly lookbackMs: number;
}

/** How the venue names an order, and how we did. */
type Named = { readonly [K in 'venueOrderId' | 'clientOrderId']: FillReport[K] | Order[K] };

/** Fills of so long, and of how far back lists are read, are named in what is kept: they are shown again. Microseconds. */
const FILLS_KEPT_FOR = fromSeconds(120);
const FILLS_KEPT_MAX = 2000;

/** Between two sessions. */
export class Succession {
  readonly #estate: Estate;
  #own: Pick<Succeeding, 'session' | 'strategies'> = { session: '', strategies: [] };
  #kept: KeptBooks | null = null;
  #knownFills: ReadonlySet<string> = new Set();
  #keptOrders = new Map<VenueOrderId, StrategyName>();
  readonly #othersQty = new Map<MarketIndex, Qty>();
  /** Before the opening: fills that the session before did not hear of, and what was paid out. */
  #missed: FillReport[] = [];
  readonly #paidOut = new Map<MarketIndex, Price>();
  /** The latest fills of strategies, and when they were booked. */
  readonly #recent = new Map<string, Micros>();
  #keepFillsFor: number = FILLS_KEPT_FOR;
  #revision = 0;

  constructor(estate: Estate) {
    this.#estate = estate;
  }

  /** Another number whenever a book has changed. */
  get revision(): number {
    return this.#revision;
  }

  /** Begins a session with what the one before it kept. */
  begin({ session, strategies, kept, lookbackMs }: Succeeding): void {
    this.#own = { session, strategies };
    this.#keepFillsFor = FILLS_KEPT_FOR + lookbackMs * 1000;
    this.#kept = kept;
    if (kept === null) return;
    const { tickers, strategyBooks } = this.#estate;
    this.#knownFills = new Set(kept.fills);
    this.#keptOrders = new Map(kept.orders.map(({ venueOrderId, strategy }) => [venueOrderId, strategy]));
    for (const { ticker, qty } of kept.others) this.#othersQty.set(tickers.intern(ticker), qty);
    for (const book of kept.books) strategyBooks.restore(book, (ticker) => tickers.intern(ticker));
    this.#revision += 1;
  }

  /** Books a fill that counts; of an order that this session did not place it may be told twice whose it is. */
  take(order: Order | null, fill: FillReport, now: Micros): void {
    const isOwn = order !== null && !isForeign(order);
    const strategy = (order && this.ownerOf(order)) ?? this.#heirOf(fill);
    if (strategy === null || (!isOwn && this.#recent.has(keyOf(fill)))) return;
    this.#estate.strategyBooks.take(strategy, fill);
    this.#note(fill, now);
  }

  /** A fill is told that came before the opening: it is in the account's figures, and perhaps not in what was kept. */
  missed(fill: FillReport): void {
    if (this.#estate.portfolio.isOpen) return;
    if (this.#kept !== null && !this.#knownFills.has(keyOf(fill))) this.#missed.push(fill);
  }

  /** Whether some such fill names its order as the venue does alone, and nobody knows whose that is. */
  get lacksNames(): boolean {
    return this.#missed.some((fill) => fill.clientOrderId === null && this.#heirOf(fill) === null);
  }

  /** The venue tells how an order is named by both. */
  named(order: Named): void {
    if (this.#missed.length === 0 || order.venueOrderId === null) return;
    const strategy = this.#heirOf(order);
    if (strategy !== null) this.#keptOrders.set(order.venueOrderId, strategy);
  }

  /** Pays out a market to all strategies and to the account: what came in there. */
  settle(market: MarketIndex, settlementValue: Price): Money {
    const { portfolio, strategyBooks } = this.#estate;
    if (!portfolio.isOpen) this.#paidOut.set(market, settlementValue);
    if (strategyBooks.isHeld(market)) this.#revision += 1;
    strategyBooks.settle(market, settlementValue);
    return portfolio.settle(market, settlementValue);
  }

  /** Whose fills of an order are booked: the strategy that placed it, in this session or before; `null` for nobody's. */
  ownerOf(order: Order): StrategyName | null {
    return isForeign(order) ? this.#heirOf(order) : order.strategy;
  }

  /** Whose order of the session before is named so, by what was kept of it or by its own name. */
  #heirOf({ venueOrderId, clientOrderId }: Named): StrategyName | null {
    if (this.#kept === null) return null;
    const known = venueOrderId === null ? undefined : this.#keptOrders.get(venueOrderId);
    if (known !== undefined) return known;
    return strategyOf(clientOrderId, [this.#kept]);
  }

  #note(fill: FillReport, now: Micros): void {
    this.#revision += 1;
    this.#recent.set(keyOf(fill), now);
    for (const [key, at] of this.#recent) {
      if (this.#recent.size <= FILLS_KEPT_MAX && at > now - this.#keepFillsFor) return;
      this.#recent.delete(key);
    }
  }

  /** The account is known: what its figures do not bear out is nobody's from now on. Returns the markets of which. */
  open(now: Micros): readonly MarketIndex[] {
    const { strategyBooks } = this.#estate;
    const byTime = this.#missed.sort((a, b) => (a.exchangeAt ?? 0) - (b.exchangeAt ?? 0));
    for (const fill of byTime) {
      const strategy = this.#heirOf(fill);
      if (strategy === null) continue;
      strategyBooks.take(strategy, fill);
      this.#note(fill, now);
    }
    for (const [market, value] of this.#paidOut) strategyBooks.settle(market, value);
    const disowned = strategyBooks.markets().filter((market) => !this.#isBorneOut(market));
    for (const market of disowned) strategyBooks.disown(market);
    this.#missed = [];
    this.#paidOut.clear();
    this.#othersQty.clear();
    this.#revision += 1;
    return disowned;
  }

  /** Whether the account holds what the strategies do, and what others held: else somebody has moved it meanwhile. */
  #isBorneOut(market: MarketIndex): boolean {
    const { markets, portfolio, strategyBooks } = this.#estate;
    if (!strategyBooks.isHeld(market)) return true;
    const { qty } = portfolio.position(market);
    // Of what nets to nothing nobody would ever tell that it was paid out.
    if (qty === 0 && markets.get(market) === undefined) return false;
    return subtractQty(qty, strategyBooks.heldIn(market)) === (this.#othersQty.get(market) ?? 0);
  }

  /** What the next session is to take over. */
  keep(now: Micros): KeptBooks {
    const { orders, strategyBooks } = this.#estate;
    return {
      at: now,
      ...this.#own,
      books: [...strategyBooks.all()].map(([strategy, book]): KeptBook => {
        const held = [...book.positions()].filter(([, { qty }]) => qty !== 0);
        const positions = held.map(([market, { qty, cost }]) => ({ ticker: this.#tickerOf(market), qty, cost }));
        return { strategy, realized: book.realized, fees: book.fees, losses: null, positions };
      }),
      others: strategyBooks.markets().flatMap((market) => {
        const qty = subtractQty(this.#estate.portfolio.position(market).qty, strategyBooks.heldIn(market));
        return qty === 0 ? [] : [{ ticker: this.#tickerOf(market), qty }];
      }),
      orders: [...orders.unfinished()].flatMap((order) => {
        const strategy = this.ownerOf(order);
        return order.venueOrderId === null || strategy === null ? [] : [{ venueOrderId: order.venueOrderId, strategy }];
      }),
      fills: [...this.#recent.keys()],
    };
  }

  #tickerOf(market: MarketIndex): KeptBooks['others'][0]['ticker'] {
    return this.#estate.tickers.tickerOf(market);
  }
}
