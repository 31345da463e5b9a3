// Passes the strategy ledgers from one session to the next. The saved ledgers are restored. Fills and settlements since
// the save are applied when the venue's lists show them. At the opening each market is checked against the account's
// position. Must never leave a strategy with a position that the account's own figures contradict: such a position
// belongs to no strategy from then on.
import { assert } from '../../base/assert.ts';
import { strategyOfOrderId } from '../../domain/orders/client-order-id.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex, StrategyName, TickerTable, VenueOrderId } from '../../domain/ids.ts';
import type { SavedLedger, SavedLedgers } from '../../domain/operator-order.ts';
import type { Order } from '../../domain/orders/order.ts';
import { type Micros, type Money, type Price, type Qty, fromSeconds, subtractQty } from '../../domain/units.ts';
import type { Markets } from '../market-catalog.ts';
import { type Orders, isForeign } from '../account/orders.ts';
import { type Portfolio, fillKey } from '../account/portfolio.ts';
import type { StrategyLedgers } from './strategy-ledgers.ts';

/** The parts of the state that the handover reads and changes. */
export interface HandoverState {
  readonly tickers: TickerTable;
  readonly markets: Markets;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly strategyLedgers: StrategyLedgers;
}

/** Input of a new session. */
export interface HandoverInput {
  readonly session: string;
  /** Strategies by their `place` in the session's order ids. */
  readonly strategies: readonly StrategyName[];
  /** The ledgers that the earlier session saved. */
  readonly saved: SavedLedgers | null;
  /** Span for which lists of fills are read at the start. Milliseconds. */
  readonly lookbackMs: number;
}

/** The venue's name for an order, and ours. */
type OrderNames = { readonly [K in 'venueOrderId' | 'clientOrderId']: FillReport[K] | Order[K] };

/**
 * Span of fills named in the saved ledgers, added to the span for which lists are read: lists may show these fills
 * again. Microseconds.
 */
const FILL_SPAN = fromSeconds(120);
const FILLS_MAX = 2000;

/** The handover between two sessions. */
export class LedgerHandover {
  readonly #parts: HandoverState;
  #own: Pick<HandoverInput, 'session' | 'strategies'> = { session: '', strategies: [] };
  #saved: SavedLedgers | null = null;
  /** Keys of the fills that are in the saved ledgers. */
  #savedFills: ReadonlySet<string> = new Set();
  /** Orders of the earlier session. Added when ledgers are restored, or an owner is learned; never removed. */
  #earlierOrders = new Map<VenueOrderId, StrategyName>();
  /** Positions outside the ledgers, as saved. Added when ledgers are restored; removed at the opening. */
  readonly #othersQty = new Map<MarketIndex, Qty>();
  /**
   * Fills that the earlier session did not receive, and the payouts of markets before the opening. Added when they
   * arrive; removed at the opening.
   */
  #missedFills: FillReport[] = [];
  readonly #paidOut = new Map<MarketIndex, Price>();
  /**
   * The latest fills of strategies, and the time they were applied. Added when a fill is applied; removed when it is
   * too old or the bound is passed.
   */
  readonly #recentFills = new Map<string, Micros>();
  #fillSpan: number = FILL_SPAN;
  #revision = 0;

  constructor(parts: HandoverState) {
    this.#parts = parts;
  }

  /** A number that changes whenever a ledger changes. */
  get revision(): number {
    return this.#revision;
  }

