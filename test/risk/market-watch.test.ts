// Jumps of a touch: when they are doubted, what explains them, and when the doubt passes.
import { describe, expect, it } from 'vitest';
import { cents } from '../../src/domain/units.ts';
import { MarketWatch } from '../../src/risk/market-watch.ts';
import { M0, M1, after } from '../support/engine/builders.ts';

const LIMITS = { touchJumpMax: 1000, jumpPauseMs: 3000 };

/** A watch of one market whose mid is told in cents. */
function watching(limits = LIMITS) {
  const watch = new MarketWatch();
  const mid = (at: number, cent: number, epoch = 1): number =>
    watch.touched({ market: M0, bid: cents(cent - 1), ask: cents(cent + 1), epoch, at: after(at) }, limits);
  const traded = (at: number): void => watch.traded(M0, cents(50), after(at));
  const forMs = (at: number): number => watch.doubt(M0, after(at))?.forMs ?? 0;
  return { watch, mid, traded, forMs };
}

describe('a touch', () => {
  it('that jumps after a quiet minute is told once and doubted for its time', () => {
    const { mid, forMs } = watching();
    mid(0, 50);
    expect(mid(60_000, 60)).toBe(0);
    expect(mid(120_000, 71)).toBe(1100);
    expect([forMs(120_000), forMs(122_999), forMs(123_000)]).toEqual([3000, 1, 0]);
  });

  it('that moves as far in steps within a second is doubted too, and slowly it is not', () => {
    const fast = watching();
    for (const [at, cent] of [
      [0, 50],
      [2000, 50],
      [2100, 54],
      [2200, 58],
    ] as const)
      expect(fast.mid(at, cent)).toBe(0);
    expect(fast.mid(2300, 62)).toBe(1200);
    const slow = watching();
    for (let i = 0; i < 12; i++) expect(slow.mid(i * 500, 30 + i * 4)).toBe(0);
  });

  it('that jumps again while it is doubted is doubted for longer, and not told again', () => {
    const { mid, forMs } = watching();
    mid(0, 50);
    expect(mid(2000, 65)).toBe(1500);
    expect(mid(2500, 80)).toBe(0);
    expect(forMs(2500)).toBe(3000);
  });

  it('that somebody traded at just before is explained', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    traded(2000);
    expect(mid(2100, 70)).toBe(0);
    expect(forMs(2100)).toBe(0);
    // The trade has explained that move, and no later one.
    expect(mid(3200, 90)).toBe(2000);
  });

  it('is believed again once a trade is told that explains it', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    traded(2900);
    expect(forMs(2900)).toBe(0);
  });

  it('stays doubted when the trade comes too late to explain it', () => {
    const { mid, traded, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    traded(3000);
    expect(forMs(3000)).toBe(2000);
  });

  it('of a book that was begun anew has not jumped', () => {
    const { mid } = watching();
    mid(0, 50);
    expect(mid(2000, 80, 2)).toBe(0);
  });

  it('is that of its own market alone, and forgotten with it', () => {
    const { watch, mid, forMs } = watching();
    mid(0, 50);
    mid(2000, 70);
    expect(watch.doubt(M1, after(2000))).toBeNull();
    watch.forget(M0);
    expect(forMs(2000)).toBe(0);
    expect(watch.lastTrade(M0, after(2000))).toBeNull();
  });
});
