// Mutable records of accounts, holdings, markets and orders, changed only inside a step. Must never leave the exchange:
// readers get views.
import type { SeriesTicker } from '../../domain/ids.ts';
import type { ClearingMethod, FeeSchedule } from '../../domain/fee-schedule.ts';
import type { MarketResult, MarketStatus, Outcome } from '../../domain/market.ts';
import type { MarketIndex, Ticker, VenueOrderId } from '../../domain/ids.ts';
import type { Side, TimeInForce } from '../../domain/orders/order.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';
import type { RestingBook } from './resting-book.ts';
import type { MarketHistory } from '../markets/market-history.ts';
import type { AccountName, MarketDefinition, SelfTradePrevention } from './exchange-input.ts';
import type {
  FillView,
  MarketStats,
  OrderUpdateReason,
  OrderView,
  SettlementView,
  TransferView,
} from './exchange-output.ts';

/** A holder of cash: an account, the pool behind a market's pairs, the house, the source of deposits. */
export interface CashHolder {
  cash: Money;
}

/** One outcome held: its quantity and its cost. */
export interface OutcomeLeg {
  qty: Qty;
  cost: Money;
}

/**
 * An account's position and orders in a market. At most one outcome is held, because pairs are redeemed as they arise.
 */
export interface Holding {
  readonly account: Account;
  readonly market: MarketRecord;
  readonly yes: OutcomeLeg;
  readonly no: OutcomeLeg;
  realized: Money;
  fees: Money;
  tradedQty: Qty;
  tradedCost: Money;
  /** Resting orders, best price first, then oldest first. */
  readonly buys: OrderRecord[];
  readonly sells: OrderRecord[];
  /** Σ `pledged` of a side's orders: their collateral if the position were flat. */
  grossBuys: Money;
  grossSells: Money;
  /** Collateral that the orders of both sides require at the current position. */
  reserved: Money;
  /** Client order ids used up by the orders of this holding. */
  readonly names: string[];
  updatedAt: Micros;
}

/** Orders that are canceled together once they trade the group's limit within fifteen seconds. */
export interface OrderGroupRecord {
  readonly groupId: string;
  readonly account: Account;
  limit: Qty;
  isArmed: boolean;
  /** Trades that may count toward the limit, oldest first. Some may be too old to count. */
  traded: { readonly at: Micros; readonly qty: Qty }[];
}

/** An account of the ledger: its cash, holdings, orders and history. */
export interface Account extends CashHolder {
  readonly name: AccountName;
  readonly keepsHistory: boolean;
  readonly clearing: ClearingMethod;
  reserved: Money;
  deposited: Money;
  fees: Money;
  readonly holdings: Map<MarketIndex, Holding>;
  /**
   * Resting and remembered orders, oldest first. Added when an order is accepted; removed when the bound is reached or
   * the market is removed. An account without history drops an order as soon as it ends.
   */
  readonly orders: Map<string, OrderRecord>;
  readonly resting: Map<string, OrderRecord>;
  /** Ids of finished orders still remembered, first finished first. */
  readonly finished: string[];
  readonly fills: FillView[];
  readonly settlements: SettlementView[];
  /**
   * Client order ids already used. Added by an accepted order, a killed fill-or-kill order or an amendment; removed
   * with their market.
   */
  readonly burnt: Set<string>;
  readonly orderGroups: Map<string, OrderGroupRecord>;
  /** Outgoing transfers by id, oldest first. Bounded: the oldest are dropped. */
  readonly transfers: Map<string, TransferView>;
}

/** A market: its definition, status, book, trades so far and holders. */
export interface MarketRecord {
  readonly index: MarketIndex;
  readonly ticker: Ticker;
  /** The definition as listed, except that the grid is the current one. */
  definition: MarketDefinition;
  readonly seriesTicker: SeriesTicker;
  grid: PriceGrid;
  schedule: FeeSchedule;
  book: RestingBook<OrderRecord>;
  readonly history: MarketHistory;
  status: MarketStatus;
  closeAt: Micros;
  result: MarketResult | null;
  settlementValue: Price | null;
  readonly createdAt: Micros;
  updatedAt: Micros;
  determinedAt: Micros | null;
  /** Time of the automatic payout; `null` when no timer runs. */
  settleAt: Micros | null;
  settledAt: Micros | null;
  lastPrice: Price | null;
  lastQty: Qty;
  volume: Qty;
  openInterest: Qty;
  readonly pool: CashHolder;
  /** Every holding ever opened in the market. */
  readonly holders: Holding[];
  /** The stats last published in a ticker fact. */
  toldStats: MarketStats | null;
}

/** An order, resting or ended. */
export interface OrderRecord {
  readonly orderId: VenueOrderId;
  readonly holding: Holding;
  clientOrderId: string | null;
  readonly side: Side;
  readonly outcome: Outcome;
  price: Price;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: SelfTradePrevention;
  readonly cancelOnPause: boolean;
  readonly groupId: string | null;
  readonly expiresAt: Micros | null;
  status: OrderView['status'];
  initialQty: Qty;
  filledQty: Qty;
  leavesQty: Qty;
  filledNotional: Money;
  takerCost: Money;
  makerCost: Money;
  takerFees: Money;
  makerFees: Money;
  /** Rounding accumulated by the order's fills, less the whole cents given back. */
  gathered: Money;
  /** Slot in the book; `NONE` when the order does not rest. */
  slot: number;
  /** Collateral of the order if the position were flat; zero when the order does not rest. */
  pledged: Money;
  readonly createdAt: Micros;
  updatedAt: Micros;
  lastUpdateReason: OrderUpdateReason | null;
}
