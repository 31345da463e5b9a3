// The recorder of a run beside a whole backtest: engine, simulated venue and a tape. Nothing is left unexplained, and
// the record equals the venue's own account.
import { beforeAll, describe, expect, it } from 'vitest';
import { Backtest, type BacktestRun } from '../../../backtest/backtest-run.ts';
import { WorkloadRows } from '../../support/tapes/workload-rows.ts';
import { simulationSchema } from '../../../src/config/simulation-config.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { contracts, dollars, price } from '../../../src/domain/units.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import type { Report } from '../../../src/report/statement/report.ts';
import type { RunRecord } from '../../../src/report/record/run-record.ts';
import type { BoundStrategy, Handlers } from '../../../src/strategy/strategy-definition.ts';
import { tapeCapabilities, tapeEngineOptions } from '../../bench/tape-engine.ts';
import { someFacts } from '../../support/reports/manual-run.ts';

/** Quotes a cent within the touch, where the next change of the book crosses it, and takes now and then. */
const eager = (): Handlers => {
  let count = 0;
  return {
    onBook({ market }, view): readonly Intent[] | undefined {
      const { bestBid, bestAsk } = view.book(market);
      count += 1;
      if (bestBid === null || bestAsk === null || count % 50 !== 0) return undefined;
      const level = (at: number) => ({ price: price(Math.min(9900, Math.max(100, at))), qty: contracts(5) });
      if (count % 500 === 0)
        return [{ type: 'place', market, side: 'buy', price: bestAsk, qty: contracts(2), timeInForce: 'ioc' }];
      if (count % 750 === 0) return [{ type: 'forecast', market, probability: bestBid }];
      return [{ type: 'quote', market, bid: level(bestBid), ask: level(bestAsk), reason: 'at the touch' }];
    },
  };
};

function aBacktest(rows: number): Backtest {
  const strategy: BoundStrategy = { name: strategyName('eager'), selector: {}, handlers: eager() };
  return new Backtest({
    source: new WorkloadRows({ markets: 5, rows, period: 20_000, perSecond: 200, seed: 3 }),
    engine: (parts) => tapeEngineOptions(parts, [strategy]),
    capabilities: tapeCapabilities,
    simulation: simulationSchema.parse({}),
    cash: dollars(100_000),
    seed: 1,
    stopWithin: 15_000_000,
  });
}

async function runOnce(): Promise<{ run: BacktestRun; record: RunRecord; report: Report }> {
  const run = await aBacktest(60_000).runToEnd();
  const record = run.scores.runRecord(someFacts({ to: run.driver.now, events: run.driver.eventCount }));
  return { run, record, report: reportOfRun(record) };
}

/** Passes the rows in parts of a fixed size. A real run passes as many as a turn of the event loop has time for. */
function recordInSteps(steps: number): RunRecord {
  const { driver, scores } = aBacktest(15_000);
  while (driver.runSteps(steps));
  return scores.runRecord(someFacts({ to: driver.now, events: driver.eventCount }));
}

it('the record is the same however many rows the venue passes at once', () => {
  const [first, ...others] = [1, 2, 7, 4096].map(recordInSteps);
  expect(first?.fills.filter(({ liquidity }) => liquidity === 'maker').length).toBeGreaterThan(5);
  for (const other of others) expect(other).toEqual(first);
});

describe('the record of a backtest', () => {
  let once: Awaited<ReturnType<typeof runOnce>>;
  beforeAll(async () => {
    once = await runOnce();
  });

  it('equals the venue’s own account, with nothing unexplained', () => {
    const { run, record, report } = once;
    const { account } = run.driver.venue;
    expect(report.fillCount).toBe(account.fills.length);
    expect(report.fillCount).toBeGreaterThan(20);
    expect(record.closingCash).toBe(account.cash);
    expect(record.openingCash).toBe(account.openingCash);
    expect(report.trading.fees).toBe(account.feesPaid);
    expect(record.fillSums.reduce((sum, { cash }) => sum + cash, 0)).toBe(account.traded);
    expect(report.split.unexplained).toBe(0);
    expect(report.split.profit).toBe(report.account.profit);
  });

  it('has the mid at nearly every trade, of makers and takers alike', () => {
    const { record } = once;
    expect(record.mids).toBe('at-trade');
    for (const { liquidity, fills, known } of record.fillSums)
      expect(known.fills, liquidity).toBeGreaterThan(fills * 0.9);
    const kinds = new Set(record.fillSums.map(({ liquidity }) => liquidity));
    expect([...kinds].sort()).toEqual(['maker', 'taker']);
    for (const { side, price: paid, mid, liquidity } of record.fills)
      if (mid !== null && liquidity === 'taker') expect(side === 'buy' ? paid >= mid : paid <= mid).toBe(true);
  });

  it('holds the strategy’s reason for each order', () => {
    const reasons = new Set(once.report.orders.map(({ reason }) => reason));
    expect([...reasons].sort()).toEqual(['', 'at the touch']);
  });

  it('the record of a backtest is the same every time', async () => {
    const again = await runOnce();
    expect(JSON.stringify(again.record)).toBe(JSON.stringify(once.record));
  });
});
