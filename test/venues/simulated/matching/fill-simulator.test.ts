// The fill simulator: unknown books, changes of the grid, markets that close, edge values, and explanations.
import { describe, expect, it } from 'vitest';
import { CENT_GRID, DECI_CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { type Price, type Qty, micros } from '../../../../src/domain/units.ts';
import { AHEAD_UNKNOWN } from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { FillBench } from './fill-bench.ts';

describe('a book that is unknown', () => {
  it('an unknown book fills nothing, and orders in it rest behind everything that the next snapshot shows', () => {
    const bench = new FillBench();
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.place({ side: 'buy', cents: 50, contracts: 3 })).toMatchObject({ restingQty: 300, executions: [] });
    expect(bench.matching.qtyAheadOf('o1')).toBe(AHEAD_UNKNOWN);
    bench.print('sell', 50, 100);
    expect(bench.fillTexts()).toEqual([]);
    expect(bench.place({ side: 'buy', cents: 50, contracts: 1, timeInForce: 'ioc' })).toMatchObject({
      canceledQty: 100,
      reason: 'the book is unknown',
    });
    expect(bench.place({ side: 'buy', cents: 50, contracts: 1, timeInForce: 'fok' })).toMatchObject({
      code: 'book_unknown',
    });
    bench.snapshot([[50, 20]], []);
    expect(bench.ahead('o1')).toBe(20);
  });

  it('an order keeps its queue position when the book is lost, and fills by prints alone until the next snapshot', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.matching.loseBook(bench.market);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [], asks: [] });
    bench.delta('bid', 50, -9);
    bench.delta('ask', 49, 9);
    expect(bench.ahead('o1')).toBe(10);
    bench.print('sell', 50, 4);
    expect(bench.ahead('o1')).toBe(6);
    bench.snapshot([[48, 5]], [[49, 1]]);
    expect(bench.fillTexts()).toEqual(['o1 1 at 50 crossed']);
    expect(bench.ahead('o1')).toBe(0);
  });

  it('a book becomes unknown when the tape takes more from a level than it holds', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], []);
    bench.delta('bid', 50, -11);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    bench.snapshot([[50, 10]], []);
    expect(bench.matching.isBookKnown(bench.market)).toBe(true);
    bench.delta('bid', 50.5, 1);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.matching.faultCount).toBe(2);
  });
});

describe('bid plus ask of a book', () => {
  it('is that of its best levels, and null while a side is empty or the book is unknown', () => {
    const bench = new FillBench();
    const mid2 = (): number | null => bench.matching.mid2Of(bench.market);
    expect(mid2()).toBeNull();
    bench.snapshot([[1, 5]], []);
    expect(mid2()).toBeNull();
    bench.snapshot([], [[99, 5]]);
    expect(mid2()).toBeNull();
    bench.snapshot(
      [
        [40, 5],
        [1, 5],
      ],
      [
        [44, 5],
        [99, 5],
      ],
    );
    expect(mid2()).toBe(8400);
    bench.delta('bid', 40, -5);
    bench.delta('ask', 44, -5);
    expect(mid2()).toBe(10_000);
    bench.matching.loseBook(bench.market);
    expect(mid2()).toBeNull();
  });
});

describe('the fill simulator', () => {
  it('ignores rows of a market that is not open', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.place({ side: 'sell', cents: 60, contracts: 3 });
    expect(bench.matching.closeMarket(bench.market)).toEqual(['o1', 'o2']);
    bench.delta('bid', 50, 10);
    bench.print('sell', 50, 1);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.matching.openMarket(bench.market, CENT_GRID)).toEqual([]);
    expect(bench.matching.faultCount).toBe(0);
  });

  it('keeps orders when the grid changes, except those whose price is not on the new grid', () => {
    const bench = new FillBench();
    bench.matching.openMarket(bench.market, DECI_CENT_GRID);
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.place({ side: 'buy', cents: 49.5, contracts: 3 });
    expect(bench.matching.openMarket(bench.market, CENT_GRID)).toEqual(['o2']);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    expect(bench.ahead('o1')).toBe(10);
    bench.snapshot([[50, 4]], []);
    expect(bench.ahead('o1')).toBe(4);
  });

  it('keeps markets apart, and clears a closed market before its cells serve another', () => {
    const bench = new FillBench();
    bench.snapshot([[50, 10]], [[51, 10]]);
    bench.place({ side: 'buy', cents: 51, contracts: 3 });
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.matching.closeMarket(bench.market);
    bench.matching.openMarket(bench.market, CENT_GRID);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [], asks: [] });
    bench.snapshot([[50, 10]], [[51, 10]]);
    expect(bench.place({ side: 'buy', cents: 51, contracts: 10, timeInForce: 'ioc' })).toMatchObject({
      executions: [{ qty: 1000 }],
    });
    bench.print('sell', 49, 10);
    expect(bench.fillTexts()).toEqual([]);
  });

  it('lets a listener of executions cancel other orders', () => {
    const bench: FillBench = new FillBench({
      onExecution: (execution) => {
        bench.executions.push(execution);
        bench.matching.cancelOrder('o2');
        bench.matching.cancelOrder('o3');
      },
    });
    bench.snapshot([], []);
    for (const price of [52, 51, 50]) bench.place({ side: 'buy', cents: price, contracts: 1 });
    bench.print('sell', 52, 1);
    expect(bench.fillTexts()).toEqual(['o1 1 at 52 print']);
    bench.print('sell', 40, 9);
    expect(bench.fillTexts()).toHaveLength(1);
  });

  it('waits for the other half of a trade no longer than the configured window', () => {
    const bench = new FillBench({ explainWindow: 1000 });
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, -4);
    bench.now = micros(1001);
    bench.print('sell', 50, 4);
    expect(bench.ahead('o1')).toBe(2);
  });
});

