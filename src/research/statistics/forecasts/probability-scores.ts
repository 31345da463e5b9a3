// Scores of forecasts: the Brier score with its decomposition, and the log score. Must never drop a forecast that was
// certain and wrong: the log score clips it and counts it.
import { assert } from '../../../base/assert.ts';

/** A forecast and the result of its market. */
export interface ForecastOutcome {
  /** Forecast probability of YES. */
  readonly forecast: number;
  /** 1 when the market resolved YES. */
  readonly outcome: 0 | 1;
}

/** Brier score and its parts: score = reliability − resolution + uncertainty + variance − covariance within bins. */
export interface BrierScore {
  readonly forecasts: number;
  /** Mean of (forecast − outcome)². Lower is better. */
  readonly score: number;
  /** Mean squared distance of forecasts from the rate of YES in their bin. Lower is better. */
  readonly reliability: number;
  /** Mean squared distance of the bins' rates of YES from the base rate. Higher is better. */
  readonly resolution: number;
  /** Score of always forecasting the base rate. */
  readonly uncertainty: number;
  /** Variance of forecasts within bins; 0 when each distinct forecast is a bin. */
  readonly withinVariance: number;
  /** Twice the covariance of forecast and outcome within bins. */
  readonly withinCovariance: number;
  /** 1 − score / uncertainty; `null` when every outcome is the same. */
  readonly skill: number | null;
}

/** Number of the bin of equal width that holds a probability; the last bin holds 1. */
function binOf(forecast: number, bins: number): number {
  const near = Math.floor(forecast * bins);
  const bin = (near + 1) / bins <= forecast ? near + 1 : near / bins > forecast ? near - 1 : near;
  return Math.min(bin, bins - 1);
}

interface Bin {
  count: number;
  forecasts: number;
  outcomes: number;
  /** Σ forecast² and Σ forecast × outcome. */
  squares: number;
  products: number;
}

function binsOf(forecasts: readonly ForecastOutcome[], keyOf: (forecast: number) => number): Bin[] {
  const bins = new Map<number, Bin>();
  for (const { forecast, outcome } of forecasts) {
    const key = keyOf(forecast);
    const bin = bins.get(key) ?? { count: 0, forecasts: 0, outcomes: 0, squares: 0, products: 0 };
    bins.set(key, bin);
    bin.count += 1;
    bin.forecasts += forecast;
    bin.outcomes += outcome;
    bin.squares += forecast * forecast;
    bin.products += forecast * outcome;
  }
  return [...bins.values()];
}

function assertForecasts(forecasts: readonly ForecastOutcome[]): void {
  assert(forecasts.length > 0, 'a score needs a forecast');
  for (const { forecast } of forecasts)
    assert(forecast >= 0 && forecast <= 1, `forecast: expected 0 to 1, found ${forecast}`);
}

/**
 * Computes the Brier score.
 * @param bins Number of bins of equal width. Each distinct forecast is a bin when it is `null`.
 * @throws {AssertionFault} without forecasts, or for one outside of 0 to 1.
 * @see A. Murphy, Journal of Applied Meteorology 12, 1973; parts within bins: D. Stephenson, C. Coelho,
 * I. Jolliffe, Weather and Forecasting 23, 2008.
 */
export function brierScore(forecasts: readonly ForecastOutcome[], bins: number | null = null): BrierScore {
  assertForecasts(forecasts);
  const count = forecasts.length;
  const base = forecasts.reduce((sum, { outcome }) => sum + outcome, 0) / count;
  const score = forecasts.reduce((sum, each) => sum + (each.forecast - each.outcome) ** 2, 0) / count;
  const uncertainty = base * (1 - base);
  const parts = { reliability: 0, resolution: 0, withinVariance: 0, withinCovariance: 0 };
  for (const bin of binsOf(forecasts, (forecast) => (bins === null ? forecast : binOf(forecast, bins)))) {
    const [forecast, rate] = [bin.forecasts / bin.count, bin.outcomes / bin.count];
    parts.reliability += (bin.count * (forecast - rate) ** 2) / count;
    parts.resolution += (bin.count * (rate - base) ** 2) / count;
    parts.withinVariance += (bin.squares - bin.count * forecast ** 2) / count;
    parts.withinCovariance += (2 * (bin.products - bin.count * forecast * rate)) / count;
  }
  return { forecasts: count, score, ...parts, uncertainty, skill: uncertainty === 0 ? null : 1 - score / uncertainty };
}

/** Forecasts are clipped to this distance from 0 and 1 for the log score. */
export const LOG_CLIP = 1e-4;

/** Log score. */
export interface LogScore {
  /** Mean of −ln of the probability that was given to the outcome. Lower is better. */
  readonly nats: number;
  /** The same in base 2. */
  readonly bits: number;
  /** Score of always forecasting the base rate, in nats. */
  readonly baseNats: number;
  /** Forecasts that were nearer to 0 or 1 than the clip. */
  readonly clipped: number;
}

/** −[y·ln f + (1 − y)·ln(1 − f)], clipped, in nats. */
export function logLoss({ forecast, outcome }: ForecastOutcome): number {
  const clipped = Math.min(1 - LOG_CLIP, Math.max(LOG_CLIP, forecast));
  return -Math.log(outcome === 1 ? clipped : 1 - clipped);
}

/**
 * Computes the log score.
 * @throws {AssertionFault} without forecasts, or for one outside of 0 to 1.
 * @see I. Good, "Rational decisions", Journal of the Royal Statistical Society B 14, 1952.
 */
export function logScore(forecasts: readonly ForecastOutcome[]): LogScore {
  assertForecasts(forecasts);
  const count = forecasts.length;
  const nats = forecasts.reduce((sum, each) => sum + logLoss(each), 0) / count;
  const base = forecasts.reduce((sum, { outcome }) => sum + outcome, 0) / count;
  const partOf = (share: number): number => (share === 0 ? 0 : -share * Math.log(share));
  const isClipped = ({ forecast }: ForecastOutcome): boolean => forecast < LOG_CLIP || forecast > 1 - LOG_CLIP;
  return {
    nats,
    bits: nats / Math.LN2,
    baseNats: partOf(base) + partOf(1 - base),
    clipped: forecasts.filter(isClipped).length,
  };
}
