// The record of a run (backtest, paper or live) for its report: plain data, stored as JSON. Money is in millionths of a
// dollar, prices in ten-thousandths on the YES scale. Quantities are in hundredths of a contract, times in
// microseconds. Must never grow with the length of the run: sums cover everything, rows are samples.
import type { DenialCode } from '../../domain/denial.ts';
import type { MarketResult, MarketStatus } from '../../domain/market.ts';
import type { HaltedBy } from '../../domain/operator-order.ts';
import type { Liquidity, OrderState, Side } from '../../domain/orders/order.ts';
import type { SessionPhase } from '../../execution/session/session-phase.ts';

/** Increased when the shape or the meaning of a member changes. */
export const RECORD_VERSION = 1;

/** A market in which we ordered, held a position or made a forecast. */
export interface MarketNote {
  readonly ticker: string;
  readonly title: string;
  readonly eventTicker: string;
  readonly seriesTicker: string | null;
  readonly status: MarketStatus;
  readonly closeAt: number;
  readonly result: MarketResult | null;
  readonly settlementValue: number | null;
  /** The last known bid plus ask before the close, in ten-thousandths of a dollar. `null` when no mid was known. */
  readonly closeMid2: number | null;
  /** The position when the run began, signed. `openingMark`: the value of YES then. */
  readonly openingHeld: number;
  readonly openingMark: number;
  /** The position at the end, signed. `mark`: the settlement value once it is known, else the mark. */
  readonly held: number;
  readonly mark: number;
  /** Capital that the market locked, over time. The sum over markets is that of the account. */
  readonly lockedDollarDays: number;
}

/** Sums over all orders of one strategy in one market. */
export interface OrdersNote {
  readonly ticker: string;
  readonly strategy: string;
  readonly orders: number;
  /** Quantity sent to the venue, amendments included. */
  readonly qty: number;
  /** Orders that traded, in part or in full. */
  readonly traded: number;
  /** Number of orders in each state at the end. States without orders are absent. */
  readonly byState: Partial<Readonly<Record<OrderState, number>>>;
}

/** Number of orders that ended in the same state with the same reason. Orders later found at the venue still count. */
export interface OrderEndNote {
  readonly state: Extract<OrderState, 'not-sent' | 'rejected'>;
  readonly reason: string;
  readonly count: number;
}

/** One order. Of many orders, the record holds an even sample. */
export interface OrderNote {
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly state: OrderState;
  readonly filledQty: number;
  /** The strategy's reason for the order, from the intent; may be empty. */
  readonly reason: string;
}

/** Sums over our trades with a known later mid. */
export interface MarkoutSum {
  readonly fills: number;
  readonly qty: number;
  /** Twice Σ signed qty × (later mid − price). `moved2`: twice Σ signed qty × (later mid − mid at the trade). */
  readonly edge2: number;
  readonly moved2: number;
}

/** Exact sums over all maker or taker trades of one strategy in one market. */
export interface FillsNote {
  readonly ticker: string;
  /** `null` when the order of the trade is not known. */
  readonly strategy: string | null;
  readonly liquidity: Liquidity;
  readonly fills: number;
  readonly qty: number;
  /** Σ signed qty: bought less sold. */
  readonly net: number;
  /** Σ signed qty × price. */
  readonly paid: number;
  readonly fees: number;
  /** Change of cash by the trades before fees, signed. `turnover`: the money that moved in either direction. */
  readonly cash: number;
  readonly turnover: number;
  /** The part with a known mid at the trade. `mid2`: twice Σ signed qty × mid. */
  readonly known: {
    readonly fills: number;
    readonly qty: number;
    readonly net: number;
    readonly paid: number;
    readonly mid2: number;
  };
  readonly after1s: MarkoutSum;
  readonly after1m: MarkoutSum;
}

/**
 * One trade of ours. Of many trades, the record holds an even sample. Mids are ratios, in ten-thousandths of a dollar.
 */
export interface FillNote {
  /** Time at which the bot learned of the trade. */
  readonly at: number;
  readonly clientOrderId: string | null;
  readonly strategy: string | null;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
  readonly mid: number | null;
  readonly midAfter1s: number | null;
  readonly midAfter1m: number | null;
}

export interface SettlementNote {
  readonly at: number;
  readonly ticker: string;
  /** The position, signed. `paid`: the money received. */
  readonly held: number;
  readonly paid: number;
}