describe('the explanation of an order', () => {
  it('reports the queue position, the prints that passed, and why it filled, with figures', () => {
    const steps: string[] = [];
    const bench = new FillBench({
      onExplanation: ({ orderId, what, ahead, leaves }) => steps.push(`${orderId} [${ahead}, ${leaves}] ${what}`),
    });
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3, postOnly: true });
    bench.delta('bid', 50, 3);
    bench.delta('bid', 50, -2);
    bench.delta('bid', 50, -3);
    bench.now = micros(5_000_000);
    bench.print('sell', 50, 6);
    bench.delta('bid', 50, -6);
    bench.print('sell', 49, 1);
    bench.delta('ask', 50, 1);
    bench.matching.cancelOrder('o1');
    bench.place({ side: 'buy', cents: 60, contracts: 1, postOnly: true });
    expect(steps).toMatchInlineSnapshot(`
      [
        "o1 [1000, 300] joined the bid at 50¢ behind 10 (the tape shows 10)",
        "o1 [1000, 300] 2 of 13 canceled, behind it by the queue model: 10 ahead, unchanged",
        "o1 [800, 300] the level holds at most 8: ahead 10 -> 8",
        "o1 [200, 300] print of 6 at its price: ahead 8 -> 2",
        "o1 [0, 300] print of 1 through its price: ahead 2 -> 0",
        "o1 [0, 200] filled 1 at 50¢ (print-through), 2 left",
        "o1 [0, 200] the recorded book crosses it with 1",
        "o1 [0, 100] filled 1 at 50¢ (crossed), 1 left",
        "o1 [0, 100] canceled",
        "o2 [0, 100] refused: post only, and it would trade at once",
      ]
    `);
  });

  it('reports an advance by the queue model, and the print that takes it back', () => {
    const steps: string[] = [];
    const bench = new FillBench({
      queue: {
        name: 'half',
        onlyPrints: false,
        aheadOnJoin: (qty) => qty,
        aheadAfterCancel: (ahead, _, cut) => ahead - cut / 2,
      },
      onExplanation: ({ what }) => steps.push(what),
    });
    bench.snapshot([[50, 10]], []);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.delta('bid', 50, 10);
    bench.delta('bid', 50, -4);
    bench.print('sell', 50, 4);
    expect(bench.ahead('o1')).toBe(6);
    expect(steps).toMatchInlineSnapshot(`
      [
        "joined the bid at 50¢ behind 10 (the tape shows 10)",
        "4 of 20 canceled: ahead 10 -> 8",
        "print of 4 at its price (it explains a decrease that had moved it up by 2): ahead 8 -> 6",
      ]
    `);
  });
});

describe('a price or quantity at the edge', () => {
  it('the maximum quantity of a level is kept exactly, and more is a fault', () => {
    const bench = new FillBench();
    const most = 2_147_483_647 as Qty;
    bench.matching.applySnapshot(bench.market, [[100 as Price, most]], [[9900 as Price, most]]);
    expect(bench.matching.levelsOf(bench.market)).toEqual({ bids: [[100, most]], asks: [[9900, most]] });
    bench.delta('bid', 1, 0.01);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
    bench.matching.applySnapshot(bench.market, [[100 as Price, (most + 1) as Qty]], []);
    expect(bench.matching.isBookKnown(bench.market)).toBe(false);
  });
});
