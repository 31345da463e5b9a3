// Both ends of a record: positions from before the run, trades from before it, and its last moment.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTicker, strategyName, ticker, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import type { Halt, HaltScope } from '../../../src/domain/operator-order.ts';
import { valueOf } from '../../../src/domain/position.ts';
import { cents, price, qty } from '../../../src/domain/units.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { M0, aFill } from '../../support/engine/builders.ts';
import { ManualRun, seconds } from '../../support/reports/manual-run.ts';
import { runCount } from '../../support/runner/property-runs.ts';

describe('positions from before a run', () => {
  it('are worth their first price until then: the first book is no drawdown', () => {
    const run = new ManualRun();
    run.tradeOrder(1, { market: 0, side: 'buy', price: 1000, qty: 100_000 });
    run.recorder.beginRecord();
    run.setBook(8, 0, [900, 1100]);
    run.setBook(12, 0, [800, 1000]);
    const record = run.finishRecord(20);
    const { account, drawdown } = reportOfRun(record);
    expect(drawdown.drawdown).toMatchObject({ depth: 10_000_000, peak: 1_000_000_000 });
    expect(record.equity.at(0)).toMatchObject({ at: seconds(1), equity: account.openingEquity });
    expect(record.equity.at(-1)).toMatchObject({ at: seconds(20), equity: account.closingEquity });
  });

  it('are worth the best price of a book with one side, as at the end', () => {
    const run = new ManualRun();
    run.tradeOrder(1, { market: 0, side: 'buy', price: 1000, qty: 100 });
    run.recorder.beginRecord();
    run.setBook(2, 0, [2000, null]);
    run.setBook(5, 0, [3000, 3200]);
    const record = run.finishRecord(9);
    expect(record.markets[0]).toMatchObject({ openingHeld: 100, openingMark: 2000, mark: 3100 });
    expect(reportOfRun(record).split).toMatchObject({ carried: 110_000, profit: 110_000 });
  });

  it('are in the interval of the profit, and in the result of a run without trades', () => {
    const run = new ManualRun({ markets: 2, market: (number) => ({ eventTicker: eventTicker(`S-${number}`) }) });
    for (const market of [0, 1]) {
      run.setBook(1, market, [5000, 5200]);
      run.tradeOrder(1, { market, side: 'buy', price: 5100, qty: 1000 });
    }
    run.recorder.beginRecord();
    run.setBook(2, 0, [4000, 4200]);
    run.setBook(3, 1, [2000, 2200]);
    const { account, headline } = reportOfRun(run.finishRecord(9));
    expect(headline).toBe('Nothing was traded; the account lost $4.00.');
    const { low = 0, high = 0, groups } = account.interval ?? {};
    expect([groups, Math.round((low + high) / 2)]).toEqual([2, account.profit]);
  });

  it('are valued at the first price of a book that was empty at first', () => {
    const run = new ManualRun();
    run.tradeOrder(1, { market: 0, side: 'sell', price: 1000, qty: 100 });
    run.recorder.beginRecord();
    run.setBook(2, 0, [null, null]);
    run.applyEvent({
      kind: 'book-delta',
      at: seconds(3),
      exchangeAt: null,
      market: M0,
      side: 'ask',
      price: price(2000),
      change: qty(5),
    });
    run.passTime(5);
    run.applyEvent({
      kind: 'book-delta',
      at: seconds(6),
      exchangeAt: null,
      market: M0,
      side: 'ask',
      price: price(1500),
      change: qty(5),
    });
    const record = run.finishRecord(9);
    expect(record.markets[0]).toMatchObject({ openingHeld: -100, openingMark: 2000, mark: 1500 });
    expect(record.equity.map(({ equity }) => equity).filter((each, at, all) => each !== all[at - 1])).toEqual([
      reportOfRun(record).account.openingEquity,
      reportOfRun(record).account.closingEquity,
    ]);
  });

  it('have a curve from the opening to the closing equity and the drawdown of that curve, whenever each book comes', () => {
    const held = fc.integer({ min: -50, max: 50 }).filter((each) => each !== 0);
    const touch = fc.tuple(fc.integer({ min: 1, max: 49 }), fc.integer({ min: 50, max: 99 }));
    const market = fc.record({
      held,
      first: fc.integer({ min: 2, max: 40 }),
      next: fc.integer({ min: 41, max: 60 }),
      touches: fc.tuple(touch, touch),
    });
    fc.assert(
      fc.property(fc.array(market, { minLength: 1, maxLength: 4 }), (markets) => {
        const run = new ManualRun({ markets: markets.length });
        markets.forEach((each, number) => {
          const side = each.held > 0 ? 'buy' : 'sell';
          run.tradeOrder(1, { market: number, side, price: 5000, qty: Math.abs(each.held) });
        });
        run.recorder.beginRecord();
        const books = markets.flatMap(({ first, next, touches }, number) => [
          { at: first, number, touch: touches[0] },
          { at: next, number, touch: touches[1] },
        ]);
        for (const {
          at,
          number,
          touch: [bid, ask],
        } of books.toSorted((a, b) => a.at - b.at))
          run.setBook(at, number, [bid * 100, ask * 100]);
        const record = run.finishRecord(70);
        const { account, drawdown } = reportOfRun(record);
        const markOf = ([bid, ask]: readonly [number, number]): number => Math.floor(((bid + ask) * 100) / 2);
        const worthAt = (at: number): number =>
          markets.reduce(
            (sum, each) => sum + valueOf(qty(each.held), price(markOf(each.touches[each.next < at ? 1 : 0]))),
            record.openingCash,
          );
        expect(account).toMatchObject({ openingEquity: worthAt(0), closingEquity: worthAt(70) });
        expect(record.equity.map(({ equity }) => equity)).toEqual(
          record.equity.map(({ at }) => worthAt((at - seconds(0)) / 1_000_000)),
        );
        let [peak, depth] = [0, 0];
        for (let at = 1; at <= 70; at += 1) {
          peak = Math.max(peak, worthAt(at));
          depth = Math.max(depth, peak - worthAt(at));
        }
        expect(drawdown.drawdown?.depth ?? 0).toBe(depth);
      }),
      { numRuns: runCount(60) },
    );
  });
});

