// A report as data: the content of every renderer and of `--json`. Money is in whole millionths of a dollar, quantities
// in hundredths of a contract, times in microseconds. Ratios are plain numbers, or `null`: never NaN, never infinite.
import type {
  DenialNote,
  EquityFigures,
  EquityNote,
  FillNote,
  HaltNote,
  NeverReady,
  OrderNote,
  RunRecord,
  SettlementNote,
} from '../record/run-record.ts';

/** Increased when the shape or the meaning of a member changes. */
export const REPORT_VERSION = 1;

/** The parts of the profit. They add up to `profit`, to the last millionth. */
export interface ProfitSplit {
  /** Profit against the mid at the time of the trade: Σ signed qty × (mid − price). */
  readonly spread: number;
  /**
   * Profit from the move of the mid in the minute after a trade; negative when we were picked off. Moves to an unknown
   * mid count in `settlement` or `marked`.
   */
  readonly adverse: number;
  /** Profit from one minute after the trade to settlement. */
  readonly settlement: number;
  /** Profit from one minute after the trade to the last mark, in unsettled markets. */
  readonly marked: number;
  /** Profit of trades without a known mid, from the price to settlement or mark. */
  readonly unsplit: number;
  /** Profit of positions from before the run, from their opening value to settlement or mark. */
  readonly carried: number;
  /** Charges of the venue, as a negative amount. */
  readonly fees: number;
  /** Deposits, corrections and the like. Zero in a backtest. */
  readonly unexplained: number;
  readonly profit: number;
}

/** A 95 % confidence interval of a mean or a sum, if event groups are alike and independent. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
  /** The number of event groups behind the interval. */
  readonly groups: number;
}

/** One table line: a market, event group, series, strategy, or kind of liquidity. */
export interface ReportLine {
  readonly name: string;
  /** A readable name; may be empty. */
  readonly title: string;
  readonly split: ProfitSplit;
  readonly fills: number;
  readonly qty: number;
  readonly turnover: number;
  readonly orders: number;
  readonly fillRatio: number | null;
  readonly makerShare: number | null;
  /** Profit per contract traded. Millionths of a dollar. */
  readonly perContract: number | null;
  readonly markets: number;
  readonly settledMarkets: number;
  /** Contracts still held, signed; for single markets only. */
  readonly held: number | null;
}

export type MarkoutHorizon = 'trade' | '1s' | '1m' | 'close' | 'settlement';

/** Profit of a contract some time after the trade: Σ signed qty × (later − price) / Σ qty. */
export interface MarkoutPoint {
  readonly horizon: MarkoutHorizon;
  /** Trades with a known later price. `qty`: their contracts. */
  readonly fills: number;
  readonly qty: number;
  /** Millionths of a dollar per contract, before fees. */
  readonly perContract: number | null;
  readonly interval: ConfidenceInterval | null;
}

export interface MarkoutCurve {
  readonly of: 'all' | 'maker' | 'taker';
  readonly fills: number;
  readonly points: readonly MarkoutPoint[];
}

/** Profit per contract in settled markets, with a verdict. */
export interface Expectancy {
  readonly settledMarkets: number;
  readonly groups: number;
  readonly qty: number;
  readonly profit: number;
  /** Millionths of a dollar per contract, after fees. */
  readonly perContract: number | null;
  readonly interval: ConfidenceInterval | null;
  /** Fewer settled markets than this prove nothing. */
  readonly marketsMin: number;
  readonly verdict: 'proves-nothing' | 'not-distinguishable' | 'gain' | 'loss';
}

export interface CalibrationBin {
  /** Probabilities from `low` up to `high`; the last bin includes 1. */
  readonly low: number;
  readonly high: number;
  readonly forecasts: number;
  readonly markets: number;
  /** Mean forecast. `came`: the share that came true. Every market has the same weight. */
  readonly said: number | null;
  readonly came: number | null;
}

