// What is kept of a run, backtest, paper or live, for its report: data alone, JSON as it is. Money in millionths of a
// dollar, prices in ten-thousandths on the YES scale, quantities in hundredths of a contract, times in microseconds.
// Must never hold more than a report needs: rows are bounded by what we did, not by what the market did.
import type { Denial } from '../domain/denial.ts';
import type { MarketResult } from '../domain/market.ts';
import type { Liquidity, Side } from '../domain/order.ts';

/** A market as the report names it. */
export interface MarketNote {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly seriesTicker: string | null;
  readonly closeAt: number;
  readonly result: MarketResult | null;
  readonly settlementValue: number | null;
}

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
  readonly state: string;
  readonly filledQty: number;
}

/** One trade of ours, with what the market was then and later. Mids are ratios, in ten-thousandths of a dollar. */
export interface FillNote {
  readonly at: number;
  readonly clientOrderId: string | null;
  readonly strategy: string | null;
  readonly ticker: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
  readonly liquidity: Liquidity;
  /** The mid before the trade; `null` when one side was empty or the book was not live. */
  readonly mid: number | null;
  readonly midAfter1s: number | null;
  readonly midAfter1m: number | null;
  /** The last mid before the market closed. */
  readonly midAtClose: number | null;
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
  /** What positions and resting orders tie up: the least that may be lost. */
  readonly locked: number;
}

export interface DenialNote {
  readonly strategy: string;
  readonly code: Denial['code'];
  readonly count: number;
}

export interface BudgetNote {
  readonly budget: 'read' | 'trade';
  /** Units used, and the most that could have been used in the time. */
  readonly used: number;
  readonly allowed: number;
  /** How often the venue refused for rate. */
  readonly refused: number;
}

/** What the tape that it ran on covers. */
export interface CoverageNote {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
  readonly assumptions: readonly string[];
}

export interface RunRecord {
  readonly kind: 'backtest' | 'paper' | 'live';
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly seed: number;
  /** SHA-256 over every command in order: the same decisions have the same. */
  readonly decisionHash: string;
  readonly strategies: readonly { readonly name: string; readonly file: string; readonly params: unknown }[];
  /** The models of the simulated venue, as configured; empty for a live run. */
  readonly models: Readonly<Record<string, unknown>>;
  readonly openingCash: number;
  readonly closingCash: number;
  readonly markets: readonly MarketNote[];
  readonly orders: readonly OrderNote[];
  readonly fills: readonly FillNote[];
  readonly settlements: readonly SettlementNote[];
  readonly forecasts: readonly ForecastNote[];
  readonly equity: readonly EquityNote[];
  readonly denials: readonly DenialNote[];
  readonly budgets: readonly BudgetNote[];
  readonly coverage: CoverageNote | null;
  readonly events: number;
}
