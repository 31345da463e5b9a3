// Inputs of the exchange: each is a time and an operation, as plain data that can be written as JSON. The same inputs
// and the same salt always give the same exchange.
import type { EventTicker, SeriesTicker, Ticker } from '../../domain/ids.ts';
import type { MarketResult, Outcome, Strike } from '../../domain/market.ts';
import type { Side, TimeInForce } from '../../domain/orders/order.ts';
import type { ClearingMethod, FeeType } from '../../domain/fee-schedule.ts';
import type { PriceRange } from '../../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../../domain/units.ts';

/** The name of an account. API keys belong to the server; the exchange does not know them. */
export type AccountName = string;

/**
 * The order that yields when an account would trade with itself: the incoming one (`taker_at_cross`) or the resting one
 * (`maker`).
 */
export type SelfTradePrevention = 'taker_at_cross' | 'maker';

/** Fee terms of a series or an event group. */
export interface FeeTerms {
  readonly feeType: FeeType;
  /** The multiplier of the fee formula, in hundredths: 100 is 1. At most 1000. */
  readonly feeMultiplierPercent: number;
}

/** A recurring family of event groups, with the fee terms of its trades. */
export interface SeriesDefinition extends FeeTerms {
  readonly ticker: SeriesTicker;
  readonly title: string;
  readonly category: string;
  readonly frequency: string;
  /** Subjects of the series; none where absent. */
  readonly tags?: readonly string[];
}

/** An event group: the markets of one happening. Where it is exclusive, at most one market resolves YES. */
export interface GroupDefinition {
  readonly ticker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly title: string;
  readonly subtitle: string;
  readonly isExclusive: boolean;
  /** Fee terms that replace those of the series. */
  readonly fees?: FeeTerms | null;
}

/** One market to be listed. */
export interface MarketDefinition {
  readonly ticker: Ticker;
  readonly eventTicker: EventTicker;
  readonly title: string;
  readonly yesSubtitle: string;
  readonly noSubtitle: string;
  readonly rules: string;
  /** The grid's name on the wire, and its ranges. The ranges decide; the name is only reported. */
  readonly gridName: string;
  readonly gridRanges: readonly PriceRange[];
  /** The smallest step of an order's quantity, in hundredths of a contract: 100 where only whole contracts trade. */
  readonly qtyStep: Qty;
  readonly openAt: Micros;
  readonly closeAt: Micros;
  readonly canCloseEarly: boolean;
  /** Delay from determination to payout, in microseconds. */
  readonly settlementDelay: Micros;
  /** The range of numbers for which the market resolves YES; absent when the market does not depend on a number. */
  readonly strike?: Strike | null;
  /** Trades before this time are charged no fee. */
  readonly feesWaivedUntil?: Micros | null;
  /** Number of the market's shard. Default 0. */
  readonly shard?: number;
}

/** A new order. Prices are on the YES scale. */
export interface NewOrder {
  readonly ticker: Ticker;
  /**
   * The client order id; `null` when the account does not name the order. An id is used up by an accepted order, and by
   * a killed fill-or-kill order. It is free again when the market is removed.
   */
  readonly clientOrderId: string | null;
  readonly side: Side;
  /** The outcome in whose terms the order is placed and reported back. Default YES. */
  readonly outcome?: Outcome;
  readonly price: number;
  readonly qty: number;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  /** True when the order may only make the position smaller. */
  readonly reduceOnly: boolean;
  readonly selfTrade: SelfTradePrevention;
  /** Required with `gtd`, and then later than now; `null` with any other time in force. */
  readonly expiresAt: Micros | null;
  /** True when a trading pause, a pause of the exchange or a halt of the market cancels the order. */
  readonly cancelOnPause: boolean;
  /** The order group whose limit the order's fills count toward, if any. */
  readonly groupId?: string | null;
}

/** New terms for a resting order. A new price or a larger quantity costs the order its place in the queue. */
export interface Amendment {
  readonly orderId: string;
  readonly price: number;
  /** Total quantity: filled plus remaining. */
  readonly qty: number;
  /** Ticker, side and client order id are checked against the order where given. */
  readonly ticker?: Ticker;
  readonly side?: Side;
  readonly clientOrderId?: string;
  /** The order's client order id from now on; the old one stays used up. */
  readonly newClientOrderId?: string;
}

/** Operations of an account. */
export type AccountOp =
  | { readonly type: 'place'; readonly account: AccountName; readonly order: NewOrder }
  | { readonly type: 'place-batch'; readonly account: AccountName; readonly orders: readonly NewOrder[] }
  | { readonly type: 'cancel'; readonly account: AccountName; readonly orderId: string }
  | { readonly type: 'cancel-batch'; readonly account: AccountName; readonly orderIds: readonly string[] }
  /** Cancels every resting order of the account, or those in one market. */
  | { readonly type: 'cancel-all'; readonly account: AccountName; readonly ticker: Ticker | null }
  | { readonly type: 'amend'; readonly account: AccountName; readonly amendment: Amendment }
  /** Shrinks a resting order in place, by a quantity or to a quantity. A decrease to zero cancels the order. */
  | {
      readonly type: 'decrease';
      readonly account: AccountName;
      readonly orderId: string;
      readonly by: { readonly reduceBy: number } | { readonly reduceTo: number };
    }
  | OrderGroupOp
  /** Moves available cash to another account. A repeated `id` moves nothing more while its transfer is remembered. */
  | {
      readonly type: 'transfer';
      readonly account: AccountName;
      readonly to: AccountName;
      readonly amount: Money;
      readonly id: string | null;
      /** Opens the target account, cleared as this one, unless the transfer is refused. Default: the target must exist. */
      readonly opensTarget?: true;
    };

