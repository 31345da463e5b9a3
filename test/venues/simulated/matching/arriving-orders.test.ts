// Arriving orders of ours at the fill simulator, one case at a time.
import { describe, expect, it } from 'vitest';
import { cents, contracts } from '../../../../src/domain/units.ts';
import { FillBench } from './fill-bench.ts';

describe('an order that arrives', () => {
  it('an arriving order takes the best levels first, up to its limit, and rests with the remainder', () => {
    const bench = new FillBench();
    bench.snapshot(
      [],
      [
        [50, 2],
        [51, 2],
        [53, 2],
      ],
    );
    expect(bench.place({ side: 'buy', cents: 52, contracts: 5 })).toMatchObject({
      executions: [
        { price: 5000, qty: 200, evidence: 'taken' },
        { price: 5100, qty: 200, evidence: 'taken' },
      ],
      restingQty: 100,
      canceledQty: 0,
      reason: null,
    });
    expect(bench.ahead('o1')).toBe(0);
  });

  it('quantity that we took is available again only after the tape refills it', () => {
    const bench = new FillBench();
    bench.snapshot([], [[50, 5]]);
    const take = (): number => {
      const placed = bench.place({ side: 'buy', cents: 50, contracts: 9, timeInForce: 'ioc' });
      return placed.type === 'taken' ? (placed.executions[0]?.qty ?? 0) / 100 : -1;
    };
    expect(take()).toBe(5);
    expect(take()).toBe(0);
    bench.delta('ask', 50, 2);
    expect(take()).toBe(2);
    // All of the five that are left were taken by us before.
    bench.delta('ask', 50, -2);
    expect(take()).toBe(0);
    bench.delta('ask', 50, -5);
    bench.delta('ask', 50, 3);
    expect(take()).toBe(3);
    expect(bench.matching.levelsOf(bench.market).asks).toEqual([[5000, 300]]);
  });

  it('an immediate-or-cancel order never rests, and a fill-or-kill order trades all or nothing', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 4]], []);
    expect(bench.place({ side: 'sell', cents: 50, contracts: 5, timeInForce: 'fok' })).toMatchObject({
      type: 'rejected',
      code: 'fill_or_kill_unfilled',
    });
    expect(bench.place({ side: 'sell', cents: 50, contracts: 5, timeInForce: 'ioc' })).toMatchObject({
      executions: [{ qty: 400 }],
      restingQty: 0,
      canceledQty: 100,
      reason: 'nothing more to take',
    });
    bench.delta('bid', 50, 5);
    expect(bench.place({ side: 'sell', cents: 50, contracts: 5, timeInForce: 'fok' })).toMatchObject({
      executions: [{ qty: 500 }],
      canceledQty: 0,
    });
  });

  it('a post-only order is refused where it would trade, also with us, and rests where we have taken everything', () => {
    const bench = new FillBench();
    bench.snapshot([], [[50, 2]]);
    const crossing = { side: 'buy', cents: 50, contracts: 1, postOnly: true } as const;
    expect(bench.place(crossing)).toMatchObject({ type: 'rejected', code: 'post_only_would_cross' });
    bench.place({ side: 'buy', cents: 50, contracts: 2, timeInForce: 'ioc' });
    expect(bench.place(crossing)).toMatchObject({ type: 'taken', restingQty: 100 });
    expect(bench.place({ side: 'sell', cents: 50, contracts: 1, postOnly: true })).toMatchObject({
      type: 'rejected',
      code: 'post_only_would_cross',
    });
  });

  it('an order off the grid, or in a market that is not open, is refused', () => {
    const bench = new FillBench();
    expect(bench.place({ side: 'buy', cents: 50.5, contracts: 1 })).toMatchObject({ code: 'price_off_grid' });
    bench.matching.closeMarket(bench.market);
    expect(bench.place({ side: 'buy', cents: 50, contracts: 1 })).toMatchObject({ code: 'market_closed' });
  });
});

