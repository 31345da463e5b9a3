// Resting orders of ours in the fill simulator, one case at a time.
import { describe, expect, it } from 'vitest';
import { DECI_CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { cents, contracts, micros } from '../../../../src/domain/units.ts';
import type { QueueModel } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { powerQueue } from '../../../../src/venues/simulated/models/queue-models.ts';
import { FillBench } from './fill-bench.ts';

describe('an order that rests', () => {
  it('a resting order is behind the whole level, and fills once prints have consumed the quantity ahead of it', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    expect(bench.ahead('o1')).toBe(10);
    bench.print('sell', 50, 6);
    expect(bench.ahead('o1')).toBe(4);
    expect(bench.fillTexts()).toEqual([]);
    bench.print('sell', 50, 6);
    expect(bench.fillTexts()).toEqual(['o1 2 at 50 print']);
    bench.print('sell', 50, 6);
    expect(bench.fillTexts()).toEqual(['o1 2 at 50 print', 'o1 1 at 50 print']);
    expect(bench.ahead('o1')).toBeNull();
  });

  it('a touch does not fill a resting order', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[52, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 52, -10);
    bench.delta('ask', 51, 10);
    bench.delta('bid', 50, -10);
    expect(bench.fillTexts()).toEqual([]);
  });

  it('a print through its price fills a resting order, whatever was ahead of it', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 49, 2);
    expect(bench.fillTexts()).toEqual(['o1 2 at 50 print-through']);
  });

  it('a print of the other side, or at a better price, does not move a resting order', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('buy', 50, 20);
    bench.print('sell', 51, 20);
    expect(bench.ahead('o1')).toBe(10);
  });

  it('one cancellation of another trader does not move a resting order to the front', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 5);
    bench.delta('bid', 50, -5);
    expect(bench.ahead('o1')).toBe(10);
  });

  it('a resting order never has more ahead of it than the level holds', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, -7);
    expect(bench.ahead('o1')).toBe(3);
    bench.delta('bid', 50, 7);
    expect(bench.ahead('o1')).toBe(3);
  });

  it('a trade moves a resting order up once, whether its decrease or its print is recorded first', () => {
    for (const isPrintFirst of [true, false]) {
      const bench = new FillBench();
      bench.snapshot([[50, 10]], [[55, 10]]);
      bench.place({ side: 'buy', cents: 50, contracts: 3 });
      if (isPrintFirst) bench.print('sell', 50, 4);
      bench.delta('bid', 50, -4);
      if (!isPrintFirst) bench.print('sell', 50, 4);
      expect(bench.ahead('o1')).toBe(6);
    }
  });

  it('the next print moves an order up when an earlier trade was fully recorded before it, in either order', () => {
    for (const isPrintFirst of [true, false]) {
      const bench = new FillBench();
      bench.snapshot([[50, 10]], [[55, 10]]);
      if (isPrintFirst) bench.print('sell', 50, 4);
      bench.delta('bid', 50, -4);
      if (!isPrintFirst) bench.print('sell', 50, 4);
      bench.place({ side: 'buy', cents: 50, contracts: 3 });
      bench.print('sell', 50, 2);
      expect(bench.ahead('o1')).toBe(4);
    }
  });

  it('a late print of a trade before the order joined does not move it up', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.delta('bid', 50, -4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 4);
    expect(bench.ahead('o1')).toBe(6);
  });

  it('an order that joins between a print and its decrease, behind another of ours, has no more ahead of it than is left', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, -4);
    expect([bench.ahead('o1'), bench.ahead('o2')]).toEqual([6, 6]);
  });

  it('an order is never moved ahead of an earlier one, whatever a queue model says', () => {
    const turned: QueueModel = {
      name: 'turned',
      onlyPrints: false,
      aheadOnJoin: (qty) => qty,
      aheadAfterCancel: (ahead, level, cut) => (ahead * 2 > level ? 0 : ahead - cut),
    };
    const bench = new FillBench({ queue: turned });
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 15);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, -4);
    expect([bench.ahead('o1'), bench.ahead('o2')]).toEqual([6, 6]);
  });

  it('a decrease counts as a cancellation when the last print is long past', () => {
    const bench = new FillBench({ queue: powerQueue(1) });
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 10);
    bench.print('sell', 50, 2);
    bench.now = micros(2_000_000);
    bench.delta('bid', 50, -5);
    // Eight of the twenty on the tape were ahead of it, and so were two of the five canceled.
    expect(bench.ahead('o1')).toBe(6);
  });

  it('one print of several decreases before it does not move an order up', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 2]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 8);
    bench.delta('bid', 50, -3);
    bench.delta('bid', 50, -3);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.print('sell', 50, 6);
    expect(bench.fillTexts()).toEqual(['o1 1 at 50 print']);
    // Four contracts are left on the tape, and a fifth that the taker did not reach because of us.
    expect(bench.ahead('o2')).toBe(5);
  });

  it('our orders share a print, first come first', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 2]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 51, contracts: 1 });
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 7);
    expect(bench.fillTexts()).toEqual(['o1 1 at 51 print-through', 'o2 3 at 50 print']);
    expect(bench.ahead('o3')).toBe(3);
  });

  it('a recorded book that comes to cross an order fills it, once', () => {
    const bench = new FillBench();
    bench.snapshot([[48, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 49, 2);
    expect(bench.fillTexts()).toEqual(['o1 2 at 50 crossed']);
    bench.delta('ask', 49, -1);
    bench.delta('ask', 49, 1);
    expect(bench.fillTexts()).toEqual(['o1 2 at 50 crossed', 'o1 1 at 50 crossed']);
  });

  it('a crossing book passes a reduce-only order without a position to reduce, and fills the order behind it', () => {
    const bench = new FillBench();
    bench.position = -1000;
    bench.snapshot([[45, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 52, contracts: 10 });
    bench.place({ side: 'buy', cents: 51, contracts: 10, reduceOnly: true });
    bench.place({ side: 'buy', cents: 50, contracts: 10 });
    bench.delta('ask', 50, 30);
    expect(bench.fillTexts()).toEqual(['o1 10 at 52 crossed', 'o3 10 at 50 crossed']);
  });

  it('a crossing book fills nothing when `fillWhenCrossed` is off', () => {
    const bench = new FillBench({ fillWhenCrossed: false });
    bench.snapshot([[48, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 49, 2);
    bench.snapshot([[48, 10]], [[49, 10]]);
    expect(bench.fillTexts()).toEqual([]);
  });

  it('an order keeps its queue position when reduced, and loses it when made larger or moved', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 5);
    expect(bench.matching.decreaseOrder('o1', contracts(2))).toBe(true);
    expect(bench.matching.decreaseOrder('o1', contracts(3))).toBe(false);
    expect(bench.ahead('o1')).toBe(10);
    expect(bench.matching.amendOrder('o1', cents(50), contracts(4))).toMatchObject({ type: 'taken', restingQty: 400 });
    expect(bench.ahead('o1')).toBe(15);
    expect(bench.matching.amendOrder('o1', cents(55), contracts(4))).toMatchObject({
      type: 'taken',
      executions: [{ price: 5500, qty: 400, liquidity: 'taker' }],
      restingQty: 0,
    });
    expect(bench.matching.amendOrder('o1', cents(50), contracts(4))).toBeNull();
  });

  it('an order keeps its place on another grid behind those who would have rested there still', () => {
    const bench = new FillBench();
    bench.snapshot([], [[55, 10]]);
    bench.place({ side: 'buy', cents: 45, contracts: 10 });
    bench.delta('bid', 45, 10);
    bench.place({ side: 'buy', cents: 45, contracts: 10 });
    bench.print('sell', 45, 10);
    bench.delta('bid', 45, -10);
    expect(bench.fillTexts()).toEqual(['o1 10 at 45 print']);
    expect(bench.ahead('o2')).toBe(10);
    expect(bench.matching.openMarket(bench.market, DECI_CENT_GRID)).toEqual([]);
    bench.snapshot([[44, 10]], [[55, 10]]);
    expect(bench.ahead('o2')).toBe(10);
  });

  it('an order keeps its age on another grid: the youngest reduce-only order is trimmed first', () => {
    const bench = new FillBench();
    bench.position = 1000;
    bench.snapshot([[45, 10]], []);
    bench.place({ side: 'sell', cents: 60, contracts: 5, reduceOnly: true });
    bench.place({ side: 'sell', cents: 55, contracts: 5, reduceOnly: true });
    bench.matching.openMarket(bench.market, DECI_CENT_GRID);
    bench.position = 500;
    expect(bench.matching.trimReduceOnly(bench.market)).toEqual([{ orderId: 'o2', leaves: 0 }]);
  });

  it('a canceled order no longer fills', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    expect(bench.matching.cancelOrder('o1')).toBe(300);
    expect(bench.matching.cancelOrder('o1')).toBe(0);
    bench.print('sell', 49, 20);
    expect(bench.fillTexts()).toEqual([]);
  });
});
