// State of the exchange, and the collector of each step's facts. Must never decide what an operation does.
import { DueQueue } from '../../base/due-queue.ts';
import { assert, must } from '../../base/assert.ts';
import { type FeeSchedule, feeSchedule } from '../../domain/fee-schedule.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker } from '../../domain/ids.ts';
import { EPOCH, type Micros, type Qty } from '../../domain/units.ts';
import type { FeeTerms, GroupDefinition, SeriesDefinition } from './exchange-input.ts';
import { ExchangeLedger } from '../accounts/exchange-ledger.ts';
import { feeChangeIdOf, orderGroupIdOf, orderIdOf, tradeIdOf, transferIdOf } from './exchange-ids.ts';
import type { Fact, FeeChangeView, OrderUpdateReason } from './exchange-output.ts';
import type { Account, Holding, MarketRecord, OrderGroupRecord, OrderRecord } from './exchange-records.ts';
import { orderView, positionView, isSameStats, statsOf } from './exchange-views.ts';

/** A change that takes effect at its time without an operation. */
export type ScheduledChange =
  | { readonly type: 'open' | 'close' | 'settle'; readonly market: MarketRecord }
  | { readonly type: 'expire'; readonly order: OrderRecord }
  | { readonly type: 'fees'; readonly seriesTicker: SeriesTicker; readonly fees: FeeTerms };

function isLive(due: ScheduledChange, at: Micros): boolean {
  switch (due.type) {
    case 'open':
      return due.market.status === 'initialized';
    case 'close':
      return due.market.closeAt === at && ['initialized', 'active', 'inactive'].includes(due.market.status);
    case 'settle':
      return due.market.settleAt === at;
    case 'expire':
      return due.order.status === 'resting';
    case 'fees':
      return true;
  }
}

/** Number of ids issued so far, by kind. */
export interface IdCounts {
  readonly orders: number;
  readonly trades: number;
  readonly markets: number;
  readonly orderGroups: number;
  readonly transfers: number;
  readonly feeChanges: number;
}

const NO_COUNTS: IdCounts = { orders: 0, trades: 0, markets: 0, orderGroups: 0, transfers: 0, feeChanges: 0 };

const NO_GROUPS: readonly OrderGroupRecord[] = [];

/** The whole state of the exchange, with the facts and marks of the current step. */
export class ExchangeState {
  readonly salt: number;
  readonly ledger = new ExchangeLedger();
  readonly series = new Map<SeriesTicker, SeriesDefinition>();
  readonly groups = new Map<EventTicker, GroupDefinition>();
  readonly markets = new Map<Ticker, MarketRecord>();
  readonly marketsByGroup = new Map<EventTicker, Set<MarketRecord>>();
  readonly timers = new DueQueue<ScheduledChange, Micros>(isLive);
  /**
   * Remembered finalized markets, first paid out first. Added when a market pays out; removed by `settled-removal.ts`.
   */
  readonly finalized: MarketRecord[] = [];
  now: Micros = EPOCH;
  seq = 0;
  isActive = true;
  isTrading = true;
  /** True from a pause by a window of maintenance until trading resumes. */
  isMaintenance = false;
  /** Markets of the config that were ever listed. A config names each, so their number is bounded. */
  readonly configured = new Set<Ticker>();
  /** Fee changes, first requested first, future ones included. Bounded: the oldest are dropped. */
  readonly feeChanges: FeeChangeView[] = [];
  readonly #counts: Record<keyof IdCounts, number>;
  #facts: Fact[] = [];
  readonly #touchedMarkets = new Set<MarketRecord>();
  readonly #touchedHoldings = new Set<Holding>();
  readonly #touchedAccounts = new Set<Account>();
  readonly #tradedGroups = new Set<OrderGroupRecord>();

  /** Counts missing from `counts` are 0. */
  constructor(salt: number, counts: Partial<IdCounts> = {}) {
    this.salt = salt;
    this.#counts = { ...NO_COUNTS, ...counts };
  }

