// Passes the strategy ledgers from one session to the next. Restores the saved ledgers, applies the fills and
// settlements since the save, and checks each market against the account's position. Must never leave a strategy with a
// position that the account's figures contradict.
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
  readonly saved: SavedLedgers | null;
  /** Span for which lists of fills are read at the start. Milliseconds. */
  readonly lookbackMs: number;
}

type OrderNames = { readonly [K in 'venueOrderId' | 'clientOrderId']: FillReport[K] | Order[K] };

/**
 * Age up to which fills are saved, beyond the span of the lists. Lists of the next session may repeat such fills.
 * Microseconds.
 */
const FILL_SPAN = fromSeconds(120);
const FILLS_MAX = 2000;

/** The handover of the ledgers. */
export class LedgerHandover {
  readonly #parts: HandoverState;
  #own: Pick<HandoverInput, 'session' | 'strategies'> = { session: '', strategies: [] };
  #saved: SavedLedgers | null = null;
  #savedFills: ReadonlySet<string> = new Set();
  /**
   * Strategies of orders of the earlier session. Added when ledgers are restored, or an owner is learned; never
   * removed.
   */
  #earlierOrders = new Map<VenueOrderId, StrategyName>();
  /** Positions of no strategy, as saved. Added when ledgers are restored; removed at the opening. */
  readonly #othersQty = new Map<MarketIndex, Qty>();
  /**
   * Fills and payouts that the saved ledgers lack. Added when they arrive before the opening; removed at the opening.
   */
  #missedFills: FillReport[] = [];
  readonly #paidOut = new Map<MarketIndex, Price>();
  /**
   * The latest fills of strategies, each with the time it was applied. Added when a fill is applied; removed when it is
   * too old or the bound is passed.
   */
  readonly #recentFills = new Map<string, Micros>();
  #fillSpan: number = FILL_SPAN;
  #revision = 0;

  constructor(parts: HandoverState) {
    this.#parts = parts;
  }

  get revision(): number {
    return this.#revision;
  }

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
   * Applies a fill that the portfolio has counted. A fill of an earlier session's order may arrive again; it is applied
   * once.
   */
  applyFill(order: Order | null, fill: FillReport, now: Micros): void {
    const isOwn = order !== null && !isForeign(order);
    const strategy = (order && this.ownerOf(order)) ?? this.#earlierOwnerOf(fill);
    if (strategy === null || (!isOwn && this.#recentFills.has(fillKey(fill)))) return;
    this.#parts.strategyLedgers.applyFill(strategy, fill);
    this.#recordFill(fill, now);
  }

  /** Records a fill that arrives before the opening. The account's figures contain it; the saved ledgers may not. */
  onEarlyFill(fill: FillReport): void {
    if (this.#parts.portfolio.isOpen) return;
    if (this.#saved !== null && !this.#savedFills.has(fillKey(fill))) this.#missedFills.push(fill);
  }

  /** True when an earlier fill has neither a client order id nor a known strategy. */
  get lacksOwners(): boolean {
    return this.#missedFills.some((fill) => fill.clientOrderId === null && this.#earlierOwnerOf(fill) === null);
  }

  /** Learns the strategy that placed an order, from a report with both ids of the order. */
  learnOwner(order: OrderNames): void {
    if (this.#missedFills.length === 0 || order.venueOrderId === null) return;
    const strategy = this.#earlierOwnerOf(order);
    if (strategy !== null) this.#earlierOrders.set(order.venueOrderId, strategy);
  }

  /** Pays out a market to all strategies and to the account. Returns the cash that the account received. */
  settleMarket(market: MarketIndex, settlementValue: Price): Money {
    const { portfolio, strategyLedgers: ledgers } = this.#parts;
    if (!portfolio.isOpen) this.#paidOut.set(market, settlementValue);
    if (ledgers.isHeld(market)) this.#revision += 1;
    ledgers.settleMarket(market, settlementValue);
    assert(!ledgers.isHeld(market), 'no strategy may hold anything in a market that was paid out');
    return portfolio.settleMarket(market, settlementValue);
  }

  /**
   * The strategy whose ledger gets an order's fills: the strategy that placed it, in this session or before; else
   * `null`.
   */
  ownerOf(order: Order): StrategyName | null {
    return isForeign(order) ? this.#earlierOwnerOf(order) : order.strategy;
  }

  /** The strategy of the earlier session that placed an order, by the saved orders or by the client order id. */
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
   * Opens the ledgers once the account's figures are known. Returns the markets where the strategies' positions
   * contradict these figures. Positions there belong to no strategy from now on.
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
   * True when the account's position still equals the saved sum of the strategies' positions and the rest. Otherwise
   * someone traded in the market meanwhile.
   */
  #isSupported(market: MarketIndex): boolean {
    const { markets, portfolio, strategyLedgers: ledgers } = this.#parts;
    if (!ledgers.isHeld(market)) return true;
    const { qty } = portfolio.position(market);
    // Where the account's position is flat, no settlement message would arrive to end the strategies' positions.
    if (qty === 0 && markets.get(market) === undefined) return false;
    return subtractQty(qty, ledgers.heldIn(market)) === (this.#othersQty.get(market) ?? 0);
  }

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
