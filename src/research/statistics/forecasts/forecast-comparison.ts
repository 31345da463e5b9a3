// Forecasts against the market's price at the same moment, by event group. Must never count two forecasts of one market
// within an hour: they are nearly the same forecast.
import type { Micros } from '../../../domain/units.ts';
import {
  type BrierScore,
  type ForecastOutcome,
  type LogScore,
  brierScore,
  logLoss,
  logScore,
} from './probability-scores.ts';
import { figureValue, ratioFigure, standardError } from '../group-figures.ts';
import { studentCdf } from '../normal.ts';
import { type SignFlipOptions, type SignFlipResult, signFlipTest } from '../sign-flips.ts';

/** A forecast beside the market's price. */
export interface PricedForecast extends ForecastOutcome {
  /** Ticker of the event group. */
  readonly group: string;
  /** Ticker of the market. */
  readonly market: string;
  readonly at: Micros;
  /** Mid of the market at the same moment, as a probability. */
  readonly price: number;
}

const HOUR = 3_600_000_000;

/** Keeps the first forecast of each market in each hour. The forecasts are in ascending time. */
export function oneForecastAnHour(forecasts: readonly PricedForecast[]): PricedForecast[] {
  const hours = new Map<string, number>();
  return forecasts.filter(({ market, at }) => {
    const hour = Math.floor(at / HOUR);
    if (hours.get(market) === hour) return false;
    hours.set(market, hour);
    return true;
  });
}

/** By how much forecasts are better than prices. */
export interface ScoreGain {
  /** Mean of the price's loss less the forecast's loss. Positive: the forecast is better. */
  readonly mean: number;
  /** Linearized standard error over groups. It is not finite for one group. */
  readonly error: number;
  /** mean / error. */
  readonly t: number;
  /** Two-sided probability by Student's t, one degree of freedom less than groups. */
  readonly studentP: number;
  /** Sign flips of the groups' sums. */
  readonly flips: SignFlipResult;
}

/** Scores of forecasts and of prices, and their difference. */
export interface ForecastComparison {
  readonly groups: number;
  readonly forecasts: number;
  readonly brier: { readonly forecast: BrierScore; readonly price: BrierScore; readonly gain: ScoreGain };
  readonly log: { readonly forecast: LogScore; readonly price: LogScore; readonly gain: ScoreGain };
}

const squaredLoss = ({ forecast, outcome }: ForecastOutcome): number => (forecast - outcome) ** 2;

/**
 * Compares forecasts with prices.
 * @throws {AssertionFault} without forecasts, or for one outside of 0 to 1.
 * @see F. Diebold, R. Mariano, Journal of Business & Economic Statistics 13, 1995, with clusters of event groups in
 * place of lags.
 */
export function compareForecasts(forecasts: readonly PricedForecast[], options: SignFlipOptions): ForecastComparison {
  const prices = forecasts.map(({ price, outcome }): ForecastOutcome => ({ forecast: price, outcome }));
  const gainOf = (lossOf: (forecast: ForecastOutcome) => number): ScoreGain => gainByGroup(forecasts, lossOf, options);
  return {
    groups: new Set(forecasts.map(({ group }) => group)).size,
    forecasts: forecasts.length,
    brier: { forecast: brierScore(forecasts), price: brierScore(prices), gain: gainOf(squaredLoss) },
    log: { forecast: logScore(forecasts), price: logScore(prices), gain: gainOf(logLoss) },
  };
}

function gainByGroup(
  forecasts: readonly PricedForecast[],
  lossOf: (forecast: ForecastOutcome) => number,
  options: SignFlipOptions,
): ScoreGain {
  const parts = new Map<string, { over: number; under: number }>();
  for (const { group, forecast, price, outcome } of forecasts) {
    const part = parts.get(group) ?? { over: 0, under: 0 };
    parts.set(group, part);
    part.over += lossOf({ forecast: price, outcome }) - lossOf({ forecast, outcome });
    part.under += 1;
  }
  const figure = ratioFigure([...parts.values()]);
  const [mean, error] = [figureValue(figure), standardError(figure)];
  const t = mean === 0 ? 0 : mean / error;
  return {
    mean,
    error,
    t,
    studentP: t === 0 ? 1 : 2 * studentCdf(-Math.abs(t), figure.groups - 1),
    flips: signFlipTest(
      [...parts.values()].map(({ over }) => over),
      options,
    ),
  };
}
