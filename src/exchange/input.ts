// What can be asked of the exchange: every input is a time and an operation, plain data that can be written down as JSON.
// The order of inputs is the whole truth: the same inputs always give the same exchange.
import type { EventTicker, SeriesTicker, Ticker } from '../domain/ids.ts';
import type { MarketResult, Outcome, Strike } from '../domain/market.ts';
import type { Side, TimeInForce } from '../domain/order.ts';
import type { Clearing, FeeType } from '../domain/fees.ts';
import type { PriceRange } from '../domain/price-grid.ts';
import type { Micros, Money, Price, Qty } from '../domain/units.ts';

/** The name of an account. Keys are the server's business, never the exchange's. */
export type AccountName = string;

/** Who yields when an account would trade with itself: the incoming order, or the resting one. */
export type SelfTradePrevention = 'taker_at_cross' | 'maker';

/** How trades are charged. */
export interface FeeTerms {
  readonly feeType: FeeType;
  /** The multiplier of the fee formula, in hundredths: 100 is 1. At most 1000. */
  readonly feeMultiplierPercent: number;
}

/** A recurring family of event groups, and how its trades are charged. */
export interface SeriesDefinition extends FeeTerms {
  readonly ticker: SeriesTicker;
  readonly title: string;
  readonly category: string;
  readonly frequency: string;
  /** Subjects of the series; none where absent. */
  readonly tags?: readonly string[];
}

/** The markets of one happening. Of exclusive markets, one resolves YES at the most. */
export interface GroupDefinition {
  readonly ticker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly title: string;
  readonly subtitle: string;
  readonly isExclusive: boolean;
  /** In place of the series'. */
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
  /** The grid's name on the wire, and its ranges, which decide. */
  readonly gridName: string;
  readonly gridRanges: readonly PriceRange[];
  /** The smallest step of an order's quantity, in hundredths of a contract: 100 where only whole contracts trade. */
  readonly qtyStep: Qty;
  readonly openAt: Micros;
  readonly closeAt: Micros;
  readonly canCloseEarly: boolean;
  /** From determination to payment, in microseconds. */
  readonly settlementDelay: Micros;
  /** The part of a line on which the market resolves YES; absent where no number decides. */
  readonly strike?: Strike | null;
  /** Until then its trades are charged no fee. */
  readonly feesWaivedUntil?: Micros | null;
  /** The number of the shard that it trades on; 0 where nothing is said. */
  readonly shard?: number;
}

/** A new order. Prices are on the YES scale. */
export interface NewOrder {
  readonly ticker: Ticker;
  /** Burnt for ever once the order is in. `null` when the account does not name its orders. */
  readonly clientOrderId: string | null;
  readonly side: Side;
  /** The outcome in whose words it is placed, and in which it is read back; YES where it is absent. */
  readonly outcome?: Outcome;
  readonly price: number;
  readonly qty: number;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  /** Never more than would bring the position to flat. */
  readonly reduceOnly: boolean;
  readonly selfTrade: SelfTradePrevention;
  /** Only with `gtd`; must be later than now. */
  readonly expiresAt: Micros | null;
  /** Withdrawn when trading pauses. */
  readonly cancelOnPause: boolean;
  /** The account's order group that it counts for, if any. */
  readonly groupId?: string | null;
}

/** New terms for a resting order. A pure decrease keeps its place in the queue; anything else goes to the back. */
export interface Amendment {
  readonly orderId: string;
  readonly price: number;
  /** Total: what has filled plus what should remain. */
  readonly qty: number;
  /** Checked against the order where given. */
  readonly ticker?: Ticker;
  readonly side?: Side;
  readonly clientOrderId?: string;
  /** The order's name from now on; the old one stays burnt. */
  readonly newClientOrderId?: string;
}

/** What an account may ask. */
export type AccountOp =
  | { readonly type: 'place'; readonly account: AccountName; readonly order: NewOrder }
  | { readonly type: 'place-batch'; readonly account: AccountName; readonly orders: readonly NewOrder[] }
  | { readonly type: 'cancel'; readonly account: AccountName; readonly orderId: string }
  | { readonly type: 'cancel-batch'; readonly account: AccountName; readonly orderIds: readonly string[] }
  /** Every resting order of the account, or those of one market. */
  | { readonly type: 'cancel-all'; readonly account: AccountName; readonly ticker: Ticker | null }
  | { readonly type: 'amend'; readonly account: AccountName; readonly amendment: Amendment }
  /** Shrinks a resting order in place: by so much, or to so much. To nothing cancels it. */
  | {
      readonly type: 'decrease';
      readonly account: AccountName;
      readonly orderId: string;
      readonly by: { readonly reduceBy: number } | { readonly reduceTo: number };
    }
  | OrderGroupOp
  /** Moves what may be spent to another account. The same `id` again moves nothing more. */
  | {
      readonly type: 'transfer';
      readonly account: AccountName;
      readonly to: AccountName;
      readonly amount: Money;
      readonly id: string | null;
    };

