// What is kept of a run, backtest, paper or live, for its report: data alone, JSON as it is. Money in millionths of a
// dollar, prices in ten-thousandths on the YES scale, quantities in hundredths of a contract, times in microseconds.
// Must never grow with the length of the run: sums are exact and whole, rows are few and evenly chosen.
import type { DenialCode } from '../domain/denial.ts';
import type { MarketResult, MarketStatus } from '../domain/market.ts';
import type { HaltedBy } from '../domain/operator.ts';
import type { Liquidity, OrderState, Side } from '../domain/order.ts';
import type { Phase } from '../execution/phase.ts';

/** Another shape, or another meaning of a member, has another version. */
export const RECORD_VERSION = 1;

/** A market that we ordered in, held, or forecast: what it was worth at both ends of the run. */
export interface MarketNote {
  readonly ticker: string;
  readonly title: string;
  readonly eventTicker: string;
  readonly seriesTicker: string | null;
  readonly status: MarketStatus;
  readonly closeAt: number;
  readonly result: MarketResult | null;
  readonly settlementValue: number | null;
  /** The last mid before it closed, in halves of ten-thousandths: bid plus ask. `null` when none was seen. */
  readonly closeMid2: number | null;
  /** What was held when the run began, signed, and what YES was worth then. */
  readonly openingHeld: number;
  readonly openingMark: number;
  /** What is held at the end, signed, and what YES is worth: the settlement value once it is known, else the mark. */
  readonly held: number;
  readonly mark: number;
}

/** What our orders of one strategy in one market came to, all of them. */
export interface OrdersNote {
  readonly ticker: string;
  readonly strategy: string;
  readonly orders: number;
  /** What was asked of the venue in all, changes included; not what never left. */
  readonly qty: number;
  /** Orders that traded, in part or in full. */
  readonly traded: number;
  /** How many are in each state at the end; a state that none is in is absent. */
  readonly byState: Partial<Readonly<Record<OrderState, number>>>;
}

/** How many orders came to be so, and why. One that turned out to be at the venue after all still counts. */
export interface OrderEndNote {
  readonly state: Extract<OrderState, 'not-sent' | 'rejected'>;
  /** In the words of whoever ended it: ours, or the venue's. */
  readonly reason: string;
  readonly count: number;
}

/** One order. Of many, some: evenly chosen over the run. */
export interface OrderNote {
  readonly clientOrderId: string;
  readonly strategy: string;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly createdAt: number;
  /** When it was over; `null` while it is not. */
  readonly endedAt: number | null;
  /** The state it ended in, or is in. */
  readonly state: OrderState;
  readonly filledQty: number;
  /** Why the strategy wanted it, in its intent's words; empty where it gave none. */
  readonly reason: string;
}

/** Trades of ours of which the mid some time later is known, summed. */
export interface MarkoutSum {
  readonly fills: number;
  readonly qty: number;
  /** Twice Σ signed qty × (later mid − price), and twice Σ signed qty × (later mid − mid at the trade). */
  readonly edge2: number;
  readonly moved2: number;
}

