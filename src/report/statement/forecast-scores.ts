// Scores forecasts, and the market's own price at the same times: Brier score, log loss, calibration. Every market has
// the same weight: forecasts of one market are one opinion. Must never score a forecast of a market that did not
// resolve yes or no.
import { meanInterval, ratio } from './intervals.ts';
import type { MarketsByTicker } from './report-lines.ts';
import type { CalibrationBin, ForecastScore } from './report.ts';
import type { ForecastNote, RunRecord } from '../record/run-record.ts';

/** Log loss clamps probabilities to this distance from 0 and 1. A wrong certainty costs 6.9 instead of infinity. */
const CLAMP = 0.001;
const BINS = 10;

/** The squared error of one forecast: (probability − outcome)². */
export const brierOf = (probability: number, outcome: 0 | 1): number => (probability - outcome) ** 2;

/** −ln of the probability given to the actual outcome. */
export function logLossOf(probability: number, outcome: 0 | 1): number {
  const clamped = Math.min(1 - CLAMP, Math.max(CLAMP, probability));
  return 0 - Math.log(outcome === 1 ? clamped : 1 - clamped);
}

interface Scored extends ForecastNote {
  readonly outcome: 0 | 1;
  readonly group: string;
}

/** Returns the score of each strategy that made forecasts. */
export function forecastScores(record: RunRecord, markets: MarketsByTicker): ForecastScore[] {
  const strategies = [...new Set(record.forecasts.map(({ strategy }) => strategy))];
  return strategies.map((strategy) => {
    const own = record.forecasts.filter((forecast) => forecast.strategy === strategy);
    const scored = own.flatMap((forecast) => scorable(forecast, markets));
    return { strategy, unscored: own.length - scored.length, ...scoreOf(scored) };
  });
}

function scorable(forecast: ForecastNote, markets: MarketsByTicker): Scored[] {
  const market = markets.get(forecast.ticker);
  if (!market || forecast.at > market.closeAt) return [];
  if (market.result !== 'yes' && market.result !== 'no') return [];
  return [{ ...forecast, outcome: market.result === 'yes' ? 1 : 0, group: market.eventTicker }];
}

function scoreOf(scored: readonly Scored[]): Omit<ForecastScore, 'strategy' | 'unscored'> {
  const paired = scored.flatMap((each) => (each.market === null ? [] : [{ ...each, market: each.market }]));
  const brier = meanByMarket(paired, (each) => brierOf(each.probability, each.outcome));
  const marketBrier = meanByMarket(paired, (each) => brierOf(each.market, each.outcome));
  return {
    forecasts: scored.length,
    markets: countOf(scored, 'ticker'),
    groups: countOf(scored, 'group'),
    brier: meanByMarket(scored, (each) => brierOf(each.probability, each.outcome)),
    logLoss: meanByMarket(scored, (each) => logLossOf(each.probability, each.outcome)),
    paired: {
      forecasts: paired.length,
      markets: countOf(paired, 'ticker'),
      brier,
      marketBrier,
      logLoss: meanByMarket(paired, (each) => logLossOf(each.probability, each.outcome)),
      marketLogLoss: meanByMarket(paired, (each) => logLossOf(each.market, each.outcome)),
      skill: brier === null || marketBrier === null || marketBrier === 0 ? null : 1 - brier / marketBrier,
      gain: gainOf(paired),
    },
    calibration: calibration(scored.map((each) => ({ ...each, said: each.probability }))),
    marketCalibration: calibration(paired.map((each) => ({ ...each, said: each.market }))),
  };
}

const countOf = (scored: readonly Scored[], by: 'ticker' | 'group'): number =>
  new Set(scored.map((each) => each[by])).size;

/** Mean over markets of each market's mean. */
function meanByMarket<Each extends Scored>(scored: readonly Each[], of: (each: Each) => number): number | null {
  const means = [...groupBy(scored, 'ticker').values()].map((own) => meanOf(own.map(of)));
  return means.length === 0 ? null : meanOf(means);
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function groupBy<Each extends Scored>(scored: readonly Each[], by: 'ticker' | 'group'): Map<string, Each[]> {
  const groups = new Map<string, Each[]>();
  for (const each of scored) {
    const own = groups.get(each[by]);
    if (own) own.push(each);
    else groups.set(each[by], [each]);
  }
  return groups;
}

/** The interval is clustered by event group. */
function gainOf(paired: readonly (Scored & { readonly market: number })[]): ForecastScore['paired']['gain'] {
  const gains = [...groupBy(paired, 'group').values()].map(
    (own) =>
      meanByMarket(own, (each) => brierOf(each.market, each.outcome) - brierOf(each.probability, each.outcome)) ?? 0,
  );
  return meanInterval(gains);
}

function calibration(scored: readonly (Scored & { readonly said: number })[]): CalibrationBin[] {
  const perMarket = new Map<string, number>();
  for (const { ticker } of scored) perMarket.set(ticker, (perMarket.get(ticker) ?? 0) + 1);
  return Array.from({ length: BINS }, (_, bin) => {
    const inside = scored.filter(({ said }) => Math.min(BINS - 1, Math.floor(said * BINS)) === bin);
    const weightOf = ({ ticker }: Scored): number => 1 / (perMarket.get(ticker) ?? 1);
    const weight = inside.reduce((sum, each) => sum + weightOf(each), 0);
    return {
      low: bin / BINS,
      high: (bin + 1) / BINS,
      forecasts: inside.length,
      markets: countOf(inside, 'ticker'),
      said: ratio(
        inside.reduce((sum, each) => sum + weightOf(each) * each.said, 0),
        weight,
      ),
      came: ratio(
        inside.reduce((sum, each) => sum + weightOf(each) * each.outcome, 0),
        weight,
      ),
    };
  });
}
