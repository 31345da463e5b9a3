// The record of a run (backtest, paper or live) for its report: plain data that is stored as JSON. Money is in
// millionths of a dollar, prices are in ten-thousandths on the YES scale, quantities in hundredths of a contract, times
// in microseconds. Must never grow with the length of the run: sums are exact and cover everything; rows are few and
// evenly chosen.
import type { DenialCode } from '../../domain/denial.ts';
import type { MarketResult, MarketStatus } from '../../domain/market.ts';
import type { HaltedBy } from '../../domain/operator-order.ts';
import type { Liquidity, OrderState, Side } from '../../domain/orders/order.ts';
import type { SessionPhase } from '../../execution/session/session-phase.ts';

/** Increased when the shape or the meaning of a member changes. */
export const RECORD_VERSION = 1;

/** A market in which we ordered, held a position, or made a forecast, with its values at both ends of the run. */
export interface MarketNote {
  readonly ticker: string;
  readonly title: string;
  readonly eventTicker: string;
  readonly seriesTicker: string | null;
  readonly status: MarketStatus;
  readonly closeAt: number;
  readonly result: MarketResult | null;
  readonly settlementValue: number | null;
  /** The last mid before it closed, in halves of ten-thousandths: bid plus ask. `null` when there was none. */
  readonly closeMid2: number | null;
  /** The position when the run began, signed, and the value of YES then. */
  readonly openingHeld: number;
  readonly openingMark: number;
  /** The position at the end, signed, and the value of YES: the settlement value once it is known, else the mark. */
  readonly held: number;
  readonly mark: number;
}

/** Sums over all orders of one strategy in one market. */
export interface OrdersNote {
  readonly ticker: string;
  readonly strategy: string;
  readonly orders: number;
  /** Quantity sent to the venue in all, amendments included. Orders that were never sent do not count. */
  readonly qty: number;
  /** Orders that traded, in part or in full. */
  readonly traded: number;
  /** Number of orders in each state at the end. States without orders are absent. */
  readonly byState: Partial<Readonly<Record<OrderState, number>>>;
}

/**
 * Number of orders that ended in the same state with the same reason. An order that turns out to be at the venue after
 * all still counts.
 */
export interface OrderEndNote {
  readonly state: Extract<OrderState, 'not-sent' | 'rejected'>;
  /** The reason as text, ours or the venue's. */
  readonly reason: string;
  readonly count: number;
}

/** One order. Of many orders, the record holds an even sample over the run. */
export interface OrderNote {
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly createdAt: number;
  /** Time at which it ended; `null` while it has not. */
  readonly endedAt: number | null;
  /** Its final or current state. */
  readonly state: OrderState;
  readonly filledQty: number;
  /** The strategy's reason for the order, from its intent; empty when it gave none. */
  readonly reason: string;
}

