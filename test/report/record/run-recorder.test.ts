// The record of a run, compared with brute force over everything that happened.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, strategyName, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { signOf } from '../../../src/domain/orders/order.ts';
import { cents, dollars, money } from '../../../src/domain/units.ts';
import type { RunRecord } from '../../../src/report/record/run-record.ts';
import { M0, aFill } from '../../support/engine/builders.ts';
import { ManualRun, seconds } from '../../support/reports/manual-run.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const begun = (...options: ConstructorParameters<typeof ManualRun>): ManualRun => {
  const run = new ManualRun(...options);
  run.recorder.beginRecord();
  return run;
};

describe('the recorder of a run', () => {
  it('begins when the session first trades, and only then', () => {
    const run = new ManualRun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 100 });
    run.passTime(5);
    run.emitNotice({ type: 'phase', phase: 'trading', why: 'test' });
    run.passTime(9);
    run.emitNotice({ type: 'phase', phase: 'trading', why: 'recovered' });
    const record = run.finishRecord(10);
    expect(record.from).toBe(seconds(5));
    expect(record.fillSums).toEqual([]);
    expect(record.markets[0]).toMatchObject({ openingHeld: 100, openingMark: 4100, held: 100, mark: 4100 });
    expect(record.openingCash).toBe(dollars(1000) - 4000 * 100);
  });

  it('values a position from before at the first book', () => {
    const run = new ManualRun();
    run.tradeOrder(1, { market: 0, side: 'sell', price: 4000, qty: 100 });
    run.recorder.beginRecord();
    run.setBook(2, 0, [7000, 7300]);
    run.setBook(3, 0, [1000, 1100]);
    expect(run.finishRecord(4).markets[0]).toMatchObject({
      openingHeld: -100,
      openingMark: 7150,
      held: -100,
      mark: 1050,
    });
  });

  it('uses the later close of a market whose close was moved', () => {
    const run = begun({ market: () => ({ closeAt: seconds(100) }) });
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.passTime(101);
    const moved = {
      kind: 'market-changed',
      exchangeAt: null,
      market: M0,
      status: 'active',
      closeAt: seconds(200),
    } as const;
    run.applyEvent({ ...moved, at: seconds(110) });
    run.setBook(150, 0, [6000, 6200]);
    run.passTime(201);
    expect(run.finishRecord(210).markets[0]).toMatchObject({ closeMid2: 12_200 });
  });

  it('records the mid at a trade, a second after and a minute after', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.setBook(2.5, 0, [3900, 4100]);
    run.setBook(3.5, 0, [3500, 3600]);
    run.setBook(70, 0, [100, 200]);
    expect(run.finishRecord(80).fills).toEqual([
      expect.objectContaining({ mid: 4100, midAfter1s: 4000, midAfter1m: 3550, at: seconds(2) }),
    ]);
  });

  it('does not let an event at the due time change the mid that is read', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.setBook(3, 0, [1000, 1200]);
    expect(run.finishRecord(4).fills[0]?.midAfter1s).toBe(4100);
  });

  it('has no later mid of a market that has closed, and none at a trade that was reported late', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.closeMarket(2.5, 0);
    run.applyEvent({
      kind: 'fill',
      at: seconds(10),
      fill: aFill({ tradeId: tradeId('late'), exchangeAt: seconds(5), clientOrderId: null }),
    });
    const record = run.finishRecord(100);
    expect(record.fills.map(({ mid, midAfter1s }) => [mid, midAfter1s])).toEqual([
      [4100, null],
      [null, null],
    ]);
    expect(record.fillSums.map(({ fills, known }) => [fills, known.fills])).toEqual([[2, 1]]);
  });

  it('keeps the last mid before a market closes by the clock, though the book is emptied after', () => {
    const run = begun({ market: () => ({ closeAt: seconds(100) }) });
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.setBook(99, 0, [5000, 5100]);
    run.setBook(100, 0, [null, 9900]);
    expect(run.finishRecord(200).markets[0]).toMatchObject({ closeMid2: 10_100 });
  });

  it('keeps the last sampled mid when a market closes early with an empty book', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.setBook(50, 0, [6000, 6200]);
    run.passTime(60);
    run.setBook(61, 0, [null, null]);
    run.settleMarket(62, 0, 10_000);
    expect(run.finishRecord(70).markets[0]).toMatchObject({ closeMid2: 12_200, settlementValue: 10_000, mark: 10_000 });
  });

  it('keeps the last mid before a close that no sample of the equity is near', () => {
    const run = begun({ recorder: { span: 10_000_000_000_000 }, market: () => ({ closeAt: seconds(900) }) });
    run.setBook(1, 0, [9400, 9600]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 9400, qty: 500 });
    run.setBook(890, 0, [100, 400]);
    run.setBook(891, 0, [null, 100]);
    run.passTime(901);
    expect(run.finishRecord(910).markets[0]).toMatchObject({ closeMid2: 500 });
  });

  it('counts every order once along its life, with its quantity', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    const canceled = run.placeOrder(2, {
      market: 0,
      side: 'buy',
      price: 4000,
      qty: 0,
      orderQty: 700,
      strategy: 'maker',
    });
    run.cancelOrder(3, canceled, 700);
    run.tradeOrder(4, { market: 0, side: 'buy', price: 4000, qty: 300, orderQty: 300 });
    run.tradeOrder(5, { market: 0, side: 'buy', price: 4000, qty: 100, orderQty: 500 });
    expect(run.finishRecord(6).orderSums).toEqual([
      {
        ticker: 'M-0',
        strategy: 'maker',
        orders: 3,
        qty: 1500,
        traded: 2,
        byState: { canceled: 1, filled: 1, working: 1 },
      },
    ]);
  });

  it('does not count the quantity of an order that was never sent', () => {
    const run = begun();
    const id = run.placeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 0, orderQty: 700, strategy: 'maker' });
    const order = run.state.orders.get(clientOrderId(id));
    if (!order) throw new Error('no order');
    const dropped = { ...order, clientOrderId: clientOrderId('c-9'), state: 'not-sent' } as const;
    run.emitNotice({ type: 'order', order: dropped, from: 'queued', to: 'not-sent', why: 'too late' });
    expect(run.finishRecord(3).orderSums).toMatchObject([
      { orders: 2, qty: 700, byState: { working: 1, 'not-sent': 1 } },
    ]);
    const found = { ...dropped, state: 'working' } as const;
    run.emitNotice({ type: 'order', order: found, from: 'not-sent', to: 'working', why: 'seen at the venue' });
    expect(run.finishRecord(4).orderSums).toMatchObject([{ orders: 2, qty: 1400, byState: { working: 2 } }]);
  });

  it('counts why orders were not sent or were rejected, by reason, with a bounded number of reasons', () => {
    const run = begun();
    const id = run.placeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 0, orderQty: 700, strategy: 'maker' });
    const order = run.state.orders.get(clientOrderId(id));
    if (!order) throw new Error('no order');
    const report = (to: 'not-sent' | 'rejected' | 'canceled', why: string): void =>
      run.emitNotice({ type: 'order', order, from: 'queued', to, why });
    report('rejected', 'the same words');
    for (let times = 0; times < 3; times++) report('not-sent', 'the same words');
    report('canceled', 'canceled by us');
    expect(run.finishRecord(3).orderEnds).toEqual([
      { state: 'not-sent', reason: 'the same words', count: 3 },
      { state: 'rejected', reason: 'the same words', count: 1 },
    ]);
    for (let number = 0; number < 1000; number++) report('not-sent', `in words of its own, ${number}`);
    const { orderEnds } = run.finishRecord(4);
    expect(orderEnds.length).toBeLessThan(100);
    expect(orderEnds.reduce((sum, { count }) => sum + count, 0)).toBe(1004);
    expect(orderEnds[0]?.reason).toBe('for other reasons');
  });

  it('attributes a trade to its strategy once the venue names its order', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    const fill = aFill({ venueOrderId: venueOrderId('v-1'), clientOrderId: null, fee: money(7) });
    run.applyEvent({ kind: 'fill', at: seconds(2), fill });
    expect(run.recorder.runRecord({ ...run.finishRecord(3.5) }).fillSums).toMatchObject([{ strategy: null, fills: 1 }]);
    run.placeOrder(4, { market: 0, side: 'buy', price: 4000, qty: 400, orderQty: 1000, strategy: 'maker' });
    const record = run.finishRecord(90);
    expect(record.fillSums).toMatchObject([
      { strategy: 'maker', fills: 1, fees: 7, after1s: { fills: 1 }, after1m: { fills: 1 } },
    ]);
    expect(record.fills).toMatchObject([{ strategy: 'maker', clientOrderId: 'c-1' }]);
  });

  it('keeps a market that is settled and dropped, and whose number is reused', () => {
    const run = begun({ markets: 2 });
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    run.settleMarket(3, 0, 10_000);
    const market = run.state.markets.get(M0);
    expect(market).toBeDefined();
    if (market) run.emitNotice({ type: 'evicted', market });
    run.state.markets.evictMarkets([M0]);
    const note = run.finishRecord(5).markets.find(({ ticker }) => ticker === 'M-0');
    expect(note).toMatchObject({ settlementValue: 10_000, result: 'yes', held: 0, eventTicker: 'EVENT' });
  });

  it('leaves out the forecast of a market whose number was released', () => {
    const run = begun({ markets: 2 });
    run.state.tickers.releaseIndex(M0);
    const forecast = { type: 'forecast', market: M0, probability: cents(62) } as const;
    run.emitNotice({ type: 'forecast', strategy: strategyName('maker'), forecast });
    expect(run.finishRecord(5).forecasts).toEqual([]);
  });

  it('counts denials, refusals for rate, and the remaining budgets', () => {
    const run = begun();
    const denial = { code: 'no-reference' } as const;
    const intent = { type: 'cancel-all' } as const;
    for (let times = 0; times < 3; times++)
      run.emitNotice({ type: 'denied', strategy: strategyName('maker'), intent, denial });
    run.budgets.trade.takeUnits(30, seconds(1));
    run.emitNotice({ type: 'rate-limited', budget: 'trade', retryAfter: null });
    run.passTime(1.5);
    run.emitNotice({
      type: 'halt',
      halt: { scope: { type: 'account' }, by: 'risk', reason: 'loss', since: seconds(1) },
      isCarried: false,
    });
    const record = run.finishRecord(11);
    expect(record.denials).toEqual([{ strategy: 'maker', code: 'no-reference', count: 3 }]);
    expect(record.budgets[1]).toEqual({
      budget: 'trade',
      used: 30,
      allowed: 210,
      leastLeft: 70,
      capacity: 100,
      refused: 1,
    });
    expect(record.halts).toEqual([{ at: seconds(1.5), scope: 'the account', by: 'risk', reason: 'loss' }]);
  });

  it('needs no call before it has begun, and then one at the next sample', () => {
    const run = new ManualRun();
    expect(run.recorder.dueAt).toBe(Number.POSITIVE_INFINITY);
    run.recorder.beginRecord();
    expect(run.recorder.dueAt).toBe(seconds(1));
    run.passTime(0.5);
    expect(run.recorder.dueAt).toBe(seconds(1));
    run.passTime(7.2);
    expect(run.recorder.dueAt).toBe(seconds(8));
  });

  it('uses the mids of the driver where they are given', () => {
    const run = begun({ recorder: { mids: { dueAt: Infinity, recordDue: () => undefined, mid2Before: () => 9001 } } });
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500 });
    const record = run.finishRecord(3);
    expect(record.fills[0]?.mid).toBe(4500.5);
    expect(record.mids).toBe('at-trade');
  });

  it('samples very many trades and orders, and sums all', () => {
    const run = begun({ recorder: { rowsMax: 100 } });
    run.setBook(1, 0, [4000, 4200]);
    for (let number = 0; number < 3000; number++)
      run.tradeOrder(2 + number / 100, { market: 0, side: number % 2 === 0 ? 'buy' : 'sell', price: 4100, qty: 100 });
    const record = run.finishRecord(40);
    expect(record.fillSums[0]?.fills).toBe(3000);
    expect(record.orderSums[0]?.orders).toBe(3000);
    expect(record.fills.length).toBeLessThanOrEqual(100);
    expect(record.orders.length).toBeLessThanOrEqual(100);
    expect(record.fills.length).toBeGreaterThan(25);
    const buys = record.fills.filter(({ side }) => side === 'buy').length;
    expect(buys).toBeGreaterThan(record.fills.length / 5);
    expect(buys).toBeLessThan((record.fills.length * 4) / 5);
  });

  it('the record is plain data: it is the same after conversion to JSON', () => {
    const run = begun();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 500, fee: 1234 });
    run.emitForecast(3, 0, 6000);
    const record: RunRecord = run.finishRecord(80);
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });

  it('finds the same mids as brute force, whatever happens', () => {
    const step = fc.record({
      after: fc.integer({ min: 1, max: 40_000 }),
      market: fc.integer({ min: 0, max: 2 }),
      what: fc.constantFrom('book', 'book', 'trade', 'empty'),
      mid: fc.integer({ min: 10, max: 90 }),
      side: fc.constantFrom('buy' as const, 'sell' as const),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const run = begun({ markets: 3 });
        let at = 1;
        for (const { after, market, what, mid, side } of steps) {
          at += after / 1000;
          if (what === 'trade') run.tradeOrder(at, { market, side, price: mid * 100, qty: 100 });
          else run.setBook(at, market, what === 'empty' ? [null, mid * 100] : [(mid - 1) * 100, (mid + 2) * 100]);
        }
        const record = run.finishRecord(at + 100);
        const expected = run.trades.map(({ at: tradedAt, market }) => ({
          mid: run.mid2Before(tradedAt, market),
          midAfter1s: run.mid2Before(tradedAt + 1_000_000, market),
          midAfter1m: run.mid2Before(tradedAt + 60_000_000, market),
        }));
        const half = (mid2: number | null | undefined): number | null =>
          mid2 === null || mid2 === undefined ? null : mid2 / 2;
        expect(record.fills.map(({ mid, midAfter1s, midAfter1m }) => ({ mid, midAfter1s, midAfter1m }))).toEqual(
          expected.map(({ mid, midAfter1s, midAfter1m }) => ({
            mid: half(mid),
            midAfter1s: mid === null ? null : half(midAfter1s),
            midAfter1m: mid === null ? null : half(midAfter1m),
          })),
        );
        const sums = { edge2: 0, moved2: 0 };
        run.trades.forEach(({ side, qty: size, price: paid }, number) => {
          const { mid = null, midAfter1m = null } = expected[number] ?? {};
          if (mid === null || midAfter1m === null) return;
          sums.edge2 += signOf(side) * size * (midAfter1m - 2 * paid);
          sums.moved2 += signOf(side) * size * (midAfter1m - mid);
        });
        const edge2 = record.fillSums.reduce((sum, { after1m }) => sum + after1m.edge2, 0);
        expect(edge2 + 0).toBe(sums.edge2 + 0);
        expect(record.fillSums.reduce((sum, { after1m }) => sum + after1m.moved2, 0) + 0).toBe(sums.moved2 + 0);
      }),
      { numRuns: runCount(60) },
    );
  });
});
