// The statement: every part of the profit, to the last millionth, and the other figures calculated by hand.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import { dollars, micros, money } from '../../../src/domain/units.ts';
import { figureTiles } from '../../../src/report/page/page-head.ts';
import { renderJson } from '../../../src/report/text/json-report.ts';
import { renderText } from '../../../src/report/text/text-report.ts';
import { PROFIT_PARTS } from '../../../src/report/statement/profit-parts.ts';
import type { CoverageNote } from '../../../src/report/record/run-record.ts';
import type { ProfitSplit } from '../../../src/report/statement/report.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { ManualRun, seconds } from '../../support/reports/manual-run.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const begun = (...options: ConstructorParameters<typeof ManualRun>): ManualRun => {
  const run = new ManualRun(...options);
  run.recorder.beginRecord();
  return run;
};

const partsOf = (split: ProfitSplit): number => PROFIT_PARTS.reduce((sum, { part }) => sum + split[part], 0);

/** Ten contracts bought at 40¢ with the mid at 41¢, which falls to 40.5¢ in a minute; settled YES. */
function oneTrade(): ManualRun {
  const run = begun();
  run.setBook(1, 0, [4000, 4200]);
  run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 1000, fee: 17_500, orderQty: 2000 });
  run.setBook(30, 0, [4000, 4100]);
  run.passTime(70);
  run.settleMarket(100, 0, 10_000);
  return run;
}