/** Sums over those of our trades for which a later mid is known. */
export interface MarkoutSum {
  readonly fills: number;
  readonly qty: number;
  /** Twice Σ signed qty × (later mid − price), and twice Σ signed qty × (later mid − mid at the trade). */
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
  /** Change of cash by the trades before fees, signed; and the money that moved in either direction. */
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
 * One trade of ours. Of many trades, the record holds an even sample over the run. Mids are ratios, in ten-thousandths
 * of a dollar.
 */
export interface FillNote {
  /** Time at which the bot learned of it: later than at the venue, by the latency of the fill's report. */
  readonly at: number;
  readonly clientOrderId: string | null;
  readonly strategy: string | null;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
  /**
   * The mid at the trade; `null` when one side was empty, the book was not live, the fill was reported too late, or no
   * mid was recorded.
   */
  readonly mid: number | null;
  readonly midAfter1s: number | null;
  readonly midAfter1m: number | null;
}

export interface SettlementNote {
  readonly at: number;
  readonly ticker: string;
  /** The position, signed, and the money received. */
  readonly held: number;
  readonly paid: number;
}

/** A forecast of a strategy and the market's price at the time. Probabilities from 0 to 1. */
export interface ForecastNote {
  readonly at: number;
  readonly strategy: string;
  readonly ticker: string;
  readonly probability: number;
  /** The market's own mid, as a probability; `null` when it had none. */
  readonly market: number | null;
}

/** The account at one time. */
export interface EquityNote {
  readonly at: number;
  readonly cash: number;
  /** Cash, and positions at their mid. */
  readonly equity: number;
  /** Capital that cannot be used for anything else: the cost of positions, and the collateral of unfinished orders. */
  readonly locked: number;
}

/**
 * Figures over every sample of the account, also those that `RunRecord.equity` does not hold: its number of samples is
 * bounded.
 */
export interface EquityFigures {
  /** The number of samples. */
  readonly looks: number;
  /**
   * The deepest fall from a peak; `null` when there was none. `recoveredAt` is `null` until equity reaches that peak
   * again.
   */
  readonly drawdown: {
    readonly depth: number;
    readonly peak: number;
    readonly peakAt: number;
    readonly troughAt: number;
    readonly recoveredAt: number | null;
  } | null;
  /** The longest time from a peak to the next that is at least as high, or to the end. Microseconds. */
  readonly underwaterMax: number;
  readonly lockedMax: number;
  readonly lockedMaxAt: number;
  /** ∫ locked dt, in dollars times days: a measure, not an amount. */
  readonly lockedDollarDays: number;
}

export interface DenialNote {
  readonly strategy: string;
  readonly code: DenialCode;
  readonly count: number;
}

export interface BudgetNote {
  readonly budget: 'read' | 'trade';
  /** Units used, and the most that could have been used in the time. */
  readonly used: number;
  readonly allowed: number;
  /** Least units left at any sample, and the units available when nothing is used. */
  readonly leastLeft: number;
  readonly capacity: number;
  /** The number of requests that the venue refused because of its rate limit. */
  readonly refused: number;
}

/** A halt of the account, a strategy or a market. */
export interface HaltNote {
  readonly at: number;
  readonly scope: string;
  /**
   * `fault` for a strategy that threw, gave an invalid answer, or was too slow, and for what the session itself found
   * wrong, such as position drift.
   */
  readonly by: HaltedBy;
  readonly reason: string;
}

/** Reason why the session never started to trade. */
export interface NeverReady {
  /** The phase that it had reached. */
  readonly phase: SessionPhase;
  /** The last read that failed, and why; `null` when none failed. */
  readonly failedRead: string | null;
}

/** Coverage of the tape that the run used. */
export interface CoverageNote {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** `tickers`: the markets of the gap; empty or absent means all. */
  readonly gaps: readonly {
    readonly from: number;
    readonly to: number;
    readonly reason: string;
    readonly tickers?: readonly string[];
  }[];
  readonly assumptions: readonly string[];
}

/** Facts about a run that only the program that ran it knows. */
export interface RunFacts {
  readonly kind: 'backtest' | 'paper' | 'live';
  readonly name: string;
  /** Time at which it ended: the last time reached. */
  readonly to: number;
  /** True when the run ended before its tape. Never true of a live or paper session, which ends when it is asked to. */
  readonly isPartial: boolean;
  readonly seed: number;
  /** SHA-256 over every command in sequence: equal decisions give equal hashes. */
  readonly decisionHash: string;
  readonly strategies: readonly { readonly name: string; readonly file: string; readonly params: unknown }[];
  /** The models of the simulated venue, as configured; empty for a live run. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly coverage: CoverageNote | null;
  /** Number of events that the engine handled. */
  readonly events: number;
}

export interface RunRecord extends RunFacts {
  readonly version: typeof RECORD_VERSION;
  /** Time at which trading began. The account's opening figures are those of this time. */
  readonly from: number;
  /** The time at which mids are read: just before a trade, or when the bot learned of it. */
  readonly mids: 'at-trade' | 'as-told';
  readonly openingCash: number;
  readonly closingCash: number;
  readonly markets: readonly MarketNote[];
  readonly orderSums: readonly OrdersNote[];
  /** The most frequent first. */
  readonly orderEnds: readonly OrderEndNote[];
  readonly fillSums: readonly FillsNote[];
  /** Samples of the orders and of the trades. While there are few, each holds all of them. */
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