  /** Starts a session with the ledgers that the earlier session saved. */
  restoreLedgers({ session, strategies, saved: savedLedgers, lookbackMs }: HandoverInput): void {
    assert(!this.#parts.portfolio.isOpen, 'ledgers must be restored before the account is open');
    this.#own = { session, strategies };
    this.#fillSpan = FILL_SPAN + lookbackMs * 1000;
    this.#saved = savedLedgers;
    if (savedLedgers === null) return;
    const { tickers, strategyLedgers: ledgers } = this.#parts;
    this.#savedFills = new Set(savedLedgers.fills);
    this.#earlierOrders = new Map(savedLedgers.orders.map(({ venueOrderId, strategy }) => [venueOrderId, strategy]));
    for (const { ticker, qty } of savedLedgers.others) this.#othersQty.set(tickers.internTicker(ticker), qty);
    for (const ledger of savedLedgers.books) ledgers.restoreLedger(ledger, (ticker) => tickers.internTicker(ticker));
    this.#revision += 1;
  }

  /**
   * Applies a fill that the portfolio has counted. A fill of an order that this session did not place may arrive again
   * once its owner is known; it is applied only once.
   */
  applyFill(order: Order | null, fill: FillReport, now: Micros): void {
    const isOwn = order !== null && !isForeign(order);
    const strategy = (order && this.ownerOf(order)) ?? this.#earlierOwnerOf(fill);
    if (strategy === null || (!isOwn && this.#recentFills.has(fillKey(fill)))) return;
    this.#parts.strategyLedgers.applyFill(strategy, fill);
    this.#recordFill(fill, now);
  }

  /**
   * Records a fill from before the opening. The fill is in the account's figures, and perhaps not in the saved ledgers.
   */
  onEarlyFill(fill: FillReport): void {
    if (this.#parts.portfolio.isOpen) return;
    if (this.#saved !== null && !this.#savedFills.has(fillKey(fill))) this.#missedFills.push(fill);
  }

  /**
   * True when a fill from before the opening names its order only by the venue's id, and the order's owner is not
   * known.
   */
  get lacksOwners(): boolean {
    return this.#missedFills.some((fill) => fill.clientOrderId === null && this.#earlierOwnerOf(fill) === null);
  }

  /** Learns an order's owner from a report with both of its names. */
  learnOwner(order: OrderNames): void {
    if (this.#missedFills.length === 0 || order.venueOrderId === null) return;
    const strategy = this.#earlierOwnerOf(order);
    if (strategy !== null) this.#earlierOrders.set(order.venueOrderId, strategy);
  }

  /** Pays out a market to all strategies and to the account. Returns the cash the account received. */
  settleMarket(market: MarketIndex, settlementValue: Price): Money {
    const { portfolio, strategyLedgers: ledgers } = this.#parts;
    if (!portfolio.isOpen) this.#paidOut.set(market, settlementValue);
    if (ledgers.isHeld(market)) this.#revision += 1;
    ledgers.settleMarket(market, settlementValue);
    assert(!ledgers.isHeld(market), 'no strategy may hold anything in a market that was paid out');
    return portfolio.settleMarket(market, settlementValue);
  }

  /**
   * The strategy whose ledger gets the fills of an order: the one that placed it, in this session or before; `null` for
   * none.
   */
  ownerOf(order: Order): StrategyName | null {
    return isForeign(order) ? this.#earlierOwnerOf(order) : order.strategy;
  }

  /** The strategy of the earlier session that placed an order, from the saved orders or from the client order id. */
  #earlierOwnerOf({ venueOrderId, clientOrderId }: OrderNames): StrategyName | null {
    if (this.#saved === null) return null;
    const known = venueOrderId === null ? undefined : this.#earlierOrders.get(venueOrderId);
    if (known !== undefined) return known;
    return strategyOfOrderId(clientOrderId, [this.#saved]);
  }

  #recordFill(fill: FillReport, now: Micros): void {
    this.#revision += 1;
    this.#recentFills.set(fillKey(fill), now);
    for (const [key, at] of this.#recentFills) {
      if (this.#recentFills.size <= FILLS_MAX && at > now - this.#fillSpan) return;
      this.#recentFills.delete(key);
    }
  }

  /**
   * Opens the ledgers once the account's figures are known. Returns the markets in which the strategies' positions
   * contradict these figures; the positions there belong to no strategy from now on.
   */
  openLedgers(now: Micros): readonly MarketIndex[] {
    const { strategyLedgers: ledgers, portfolio } = this.#parts;
    assert(!portfolio.isOpen, 'the ledgers must be opened before the account');
    const byTime = this.#missedFills.sort((a, b) => (a.exchangeAt ?? 0) - (b.exchangeAt ?? 0));
    for (const fill of byTime) {
      const strategy = this.#earlierOwnerOf(fill);
      if (strategy === null) continue;
      ledgers.applyFill(strategy, fill);
      this.#recordFill(fill, now);
    }
    for (const [market, value] of this.#paidOut) ledgers.settleMarket(market, value);
    const disowned = ledgers.heldMarkets().filter((market) => !this.#isSupported(market));
    for (const market of disowned) ledgers.disownMarket(market);
    assert(!disowned.some((market) => ledgers.isHeld(market)), 'no strategy may hold what the account contradicts');
    this.#missedFills = [];
    this.#paidOut.clear();
    this.#othersQty.clear();
    this.#revision += 1;
    return disowned;
  }

  /**
   * True when the account's position is still the sum that was saved: the strategies' positions and the rest. If it is
   * not, someone traded in the market meanwhile.
   */
  #isSupported(market: MarketIndex): boolean {
    const { markets, portfolio, strategyLedgers: ledgers } = this.#parts;
    if (!ledgers.isHeld(market)) return true;
    const { qty } = portfolio.position(market);
    // Where the account's position nets to nothing, no settlement message arrives that could end the strategies'
    // positions.
    if (qty === 0 && markets.get(market) === undefined) return false;
    return subtractQty(qty, ledgers.heldIn(market)) === (this.#othersQty.get(market) ?? 0);
  }

  /** The ledgers for the next session to restore. */
  saveLedgers(now: Micros): SavedLedgers {
    const { orders, strategyLedgers: ledgers } = this.#parts;
    return {
      at: now,
      ...this.#own,
      books: [...ledgers.all()].map(([strategy, ledger]): SavedLedger => {
        const held = [...ledger.positions()].filter(([, { qty }]) => qty !== 0);
        const positions = held.map(([market, { qty, cost }]) => ({ ticker: this.#tickerOf(market), qty, cost }));
        return { strategy, realized: ledger.realized, fees: ledger.fees, losses: null, positions };
      }),
      others: ledgers.heldMarkets().flatMap((market) => {
        const qty = subtractQty(this.#parts.portfolio.position(market).qty, ledgers.heldIn(market));
        return qty === 0 ? [] : [{ ticker: this.#tickerOf(market), qty }];
      }),
      orders: [...orders.unfinishedOrders()].flatMap((order) => {
        const strategy = this.ownerOf(order);
        return order.venueOrderId === null || strategy === null ? [] : [{ venueOrderId: order.venueOrderId, strategy }];
      }),
      fills: [...this.#recentFills.keys()],
    };
  }

  #tickerOf(market: MarketIndex): SavedLedgers['others'][0]['ticker'] {
    return this.#parts.tickers.tickerOf(market);
  }
}