/** A forecast of a strategy and the market's price at the time. Probabilities are from 0 to 1. */
export interface ForecastNote {
  readonly at: number;
  readonly strategy: string;
  readonly ticker: string;
  readonly probability: number;
  /** The market's own mid, as a probability. */
  readonly market: number | null;
}

/** The account at one time. */
export interface EquityNote {
  readonly at: number;
  readonly cash: number;
  /** Cash, and positions at their marks. */
  readonly equity: number;
  /** The cost of positions plus the collateral of unfinished orders. */
  readonly locked: number;
}

/** Figures over every sample of the account. `RunRecord.equity` holds only some of the samples. */
export interface EquityFigures {
  /** The number of samples. */
  readonly looks: number;
  /** The deepest fall from a peak, or `null`. `recoveredAt` is `null` until equity reaches the peak again. */
  readonly drawdown: {
    readonly depth: number;
    readonly peak: number;
    readonly peakAt: number;
    readonly troughAt: number;
    readonly recoveredAt: number | null;
  } | null;
  /** The longest time from a peak until equity is as high again, or to the end. Microseconds. */
  readonly underwaterMax: number;
  readonly lockedMax: number;
  readonly lockedMaxAt: number;
  /** ∫ locked dt, in dollars times days. */
  readonly lockedDollarDays: number;
}

export interface DenialNote {
  readonly strategy: string;
  readonly code: DenialCode;
  readonly count: number;
}

export interface BudgetNote {
  readonly budget: 'read' | 'trade';
  /** Units used. `allowed`: the most that could have been used in the time. */
  readonly used: number;
  readonly allowed: number;
  /** Least units left at any sample. `capacity`: the units available when nothing is used. */
  readonly leastLeft: number;
  readonly capacity: number;
  /** Requests that the venue refused because of its rate limit. */
  readonly refused: number;
}

/** A halt of the account, a strategy or a market. */
export interface HaltNote {
  readonly at: number;
  readonly scope: string;
  /**
   * `fault`: a strategy threw, gave an invalid answer or was too slow, or the session found position drift or the like.
   */
  readonly by: HaltedBy;
  readonly reason: string;
}

/** The end of a session that never started to trade. */
export interface NeverReady {
  /** The last phase before the stop. */
  readonly phase: SessionPhase;
  /** The last failed read with its reason, or `null`. */
  readonly failedRead: string | null;
}

/** Coverage of the tape that the run used. */
export interface CoverageNote {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** `tickers`: the markets of the gap. Empty or absent means all. */
  readonly gaps: readonly {
    readonly from: number;
    readonly to: number;
    readonly reason: string;
    readonly tickers?: readonly string[];
  }[];
  readonly assumptions: readonly string[];
}

/** Facts that the recorder does not learn from the engine. */
export interface RunFacts {
  readonly kind: 'backtest' | 'paper' | 'live';
  readonly name: string;
  /** The last time reached. */
  readonly to: number;
  /** True when the run ended before its tape. Always false for live and paper sessions. */
  readonly isPartial: boolean;
  readonly seed: number;
  /** SHA-256 over every command: equal decisions give equal hashes. */
  readonly decisionHash: string;
  readonly strategies: readonly { readonly name: string; readonly file: string; readonly params: unknown }[];
  /** The models of the simulated venue, as configured; empty for a live run. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly coverage: CoverageNote | null;
  readonly events: number;
}

export interface RunRecord extends RunFacts {
  readonly version: typeof RECORD_VERSION;
  /** Time at which trading began. The opening figures are from this time. */
  readonly from: number;
  /** The time at which mids are read: just before a trade, or at the trade's report. */
  readonly mids: 'at-trade' | 'as-told';
  readonly openingCash: number;
  readonly closingCash: number;
  readonly markets: readonly MarketNote[];
  readonly orderSums: readonly OrdersNote[];
  /** The most frequent reason comes first. */
  readonly orderEnds: readonly OrderEndNote[];
  readonly fillSums: readonly FillsNote[];
  /** Samples of the orders and of the trades. */
  readonly orders: readonly OrderNote[];
  readonly fills: readonly FillNote[];
  readonly settlements: readonly SettlementNote[];
  readonly forecasts: readonly ForecastNote[];
  readonly equity: readonly EquityNote[];
  readonly figures: EquityFigures;
  readonly denials: readonly DenialNote[];
  readonly budgets: readonly BudgetNote[];
  readonly halts: readonly HaltNote[];
  readonly neverReady: NeverReady | null;
}
