// The trading floor: everything the exchange knows, and the one place where a step's facts are gathered.
// Must never decide anything: placing.ts, changing.ts and market-life.ts do.
import { assert, must } from '../domain/assert.ts';
import { type FeeSchedule, feeSchedule } from '../domain/fees.ts';
import type { EventTicker, MarketIndex, SeriesTicker, Ticker } from '../domain/ids.ts';
import { EPOCH, type Micros, type Qty } from '../domain/units.ts';
import type { FeeTerms, GroupDefinition, SeriesDefinition } from './input.ts';
import { Ledger } from './ledger.ts';
import { feeChangeIdOf, orderGroupIdOf, orderIdOf, tradeIdOf, transferIdOf } from './names.ts';
import type { Fact, FeeChangeView, OrderUpdateReason } from './output.ts';
import type { Account, Holding, MarketRecord, OrderGroupRecord, OrderRecord } from './records.ts';
import { Timers } from './timers.ts';
import { orderView, positionView, sameStats, statsOf } from './views.ts';

/** What comes due by itself. */
export type Due =
  | { readonly type: 'open' | 'close' | 'settle'; readonly market: MarketRecord }
  | { readonly type: 'expire'; readonly order: OrderRecord }
  | { readonly type: 'fees'; readonly seriesTicker: SeriesTicker; readonly fees: FeeTerms };

