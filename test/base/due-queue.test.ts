// Due items come in order of time, then of insertion, and items that no longer apply are skipped.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../src/domain/units.ts';
import { DueQueue } from '../../src/base/due-queue.ts';

describe('the queue of due items', () => {
  it('returns what is due by time, then by insertion order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { size: 'max', maxLength: 100 }), (times) => {
        const timers = new DueQueue<number, Micros>(() => true);
        times.forEach((at, index) => timers.schedule(micros(at), index));
        const order = times.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at || a.index - b.index);
        for (const { at, index } of order) {
          expect(timers.nextAt()).toBe(at);
          if (at > 0) expect(timers.popDue(micros(at - 1))).toBeNull();
          expect(timers.popDue(micros(at))).toBe(index);
        }
        expect(timers.nextAt()).toBeNull();
      }),
    );
  });

  it('skips what no longer applies, and does not let it accumulate', () => {
    const live = new Set<number>();
    let checked = 0;
    const timers = new DueQueue<number, Micros>((item) => {
      checked++;
      return live.has(item);
    });
    for (let item = 0; item < 100_000; item++) {
      live.clear();
      live.add(item);
      timers.schedule(micros(item), item);
    }
    // Pruned about every thousand items: the next call visits only what is left.
    checked = 0;
    expect(timers.nextAt()).toBe(99_999);
    expect(checked).toBeLessThan(2_000);
  });
});
