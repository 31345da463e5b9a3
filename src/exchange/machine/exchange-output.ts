// Outputs of the exchange: the answer to the caller, public facts, facts for one account, and views for reading. A view
// is a copy and must never change.
import type { EventTicker, MarketIndex, SeriesTicker, Ticker, TradeId, VenueOrderId } from '../../domain/ids.ts';
import type { MarketResult, MarketStatus, Outcome } from '../../domain/market.ts';
import type { Liquidity, Side, TimeInForce } from '../../domain/orders/order.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';
import type {
  AccountName,
  FeeTerms,
  GroupDefinition,
  MarketDefinition,
  SelfTradePrevention,
} from './exchange-input.ts';
import type { Refusal } from './exchange-refusal.ts';

/** Reason of the last change to an order, in the wire's words. */
export type OrderUpdateReason =
  | 'Decrease'
  | 'Amend'
  | 'SelfTradeCancel'
  | 'ExpiryCancel'
  | 'CloseCancel'
  | 'HaltCancel'
  | 'Trade'
  | 'ReduceOnlyCancel'
  /** Canceled by its owner. The wire has no word for this reason and sends none. */
  | 'UserCancel'
  /** The unfilled part of an IOC order was canceled. The wire has no word for this reason and sends none. */
  | 'RemainderCancel';

/** An order as its owner sees it. */
export interface OrderView {
  readonly orderId: VenueOrderId;
  readonly account: AccountName;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  /** The outcome in whose terms the order was placed. */
  readonly outcome: Outcome;
  readonly price: Price;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: SelfTradePrevention;
  readonly cancelOnPause: boolean;
  readonly groupId: string | null;
  readonly status: 'resting' | 'canceled' | 'executed';
  /**
   * Quantity as placed or last amended; a decrease does not change it. For a reduce-only order, only the reducible
   * quantity counts.
   */
  readonly initialQty: Qty;
  readonly filledQty: Qty;
  /** The quantity that still rests; zero once the order has ended. */
  readonly leavesQty: Qty;
  /** Σ price × qty of the fills, on the YES scale. */
  readonly filledNotional: Money;
  /** Σ price × qty of taker fills, and the same for maker fills. The price is the acquired outcome's. */
  readonly takerCost: Money;
  readonly makerCost: Money;
  readonly takerFees: Money;
  readonly makerFees: Money;
  readonly expiresAt: Micros | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly lastUpdateReason: OrderUpdateReason | null;
}

/** One account's side of a trade. */
export interface FillView {
  readonly tradeId: TradeId;
  readonly orderId: VenueOrderId;
  readonly account: AccountName;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  /** The outcome in whose terms the order was placed. */
  readonly outcome: Outcome;
  readonly price: Price;
  readonly qty: Qty;
  readonly fee: Money;
  readonly liquidity: Liquidity;
  /** The account's signed position after the fill. */
  readonly positionAfter: Qty;
  readonly at: Micros;
}

/** A change of an order group. */
export type OrderGroupChange = 'created' | 'triggered' | 'reset' | 'deleted' | 'limit-changed';

/** Orders of an account that are canceled together once they trade the group's limit within fifteen seconds. */
export interface OrderGroupView {
  readonly groupId: string;
  readonly account: AccountName;
  readonly limit: Qty;
  /** True while the group takes orders. A trigger (on request, or at the limit) makes it false until the reset. */
  readonly isArmed: boolean;
  readonly orderIds: readonly VenueOrderId[];
}

/** A cash transfer from one account to another. */
export interface TransferView {
  readonly id: string;
  readonly account: AccountName;
  readonly to: AccountName;
  readonly amount: Money;
  readonly at: Micros;
}

/** A change of fee terms from a time on, for a series or an event group. */
export interface FeeChangeView {
  readonly id: string;
  readonly seriesTicker: SeriesTicker;
  /** The event group; `null` for the series itself. */
  readonly eventTicker: EventTicker | null;
  /** `null` when the event group returns to the terms of its series. */
  readonly fees: FeeTerms | null;
  readonly at: Micros;
}

