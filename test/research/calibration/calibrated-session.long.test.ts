// Calibration on sessions at the local exchange, in virtual time: the true delays are known, and so is the fate of each
// order. A session is fitted; a later one is replayed with the fitted block and without.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runParity } from '../../../src/app/backtest/parity-run.ts';
import type { RestingTotals } from '../../../backtest/parity/run-comparison.ts';
import { type Calibration, calibrate } from '../../../src/research/calibration/calibrate.ts';
import { tableShare } from '../../../src/research/calibration/distribution.ts';
import { recordDay } from '../../bench/day-session.ts';

/** The network of the recorded day: 5 ms and an exponential time of 3 ms on average, each way. Microseconds. */
const trueShare = (delay: number): number => (delay < 5000 ? 0 : 1 - Math.exp(-(delay - 5000) / 3000));

const rate = ({ qty, filledQty }: RestingTotals): number => filledQty / qty;

describe('a calibration on the local exchange', () => {
  let root = '';
  let found: Calibration;
  const folderOf = (name: string): string => join(root, name, 'journal');

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'calibrate-'));
    const day = { furtherMarkets: 0, changesPerSecond: 12, tradesPerMinute: 40 };
    await recordDay({ ...day, folder: folderOf('first'), hours: 0.25, seed: 11 });
    await recordDay({ ...day, folder: folderOf('second'), hours: 0.15, seed: 12 });
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
    const { chosen, default: byDefault } = found.queue.fit!;
    const { liveRate, modelRate, orders } = chosen.later;
    process.stdout.write(
      `${orders} later orders: session ${liveRate.toFixed(4)}, before ${byDefault.later.modelRate.toFixed(4)}, after ${modelRate.toFixed(4)}\n`,
    );
    expect(Math.abs(modelRate - liveRate)).toBeLessThanOrEqual(0.03);
    expect(chosen.later.fillError).toBeLessThan(byDefault.later.fillError);
  });

  it('a backtest of another session comes closer to the fills of the exchange than the defaults do', async () => {
    const options = { seed: 1 };
    writeFileSync(join(root, 'default.yaml'), '{}\n');
    const before = await runParity(folderOf('second'), { ...options, simulation: join(root, 'default.yaml') });
    const after = await runParity(folderOf('second'), { ...options, simulation: join(root, 'simulation.yaml') });
    const [live, first, second] = [
      after.report.resting.live,
      before.report.resting.simulated,
      after.report.resting.simulated,
    ];
    process.stdout.write(
      `fill rate of resting orders: session ${rate(live).toFixed(4)} of ${live.orders}, before ${rate(first).toFixed(4)} of ${first.orders}, after ${rate(second).toFixed(4)} of ${second.orders}; agreement ${before.report.agreement.toFixed(3)}, then ${after.report.agreement.toFixed(3)}\n`,
    );
    expect(Math.abs(rate(second) - rate(live))).toBeLessThan(Math.abs(rate(first) - rate(live)));
    expect(after.report.agreement).toBeGreaterThan(before.report.agreement);
  });
});
