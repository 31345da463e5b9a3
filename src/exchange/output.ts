// What the exchange says: the answer to the caller, facts for everyone, facts for one account, and the views it can be read by.
// Every value is in the house's units on the YES scale. Views are copies: holding one never sees it change.
import type { EventTicker, MarketIndex, SeriesTicker, Ticker, TradeId, VenueOrderId } from '../domain/ids.ts';
import type { MarketResult, MarketStatus, Outcome } from '../domain/market.ts';
import type { Liquidity, Side, TimeInForce } from '../domain/order.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';
import type { AccountName, FeeTerms, GroupDefinition, MarketDefinition, SelfTradePrevention } from './input.ts';
import type { Refusal } from './refusal.ts';

/** Why the exchange last changed an order, in the wire's words. */
export type OrderUpdateReason =
  | 'Decrease'
  | 'Amend'
  | 'SelfTradeCancel'
  | 'ExpiryCancel'
  | 'CloseCancel'
  | 'HaltCancel'
  | 'Trade'
  | 'ReduceOnlyCancel'
  /** Withdrawn by its owner. Not a word of the wire, which then says nothing. */
  | 'UserCancel'
  /** What an IOC order could not fill. Not a word of the wire either. */
  | 'RemainderCancel';

/** An order as its owner sees it. */
export interface OrderView {
  readonly orderId: VenueOrderId;
  readonly account: AccountName;
  readonly clientOrderId: string | null;
  readonly ticker: Ticker;
  readonly side: Side;
  /** The outcome in whose words it was placed. */
  readonly outcome: Outcome;
  readonly price: Price;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: SelfTradePrevention;
  readonly cancelOnPause: boolean;
  readonly groupId: string | null;
  readonly status: 'resting' | 'canceled' | 'executed';
  /** What was asked for in all, as amended. */
  readonly initialQty: Qty;
  readonly filledQty: Qty;
  /** What still rests; zero once the order is over. */
  readonly leavesQty: Qty;
  /** Σ price × qty of the fills, on the YES scale. */
  readonly filledNotional: Money;
  /** Σ cost of the fills at the price of the outcome the side acquires, by liquidity. */
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
  /** The outcome in whose words the order was placed. */
  readonly outcome: Outcome;
  readonly price: Price;
  readonly qty: Qty;
  readonly fee: Money;
  readonly liquidity: Liquidity;
  /** The account's signed position after it. */
  readonly positionAfter: Qty;
  readonly at: Micros;
}

/** What befell an order group. */
export type OrderGroupChange = 'created' | 'triggered' | 'reset' | 'deleted' | 'limit-changed';

/** Orders of an account that are withdrawn together when too many of their contracts trade in fifteen seconds. */
export interface OrderGroupView {
  readonly groupId: string;
  readonly account: AccountName;
  readonly limit: Qty;
  /** Whether it takes orders: not from when its limit was reached until it is reset. */
  readonly isArmed: boolean;
  /** Of its orders, those that rest. */
  readonly orderIds: readonly VenueOrderId[];
}

/** Money that one account handed to another. */
export interface TransferView {
  readonly id: string;
  readonly account: AccountName;
  readonly to: AccountName;
  readonly amount: Money;
  readonly at: Micros;
}

/** How the trades of a series, or of one of its event groups, are charged from a time on. */
export interface FeeChangeView {
  readonly id: string;
  readonly seriesTicker: SeriesTicker;
  /** The event group; `null` for the series itself. */
  readonly eventTicker: EventTicker | null;
  /** `null` for an event group that is charged as its series again. */
  readonly fees: FeeTerms | null;
  readonly at: Micros;
}

/** What an account holds in a market. */
export interface PositionView {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  /** Signed: + YES, − NO. */
  readonly qty: Qty;
  /** What the open quantity cost. */
  readonly cost: Money;
  /** Profit of what was closed or settled, before fees. */
  readonly realized: Money;
  readonly fees: Money;
  /** Contracts traded in all, and what they cost at the price of the outcome acquired. */
  readonly tradedQty: Qty;
  readonly tradedCost: Money;
  readonly restingOrders: number;
  readonly updatedAt: Micros;
}

/** An account's money. */
export interface BalanceView {
  readonly account: AccountName;
  /** All of its cash. */
  readonly cash: Money;
  /** The part pledged to resting orders, worst-case fees included. */
  readonly reserved: Money;
  /** What may be spent: cash less reserved. Never negative. */
  readonly available: Money;
  /** What the positions would fetch at the last prices. */
  readonly positionsValue: Money;
  readonly deposited: Money;
  readonly fees: Money;
}

