// Forecasts: scores calculated by hand, the same weight for every market, and no score without an outcome.
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import { brierOf, logLossOf } from '../../../src/report/statement/forecast-scores.ts';
import type { ForecastScore } from '../../../src/report/statement/report.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { ManualRun, seconds } from '../../support/reports/manual-run.ts';

const groupOf = (number: number): ReturnType<typeof eventTicker> => eventTicker(`E-${number}`);

/** Markets with a forecast at every second, in hundredths; the market's own mid; and the outcome. */
function scoreOf(
  markets: readonly { said: readonly number[]; mid: number | null; value: number | null }[],
): ForecastScore {
  const run = new ManualRun({ markets: markets.length, market: (number) => ({ eventTicker: groupOf(number) }) });
  run.recorder.beginRecord();
  markets.forEach(({ mid }, market) => mid !== null && run.setBook(1, market, [(mid - 1) * 100, (mid + 1) * 100]));
  markets.forEach(({ said }, market) => said.forEach((each, at) => run.emitForecast(2 + at * 2, market, each * 100)));
  markets.forEach(({ value }, market) => value !== null && run.settleMarket(500, market, value));
  const [score] = reportOfRun(run.finishRecord(600)).forecasts;
  if (!score) throw new Error('no score');
  return score;
}

describe('one forecast', () => {
  it.each([
    [0.7, 1, 0.09, 0.356675],
    [0.7, 0, 0.49, 1.203973],
    [0.5, 1, 0.25, Math.LN2],
    [1, 1, 0, 0.0010005],
    [0, 1, 1, 6.907755],
    [1, 0, 1, 6.907755],
  ] as const)('a forecast of %d with the outcome %d has the score calculated by hand', (said, came, brier, logLoss) => {
    expect(brierOf(said, came)).toBeCloseTo(brier, 12);
    expect(logLossOf(said, came)).toBeCloseTo(logLoss, 6);
  });
});

describe('forecast scores', () => {
  it('scores are means over markets, each of the same weight however often it was forecast', () => {
    const score = scoreOf([
      { said: [80, 80, 80, 80], mid: 60, value: 10_000 },
      { said: [30], mid: 50, value: 0 },
    ]);
    expect(score.forecasts).toBe(5);
    expect(score.brier).toBeCloseTo((0.04 + 0.09) / 2, 12);
    expect(score.paired.marketBrier).toBeCloseTo((0.16 + 0.25) / 2, 12);
    expect(score.paired.skill).toBeCloseTo(1 - 0.065 / 0.205, 12);
    expect(score.logLoss).toBeCloseTo((-Math.log(0.8) - Math.log(0.7)) / 2, 12);
    expect(score.paired.marketLogLoss).toBeCloseTo((-Math.log(0.6) - Math.log(0.5)) / 2, 12);
  });

  it('scores are compared with the market only where it had a price', () => {
    const score = scoreOf([
      { said: [80], mid: null, value: 10_000 },
      { said: [30], mid: 50, value: 0 },
    ]);
    expect(score).toMatchObject({ forecasts: 2, markets: 2, paired: { forecasts: 1, markets: 1 } });
    expect(score.brier).toBeCloseTo(0.065, 12);
    expect(score.paired.brier).toBeCloseTo(0.09, 12);
  });

  it('scores leave out markets that have not resolved, or not to yes or no', () => {
    const score = scoreOf([
      { said: [80], mid: 60, value: null },
      { said: [30], mid: 50, value: 3000 },
    ]);
    expect(score).toMatchObject({ forecasts: 0, unscored: 2, brier: null, logLoss: null, paired: { skill: null } });
  });

  it('scores leave out forecasts made after the close', () => {
    const run = new ManualRun({ market: () => ({ closeAt: seconds(10) }) });
    run.recorder.beginRecord();
    run.setBook(1, 0, [4000, 4200]);
    run.emitForecast(5, 0, 7000);
    run.emitForecast(20, 0, 9900);
    run.settleMarket(30, 0, 10_000);
    expect(reportOfRun(run.finishRecord(40)).forecasts[0]).toMatchObject({
      forecasts: 1,
      unscored: 1,
      brier: expect.closeTo(0.09, 12),
    });
  });

  it('calibration sorts forecasts into deciles, with the share of each that came true', () => {
    const { calibration } = scoreOf([
      { said: [72], mid: 50, value: 10_000 },
      { said: [78], mid: 50, value: 0 },
      { said: [70], mid: 50, value: 10_000 },
      { said: [100], mid: 50, value: 10_000 },
    ]);
    expect(calibration).toHaveLength(10);
    expect(calibration[7]).toMatchObject({ forecasts: 3, markets: 3, low: 0.7, high: 0.8 });
    expect(calibration[7]?.said).toBeCloseTo((0.72 + 0.78 + 0.7) / 3, 12);
    expect(calibration[7]?.came).toBeCloseTo(2 / 3, 12);
    expect(calibration[9]).toMatchObject({ forecasts: 1, said: 1, came: 1 });
    expect(calibration[0]).toMatchObject({ forecasts: 0, said: null, came: null });
  });

  it('the advantage over the market has an interval, by event group', () => {
    const score = scoreOf([
      { said: [90], mid: 50, value: 10_000 },
      { said: [10], mid: 50, value: 0 },
      { said: [80], mid: 50, value: 10_000 },
    ]);
    const gains = [0.24, 0.24, 0.21];
    const mean = gains.reduce((sum, each) => sum + each, 0) / 3;
    const error = Math.sqrt(gains.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 2 / 3);
    expect(score.paired.gain?.groups).toBe(3);
    expect(score.paired.gain?.low).toBeCloseTo(mean - 4.3027 * error, 9);
  });
});
