// The exchange's own records of accounts, holdings, markets and orders: mutable, and changed only inside a step.
// Must never leave the exchange: what does is a view.
import type { SeriesTicker } from '../domain/ids.ts';
import type { Clearing, FeeSchedule } from '../domain/fees.ts';
import type { MarketResult, MarketStatus, Outcome } from '../domain/market.ts';
import type { MarketIndex, Ticker, VenueOrderId } from '../domain/ids.ts';
import type { Side, TimeInForce } from '../domain/order.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import type { Book } from './book.ts';
import type { History } from './history.ts';
import type { AccountName, MarketDefinition, SelfTradePrevention } from './input.ts';
import type { FillView, MarketStats, OrderUpdateReason, OrderView, SettlementView, TransferView } from './output.ts';

/** Anything that holds cash: an account, the dollars behind a market's pairs, the house, the world outside. */
export interface Purse {
  cash: Money;
}

/** One outcome held: how much, and what it cost. */
export interface Leg {
  qty: Qty;
  cost: Money;
}

/** What an account has in a market. At most one leg is held: pairs are redeemed as they arise. */
export interface Holding {
  readonly account: Account;
  readonly market: MarketRecord;
  readonly yes: Leg;
  readonly no: Leg;
  realized: Money;
  fees: Money;
  tradedQty: Qty;
  tradedCost: Money;
  /** Resting orders, best price first and first come first among equals. */
  readonly buys: OrderRecord[];
  readonly sells: OrderRecord[];
  /** Σ `pledged` of a side's orders: what they would need if nothing were held. */
  grossBuys: Money;
  grossSells: Money;
  /** What they do need. */
  reserved: Money;
  /** Client order ids that were burnt by its orders. */
  readonly names: string[];
  updatedAt: Micros;
}

/** Orders that are withdrawn together when too many of their contracts trade in fifteen seconds. */
export interface OrderGroupRecord {
  readonly groupId: string;
  readonly account: Account;
  limit: Qty;
  isArmed: boolean;
  /** What traded, oldest first: all that counts, and some that is too old to. */
  traded: { readonly at: Micros; readonly qty: Qty }[];
}

/** An account. */
export interface Account extends Purse {
  readonly name: AccountName;
  readonly keepsHistory: boolean;
  readonly clearing: Clearing;
  reserved: Money;
  deposited: Money;
  fees: Money;
  readonly holdings: Map<MarketIndex, Holding>;
  /** Resting and remembered orders, oldest first. */
  readonly orders: Map<string, OrderRecord>;
  readonly resting: Map<string, OrderRecord>;
  /** Ids of finished orders still remembered, in the order in which they finished. */
  readonly finished: string[];
  readonly fills: FillView[];
  readonly settlements: SettlementView[];
  /** Client order ids that were used, for as long as the market they were used in is remembered. */
  readonly burnt: Set<string>;
  readonly orderGroups: Map<string, OrderGroupRecord>;
  /** What it handed to others, by id, oldest first, as far as remembered. */
  readonly transfers: Map<string, TransferView>;
}

/** A market. */
export interface MarketRecord {
  readonly index: MarketIndex;
  readonly ticker: Ticker;
  /** As listed, but for its grid, which is the latest. */
  definition: MarketDefinition;
  readonly seriesTicker: SeriesTicker;
  grid: PriceGrid;
  schedule: FeeSchedule;
  book: Book<OrderRecord>;
  readonly history: History;
  status: MarketStatus;
  closeAt: Micros;
  result: MarketResult | null;
  settlementValue: Price | null;
  readonly createdAt: Micros;
  updatedAt: Micros;
  determinedAt: Micros | null;
  /** When it pays out by itself; `null` when no timer runs. */
  settleAt: Micros | null;
  settledAt: Micros | null;
  lastPrice: Price | null;
  lastQty: Qty;
  volume: Qty;
  /** Pairs outstanding. */
  openInterest: Qty;
  /** Dollars standing behind the pairs. */
  readonly pool: Purse;
  /** Every holding there ever was in it. */
  readonly holders: Holding[];
  /** As last told to everyone. */
  toldStats: MarketStats | null;
}

/** An order. */
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
  /** Rounding its fills have gathered toward a rebate. */
  gathered: Money;
  /** Its place in the book; `NONE` when it does not rest. */
  slot: number;
  /** What it would need if nothing were held; zero when it does not rest. */
  pledged: Money;
  readonly createdAt: Micros;
  updatedAt: Micros;
  lastUpdateReason: OrderUpdateReason | null;
}