/** One market of one account paid out. */
export interface SettlementView {
  readonly account: AccountName;
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  readonly result: MarketResult;
  /** What each YES was paid. */
  readonly settlementValue: Price;
  readonly yesQty: Qty;
  readonly yesCost: Money;
  readonly noQty: Qty;
  readonly noCost: Money;
  readonly revenue: Money;
  /** The market's fees over its whole life. */
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

/** A market's summary: what moves while it trades. */
export interface MarketStats {
  readonly bid: LevelView | null;
  readonly ask: LevelView | null;
  readonly lastPrice: Price | null;
  readonly lastQty: Qty;
  readonly volume: Qty;
  readonly volume24h: Qty;
  readonly openInterest: Qty;
}

/** A market as anyone may see it. */
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

/** Whose order moved a level. */
export interface LevelOwner {
  readonly account: AccountName;
  readonly orderId: VenueOrderId;
  readonly clientOrderId: string | null;
}

/** The wire's word for a change in a market's life; `null` for changes that the wire passes over in silence. */
export type LifecycleWord =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close_date_updated'
  | 'determined'
  | 'settled'
  | 'price_level_structure_updated'
  | null;

/** What anyone may know. */
export type PublicFact =
  | {
      readonly type: 'book-delta';
      readonly at: Micros;
      readonly ticker: Ticker;
      readonly side: 'bid' | 'ask';
      readonly price: Price;
      /** Signed change of the level. */
      readonly change: Qty;
      /** The level's quantity after it. */
      readonly total: Qty;
      readonly owner: LevelOwner;
    }
  | { readonly type: 'print'; readonly at: Micros; readonly print: PrintView }
  | { readonly type: 'ticker'; readonly at: Micros; readonly ticker: Ticker; readonly stats: MarketStats }
  | {
      readonly type: 'market';
      readonly at: Micros;
      readonly ticker: Ticker;
      readonly word: LifecycleWord;
      readonly from: MarketStatus;
      readonly to: MarketStatus;
      readonly market: MarketView;
    }
  /** An event group is listed. */
  | { readonly type: 'group'; readonly at: Micros; readonly group: GroupDefinition }
  /** How an event group is charged has changed; `null` for as its series is. */
  | { readonly type: 'fees'; readonly at: Micros; readonly eventTicker: EventTicker; readonly fees: FeeTerms | null }
  /** Markets and event groups that are remembered no longer. */
  | {
      readonly type: 'forgotten';
      readonly at: Micros;
      readonly tickers: readonly Ticker[];
      readonly groups: readonly EventTicker[];
    }
  | { readonly type: 'exchange'; readonly at: Micros; readonly isActive: boolean; readonly isTrading: boolean };

/** What one account may know. */
export type PrivateFact =
  | {
      readonly type: 'order';
      readonly at: Micros;
      readonly account: AccountName;
      readonly order: OrderView;
      /** `null` for a new order. */
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

/** The answer to the caller. `order` carries the order after the operation, whatever became of it. */
export type Answer =
  | { readonly type: 'done' }
  | { readonly type: 'order'; readonly order: OrderView }
  | { readonly type: 'canceled'; readonly order: OrderView; readonly reducedBy: Qty }
  | { readonly type: 'canceled-all'; readonly orders: number }
  /** The group after the operation, or as it was when it was deleted. */
  | { readonly type: 'order-group'; readonly group: OrderGroupView }
  | { readonly type: 'transferred'; readonly transfer: TransferView }
  /** One answer an item, in the order asked. */
  | { readonly type: 'batch'; readonly answers: readonly Answer[] }
  | { readonly type: 'refused'; readonly refusal: Refusal };

/** What came of one input. */
export interface StepResult {
  /** Number of the input, from 1. */
  readonly seq: number;
  /** The exchange's time of it. */
  readonly at: Micros;
  readonly answer: Answer;
  /** In the order in which they happened. */
  readonly facts: readonly Fact[];
}

/** How much an exchange remembers: what a long run is judged by. */
export interface Retained {
  readonly markets: number;
  readonly groups: number;
  readonly timers: number;
  readonly prints: number;
  readonly bars: number;
  /** Over all accounts. */
  readonly holdings: number;
  readonly orders: number;
  readonly fills: number;
  readonly settlements: number;
  readonly names: number;
}

/** An account in the ledger, for comparing to the last millionth. */
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
  /** What the house has taken in fees. */
  readonly house: Money;
  /** Dollars standing behind open pairs, over all markets. */
  readonly locked: Money;
  /** All that was ever paid in. Equals Σ cash + house + locked. */
  readonly deposited: Money;
}
