// What befalls orders of ours that rest on the floor of the simulated venue, a case at a time.
import { describe, expect, it } from 'vitest';
import { cents, contracts, micros } from '../../../src/domain/units.ts';
import type { QueueModel } from '../../../src/venues/simulated/ports.ts';
import { powerQueue } from '../../../src/venues/simulated/queue-models.ts';
import { FloorBench } from './floor-bench.ts';

describe('an order that rests', () => {
  it('stands behind the whole level, and is reached when prints have consumed what stood before it', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    expect(bench.ahead('o1')).toBe(10);
    bench.print('sell', 50, 6);
    expect(bench.ahead('o1')).toBe(4);
    expect(bench.fills()).toEqual([]);
    bench.print('sell', 50, 6);
    expect(bench.fills()).toEqual(['o1 2 at 50 print']);
    bench.print('sell', 50, 6);
    expect(bench.fills()).toEqual(['o1 2 at 50 print', 'o1 1 at 50 print']);
    expect(bench.ahead('o1')).toBeNull();
  });

  it('does not fill by a touch', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[52, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 52, -10);
    bench.delta('ask', 51, 10);
    bench.delta('bid', 50, -10);
    expect(bench.fills()).toEqual([]);
  });

  it('fills by a print through its price, whatever stood before it', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 49, 2);
    expect(bench.fills()).toEqual(['o1 2 at 50 print-through']);
  });

  it('is not moved by a taker of its own side, nor by a print at a better price', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('buy', 50, 20);
    bench.print('sell', 51, 20);
    expect(bench.ahead('o1')).toBe(10);
  });

  it('is not put first by one stranger who withdraws', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 5);
    bench.delta('bid', 50, -5);
    expect(bench.ahead('o1')).toBe(10);
  });

  it('never has more before it than the level holds', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, -7);
    expect(bench.ahead('o1')).toBe(3);
    bench.delta('bid', 50, 7);
    expect(bench.ahead('o1')).toBe(3);
  });

  it('is moved up once by a trade, whether its decrease is told before its print or after', () => {
    for (const isPrintFirst of [true, false]) {
      const bench = new FloorBench();
      bench.snapshot([[50, 10]], [[55, 10]]);
      bench.place({ side: 'buy', cents: 50, contracts: 3 });
      if (isPrintFirst) bench.print('sell', 50, 4);
      bench.delta('bid', 50, -4);
      if (!isPrintFirst) bench.print('sell', 50, 4);
      expect(bench.ahead('o1')).toBe(6);
    }
  });

  it('is moved up by the next print when a trade before it was told in full, in whatever order', () => {
    for (const isPrintFirst of [true, false]) {
      const bench = new FloorBench();
      bench.snapshot([[50, 10]], [[55, 10]]);
      if (isPrintFirst) bench.print('sell', 50, 4);
      bench.delta('bid', 50, -4);
      if (!isPrintFirst) bench.print('sell', 50, 4);
      bench.place({ side: 'buy', cents: 50, contracts: 3 });
      bench.print('sell', 50, 2);
      expect(bench.ahead('o1')).toBe(4);
    }
  });

  it('is not moved up by the print of a trade that was before it, told late', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.delta('bid', 50, -4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 4);
    expect(bench.ahead('o1')).toBe(6);
  });

  it('stands behind no more than is left, when it comes between a print and its decrease, behind others of ours', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, -4);
    expect([bench.ahead('o1'), bench.ahead('o2')]).toEqual([6, 6]);
  });

  it('is not put before one that came before it, whatever a queue model says', () => {
    const turned: QueueModel = {
      name: 'turned',
      onlyPrints: false,
      joined: (qty) => qty,
      withdrawn: (ahead, level, cut) => (ahead * 2 > level ? 0 : ahead - cut),
    };
    const bench = new FloorBench({ queue: turned });
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 15);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, -4);
    expect([bench.ahead('o1'), bench.ahead('o2')]).toEqual([6, 6]);
  });

  it('takes a decrease for a withdrawal when the print before it is long past', () => {
    const bench = new FloorBench({ queue: powerQueue(1) });
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 10);
    bench.print('sell', 50, 2);
    bench.now = micros(2_000_000);
    bench.delta('bid', 50, -5);
    // Of the twenty that the tape has, eight stand before it: two of the five that went.
    expect(bench.ahead('o1')).toBe(6);
  });

  it('is not moved up by one print of several decreases before it', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 2]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.delta('bid', 50, 8);
    bench.delta('bid', 50, -3);
    bench.delta('bid', 50, -3);
    bench.place({ side: 'buy', cents: 50, contracts: 1 });
    bench.print('sell', 50, 6);
    expect(bench.fills()).toEqual(['o1 1 at 50 print']);
    // Four strangers are left on the tape, and a fifth whom the taker did not reach because of us.
    expect(bench.ahead('o2')).toBe(5);
  });

  it('shares a print with others of ours, the first to come first', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 2]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 51, contracts: 1 });
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 4);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 50, 7);
    expect(bench.fills()).toEqual(['o1 1 at 51 print-through', 'o2 3 at 50 print']);
    expect(bench.ahead('o3')).toBe(3);
  });

  it('fills by a recorded book that comes to cross it, once', () => {
    const bench = new FloorBench();
    bench.snapshot([[48, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 49, 2);
    expect(bench.fills()).toEqual(['o1 2 at 50 crossed']);
    bench.delta('ask', 49, -1);
    bench.delta('ask', 49, 1);
    expect(bench.fills()).toEqual(['o1 2 at 50 crossed', 'o1 1 at 50 crossed']);
  });

  it('does not, where that is switched off', () => {
    const bench = new FloorBench({ fillWhenCrossed: false });
    bench.snapshot([[48, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('ask', 49, 2);
    bench.snapshot([[48, 10]], [[49, 10]]);
    expect(bench.fills()).toEqual([]);
  });

  it('keeps its place when it is made smaller, and loses it when it is made larger or moved', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 5);
    expect(bench.floor.decrease('o1', contracts(2))).toBe(true);
    expect(bench.floor.decrease('o1', contracts(3))).toBe(false);
    expect(bench.ahead('o1')).toBe(10);
    expect(bench.floor.amend('o1', cents(50), contracts(4))).toMatchObject({ type: 'taken', restingQty: 400 });
    expect(bench.ahead('o1')).toBe(15);
    expect(bench.floor.amend('o1', cents(55), contracts(4))).toMatchObject({
      type: 'taken',
      executions: [{ price: 5500, qty: 400, liquidity: 'taker' }],
      restingQty: 0,
    });
    expect(bench.floor.amend('o1', cents(50), contracts(4))).toBeNull();
  });

  it('is gone when it is withdrawn', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    expect(bench.floor.cancel('o1')).toBe(300);
    expect(bench.floor.cancel('o1')).toBe(0);
    bench.print('sell', 49, 20);
    expect(bench.fills()).toEqual([]);
  });
});