describe('an order that meets one of ours', () => {
  const meeting = (selfTrade: 'cancel-incoming' | 'cancel-resting'): FillBench => {
    const bench = new FillBench({ selfTrade });
    bench.snapshot(
      [],
      [
        [50, 2],
        [52, 4],
      ],
    );
    bench.place({ side: 'sell', cents: 50, contracts: 3 });
    bench.delta('ask', 50, 1);
    return bench;
  };

  it('with cancel-incoming, an order trades with the quantity ahead of ours and is then canceled', () => {
    const bench = meeting('cancel-incoming');
    expect(bench.place({ side: 'buy', cents: 52, contracts: 6 })).toMatchObject({
      executions: [{ price: 5000, qty: 200 }],
      restingQty: 0,
      canceledQty: 400,
      reason: 'it would have met an order of our own',
      canceledOwn: [],
    });
    expect(bench.ahead('o1')).toBe(0);
  });

  it('with cancel-resting, an order cancels ours and continues', () => {
    const bench = meeting('cancel-resting');
    expect(bench.place({ side: 'buy', cents: 52, contracts: 6 })).toMatchObject({
      executions: [
        { price: 5000, qty: 300 },
        { price: 5200, qty: 300 },
      ],
      canceledQty: 0,
      canceledOwn: ['o1'],
    });
    expect(bench.ahead('o1')).toBeNull();
  });

  it('an order that does not reach ours is not affected by it', () => {
    const bench = meeting('cancel-incoming');
    expect(bench.place({ side: 'buy', cents: 52, contracts: 2 })).toMatchObject({ canceledQty: 0, canceledOwn: [] });
    expect(bench.ahead('o1')).toBe(0);
  });
});

describe('a reduce-only order', () => {
  it('a reduce-only order is no larger than the position, less what other reduce-only orders reduce', () => {
    const bench = new FillBench();
    bench.position = 500;
    bench.snapshot([], []);
    expect(bench.place({ side: 'buy', cents: 50, contracts: 1, reduceOnly: true })).toMatchObject({
      code: 'reduce_only_beyond_position',
    });
    expect(bench.place({ side: 'sell', cents: 50, contracts: 3, reduceOnly: true })).toMatchObject({ restingQty: 300 });
    expect(bench.place({ side: 'sell', cents: 51, contracts: 3, reduceOnly: true })).toMatchObject({
      restingQty: 200,
      canceledQty: 100,
      reason: 'reduce only: the position is smaller',
    });
    expect(bench.place({ side: 'sell', cents: 52, contracts: 3, reduceOnly: true })).toMatchObject({
      type: 'rejected',
    });
    expect(bench.matching.amendOrder('o2', cents(51), contracts(6))).toMatchObject({
      code: 'reduce_only_beyond_position',
    });
  });

  it('a reduce-only order never reverses the position, even when another order has reduced it by the same print', () => {
    const bench = new FillBench();
    bench.position = 500;
    bench.snapshot([], []);
    bench.place({ side: 'sell', cents: 50, contracts: 4 });
    bench.place({ side: 'sell', cents: 51, contracts: 5, reduceOnly: true });
    bench.print('buy', 52, 9);
    expect(bench.fillTexts()).toEqual(['o1 4 at 50 print-through', 'o2 1 at 51 print-through']);
    bench.position = 0;
    expect(bench.matching.trimReduceOnly(bench.market)).toEqual([{ orderId: 'o2', leaves: 0 }]);
    expect(bench.ahead('o2')).toBeNull();
  });

  it.each([
    ['a print', (bench: FillBench) => bench.print('buy', 52, 7), 'print'],
    ['a print through its price', (bench: FillBench) => bench.print('buy', 53, 7), 'print-through'],
    ['a crossing book', (bench: FillBench) => bench.delta('bid', 52, 7), 'crossed'],
  ])('what a reduce-only order may not trade of %s goes to the order behind it', (_, trade, evidence) => {
    const bench = new FillBench();
    bench.position = 300;
    bench.snapshot([], []);
    bench.place({ side: 'sell', cents: 52, contracts: 2 });
    bench.place({ side: 'sell', cents: 52, contracts: 3, reduceOnly: true });
    bench.place({ side: 'sell', cents: 52, contracts: 9 });
    trade(bench);
    expect(bench.fillTexts()).toEqual([`o1 2 at 52 ${evidence}`, `o2 1 at 52 ${evidence}`, `o3 4 at 52 ${evidence}`]);
    expect(bench.ahead('o3')).toBe(0);
  });

  it('reduce-only orders are reduced with the position, the youngest first', () => {
    const bench = new FillBench();
    bench.position = -500;
    bench.snapshot([], []);
    bench.place({ side: 'buy', cents: 50, contracts: 3, reduceOnly: true });
    bench.place({ side: 'buy', cents: 51, contracts: 2, reduceOnly: true });
    bench.position = -400;
    expect(bench.matching.trimReduceOnly(bench.market)).toEqual([{ orderId: 'o2', leaves: 100 }]);
    expect(bench.matching.trimReduceOnly(bench.market)).toEqual([]);
  });
});
