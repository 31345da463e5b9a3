// Calibration on sessions at the local exchange, in virtual time: the true delays are known, and so is the fate of each
// order. A session is fitted; a later one is replayed with the fitted block and without.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runParity } from '../../../src/app/backtest/parity-run.ts';
import type { ParityReport, RestingTotals } from '../../../backtest/parity/run-comparison.ts';
import { type Calibration, calibrate } from '../../../src/research/calibration/calibrate.ts';
import { tableShare } from '../../../src/research/calibration/distribution.ts';
import { recordDay } from '../../bench/day-session.ts';

/** The network of the recorded day: 5 ms and an exponential time of 3 ms on average, each way. Microseconds. */
const trueShare = (delay: number): number => (delay < 5000 ? 0 : 1 - Math.exp(-(delay - 5000) / 3000));

/** Seeds of the delays drawn: one run's fill rate has a standard deviation of about a point. */
const SEEDS = [1, 2];
/** Seeds of the later sessions: the difference of one session has a standard deviation of about a point, too. */
const LATER = [12, 13, 14];
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const rate = ({ qty, filledQty }: RestingTotals): number => filledQty / qty;

describe('a calibration on the local exchange', () => {
  let root = '';
  let found: Calibration;
  const folderOf = (name: string): string => join(root, name, 'journal');

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'calibrate-'));
    const day = { furtherMarkets: 0, changesPerSecond: 12, tradesPerMinute: 40 };
    await recordDay({ ...day, folder: folderOf('first'), hours: 0.2, seed: 11 });
    for (const seed of LATER) await recordDay({ ...day, folder: folderOf(`later-${seed}`), hours: 0.15, seed });
    found = calibrate([join(root, 'first')]);
    writeFileSync(join(root, 'simulation.yaml'), found.block ?? '');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each(['order', 'answer'] as const)('the fitted delays of the leg "%s" are the true ones', (leg) => {
    const [row] = found.latency.fit?.[leg] ?? [];
    const table = row?.quantiles ?? [];
    const delays = Array.from({ length: 800 }, (_, index) => 4000 + 50 * index);
    const distance = Math.max(...delays.map((delay) => Math.abs(tableShare(table, delay) - trueShare(delay))));
    process.stdout.write(`${leg}: ${row?.count} delays, distance from the true distribution ${distance.toFixed(4)}\n`);
    expect(distance).toBeLessThanOrEqual(0.05);
    expect(row?.quality.distance).toBeLessThanOrEqual(0.08);
  });

  it('the queue model fills later orders of the session as the exchange did', () => {
    const { chosen, default: byDefault, leftOut } = found.queue.fit!;
    const { liveRate, modelRate, orders } = chosen.later;
    process.stdout.write(
      `${orders} later orders: session ${liveRate.toFixed(4)}, before ${byDefault.later.modelRate.toFixed(4)} (error² ${byDefault.later.fillError.toFixed(4)}), after ${modelRate.toFixed(4)} (error² ${chosen.later.fillError.toFixed(4)})\n`,
    );
    // Without positions of the queue, the model is chosen by the squared error of each order's filled share.
    expect(chosen.later.fillError).toBeLessThanOrEqual(0.01);
    expect(chosen.later.fillError).toBeLessThan(byDefault.later.fillError);
    const rateError = (score: typeof chosen.later): number => Math.abs(score.modelRate - score.liveRate);
    expect(rateError(chosen.later)).toBeLessThanOrEqual(0.03);
    expect(rateError(chosen.later)).toBeLessThan(rateError(byDefault.later));
    expect(leftOut).toBeLessThanOrEqual(0.01 * (chosen.earlier.orders + orders));
  });

  it('the session shows that no quote which crosses an order trades with it: the exchange’s makers only post', () => {
    const { chosen, crossing } = found.queue.fit!;
    process.stdout.write(`${crossing.fills} fills that used up an order, ${crossing.rested} with a rest\n`);
    expect(crossing.rested).toBe(0);
    expect(chosen.fillWhenCrossed).toBe(false);
  });

  it('backtests of later sessions fill resting orders as the exchange did, within 3 points', async () => {
    writeFileSync(join(root, 'default.yaml'), '{}\n');
    const reportsWith = async (seeds: readonly number[], file: string): Promise<readonly ParityReport[]> => {
      const reports: ParityReport[] = [];
      for (const later of LATER)
        for (const seed of seeds)
          reports.push((await runParity(folderOf(`later-${later}`), { seed, simulation: join(root, file) })).report);
      return reports;
    };
    const before = await reportsWith([1], 'default.yaml');
    const after = await reportsWith(SEEDS, 'simulation.yaml');
    const live = mean(before.map(({ resting }) => rate(resting.live)));
    const [first, second] = [before, after].map((reports) =>
      mean(reports.map(({ resting }) => rate(resting.simulated))),
    );
    const [agreedFirst, agreed] = [before, after].map((reports) => mean(reports.map(({ agreement }) => agreement)));
    process.stdout.write(
      `fill rate of resting orders: sessions ${live.toFixed(4)}, before ${first?.toFixed(4)}, after ${second?.toFixed(4)}; agreement ${agreedFirst?.toFixed(3)}, then ${agreed?.toFixed(3)}\n`,
    );
    expect(Math.abs(second! - live)).toBeLessThanOrEqual(0.03);
    expect(Math.abs(first! - live)).toBeGreaterThan(0.03);
    expect(agreed).toBeGreaterThan(agreedFirst!);
  });
});