  get counts(): IdCounts {
    return { ...this.#counts };
  }

  nextOrderId = () => orderIdOf(this.salt, ++this.#counts.orders);
  nextTradeId = () => tradeIdOf(this.salt, ++this.#counts.trades);
  nextMarketIndex = () => this.#counts.markets++ as MarketIndex;
  nextOrderGroupId = () => orderGroupIdOf(this.salt, ++this.#counts.orderGroups);
  nextTransferId = () => transferIdOf(this.salt, ++this.#counts.transfers);

  addMarket(market: MarketRecord): void {
    const { eventTicker } = market.definition;
    const others = this.marketsByGroup.get(eventTicker);
    if (others === undefined) this.marketsByGroup.set(eventTicker, new Set([market]));
    else others.add(market);
    this.markets.set(market.ticker, market);
  }

  /** Fee schedule of an event group's trades: by the group's own terms, else by those of its series. */
  feeScheduleOf(eventTicker: EventTicker): FeeSchedule {
    const group = must(this.groups.get(eventTicker), `event group ${eventTicker}`);
    const { feeType, feeMultiplierPercent } =
      group.fees ?? must(this.series.get(group.seriesTicker), `series ${group.seriesTicker}`);
    return feeSchedule(feeType, feeMultiplierPercent);
  }

  recordFeeChange(change: Omit<FeeChangeView, 'id'>): void {
    this.feeChanges.push({ id: feeChangeIdOf(this.salt, ++this.#counts.feeChanges), ...change });
    trimOldest(this.feeChanges);
  }

  countTowardGroup(order: OrderRecord, quantity: Qty): void {
    const group = order.groupId === null ? undefined : order.holding.account.orderGroups.get(order.groupId);
    if (group === undefined) return;
    group.traded.push({ at: this.now, qty: quantity });
    this.#tradedGroups.add(group);
  }

  drainTradedGroups(): readonly OrderGroupRecord[] {
    if (this.#tradedGroups.size === 0) return NO_GROUPS;
    const groups = [...this.#tradedGroups];
    this.#tradedGroups.clear();
    return groups;
  }

  requireMarket(ticker: Ticker): MarketRecord {
    return must(this.markets.get(ticker), `market ${ticker}`);
  }

  emitFact(fact: Fact): void {
    this.#facts.push(fact);
  }

  /** Emits an order change to its account. Accounts without history get no fact. */
  emitOrder(order: OrderRecord, reason: OrderUpdateReason | null): void {
    order.lastUpdateReason = reason;
    order.updatedAt = this.now;
    const { account } = order.holding;
    if (account.keepsHistory)
      this.emitFact({ type: 'order', at: this.now, account: account.name, order: orderView(order), reason });
  }

  /** Marks a market whose book or volume changed. At most one ticker fact is emitted at the end of the step. */
  markMarketChanged(market: MarketRecord): void {
    this.#touchedMarkets.add(market);
  }

  /** Marks a holding whose position changed. One position fact is emitted at the end of the step. */
  markHoldingChanged(holding: Holding): void {
    this.#touchedHoldings.add(holding);
  }

  /** Marks an account whose cash or reserves changed. Its reserves must not exceed its cash at the end of the step. */
  markAccountChanged(account: Account): void {
    this.#touchedAccounts.add(account);
  }

  get changedHoldings(): Iterable<Holding> {
    return this.#touchedHoldings;
  }

  /**
   * Ends the step: emits the facts of the marked markets and holdings, checks the ledger, and returns all facts.
   * @throws {AssertionFault} when cash was created or lost, or the figures of a marked market or account contradict
   *   each other.
   */
  finishStep(): Fact[] {
    for (const market of this.#touchedMarkets) this.#finishMarket(market);
    for (const holding of this.#touchedHoldings) {
      const { account } = holding;
      if (account.keepsHistory)
        this.emitFact({ type: 'position', at: this.now, account: account.name, position: positionView(holding) });
    }
    for (const account of this.#touchedAccounts) {
      assert(account.cash >= account.reserved, `account ${account.name} has reserved more than its cash`);
    }
    this.ledger.assertConserved();
    this.#touchedMarkets.clear();
    this.#touchedAccounts.clear();
    this.#touchedHoldings.clear();
    const facts = this.#facts;
    this.#facts = [];
    return facts;
  }

  #finishMarket(market: MarketRecord): void {
    assert(
      market.pool.cash === market.openInterest * 10_000,
      `market ${market.ticker} does not hold one dollar per pair`,
    );
    const stats = statsOf(market, this.now);
    market.history.recordTouch(this.now, stats.bid?.price ?? null, stats.ask?.price ?? null);
    if (market.toldStats !== null && isSameStats(market.toldStats, stats)) return;
    market.toldStats = stats;
    this.emitFact({ type: 'ticker', at: this.now, ticker: market.ticker, stats });
  }
}

/**
 * Finished orders, fills and settlements remembered per account, and fee changes of the exchange. At twice that number
 * the older half is dropped.
 */
const REMEMBERED_MAX = 20_000;

/** Archives a finished order, or drops it when the account keeps no history. */
export function archiveFinishedOrder(account: Account, order: OrderRecord): void {
  account.resting.delete(order.orderId);
  if (!account.keepsHistory) {
    account.orders.delete(order.orderId);
    return;
  }
  if (account.finished.push(order.orderId) < 2 * REMEMBERED_MAX) return;
  for (const orderId of account.finished.splice(0, REMEMBERED_MAX)) account.orders.delete(orderId);
}

/** Bounds a list by dropping its older half in one go. */
export function trimOldest(list: unknown[]): void {
  if (list.length >= 2 * REMEMBERED_MAX) list.splice(0, REMEMBERED_MAX);
}
