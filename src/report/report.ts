// A report as data: what every renderer shows and `--json` prints. Documented in docs/how-to/read-a-report.md. Money in millionths of
// a dollar, always whole; quantities in hundredths of a contract; times in microseconds. Ratios are plain numbers, `null`
// where there is nothing to divide by: never NaN, never infinite.
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
} from './run-record.ts';

/** Another shape, or another meaning of a member, has another version. */
export const REPORT_VERSION = 1;

/** Where the profit came from. The parts add up to `profit`, to the last millionth. */
export interface Split {
  /** What was traded better than the mid of the moment: Σ signed qty × (mid − price). */
  readonly spread: number;
  /** What the mid did in the minute after: negative when we were picked off. */
  readonly adverse: number;
  /** From then to settlement, in markets that have settled. */
  readonly settlement: number;
  /** From then to the last mark, in markets that have not: not yet money. */
  readonly marked: number;
  /** Trades of which the mid is not known, from price to settlement or mark. */
  readonly unsplit: number;
  /** What was held before the run began: from its worth then to settlement or mark. */
  readonly carried: number;
  /** Negative: what the venue charged. */
  readonly fees: number;
  /** What the account gained and nothing above explains: deposits, corrections. Zero in a backtest. */
  readonly unexplained: number;
  readonly profit: number;
}

/** A mean or a sum with the range that holds it in 95 runs of 100, if event groups are alike and independent. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** How many event groups it rests on. */
  readonly groups: number;
}

/** One market, event group, series, strategy, or way of trading. */
export interface Line {
  readonly name: string;
  /** What a person calls it; empty where it has no other name. */
  readonly title: string;
  readonly split: Split;
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
  /** Contracts that are still held, signed; of a single market only. */
  readonly held: number | null;
}

export type MarkoutHorizon = 'trade' | '1s' | '1m' | 'close' | 'settlement';

/** What a contract was ahead a while after it traded: Σ signed qty × (later − price) / Σ qty. */
export interface MarkoutPoint {
  readonly horizon: MarkoutHorizon;
  /** Of how many trades it is known, and their contracts. */
  readonly fills: number;
  readonly qty: number;
  /** Millionths of a dollar per contract, before fees. */
  readonly perContract: number | null;
  readonly interval: Interval | null;
}

export interface MarkoutCurve {
  readonly of: 'all' | 'maker' | 'taker';
  readonly fills: number;
  readonly points: readonly MarkoutPoint[];
}

/** Profit per contract in markets that have settled, and whether that proves anything. */
export interface Expectancy {
  readonly settledMarkets: number;
  readonly groups: number;
  readonly qty: number;
  readonly profit: number;
  /** Millionths of a dollar per contract, after fees. */
  readonly perContract: number | null;
  readonly interval: Interval | null;
  /** Fewer settled markets than this prove nothing. */
  readonly marketsMin: number;
  readonly verdict: 'proves-nothing' | 'not-distinguishable' | 'gain' | 'loss';
}

export interface CalibrationBin {
  /** Probabilities from `low` up to `high`, the last bin 1 included. */
  readonly low: number;
  readonly high: number;
  readonly forecasts: number;
  readonly markets: number;
  /** Mean of what was said, and the share that came true; every market weighs the same. */
  readonly said: number | null;
  readonly came: number | null;
}

/** One strategy's forecasts against what came, and against what the market said at the same times. */
export interface ForecastScore {
  readonly strategy: string;
  readonly forecasts: number;
  readonly markets: number;
  readonly groups: number;
  /** Forecasts that cannot be scored yet or at all: of markets without a yes or no, or made after the close. */
  readonly unscored: number;
  readonly brier: number | null;
  readonly logLoss: number | null;
  /** The same over the forecasts of which the market's own price is known, and that price's own. */
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
    readonly gain: Interval | null;
  };
  readonly calibration: readonly CalibrationBin[];
  readonly marketCalibration: readonly CalibrationBin[];
}

export interface DrawdownFigures {
  readonly drawdown: EquityFigures['drawdown'];
  /** Of the peak. */
  readonly share: number | null;
  readonly underwaterMax: number;
}

export interface CapitalFigures {
  readonly lockedMax: number;
  readonly lockedMaxAt: number;
  /** Mean over time. */
  readonly lockedMean: number | null;
  readonly lockedDollarDays: number;
  /** Profit per dollar locked for a day, and that times 365: no compounding. */
  readonly returnPerDay: number | null;
  readonly returnPerYear: number | null;
}

export interface CoverageFigures {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** The share of the time of which the tape tells, as far as all markets are concerned. */
  readonly share: number | null;
  readonly gapTime: number;
  readonly gapCount: number;
  /** Gaps that concern some markets only: they are not in the share. */
  readonly partialGaps: number;
  /** The longest of them. */
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly reason: string }[];
}

export interface Trading {
  readonly orders: number;
  readonly byState: Readonly<Record<string, number>>;
  /** Why orders were never sent, or were rejected: the most frequent reason first. */
  readonly ends: RunRecord['orderEnds'];
  readonly askedQty: number;
  readonly ordersTraded: number;
  readonly fills: number;
  readonly qty: number;
  /** Contracts traded of those asked for. */
  readonly fillRatio: number | null;
  /** Contracts that rested of those traded. */
  readonly makerShare: number | null;
  /** Money that changed hands, either way. */
  readonly turnover: number;
  /** Turnover by mean capital locked. */
  readonly turns: number | null;
  readonly fees: number;
  /** Trades of which the mid at the time is known. */
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
  /** What was earned, or why nothing could be, in words: what text and page begin with. */
  readonly headline: string;
  /** Halts of strategies by their own fault: such a run failed. */
  readonly faults: readonly HaltNote[];
  /** The session never came to trade: such a run failed; `null` when it did. */
  readonly neverReady: NeverReady | null;
  readonly account: {
    readonly openingCash: number;
    readonly closingCash: number;
    readonly openingEquity: number;
    readonly closingEquity: number;
    readonly profit: number;
    /** Profit by event group, times their number. */
    readonly interval: Interval | null;
  };
  readonly split: Split;
  readonly trading: Trading;
  readonly drawdown: DrawdownFigures;
  readonly capital: CapitalFigures;
  readonly expectancy: Expectancy;
  readonly markouts: readonly MarkoutCurve[];
  readonly byStrategy: readonly Line[];
  /** What rested and what crossed; orders are in neither. */
  readonly byLiquidity: readonly Line[];
  readonly bySeries: readonly Line[];
  readonly byGroup: readonly Line[];
  readonly byMarket: readonly Line[];
  readonly forecasts: readonly ForecastScore[];
  readonly denials: readonly DenialNote[];
  readonly budgets: readonly (RunRecord['budgets'][number] & { readonly usedShare: number | null })[];
  readonly halts: readonly HaltNote[];
  readonly coverage: CoverageFigures | null;
  /** What was taken for granted, and what the figures do not tell, in whole sentences. */
  readonly assumptions: readonly string[];
  readonly caveats: readonly string[];
  readonly equity: readonly EquityNote[];
  /** Some of the orders, `trading.orders` in all, the first made first. */
  readonly orders: readonly OrderNote[];
  readonly settlements: readonly SettlementNote[];
  /** Some of the trades, `fillCount` in all. */
  readonly fills: readonly FillNote[];
  readonly fillCount: number;
}