/** One strategy's forecasts against the outcomes, and against the market's price at the same times. */
export interface ForecastScore {
  readonly strategy: string;
  readonly forecasts: number;
  readonly markets: number;
  readonly groups: number;
  /** Forecasts made after the close, or of markets without a resolution to yes or no. */
  readonly unscored: number;
  readonly brier: number | null;
  readonly logLoss: number | null;
  /** The same figures for forecasts with a known market price, and the figures of that price. */
  readonly paired: {
    readonly forecasts: number;
    readonly markets: number;
    readonly brier: number | null;
    readonly marketBrier: number | null;
    readonly logLoss: number | null;
    readonly marketLogLoss: number | null;
    /** 1 − brier / marketBrier: above 0 is better than the market. */
    readonly skill: number | null;
    /** marketBrier − brier, by event group: above 0 is better than the market. */
    readonly gain: ConfidenceInterval | null;
  };
  readonly calibration: readonly CalibrationBin[];
  readonly marketCalibration: readonly CalibrationBin[];
}

export interface DrawdownFigures {
  readonly drawdown: EquityFigures['drawdown'];
  /** Depth as a share of the peak. */
  readonly share: number | null;
  readonly underwaterMax: number;
}

export interface CapitalFigures {
  readonly lockedMax: number;
  readonly lockedMaxAt: number;
  readonly lockedMean: number | null;
  readonly lockedDollarDays: number;
  /** Profit per dollar locked for a day. `returnPerYear`: 365 times as much, without compounding. */
  readonly returnPerDay: number | null;
  readonly returnPerYear: number | null;
}

export interface CoverageFigures {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** The share of time that the tape covers for all markets. */
  readonly share: number | null;
  readonly gapTime: number;
  readonly gapCount: number;
  /** Gaps of some markets only, left out of the share. */
  readonly partialGaps: number;
  /** The longest gaps of all markets, sorted by their start. */
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
}

export interface TradingFigures {
  readonly orders: number;
  readonly byState: Readonly<Record<string, number>>;
  /** Reasons for orders that were not sent or were rejected, the most frequent first. */
  readonly ends: RunRecord['orderEnds'];
  readonly askedQty: number;
  readonly ordersTraded: number;
  readonly fills: number;
  readonly qty: number;
  /** Contracts traded, as a share of those ordered. */
  readonly fillRatio: number | null;
  /** Contracts traded as maker, as a share of those traded. */
  readonly makerShare: number | null;
  /** Money that changed hands, in either direction. */
  readonly turnover: number;
  /** Turnover divided by mean locked capital. */
  readonly turns: number | null;
  readonly fees: number;
  /** Trades with a known mid at the time. */
  readonly fillsWithMid: number;
}

export interface Report {
  readonly version: typeof REPORT_VERSION;
  readonly run: Pick<
    RunRecord,
    | 'kind'
    | 'name'
    | 'from'
    | 'to'
    | 'isPartial'
    | 'seed'
    | 'decisionHash'
    | 'strategies'
    | 'models'
    | 'events'
    | 'mids'
  >;
  /** The result in words. Text and page begin with it. */
  readonly headline: string;
  /** Halts by a fault. A run with such a halt failed. */
  readonly faults: readonly HaltNote[];
  /** Set when the session never started to trade: the run failed. */
  readonly neverReady: NeverReady | null;
  readonly account: {
    readonly openingCash: number;
    readonly closingCash: number;
    readonly openingEquity: number;
    readonly closingEquity: number;
    readonly profit: number;
    /** Clustered by event group. */
    readonly interval: ConfidenceInterval | null;
  };
  readonly split: ProfitSplit;
  readonly trading: TradingFigures;
  readonly drawdown: DrawdownFigures;
  readonly capital: CapitalFigures;
  readonly expectancy: Expectancy;
  readonly markouts: readonly MarkoutCurve[];
  readonly byStrategy: readonly ReportLine[];
  /** By maker and taker. Orders are in neither line. */
  readonly byLiquidity: readonly ReportLine[];
  readonly bySeries: readonly ReportLine[];
  readonly byGroup: readonly ReportLine[];
  readonly byMarket: readonly ReportLine[];
  readonly forecasts: readonly ForecastScore[];
  readonly denials: readonly DenialNote[];
  readonly budgets: readonly (RunRecord['budgets'][number] & { readonly usedShare: number | null })[];
  readonly halts: readonly HaltNote[];
  readonly coverage: CoverageFigures | null;
  readonly assumptions: readonly string[];
  readonly caveats: readonly string[];
  readonly equity: readonly EquityNote[];
  /** A sample of the orders, sorted by creation time. */
  readonly orders: readonly OrderNote[];
  readonly settlements: readonly SettlementNote[];
  /** A sample of the trades. `fillCount`: the number of all trades. */
  readonly fills: readonly FillNote[];
  readonly fillCount: number;
}
