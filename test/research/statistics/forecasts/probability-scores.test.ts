// Scores of forecasts, and forecasts against prices, against an independent script.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../../src/domain/units.ts';
import {
  type PricedForecast,
  compareForecasts,
  oneForecastAnHour,
} from '../../../../src/research/statistics/forecasts/forecast-comparison.ts';
import {
  type ForecastOutcome,
  brierScore,
  logScore,
} from '../../../../src/research/statistics/forecasts/probability-scores.ts';

const scored = (forecasts: readonly number[], outcomes: readonly number[]): ForecastOutcome[] =>
  forecasts.map((forecast, i) => ({ forecast, outcome: outcomes[i] === 1 ? 1 : 0 }));

const Y = [0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1];

describe('the Brier score of twelve forecasts', () => {
  it('decomposes over distinct forecasts', () => {
    const forecasts = scored([0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 0.9, 0.9], Y);
    const found = brierScore(forecasts);
    expect(found.score).toBeCloseTo(0.1908333333333333, 12);
    expect(found.reliability).toBeCloseTo(0.01722222222222222, 12);
    expect(found.resolution).toBeCloseTo(0.07638888888888888, 12);
    expect(found.uncertainty).toBeCloseTo(0.25, 12);
    expect(found.skill).toBeCloseTo(0.2366666666666668, 12);
    expect(found.withinVariance).toBeCloseTo(0, 12);
    const log = logScore(forecasts);
    expect(log.nats).toBeCloseTo(0.577997230931135, 12);
    expect(log.bits).toBeCloseTo(0.8338737387119014, 12);
    expect(log.baseNats).toBeCloseTo(Math.LN2, 12);
    expect(log.clipped).toBe(0);
  });

  it('decomposes over bins of 0.2, with two more terms', () => {
    const found = brierScore(scored([0.05, 0.12, 0.18, 0.33, 0.27, 0.35, 0.22, 0.58, 0.66, 0.61, 0.88, 0.93], Y), 5);
    expect(found.score).toBeCloseTo(0.19045, 12);
    expect(found.reliability).toBeCloseTo(0.031579861111111114, 12);
    // The bins of 0.4 to 0.6 and 0.6 to 0.8 are apart in the outcomes 1 and {0, 1}.
    expect(found.resolution).toBeCloseTo(0.09027777777777776, 12);
    expect(found.withinVariance).toBeCloseTo(0.0017868055555555558, 12);
    expect(found.withinCovariance).toBeCloseTo(0.002638888888888886, 12);
  });
});

describe('scores of any forecasts', () => {
  const forecasts = fc.array(
    fc.record({
      forecast: fc.integer({ min: 0, max: 100 }).map((n) => n / 100),
      outcome: fc.constantFrom<0 | 1>(0, 1),
    }),
    { minLength: 1, maxLength: 40 },
  );

  it('equal the sum of their parts, with any number of bins', () => {
    fc.assert(
      fc.property(forecasts, fc.option(fc.integer({ min: 1, max: 20 })), (list, bins) => {
        const found = brierScore(list, bins);
        const parts =
          found.reliability - found.resolution + found.uncertainty + found.withinVariance - found.withinCovariance;
        expect(parts).toBeCloseTo(found.score, 10);
      }),
    );
  });

  it('put a forecast on an edge into the bin above, and 1 into the last', () => {
    const spread = (list: readonly number[]): number => brierScore(scored(list, [1, 0]), 100).withinVariance;
    for (let i = 1; i < 99; i++) expect(spread([i / 100, (i + 0.5) / 100])).toBeGreaterThan(1e-6);
    for (let i = 1; i < 99; i++) expect(spread([i / 100, (i - 0.5) / 100])).toBeLessThan(1e-12);
    expect(spread([1, 0.995])).toBeGreaterThan(1e-6);
  });

  it('clip certainty and count it', () => {
    const found = logScore(scored([0, 1, 0.5, 1], [1, 1, 1, 0]));
    expect(found.clipped).toBe(3);
    expect(found.nats).toBeCloseTo((2 * -Math.log(1e-4) - Math.log(1 - 1e-4) + Math.log(2)) / 4, 12);
  });

  it('refuse nothing, and what is no probability', () => {
    expect(() => brierScore([])).toThrow('a score needs a forecast');
    expect(() => logScore([{ forecast: 1.2, outcome: 1 }])).toThrow('forecast: expected 0 to 1, found 1.2');
  });
});

const priced = (
  index: number,
  forecast: number,
  { price, outcome }: { price: number; outcome: number },
): PricedForecast => ({
  group: `G${Math.floor(index / 2)}`,
  market: `M${index}`,
  at: 0 as Micros,
  forecast,
  price,
  outcome: outcome === 1 ? 1 : 0,
});

describe('forecasts against prices', () => {
  const f = [0.62, 0.35, 0.8, 0.1, 0.55, 0.48, 0.71, 0.2];
  const p = [0.55, 0.4, 0.7, 0.15, 0.6, 0.5, 0.6, 0.3];
  const y = [1, 0, 1, 0, 0, 1, 1, 0];
  const forecasts = f.map((forecast, i) => priced(i, forecast, { price: p[i] ?? 0, outcome: y[i] ?? 0 }));

  it('equal an independent script', () => {
    const { brier, log, groups } = compareForecasts(forecasts, { seed: 1 });
    expect(groups).toBe(4);
    expect(brier.forecast.score).toBeCloseTo(0.1267375, 12);
    expect(brier.price.score).toBeCloseTo(0.166875, 12);
    expect(brier.gain.mean).toBeCloseTo(0.0401375, 12);
    expect(brier.gain.error).toBeCloseTo(0.009678721829353303, 12);
    expect(brier.gain.t).toBeCloseTo(4.14698352816302, 10);
    expect(brier.gain.studentP).toBeCloseTo(0.025473504387055916, 8);
    expect(brier.gain.flips.twoSided).toBe(0.125);
    expect(brier.gain.flips.sum).toBeCloseTo(0.0956 + 0.0625 + 0.0371 + 0.1259, 12);
    expect(log.forecast.nats).toBeCloseTo(0.41692918944580604, 12);
    expect(log.price.nats).toBeCloseTo(0.5130993722621178, 12);
  });

  it('that are the prices gain nothing', () => {
    const same = forecasts.map((each) => ({ ...each, forecast: each.price }));
    expect(compareForecasts(same, { seed: 1 }).brier.gain).toMatchObject({
      mean: 0,
      t: 0,
      studentP: 1,
      flips: { twoSided: 1 },
    });
  });

  it('count once for each market and hour', () => {
    const hour = 3_600_000_000;
    const times = [0, 1, hour - 1, hour, hour + 5, 3 * hour];
    const list = times.flatMap((at) => forecasts.slice(0, 2).map((each) => ({ ...each, at: at as Micros })));
    expect(oneForecastAnHour(list).map(({ at, market }) => `${market} ${at / hour}`)).toEqual([
      'M0 0',
      'M1 0',
      'M0 1',
      'M1 1',
      'M0 3',
      'M1 3',
    ]);
  });
});
