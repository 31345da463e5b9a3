// The interface of the exchange. It takes one input at a time, returns an answer and facts, and can be read between
// inputs. Must never use a clock, randomness or I/O.
import type { EventTicker, SeriesTicker, Ticker } from '../../domain/ids.ts';
import type { MarketStatus } from '../../domain/market.ts';
import type { Micros, Qty } from '../../domain/units.ts';
import type { Bar } from '../markets/market-history.ts';
import type { ExchangeImage } from '../store/exchange-image.ts';
import type { AccountName, GroupDefinition, Input, SeriesDefinition } from './exchange-input.ts';
import type {
  BalanceView,
  BookView,
  FeeChangeView,
  FillView,
  LedgerView,
  MarketStats,
  MarketView,
  OrderGroupView,
  OrderView,
  PositionView,
  PrintView,
  Retained,
  SettlementView,
  StepResult,
  TransferView,
} from './exchange-output.ts';

/** Every query of the exchange. A query changes nothing. */
export interface ExchangeReader {
  /** Time of the last input. */
  readonly now: Micros;
  /** Number of the last input. */
  readonly seq: number;
  readonly isActive: boolean;
  readonly isTrading: boolean;
  /** True from a pause by a window of maintenance until trading resumes. */
  readonly isMaintenance: boolean;
  allSeries(): readonly SeriesDefinition[];
  series(ticker: SeriesTicker): SeriesDefinition | undefined;
  groups(): readonly GroupDefinition[];
  group(ticker: EventTicker): GroupDefinition | undefined;
  /** Markets, first listed first. */
  markets(): readonly MarketView[];
  market(ticker: Ticker): MarketView | undefined;
  /** True for a market that was listed because a config named it, also when it was removed since. */
  wasConfigured(ticker: Ticker): boolean;
  /** Status of a market, cheaper than its whole view; `undefined` when there is no such market. */
  statusOf(ticker: Ticker): MarketStatus | undefined;
  marketsOf(group: EventTicker): readonly MarketView[];
  /**
   * The best `depth` levels of each side, or all of them when `depth` is 0. `undefined` when there is no such market.
   */
  book(ticker: Ticker, depth?: number): BookView | undefined;
  /** Touch, last price and volumes of a market: cheaper than its whole view. */
  stats(ticker: Ticker): MarketStats | undefined;
  /** The most recent prints, oldest first. Their number is bounded. */
  prints(ticker: Ticker): readonly PrintView[];
  /**
   * One-minute bars, oldest first. Their number is bounded. A minute without trades and without changes of the book has
   * no bar.
   */
  bars(ticker: Ticker): readonly Bar[];
  hasAccount(account: AccountName): boolean;
  balance(account: AccountName): BalanceView | undefined;
  /**
   * Positions in all markets in which the account has ever traded, flat ones included. A position is gone once its
   * market is removed.
   */
  positions(account: AccountName): readonly PositionView[];
  /** `undefined` when the account has never traded in the market, or the market is not listed. */
  position(account: AccountName, ticker: Ticker): PositionView | undefined;
  /** Resting orders and remembered finished ones, oldest first. */
  orders(account: AccountName): readonly OrderView[];
  restingOrders(account: AccountName): readonly OrderView[];
  /** Resting orders in one market: bids, then asks, each best first. */
  restingOrdersIn(account: AccountName, ticker: Ticker): readonly OrderView[];
  /** `undefined` when the account has no such order, or the order is no longer remembered. */
  order(account: AccountName, orderId: string): OrderView | undefined;
  /** Quantity ahead of a resting order at its price; `undefined` when the account has no such resting order. */
  queueAhead(account: AccountName, orderId: string): Qty | undefined;
  /** Fills still remembered, oldest first. */
  fills(account: AccountName): readonly FillView[];
  settlements(account: AccountName): readonly SettlementView[];
  /** Order groups, oldest first. */
  orderGroups(account: AccountName): readonly OrderGroupView[];
  /** `undefined` when the account has no such group. */
  orderGroup(account: AccountName, groupId: string): OrderGroupView | undefined;
  /** Transfers out of the account that are still remembered, oldest first. */
  transfers(account: AccountName): readonly TransferView[];
  /** Fee changes of a series and of its event groups, first requested first. Their number is bounded. */
  feeChanges(series: SeriesTicker): readonly FeeChangeView[];
  ledger(): LedgerView;
  /** Numbers of items that the exchange remembers, counted from scratch. */
  retained(): Retained;
  /** Time of the next scheduled change, such as an opening or an expiry. `null` when none is scheduled. */
  nextDue(): Micros | null;
  /**
   * Checks books, reserves and the ledger from scratch.
   * @throws {AssertionFault} at the first check that fails.
   */
  audit(): void;
}

/** The exchange as a deterministic state machine. */
export interface Exchange extends ExchangeReader {
  /**
   * Applies one input. A refused operation changes no order, position or cash.
   * @throws {AssertionFault} when an invariant of the books or the ledger is broken.
   */
  step(input: Input): StepResult;
  /** The whole state as plain data that can be written as JSON. */
  image(): ExchangeImage;
}