/** The position of an account in a market, with its cost, profit and trades so far. */
export interface PositionView {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  /** Signed: + YES, − NO. */
  readonly qty: Qty;
  readonly cost: Money;
  /** Profit of the quantity closed or settled, before fees. */
  readonly realized: Money;
  readonly fees: Money;
  /** Total contracts traded, and their cost at the price of the acquired outcome. */
  readonly tradedQty: Qty;
  readonly tradedCost: Money;
  readonly restingOrders: number;
  readonly updatedAt: Micros;
}

/** The balance of an account. */
export interface BalanceView {
  readonly account: AccountName;
  /** Total cash, reserved cash included. */
  readonly cash: Money;
  /** Collateral reserved for resting orders, worst-case fees included. */
  readonly reserved: Money;
  /** Cash less reserved. Never negative. */
  readonly available: Money;
  /** Value of the positions at the settlement value, else at the last price, else at half a dollar a contract. */
  readonly positionsValue: Money;
  readonly deposited: Money;
  readonly fees: Money;
}

/** The payout of one market to one account. */
export interface SettlementView {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  readonly result: MarketResult;
  /** Payout per YES contract. */
  readonly settlementValue: Price;
  readonly yesQty: Qty;
  readonly yesCost: Money;
  readonly noQty: Qty;
  readonly noCost: Money;
  readonly revenue: Money;
  /** All fees that the account paid in the market. */
  readonly fees: Money;
  readonly at: Micros;
}

/** A public trade. */
export interface PrintView {
  readonly tradeId: TradeId;
  readonly ticker: Ticker;
  readonly takerSide: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly at: Micros;
}

/** A level: price and quantity. */
export interface LevelView {
  readonly price: Price;
  readonly qty: Qty;
}

/** A book, best first on both sides, on the YES scale. */
export interface BookView {
  readonly ticker: Ticker;
  readonly bids: readonly LevelView[];
  readonly asks: readonly LevelView[];
}

/** A market's quickly changing figures. */
export interface MarketStats {
  readonly bid: LevelView | null;
  readonly ask: LevelView | null;
  readonly lastPrice: Price | null;
  readonly lastQty: Qty;
  readonly volume: Qty;
  readonly volume24h: Qty;
  readonly openInterest: Qty;
}

/** The public view of a market. */
export interface MarketView {
  readonly index: MarketIndex;
  readonly definition: MarketDefinition;
  readonly seriesTicker: SeriesTicker;
  readonly grid: PriceGrid;
  readonly status: MarketStatus;
  readonly closeAt: Micros;
  readonly result: MarketResult | null;
  readonly settlementValue: Price | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly determinedAt: Micros | null;
  readonly settledAt: Micros | null;
  readonly stats: MarketStats;
}

/** The order that changed a level. */
export interface LevelOwner {
  readonly account: AccountName;
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
}

/** The wire's lifecycle message for a market change; `null` when the wire sends none. */
export type LifecycleMessage =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close_date_updated'
  | 'determined'
  | 'settled'
  | 'price_level_structure_updated'
  | null;

