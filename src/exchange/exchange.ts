// The exchange: inputs go in one at a time, answers and facts come out, and everything can be read in between.
// Pure: no clock, no chance, no I/O. Time, and everything else, comes with the inputs.
import type { EventTicker, SeriesTicker, Ticker } from '../domain/ids.ts';
import type { MarketStatus } from '../domain/market.ts';
import type { Micros, Qty } from '../domain/units.ts';
import type { Bar } from './history.ts';
import type { ExchangeImage } from './image.ts';
import type { AccountName, GroupDefinition, Input, SeriesDefinition } from './input.ts';
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
} from './output.ts';

/** Everything that can be read. Nothing read here changes anything. */
export interface ExchangeReader {
  /** Time of the last input. */
  readonly now: Micros;
  /** Number of the last input. */
  readonly seq: number;
  readonly isActive: boolean;
  readonly isTrading: boolean;
  allSeries(): readonly SeriesDefinition[];
  series(ticker: SeriesTicker): SeriesDefinition | undefined;
  groups(): readonly GroupDefinition[];
  group(ticker: EventTicker): GroupDefinition | undefined;
  /** In the order in which they were listed. */
  markets(): readonly MarketView[];
  market(ticker: Ticker): MarketView | undefined;
  /** Cheaper than a whole view; `undefined` when there is no such market. */
  statusOf(ticker: Ticker): MarketStatus | undefined;
  marketsOf(group: EventTicker): readonly MarketView[];
  /** The best levels on each side, `depth` at the most; 0 for all. `undefined` when there is no such market. */
  book(ticker: Ticker, depth?: number): BookView | undefined;
  /** The touch and the volumes only: cheaper than a whole view. */
  stats(ticker: Ticker): MarketStats | undefined;
  /** Newest last; a bounded number is remembered. */
  prints(ticker: Ticker): readonly PrintView[];
  /** One-minute bars, oldest first; minutes without news are absent; a bounded number is remembered. */
  bars(ticker: Ticker): readonly Bar[];
  hasAccount(account: AccountName): boolean;
  balance(account: AccountName): BalanceView | undefined;
  /** Positions that were ever held, flat ones included, until their market is settled and forgotten. */
  positions(account: AccountName): readonly PositionView[];
  /** `undefined` when the account never held anything in the market. */
  position(account: AccountName, ticker: Ticker): PositionView | undefined;
  /** Oldest first, resting and (as far as remembered) finished. */
  orders(account: AccountName): readonly OrderView[];
  restingOrders(account: AccountName): readonly OrderView[];
  /** Bids then asks, best first. */
  restingOrdersIn(account: AccountName, ticker: Ticker): readonly OrderView[];
  /** `undefined` when the account has no such order, or it has been forgotten. */
  order(account: AccountName, orderId: string): OrderView | undefined;
  /** Contracts ahead of a resting order at its price; `undefined` when it does not rest. */
  queueAhead(account: AccountName, orderId: string): Qty | undefined;
  /** Oldest first, as far as remembered. */
  fills(account: AccountName): readonly FillView[];
  settlements(account: AccountName): readonly SettlementView[];
  /** Order groups, oldest first. */
  orderGroups(account: AccountName): readonly OrderGroupView[];
  /** `undefined` when the account has no such group. */
  orderGroup(account: AccountName, groupId: string): OrderGroupView | undefined;
  /** What the account handed to others, oldest first, as far as remembered. */
  transfers(account: AccountName): readonly TransferView[];
  /** Changes of how a series and its event groups are charged, in the order in which they were asked for. */
  feeChanges(series: SeriesTicker): readonly FeeChangeView[];
  ledger(): LedgerView;
  /** Counted from scratch. */
  retained(): Retained;
  /** When the next thing happens by itself: an opening, a close, an expiry, a settlement. `null` for never. */
  nextDue(): Micros | null;
  /**
   * Checks everything from scratch: books against orders, reserves against orders, the ledger's conservation.
   * @throws {AssertionFault} at the first thing that does not hold.
   */
  audit(): void;
}

/** The exchange as a machine. */
export interface Exchange extends ExchangeReader {
  /**
   * Takes one input. Refusals are answers, never exceptions, and change nothing but the clock.
   * @throws {AssertionFault} when an invariant of the books or the ledger is broken.
   */
  step(input: Input): StepResult;
  /** Everything it knows, as plain data that can be written down as JSON. */
  image(): ExchangeImage;
}