/** What an account may ask of its order groups. `limit`: contracts that may trade in any fifteen seconds. */
export type OrderGroupOp =
  | { readonly type: 'create-group'; readonly account: AccountName; readonly limit: Qty }
  /** Its orders are withdrawn. */
  | { readonly type: 'delete-group'; readonly account: AccountName; readonly groupId: string }
  /** Takes new orders again. */
  | { readonly type: 'reset-group'; readonly account: AccountName; readonly groupId: string }
  /** As if its limit were reached. */
  | { readonly type: 'trigger-group'; readonly account: AccountName; readonly groupId: string }
  | { readonly type: 'limit-group'; readonly account: AccountName; readonly groupId: string; readonly limit: Qty };

/** What only the operator of the exchange may ask. */
export type OperatorOp =
  /**
   * `keepsHistory` false forgets an account's finished orders and fills: for the flow's own agents. Where `clearing` is
   * absent, a purse of an account clears as the account does, and an account directly.
   */
  | {
      readonly type: 'open-account';
      readonly account: AccountName;
      readonly keepsHistory: boolean;
      readonly clearing?: Clearing;
    }
  | { readonly type: 'deposit'; readonly account: AccountName; readonly amount: Money }
  | { readonly type: 'define-series'; readonly series: SeriesDefinition }
  | { readonly type: 'define-group'; readonly group: GroupDefinition }
  | { readonly type: 'define-market'; readonly market: MarketDefinition }
  /** Trades of an event group are charged so from now on, or as the series is where `fees` is `null`. */
  | { readonly type: 'set-fees'; readonly eventTicker: EventTicker; readonly fees: FeeTerms | null }
  /** Trades of a series are charged so from a time on, at once where that has come. */
  | {
      readonly type: 'set-series-fees';
      readonly seriesTicker: SeriesTicker;
      readonly fees: FeeTerms;
      readonly at: Micros;
    }
  /** A market's prices lie on another grid from now on. Refused while an order rests that would be off it. */
  | {
      readonly type: 'set-grid';
      readonly ticker: Ticker;
      readonly gridName: string;
      readonly gridRanges: readonly PriceRange[];
    }
  /** Trading in one market stops; orders rest. */
  | { readonly type: 'halt'; readonly ticker: Ticker }
  /** Trading in one market goes on; every resting order is canceled first. */
  | { readonly type: 'resume'; readonly ticker: Ticker }
  | { readonly type: 'close'; readonly ticker: Ticker }
  /** Moves the close; a closed market whose close moves ahead is open again. */
  | { readonly type: 'move-close'; readonly ticker: Ticker; readonly closeAt: Micros }
  /** Declares the answer of a closed market. `settlementValue` only with `scalar`. */
  | {
      readonly type: 'determine';
      readonly ticker: Ticker;
      readonly result: MarketResult;
      readonly settlementValue: Price | null;
    }
  | { readonly type: 'dispute'; readonly ticker: Ticker }
  /** A dispute came to nothing: the answer stands and its timer restarts. */
  | { readonly type: 'uphold'; readonly ticker: Ticker }
  /** Changes the answer; the timer restarts. */
  | {
      readonly type: 'amend-result';
      readonly ticker: Ticker;
      readonly result: MarketResult;
      readonly settlementValue: Price | null;
    }
  /** Pays out now, without waiting for the timer. */
  | { readonly type: 'settle'; readonly ticker: Ticker }
  /** Pauses or resumes the whole exchange. A trading pause lets cancels through, an exchange pause nothing. */
  | { readonly type: 'set-exchange'; readonly isActive: boolean; readonly isTrading: boolean }
  /** Forgets every market that was paid out before a time, and all that hangs on it: orders, fills, settlements, names. */
  | { readonly type: 'forget'; readonly settledBefore: Micros }
  /** Nothing but the time: opens, closes, expires and settles what is due. */
  | { readonly type: 'tick' };

export type Op = AccountOp | OperatorOp;

/** One input. A time before the last one counts as the last one: the exchange's clock never goes back. */
export interface Input {
  readonly at: Micros;
  readonly op: Op;
}
