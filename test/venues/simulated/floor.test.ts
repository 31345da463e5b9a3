// What befalls orders of ours on the floor of the simulated venue, a case at a time.
import { describe, expect, it } from 'vitest';
import { CENT_GRID } from '../../../src/domain/price-grid.ts';
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
    expect(bench.fills()).toEqual([]);
  });

  it('fills by a print through its price, whatever stood before it', () => {
    const bench = new FloorBench();
    bench.snapshot([[50, 10]], [[55, 10]]);
    bench.place({ side: 'buy', cents: 50, contracts: 3 });
    bench.print('sell', 49, 2);
    expect(bench.fills()).toEqual(['o1 2 at 50 print-through']);
  });
});

describe('the floor', () => {
  it('ignores what it is told of a market that is not open', () => {
    const bench = new FloorBench();
    bench.floor.close(bench.market);
    bench.delta('bid', 50, 10);
    bench.print('sell', 50, 1);
    expect(bench.floor.isKnown(bench.market)).toBe(false);
    expect(bench.floor.open(bench.market, CENT_GRID)).toEqual([]);
  });
});