describe('the ends of a record', () => {
  it('has the account after the last event as its last sample, also at the time of an earlier one', () => {
    const run = new ManualRun();
    run.setBook(1, 0, [4000, 4200]);
    run.recorder.beginRecord();
    run.tradeOrder(1, { market: 0, side: 'buy', price: 4200, qty: 1000 });
    const record = run.finishRecord(1);
    expect(record.equity).toMatchObject([{ at: seconds(1), cash: record.closingCash }]);
    expect(record.figures.drawdown).toMatchObject({ depth: 100_000 });
    expect(run.finishRecord(1).figures.looks).toBe(2);
  });

  it('leaves out a trade from before the record whose order becomes known within it', () => {
    const run = new ManualRun();
    run.setBook(1, 0, [4000, 4200]);
    const fill = aFill({
      tradeId: tradeId('early'),
      venueOrderId: venueOrderId('v-1'),
      clientOrderId: null,
      qty: qty(100),
      price: cents(42),
    });
    run.applyEvent({ kind: 'fill', at: seconds(2), fill });
    run.recorder.beginRecord();
    run.placeOrder(3, { market: 0, side: 'buy', price: 4200, qty: 0, orderQty: 100, strategy: 'maker' });
    const record = run.finishRecord(4);
    expect(record.fillSums).toEqual([]);
    expect(reportOfRun(record).split).toMatchObject({ unexplained: 0, profit: 0 });
  });

  it('has the halt by a fault that failed the run, after however many others', () => {
    const run = new ManualRun();
    run.recorder.beginRecord();
    const halt = (scope: HaltScope, by: Halt['by']): void =>
      run.emitNotice({ type: 'halt', isCarried: false, halt: { scope, by, reason: 'a reason', since: seconds(1) } });
    for (let count = 0; count < 300; count += 1) halt({ type: 'market', ticker: ticker(`M-${count}`) }, 'operator');
    halt({ type: 'strategy', strategy: strategyName('maker') }, 'fault');
    const { halts, faults } = reportOfRun(run.finishRecord(2));
    expect([halts.length, faults.length]).toEqual([201, 1]);
  });

  it('compares the used budget with the time since the start of the session, its loading included', () => {
    const run = new ManualRun();
    run.emitNotice({ type: 'phase', phase: 'loading', why: 'test' });
    for (let at = 0; at < 60; at += 1) run.budgets.read.takeUnits(10, seconds(at));
    run.passTime(60);
    run.emitNotice({ type: 'phase', phase: 'trading', why: 'test' });
    const [read] = reportOfRun(run.finishRecord(61)).budgets;
    expect(read).toMatchObject({ used: 600, allowed: 100 + 61 * 10 });
  });

  it('counts a trade once whose order becomes known after more unknown trades than are kept', () => {
    const run = new ManualRun();
    run.setBook(1, 0, [4000, 4200]);
    run.recorder.beginRecord();
    const unknown = (name: string, order: string): ReturnType<typeof aFill> =>
      aFill({
        tradeId: tradeId(name),
        venueOrderId: venueOrderId(order),
        clientOrderId: null,
        qty: qty(1),
        price: cents(42),
      });
    run.applyEvent({ kind: 'fill', at: seconds(2), fill: unknown('early', 'v-1') });
    for (let count = 0; count < 1100; count += 1)
      run.applyEvent({ kind: 'fill', at: seconds(2), fill: unknown(`t-${count}`, `w-${count}`) });
    run.placeOrder(3, { market: 0, side: 'buy', price: 4200, qty: 0, orderQty: 1, strategy: 'maker' });
    const record = run.finishRecord(4);
    expect(record.fillSums.reduce((sum, { fills }) => sum + fills, 0)).toBe(1101);
    expect(reportOfRun(record).split.unexplained).toBe(0);
  });
});