/** Facts that everyone may see. The `owner` of a book delta is for that account alone. */
export type PublicFact =
  | {
      readonly type: 'book-delta';
      readonly at: Micros;
      readonly ticker: Ticker;
      readonly side: 'bid' | 'ask';
      readonly price: Price;
      /** Signed change of the level. */
      readonly change: Qty;
      /** The level's quantity after the change. */
      readonly total: Qty;
      readonly owner: LevelOwner;
    }
  | { readonly type: 'print'; readonly at: Micros; readonly print: PrintView }
  | { readonly type: 'ticker'; readonly at: Micros; readonly ticker: Ticker; readonly stats: MarketStats }
  | {
      readonly type: 'market';
      readonly at: Micros;
      readonly ticker: Ticker;
      readonly word: LifecycleMessage;
      readonly from: MarketStatus;
      readonly to: MarketStatus;
      readonly market: MarketView;
    }
  | { readonly type: 'group'; readonly at: Micros; readonly group: GroupDefinition }
  /** The fee terms of an event group changed; `null` when the series' terms apply. */
  | { readonly type: 'fees'; readonly at: Micros; readonly eventTicker: EventTicker; readonly fees: FeeTerms | null }
  /** Markets and event groups that were removed. */
  | {
      readonly type: 'forgotten';
      readonly at: Micros;
      readonly tickers: readonly Ticker[];
      readonly groups: readonly EventTicker[];
    }
  | { readonly type: 'exchange'; readonly at: Micros; readonly isActive: boolean; readonly isTrading: boolean };

/** Facts that only one account may see. */
export type PrivateFact =
  | {
      readonly type: 'order';
      readonly at: Micros;
      readonly account: AccountName;
      readonly order: OrderView;
      /** `null` when a new order rests without a fill. */
      readonly reason: OrderUpdateReason | null;
    }
  | { readonly type: 'fill'; readonly at: Micros; readonly account: AccountName; readonly fill: FillView }
  | { readonly type: 'position'; readonly at: Micros; readonly account: AccountName; readonly position: PositionView }
  | {
      readonly type: 'settlement';
      readonly at: Micros;
      readonly account: AccountName;
      readonly settlement: SettlementView;
    }
  | {
      readonly type: 'order-group';
      readonly at: Micros;
      readonly account: AccountName;
      readonly change: OrderGroupChange;
      readonly group: OrderGroupView;
    };

export type Fact = PublicFact | PrivateFact;

/** The answer to the caller. `order` is the order after the operation: resting, filled or canceled. */
export type Answer =
  | { readonly type: 'done' }
  | { readonly type: 'order'; readonly order: OrderView }
  | { readonly type: 'canceled'; readonly order: OrderView; readonly reducedBy: Qty }
  | { readonly type: 'canceled-all'; readonly orders: number }
  /** The group after the operation; a deleted group is given without orders. */
  | { readonly type: 'order-group'; readonly group: OrderGroupView }
  | { readonly type: 'transferred'; readonly transfer: TransferView }
  /** One answer per item, in the sequence of the items. */
  | { readonly type: 'batch'; readonly answers: readonly Answer[] }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** The result of one input. */
export interface StepResult {
  /** Number of the input, from 1. */
  readonly seq: number;
  /** The exchange's time of the input. */
  readonly at: Micros;
  readonly answer: Answer;
  /** Facts in the sequence in which they happened. */
  readonly facts: readonly Fact[];
}

/** Numbers of remembered items, to check that long runs stay bounded. */
export interface Retained {
  readonly markets: number;
  readonly groups: number;
  readonly timers: number;
  readonly prints: number;
  readonly bars: number;
  /** This number and the following ones are sums over all accounts. `names` counts used client order ids. */
  readonly holdings: number;
  readonly orders: number;
  readonly fills: number;
  readonly settlements: number;
  readonly names: number;
}

/** An account in the ledger, for comparisons exact to a millionth of a dollar. */
export interface LedgerAccount {
  readonly account: AccountName;
  readonly cash: Money;
  readonly reserved: Money;
  readonly deposited: Money;
  readonly fees: Money;
  readonly positions: readonly PositionView[];
}

/** The whole ledger at one moment. */
export interface LedgerView {
  readonly accounts: readonly LedgerAccount[];
  /** Fees collected by the house account. */
  readonly house: Money;
  /** Dollars that back open pairs, over all markets. */
  readonly locked: Money;
  /** All cash ever deposited. Equals Σ cash + house + locked. */
  readonly deposited: Money;
}