/** Operations on an account's order groups. `limit`: contracts that may trade in any fifteen seconds. */
export type OrderGroupOp =
  | { readonly type: 'create-group'; readonly account: AccountName; readonly limit: Qty }
  /** Cancels the group's orders and deletes the group. */
  | { readonly type: 'delete-group'; readonly account: AccountName; readonly groupId: string }
  /** Lets the group take new orders again, and counts its trades from zero. */
  | { readonly type: 'reset-group'; readonly account: AccountName; readonly groupId: string }
  /** Triggers the group as if its limit had been reached. */
  | { readonly type: 'trigger-group'; readonly account: AccountName; readonly groupId: string }
  | { readonly type: 'limit-group'; readonly account: AccountName; readonly groupId: string; readonly limit: Qty };

/** Operations of the exchange's operator. */
export type OperatorOp =
  /**
   * When `keepsHistory` is false, finished orders, fills and settlements of the account are not remembered. When
   * `clearing` is absent, the owner's main account decides; a main account clears directly.
   */
  | {
      readonly type: 'open-account';
      readonly account: AccountName;
      readonly keepsHistory: boolean;
      readonly clearing?: ClearingMethod;
    }
  | { readonly type: 'deposit'; readonly account: AccountName; readonly amount: Money }
  | { readonly type: 'define-series'; readonly series: SeriesDefinition }
  | { readonly type: 'define-group'; readonly group: GroupDefinition }
  /** `isConfigured`: the config names the market, so the exchange remembers its ticker after it is removed. */
  | { readonly type: 'define-market'; readonly market: MarketDefinition; readonly isConfigured?: true }
  /** Sets the fee terms of an event group from now on; `null` returns it to the terms of its series. */
  | { readonly type: 'set-fees'; readonly eventTicker: EventTicker; readonly fees: FeeTerms | null }
  /** Sets the fee terms of a series from a time on. A past time means at once. */
  | {
      readonly type: 'set-series-fees';
      readonly seriesTicker: SeriesTicker;
      readonly fees: FeeTerms;
      readonly at: Micros;
    }
  /** Puts a market on another price grid. Refused while a resting order would be off the grid. */
  | {
      readonly type: 'set-grid';
      readonly ticker: Ticker;
      readonly gridName: string;
      readonly gridRanges: readonly PriceRange[];
    }
  /** Halts trading in one market. Orders keep resting, except those with `cancelOnPause`. */
  | { readonly type: 'halt'; readonly ticker: Ticker }
  /** Resumes trading in one market after canceling every order that rests there. */
  | { readonly type: 'resume'; readonly ticker: Ticker }
  | { readonly type: 'close'; readonly ticker: Ticker }
  /** Moves the close. A closed market opens again when its close moves to a later time. */
  | { readonly type: 'move-close'; readonly ticker: Ticker; readonly closeAt: Micros }
  /** Declares the result of a closed market. `settlementValue` is given only with `scalar`. */
  | {
      readonly type: 'determine';
      readonly ticker: Ticker;
      readonly result: MarketResult;
      readonly settlementValue: Price | null;
    }
  | { readonly type: 'dispute'; readonly ticker: Ticker }
  /** Rejects a dispute: the result is unchanged and the settlement timer restarts. */
  | { readonly type: 'uphold'; readonly ticker: Ticker }
  /** Changes the result; the settlement timer restarts. */
  | {
      readonly type: 'amend-result';
      readonly ticker: Ticker;
      readonly result: MarketResult;
      readonly settlementValue: Price | null;
    }
  /** Pays out now, without waiting for the settlement timer. */
  | { readonly type: 'settle'; readonly ticker: Ticker }
  /**
   * Pauses or resumes the whole exchange. A trading pause refuses new orders and amendments. An exchange pause refuses
   * every operation of an account. `isMaintenance` is true for a pause by a window of maintenance, whose end lifts it.
   */
  | {
      readonly type: 'set-exchange';
      readonly isActive: boolean;
      readonly isTrading: boolean;
      readonly isMaintenance?: true;
    }
  /**
   * Removes markets paid out before a time, with their orders, fills, settlements and client order ids. Event groups
   * without markets are removed, too.
   */
  | { readonly type: 'forget'; readonly settledBefore: Micros }
  /** Moves the clock only: everything that is due happens. */
  | { readonly type: 'tick' };

export type Op = AccountOp | OperatorOp;

/** One input. A time before the previous input's is replaced by that time: the exchange's clock never goes back. */
export interface Input {
  readonly at: Micros;
  readonly op: Op;
}