/** Whether something that was set for a time is still to happen then. */
function isLive(due: Due, at: Micros): boolean {
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

/** How many names were ever given out. */
export interface FloorCounts {
  readonly orders: number;
  readonly trades: number;
  readonly markets: number;
  readonly orderGroups: number;
  readonly transfers: number;
  readonly feeChanges: number;
}

const NO_COUNTS: FloorCounts = { orders: 0, trades: 0, markets: 0, orderGroups: 0, transfers: 0, feeChanges: 0 };

const NO_GROUPS: readonly OrderGroupRecord[] = [];

/** State of the exchange. */
export class Floor {
  readonly salt: number;
  readonly ledger = new Ledger();
  readonly series = new Map<SeriesTicker, SeriesDefinition>();
  readonly groups = new Map<EventTicker, GroupDefinition>();
  readonly markets = new Map<Ticker, MarketRecord>();
  readonly marketsByGroup = new Map<EventTicker, Set<MarketRecord>>();
  readonly timers = new Timers<Due>(isLive);
  /** Finalized markets still remembered, in the order in which they were paid out. */
  readonly finalized: MarketRecord[] = [];
  now: Micros = EPOCH;
  seq = 0;
  isActive = true;
  isTrading = true;
  /** Asked for, in that order, as far as remembered; those to come included. */
  readonly feeChanges: FeeChangeView[] = [];
  readonly #counts: Record<keyof FloorCounts, number>;
  #facts: Fact[] = [];
  readonly #touchedMarkets = new Set<MarketRecord>();
  readonly #touchedHoldings = new Set<Holding>();
  readonly #touchedAccounts = new Set<Account>();
  readonly #tradedGroups = new Set<OrderGroupRecord>();

  /** What `counts` leaves out is none. */
  constructor(salt: number, counts: Partial<FloorCounts> = {}) {
    this.salt = salt;
    this.#counts = { ...NO_COUNTS, ...counts };
  }

  get counts(): FloorCounts {
    return { ...this.#counts };
  }

  nextOrderId = () => orderIdOf(this.salt, ++this.#counts.orders);
  nextTradeId = () => tradeIdOf(this.salt, ++this.#counts.trades);
  nextMarketIndex = () => this.#counts.markets++ as MarketIndex;
  nextOrderGroupId = () => orderGroupIdOf(this.salt, ++this.#counts.orderGroups);
  nextTransferId = () => transferIdOf(this.salt, ++this.#counts.transfers);

  list(market: MarketRecord): void {
    const { eventTicker } = market.definition;
    const others = this.marketsByGroup.get(eventTicker);
    if (others === undefined) this.marketsByGroup.set(eventTicker, new Set([market]));
    else others.add(market);
    this.markets.set(market.ticker, market);
  }

  /** How trades of a group are charged: as its own terms say, or the series'. */
  scheduleOf(eventTicker: EventTicker): FeeSchedule {
    const group = must(this.groups.get(eventTicker), `event group ${eventTicker}`);
    const { feeType, feeMultiplierPercent } =
      group.fees ?? must(this.series.get(group.seriesTicker), `series ${group.seriesTicker}`);
    return feeSchedule(feeType, feeMultiplierPercent);
  }

  /** Remembers that trades are charged otherwise from a time on. */
  noteFeeChange(change: Omit<FeeChangeView, 'id'>): void {
    this.feeChanges.push({ id: feeChangeIdOf(this.salt, ++this.#counts.feeChanges), ...change });
    trimOldest(this.feeChanges);
  }

  /** An order has traded: it counts toward its group's limit. */
  noteTraded(order: OrderRecord, quantity: Qty): void {
    const group = order.groupId === null ? undefined : order.holding.account.orderGroups.get(order.groupId);
    if (group === undefined) return;
    group.traded.push({ at: this.now, qty: quantity });
    this.#tradedGroups.add(group);
  }

  /** The groups of which something has traded since they were last taken. */
  takeTradedGroups(): readonly OrderGroupRecord[] {
    if (this.#tradedGroups.size === 0) return NO_GROUPS;
    const groups = [...this.#tradedGroups];
    this.#tradedGroups.clear();
    return groups;
  }

  marketOf(ticker: Ticker): MarketRecord {
    return must(this.markets.get(ticker), `market ${ticker}`);
  }

  tell(fact: Fact): void {
    this.#facts.push(fact);
  }

  /** Tells an account what became of its order. Accounts without history hear nothing. */
  tellOrder(order: OrderRecord, reason: OrderUpdateReason | null): void {
    order.lastUpdateReason = reason;
    order.updatedAt = this.now;
    const { account } = order.holding;
    if (account.keepsHistory)
      this.tell({ type: 'order', at: this.now, account: account.name, order: orderView(order), reason });
  }

  /** A market's book or volume has changed: its ticker is told once, at the step's end. */
  touchMarket(market: MarketRecord): void {
    this.#touchedMarkets.add(market);
  }

  /** A holding's position has changed: it is told once, at the step's end. */
  touchHolding(holding: Holding): void {
    this.#touchedHoldings.add(holding);
  }

  /** An account's cash or promises have changed: it must not have promised more than it has at the step's end. */
  touchAccount(account: Account): void {
    this.#touchedAccounts.add(account);
  }

  get touchedHoldings(): Iterable<Holding> {
    return this.#touchedHoldings;
  }

  /**
   * Ends the step: checks what it touched and hands its facts over.
   * @throws {AssertionFault} when money was made or lost, or promised twice.
   */
  finish(): Fact[] {
    for (const market of this.#touchedMarkets) this.#finishMarket(market);
    for (const holding of this.#touchedHoldings) {
      const { account } = holding;
      if (account.keepsHistory)
        this.tell({ type: 'position', at: this.now, account: account.name, position: positionView(holding) });
    }
    for (const account of this.#touchedAccounts) {
      assert(account.cash >= account.reserved, `account ${account.name} has promised more than it has`);
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
    assert(market.pool.cash === market.openInterest * 10_000, `market ${market.ticker} does not hold a dollar a pair`);
    const stats = statsOf(market, this.now);
    market.history.noteTouch(this.now, stats.bid?.price ?? null, stats.ask?.price ?? null);
    if (market.toldStats !== null && sameStats(market.toldStats, stats)) return;
    market.toldStats = stats;
    this.tell({ type: 'ticker', at: this.now, ticker: market.ticker, stats });
  }
}

/** How many finished orders and fills an account remembers; when twice as many, the older half goes. */
const REMEMBERED_MAX = 20_000;

/** Remembers a finished order as long as there is room, or not at all where no history is kept. */
export function rememberFinished(account: Account, order: OrderRecord): void {
  account.resting.delete(order.orderId);
  if (!account.keepsHistory) {
    account.orders.delete(order.orderId);
    return;
  }
  if (account.finished.push(order.orderId) < 2 * REMEMBERED_MAX) return;
  for (const orderId of account.finished.splice(0, REMEMBERED_MAX)) account.orders.delete(orderId);
}

/** Keeps a list within its bound by dropping its older half in one go. */
export function trimOldest(list: unknown[]): void {
  if (list.length >= 2 * REMEMBERED_MAX) list.splice(0, REMEMBERED_MAX);
}