describe('a report', () => {
  it('splits the profit of one trade into the parts calculated by hand', () => {
    const report = reportOfRun(oneTrade().finishRecord(200));
    expect(report.split).toEqual({
      spread: dollars(0.1),
      adverse: dollars(-0.05),
      settlement: dollars(5.95),
      marked: 0,
      unsplit: 0,
      carried: 0,
      fees: -17_500,
      unexplained: 0,
      profit: dollars(6) - 17_500,
    });
    expect(report.account).toMatchObject({
      openingEquity: dollars(1000),
      closingEquity: dollars(1006) - 17_500,
      profit: dollars(6) - 17_500,
      interval: null,
    });
  });

  it('splits a sale the other way round', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'sell', price: 4200, qty: 1000 });
    run.setBook(30, 0, [4000, 4100]);
    run.passTime(70);
    run.settleMarket(100, 0, 10_000);
    expect(reportOfRun(run.finishRecord(200)).split).toMatchObject({
      spread: dollars(0.1),
      adverse: dollars(0.05),
      settlement: dollars(-5.95),
      profit: dollars(-5.8),
    });
  });

  it('marks unsettled markets at the last mid, apart from settled ones', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 1000 });
    run.setBook(100, 0, [5000, 5200]);
    expect(reportOfRun(run.finishRecord(200)).split).toMatchObject({
      settlement: 0,
      marked: dollars(1),
      profit: dollars(1.1),
    });
  });

  it('has a part for trades without a mid, and one for positions from before', () => {
    const run = new ManualRun({ markets: 2 });
    run.tradeOrder(1, { market: 1, side: 'buy', price: 3000, qty: 100 });
    run.setBook(2, 1, [3900, 4100]);
    run.recorder.beginRecord();
    run.tradeOrder(3, { market: 0, side: 'buy', price: 4000, qty: 1000 });
    run.settleMarket(100, 0, 10_000);
    run.settleMarket(100, 1, 0);
    const { split, byStrategy } = reportOfRun(run.finishRecord(200));
    expect(split).toMatchObject({ unsplit: dollars(6), carried: dollars(-0.4), profit: dollars(5.6) });
    expect(byStrategy.map(({ name, split: own }) => [name, own.profit])).toEqual([
      ['maker', dollars(6)],
      ['(held before)', dollars(-0.4)],
    ]);
  });

  it('reports what no trade, fee or settlement explains', () => {
    const run = oneTrade();
    run.state.portfolio.setOpeningCash(dollars(2000));
    const report = reportOfRun(run.finishRecord(200));
    expect(report.split.unexplained).not.toBe(0);
    expect(partsOf(report.split)).toBe(report.account.profit);
    expect(report.caveats.join(' ')).toContain('more than its trades');
  });

  it('does not call a deposit or a withdrawal a gain, a loss or a return', () => {
    const explained = reportOfRun(oneTrade().finishRecord(200));
    const reportWith = (change: number): ReturnType<typeof reportOfRun> => {
      const run = oneTrade();
      run.state.portfolio.setOpeningCash(money(run.state.portfolio.cash + dollars(change)));
      return reportOfRun(run.finishRecord(200));
    };
    const besides = (change: string): string =>
      `Gained $5.98. Besides, the account changed by ${change}, which no trade, fee or settlement explains.`;
    expect(explained.headline).toBe('Gained $5.98.');
    expect(reportWith(1000).headline).toBe(besides('+$1,000.00'));
    expect(reportWith(-50).headline).toBe(besides('−$50.00'));
    for (const report of [reportWith(1000), reportWith(-50)]) {
      expect(report.capital.returnPerDay).toBe(explained.capital.returnPerDay);
      expect(renderText(report)).toMatch(/\n {2}Explained profit +\+\$5\.98 /);
      expect(figureTiles(report).text).toMatch(
        /<dt>Explained profit, after fees<\/dt>\s+<dd><span class="gain">\+\$5\.98</,
      );
    }
  });

  it('adds up to the profit of the account to the last millionth, whatever happens', () => {
    const step = fc.record({
      after: fc.integer({ min: 1, max: 50_000 }),
      market: fc.integer({ min: 0, max: 3 }),
      what: fc.constantFrom('book', 'book', 'trade', 'trade', 'trade', 'empty', 'settle'),
      bid: fc.integer({ min: 1, max: 97 }),
      spread: fc.integer({ min: 1, max: 2 }),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      qty: fc.integer({ min: 1, max: 100_000 }),
      fee: fc.integer({ min: 0, max: 999_999 }),
      liquidity: fc.constantFrom('maker' as const, 'taker' as const),
      strategy: fc.constantFrom('one', 'two'),
      value: fc.constantFrom(0, 10_000, 3333),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 20 }), (steps, before) => {
        const run = new ManualRun({
          markets: 4,
          market: (number) => ({ eventTicker: eventTicker(`E-${number % 2}`) }),
        });
        const settled = new Set<number>();
        let at = 1;
        steps.forEach(({ after, market, what, bid, spread, value, ...terms }, number) => {
          if (number === before) run.recorder.beginRecord();
          at += after / 1000;
          if (settled.has(market)) return;
          if (what === 'settle') settled.add(market);
          if (what === 'settle') return run.settleMarket(at, market, value);
          if (what === 'trade') return void run.tradeOrder(at, { market, price: bid * 100, ...terms });
          return run.setBook(at, market, [what === 'empty' ? null : bid * 100, (bid + spread) * 100]);
        });
        run.recorder.beginRecord();
        const report = reportOfRun(run.finishRecord(at + 100));
        expect(report.split.unexplained).toBe(0);
        expect(report.split.profit).toBe(report.account.closingEquity - report.account.openingEquity);
        expect(partsOf(report.split)).toBe(report.account.profit);
        const { byMarket, byGroup, bySeries, byStrategy, byLiquidity } = report;
        for (const lines of [byMarket, byGroup, bySeries, byStrategy, byLiquidity])
          expect(lines.reduce((sum, { split }) => sum + split.profit, 0)).toBe(report.account.profit);
        for (const line of report.byMarket) expect(partsOf(line.split)).toBe(line.split.profit);
        expect(JSON.parse(renderJson(report))).toEqual(report);
        expect(renderJson(report)).not.toMatch(/null,null,null,null,null|NaN|Infinity/);
      }),
      { numRuns: runCount(60) },
    );
  });

  it('shows how much was ordered, traded, rested and turned over', () => {
    const run = oneTrade();
    const { trading } = reportOfRun(run.finishRecord(200));
    expect(trading).toMatchObject({
      orders: 1,
      askedQty: 2000,
      ordersTraded: 1,
      fills: 1,
      qty: 1000,
      fillRatio: 0.5,
      makerShare: 1,
      turnover: dollars(4),
      fees: 17_500,
      fillsWithMid: 1,
    });
  });

  it('counts both what closes and what opens in one trade as turnover', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 1000 });
    run.tradeOrder(3, { market: 0, side: 'sell', price: 4200, qty: 3000, liquidity: 'taker' });
    const { trading } = reportOfRun(run.finishRecord(10));
    // 10 bought for 40¢; then 10 closed at 42¢, and 20 NO opened at 58¢.
    expect(trading.turnover).toBe(dollars(4) + dollars(4.2) + dollars(11.6));
    expect(trading.makerShare).toBe(0.25);
  });

  it('calculates the return from the locked capital and its duration', () => {
    const run = begun({ recorder: { span: 86_400_000_000 } });
    run.setBook(0.5, 0, [4000, 4200]);
    run.tradeOrder(1, { market: 0, side: 'buy', price: 4000, qty: 1000 });
    run.passTime(43_200);
    run.settleMarket(43_200, 0, 10_000);
    const { capital } = reportOfRun(run.finishRecord(86_400));
    // Four dollars for half a day, less the 14.4 s until the first sample on a grid of 43.2 s.
    expect(capital.lockedDollarDays).toBeCloseTo(4 * (0.5 - 14.4 / 86_400), 9);
    expect(capital.returnPerDay).toBeCloseTo(6 / capital.lockedDollarDays, 9);
    expect(capital.lockedMean).toBeCloseTo(capital.lockedDollarDays * 1_000_000, 3);
    expect(capital.lockedMax).toBe(dollars(4));
  });

  it('says that fewer than thirty settled markets prove nothing, and names the groups', () => {
    const make = (markets: number): ReturnType<typeof reportOfRun> => {
      const run = begun({ markets, market: (number) => ({ eventTicker: eventTicker(`E-${number}`) }) });
      for (let market = 0; market < markets; market++) {
        run.setBook(1, market, [4000, 4200]);
        run.tradeOrder(2, { market, side: 'buy', price: 4000, qty: 1000 });
      }
      for (let market = 0; market < markets; market++) run.settleMarket(100, market, market % 10 === 0 ? 0 : 10_000);
      return reportOfRun(run.finishRecord(200));
    };
    expect(make(29).expectancy).toMatchObject({ verdict: 'proves-nothing', settledMarkets: 29, groups: 29 });
    expect(make(29).caveats.join(' ')).toContain('29 settled markets');
    const { expectancy } = make(40);
    expect(expectancy).toMatchObject({ verdict: 'gain', settledMarkets: 40 });
    expect(expectancy.perContract).toBeCloseTo(0.5e6, 6);
    // 36 gains of 60¢ and 4 losses of 40¢: standard error 0.3038… / √40, t of 39 degrees 2.0227.
    const error = Math.sqrt((36 * 0.1 ** 2 + 4 * 0.9 ** 2) / 39 / 40) * 1e6;
    expect(expectancy.interval?.low).toBeCloseTo(0.5e6 - 2.0227 * error, -1);
  });

  it('shows markouts at every horizon, of makers and takers apart', () => {
    const run = begun({ market: () => ({ closeAt: seconds(90) }) });
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 1000 });
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4200, qty: 1000, liquidity: 'taker' });
    run.setBook(2.5, 0, [3900, 4100]);
    run.setBook(30, 0, [4000, 4100]);
    run.setBook(80, 0, [6000, 6200]);
    run.passTime(91);
    run.settleMarket(100, 0, 10_000);
    const { markouts } = reportOfRun(run.finishRecord(200));
    const each = markouts.map(({ of, points }) => [of, ...points.map(({ perContract }) => perContract)]);
    expect(each).toEqual([
      ['all', 0, -10_000, -5000, 200_000, 590_000],
      ['maker', 10_000, 0, 5000, 210_000, 600_000],
      ['taker', -10_000, -20_000, -15_000, 190_000, 580_000],
    ]);
  });

  it('reports a run in which nothing happened without NaN or infinity', () => {
    const report = reportOfRun(new ManualRun().finishRecord(10));
    expect(report).toMatchObject({
      fillCount: 0,
      split: { profit: 0 },
      trading: { fillRatio: null, makerShare: null },
    });
    expect(report.capital.returnPerDay).toBeNull();
    expect(JSON.parse(renderJson(report))).toEqual(report);
  });

  it('counts overlapping gaps once in the share of time that the tape covers', () => {
    const gap = (from: number, to: number, tickers: readonly string[] = []): object => ({
      from: seconds(from),
      to: seconds(to),
      reason: 'feed down',
      tickers,
    });
    const gaps = [gap(10, 20), gap(15, 30), gap(90, 200), gap(40, 50, ['M-0'])] as never;
    const coverage = {
      source: 'journal',
      from: seconds(0),
      to: seconds(100),
      rows: 7,
      gaps,
      assumptions: ['Fees are guessed.'],
    };
    const report = reportOfRun(new ManualRun().finishRecord(100, { coverage }));
    expect(report.coverage).toMatchObject({ share: 0.7, gapTime: micros(30_000_000), gapCount: 3, partialGaps: 1 });
    expect(report.assumptions).toContain('Fees are guessed.');
  });

  it('counts only the gaps within the range of the run, and only their parts in it', () => {
    const gap = (from: number, to: number, tickers: readonly string[] = []): CoverageNote['gaps'][number] => ({
      from: seconds(from),
      to: seconds(to),
      reason: 'feed down',
      tickers,
    });
    const gaps = [gap(-20, -10), gap(-5, 10), gap(90, 130), gap(100, 400), gap(50, 50), gap(200, 300, ['M-0'])];
    const coverage = { source: 'tape', from: seconds(0), to: seconds(100), rows: 7, gaps, assumptions: [] };
    const report = reportOfRun(new ManualRun().finishRecord(100, { coverage }));
    expect(report.coverage).toMatchObject({ share: 0.8, gapTime: micros(20_000_000), gapCount: 3, partialGaps: 0 });
    expect(report.coverage?.gaps.map(({ from, to }) => [from, to])).toEqual([
      [seconds(0), seconds(10)],
      [seconds(50), seconds(50)],
      [seconds(90), seconds(100)],
    ]);
  });
});