/** All our trades of one strategy in one market that rested, or that crossed: exact sums, whatever their number. */
export interface FillsNote {
  readonly ticker: string;
  /** `null` where the trade named no order that we know. */
  readonly strategy: string | null;
  readonly liquidity: Liquidity;
  readonly fills: number;
  readonly qty: number;
  /** Σ signed qty: bought less sold. */
  readonly net: number;
  /** Σ signed qty × price. */
  readonly paid: number;
  readonly fees: number;
  /** What the trades did to cash before fees, signed, and how much money moved either way. */
  readonly cash: number;
  readonly turnover: number;
  /** The part of which the mid at the trade is known. `mid2`: twice Σ signed qty × mid. */
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

/** One trade of ours. Of many, some: evenly chosen over the run. Mids are ratios, in ten-thousandths of a dollar. */
export interface FillNote {
  /** When the bot learned of it: later than it happened at the venue, by the way of its report. */
  readonly at: number;
  readonly clientOrderId: string | null;
  readonly strategy: string | null;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
  /** The mid at the trade; `null` when one side was empty, the book was not live, or we were told too late. */
  readonly mid: number | null;
  readonly midAfter1s: number | null;
  readonly midAfter1m: number | null;
}

export interface SettlementNote {
  readonly at: number;
  readonly ticker: string;
  /** What was held, signed, and what came in. */
  readonly held: number;
  readonly paid: number;
}

/** What a strategy said it believes, against what the market said at the time. Probabilities from 0 to 1. */
export interface ForecastNote {
  readonly at: number;
  readonly strategy: string;
  readonly ticker: string;
  readonly probability: number;
  /** The market's own mid, as a probability; `null` when it had none. */
  readonly market: number | null;
}

/** How the account stood. */
export interface EquityNote {
  readonly at: number;
  readonly cash: number;
  /** Cash and positions at their mid. */
  readonly equity: number;
  /** What cannot be used for anything else: what positions cost, and what unfinished orders pledge. */
  readonly locked: number;
}

/** What was seen at every look at the account, of which `equity` keeps a bounded number. */
export interface EquityFigures {
  /** How many looks there were. */
  readonly looks: number;
  /** The deepest fall from a peak; `null` when there was none. `recoveredAt` is `null` while it lasts. */
  readonly drawdown: {
    readonly depth: number;
    readonly peak: number;
    readonly peakAt: number;
    readonly troughAt: number;
    readonly recoveredAt: number | null;
  } | null;
  /** The longest time from a peak to the next higher one, or to the end. Microseconds. */
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
  /** The least that was left at any look, and what is left when nothing was used. */
  readonly leastLeft: number;
  readonly capacity: number;
  /** How often the venue refused for rate. */
  readonly refused: number;
}

/** Trading was stopped: of the account, a strategy or a market. */
export interface HaltNote {
  readonly at: number;
  readonly scope: string;
  /** A strategy that a `fault` halted threw, gave an answer that cannot be used, or was too slow. */
  readonly by: HaltedBy;
  readonly reason: string;
}

/** The session never came to trade. */
export interface NeverReady {
  /** The phase that it was still in. */
  readonly phase: Phase;
  /** What the venue answered last to a read that failed; `null` when none failed. */
  readonly failedRead: string | null;
}

/** What the tape that it ran on covers. */
export interface CoverageNote {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** `tickers`: the markets that a gap concerns; empty or absent means all. */
  readonly gaps: readonly {
    readonly from: number;
    readonly to: number;
    readonly reason: string;
    readonly tickers?: readonly string[];
  }[];
  readonly assumptions: readonly string[];
}

/** What a run is, as whoever drives it knows. */
export interface RunFacts {
  readonly kind: 'backtest' | 'paper' | 'live';
  readonly name: string;
  /** When it ended: the last time that passed. */
  readonly to: number;
  /** Whether it was ended before its tape was: never of a session, which ends when it is asked to. */
  readonly isPartial: boolean;
  readonly seed: number;
  /** SHA-256 over every command in order: the same decisions have the same. */
  readonly decisionHash: string;
  readonly strategies: readonly { readonly name: string; readonly file: string; readonly params: unknown }[];
  /** The models of the simulated venue, as configured; empty for a live run. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly coverage: CoverageNote | null;
  /** Events that the engine took. */
  readonly events: number;
}

export interface RunRecord extends RunFacts {
  readonly version: typeof RECORD_VERSION;
  /** When trading began: the account's opening figures are of then. */
  readonly from: number;
  /** Of when the mids at the trades are: of just before the trade, or of when we were told of it. */
  readonly mids: 'at-trade' | 'as-told';
  readonly openingCash: number;
  readonly closingCash: number;
  readonly markets: readonly MarketNote[];
  readonly orderSums: readonly OrdersNote[];
  /** The most frequent first. */
  readonly orderEnds: readonly OrderEndNote[];
  readonly fillSums: readonly FillsNote[];
  /** Some of the orders and trades; all of them while they are few. */
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
